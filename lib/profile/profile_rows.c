/* profile_rows.c - named stacks become a tree of nodes, and nodes are counted in rows. */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* -- nodes -- */

/* Any order will do in which stacks that begin alike are neighbours. */
static int by_ids(const void *x, const void *y, void *ids)
{
	const struct stack *a = x, *b = y;
	const uint32_t *of = ids;
	int rc = memcmp(of + a->at, of + b->at, PT_MIN(a->nr, b->nr) * sizeof(*of));

	if (!rc && a->nr != b->nr)
		rc = a->nr < b->nr ? -1 : 1;
	return rc ? rc : (a->at > b->at) - (a->at < b->at);
}

static uint32_t new_node(struct pt_profile *p, uint32_t parent, uint32_t frame)
{
	uint32_t new = (uint32_t)p->nr_nodes;

	p->nodes[p->nr_nodes++] = (struct pt_profile_node){
		.frame = frame, .parent = parent, .row = PT_PROFILE_NO_ROW };
	if (!parent)
		p->whos[frame].root = new;
	return new;
}

static void add_end(struct pt_profile *p, uint32_t node, const struct stack *s)
{
	struct pt_profile_end *end;

	if (!p->nodes[node].end) {
		PT_GROW(p->ends, p->nr_ends, p->cap_ends);
		p->ends[p->nr_ends] = (struct pt_profile_end){ .node = node, .place = s->place };
		p->nodes[node].end = (uint32_t)p->nr_ends++;
	}
	end = &p->ends[p->nodes[node].end];
	end->own.period += s->sum.period;
	end->own.samples += s->sum.samples;
}

/* What a stack has in common with the one before it, from the outermost frame on. */
static size_t nr_same(const struct pt_profile *p, size_t i)
{
	const struct stack *s = &p->stacks[i], *before = s - 1;
	const uint32_t *a = p->ids + s->at, *b;
	size_t same = 0, most = i ? PT_MIN(s->nr, before->nr) : 0;

	b = i ? p->ids + before->at : NULL;
	while (same < most && a[same] == b[same])
		same++;
	return same;
}

/* Each stack shares the nodes of what it has in common with the one before it. */
static void make_nodes(struct pt_profile *p)
{
	uint32_t *path = NULL;		/* nodes of the stack before */
	size_t cap = 0, depth = 0, new = p->nr_nodes;

	if (p->nr_stacks)
		qsort_r(p->stacks, p->nr_stacks, sizeof(*p->stacks), by_ids, p->ids);
	for (size_t i = 0; i < p->nr_stacks; i++)
		new += p->stacks[i].nr - nr_same(p, i);
	if (new > p->cap_nodes)
		p->nodes = pt_realloc(p->nodes, p->cap_nodes = new, sizeof(*p->nodes));
	for (size_t i = 0; i < p->nr_stacks; i++) {
		const struct stack *s = &p->stacks[i];
		const uint32_t *ids = p->ids + s->at;
		size_t nr = nr_same(p, i);

		if (nr && nr < depth && nr < s->nr)	/* another callee of the same caller */
			p->nodes[path[nr]].next = (uint32_t)p->nr_nodes;
		for (; nr < s->nr; nr++) {
			PT_GROW(path, nr, cap);
			path[nr] = new_node(p, nr ? path[nr - 1] : 0, ids[nr]);
		}
		depth = s->nr;
		add_end(p, path[depth - 1], s);
	}
	free(path);
	free(p->ids);
	free(p->stacks);
	p->ids = NULL;
	p->stacks = NULL;
	p->nr_stacks = p->nr_ids = p->cap_stacks = p->cap_ids = 0;
}

/* -- rows -- */

/* Adds up what is below each node: callees come behind their callers. */
static void add_up(struct pt_profile *p)
{
	for (size_t i = p->nr_nodes - 1; i > 0; i--) {
		struct pt_profile_node *x = &p->nodes[i], *caller = &p->nodes[x->parent];

		x->all.period += p->ends[x->end].own.period;
		x->all.samples += p->ends[x->end].own.samples;
		if (!x->parent)
			caller = &p->nodes[0];	/* node 0 has the sum of all */
		caller->all.period += x->all.period;
		caller->all.samples += x->all.samples;
	}
}

struct counting {
	uint32_t who;
	uint32_t *rows;			/* by what a frame adds: its row, from 1 on */
	uint32_t *around;		/* by row: the node of the function that is being entered */
	size_t cap;
};

static uint32_t profile_rows_row_of(struct pt_profile *p, struct counting *c, uint32_t frame)
{
	uint32_t where = p->where_of[frame], row = c->rows[where];

	/* rows of the same `who` are made one after another */
	if (row && p->rows[row - 1].who == c->who)
		return row - 1;
	row = (uint32_t)p->nr_rows;
	PT_GROW(p->rows, p->nr_rows, p->cap_rows);
	p->rows[p->nr_rows++] = (struct pt_profile_row){ .who = c->who, .where = where };
	c->rows[where] = (uint32_t)p->nr_rows;
	PT_GROW(c->around, (size_t)row, c->cap);
	c->around[row] = 0;
	return row;
}

static void enter(struct pt_profile *p, struct counting *c, uint32_t at)
{
	struct pt_profile_node *x = &p->nodes[at];
	const struct pt_profile_sum *own = &p->ends[x->end].own;
	struct pt_profile_row *row;

	if (!p->opts.children && !own->samples && !own->period)
		return;
	x->row = profile_rows_row_of(p, c, x->frame);
	row = &p->rows[x->row];
	row->self += own->period;
	row->samples += own->samples;
	if (!p->opts.children) {
		row->total += own->period;
		return;
	}
	x->outer = c->around[x->row];
	c->around[x->row] = at;
	if (!x->outer)
		row->total += x->all.period;
}

static void profile_rows_leave(struct pt_profile *p, struct counting *c, uint32_t at)
{
	const struct pt_profile_node *x = &p->nodes[at];

	if (p->opts.children)
		c->around[x->row] = x->outer;
}

/* Enters and leaves each function below `root`, in the order of calls. */
static void profile_rows_walk(struct pt_profile *p, struct counting *c, uint32_t root)
{
	uint32_t at = pt_profile_callee(p->nodes, p->nr_nodes, root), callee;

	while (at) {
		enter(p, c, at);
		callee = pt_profile_callee(p->nodes, p->nr_nodes, at);
		if (callee) {
			at = callee;
			continue;
		}
		while (at != root && !p->nodes[at].next) {
			profile_rows_leave(p, c, at);
			at = p->nodes[at].parent;
		}
		if (at == root)
			break;
		profile_rows_leave(p, c, at);
		at = p->nodes[at].next;
	}
}

static void profile_rows_make_rows(struct pt_profile *p)
{
	struct counting c = { .rows = pt_alloc_array(p->nr_wheres, sizeof(*c.rows)) };

	for (c.who = 0; c.who < p->nr_whos; c.who++)
		profile_rows_walk(p, &c, p->whos[c.who].root);
	free(c.rows);
	free(c.around);
}

static int by_size(const void *x, const void *y, void *arg)
{
	const struct pt_profile_row *a = x, *b = y;
	const struct pt_profile *p = arg;
	int rc;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	rc = strcmp(p->whos[a->who].keys, p->whos[b->who].keys);
	return rc ? rc : strcmp(p->wheres[a->where].key, p->wheres[b->where].key);
}

static void sort_rows(struct pt_profile *p)
{
	uint32_t *places = pt_alloc_array(p->nr_rows, sizeof(*places));

	for (uint32_t i = 0; i < p->nr_rows; i++)
		p->rows[i].number = i;
	if (p->nr_rows)
		qsort_r(p->rows, p->nr_rows, sizeof(*p->rows), by_size, p);
	for (uint32_t i = 0; i < p->nr_rows; i++) {
		places[p->rows[i].number] = i;
		p->rows[i].number = i;
		*pt_map_put(&p->row_ids, (uint64_t)p->rows[i].who << 32 | p->rows[i].where) = i + 1;
	}
	for (size_t i = 1; i < p->nr_nodes; i++)
		if (p->nodes[i].row != PT_PROFILE_NO_ROW)
			p->nodes[i].row = places[p->nodes[i].row];
	free(places);
}

void profile_make_rows(struct pt_profile *p)
{
	make_nodes(p);
	add_up(p);
	profile_rows_make_rows(p);
	sort_rows(p);
}
