/* dyn_priv.h - what dyn.c shares with dyn_path.c (paths with odd bytes), dyn_owner.c (several
 * makers at once) and dyn_users.c (who uses an event). Nobody else includes it. */
#ifndef PT_PROBE_TRACEFS_DYN_PRIV_H
#define PT_PROBE_TRACEFS_DYN_PRIV_H

#include "probe/tracefs/dyn.h"

/* The definition d->defs[i] is gone: so is the link that it was made by, unless another one has
 * it */
void dyn_drop_link(struct pt_dyn *d, size_t i);
/* dyn_path.c: the folder is there, and nobody else can put something into it. */
bool dyn_folder_is_ours(const char *folder);
/* The event is gone. */
void dyn_disown(const struct pt_dyn *d, const char *group, const char *event);
/* ", enabled in tracefs ..., perhaps by PID (NAME)": what can be told; nothing when nothing can. */
void dyn_users(const struct pt_dyn *d, const char *group, const char *event, struct pt_buf *b);

#endif
