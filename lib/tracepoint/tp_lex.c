#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"

/* Lexer of print formats: blanks, strings, numbers, types in parentheses. */

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
