/* dwo.h - split units for libdw, which up to 0.191 reads no packages (.dwp), and of .dwo files one section of each name: their type units stand in others.
 * Nor may libdw open the files that debug information names: it opens whatever has the name (base/untrusted.h).
 *
 * What the package's indexes say is the unit's (and that of the type units it refers to) becomes a .dwo in memory, beside a skeleton that names it; libdw reads both as files.
 * Strings are copied as far as the unit's tables name them. Type units that come from other .dwo files have their own tables of strings and abbreviations: these say where
 * theirs begin by an attribute that takes no room in the unit (DW_FORM_implicit_const).
 * Sources: DWARF 5 sections 3.1.2, 3.1.3, 7.3.5, appendix F; gcc.gnu.org/wiki/DebugFission, DebugFissionDWP. */
#ifndef PT_PROBE_TARGET_DWO_H
#define PT_PROBE_TARGET_DWO_H

#include <elfutils/libdw.h>

#include "base/err.h"
#include "dwarf/dwarf.h"

struct pt_dwo;

/* Whether libdw needs this to read a unit: it is a split one. */
bool pt_dwo_needed(const struct pt_dw_unit *u);
/* Debug information with nothing in it: an alternate file for libdw where there is none, so that it
 * does not look for one by itself. NULL: there is no memory. */
Dwarf *pt_dwo_nothing(const struct pt_object *like);
/* Offsets of the unit's entries count from here. */
uint64_t pt_dwo_base(const struct pt_dw_unit *u);
/* NULL and e: it is damaged, too large, or there is no memory file to be had (no /proc). */
struct pt_dwo *pt_dwo_new(struct pt_dw_unit *split, struct pt_err *e);
/* The split unit's root. */
void pt_dwo_unit(const struct pt_dwo *d, Dwarf_Die *cu);
void pt_dwo_free(struct pt_dwo *d);

#endif
