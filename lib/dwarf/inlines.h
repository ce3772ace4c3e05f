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
	/* the linkage name (mangled) if there is one, else the name, else "??"; valid as long as
	 * pt_inlines */
	const char *name;
	bool linkage;			/* it is a linkage name */
	/* pt_inlines_lines_at: the frame's place in the source; NULL: unknown */
	const char *file;
	uint32_t line;			/* 0: unknown */
};

/* `debug`: the object with .debug_info (pt_files_debug). Nothing is read yet; takes a reference. */
struct pt_inlines *pt_inlines_new(struct pt_object *debug);
void pt_inlines_free(struct pt_inlines *in);
/* The functions at vaddr, innermost first, ending with the function that is not inlined; 0: none.
 * `file` and `line` are not set. */
size_t pt_inlines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max);
/* The same with file and line: of the innermost frame by the line table, of others at their calls.
 * If only the line table knows the address, one frame named "??". Slower: reads a unit's whole line
 * table at its first use. */
size_t pt_inlines_lines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out,
			   size_t max);

/* The unit (the split one, if split) and the entry of the out-of-line function at an address.
 * False: none. */
bool pt_inlines_function_at(struct pt_inlines *in, uint64_t vaddr, struct pt_dw_unit **unit,
			    uint64_t *off);
/* Its own debug information; NULL: none. */
struct pt_dwarf *pt_inlines_dwarf(struct pt_inlines *in);

/* Uses tables that pt_inlines_flat() made of the same debug information. The bytes must outlive
 * `in`. False: damaged or of another version; nothing is used. Before the first look-up. */
bool pt_inlines_use(struct pt_inlines *in, const void *flat, size_t len);
/* Functions (and addresses without one) read from the debug information, not counting those of
 * pt_inlines_use(). */
size_t pt_inlines_learned(const struct pt_inlines *in);
/* Appends everything that is known, from pt_inlines_use() and read since. 8-byte aligned in a file
 * it can be mapped. In this machine's byte order. */
void pt_inlines_flat(struct pt_inlines *in, struct pt_buf *out);
/* Reads all functions of all units, for tables that replace the debug information. False: a limit
 * was reached (damaged or hostile). */
bool pt_inlines_read_all(struct pt_inlines *in);

#endif
