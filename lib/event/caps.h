/* caps.h - why the kernel said no, and the exact command that would make it say yes.
 *
 * Each pt_caps_explain_*() fills `e` with a whole message (what, why, what to do), sets e->sys and returns -1:
 *
 *     fd = perf_event_open(...);
 *     if (fd < 0)
 *             return pt_caps_explain_open(e, errno, spec->name, &attr, pid, cpu);
 *     // "sched:sched_switch: all CPUs may not be watched by this user (perf_event_paranoid is 2, and no CAP_PERFMON): run as root, or
 *     //  sudo sysctl kernel.perf_event_paranoid=-1"
 *
 * Sources: kernel/events/core.c (perf_allow_*), Documentation/admin-guide/perf-security.rst and sysctl/kernel.rst. */
#ifndef PT_EVENT_CAPS_H
#define PT_EVENT_CAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/abi.h"

enum { PT_CAP_SYS_PTRACE = 19, PT_CAP_SYS_ADMIN = 21, PT_CAP_SYS_RESOURCE = 24, PT_CAP_IPC_LOCK = 14, PT_CAP_DAC_READ_SEARCH = 2, PT_CAP_SYSLOG = 34,
       PT_CAP_PERFMON = 38, PT_CAP_BPF = 39 };

enum { PT_PARANOID_UNKNOWN = -100 };

struct pt_caps {
	bool root;			/* effective user 0 */
	uint64_t effective;		/* capabilities, bit n */
	bool perfmon;			/* CAP_PERFMON, or CAP_SYS_ADMIN that includes it */
	bool user_namespace;		/* ours is not the machine's own: capabilities count for nothing to perf_event_open */
	bool seccomp;			/* system calls are filtered (containers) */
	int paranoid;			/* kernel.perf_event_paranoid; PT_PARANOID_UNKNOWN: cannot be read */
	bool no_perf_events;		/* the kernel says that it has none */
};

void pt_caps_get(struct pt_caps *c);

/* perf_event_open(2) failed with errno `sys`. `what`: the event's name. pid -1: all tasks; cpu -1: any. attr may be NULL. */
int pt_caps_explain_open(struct pt_err *e, int sys, const char *what, const struct pt_attr *attr, pid_t pid, int cpu);
/* mmap(2) of a ring of `bytes` failed. */
int pt_caps_explain_mmap(struct pt_err *e, int sys, uint64_t bytes);
/* A file of tracefs could not be found, read or written. `path` NULL: tracefs itself was not found. */
int pt_caps_explain_tracefs(struct pt_err *e, int sys, const char *path);

/* "sudo " for an ordinary user, "" for root: in front of a command that is shown. */
const char *pt_caps_sudo(void);

#endif
