/* dwarf_inline.h - the names of all functions of a unit that are inlined somewhere (DW_AT_inline of DW_TAG_subprogram says so), at the speed of a walk over the entries:
 * what is in front of one's way is stepped over by plans, one an abbreviation, made from .debug_abbrev for that alone. What plans do not know is read as dwarf.h does.
 *
 *     struct pt_dw_inline_plans *p = pt_dw_inline_plans_new();        // a thread's own
 *     for (...) pt_dw_inline_names(p, unit, found, arg);
 *     pt_dw_inline_plans_free(p); */
#ifndef PT_CODE_DWARF_INLINE_H
#define PT_CODE_DWARF_INLINE_H

#include "code/dwarf.h"

struct pt_dw_inline_plans;
struct pt_dw_inline_plans *pt_dw_inline_plans_new(void);
void pt_dw_inline_plans_free(struct pt_dw_inline_plans *p);

/* Of a skeleton those of its split unit. Of those with DW_INL_inlined and DW_INL_declared_inlined, as often as there are entries of them; n.name is never NULL. */
void pt_dw_inline_names(struct pt_dw_inline_plans *p, struct pt_dw_unit *dw, void (*found)(void *arg, struct pt_dw_name n), void *arg);

#endif
