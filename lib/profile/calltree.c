#include "profile/calltree_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort16.h"

enum { PARTS_AHEAD = 8 };

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

static void calltree_add(struct pt_profile_sum *to, const struct pt_profile_sum *x)
{
	to->period += x->period;
	to->samples += x->samples;
}

static void subtract(struct pt_profile_sum *from, const struct pt_profile_sum *x)
{
	from->period -= x->period;
	from->samples -= x->samples;
}

static bool is_nothing(const struct pt_profile_sum *x)
{
	return !x->period && !x->samples;
}

static void add_to_row(struct row_lists *l, uint32_t row, uint32_t item)
{
	PT_GROW_TO(l->first, l->nr_rows, row);
	l->next[item] = l->first[row];
	l->first[row] = item;
}

static uint32_t first_of_row(const struct row_lists *l, size_t row)
{
	return row < l->nr_rows ? l->first[row] : 0;
}

/* See calltree_begin(). */
static bool begins_tree(const struct pt_calltree *t, uint32_t at)
{
	if (t->opts.order == PT_CALLTREE_CALLEE)
		return !is_nothing(&t->inner[at]);
	return pt_profile_callers(t->profile) && !t->calls.nodes[at].outer;
}

static void find_inner(struct pt_calltree *t, size_t nr)
{
	t->inner = pt_alloc_array(nr, sizeof(*t->inner));
	for (uint32_t i = 1; i < nr; i++) {
		const struct pt_profile_node *x = &t->calls.nodes[i];

		t->inner[i] = pt_profile_callers(t->profile) ? x->all : t->calls.ends[x->end].own;
		if (x->outer)
			subtract(&t->inner[x->outer], &x->all);
	}
}

struct pt_calltree *pt_calltree_new(const struct pt_calltree_opts *o, struct pt_profile *p)
{
	struct pt_calltree *t = pt_alloc(sizeof(*t));
	size_t nr;

	t->opts = *o;
	if (o->order == PT_CALLTREE_USUAL)
		t->opts.order = pt_profile_callers(p) ? PT_CALLTREE_CALLER : PT_CALLTREE_CALLEE;
	t->profile = p;
	t->calls = pt_profile_tree(p);
	nr = t->calls.nr;
	t->begins.next = pt_alloc_array(nr, sizeof(*t->begins.next));
	t->ends.next = pt_alloc_array(t->calls.nr_ends, sizeof(*t->ends.next));
	if (t->opts.order == PT_CALLTREE_CALLEE) {
		find_inner(t, nr);
	} else {
		t->marked = pt_alloc_array(nr, sizeof(*t->marked));
		t->is_marked = pt_alloc_array(nr / 64 + 1, sizeof(*t->is_marked));
	}
	for (uint32_t i = 1; i < nr; i++) {
		uint32_t row = t->calls.nodes[i].row;

		if (row == PT_PROFILE_NO_ROW)
			continue;
		if (begins_tree(t, i))
			add_to_row(&t->begins, row, i);
		if (t->calls.nodes[i].end)
			add_to_row(&t->ends, row, t->calls.nodes[i].end);
	}
	return t;
}

void pt_calltree_free(struct pt_calltree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->parts);
	free(t->order);
	free(t->unsorted);
	free(t->begins.first);
	free(t->begins.next);
	free(t->ends.first);
	free(t->ends.next);
	free(t->marked);
	free(t->is_marked);
	free(t->inner);
	free(t);
}

/* -- the tree of a row -- */

static void calltree_add_part(struct pt_calltree *t, enum way way, uint32_t at,
			      struct pt_profile_sum sum)
{
	if (!t->calls.nodes[at].parent || is_nothing(&sum))
		return;
	PT_GROW(t->parts, t->nr_parts, t->cap_parts);
	t->parts[t->nr_parts++] = (struct part){ at, t->calls.nodes[at].frame, way, sum };
}

static bool is_marked(const struct pt_calltree *t, uint32_t at)
{
	return t->is_marked[at / 64] >> at % 64 & 1;
}

/* What of a node's stacks does not end in the row. */
static struct pt_profile_sum not_marked(const struct pt_calltree *t, uint32_t at)
{
	struct pt_profile_sum sum = t->calls.nodes[at].all;

	if (is_marked(t, at))
		subtract(&sum, &t->marked[at].sum);
	return sum;
}

static void add_marked(struct pt_calltree *t, uint32_t caller)
{
	for (uint32_t i = t->marked[caller].first; i; i = t->marked[i].next)
		calltree_add_part(t, TO_OWN, i, t->marked[i].sum);
}

/* Adds what comes next on the stacks of a part. */
static void add_next(struct pt_calltree *t, struct part part)
{
	switch (part.way) {
	case TO_CALLERS:
		calltree_add_part(t, TO_CALLERS, t->calls.nodes[part.at].parent, part.sum);
		break;
	case TO_CALLEES:
		for (uint32_t i = pt_profile_callee(t->calls.nodes, t->calls.nr, part.at); i;
		     i = t->calls.nodes[i].next)
			calltree_add_part(t, TO_CALLEES, i, not_marked(t, i));
		break;
	case TO_OWN:
		add_marked(t, part.at);
		break;
	}
}

/* By frame, the parts from `start` on. */
static void sort_parts(struct pt_calltree *t, size_t start)
{
	size_t nr = t->nr_parts - start;

	if (nr > t->cap_order) {
		t->cap_order = 2 * nr;
		t->order = pt_realloc(t->order, t->cap_order, sizeof(*t->order));
		t->unsorted = pt_realloc(t->unsorted, t->cap_order, sizeof(*t->unsorted));
	}
	for (size_t i = 0; i < nr; i++) {
		const struct part *x = &t->parts[start + i];

		t->unsorted[i] = *x;
		t->order[i] = (struct part_order){ x->frame, i };
	}
	pt_sort16(t->order, nr);
	for (size_t i = 0; i < nr; i++)
		t->parts[start + i] = t->unsorted[t->order[i].index];
}

/* Makes a node of parts, which are those from `start` to `end`, unless it is below the least
 * percentage. (A branch that is all of its caller stays: it is no choice.) */
static void calltree_add_node(struct pt_calltree *t, uint32_t caller, size_t start, size_t end)
{
	uint64_t whole = t->opts.form == PT_CALLTREE_FRACTAL ? t->nodes[caller].all.period
							     : pt_profile_total(t->profile);
	struct node new = { .frame = t->parts[start].frame, .parent = caller,
			    .next = t->nodes[caller].first, .start = start, .end = start };

	for (size_t i = start; i < end; i++) {
		struct part *x = &t->parts[i], *last = i > start ? &t->parts[new.end - 1] : NULL;

		calltree_add(&new.all, &x->sum);
		if (last && last->at == x->at && last->way == x->way)
			calltree_add(&last->sum, &x->sum);
		else
			t->parts[new.end++] = *x;
	}
	new.own = new.all;
	subtract(&t->nodes[caller].own, &new.all);
	if ((double)new.all.period < t->opts.min_percent / 100 * (double)whole &&
	    !calltree_is_all(&new.all, &t->nodes[caller].all))
		return;
	PT_GROW(t->nodes, t->nr, t->cap);
	t->nodes[t->nr] = new;
	t->nodes[caller].first = (uint32_t)t->nr++;
}

/* Makes nodes of the parts from `start` on, which are what a node calls (or its callers). */
static void add_nodes(struct pt_calltree *t, uint32_t caller, size_t start)
{
	size_t i, end = t->nr_parts;

	sort_parts(t, start);
	for (; start < end; start = i) {
		for (i = start + 1; i < end && t->parts[i].frame == t->parts[start].frame; )
			i++;
		calltree_add_node(t, caller, start, i);
	}
}

/* Marks the stacks that end in the row, from their innermost nodes up to the outermost callers.
 * Callers have lower numbers. The way up from one end stops at a node that is not above the next
 * end's number: this is that end, or a caller of both, which the next way up goes through. So each
 * node passes its sum to its caller once. */
static void calltree_mark(struct pt_calltree *t, size_t row)
{
	const struct pt_profile_end *ends = t->calls.ends;
	uint32_t end, next, at, caller;

	for (end = first_of_row(&t->ends, row); end; end = next) {
		next = t->ends.next[end];
		calltree_add(&t->marked[ends[end].node].sum, &ends[end].own);
		for (at = ends[end].node; at > ends[next].node; at = caller) {
			caller = t->calls.nodes[at].parent;
			t->is_marked[at / 64] |= 1ull << at % 64;
			calltree_add(&t->marked[caller].sum, &t->marked[at].sum);
			t->marked[at].next = t->marked[caller].first;
			t->marked[caller].first = at;
		}
	}
}

static void unmark(struct pt_calltree *t, uint32_t at)
{
	for (; is_marked(t, at); at = t->calls.nodes[at].parent) {
		t->is_marked[at / 64] &= ~(1ull << at % 64);
		t->marked[at] = (struct marked){ .first = 0 };
	}
	t->marked[0] = (struct marked){ .first = 0 };
}

/* The parts that a row's tree begins with. Callers first: whole stacks that end in the row, and of
 * others the part from its outermost node on. */
static void calltree_begin(struct pt_calltree *t, size_t row)
{
	uint32_t i, first = first_of_row(&t->begins, row);

	if (t->opts.order == PT_CALLTREE_CALLEE) {
		for (i = first; i; i = t->begins.next[i])
			calltree_add_part(t, TO_CALLERS, i, t->inner[i]);
		return;
	}
	calltree_mark(t, row);
	for (i = t->marked[0].first; i; i = t->marked[i].next)
		add_marked(t, i);	/* i has the keys of samples */
	for (i = first; i; i = t->begins.next[i])
		calltree_add_part(t, TO_CALLEES, i, not_marked(t, i));
}

void calltree_make(struct pt_calltree *t, size_t row)
{
	t->nr = 1;
	t->nr_parts = 0;
	PT_GROW(t->nodes, t->nr, t->cap);
	t->nodes[t->nr++] = (struct node){ .frame = 0 };
	calltree_begin(t, row);
	for (size_t i = 0; i < t->nr_parts; i++)
		calltree_add(&t->nodes[1].all, &t->parts[i].sum);
	add_nodes(t, 1, 0);
	for (uint32_t n = 2; n < t->nr; n++) {
		size_t start = t->nr_parts;

		for (size_t i = t->nodes[n].start, end = t->nodes[n].end; i < end; i++) {
			/* the nodes of a tree's level lie far from one another */
			if (i + PARTS_AHEAD < end)
				__builtin_prefetch(
					&t->calls.nodes[t->parts[i + PARTS_AHEAD].at + 1]);
			add_next(t, t->parts[i]);
		}
		add_nodes(t, n, start);
	}
	for (uint32_t i = t->marked ? first_of_row(&t->ends, row) : 0; i; i = t->ends.next[i])
		unmark(t, t->calls.ends[i].node);
}
