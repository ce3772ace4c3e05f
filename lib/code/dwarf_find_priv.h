/* dwarf_find_priv.h - shared by dwarf_find.c (names, which units), dwarf_find_bytes.c (where four bytes stand) and dwarf_find_places.c (where in a unit). */
#ifndef PT_CODE_DWARF_FIND_PRIV_H
#define PT_CODE_DWARF_FIND_PRIV_H

#include "base/scan.h"
#include "code/dwarf_find.h"

/* What an abbreviation table says of its units. */
enum {
	FIND_LOOKED = 1,
	FIND_OUTWARD = 2,		/* functions stem from entries elsewhere, or may be named in ways that are not looked for */
	FIND_SPLIT = 4,			/* there may be a split unit */
	FIND_IN_PLACE = 8,		/* names of functions in the entries themselves */
	FIND_BY_INDEX = 16,		/* through .debug_str_offsets */
};

/* Numbers of four bytes that are looked for: gathered, then made ready. */
struct find_values {
	uint32_t *v;			/* sorted */
	size_t nr, cap;
	uint64_t *bits;			/* of the same, where they are many */
};

struct find_hits { uint64_t *v; size_t nr, cap; };	/* offsets, ascending */

struct find_file {
	struct pt_dw_file *file;
	bool known, blind;		/* blind: nothing can be told of it */
	struct find_values values;	/* offsets in .debug_str */
	struct find_hits hits;		/* in .debug_info */
	struct find_hits indexed;	/* in .debug_str_offsets */
	struct pt_map tables;		/* by offset in .debug_abbrev */
};

struct pt_dw_find {
	const struct pt_dw_find_opts *o;
	struct pt_scan word;
	struct find_file **files;	/* by index */
	size_t nr, cap;
};

void pt_find_add(struct find_values *v, uint64_t x);
void pt_find_ready(struct find_values *v);
void pt_find_drop(struct find_values *v);
void pt_find_sort(struct find_hits *h);
/* Where any of them stands; in large ones by two threads. False: too many places. */
bool pt_find_search(const struct find_values *v, const uint8_t *data, uint64_t len, bool swap, struct find_hits *hits);

struct find_file *pt_find_file(struct pt_dw_find *f, struct pt_dw_file *file);
void pt_find_look(struct pt_dw_find *f, struct find_file *of);	/* searches it, once */
unsigned pt_find_table(struct find_file *of, const struct pt_dw_unit *u);	/* FIND_* */
bool pt_find_is_function(uint64_t tag);
/* Names that stand in the unit's entries, by their offset in the unit, added to `to`. False: they cannot be told. */
bool pt_find_in_place(struct pt_dw_find *f, struct pt_dw_unit *u, struct find_values *to);

#endif
