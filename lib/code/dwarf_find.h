/* dwarf_find.h - which units may have a function of a certain name, told without reading their entries.
 *
 * A name that stands in .debug_str is named by its offset: four bytes that must stand in the unit (DW_FORM_strp), or in its table of offsets (DW_FORM_strx). So .debug_str is
 * searched for the name first, then .debug_info for what was found, at the speed of memory. Linkers keep one of strings of which one is the other's end: a name may begin within a
 * longer string, and any of its offsets is one. Names may also stand in the entries themselves (DW_FORM_string).
 *
 * "May": the bytes may be something else; but a unit without is without. What this cannot tell is said to have it: units whose functions stem from entries of other units (as
 * link time optimisation, dwz and type units have it) or have names of an alternate file, units of 64-bit DWARF, damaged ones.
 * Sources: DWARF 5 sections 7.5.3 (abbreviations), 7.26 (.debug_str_offsets). */
#ifndef PT_CODE_DWARF_FIND_H
#define PT_CODE_DWARF_FIND_H

#include "code/dwarf.h"

struct pt_dw_find_opts {
	const char *want, *also;	/* the name; another one, NULL: none (without what it is in, which debug information may tell by where the entry stands) */
	const char *word;		/* that stands in any name which is one, and in these; not empty */
	/* Whether a function of that name, plain or mangled, is one that is looked for. Of other names than these only those are asked that are mangled, or hold one of "<: ". */
	bool (*is)(void *arg, const char *name);
	void *arg;
};

struct pt_dw_find;
/* The options, and what they point to, must live as long. */
struct pt_dw_find *pt_dw_find_new(const struct pt_dw_find_opts *o);
void pt_dw_find_free(struct pt_dw_find *f);

/* False: no function of the unit has such a name, nor stems from one, nor is one inlined into it. Of a skeleton: true, ask for the split unit. */
bool pt_dw_find_may(struct pt_dw_find *f, struct pt_dw_unit *u);
/* Offsets, ascending, among which are those of all entries of such functions in the unit, and of all that is inlined of them; *v is the caller's. False: they cannot be told. */
bool pt_dw_find_places(struct pt_dw_find *f, struct pt_dw_unit *u, uint64_t **v, size_t *nr);

#endif
