#include "profile/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { MARGIN = 12, STEP = 10 };

struct node {
	uint32_t frame, parent, first, next;	/* nodes; 0: none */
	uint64_t period, samples;		/* with all below */
};

struct pt_calltree {
	struct pt_calltree_opts opts;
	struct pt_profile *profile;
	struct node *nodes;			/* from 1 on */
	size_t nr, cap;
	struct pt_map roots;			/* row: its root, which has no frame */
	struct pt_map children;			/* parent << 32 | frame: node */
};

static const struct {
	const char *name;
	enum { FORM, ORDER, VALUE, HABIT } of;
	int value;
} words[] = {
	{ "graph", FORM, PT_CALLTREE_GRAPH },     { "fractal", FORM, PT_CALLTREE_FRACTAL },
	{ "flat", FORM, PT_CALLTREE_FLAT },       { "folded", FORM, PT_CALLTREE_FOLDED },
	{ "none", FORM, PT_CALLTREE_NONE },       { "caller", ORDER, PT_CALLTREE_CALLER },
	{ "callee", ORDER, PT_CALLTREE_CALLEE },  { "percent", VALUE, PT_CALLTREE_PERCENT },
	{ "period", VALUE, PT_CALLTREE_PERIOD },  { "count", VALUE, PT_CALLTREE_COUNT },
	{ "function", HABIT, 0 },		/* as calls are told apart in any case */
};

static int parse_number(struct pt_calltree_opts *o, const char *word, int nth, struct pt_err *e)
{
	double v;

	if (nth > 1 || pt_num_double(word, &v, NULL) < 0 || v < 0 || v > 1e9)
		return pt_err_set(
			e,
			"'%s' is none of graph, fractal, flat, folded, none; a least percentage; caller, callee; percent, period, count",
			word);
	if (nth)
		o->max_lines = (uint64_t)v;
	else
		o->min_percent = v;
	return 0;
}

static int parse_word(struct pt_calltree_opts *o, const char *word, int *numbers, struct pt_err *e)
{
	for (size_t i = 0; i < PT_NR(words); i++) {
		if (strcmp(word, words[i].name))
			continue;
		if (words[i].of == FORM)
			o->form = (enum pt_calltree_form)words[i].value;
		else if (words[i].of == ORDER)
			o->order = (enum pt_calltree_order)words[i].value;
		else if (words[i].of == VALUE)
			o->value = (enum pt_calltree_value)words[i].value;
		return 0;
	}
	return parse_number(o, word, (*numbers)++, e);
}

int pt_calltree_parse(struct pt_calltree_opts *o, const char *text, struct pt_err *e)
{
	char *copy = pt_strdup(text ? text : ""), *save = NULL, *word;
	int rc = 0, numbers = 0;

	o->form = PT_CALLTREE_GRAPH;
	for (word = strtok_r(copy, ",", &save); word && !rc; word = strtok_r(NULL, ",", &save))
		rc = parse_word(o, word, &numbers, e);
	free(copy);
	return rc;
}

struct pt_calltree *pt_calltree_new(const struct pt_calltree_opts *o, struct pt_profile *p)
{
	struct pt_calltree *t = pt_alloc(sizeof(*t));

	t->opts = *o;
	t->profile = p;
	t->nr = 1;
	t->nodes = pt_alloc(sizeof(*t->nodes));
	t->cap = 1;
	return t;
}

void pt_calltree_free(struct pt_calltree *t)
{
	if (!t)
		return;
	free(t->nodes);
	pt_map_deinit(&t->roots);
	pt_map_deinit(&t->children);
	free(t);
}

/* -- gathered -- */

static uint32_t new_node(struct pt_calltree *t, uint32_t parent, uint32_t frame)
{
	PT_GROW(t->nodes, t->nr, t->cap);
	t->nodes[t->nr] = (struct node){ .frame = frame, .parent = parent };
	if (parent) {
		t->nodes[t->nr].next = t->nodes[parent].first;
		t->nodes[parent].first = (uint32_t)t->nr;
	}
	return (uint32_t)t->nr++;
}

static uint32_t child_of(struct pt_calltree *t, uint32_t parent, uint32_t frame)
{
	uint64_t *id = pt_map_put(&t->children, (uint64_t)parent << 32 | frame);

	if (!*id)
		*id = new_node(t, parent, frame);
	return (uint32_t)*id;
}

struct gathering {
	struct pt_calltree *t;
	bool (*wanted)(void *ctx, size_t row);
	void *ctx;
};

static bool is_wanted(void *ctx, size_t row)
{
	const struct gathering *g = ctx;

	return g->wanted(g->ctx, row);
}

static void add_path(void *ctx, size_t row, const struct pt_profile_path *path)
{
	struct pt_calltree *t = ((struct gathering *)ctx)->t;
	uint64_t *root = pt_map_put(&t->roots, row);
	uint32_t at;

	if (!*root)
		*root = new_node(t, 0, 0);
	at = (uint32_t)*root;
	for (size_t i = 0, k = path->first;; i++, k += (size_t)path->step) {
		t->nodes[at].period += path->period;
		t->nodes[at].samples += path->samples;
		if (i == path->nr)
			break;
		at = child_of(t, at, path->frames[k]);
	}
}

void pt_calltree_gather(struct pt_calltree *t, bool (*wanted)(void *ctx, size_t row), void *ctx)
{
	struct gathering g = { t, wanted, ctx };
	const struct pt_profile_row *row;
	bool callers = t->opts.order == PT_CALLTREE_CALLEE;

	if (t->opts.order == PT_CALLTREE_USUAL) {
		callers = true;
		for (size_t i = 0; callers && (row = pt_profile_row(t->profile, i)); i++)
			callers = row->total == row->self;
	}
	pt_profile_paths(t->profile, callers, is_wanted, add_path, &g);
}

/* -- printed -- */

struct printing {
	const struct pt_calltree *t;
	struct pt_buf *out, *margin;
	uint64_t lines;
};

static bool is_full(const struct printing *p)
{
	return p->t->opts.max_lines && p->lines >= p->t->opts.max_lines;
}

static void add_name(const struct printing *p, const struct node *x)
{
	const char *name = pt_profile_frame(p->t->profile, x->frame)->sym;

	pt_text_plain(p->out, name, strlen(name));
}

static void add_value(const struct printing *p, uint64_t period, uint64_t samples, uint64_t whole)
{
	switch (p->t->opts.value) {
	case PT_CALLTREE_PERIOD:
		pt_buf_dec(p->out, period);
		break;
	case PT_CALLTREE_COUNT:
		pt_buf_dec(p->out, samples);
		break;
	default:
		pt_buf_fixed(p->out, whole ? 100.0 * (double)period / (double)whole : 0, 2);
		pt_buf_putc(p->out, '%');
		break;
	}
}

static void start_line(struct printing *p)
{
	pt_buf_add(p->out, p->margin->data, p->margin->len);
	p->lines++;
}

static int by_period(const void *x, const void *y, void *arg)
{
	const struct pt_calltree *t = arg;
	const struct node *a = &t->nodes[*(const uint32_t *)x],
			  *b = &t->nodes[*(const uint32_t *)y];

	if (a->period != b->period)
		return a->period < b->period ? 1 : -1;
	return strcmp(pt_profile_frame(t->profile, a->frame)->sym,
		      pt_profile_frame(t->profile, b->frame)->sym);
}

/* The children that are not below the least percentage, the greatest first; the caller frees. */
static uint32_t *children_of(const struct pt_calltree *t, const struct node *x, uint64_t whole,
			     size_t *nr)
{
	double least = t->opts.min_percent / 100 * (double)whole;
	uint32_t *v = NULL;
	size_t cap = 0;

	*nr = 0;
	for (uint32_t i = x->first; i; i = t->nodes[i].next)
		if ((double)t->nodes[i].period >= least) {
			PT_GROW(v, *nr, cap);
			v[(*nr)++] = i;
		}
	if (*nr)
		qsort_r(v, *nr, sizeof(*v), by_period, (void *)t);
	return v;
}

/* The only child, if nothing of the node ended before it. */
static const struct node *sole_child(const struct pt_calltree *t, const struct node *x)
{
	const struct node *child = &t->nodes[x->first];

	if (!x->first || child->period != x->period || child->samples != x->samples)
		return NULL;
	return child;
}

/* Prints the names of a node and of the chain of sole children below it; returns the last one. */
static const struct node *print_chain(struct printing *p, const struct node *x)
{
	const struct node *next;

	for (;; x = next) {
		add_name(p, x);
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
	add_value(p, x->period, x->samples, whole);
	pt_buf_puts(p->out, "--");
	pt_buf_putc(p->margin, last ? ' ' : '|');
	for (int i = 0; i < STEP; i++)
		pt_buf_putc(p->margin, ' ');
	x = print_chain(p, x);
	print_branches(p, x, p->t->opts.form == PT_CALLTREE_FRACTAL ? x->period : whole);
	p->margin->len = margin;
}

static void print_branches(struct printing *p, const struct node *x, uint64_t whole)
{
	size_t nr;
	uint32_t *v = children_of(p->t, x, whole, &nr);

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
	print_branches(p, x, p->t->opts.form == PT_CALLTREE_FRACTAL ? x->period : whole);
	pt_buf_putc(p->out, '\n');
}

/* Names from the root to `x`, with `between` behind each but the last. */
static void add_names(const struct printing *p, const struct node *x, const char *between)
{
	const struct node **v = NULL;
	size_t nr = 0, cap = 0;

	for (; x->parent; x = &p->t->nodes[x->parent]) {
		PT_GROW(v, nr, cap);
		v[nr++] = x;
	}
	while (nr-- > 0) {
		add_name(p, v[nr]);
		pt_buf_puts(p->out, nr ? between : "");
	}
	free(v);
}

static void print_stack(struct printing *p, const struct node *x, uint64_t period,
			uint64_t samples, uint64_t whole)
{
	bool flat = p->t->opts.form == PT_CALLTREE_FLAT;

	if (is_full(p) || (double)period < p->t->opts.min_percent / 100 * (double)whole)
		return;
	p->lines++;
	if (flat)
		pt_buf_add(p->out, p->margin->data, p->margin->len);
	add_value(p, period, samples, whole);
	pt_buf_puts(p->out, flat ? "\n                " : " ");
	add_names(p, x, flat ? "\n                " : ";");
	pt_buf_puts(p->out, flat ? "\n\n" : "\n");
}

/* Prints the stacks that end at a node or below it. */
static void print_stacks(struct printing *p, const struct node *x, uint64_t whole)
{
	const struct node *next;
	uint64_t period, samples;
	uint32_t *v;
	size_t nr;

	while ((next = sole_child(p->t, x)))
		x = next;
	period = x->period;
	samples = x->samples;
	v = children_of(p->t, x, 0, &nr);
	for (size_t i = 0; i < nr; i++) {
		period -= p->t->nodes[v[i]].period;
		samples -= p->t->nodes[v[i]].samples;
		print_stacks(p, &p->t->nodes[v[i]], whole);
	}
	free(v);
	if (x->parent && samples)
		print_stack(p, x, period, samples, whole);
}

void pt_calltree_print(const struct pt_calltree *t, size_t row, struct pt_buf *b)
{
	const uint64_t *root = pt_map_get(&t->roots, row);
	struct pt_buf margin = PT_BUF_INIT;
	struct printing p = { .t = t, .out = b, .margin = &margin };
	uint64_t whole = pt_profile_total(t->profile);

	if (!root || t->opts.form == PT_CALLTREE_NONE || !t->nodes[*root].first)
		return;
	pt_buf_printf(&margin, "%*s", MARGIN, "");
	if (t->opts.form == PT_CALLTREE_GRAPH || t->opts.form == PT_CALLTREE_FRACTAL)
		print_graph(&p, &t->nodes[*root], whole);
	else
		print_stacks(&p, &t->nodes[*root], whole);
	if (t->opts.form == PT_CALLTREE_FOLDED)
		pt_buf_putc(b, '\n');
	pt_buf_deinit(&margin);
}
