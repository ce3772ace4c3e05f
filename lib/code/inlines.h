/* inlines.h - inlined functions at an address, from DWARF (.debug_info and what it leads to).
 *
 * Units are indexed by their ranges once, from their root DIEs; a unit's functions are read when an address in it is first asked for, a function's
 * inlined subroutines when one in it is: flattened into disjoint ranges with parents. Names through abstract_origin and specification, also across units,
 * split units and alternate files. Compressed sections are unpacked when first needed, and only those. */
#ifndef PT_CODE_INLINES_H
#define PT_CODE_INLINES_H

#include "code/object.h"

struct pt_inlines;

struct pt_inline {
	const char *name;		/* linkage name where there is one (mangled), else the name; of pt_inlines, for its life */
	bool linkage;			/* it is a linkage name */
	const char *file;		/* of the call (frames but the outermost); NULL: not said */
	uint32_t line;			/* of the call; 0: not said */
};

/* `debug`: the object that holds .debug_info (pt_files_debug). Nothing is read yet. Both objects must outlive it. */
struct pt_inlines *pt_inlines_new(struct pt_object *debug);
void pt_inlines_free(struct pt_inlines *in);
/* The functions at vaddr, innermost first, the last one the function that is no inline; 0: no unit says. */
size_t pt_inlines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max);

#endif
