/* hierarchy.h - a profile as a tree of its keys: below each command its files, below each file its
 * functions. */
#ifndef PT_PROFILE_HIERARCHY_H
#define PT_PROFILE_HIERARCHY_H

#include "profile/table.h"

/* The levels are the keys of `o`, in their order. Of its figures, `overhead`, `sample` and `period`
 * are shown. What is below o->min_percent is left out, with all below it, and counted. Text is
 * escaped for a terminal. */
void pt_hierarchy_print(const struct pt_table_opts *o, struct pt_profile *p, struct pt_buf *b);

#endif
