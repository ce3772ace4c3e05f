/* tree.h - the scopes of one function: itself, its blocks, and what is inlined into it, with the
 * addresses of each. */
#ifndef PT_PROBE_TARGET_TREE_H
#define PT_PROBE_TARGET_TREE_H

#include "dwarf/dwarf.h"

struct pt_tree_scope {
	uint64_t off;			/* of its entry */
	/* DW_TAG_subprogram (the first), lexical_block (try and catch too), inlined_subroutine */
	uint16_t tag;
	uint32_t parent;		/* the first one's: itself */
	uint32_t call_file, call_line;	/* of inlined ones */
	uint64_t entry;			/* the first instruction; has_entry: there is one */
	bool has_entry;
	/* so many rows of the line table at `entry` stand before it (gcc's location views) */
	uint32_t entry_view;
	/* of inlined ones: the function that it is; NULL: not said */
	struct pt_dw_unit *origin_unit;
	uint64_t origin_off;
	size_t first, nr;		/* its ranges */
};

struct pt_tree {
	struct pt_dw_unit *unit;
	struct pt_tree_scope *v;
	size_t nr, cap;
	struct pt_dw_span *ranges;
	size_t nr_ranges, cap_ranges;
};

/* Fills a zeroed tree, or one that was used before; false: there is no function at `off`. */
bool pt_tree_read(struct pt_tree *t, struct pt_dw_unit *unit, uint64_t off);
void pt_tree_deinit(struct pt_tree *t);
bool pt_tree_has(const struct pt_tree *t, size_t scope, uint64_t vaddr);
/* The innermost scope that holds the address, below `from`: blocks of the same function only
 * (`blocks`), or inlined ones too. */
size_t pt_tree_innermost(const struct pt_tree *t, size_t from, uint64_t vaddr, bool blocks);
/* What is inlined straight into the scope's function at an address; 0: nothing. */
size_t pt_tree_callee(const struct pt_tree *t, size_t scope, uint64_t vaddr);
/* The function that the scope is a part of: the nearest one that is no block. */
size_t pt_tree_function(const struct pt_tree *t, size_t scope);

/* By address. */
void pt_tree_sort(struct pt_dw_span *v, size_t nr);
/* The same, and what overlaps or touches becomes one: how many there are then. */
size_t pt_tree_join(struct pt_dw_span *v, size_t nr);

#endif
