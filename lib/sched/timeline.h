/* timeline.h - the scheduler's events as intervals: a task runs on a CPU, waits for one, is blocked
 * or sleeps; it is unknown what a CPU ran.
 *
 *     struct pt_timeline *t = pt_timeline_new(take, me);
 *     while (pt_source_next(src, &rec, &e) > 0)
 *             kind = pt_timeline_feed(t, rec, &ev, &e);       // every record; as pt_sched_feed()
 *     pt_timeline_end(t, last_ns);                            // ends what still goes on
 *
 * Intervals are reported in the order of their ends. Those of one CPU do not overlap, nor do those
 * of one task. Where the state machine (sched/sched.h) lacks knowledge, a task has no interval and
 * a CPU has a gap: missing switches, the time before the first switch, and from a loss to the next
 * switch. A sleep without a known wake-up is taken to last until the task runs. The tasks in
 * intervals belong to the state machine and are valid until the callback returns. */
#ifndef PT_SCHED_TIMELINE_H
#define PT_SCHED_TIMELINE_H

#include "sched/sched.h"

enum pt_interval_kind {
	PT_INTERVAL_RUNS,
	PT_INTERVAL_WAITS,		/* for a CPU: woken, preempted or new */
	PT_INTERVAL_BLOCKED,		/* state D */
	PT_INTERVAL_SLEEPS,		/* any other */
	PT_INTERVAL_GAP,		/* of a CPU: unknown */
};

struct pt_interval {
	enum pt_interval_kind kind;
	const struct pt_sched_task *task;	/* NULL: GAP */
	/* RUNS, GAP; WAITS: where it will run, PT_SCHED_NO_CPU if unknown */
	int32_t cpu;
	uint64_t from_ns, to_ns;
	bool woken;			/* WAITS: its wake-up was seen; then: */
	uint32_t waker_nr;		/* task->nr; UINT32_MAX: unknown, or an idle task */
	/* 0: an idle task (an interrupt); UINT32_MAX: unknown */
	uint32_t waker_tid;
	int32_t waker_cpu;
};

struct pt_timeline;
struct pt_timeline *pt_timeline_new(void (*take)(void *arg, const struct pt_interval *i),
				    void *arg);
void pt_timeline_free(struct pt_timeline *t);
int pt_timeline_feed(struct pt_timeline *t, const struct pt_record *rec, struct pt_sched_event *ev,
		     struct pt_err *e);
void pt_timeline_end(struct pt_timeline *t, uint64_t time_ns);
/* for its notes and counters; owned by the timeline */
struct pt_sched *pt_timeline_sched(struct pt_timeline *t);

#endif
