/* hierarchy.h - a profile as a tree of its keys: below each command its files, below each file its
 * functions. */
#ifndef PT_PROFILE_HIERARCHY_H
#define PT_PROFILE_HIERARCHY_H

#include "profile/table.h"

/* The levels are the keys of `o`, in their order. Of its figures, `overhead`, `sample` and `period`
 * are shown. What is below o->min_percent is left out, with all below it, and counted. `calls`: as
 * pt_table_print() has them, below the last level. Text is escaped for a terminal. `p` has no rows
 * of callers. */
void pt_hierarchy_print(const struct pt_table_opts *o, struct pt_profile *p,
			const struct pt_calltree_opts *calls, struct pt_buf *b);
/* An object for each line of the text, with its level, from 0 on, and its key. */
void pt_hierarchy_json(const struct pt_table_opts *o, struct pt_profile *p, const char *event,
		       struct pt_buf *b);

#endif
