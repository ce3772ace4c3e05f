/* cgroup.h - control groups that events may count in.
 *
 * A name is a path below the mount point (system.slice/cron.service); the root's is empty. As for
 * perf's --for-each-cgroup, a text with one of {}[]()|*+?^$ is of patterns, one a comma: basic
 * regular expressions (GNU's: \| is "or"), found anywhere in the name. The list owns its names;
 * what patterns chose is sorted. */
#ifndef PT_EVENT_CGROUP_H
#define PT_EVENT_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_cgroups {
	char **names;
	size_t nr, cap;
};

/* The hierarchy of perf events: v1's perf_event, else v2's. The caller frees it. NULL: none is
 * mounted (message and e->sys are set). */
char *pt_cgroup_root(struct pt_err *e);
/* The folder of the group of this path below the mount point: `v2`: of v2's hierarchy, else of that
 * of pt_cgroup_root(). The caller closes it. -1: not there. */
int pt_cgroup_open(const char *name, bool v2, struct pt_err *e);
/* The path below the mount point of v2's group with this id; the caller frees it. NULL: it is not
 * there, or this user may not ask. Source: the kernel's fs/kernfs/mount.c. */
char *pt_cgroup_path(uint64_t id);
/* The id of the group in this folder, as samples have it. 0: it is gone. */
uint64_t pt_cgroup_id(const char *folder);
bool pt_cgroup_is_pattern(const char *text);
/* a,b: names without patterns; an empty one is an error. */
int pt_cgroups_split(struct pt_cgroups *c, const char *names, struct pt_err *e);
/* The groups below `root` that match a pattern. None: an error that names some existing ones
 * (e->sys is set). */
int pt_cgroups_match(struct pt_cgroups *c, const char *root, const char *patterns,
		     struct pt_err *e);
/* All groups below `root`, and itself (""). */
int pt_cgroups_all(struct pt_cgroups *c, const char *root, struct pt_err *e);
void pt_cgroups_deinit(struct pt_cgroups *c);
/* All groups of the hierarchy of perf events: the id, as samples have it, and the path, which
 * begins with a slash. None if none is mounted. */
void pt_cgroups_each(void (*got)(void *ctx, uint64_t id, const char *path), void *ctx);

#endif
