/* timehist.h - a line for each switch, in the layout of perf sched timehist: when and where a task
 * left its CPU, how long it had been off it, waited for it and run.
 *
 *     struct pt_timehist *h = pt_timehist_new(&opts, sched);
 *     pt_timehist_header(h, &out);
 *     while (pt_source_next(src, &rec, &e) > 0)
 *             if (pt_sched_feed(sched, rec, &ev, &e) > PT_SCHED_NOTHING)
 *                     pt_timehist_feed(h, &ev, rec, &out);     // adds lines
 *     pt_timehist_summary(h, &out);
 *     pt_timehist_free(h);                                     // before pt_sched_free()
 *
 * Unknown figures are "-" (perf prints 0.000, or a time across missing events). It uses task->user;
 * a summary needs pt_sched_opts.keep_ended. Times are in nanoseconds of the recording's clock, and
 * are printed truncated to microseconds, as in perf. Source of the layout: `perf sched timehist` of
 * perf 6.1. */
#ifndef PT_SCHED_TIMEHIST_H
#define PT_SCHED_TIMEHIST_H

#include "base/buf.h"
#include "stack/frames.h"
#include "sched/sched.h"
#include "task/choose.h"

enum { PT_TIMEHIST_STACK = 5 };		/* default number of frames */

struct pt_timehist_opts {
	bool next, wakeups, migrations, visual, state;
	/* only switches to and from idle; the summary has idle times by the task that caused them
	 */
	bool idle;
	/* the delay column includes waits of preempted tasks, which perf has only in the wait time
	 */
	bool preempted;
	bool no_lines;			/* summary only */
	bool summary;
	unsigned nr_cpus; /* CPUs of the machine, as far as known: columns of `visual` */
	/* times, CPUs and tasks whose lines are wanted; it has started before the first event */
	const struct pt_choose *choose;
};

struct pt_timehist;
struct pt_timehist *pt_timehist_new(const struct pt_timehist_opts *o, struct pt_sched *s);
void pt_timehist_free(struct pt_timehist *h);
/* Shows call chains from now on; NULL: none. The caller owns the frames. */
void pt_timehist_frames(struct pt_timehist *h, struct pt_frames *f);
void pt_timehist_header(struct pt_timehist *h, struct pt_buf *out);
/* rec: the event's record. */
void pt_timehist_feed(struct pt_timehist *h, const struct pt_sched_event *ev,
		      const struct pt_record *rec, struct pt_buf *out);
void pt_timehist_summary(struct pt_timehist *h, struct pt_buf *out);

#endif
