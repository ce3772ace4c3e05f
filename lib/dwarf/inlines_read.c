#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "dwarf/inlines_priv.h"

struct adding { struct ranges *to; uint32_t index; };

static void inlines_read_add_range(void *ctx, uint64_t lo, uint64_t hi)
{
	struct adding *a = ctx;
	struct ranges *r = a->to;

	PT_GROW(r->v, r->nr, r->cap);
	r->v[r->nr++] = (struct range){ lo, hi, a->index };
}

static void inlines_read_add_ranges(struct ranges *r, const struct pt_dw_die *die, uint32_t index)
{
	pt_dw_ranges(die, inlines_read_add_range, &(struct adding){ r, index });
}

static int inlines_read_by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo)
			      : (x->index > y->index) - (x->index < y->index);
}

/* Heaps of ranges, the highest index on top. */
static void heap_push(struct range *h, size_t *nr, struct range x)
{
	size_t i = (*nr)++;

	for (; i && h[(i - 1) / 2].index < x.index; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = x;
}

static void heap_pop(struct range *h, size_t *nr)
{
	struct range x = h[--*nr];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < *nr) {
		if (child + 1 < *nr && h[child + 1].index > h[child].index)
			child++;
		if (h[child].index <= x.index)
			break;
		h[i] = h[child];
		i = child;
	}
	if (*nr)
		h[i] = x;
}

static bool is_disjoint(const struct ranges *r)
{
	size_t i;

	for (i = 1; i < r->nr; i++)
		if (r->v[i].lo < r->v[i - 1].hi)
			return false;
	return true;
}

/* Makes ranges disjoint: the highest index has an address. */
static void paint_ranges(struct ranges *r)
{
	struct ranges out = { NULL, 0, 0 };
	struct range *heap;
	size_t nr = 0, i = 0;
	uint64_t at = 0;

	if (is_disjoint(r))
		return;
	qsort(r->v, r->nr, sizeof(*r->v), inlines_read_by_lo);
	if (is_disjoint(r))
		return;
	heap = pt_alloc_array(r->nr, sizeof(*heap));
	while (i < r->nr || nr) {
		uint64_t to;

		while (nr && heap[0].hi <= at)
			heap_pop(heap, &nr);
		if (!nr && i < r->nr)
			at = PT_MAX(at, r->v[i].lo);
		for (; i < r->nr && r->v[i].lo <= at; i++)
			heap_push(heap, &nr, r->v[i]);
		if (!nr || heap[0].hi <= at)
			continue;
		to = i < r->nr ? PT_MIN(heap[0].hi, r->v[i].lo) : heap[0].hi;
		if (out.nr && out.v[out.nr - 1].hi == at &&
		    out.v[out.nr - 1].index == heap[0].index) {
			out.v[out.nr - 1].hi = to;
		} else {
			PT_GROW(out.v, out.nr, out.cap);
			out.v[out.nr++] = (struct range){ at, to, heap[0].index };
		}
		at = to;
	}
	free(heap);
	free(r->v);
	*r = out;
}

const struct range *pt_ranges_find(const struct ranges *r, uint64_t vaddr)
{
	size_t past = PT_LEADING(r->nr, i, r->v[i].lo <= vaddr);

	return past && vaddr < r->v[past - 1].hi ? &r->v[past - 1] : NULL;
}

static void add_units(struct pt_inlines *in)
{
	struct pt_dw_unit *dw;
	struct pt_dw_die root;
	size_t i;

	for (i = 0; (dw = pt_dw_unit_nr(in->dwarf->main, i)); i++) {
		if ((dw->type != DW_UT_compile && dw->type != DW_UT_skeleton) ||
		    !pt_dw_unit_open(dw, &root) || root.tag == DW_TAG_partial_unit)
			continue;
		if (pt_dw_has_code(&root)) {
			/* Of overlapping units the first one wins, so it gets the highest index. */
			inlines_read_add_ranges(&in->ranges, &root, UINT32_MAX - (uint32_t)in->nr);
		} else {
			PT_GROW(in->blind, in->nr_blind, in->cap_blind);
			in->blind[in->nr_blind++] = (uint32_t)in->nr;
		}
		PT_GROW(in->units, in->nr, in->cap);
		in->units[in->nr++] = (struct unit){ .root = dw };
		pt_dw_abbrevs_drop(dw);		/* most units are not asked for again */
	}
	paint_ranges(&in->ranges);
}

void pt_inlines_open(struct pt_inlines *in)
{
	in->tried = true;
	if (pt_inlines_dwarf(in))
		add_units(in);
}

void pt_inlines_read_blind(struct pt_inlines *in)
{
	size_t i, k;

	in->blind_read = true;
	for (i = 0; i < in->nr_blind; i++) {
		const struct ranges *r = &in->units[in->blind[i]].ranges;

		pt_inlines_read_functions(in, in->blind[i]);
		for (k = 0; k < r->nr; k++)
			inlines_read_add_range(
				&(struct adding){ &in->ranges, UINT32_MAX - in->blind[i] },
				r->v[k].lo, r->v[k].hi);
	}
	if (in->nr_blind)
		paint_ranges(&in->ranges);
}

static bool see_function(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around)
{
	struct unit *u = arg;

	(void)around;
	if (pt_dw_has_code(die) && u->nr < UINT32_MAX - 1) {
		inlines_read_add_ranges(&u->ranges, die, (uint32_t)u->nr);
		if (!pt_dw_take(die->unit->file, 2 * (sizeof(*u->functions) + 32)))
			return false;
		PT_GROW(u->functions, u->nr, u->cap);
		u->functions[u->nr++] = (struct function){ .off = die->off };
	}
	return true;
}

void pt_inlines_read_functions(struct pt_inlines *in, uint32_t unit)
{
	struct unit *u = &in->units[unit];

	if (u->read)
		return;
	u->read = true;
	u->dw = pt_dw_unit_split(u->root);
	if (!pt_dw_unit_open(u->dw, NULL))
		return;
	pt_dw_functions(u->dw, NULL, see_function, u);
	paint_ranges(&u->ranges);
}

static uint32_t inlines_read_add_node(struct pt_inlines *in, const struct pt_dw_die *die,
				      uint32_t unit, int32_t parent)
{
	if (!pt_dw_take(in->dwarf->main, 2 * sizeof(*in->nodes)))
		pt_dw_stop(in->dwarf);		/* this function is the last one */
	PT_GROW(in->nodes, in->nr_nodes, in->cap_nodes);
	in->nodes[in->nr_nodes] = (struct node){
		.off = die->off,
		.unit = unit,
		.parent = parent,
		.call_file = (uint32_t)pt_dw_value(die, PT_DW_CALL_FILE),
		.call_line = (uint32_t)pt_dw_value(die, PT_DW_CALL_LINE) };
	if (parent >= 0)
		in->nodes[in->nr_nodes].by_origin =
			pt_dw_near_origin(die, &in->nodes[in->nr_nodes].off);
	return (uint32_t)in->nr_nodes++;
}

struct reading {
	struct pt_inlines *in;
	uint32_t unit;
	struct function *f;
};

static uint32_t see_scope(void *arg, const struct pt_dw_die *die, uint32_t parent)
{
	struct reading *r = arg;
	bool outermost = parent == PT_DW_NO_PARENT;
	uint32_t node =
		inlines_read_add_node(r->in, die, r->unit, outermost ? -1 : (int32_t)parent);

	if (outermost)
		r->f->node = node;
	else
		inlines_read_add_ranges(&r->f->ranges, die, node);
	return node;
}

void pt_inlines_read_function(struct pt_inlines *in, uint32_t unit, struct function *f)
{
	struct reading r = { in, unit, f };

	if (f->read)
		return;
	f->read = true;
	pt_dw_scopes(in->units[unit].dw, f->off, false, see_scope, &r);
	paint_ranges(&f->ranges);
}

void pt_inlines_name_node(struct pt_inlines *in, struct node *n)
{
	struct pt_dw_die die;
	struct pt_dw_name name = { NULL, false };

	if (n->name)
		return;
	if (n->by_origin)
		name = pt_dw_name_at(in->units[n->unit].dw, n->off);
	else if (pt_dw_die_at(in->units[n->unit].dw, n->off, &die))
		name = pt_dw_name(&die);
	n->name = name.name && *name.name ? name.name : "??";
	n->linkage = name.linkage && name.name;
}
