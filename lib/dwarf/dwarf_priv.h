/* dwarf_priv.h - the inside of abbreviation tables, for loops over entries */
#ifndef PT_DWARF_DWARF_PRIV_H
#define PT_DWARF_DWARF_PRIV_H

#include "dwarf/dwarf.h"

/* The length of a form's value: fixed, or encoded in the value. */
enum pt_dw_kind {
	PT_DW_FIXED,
	PT_DW_LEB,
	PT_DW_STRING,
	PT_DW_BLOCK1,
	PT_DW_BLOCK2,
	PT_DW_BLOCK4,
	PT_DW_BLOCK_LEB,
	PT_DW_INDIRECT,
	PT_DW_BAD
};

/* bytes: of a PT_DW_FIXED value */
struct pt_dw_attr { uint16_t form; uint8_t slot, kind, bytes; int64_t implicit; };

struct pt_dw_abbrevs {
	struct pt_dw_abbrev *list;
	size_t nr, cap;
	bool dense;			/* list[i] has code i + 1 */
	struct pt_map codes;		/* otherwise: code -> index + 1 */
	struct pt_dw_attr *attrs;
	size_t nr_attrs, cap_attrs;
	struct pt_bytes rest;		/* of .debug_abbrev: not compiled yet */
	bool end;
	uint64_t taken;			/* from the budget */
};

/* dwarf_walk.c: the language is C, which has no functions within types. */
bool pt_dw_is_c(uint16_t language);

#endif
