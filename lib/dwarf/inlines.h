/* inlines.h - inlined functions and source lines at an address, from DWARF.
 *
 * Units are indexed once by the ranges of their root DIEs. A unit's functions, and a function's
 * inlined subroutines, are read when an address in them is first asked for, and flattened into
 * disjoint ranges with parents. Names come through abstract_origin and specification, also across
 * units, split units and alternate files.
 *
 * What was read can be kept as flat tables: pt_inlines_flat() gives their bytes, pt_inlines_use()
 * takes them (untrusted: every access is checked). An address they know needs no debug information,
 * except for source lines.
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
	/* the linkage name (mangled), else the name, else "??"; valid as long as pt_inlines */
	const char *name;
	bool linkage;			/* it is a linkage name */
	/* pt_inlines_lines_at() only; NULL: unknown */
	const char *file;
	uint32_t line;			/* 0: unknown */
};

/* `debug`: the object with .debug_info (pt_files_debug); takes a reference. */
struct pt_inlines *pt_inlines_new(struct pt_object *debug);
void pt_inlines_free(struct pt_inlines *in);
/* The functions at vaddr, innermost first, the last one not inlined; 0: none. */
size_t pt_inlines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max);
/* The same with file and line: of the innermost by the line table, of others at their calls. If
 * only the line table knows the address, one frame "??". Reads the unit's line table at first. */
size_t pt_inlines_lines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out,
			   size_t max);

/* The unit (the split one) and entry of the out-of-line function at an address. */
bool pt_inlines_function_at(struct pt_inlines *in, uint64_t vaddr, struct pt_dw_unit **unit,
			    uint64_t *off);
/* Its own debug information; NULL: none. */
struct pt_dwarf *pt_inlines_dwarf(struct pt_inlines *in);

/* Before the first look-up; of the same debug information. The bytes must outlive `in`. False:
 * damaged or of another version. */
bool pt_inlines_use(struct pt_inlines *in, const void *flat, size_t len);
/* Functions (and addresses without one) read from the debug information. */
size_t pt_inlines_learned(const struct pt_inlines *in);
/* Appends all that is known, in this machine's byte order, for 8-byte aligned bytes. */
void pt_inlines_flat(struct pt_inlines *in, struct pt_buf *out);
/* Reads all functions, for tables that replace the debug information. False: a limit was reached.
 */
bool pt_inlines_read_all(struct pt_inlines *in);

#endif
