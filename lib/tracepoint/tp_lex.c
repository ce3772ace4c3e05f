#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"

/* Lexer of print formats: blanks, strings, numbers, names of types. */

void pt_tp_blanks(struct pt_tp_parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
}

bool pt_tp_parse_skip(struct pt_tp_parser *p, char c)
{
	pt_tp_blanks(p);
	if (p->at >= p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

size_t pt_tp_word(const char *s, const char *end)
{
	const char *p = s;

	if (p < end && isdigit((unsigned char)*p))
		return 0;
	while (p < end && pt_tp_is_word(*p))
		p++;
	return (size_t)(p - s);
}

bool pt_tp_same(const char *s, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(s, want, len);
}

/* One escape sequence behind its backslash. */
static char escape(const char **at, const char *end)
{
	static const char from[] = "ntrabfve", to[] = "\n\t\r\a\b\f\v\033";
	const char *found = strchr(from, **at);
	unsigned v = 0;
	int i;

	if (**at && found) {
		(*at)++;
		return to[found - from];
	}
	if (**at == 'x' && *at + 1 < end && isxdigit((unsigned char)(*at)[1])) {
		for ((*at)++, i = 0; i < 2 && *at < end && isxdigit((unsigned char)**at);
		     i++, (*at)++)
			v = v * 16 + (unsigned)(isdigit((unsigned char)**at)
							? **at - '0'
							: (**at | 32) - 'a' + 10);
		return (char)v;
	}
	if (**at >= '0' && **at <= '7') {
		for (i = 0; i < 3 && *at < end && **at >= '0' && **at <= '7'; i++, (*at)++)
			v = v * 8 + (unsigned)(**at - '0');
		return (char)v;
	}
	return *(*at)++;
}

/* A string from behind its opening quote to its closing one; never longer than its source. */
static bool quoted(struct pt_tp_parser *p, char *to, size_t *len)
{
	while (p->at < p->end && *p->at != '"') {
		if (*p->at == '\\' && p->at + 1 < p->end) {
			p->at++;
			to[(*len)++] = escape(&p->at, p->end);
		} else {
			to[(*len)++] = *p->at++;
		}
	}
	return p->at < p->end && *p->at++ == '"';
}

bool pt_tp_parse_text(struct pt_tp_parser *p, const char **text, uint32_t *len)
{
	const char *end = p->at;
	size_t n = 0;
	char *to;

	/* at most as long as the source */
	while (end < p->end) {
		while (end < p->end && isspace((unsigned char)*end))
			end++;
		if (end >= p->end || *end != '"')
			break;
		for (end++; end < p->end && *end != '"'; end++)
			end += *end == '\\' && end + 1 < p->end;
		end += end < p->end;
	}
	to = pt_arena_zalloc(&p->entry->arena, (size_t)(end - p->at) + 1);
	if (!pt_tp_parse_skip(p, '"') || !quoted(p, to, &n))
		return pt_tp_parse_fail(p, "a string is not closed") != NULL;
	while (pt_tp_parse_skip(p, '"'))
		if (!quoted(p, to, &n))
			return pt_tp_parse_fail(p, "a string is not closed") != NULL;
	*text = to;
	*len = (uint32_t)n;
	return true;
}

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
static const char *const long_types[] = { "size_t", "ulong", "uintptr_t", "ino_t", "pgoff_t" };
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

/* If "(...)" is a type, its length between the parentheses, else 0. An unknown name is a type if an
 * operand follows. */
size_t pt_tp_type_in_parens(const struct pt_tp_parser *p)
{
	const char *s = p->at, *start = s, *behind;
	bool known = false, stars = false;
	int words = 0;
	size_t n;

	while (s < p->end && *s != ')') {
		n = pt_tp_word(s, p->end);
		if (n) {
			if (stars && !pt_tp_same(s, n, "const"))
				return 0;
			words++;
			known |= pt_tp_is_type_word(s, n);
			s += n;
		} else if (*s == '*') {
			stars = true;
			s++;
		} else if (*s == '[' && s + 1 < p->end && s[1] == ']') {
			s += 2;
		} else if (isspace((unsigned char)*s)) {
			s++;
		} else {
			return 0;
		}
	}
	if (s >= p->end || !words)
		return 0;
	for (behind = s + 1; behind < p->end && isspace((unsigned char)*behind); )
		behind++;
	if (behind >= p->end)
		return 0;
	if (known || stars)
		return (size_t)(s - start);
	return words == 1 && (pt_tp_is_word(*behind) || *behind == '(' || *behind == '"')
		       ? (size_t)(s - start)
		       : 0;
}
struct pt_tp_node *pt_tp_parse_number(struct pt_tp_parser *p)
{
	struct pt_tp_node *n = pt_tp_node(p, PT_TP_NUM, NULL, NULL, NULL);
	int base = 10, longs = 0, digit, long_bits = p->entry->tp.db->long_bytes * 8;
	bool is_unsigned = false;
	uint64_t v = 0;

	if (!n)
		return NULL;
	if (*p->at == '0' && p->at + 1 < p->end) {
		base = p->at[1] == 'x' || p->at[1] == 'X' ? 16
		       : p->at[1] == 'b'                  ? 2
		       : isdigit((unsigned char)p->at[1]) ? 8
							  : 10;
		p->at += base == 16 || base == 2 ? 2 : 0;
	}
	for (; p->at < p->end && isxdigit((unsigned char)*p->at); p->at++) {
		digit = isdigit((unsigned char)*p->at) ? *p->at - '0' : (*p->at | 32) - 'a' + 10;
		if (digit >= base)
			break;
		v = v * (unsigned)base + (unsigned)digit;
	}
	for (; p->at < p->end && strchr("uUlL", *p->at) && *p->at; p->at++) {
		is_unsigned |= (*p->at | 32) == 'u';
		longs += (*p->at | 32) == 'l';
	}
	n->value = v;
	n->bits = (uint8_t)(longs > 1 ? 64 : longs ? long_bits : 32);
	if (n->bits == 32 && v >> (is_unsigned || base != 10 ? 32 : 31))
		n->bits = 64;
	n->is_unsigned = is_unsigned || (base != 10 && v >> (n->bits - 1));
	if (p->at < p->end && pt_tp_is_word(*p->at))
		return pt_tp_parse_fail(p, "a number is followed by letters");
	return n;
}

struct pt_tp_node *pt_tp_parse_character(struct pt_tp_parser *p)
{
	struct pt_tp_node *n = pt_tp_node(p, PT_TP_NUM, NULL, NULL, NULL);

	p->at++;
	if (!n || p->end - p->at < 2)
		return pt_tp_parse_fail(p, "a character is not closed");
	if (*p->at == '\\') {
		p->at++;
		n->value = (uint64_t)(int64_t)escape(&p->at, p->end);
	} else {
		n->value = (uint64_t)(int64_t)*p->at++;
	}
	if (p->at >= p->end || *p->at++ != '\'')
		return pt_tp_parse_fail(p, "a character is not closed");
	return n;
}
