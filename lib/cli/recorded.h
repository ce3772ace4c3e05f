/* recorded.h - events that pt-record watches beside those that the user names. Both are called once
 * pt_watch_ready() has looked those up. */
#ifndef PT_CLI_RECORDED_H
#define PT_CLI_RECORDED_H

#include "cli/watch.h"

/* With --sched: sched:sched_stat_runtime, which perf sched latency needs for run times. pt's own
 * tools compute them from switches. */
int pt_recorded_run_times(struct pt_watch_args *w, struct pt_err *e);
/* What pt-stack --off-cpu reads: each switch away from a task, with its stack; by frame pointers,
 * unless all events have call chains. */
int pt_recorded_off_cpu(struct pt_watch_args *w, bool all_have_chains, struct pt_err *e);

#endif
