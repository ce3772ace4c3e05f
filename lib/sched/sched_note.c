/* What a user should know of the state machine's result. */
#include <stdio.h>

#include "base/remark.h"
#include "sched/sched_priv.h"

const char *pt_sched_gaps_why(bool cpus_watched)
{
	return cpus_watched
		       ? "; CPUs were watched, not single tasks: they were lost, or left out by a filter"
		       : "; no idle task was seen to leave a CPU, as where single tasks are watched: record with -a";
}

bool pt_sched_note(const struct pt_sched *s, size_t *i, struct pt_buf *out)
{
	const struct pt_sched_counts *n = &s->n;
	const char *why = n->gaps > n->switches / 2 ? pt_sched_gaps_why(n->from_idle) : NULL;
	char idle[24];
	const struct pt_remark rows[] = {
		{ n->gaps,
		  "switch is",
		  "switches are",
		  { " missing (the task that left a CPU was not the last that had come in), ", idle,
		    " of them away from idle; times that span them are left out", why } },
		{ n->by_records,
		  "switch that the kernel did not deliver is",
		  "switches that the kernel did not deliver are",
		  { " known by a record of the task that came in, which is some microseconds late: so are its delay and the start of its run" } },
		{ n->spanning,
		  "delay",
		  "delays",
		  { " left out: of tasks that ran unseen, or across a loss" } },
		{ n->switches && !n->wakeups,
		  NULL,
		  NULL,
		  { "no wake-ups were recorded (sched:sched_waking, sched:sched_wakeup): how long woken tasks waited is not known" } },
		{ n->wakeups ? n->unwoken : 0,
		  "time a task came",
		  "times tasks came",
		  { " in after a sleep with no wake-up recorded: delay not known" } },
		{ n->late,
		  "switch is not",
		  "switches are not",
		  { " in order of time: what ran there is not known" } },
		{ n->bad,
		  "sample",
		  "samples",
		  { " that could not be used: cut short, or without time or CPU" } },
	};

	snprintf(idle, sizeof(idle), "%llu", (unsigned long long)n->idle_gaps);
	return pt_remark_next(rows, PT_NR(rows), i, out);
}
