/* collect_opts.h - what to collect: what pt_collect_open() is told, and its programs go by. */
#ifndef PT_SYSCALL_COLLECT_OPTS_H
#define PT_SYSCALL_COLLECT_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "syscall/layout.h"

/* What identifies a row of sums. */
enum pt_sum_by { PT_SUM_TOTAL, PT_SUM_THREAD, PT_SUM_CGROUP };

struct pt_collect_opts {
	bool all;			/* all tasks but this process */
	const char *cgroup;		/* with all: those below this path of cgroup v2; or NULL */
	bool of_user;			/* with all: those of uid */
	uint32_t uid;
	const int *pids, *tids;		/* processes with all their threads; threads */
	size_t nr_pids, nr_tids;
	/* by slot; which calls to write (their memory is read as plans say) */
	const struct pt_plan *plans;
	bool lines, sum;		/* records of calls; sums of them */
	enum pt_sum_by by;
	bool failed, succeeded;		/* only such calls */
	const int *errnos;		/* only these errors; NULL: all */
	size_t nr_errnos;
	uint64_t longer_ns;		/* only calls that took at least that */
	uint64_t signals;		/* bit n-1: signal n is written */
	bool exits;			/* exits of tasks are written */
	uint16_t text_max;		/* of strings that are no paths, NUL included */
	uint32_t ring_bytes;		/* of each CPU, a power of two; 0: chosen */
	/* Calls go through the session's own rings, with stacks, as samples of its first event,
	 * "bpf-output" on all CPUs. */
	bool perf_rings;
	uint64_t delay_ns;
};

#endif
