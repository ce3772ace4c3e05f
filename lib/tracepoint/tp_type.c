/* The size and the sign of a C type, from its words. */
#include "tracepoint/tp_tree_priv.h"

#include "base/mem.h"

static const struct { const char *name; struct pt_tp_type type; } plain_types[] = {
	{ "u8", { 8, true, false, false } }, { "u16", { 16, true, false, false } },
	{ "u32", { 32, true, false, false } }, { "u64", { 64, true, false, false } },
	{ "s8", { 8, false, false, false } }, { "s16", { 16, false, false, false } },
	{ "s32", { 32, false, false, false } }, { "s64", { 64, false, false, false } },
	{ "le16", { 16, true, false, false } }, { "be16", { 16, true, false, false } },
	{ "le32", { 32, true, false, false } }, { "be32", { 32, true, false, false } },
	{ "le64", { 64, true, false, false } }, { "be64", { 64, true, false, false } },
	{ "uint8_t", { 8, true, false, false } }, { "uint16_t", { 16, true, false, false } },
	{ "uint32_t", { 32, true, false, false } }, { "uint64_t", { 64, true, false, false } },
	{ "int8_t", { 8, false, false, false } }, { "int16_t", { 16, false, false, false } },
	{ "int32_t", { 32, false, false, false } }, { "int64_t", { 64, false, false, false } },
	{ "bool", { 8, true, true, false } }, { "_Bool", { 8, true, true, false } },
	{ "pid_t", { 32, false, false, false } }, { "loff_t", { 64, false, false, false } },
	{ "dev_t", { 32, true, false, false } }, { "gfp_t", { 32, true, false, false } },
	{ "sector_t", { 64, true, false, false } }, { "dma_addr_t", { 64, true, false, false } },
	{ "phys_addr_t", { 64, true, false, false } }, { "resource_size_t", { 64, true, false, false } },
};
static const char *const long_types[] = { "size_t", "ulong", "uintptr_t", "ino_t", "pgoff_t",
					  "cpumask_t" };
static const char *const type_words[] = {
	"unsigned", "signed",   "long",   "int",   "short", "char",  "void",
	"const",    "volatile", "struct", "union", "enum",  "float", "double",
};

static bool one_of(const char *s, size_t len, const char *const *words, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (pt_tp_same(s, len, words[i]))
			return true;
	return false;
}

/* u32 and __u32 are the same. */
static const struct pt_tp_type *plain_type(const char *s, size_t len)
{
	size_t i;

	if (len > 2 && s[0] == '_' && s[1] == '_')
		s += 2, len -= 2;
	for (i = 0; i < PT_NR(plain_types); i++)
		if (pt_tp_same(s, len, plain_types[i].name))
			return &plain_types[i].type;
	return NULL;
}

bool pt_tp_is_type_word(const char *s, size_t len)
{
	return one_of(s, len, type_words, PT_NR(type_words)) ||
	       one_of(s, len, long_types, PT_NR(long_types)) || pt_tp_same(s, len, "ssize_t") ||
	       plain_type(s, len);
}

struct pt_tp_type pt_tp_parse_type(const char *s, size_t len, int long_bytes)
{
	struct pt_tp_type t = { 0, false, false, false };
	const char *end = s + len;
	int longs = 0, stars = 0;
	bool is_unsigned = false, known = false;

	while (s < end) {
		size_t n = pt_tp_word(s, end);
		const struct pt_tp_type *plain = plain_type(s, n);

		if (!n) {
			stars += *s == '*';
			n = 1;
		} else if (plain) {
			t = *plain;
		} else if (one_of(s, n, long_types, PT_NR(long_types))) {
			t = (struct pt_tp_type){ (uint8_t)(long_bytes * 8), true, false, false };
		} else if (pt_tp_same(s, n, "ssize_t")) {
			t = (struct pt_tp_type){ (uint8_t)(long_bytes * 8), false, false, false };
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
		t.bits = (uint8_t)(longs > 1 ? 64 : long_bytes * 8);
	else if (known && !t.bits)
		t.bits = 32;
	if (is_unsigned)
		t.is_unsigned = true;
	if (stars > 1)
		t = (struct pt_tp_type){ (uint8_t)(long_bytes * 8), true, false, true };
	t.pointer = stars > 0;
	return t;
}
