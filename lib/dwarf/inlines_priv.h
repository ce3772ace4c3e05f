/* inlines_priv.h - shared by inlines.c (look-up), inlines_read.c (reads) and inlines_flat.c (kept
 * tables) */
#ifndef PT_DWARF_INLINES_PRIV_H
#define PT_DWARF_INLINES_PRIV_H

#include "dwarf/dwarf.h"
#include "dwarf/inlines.h"
#include "dwarf/dwarf_lines.h"

struct range { uint64_t lo, hi; uint32_t index; };	/* of the owner */

/* after paint_ranges(): by address, disjoint */
struct ranges { struct range *v; size_t nr, cap; };

/* an inlined subroutine, or an out-of-line function (parent -1) */
struct node {
	const char *name;		/* NULL until needed */
	/* of its entry; with `by_origin` of the entry in the unit that has its name */
	uint64_t off;
	uint32_t unit;
	int32_t parent;			/* always earlier in the list */
	uint32_t call_file, call_line;
	bool linkage, by_origin;
};

struct function {
	uint64_t off;
	bool read;
	uint32_t node;			/* its own, once read */
	struct ranges ranges;		/* of its inlined subroutines */
};

struct unit {
	/* with the addresses; with the functions (the split one, or the same), once read */
	struct pt_dw_unit *root, *dw;
	bool read;
	struct function *functions;
	size_t nr, cap;
	struct ranges ranges;		/* of the functions */
	struct pt_dw_lines *lines;		/* NULL until needed */
};

/* The tables that can be kept: header, segments by address, nodes, strings. */
struct flat_header { char magic[8]; uint64_t nr_segments, nr_nodes, strings_bytes; };
/* node FLAT_NOTHING: no function there */
struct flat_segment { uint64_t lo; uint32_t len, node; };
/* FLAT_NOTHING: none, else an earlier node; name: offset * 2, odd for a linkage name */
struct flat_node { uint32_t parent, name; };
enum { FLAT_NOTHING = UINT32_MAX };

struct flat {
	const struct flat_segment *segments;
	const struct flat_node *nodes;
	const char *strings;
	uint64_t nr_segments, nr_nodes, strings_bytes;
};

static inline const char *pt_flat_name(const struct flat *t, const struct flat_node *n)
{
	return n->name / 2 < t->strings_bytes ? t->strings + n->name / 2 : "??";
}

struct pt_inlines {
	struct pt_object *debug;
	struct flat flat;
	struct pt_cached kept;		/* its bytes, from earlier runs */
	struct pt_dwarf *dwarf;		/* NULL until needed, or if there is none */
	bool asked, tried, blind_read;
	struct unit *units;
	size_t nr, cap;
	struct ranges ranges;		/* of the units */
	uint32_t *blind;		/* units without addresses of their own */
	size_t nr_blind, cap_blind;
	struct node *nodes;
	size_t nr_nodes, cap_nodes;
	uint64_t *nothing;		/* addresses without a function */
	size_t nr_nothing, cap_nothing;
	size_t learned;
};

const struct range *pt_ranges_find(const struct ranges *r, uint64_t vaddr);

/* inlines_read.c */
void pt_inlines_open(struct pt_inlines *in);	/* indexes the units */
/* reads functions of units without addresses */
void pt_inlines_read_blind(struct pt_inlines *in);
void pt_inlines_read_functions(struct pt_inlines *in, uint32_t unit);
void pt_inlines_read_function(struct pt_inlines *in, uint32_t unit, struct function *f);
void pt_inlines_name_node(struct pt_inlines *in, struct node *n);

#endif
