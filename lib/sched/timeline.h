/* timeline.h - the scheduler's timeline as intervals: a task runs on a CPU, waits for one, is
 * blocked, sleeps; nobody knows what a CPU ran.
 *
 *     struct pt_timeline *t = pt_timeline_new(take, me);
 *     while (pt_source_next(src, &rec, &e) > 0)
 *             // every record; what pt_sched_feed() says of it
 *             kind = pt_timeline_feed(t, rec, &ev, &e);
 *     pt_timeline_end(t, last_ns);                            // what still goes on then
 *
 * An interval comes when it ends, so in order of ends; those of one CPU, and those of one task, do
 * not overlap. What the state machine (sched/sched.h) does not know is no interval of a task, and a
 * gap of its CPU: switches that are missing, what ran before the first switch, and after a loss up
 * to the next one. A sleep without a known wake-up is taken to have lasted until the task ran. The
 * tasks in intervals are the state machine's, good until the callback returns. */
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
