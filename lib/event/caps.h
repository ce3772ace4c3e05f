/* caps.h - what this user may do: rights, namespaces, the kernel's paranoid level; and why the
 * kernel refused an event. Sources: kernel/events/core.c (perf_allow_*),
 * Documentation/admin-guide/perf-security.rst and sysctl/kernel.rst. */
#ifndef PT_EVENT_CAPS_H
#define PT_EVENT_CAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/abi.h"

enum {
	PT_CAP_SYS_PTRACE = 19,
	PT_CAP_SYS_ADMIN = 21,
	PT_CAP_SYS_RESOURCE = 24,
	PT_CAP_IPC_LOCK = 14,
	PT_CAP_DAC_READ_SEARCH = 2,
	PT_CAP_SYSLOG = 34,
	PT_CAP_PERFMON = 38,
	PT_CAP_BPF = 39
};

enum { PT_PARANOID_UNKNOWN = -100 };

struct pt_caps {
	bool root;			/* effective user 0 */
	uint64_t effective;		/* capabilities, bit n */
	bool perfmon;			/* CAP_PERFMON, or CAP_SYS_ADMIN that includes it */
	/* ours is not the machine's own: capabilities count for nothing to perf_event_open */
	bool user_namespace;
	bool seccomp;			/* system calls are filtered (containers) */
	/* kernel.perf_event_paranoid; PT_PARANOID_UNKNOWN: cannot be read */
	int paranoid;
	bool no_perf_events;		/* the kernel says that it has none */
};

void pt_caps_get(struct pt_caps *c);
/* The same where /proc lies below `root` ("": the real one), for tests; the effective user stays
 * this process's. */
void pt_caps_get_at(struct pt_caps *c, const char *root);

/* perf_event_open(2) failed with EACCES or EPERM: the whole message, with the command that would
 * lift it. `what`: the event's name; `task`: it was for tasks, not for whole CPUs. Sets e->sys,
 * returns -1. (open.h's pt_open_error() is for all errors.) */
int pt_caps_refused(struct pt_err *e, int sys, const char *what, const struct pt_attr *attr,
		    bool task);
/* The paranoid level up to which an ordinary user may open it, and what it is called
 * ("tracepoints"). */
int pt_caps_level(const struct pt_attr *attr, bool task, const char **what);

#endif
