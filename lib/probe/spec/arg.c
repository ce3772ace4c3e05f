#include "probe/spec/arg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

struct parse {
	struct pt_arg *a;
	const char *text, *s;		/* a copy that ends where :TYPE begins */
	unsigned depth;
	struct pt_err *e;
};

int pt_arg_caret(const char *text, unsigned at, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	size_t len = strlen(text), width = pt_text_width(text, PT_MIN(len, (size_t)at));

	pt_text_plain(&b, text, len);
	pt_err_advice(e, "\n    %s\n    %*s^", pt_buf_str(&b), (int)PT_MIN(width, 1000u), "");
	pt_buf_deinit(&b);
	return -1;
}

static int arg_wrong(struct parse *p, const char *at, const char *what)
{
	pt_err_set(p->e, "%s", what);
	return pt_arg_caret(p->a->text, (unsigned)(at - p->text), p->e);
}

static bool starts_name(char c) { return isalpha((unsigned char)c) || c == '_' || (c & 0x80); }
static bool in_name(char c) { return starts_name(c) || isdigit((unsigned char)c); }

static void blanks(struct parse *p)
{
	while ((*p->s == ' ' || *p->s == '\t'))
		p->s++;
}

static int arg_step(struct parse *p, enum pt_arg_op op, const char *at, char *name, int64_t index)
{
	struct pt_arg *a = p->a;

	if (a->nr_steps == PT_ARG_STEPS) {
		free(name);
		return arg_wrong(p, at, "too long an expression");
	}
	a->steps[a->nr_steps++] = (struct pt_arg_step){ .op = op,
							.name = name,
							.index = index,
							.at = (unsigned)(at - p->text) };
	return 0;
}

/* The end of a name's `Box<int, 3>`; NULL: it is not closed. */
static const char *template(const char *s)
{
	unsigned depth = 0;

	for (; *s; s++) {
		if (*s == '<')
			depth++;
		else if (*s == '>' && !--depth)
			return s + 1;
	}
	return NULL;
}

static int root(struct parse *p)
{
	const char *from = p->s;

	p->a->at_root = (unsigned)(from - p->text);
	if (!strncmp(from, "$retval", 7) && !in_name(from[7])) {
		p->a->is_retval = true;
		p->a->root = pt_strdup("$retval");
		p->s += 7;
		return 0;
	}
	if (*from == '$')
		return arg_wrong(
			p, from,
			"there are $vars, $params, $retval, $arg1, $arg2 ..., and the kernel's $stack, $stackN and $comm");
	if (!strncmp(p->s, "::", 2))
		p->s += 2;
	for (;;) {
		if (!starts_name(*p->s))
			return arg_wrong(p, p->s,
					 p->s == from ? "the name of a variable is wanted here"
						  : "a name is wanted here");
		while (in_name(*p->s))
			p->s++;
		if (*p->s == '<') {
			p->s = template(p->s);
			if (!p->s)
				return arg_wrong(p, from, "< without >");
		}
		if (strncmp(p->s, "::", 2))
			break;
		p->s += 2;
	}
	if (!strncmp(from, "::", 2))
		from += 2;
	p->a->root = pt_strndup(from, (size_t)(p->s - from));
	return 0;
}

static int arg_number(struct parse *p, int64_t *v)
{
	const char *from = p->s;
	char *end;
	unsigned long long u;
	bool minus = *p->s == '-';

	p->s += minus;
	if (!isdigit((unsigned char)*p->s))
		return arg_wrong(
			p, from,
			"an index must be a number here: no other variable can be fetched to compute it");
	u = strtoull(p->s, &end, 0);
	if (u > INT32_MAX)
		return arg_wrong(p, from, "too large an index");
	p->s = end;
	*v = minus ? -(int64_t)u : (int64_t)u;
	return 0;
}

static int member(struct parse *p, enum pt_arg_op op, const char *at)
{
	const char *from;
	char *name;

	blanks(p);
	from = p->s;
	while (in_name(*p->s))
		p->s++;
	/* a member's name may be a template's in Rust */
	if (*p->s == '<' && p->s > from) {
		p->s = template(p->s);
		if (!p->s)
			return arg_wrong(p, from, "< without >");
	}
	if (p->s == from)
		return arg_wrong(p, from, "the name of a member is wanted here");
	/* a tuple's, in Rust */
	name = isdigit((unsigned char)*from) ? pt_asprintf("__%.*s", (int)(p->s - from), from)
					     : pt_strndup(from, (size_t)(p->s - from));
	return arg_step(p, op, at, name, 0);
}

static int arg_unary(struct parse *p);

static int arg_postfix(struct parse *p)
{
	int64_t v = 0;

	for (;;) {
		const char *at;

		blanks(p);
		at = p->s;
		if (!*p->s)
			return 0;
		if (*p->s == '.') {
			p->s++;
			if (member(p, PT_ARG_MEMBER, at) < 0)
				return -1;
		} else if (!strncmp(p->s, "->", 2)) {
			p->s += 2;
			if (member(p, PT_ARG_ARROW, at) < 0)
				return -1;
		} else if (*p->s == '[') {
			p->s++;
			blanks(p);
			if (arg_number(p, &v) < 0)
				return -1;
			blanks(p);
			if (*p->s != ']')
				return arg_wrong(p, p->s, "] is wanted here");
			p->s++;
			if (arg_step(p, PT_ARG_INDEX, at, NULL, v) < 0)
				return -1;
		} else {
			return 0;
		}
	}
}

static int arg_unary(struct parse *p)
{
	const char *at;

	blanks(p);
	at = p->s;
	if (!*p->s)
		return arg_wrong(p, p->s, "the name of a variable is wanted here");
	if (++p->depth > PT_ARG_STEPS)
		return arg_wrong(p, at, "too long an expression");
	if (*p->s == '*' || *p->s == '&') {
		p->s++;
		return arg_unary(p) < 0 ? -1
					: arg_step(p, *at == '*' ? PT_ARG_DEREF : PT_ARG_ADDRESS,
						   at, NULL, 0);
	}
	if (*p->s == '(') {
		p->s++;
		if (arg_unary(p) < 0)
			return -1;
		blanks(p);
		if (*p->s != ')')
			return arg_wrong(p, p->s, ") is wanted here");
		p->s++;
	} else if (root(p) < 0) {
		return -1;
	}
	return arg_postfix(p);
}

bool pt_arg_type(const char *t, char *letter, unsigned *size_bytes)
{
	static const struct { const char *name; char letter; unsigned size_bytes; } words[] = {
		{ "char", 'c', 1 }, { "string", 't', 0 }, { "ustring", 'U', 0 },
		{ "symbol", 'y', 0 }, { "symstr", 'S', 0 },
	};
	unsigned long bits, at, unit;
	char *end;

	for (size_t i = 0; i < PT_NR(words); i++)
		if (!strcmp(t, words[i].name)) {
			*letter = words[i].letter;
			*size_bytes = words[i].size_bytes;
			return true;
		}
	if (!*t || !isdigit((unsigned char)t[1]))
		return false;
	bits = strtoul(t + 1, &end, 10);
	*letter = *t;
	if (strchr("usx", *t)) {
		*size_bytes = (unsigned)bits / 8;
		return !*end && t[1] != '0' &&
		       (bits == 8 || bits == 16 || bits == 32 || bits == 64);
	}
	if (*t != 'b' || *end != '@' || !isdigit((unsigned char)end[1]))
		return false;
	at = strtoul(end + 1, &end, 10);
	if (*end != '/' || !isdigit((unsigned char)end[1]))
		return false;
	unit = strtoul(end + 1, &end, 10);
	*size_bytes = (unsigned)unit / 8;
	return !*end && (unit == 8 || unit == 16 || unit == 32 || unit == 64) && bits && at < 64 &&
	       bits <= 64 && bits + at <= unit;
}

/* Where :TYPE begins: the last colon that is not part of `::`. */
static char *colon(char *s)
{
	char *at = strrchr(s, ':');

	return !at || (at > s && at[-1] == ':') ? NULL : at;
}

static int arg_type(struct parse *p, const char *s)
{
	struct pt_arg *a = p->a;
	const char *bracket = strchr(s, '[');
	size_t len = bracket ? (size_t)(bracket - s) : strlen(s);
	char letter;
	unsigned size;
	unsigned long nr;
	char *end;

	a->at_type = (unsigned)(s - p->text);
	a->type = pt_strndup(s, len);
	if (!pt_arg_type(a->type, &letter, &size))
		return arg_wrong(
			p, s,
			"no such type: there are u8 s8 x8 to u64 s64 x64, char, string, ustring, symbol, symstr, bWIDTH@OFFSET/CONTAINER, which [N] may follow");
	if (!bracket)
		return 0;
	nr = isdigit((unsigned char)bracket[1]) ? strtoul(bracket + 1, &end, 10) : 0;
	if (!nr || *end != ']' || end[1])
		return arg_wrong(p, bracket, "the number of elements is wanted here: [N]");
	if (nr > 64)
		return arg_wrong(p, bracket, "the kernel fetches no more than 64 elements");
	a->array = (unsigned)nr;
	return 0;
}

/* The kernel's own syntax is passed through if it is one word. */
static int raw(struct parse *p)
{
	const char *s;
	int depth = 0;

	for (s = p->s; *s; s++) {
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return arg_wrong(p, s, "no blanks here");
		depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
		if (depth < 0)
			return arg_wrong(p, s, ") without (");
	}
	if (depth)
		return arg_wrong(p, s, ") is wanted here");
	p->a->at_root = (unsigned)(p->s - p->text);
	if (*p->s == '%') {
		p->a->kind = PT_ARG_REG;
		p->s++;
		if (!isalnum((unsigned char)*p->s))
			return arg_wrong(p, p->s, "the name of a register is wanted here");
	} else {
		p->a->kind = PT_ARG_RAW;
	}
	p->a->root = pt_strdup(p->s);
	return 0;
}

static int rest(struct parse *p)
{
	struct pt_arg *a = p->a;
	const char *c = p->s;

	if (*c && (strchr("+-@\\%", *c) || !strncmp(c, "$stack", 6) || !strcmp(c, "$comm")))
		return raw(p);
	a->at_root = (unsigned)(c - p->text);
	if (!strcmp(c, "$vars") || !strcmp(c, "$params")) {
		a->kind = !strcmp(c, "$vars") ? PT_ARG_VARS : PT_ARG_PARAMS;
		if (a->name)
			return arg_wrong(p, p->text,
					 "these are several: they keep their own names");
		return a->type ? arg_wrong(p, p->text + a->at_type,
					   "these are several: they keep their own types")
			       : 0;
	}
	if (!strncmp(c, "$arg", 4) && isdigit((unsigned char)c[4])) {
		char *end;
		unsigned long n = strtoul(c + 4, &end, 10);

		if (*end || !n || n > 64)
			return arg_wrong(p, c + 4, "arguments are $arg1, $arg2 ...");
		a->kind = PT_ARG_ARGUMENT;
		a->argument = (unsigned)n;
		return 0;
	}
	a->kind = PT_ARG_EXPR;
	if (arg_unary(p) < 0)
		return -1;
	blanks(p);
	return *p->s ? arg_wrong(p, p->s, "this is not understood here") : 0;
}

/* NAME= in front. */
static int arg_name(struct parse *p)
{
	const char *s = p->s;

	while (in_name(*s))
		s++;
	if (*s != '=' || s[1] == '=')
		return 0;
	if (s == p->s || !starts_name(*p->s))
		return arg_wrong(p, p->s, "a name (letters, digits, _) is needed before =");
	for (const char *c = p->s; c < s; c++)
		if (*c & 0x80)
			return arg_wrong(
				p, p->s,
				"names of a probe's arguments are of letters, digits and _");
	if (s - p->s > 31)
		return arg_wrong(p, p->s, "the kernel takes names of up to 31 characters");
	p->a->name = pt_strndup(p->s, (size_t)(s - p->s));
	p->s = s + 1;
	return 0;
}

int pt_arg_parse(struct pt_arg *a, const char *text, struct pt_err *e)
{
	char *copy, *type_at;
	struct parse p = { .a = a, .e = e };
	int rc;

	if (strlen(text) > PT_ARG_TEXT_MAX)
		return pt_err_set(e, "too long an argument: %.40s...", text);
	*a = (struct pt_arg){ .text = pt_strdup(text) };
	p.text = p.s = copy = pt_strdup(text);
	rc = arg_name(&p);
	type_at = rc ? NULL : colon(copy + (p.s - copy));
	if (type_at) {
		rc = arg_type(&p, type_at + 1);
		*type_at = '\0';
	}
	if (rc == 0)
		rc = rest(&p);
	if (rc < 0)
		pt_arg_deinit(a);
	free(copy);
	return rc;
}

void pt_arg_deinit(struct pt_arg *a)
{
	for (unsigned i = 0; i < a->nr_steps; i++)
		free(a->steps[i].name);
	free(a->text);
	free(a->name);
	free(a->root);
	free(a->type);
	*a = (struct pt_arg){ .text = NULL };
}
