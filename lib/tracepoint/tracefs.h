/* tracefs.h - where this machine's tracefs is, by libtracefs, which also reads and writes its
 * files. */
#ifndef PT_TRACEPOINT_TRACEFS_H
#define PT_TRACEPOINT_TRACEFS_H

#include <stdbool.h>
#include <tracefs.h>

#include "base/buf.h"
#include "base/err.h"

/* "/sys/kernel/tracing" or where it is mounted; mounts it if it is not and this user may. The text
 * lives as long as the process. Errors have advice (mount, groups). */
int pt_tracefs_find(const char **path, struct pt_err *e);

/* Appends a whole file, "uprobe_events". 0 (it may be empty), or the errno. */
int pt_tracefs_read(struct tracefs_instance *fs, const char *file, struct pt_buf *b);

#endif
