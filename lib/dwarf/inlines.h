/* inlines.h - inlined functions and source lines at an address, from DWARF.
 *
 * Units are indexed once by the ranges of their root DIEs. A unit's functions, and a function's
 * inlined subroutines, are read when an address in them is first asked for, and flattened into
 * disjoint ranges with parents. Names come through abstract_origin and specification, also across
 * units, split units and alternate files.
 *
 * What was read is kept from one run to the next (base/diskcache.h), in an item a file,
 * "inl-BUILDID-SUM", keyed by the stamps of the file and its debug file (struct pt_stamp), which
 * equal build-ids do not make equal. It is untrusted: every access is checked. An address in it
 * needs no debug information, except for source lines. Objects without build-id are not kept.
 *
 *     in = pt_inlines_new(debug);
 *     pt_inlines_load(in, keep, object);
 *     n = pt_inlines_at(in, vaddr, frames, 64);
 *     pt_inlines_save(in, keep, object); */
#ifndef PT_DWARF_INLINES_H
#define PT_DWARF_INLINES_H

#include "base/buf.h"
#include "base/diskcache.h"
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

/* Before the first look-up. `object`: whose addresses are asked for, which may be `debug`.
 * `keep` may be NULL. */
void pt_inlines_load(struct pt_inlines *in, struct pt_diskcache *keep,
		     const struct pt_object *object);
/* Keeps what is known, if enough was learned. */
void pt_inlines_save(struct pt_inlines *in, struct pt_diskcache *keep,
		     const struct pt_object *object);

/* Functions (and addresses without one) read from the debug information. */
size_t pt_inlines_learned(const struct pt_inlines *in);
/* The tables that are kept: appends their bytes, in this machine's byte order. */
void pt_inlines_flat(struct pt_inlines *in, struct pt_buf *out);
/* Uses 8-byte aligned ones, which must outlive `in`. False: damaged or of another version. */
bool pt_inlines_use(struct pt_inlines *in, const void *flat, size_t len);

#endif
