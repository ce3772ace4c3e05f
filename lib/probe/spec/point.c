#include "probe/spec/point.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { MAX_TEXT = 8192 };

int pt_point_caret(const struct pt_point *p, unsigned at, struct pt_err *e)
{
	struct pt_buf line = PT_BUF_INIT;
	size_t len = strlen(p->text), from = at > 60 ? at - 40 : 0, caret;

	if (!e || (!at && !strpbrk(p->text, "=:;+%@")))
		return -1;
	at = (unsigned)PT_MIN((size_t)at, len);
	pt_buf_puts(&line, from ? "..." : "");
	pt_text_plain(&line, p->text + from, at - from);
	caret = line.len;
	pt_text_plain(&line, p->text + at, PT_MIN(len - at, (size_t)60));
	pt_err_advice(e, "\n    %s\n    %*s^", pt_buf_str(&line), (int)caret, "");
	pt_buf_deinit(&line);
	return -1;
}

int pt_point_wrong(const struct pt_point *p, unsigned at, struct pt_err *e, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	pt_err_set(e, "%s", text ? text : fmt);
	free(text);
	return pt_point_caret(p, at, e);
}

static int point_wrong(const struct pt_point *p, const char *at, const char *what, struct pt_err *e)
{
	return pt_point_wrong(p, (unsigned)(at - p->text), e, "%s", what);
}

static bool point_is_word(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return len && !isdigit((unsigned char)s[0]);
}

/* GROUP:NAME= or NAME= in front; returns the rest. The = of C++ operators does not count. */
static const char *take_name(struct pt_point *p, const char *s)
{
	const char *end = strchr(s, '='), *colon;

	if (!end || (end - s >= 8 && !memcmp(end - 8, "operator", 8)))
		return s;
	colon = memchr(s, ':', (size_t)(end - s));
	if (colon ? !point_is_word(s, (size_t)(colon - s)) ||
			    !point_is_word(colon + 1, (size_t)(end - colon - 1))
		  : !point_is_word(s, (size_t)(end - s)))
		return s;
	if (colon) {
		p->group = pt_strndup(s, (size_t)(colon - s));
		s = colon + 1;
	}
	p->name = pt_strndup(s, (size_t)(end - s));
	return end + 1;
}

static bool point_number(const char *s, size_t len, uint64_t *v)
{
	char *copy = pt_strndup(s, len);
	bool good = !pt_num_u64(copy, 0, UINT64_MAX, v, NULL);

	free(copy);
	return good;
}

/* The first single colon outside of parameters; NULL: none. */
static const char *lone_colon(const char *s, const char *end)
{
	const char *c;
	int depth = 0;

	for (c = end; c-- > s; ) {
		depth += (*c == ')' || *c == ']') - (*c == '(' || *c == '[');	/* f[abi:cxx11] */
		if (*c == ':' && !depth && (c == s || c[-1] != ':') &&
		    (c + 1 == end || c[1] != ':'))
			return c;
		if (*c == ':' && c > s && c[-1] == ':')
			c--;
	}
	return NULL;
}

/* :LINE and +OFF at the end. */
static int take_place(struct pt_point *p, const char *s, const char **end, struct pt_err *e)
{
	const char *at = lone_colon(s, *end);
	uint64_t v;

	if (at) {
		if (!point_number(at + 1, (size_t)(*end - at - 1), &v) || v > INT32_MAX)
			return point_wrong(p, at + 1, "a colon must be followed by a line number", e);
		p->line = (uint32_t)v;
		p->has_line = true;
		p->at_line = (unsigned)(at + 1 - p->text);
		*end = at;
		return 0;
	}
	for (at = *end; at > s && at[-1] != '+'; at--)
		;
	if (at == s || at - s < 2 ||
	    (at - s >= 9 && !memcmp(at - 9, "operator+", 9) && at == *end) ||
	    (at < *end && !isalnum((unsigned char)*at)))
		return 0;
	if (!point_number(at, (size_t)(*end - at), &p->off))
		return point_wrong(p, at, "a plus must be followed by a number of bytes", e);
	p->has_off = true;
	p->at_off = (unsigned)(at - p->text);
	*end = at - 1;
	return 0;
}

/* FUNC, FUNC@FILE or FILE. */
static int take_func(struct pt_point *p, const char *s, const char *end, struct pt_err *e)
{
	const char *at = memchr(s, '@', (size_t)(end - s));

	p->at_func = (unsigned)(s - p->text);
	if (s == end || at == s)
		return point_wrong(p, s, "a function's name is missing", e);
	if (memchr(s, '/', (size_t)(end - s)) && (!at || memchr(s, '/', (size_t)(at - s))) &&
	    !strstr(s, "operator/")) {
		if (p->has_line || p->pattern) {
			p->file = pt_strndup(s, (size_t)(end - s));
			p->at_file = p->at_func;
			return 0;
		}
		return point_wrong(p, s, "a file needs a line: FILE:LINE", e);
	}
	if (!at || at + 1 == end || at[1] == '@' ||
	    !strncmp(at + 1, "plt", (size_t)(end - at - 1))) {
		if (at && at + 1 == end)
			return point_wrong(p, end,
					   "an @ must be followed by a source file or a symbol's version",
					   e);
		p->func = pt_strndup(s, (size_t)(end - s));
		p->versioned = at ? pt_strdup(p->func) : NULL;
		return 0;
	}
	p->func = pt_strndup(s, (size_t)(at - s));
	p->file = pt_strndup(at + 1, (size_t)(end - at - 1));
	p->at_file = (unsigned)(at + 1 - p->text);
	p->versioned = pt_strndup(s, (size_t)(end - s));
	return 0;
}

static int point_parse(struct pt_point *p, struct pt_err *e)
{
	static const char ret[] = "%return";
	const char *s = take_name(p, p->text), *end = s + strlen(s), *semicolon;
	size_t len = (size_t)(end - s);

	if (memchr(s, '\\', len))
		return point_wrong(p, memchr(s, '\\', len),
				   "special characters need no backslash here: leave it out", e);
	if (!strncmp(s, "0x", 2) && point_number(s, len, &p->addr)) {
		p->has_addr = true;
		p->at_func = (unsigned)(s - p->text);
		return 0;
	}
	semicolon = memchr(s, ';', len);
	if (semicolon) {
		p->pattern = pt_strdup(semicolon + 1);
		p->at_pattern = (unsigned)(semicolon + 1 - p->text);
		if (!*p->pattern)
			return point_wrong(
				p, semicolon + 1,
				"a semicolon must be followed by a pattern for the line's text", e);
		return take_func(p, s, semicolon, e);
	}
	if (len >= sizeof(ret) - 1 && !memcmp(end - sizeof(ret) + 1, ret, sizeof(ret) - 1)) {
		p->ret = true;
		end -= sizeof(ret) - 1;
	}
	if (take_place(p, s, &end, e) < 0)
		return -1;
	if (p->ret && (p->has_off || p->has_line))
		return point_wrong(p, s + (end - s),
				   "a return is the whole function's, without offset or line", e);
	return take_func(p, s, end, e);
}

/* Does a function's name end here: at a blank, the end, or what may follow a name? */
static bool ends_name(const char *at)
{
	return !*at || strchr(" \t\n:+%@;", *at);
}

/* Behind "operator" and a blank: new, delete, or the type that it converts to, which may be several
 * words. */
static const char *operator_words(const char *s)
{
	static const char *const more[] = { "unsigned", "signed", "long",  "short",   "int",
					    "char",     "double", "const", "volatile" };
	bool again = true;

	while (again && *s == ' ') {
		const char *next = s + strspn(s, " ");

		again = false;
		s = next + strcspn(next, " \t\n<(:+%@;");
		next = s + strspn(s, " ");
		for (size_t i = 0; i < PT_NR(more); i++) {
			size_t len = strlen(more[i]);

			again |= !strncmp(next, more[i], len) &&
				 (ends_name(next + len) || strchr("*&(", next[len]));
		}
	}
	return s;
}

size_t pt_point_len(const char *text)
{
	static const char op[] = "operator", cv[] = " const";
	const size_t op_len = sizeof(op) - 1, cv_len = sizeof(cv) - 1;
	const char *s;
	int depth = 0;

	for (s = text; *s && *s != ';' && (depth || !strchr(" \t\n", *s)); s++) {
		if (!strncmp(s, op, op_len) &&
		    (s == text || !(isalnum((unsigned char)s[-1]) || s[-1] == '_'))) {
			s += op_len;	/* <, <<, -> are no brackets here */
			s += strspn(s, "<>-=");
			if (*s == ' ' && s[-1] == op[op_len - 1])
				s = operator_words(s);
			s--;
			continue;
		}
		depth += (*s == '(' || *s == '<' || *s == '{') -
			 (*s == ')' || *s == '}' || (*s == '>' && s > text && s[-1] != '-'));
		if (depth < 0)
			break;
		if (*s == ')' && !depth && !strncmp(s + 1, cv, cv_len) && ends_name(s + 1 + cv_len))
			s += cv_len;
	}
	/* a bracket that is not closed is no part of a name; behind a semicolon is a pattern of
	 * source text */
	return depth || *s == ';' ? strcspn(text, " \t\n") : (size_t)(s - text);
}

int pt_point_parse(struct pt_point *p, const char *text, struct pt_err *e)
{
	*p = (struct pt_point){ .text = NULL };
	if (strlen(text) > MAX_TEXT)
		return pt_err_set(e, "a point of more than %d characters", MAX_TEXT);
	p->text = pt_strdup(text);
	if (!point_parse(p, e))
		return 0;
	pt_point_deinit(p);
	return -1;
}

void pt_point_deinit(struct pt_point *p)
{
	free(p->text);
	free(p->group);
	free(p->name);
	free(p->func);
	free(p->file);
	free(p->versioned);
	free(p->pattern);
	*p = (struct pt_point){ .text = NULL };
}

bool pt_point_is_glob(const char *func)
{
	const char *op = strstr(func, "operator"), *before;

	/* operator*, operator[] */
	for (const char *c = func; (c = strpbrk(c, "*?[")) && (!op || c < op); c++) {
		if (!strncmp(c, "[abi:", 5))
			continue;
		if (*c == '?' || (!memchr(func, '(', (size_t)(c - func)) &&
				  !memchr(func, '<', (size_t)(c - func))))
			return true;
		/* Among parameters and template arguments a star is a pointer's, unless nothing
		 * precedes it that it could point to: f<*>, f<int, *> */
		for (before = c; before > func && before[-1] == ' '; before--)
			;
		if (*c == '*' && before > func && strchr("<,(:", before[-1]))
			return true;
	}
	return false;
}
