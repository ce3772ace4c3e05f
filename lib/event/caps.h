/* caps.h - what this user may do (capabilities, namespaces, the paranoid level), and why the kernel
 * refused an event. Sources: kernel/events/core.c (perf_allow_*), perf-security.rst and
 * sysctl/kernel.rst of the kernel's Documentation/admin-guide. */
#ifndef PT_EVENT_CAPS_H
#define PT_EVENT_CAPS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/abi.h"

enum {
	PT_CAP_SYS_ADMIN = 21,
	PT_CAP_SYS_RESOURCE = 24,
	PT_CAP_IPC_LOCK = 14,
	PT_CAP_PERFMON = 38,
	PT_CAP_BPF = 39
};

enum { PT_PARANOID_UNKNOWN = -100 };

struct pt_caps {
	bool root;			/* effective user 0 */
	uint64_t effective;		/* capabilities, bit n */
	bool perfmon;			/* CAP_PERFMON, or CAP_SYS_ADMIN that includes it */
	bool user_namespace;		/* its capabilities do not count for perf_event_open */
	bool seccomp;			/* system calls are filtered (containers) */
	int paranoid;			/* kernel.perf_event_paranoid, or PT_PARANOID_UNKNOWN */
	bool no_perf_events;		/* the kernel has no perf events */
};

void pt_caps_get(struct pt_caps *c);
/* The same with `root` in front of /proc, for tests; the user is this process's. */
void pt_caps_get_at(struct pt_caps *c, const char *root);

static inline bool pt_is_refusal(int sys) { return sys == EACCES || sys == EPERM; }
/* For pt_open_error(): the message for EACCES or EPERM. `what`: the event's name; `task`: it is for
 * tasks, not for whole CPUs. Sets e->sys, returns -1. */
int pt_caps_refused(struct pt_err *e, int sys, const char *what, const struct pt_attr *attr,
		    bool task);
/* The highest paranoid level at which an ordinary user may open it, and its class ("tracepoints").
 */
int pt_caps_level(const struct pt_attr *attr, bool task, const char **what);

#endif
