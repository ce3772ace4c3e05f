#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* Compiles the print format's directives and arguments into a flat program. Conditional strings (a
 * ? "b" : __print_flags(...)) become jumps. */

enum { MAX_ARGS = 1024 };

struct compiler {
	struct pt_tp_parser p;
	struct pt_tp_prog *prog;
	struct pt_tp_node *arg;		/* the next argument */
	struct pt_buf literal;
};

static void fail(struct compiler *c, const char *why)
{
	pt_tp_parse_fail(&c->p, why);
}

static struct pt_tp_op *emit(struct compiler *c, enum pt_tp_op_code code)
{
	struct pt_tp_prog *g = c->prog;

	if (g->nr == PT_TP_MAX_OPS) {
		fail(c, "too long");
		g->nr--;
	}
	PT_GROW(g->ops, g->nr, g->cap);
	g->ops[g->nr] = (struct pt_tp_op){ .code = (uint16_t)code };
	return &g->ops[g->nr++];
}

static void emit_literal(struct compiler *c, const char *text, size_t len)
{
	struct pt_tp_op *op;

	if (!len)
		return;
	op = emit(c, PT_TP_OP_LITERAL);
	op->text = pt_arena_strndup(&c->p.entry->arena, text, len);
	op->len = (uint32_t)len;
}

static void flush_literal(struct compiler *c)
{
	emit_literal(c, pt_buf_str(&c->literal), c->literal.len);
	pt_buf_clear(&c->literal);
}

static bool tp_compile_is_text(const struct pt_tp_node *n)
{
	switch (n->kind) {
	case PT_TP_STR:
	case PT_TP_FLAGS:
	case PT_TP_SYMBOLIC:
	case PT_TP_HEX:
	case PT_TP_ARRAY_OF:
	case PT_TP_BITMASK:
	case PT_TP_CPUMASK:
		return true;
	case PT_TP_CAST:
		return tp_compile_is_text(n->a);
	case PT_TP_COND:
		return tp_compile_is_text(n->b) || tp_compile_is_text(n->c);
	}
	return pt_tp_is_data(n);
}

static void emit_text(struct compiler *c, const struct pt_tp_node *n);

static void emit_choice(struct compiler *c, const struct pt_tp_node *n)
{
	size_t to_else, to_end;

	if (n->a->kind == PT_TP_NUM) {
		emit_text(c, n->a->value ? n->b : n->c);
		return;
	}
	if (n->b == n->a) {
		fail(c, "?: of strings");
		return;
	}
	to_else = c->prog->nr;
	emit(c, PT_TP_OP_JUMP_IF_ZERO)->node = n->a;
	emit_text(c, n->b);
	to_end = c->prog->nr;
	emit(c, PT_TP_OP_JUMP);
	if (c->p.why)
		return;
	c->prog->ops[to_else].len = (uint32_t)c->prog->nr;
	emit_text(c, n->c);
	c->prog->ops[to_end].len = (uint32_t)c->prog->nr;
}

/* The operations for %s. */
static void emit_text(struct compiler *c, const struct pt_tp_node *n)
{
	const struct pt_tp_node *bare = n;

	while (bare->kind == PT_TP_CAST)
		bare = bare->a;
	if (c->p.why)
		return;
	if (bare->kind == PT_TP_STR)
		emit_literal(c, bare->text, strnlen(bare->text, bare->len));
	else if (bare->kind == PT_TP_COND)
		emit_choice(c, bare);
	else if (pt_tp_is_data(bare))
		emit(c, PT_TP_OP_BYTES)->node = bare;
	else if (tp_compile_is_text(bare))
		emit(c, PT_TP_OP_STRING_NODE)->node = bare;
	else
		/* a pointer to a string in the kernel */
		emit(c, PT_TP_OP_ADDRESS_TEXT)->node = bare;
}

static struct pt_tp_node *next_arg(struct compiler *c)
{
	struct pt_tp_node *n = c->arg;

	if (!n)
		return pt_tp_parse_fail(&c->p, "fewer arguments than directives");
	c->arg = n->next;
	return n;
}

/* A width or precision: a number, or "*" for an argument. */
static void parse_size(struct compiler *c, const char **at, int *v, struct pt_tp_node **arg)
{
	if (**at == '*') {
		(*at)++;
		*arg = next_arg(c);
		if ((*arg)->kind == PT_TP_STR)
			fail(c, "a string where a width belongs");
		return;
	}
	for (*v = 0; isdigit((unsigned char)**at); (*at)++)
		*v = PT_MIN(*v * 10 + (**at - '0'), PT_TP_MAX_WIDTH);
}

static void parse_flags(struct compiler *c, const char **at, struct pt_tp_spec *s)
{
	size_t nr = strspn(*at, "-0+ #");

	for (; nr--; (*at)++)
		if (!strchr(s->flags, **at))
			s->flags[strlen(s->flags)] = **at;
	parse_size(c, at, &s->width, &s->width_arg);
	if (**at != '.')
		return;
	(*at)++;
	parse_size(c, at, &s->prec, &s->prec_arg);
}

uint8_t pt_tp_parse_length(const char **at, int long_bytes)
{
	int h = 0, l = 0, word = 0;

	for (;; (*at)++) {
		switch (**at) {
		case 'h': h++; continue;
		case 'l': l++; continue;
		case 'L': case 'q': case 'j': l = 2; continue;
		case 'z': case 'Z': case 't': word = 1; continue;
		}
		break;
	}
	if (h)
		return h > 1 ? 8 : 16;
	if (l > 1)
		return 64;
	return (uint8_t)(l || word ? long_bytes * 8 : 32);
}

static void emit_string(struct compiler *c, const struct pt_tp_spec *s, const struct pt_tp_node *n)
{
	if (!s->plain)
		emit(c, PT_TP_OP_MARK);
	emit_text(c, n);
	if (!s->plain)
		emit(c, PT_TP_OP_FIT)->spec = s;
}

static void emit_pointer(struct compiler *c, const struct pt_tp_spec *s, const struct pt_tp_node *n)
{
	struct pt_tp_op *op;

	if (n->kind == PT_TP_STR || (n->kind == PT_TP_CAST && n->a->kind == PT_TP_STR)) {
		emit_string(c, s, n);
		return;
	}
	c->p.entry->tp.db->wants_symbols |= s->ext[0] && strchr(PT_TP_SYMBOL_LETTERS, s->ext[0]);
	op = emit(c, PT_TP_OP_POINTER);
	op->node = n;
	op->spec = s;
}

/* Behind a "%". */
static void directive(struct compiler *c, const char **at)
{
	struct pt_tp_spec *s = pt_arena_zalloc(&c->p.entry->arena, sizeof(*s));
	const struct pt_tp_node *n;
	struct pt_tp_op *op;

	s->prec = -1;
	parse_flags(c, at, s);
	s->simple = strspn(s->flags, "0") == strlen(s->flags) && s->width <= 20 && s->prec < 0 &&
		    !s->width_arg && !s->prec_arg;
	s->plain = s->simple && !s->flags[0] && !s->width;
	s->bits = pt_tp_parse_length(at, c->p.entry->tp.db->long_bytes);
	s->conv = **at == 'i' ? 'd' : **at;
	if (!s->conv || !strchr("duxXocsp", s->conv)) {
		fail(c, "a directive that the kernel does not have");
		return;
	}
	(*at)++;
	n = next_arg(c);
	flush_literal(c);
	if (s->conv == 's') {
		emit_string(c, s, n);
	} else if (s->conv == 'p') {
		/* The kernel takes all letters and digits behind it as its own. */
		for (size_t i = 0; isalnum((unsigned char)**at); (*at)++)
			if (i + 1 < sizeof(s->ext))
				s->ext[i++] = **at;
		emit_pointer(c, s, n);
	} else {
		op = emit(c, PT_TP_OP_NUMBER);
		op->node = n;
		op->spec = s;
	}
}

static void directives(struct compiler *c, const char *at, const char *end)
{
	while (at < end && !c->p.why) {
		const char *percent = memchr(at, '%', (size_t)(end - at));

		if (!percent || percent + 1 == end) {
			pt_buf_add(&c->literal, at, (size_t)(end - at));
			break;
		}
		pt_buf_add(&c->literal, at, (size_t)(percent - at));
		at = percent + 1;
		if (*at == '%') {
			pt_buf_putc(&c->literal, *at++);
			continue;
		}
		directive(c, &at);
	}
	flush_literal(c);
}

/* The start of " NAME=" of a probe's field; NULL: not found. */
static const char *field_text(const char *at, const char *end, const struct pt_tp_field *f)
{
	char want[PT_TP_GUARD_BYTES + 2];
	int n = snprintf(want, sizeof(want), " %s=", f->name);

	return n < (int)sizeof(want) ? memmem(at, (size_t)(end - at), want, (size_t)n) : NULL;
}

/* Text of a known length, a floating-point number: in place of the format's directive. */
static void emit_value(struct compiler *c, const struct pt_tp_field *f)
{
	next_arg(c);
	emit(c, PT_TP_OP_VALUE)->field = f;
}

/* A probe's format is " NAME=DIRECTIVES" for each field in order. Values that the kernel could not
 * read are replaced; the guards at the end are left out. */
static void guarded_directives(struct compiler *c, const char *at, const char *end)
{
	const struct pt_tp *tp = &c->p.entry->tp;
	size_t i, skip;
	const char *to;

	if (tp->nr_guards && (to = field_text(at, end, &tp->fields[tp->nr_fields])))
		end = to;
	for (i = tp->nr_common; i < tp->nr_fields; i++) {
		const struct pt_tp_field *f = &tp->fields[i];

		if ((!f->nr_guards && !(f->flags & PT_TP_FLOAT)) || !(to = field_text(at, end, f)))
			continue;
		to += strlen(f->name) + 2;
		directives(c, at, to);
		at = to;
		to = i + 1 < tp->nr_fields ? field_text(at, end, f + 1) : NULL;
		skip = c->prog->nr;
		emit(c, PT_TP_OP_UNLESS_FAULT)->field = f;
		if (f->length_bytes || f->flags & PT_TP_FLOAT)
			emit_value(c, f);
		else
			directives(c, at, to ? to : end);
		at = to ? to : end;
		if (c->p.why)		/* too many operations: `skip` may not exist */
			return;
		c->prog->ops[skip].len = (uint32_t)c->prog->nr;
	}
	directives(c, at, end);
}

static void tp_compile_compile(struct compiler *c)
{
	struct pt_tp_node **last = &c->arg, *n;
	const char *text;
	uint32_t len, cost = 0;
	int nr = 0;

	if (!pt_tp_parse_text(&c->p, &text, &len))
		return;
	while (pt_tp_parse_skip(&c->p, ',')) {
		n = pt_tp_parse_expr(&c->p);
		cost += n->cost;
		if (++nr > MAX_ARGS || cost > PT_TP_MAX_NODES) {
			fail(c, "too many arguments");
			return;
		}
		*last = n;
		last = &n->next;
	}
	pt_tp_blanks(&c->p);
	if (*c->p.at)
		fail(c, "something is left after the arguments");
	guarded_directives(c, text, text + strnlen(text, len));
}

struct pt_tp_prog *pt_tp_compile(struct pt_tp_entry *t, const char **why)
{
	struct compiler c = { .prog = pt_alloc(sizeof(*c.prog)), .literal = PT_BUF_INIT };

	c.p = (struct pt_tp_parser){ .entry = t, .at = t->tp.print_fmt };
	tp_compile_compile(&c);
	pt_buf_deinit(&c.literal);
	if (!c.p.why)
		return c.prog;
	if (why)
		*why = c.p.why;
	free(c.prog->ops);
	free(c.prog);
	return NULL;
}

const struct pt_tp_prog *pt_tp_prog_of(const struct pt_tp *tp)
{
	struct pt_tp_entry *t = (struct pt_tp_entry *)tp;

	if (!t->compiled)
		t->prog = pt_tp_compile(t, NULL);
	t->compiled = true;
	return t->prog;
}
