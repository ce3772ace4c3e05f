/* tree.h - the scopes of one function: itself, its blocks and inlined functions, with their
 * addresses */
#ifndef PT_PROBE_TARGET_TREE_H
#define PT_PROBE_TARGET_TREE_H

#include "dwarf/dwarf.h"

struct pt_tree_scope {
	uint64_t off;			/* offset of its entry (DIE) */
	/* DW_TAG_subprogram (the first one), lexical_block (also try and catch), inlined_subroutine
	 */
	uint16_t tag;
	uint32_t parent;		/* the first one's: itself */
	uint32_t call_file, call_line;	/* of inlined ones */
	uint64_t entry;			/* the first instruction; has_entry: it is known */
	bool has_entry;
	/* rows of the line table at `entry` that precede it (gcc's location views) */
	uint32_t entry_view;
	/* of inlined ones: the function; NULL: unknown */
	struct pt_dw_unit *origin_unit;
	uint64_t origin_off;
	size_t first, nr;		/* its ranges in pt_tree.ranges */
};

struct pt_tree {
	struct pt_dw_unit *unit;
	struct pt_tree_scope *v;
	size_t nr, cap;
	struct pt_dw_span *ranges;
	size_t nr_ranges, cap_ranges;
};

/* Fills a zeroed tree, or one that was used before; false: no function at `off`. */
bool pt_tree_read(struct pt_tree *t, struct pt_dw_unit *unit, uint64_t off);
void pt_tree_deinit(struct pt_tree *t);
bool pt_tree_has(const struct pt_tree *t, size_t scope, uint64_t vaddr);
/* The innermost scope below `from` that contains the address: only blocks of the same function
 * (`blocks`), or also inlined ones. */
size_t pt_tree_innermost(const struct pt_tree *t, size_t from, uint64_t vaddr, bool blocks);
/* The function that is inlined directly into the scope's function at an address; 0: none. */
size_t pt_tree_callee(const struct pt_tree *t, size_t scope, uint64_t vaddr);
/* The function of a scope: the nearest one that is no block. */
size_t pt_tree_function(const struct pt_tree *t, size_t scope);

#endif
