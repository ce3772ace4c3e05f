/* target_priv.h - between target.c and target_split.c. Nobody else includes it. */
#ifndef PT_PROBE_TARGET_TARGET_PRIV_H
#define PT_PROBE_TARGET_TARGET_PRIV_H

#include "probe/target/target.h"

/* Debug information without a unit: libdw looks for no alternate file when it has this one. */
struct pt_split *pt_split_nothing(const struct pt_object *like, Dwarf **dw);
void pt_split_free(struct pt_split *s);

#endif
