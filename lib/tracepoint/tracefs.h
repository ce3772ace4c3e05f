/* tracefs.h - where this machine's tracefs is, by libtracefs, which also reads and writes its
 * files: pt_tracefs_at() makes the `struct tracefs_instance` for its calls */
#ifndef PT_TRACEPOINT_TRACEFS_H
#define PT_TRACEPOINT_TRACEFS_H

#include <stdbool.h>
#include <tracefs.h>

#include "base/buf.h"
#include "base/err.h"

/* "/sys/kernel/tracing" or where it is mounted; mounts it if it is not and this user may. The text
 * lives as long as the process. Errors have advice (mount, groups). */
int pt_tracefs_find(const char **path, struct pt_err *e);

/* A handle for libtracefs's calls in any folder (tests). The caller frees it with
 * tracefs_instance_free(). NULL: there is no such folder. */
struct tracefs_instance *pt_tracefs_at(const char *path);

/* Appends a whole file, "uprobe_events". 0 (it may be empty), or the errno. */
int pt_tracefs_read(struct tracefs_instance *fs, const char *file, struct pt_buf *b);

#endif
