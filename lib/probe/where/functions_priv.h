/* functions_priv.h - shared by the files of functions.h */
#ifndef PT_PROBE_WHERE_FUNCTIONS_PRIV_H
#define PT_PROBE_WHERE_FUNCTIONS_PRIV_H

#include "probe/where/functions.h"

/* The offset of an entry's line in the text; it ends at the next one's. The other names of an entry
 * (mostly the mangled one) are those that are shown as the same text. Each ends in NUL, those of an
 * entry end where the next one's begin. */
enum { PT_FN_TEXT_MAX = 1 << 30 };
#define PT_FN_INLINED (1u << 30)
#define PT_FN_IFUNC (1u << 31)
#define PT_FN_AT(entry) ((entry) & (PT_FN_TEXT_MAX - 1u))
#define PT_FN_INLINED_MARK "\t(inlined)"

/* functions_read.c: reads the list into l->own; `mangled`: also the other names. False: some units
 * are in files of their own; such a list is not kept. */
bool pt_fn_read(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled);

/* functions_kept.c. */
/* inlined: the list with inlined functions; mangled: also their mangled names */
bool pt_fn_get_kept(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled);
void pt_fn_put_kept(const struct pt_functions *l, struct pt_target *t, bool inlined);

#endif
