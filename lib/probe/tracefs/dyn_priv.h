/* dyn_priv.h - shared by dyn.c, dyn_path.c (paths with odd bytes), dyn_owner.c (several makers at
 * once) and dyn_users.c (who uses an event) */
#ifndef PT_PROBE_TRACEFS_DYN_PRIV_H
#define PT_PROBE_TRACEFS_DYN_PRIV_H

#include "probe/tracefs/dyn.h"

/* A probe of this path was removed: if it is our link and no other one uses it, it goes, too. */
void dyn_drop_link(const struct pt_dyn *d, const char *path);
/* dyn_path.c: the folder exists, and nobody else can put something into it. */
bool dyn_folder_is_ours(const char *folder);
/* Appends ", enabled in tracefs ..., perhaps by PID (NAME)"; nothing if nothing is known. */
void dyn_users(const struct pt_dyn *d, const char *group, const char *event, struct pt_buf *b);

#endif
