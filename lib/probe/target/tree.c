#include "probe/target/tree.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"

static void tree_add_range(void *ctx, uint64_t lo, uint64_t hi)
{
	struct pt_tree *t = ctx;

	PT_GROW(t->ranges, t->nr_ranges, t->cap_ranges);
	t->ranges[t->nr_ranges++] = (struct pt_dw_span){ lo, hi };
	t->v[t->nr - 1].nr++;
}

bool pt_tree_has(const struct pt_tree *t, size_t scope, uint64_t vaddr)
{
	const struct pt_tree_scope *s = &t->v[scope];

	for (size_t i = s->first; i < s->first + s->nr; i++)
		if (vaddr >= t->ranges[i].lo && vaddr < t->ranges[i].hi)
			return true;
	return false;
}

/* The entry: the compiler's if it is within the ranges, else the first range's start. Range lists
 * begin with the part that is entered, which need not be the lowest. */
static void set_entry(struct pt_tree *t, const struct pt_dw_die *die)
{
	struct pt_tree_scope *s = &t->v[t->nr - 1];
	uint64_t entry;

	if (!s->nr)
		return;
	s->entry = t->ranges[s->first].lo;
	s->has_entry = true;
	if (!pt_dw_has(die, PT_DW_ENTRY_PC))
		return;
	if (!pt_dw_address(die, PT_DW_ENTRY_PC, &entry))
		entry = s->entry + die->v[PT_DW_ENTRY_PC];
	if (!pt_tree_has(t, t->nr - 1, entry))
		return;
	s->entry = entry;
	s->entry_view = (uint32_t)pt_dw_value(die, PT_DW_ENTRY_VIEW);
}

static uint32_t tree_add(void *arg, const struct pt_dw_die *die, uint32_t parent)
{
	struct pt_tree *t = arg;
	struct pt_tree_scope *s;

	PT_GROW(t->v, t->nr, t->cap);
	s = &t->v[t->nr++];
	*s = (struct pt_tree_scope){ .off = die->off,
				     .tag = die->tag,
				     .parent = parent == PT_DW_NO_PARENT ? 0 : parent,
				     .first = t->nr_ranges };
	if (die->tag == DW_TAG_inlined_subroutine) {
		s->call_file = (uint32_t)pt_dw_value(die, PT_DW_CALL_FILE);
		s->call_line = (uint32_t)pt_dw_value(die, PT_DW_CALL_LINE);
		pt_dw_reference(die, PT_DW_ORIGIN, &s->origin_unit, &s->origin_off);
	}
	pt_dw_ranges(die, tree_add_range, t);
	set_entry(t, die);
	return (uint32_t)t->nr - 1;
}

bool pt_tree_read(struct pt_tree *t, struct pt_dw_unit *unit, uint64_t off)
{
	t->nr = t->nr_ranges = 0;
	t->unit = unit;
	return pt_dw_unit_open(unit, NULL) && off >= unit->first && off < unit->end &&
	       pt_dw_scopes(unit, off, true, tree_add, t);
}

void pt_tree_deinit(struct pt_tree *t)
{
	free(t->v);
	free(t->ranges);
	*t = (struct pt_tree){ .unit = NULL };
}

/* The nearest enclosing scope with addresses; blocks may have none. */
static size_t tree_around(const struct pt_tree *t, size_t scope)
{
	size_t up = t->v[scope].parent;

	while (up && !t->v[up].nr && t->v[up].tag != DW_TAG_inlined_subroutine)
		up = t->v[up].parent;
	return up;
}

size_t pt_tree_innermost(const struct pt_tree *t, size_t from, uint64_t vaddr, bool blocks)
{
	size_t at = from;

	/* Parents precede children: one pass suffices. */
	for (size_t i = from + 1; i < t->nr; i++)
		if (tree_around(t, i) == at &&
		    !(blocks && t->v[i].tag == DW_TAG_inlined_subroutine) &&
		    pt_tree_has(t, i, vaddr))
			at = i;
	return at;
}

size_t pt_tree_callee(const struct pt_tree *t, size_t scope, uint64_t vaddr)
{
	size_t at = scope;

	for (size_t i = scope + 1; i < t->nr; i++)
		if (tree_around(t, i) == at && pt_tree_has(t, i, vaddr)) {
			if (t->v[i].tag == DW_TAG_inlined_subroutine)
				return i;
			at = i;
		}
	return 0;
}

size_t pt_tree_function(const struct pt_tree *t, size_t scope)
{
	while (scope && t->v[scope].tag != DW_TAG_inlined_subroutine)
		scope = t->v[scope].parent;
	return scope;
}
