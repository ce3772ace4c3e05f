/* calltree_print.c - the tree of a row as text. */
#include "profile/calltree_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { MARGIN = 12, STEP = 10 };

struct printing {
	const struct pt_calltree *t;
	struct pt_buf *out, *margin;
	uint64_t lines;
};

static bool is_full(const struct printing *p)
{
	return p->t->opts.max_lines && p->lines >= p->t->opts.max_lines;
}

static void calltree_print_add_name(const struct printing *p, const struct node *x)
{
	const char *name = pt_profile_frame(p->t->profile, x->frame)->sym;

	pt_text_puts(p->out, name);
}

static void calltree_print_add_value(const struct printing *p, struct pt_profile_sum sum,
				     uint64_t whole)
{
	switch (p->t->opts.value) {
	case PT_CALLTREE_PERIOD:
		pt_buf_dec(p->out, pt_profile_periods(p->t->profile, sum.period));
		break;
	case PT_CALLTREE_COUNT:
		pt_buf_dec(p->out, sum.samples);
		break;
	default:
		pt_buf_fixed(p->out, whole ? 100.0 * (double)sum.period / (double)whole : 0, 2);
		pt_buf_putc(p->out, '%');
		break;
	}
}

static void start_line(struct printing *p)
{
	pt_buf_join(p->out, p->margin);
	p->lines++;
}

static int calltree_print_by_period(const void *x, const void *y, void *arg)
{
	const struct pt_calltree *t = arg;
	const struct node *a = &t->nodes[*(const uint32_t *)x],
			  *b = &t->nodes[*(const uint32_t *)y];

	if (a->all.period != b->all.period)
		return a->all.period < b->all.period ? 1 : -1;
	return strcmp(pt_profile_frame(t->profile, a->frame)->sym,
		      pt_profile_frame(t->profile, b->frame)->sym);
}

/* The children, the greatest first; the caller frees. */
static uint32_t *children_of(const struct pt_calltree *t, const struct node *x, size_t *nr)
{
	uint32_t *v = NULL;
	size_t cap = 0;

	*nr = 0;
	for (uint32_t i = x->first; i; i = t->nodes[i].next) {
		PT_GROW(v, *nr, cap);
		v[(*nr)++] = i;
	}
	if (*nr)
		qsort_r(v, *nr, sizeof(*v), calltree_print_by_period, (void *)t);
	return v;
}

/* The only child, if nothing of the node ended before it. */
static const struct node *sole_child(const struct pt_calltree *t, const struct node *x)
{
	const struct node *child = &t->nodes[x->first];

	return x->first && calltree_is_all(&child->all, &x->all) ? child : NULL;
}

/* Prints the names of a node and of the chain of sole children below it; returns the last one. */
static const struct node *print_chain(struct printing *p, const struct node *x)
{
	const struct node *next;

	for (;; x = next) {
		calltree_print_add_name(p, x);
		pt_buf_putc(p->out, '\n');
		next = sole_child(p->t, x);
		if (!next || is_full(p))
			return x;
		start_line(p);
	}
}

static void print_branches(struct printing *p, const struct node *x, uint64_t whole);

static void print_branch(struct printing *p, const struct node *x, bool last, uint64_t whole)
{
	size_t margin = p->margin->len;

	start_line(p);
	pt_buf_puts(p->out, "|\n");
	start_line(p);
	pt_buf_puts(p->out, last ? " --" : "|--");
	calltree_print_add_value(p, x->all, whole);
	pt_buf_puts(p->out, "--");
	pt_buf_putc(p->margin, last ? ' ' : '|');
	for (int i = 0; i < STEP; i++)
		pt_buf_putc(p->margin, ' ');
	x = print_chain(p, x);
	print_branches(p, x, p->t->opts.form == PT_CALLTREE_FRACTAL ? x->all.period : whole);
	p->margin->len = margin;
}

static void print_branches(struct printing *p, const struct node *x, uint64_t whole)
{
	size_t nr;
	uint32_t *v = children_of(p->t, x, &nr);

	for (size_t i = 0; i < nr && !is_full(p); i++)
		print_branch(p, &p->t->nodes[v[i]], i + 1 == nr, whole);
	free(v);
}

static void print_graph(struct printing *p, const struct node *root, uint64_t whole)
{
	const struct node *only = sole_child(p->t, root), *x = root;

	if (only) {
		start_line(p);
		pt_buf_puts(p->out, "|\n");
		start_line(p);
		pt_buf_puts(p->out, "---");
		pt_buf_puts(p->margin, "   ");
		x = print_chain(p, only);
	}
	print_branches(p, x, p->t->opts.form == PT_CALLTREE_FRACTAL ? x->all.period : whole);
	pt_buf_putc(p->out, '\n');
}

/* Names from the root to `x`, with `between` behind each but the last. */
static void calltree_print_add_names(const struct printing *p, const struct node *x,
				     const char *between)
{
	const struct node **v = NULL;
	size_t nr = 0, cap = 0;

	for (; x->parent; x = &p->t->nodes[x->parent]) {
		PT_GROW(v, nr, cap);
		v[nr++] = x;
	}
	while (nr-- > 0) {
		calltree_print_add_name(p, v[nr]);
		pt_buf_puts(p->out, nr ? between : "");
	}
	free(v);
}

static void calltree_print_print_stack(struct printing *p, const struct node *x,
				       struct pt_profile_sum sum, uint64_t whole)
{
	bool flat = p->t->opts.form == PT_CALLTREE_FLAT;

	if (is_full(p) || (double)sum.period < p->t->opts.min_percent / 100 * (double)whole)
		return;
	p->lines++;
	if (flat)
		pt_buf_join(p->out, p->margin);
	calltree_print_add_value(p, sum, whole);
	pt_buf_puts(p->out, flat ? "\n                " : " ");
	calltree_print_add_names(p, x, flat ? "\n                " : ";");
	pt_buf_puts(p->out, flat ? "\n\n" : "\n");
}

/* Prints the stacks that end at a node or below it. */
static void print_stacks(struct printing *p, const struct node *x, uint64_t whole)
{
	const struct node *next;
	uint32_t *v;
	size_t nr;

	while ((next = sole_child(p->t, x)))
		x = next;
	v = children_of(p->t, x, &nr);
	for (size_t i = 0; i < nr; i++)
		print_stacks(p, &p->t->nodes[v[i]], whole);
	free(v);
	if (x->parent && x->own.samples)
		calltree_print_print_stack(p, x, x->own, whole);
}

void pt_calltree_print(struct pt_calltree *t, size_t row, struct pt_buf *b)
{
	struct pt_buf margin = PT_BUF_INIT;
	struct printing p = { .t = t, .out = b, .margin = &margin };
	uint64_t whole = pt_profile_total(t->profile);

	if (t->opts.form == PT_CALLTREE_NONE)
		return;
	calltree_make(t, row);
	if (!t->nodes[1].first)
		return;
	pt_buf_printf(&margin, "%*s", MARGIN, "");
	if (t->opts.form == PT_CALLTREE_GRAPH || t->opts.form == PT_CALLTREE_FRACTAL)
		print_graph(&p, &t->nodes[1], whole);
	else
		print_stacks(&p, &t->nodes[1], whole);
	if (t->opts.form == PT_CALLTREE_FOLDED)
		pt_buf_putc(b, '\n');
	pt_buf_deinit(&margin);
}
