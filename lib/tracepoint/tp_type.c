/* The size and the sign of a C type, from its words. */
#include "tracepoint/tp_tree_priv.h"

#include "base/mem.h"

enum { WORD = 0 };			/* bits of the recorded machine's long */

static const struct { const char *name; uint8_t bits; bool is_unsigned; } types[] = {
	{ "u8", 8, true }, { "u16", 16, true }, { "u32", 32, true }, { "u64", 64, true },
	{ "s8", 8, false }, { "s16", 16, false }, { "s32", 32, false }, { "s64", 64, false },
	{ "le16", 16, true }, { "le32", 32, true }, { "le64", 64, true },
	{ "be16", 16, true }, { "be32", 32, true }, { "be64", 64, true },
	{ "uint8_t", 8, true }, { "uint16_t", 16, true }, { "uint32_t", 32, true },
	{ "uint64_t", 64, true },
	{ "int8_t", 8, false }, { "int16_t", 16, false }, { "int32_t", 32, false },
	{ "int64_t", 64, false },
	{ "bool", 8, true }, { "_Bool", 8, true }, { "pid_t", 32, false }, { "loff_t", 64, false },
	{ "dev_t", 32, true }, { "gfp_t", 32, true }, { "sector_t", 64, true },
	{ "dma_addr_t", 64, true },
	{ "phys_addr_t", 64, true }, { "resource_size_t", 64, true },
	{ "size_t", WORD, true }, { "ssize_t", WORD, false }, { "ulong", WORD, true },
	{ "uintptr_t", WORD, true },
	{ "ino_t", WORD, true }, { "pgoff_t", WORD, true }, { "cpumask_t", WORD, true },
};
static const char *const type_words[] = {
	"unsigned", "signed",   "long",   "int",   "short", "char",  "void",
	"const",    "volatile", "struct", "union", "enum",  "float", "double",
};

/* The row of a type, PT_NR(types) for none. u32 and __u32 are the same. */
static size_t tp_type_find_type(const char *s, size_t len)
{
	size_t skip = len > 2 && !strncmp(s, "__", 2) ? 2 : 0, i = 0;

	while (i < PT_NR(types) && !pt_tp_same(s + skip, len - skip, types[i].name))
		i++;
	return i;
}

bool pt_tp_is_type_word(const char *s, size_t len)
{
	for (size_t i = 0; i < PT_NR(type_words); i++)
		if (pt_tp_same(s, len, type_words[i]))
			return true;
	return tp_type_find_type(s, len) < PT_NR(types);
}

struct pt_tp_type pt_tp_parse_type(const char *s, size_t len, int long_bytes)
{
	struct pt_tp_type t = { 0, false, false, false };
	const char *end = s + len;
	uint8_t word_bits = (uint8_t)(long_bytes * 8);
	int longs = 0, stars = 0;
	bool is_unsigned = false, known = false;

	while (s < end) {
		size_t n = pt_tp_word(s), type = tp_type_find_type(s, n);

		if (!n) {
			stars += *s == '*';
			n = 1;
		} else if (type < PT_NR(types)) {
			t.bits = types[type].bits == WORD ? word_bits : types[type].bits;
			t.is_unsigned = types[type].is_unsigned;
			t.is_bool = pt_tp_same(s, n, "bool") || pt_tp_same(s, n, "_Bool");
		} else if (pt_tp_same(s, n, "unsigned")) {
			is_unsigned = known = true;
		} else if (pt_tp_same(s, n, "long")) {
			longs++;
		} else if (pt_tp_same(s, n, "char")) {
			t.bits = 8;
		} else if (pt_tp_same(s, n, "short")) {
			t.bits = 16;
		} else if (pt_tp_same(s, n, "int") || pt_tp_same(s, n, "signed")) {
			known = true;
		} else if (pt_tp_same(s, n, "enum")) {
			known = is_unsigned = true;
		}
		s += n;
	}
	if (longs)
		t.bits = longs > 1 ? 64 : word_bits;
	else if (known && !t.bits)
		t.bits = 32;
	if (is_unsigned)
		t.is_unsigned = true;
	if (stars > 1)
		t = (struct pt_tp_type){ word_bits, true, false, true };
	t.pointer = stars > 0;
	return t;
}
