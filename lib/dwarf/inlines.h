/* inlines.h - inlined functions, and source lines, at an address, from DWARF (.debug_info and what
 * it leads to).
 *
 * Units are indexed by their ranges once, from their root DIEs; a unit's functions are read when an
 * address in it is first asked for, a function's inlined subroutines when one in it is: flattened
 * into disjoint ranges with parents. Names through abstract_origin and specification, also across
 * units, split units and alternate files. Compressed sections are unpacked when first needed, only
 * those, and only as far as needed.
 *
 * What was read is kept as flat tables, whose bytes may be kept in a file: pt_inlines_flat() gives
 * them, pt_inlines_use() takes them again (untrusted: every access is checked). An address that
 * they know needs no debug information any more; source lines are not in them.
 *
 *     in = pt_inlines_new(debug);
 *     if (kept) pt_inlines_use(in, map.data, map.len_bytes);
 *     n = pt_inlines_at(in, vaddr, frames, 64);
 *     if (pt_inlines_learned(in)) { pt_inlines_flat(in, &b); ... write b.data, b.len ... } */
#ifndef PT_DWARF_INLINES_H
#define PT_DWARF_INLINES_H

#include "base/buf.h"
#include "elf/object.h"

struct pt_inlines;
struct pt_dwarf;
struct pt_dw_unit;

struct pt_inline {
	/* linkage name where there is one (mangled), else the name, "??" without any; of
	 * pt_inlines, for its life */
	const char *name;
	bool linkage;			/* it is a linkage name */
	/* pt_inlines_lines_at: where in the source this frame stands; NULL: not said */
	const char *file;
	uint32_t line;			/* 0: not said */
};

/* `debug`: the object that holds .debug_info (pt_files_debug). Nothing is read yet; a reference is
 * kept. */
struct pt_inlines *pt_inlines_new(struct pt_object *debug);
void pt_inlines_free(struct pt_inlines *in);
/* The functions at vaddr, innermost first, the last one the function that is no inline; 0: no unit
 * says. `file` and `line` are not set. */
size_t pt_inlines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max);
/* The same with file and line of each frame: of the innermost by the line table, of the others
 * where they call. At least one frame (named "??") where only the line table knows the address.
 * Costs more: line tables are read, a unit's whole one when first asked for. */
size_t pt_inlines_lines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out,
			   size_t max);

/* The unit with the function (of a split unit the split one) at an address, and where the
 * function's entry stands, that is no inline. False: no unit says. */
bool pt_inlines_function_at(struct pt_inlines *in, uint64_t vaddr, struct pt_dw_unit **unit,
			    uint64_t *off);
/* The debug information it reads, its own; NULL: there is none. */
struct pt_dwarf *pt_inlines_dwarf(struct pt_inlines *in);

/* Tables that pt_inlines_flat() made of this very debug information. The bytes stay the caller's,
 * and must stay where they are for the life of `in`. False: they are damaged, or of another
 * version; nothing is used of them. Call it before the first look-up. */
bool pt_inlines_use(struct pt_inlines *in, const void *flat, size_t len);
/* How many functions (and addresses without one) were read from the debug information since the
 * start, beside what pt_inlines_use() brought. */
size_t pt_inlines_learned(const struct pt_inlines *in);
/* Adds the bytes of all that is known: what pt_inlines_use() brought and what was read since.
 * 8-byte aligned in a file, they can be mapped. Of this machine's byte order. */
void pt_inlines_flat(struct pt_inlines *in, struct pt_buf *out);
/* Reads every function of every unit; for tables that need the debug information no more. False: a
 * limit was met (damaged or hostile). */
bool pt_inlines_read_all(struct pt_inlines *in);

#endif
