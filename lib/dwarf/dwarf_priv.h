/* dwarf_priv.h - the inside of abbreviation tables, for dwarf_abbrev.c (makes them) and dwarf_die.c
 * (reads entries) */
#ifndef PT_DWARF_DWARF_PRIV_H
#define PT_DWARF_DWARF_PRIV_H

#include "dwarf/dwarf.h"

/* The length of a form's value: up to PT_DW_MOST_BYTES, else told by the value. PT_DW_NO_FORM: the
 * form is unknown. */
enum { PT_DW_MOST_BYTES = 16, PT_DW_NO_FORM = 255 };
uint8_t pt_dw_form_len(const struct pt_dw_unit *u, uint64_t form);

struct pt_dw_attr { uint16_t form; uint8_t slot, len; int64_t implicit; };

struct pt_dw_abbrevs {
	struct pt_dw_abbrev *list;
	size_t nr, cap;
	struct pt_map codes;		/* where list[i] has not code i + 1: code -> index + 1 */
	struct pt_dw_attr *attrs;
	size_t nr_attrs, cap_attrs;
	struct pt_bytes rest;		/* of .debug_abbrev: not compiled yet */
	bool end;
	uint64_t taken;			/* from the budget */
};

#endif
