/* dwarf_priv.h - the inside of abbreviation tables, for dwarf_abbrev.c, which makes them, and for
 * those that read entries by them (dwarf_die.c) or walk over entries (dwarf_walk.c). */
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
	/* The lists that were outgrown. They are kept, since callers may still hold a pointer to a
	 * declaration in one of them when another declaration is compiled. */
	struct pt_dw_abbrev **former;
	size_t nr_former, cap_former;
	struct pt_map codes;		/* where list[i] has not code i + 1: code -> index + 1 */
	struct pt_dw_attr *attrs;
	size_t nr_attrs, cap_attrs;
	struct pt_bytes rest;		/* of .debug_abbrev: not compiled yet */
	bool end;
	uint64_t taken;			/* from the budget */
};

/* dwarf_abbrev.c: the declaration, where its code is not its place in the table */
const struct pt_dw_abbrev *pt_dw_abbrev_further(struct pt_dw_unit *u, uint64_t code);
/* NULL: there is none */
static inline const struct pt_dw_abbrev *pt_dw_abbrev(struct pt_dw_unit *u, uint64_t code)
{
	const struct pt_dw_abbrevs *t = u->abbrevs;

	return code - 1 < t->nr && t->list[code - 1].code == code ? &t->list[code - 1]
								  : pt_dw_abbrev_further(u, code);
}

/* False: it has no such place. */
static inline bool pt_dw_value_at(const struct pt_bytes *b, struct pt_dw_place place, uint64_t *v)
{
	struct pt_bytes at = *b;

	pt_bytes_take(&at, place.at);
	*v = pt_bytes_number(&at, place.bytes);
	return place.bytes && !at.bad;
}

/* dwarf_die.c. Reads entries of a unit from an offset on: first the code; then a read or skip
 * function moves past the attributes. */
struct pt_bytes pt_dw_unit_bytes(struct pt_dw_unit *u, uint64_t off);
void pt_dw_die_read(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b,
		    struct pt_dw_die *die);
/* Moves past attributes of several sizes. */
void pt_dw_attrs_skip(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b);
static inline void pt_dw_die_skip(struct pt_dw_unit *u, const struct pt_dw_abbrev *a,
				  struct pt_bytes *b)
{
	if (a->fixed)
		pt_bytes_take(b, a->bytes);
	else
		pt_dw_attrs_skip(u, a, b);
}
/* Skips attributes and children. */
void pt_dw_die_skip_tree(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b);

#endif
