/* functions_priv.h - between the files of functions.h. */
#ifndef PT_PROBE_WHERE_FUNCTIONS_PRIV_H
#define PT_PROBE_WHERE_FUNCTIONS_PRIV_H

#include "probe/where/functions.h"

/* An entry: where its line begins in the text; it ends where the next one's begins. Other names of
 * an entry are those that read the same when they are shown (the mangled one, mostly), when there
 * is one that stands otherwise; each ends in NUL, those of an entry end where those of the next one
 * begin. */
enum { PT_FN_TEXT_MAX = 1 << 30 };
#define PT_FN_INLINED (1u << 30)
#define PT_FN_IFUNC (1u << 31)
#define PT_FN_AT(entry) ((entry) & (PT_FN_TEXT_MAX - 1u))
#define PT_FN_INLINED_MARK "\t(inlined)"

/* functions_read.c: reads the list into l->own; `mangled`: the other names, too. Returns false if
 * some units are in files of their own: such a list is not kept. */
bool pt_fn_read(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled);

/* functions_kept.c. */
/* inlined: the list with these; mangled: these names, too */
bool pt_fn_get_kept(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled);
void pt_fn_put_kept(const struct pt_functions *l, struct pt_target *t, bool inlined);

#endif
