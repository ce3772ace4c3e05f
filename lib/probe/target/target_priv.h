/* target_priv.h - shared by target.c and target_split.c */
#ifndef PT_PROBE_TARGET_TARGET_PRIV_H
#define PT_PROBE_TARGET_TARGET_PRIV_H

#include "probe/target/target.h"

/* Debug information without a unit, which keeps libdw from searching an alternate file. */
struct pt_split *pt_split_nothing(const struct pt_object *like, Dwarf **dw);
void pt_split_free(struct pt_split *s);

#endif
