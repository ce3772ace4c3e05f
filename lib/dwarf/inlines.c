#include "dwarf/inlines.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "dwarf/inlines_priv.h"

struct pt_inlines *pt_inlines_new(struct pt_object *debug)
{
	struct pt_inlines *in = pt_alloc(sizeof(*in));

	in->debug = pt_object_get(debug);
	return in;
}

void pt_inlines_free(struct pt_inlines *in)
{
	size_t i, k;

	if (!in)
		return;
	for (i = 0; i < in->nr; i++) {
		for (k = 0; k < in->units[i].nr; k++)
			free(in->units[i].functions[k].ranges.v);
		free(in->units[i].functions);
		free(in->units[i].ranges.v);
		pt_dw_lines_free(in->units[i].lines);
	}
	free(in->units);
	free(in->ranges.v);
	free(in->blind);
	free(in->nodes);
	free(in->nothing);
	pt_dwarf_free(in->dwarf);
	pt_object_put(in->debug);
	if (in->kept.data)
		pt_cached_release(&in->kept);
	free(in);
}

static const struct range *unit_at(struct pt_inlines *in, uint64_t vaddr)
{
	const struct range *r;

	if (!in->tried)
		pt_inlines_open(in);
	r = pt_ranges_find(&in->ranges, vaddr);
	if (r || in->blind_read)
		return r;
	pt_inlines_read_blind(in);
	return pt_ranges_find(&in->ranges, vaddr);
}

static const struct flat_segment *flat_segment(const struct flat *t, uint64_t vaddr)
{
	size_t past = PT_LEADING(t->nr_segments, i, t->segments[i].lo <= vaddr);

	return past && vaddr - t->segments[past - 1].lo < t->segments[past - 1].len
		       ? &t->segments[past - 1]
		       : NULL;
}

/* The innermost node at an address, -1: none. *unit: the unit that covers it, if any. */
static int64_t node_at(struct pt_inlines *in, uint64_t vaddr, struct unit **unit)
{
	const struct range *r = unit_at(in, vaddr);
	struct function *f;
	uint32_t index;

	*unit = NULL;
	if (!r)
		return -1;
	index = UINT32_MAX - r->index;
	*unit = &in->units[index];
	pt_inlines_read_functions(in, index);
	r = pt_ranges_find(&(*unit)->ranges, vaddr);
	if (!r)
		return -1;
	f = &(*unit)->functions[r->index];
	/* Where lines are wanted it may be kept already. */
	if (!f->read && !flat_segment(&in->flat, vaddr))
		in->learned++;
	pt_inlines_read_function(in, index, f);
	r = pt_ranges_find(&f->ranges, vaddr);
	return r ? r->index : f->node;
}

static size_t flat_chain(const struct flat *t, uint32_t node, struct pt_inline *out, size_t max)
{
	size_t nr = 0;

	while (node < t->nr_nodes && nr < max) {
		const struct flat_node *n = &t->nodes[node];

		out[nr++] = (struct pt_inline){ pt_flat_name(t, n), n->name & 1, NULL, 0 };
		if (n->parent >= node)
			break;
		node = n->parent;
	}
	return nr;
}

size_t pt_inlines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max)
{
	const struct flat_segment *known = flat_segment(&in->flat, vaddr);
	struct unit *u;
	size_t nr = 0;
	int64_t i;

	if (known)
		return flat_chain(&in->flat, known->node, out, max);
	i = node_at(in, vaddr, &u);
	if (i < 0) {
		PT_GROW(in->nothing, in->nr_nothing, in->cap_nothing);
		in->nothing[in->nr_nothing++] = vaddr;
		in->learned++;
	}
	for (; i >= 0 && nr < max; i = in->nodes[i].parent) {
		pt_inlines_name_node(in, &in->nodes[i]);
		out[nr++] = (struct pt_inline){ in->nodes[i].name, in->nodes[i].linkage, NULL, 0 };
	}
	return nr;
}

size_t pt_inlines_lines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max)
{
	uint32_t file = 0, line = 0;
	bool there;
	struct unit *u;
	size_t nr = 0;
	int64_t i = node_at(in, vaddr, &u);

	if (!u || !max)
		return 0;
	if (!u->lines)
		u->lines = pt_dw_lines_new(u->root);
	there = pt_dw_lines_at(u->lines, vaddr, &file, &line);
	for (; i >= 0 && nr < max; i = in->nodes[i].parent) {
		struct node *n = &in->nodes[i];

		pt_inlines_name_node(in, n);
		out[nr++] = (struct pt_inline){ n->name, n->linkage,
						there ? pt_dw_lines_file(u->lines, file) : NULL,
						there ? line : 0 };
		file = n->call_file;
		line = n->call_line;
		there = true;
	}
	if (!nr && there)
		out[nr++] =
			(struct pt_inline){ "??", false, pt_dw_lines_file(u->lines, file), line };
	return nr;
}

bool pt_inlines_function_at(struct pt_inlines *in, uint64_t vaddr, struct pt_dw_unit **unit,
			    uint64_t *off)
{
	struct unit *u;
	int64_t i = node_at(in, vaddr, &u);

	if (i < 0)
		return false;
	while (in->nodes[i].parent >= 0)
		i = in->nodes[i].parent;
	*unit = u->dw;
	*off = in->nodes[i].off;
	return true;
}

struct pt_dwarf *pt_inlines_dwarf(struct pt_inlines *in)
{
	if (!in->asked)
		in->dwarf = pt_dwarf_new(in->debug);
	in->asked = true;
	return in->dwarf;
}

size_t pt_inlines_learned(const struct pt_inlines *in)
{
	return in->learned;
}
