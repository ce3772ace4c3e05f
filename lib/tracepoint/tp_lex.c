#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"

/* Lexer of print formats: blanks, strings, numbers, types in parentheses. */

void pt_tp_blanks(struct pt_tp_parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

bool pt_tp_parse_skip(struct pt_tp_parser *p, char c)
{
	pt_tp_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

size_t pt_tp_word(const char *s)
{
	const char *p = s;

	if (isdigit((unsigned char)*p))
		return 0;
	while (pt_tp_is_word(*p))
		p++;
	return (size_t)(p - s);
}

bool pt_tp_same(const char *s, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(s, want, len);
}

const struct pt_tp_field *pt_tp_parse_field(struct pt_tp_parser *p)
{
	const struct pt_tp_field *f = NULL;
	char name[256];
	size_t len;

	pt_tp_blanks(p);
	len = pt_tp_word(p->at);
	if (len < sizeof(name)) {
		memcpy(name, p->at, len);
		name[len] = '\0';
		f = pt_tp_field_or_guard(&p->entry->tp, name);
	}
	p->at += len;
	if (!f)
		pt_tp_parse_fail(p, "a field that the format does not have");
	return f;
}

/* One escape sequence behind its backslash. */
static char escape(const char **at)
{
	static const char from[] = "ntrabfve", to[] = "\n\t\r\a\b\f\v\033";
	const char *found = strchr(from, **at);
	bool hex = **at == 'x';
	char digits[4] = "";
	size_t n;

	if (found) {
		(*at)++;
		return to[found - from];
	}
	n = hex ? PT_MIN(strspn(*at + 1, "0123456789abcdefABCDEF"), 2)
		: PT_MIN(strspn(*at, "01234567"), 3);
	if (!n)
		return *(*at)++;
	memcpy(digits, *at + hex, n);
	*at += hex + n;
	return (char)strtoul(digits, NULL, hex ? 16 : 8);
}

/* A character of a string or of a character constant. */
static char tp_lex_character(struct pt_tp_parser *p)
{
	if (p->at[0] != '\\' || !p->at[1])
		return *p->at++;
	p->at++;
	return escape(&p->at);
}

bool pt_tp_parse_text(struct pt_tp_parser *p, const char **text, uint32_t *len)
{
	struct pt_buf b = PT_BUF_INIT;
	bool closed = false;

	while (pt_tp_parse_skip(p, '"')) {
		while (*p->at && *p->at != '"')
			pt_buf_putc(&b, tp_lex_character(p));
		closed = *p->at == '"';
		p->at += closed;
	}
	*text = pt_arena_strndup(&p->entry->arena, pt_buf_str(&b), b.len);
	*len = (uint32_t)b.len;
	pt_buf_deinit(&b);
	if (!closed)
		pt_tp_parse_fail(p, "a string is not closed");
	return closed;
}

/* If "(...)" is a type, its length between the parentheses, else 0. An unknown name is a type if an
 * operand follows. */
size_t pt_tp_type_in_parens(const struct pt_tp_parser *p)
{
	const char *s = p->at, *behind;
	bool known = false, stars = false;
	int words = 0;
	size_t n;

	for (; *s != ')'; s += n) {
		n = pt_tp_word(s);
		if (n) {
			if (stars && !pt_tp_same(s, n, "const"))
				return 0;
			words++;
			known |= pt_tp_is_type_word(s, n);
		} else if (*s == '*' || isspace((unsigned char)*s)) {
			stars |= *s == '*';
			n = 1;
		} else if (s[0] == '[' && s[1] == ']') {
			n = 2;
		} else {
			return 0;
		}
	}
	for (behind = s + 1; isspace((unsigned char)*behind); )
		behind++;
	if (!words || !*behind ||
	    (!known && !stars &&
	     (words > 1 || !(pt_tp_is_word(*behind) || *behind == '(' || *behind == '"'))))
		return 0;
	return (size_t)(s - p->at);
}

struct pt_tp_node *pt_tp_parse_number(struct pt_tp_parser *p)
{
	int longs = 0, decimal = *p->at != '0';
	bool is_unsigned = false;
	struct pt_tp_node *n;
	char *end;

	n = pt_tp_number(p, strtoull(p->at, &end, 0));
	for (; *end && strchr("uUlL", *end); end++) {
		is_unsigned |= (*end | 32) == 'u';
		longs += (*end | 32) == 'l';
	}
	p->at = end;
	if (longs)
		n->bits = (uint8_t)(longs > 1 ? 64 : p->entry->tp.db->long_bytes * 8);
	if (n->bits == 32 && n->value >> (is_unsigned || !decimal ? 32 : 31))
		n->bits = 64;
	n->is_unsigned = is_unsigned || (!decimal && n->value >> (n->bits - 1));
	return pt_tp_is_word(*p->at) ? pt_tp_parse_fail(p, "a number is followed by letters") : n;
}

struct pt_tp_node *pt_tp_parse_character(struct pt_tp_parser *p)
{
	char c;

	p->at++;
	if (!*p->at)
		return pt_tp_parse_fail(p, "a character is not closed");
	c = tp_lex_character(p);
	return *p->at++ == '\'' ? pt_tp_number(p, (uint64_t)(int64_t)c)
				: pt_tp_parse_fail(p, "a character is not closed");
}
