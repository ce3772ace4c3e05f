/* offcpu.h - off-CPU time: how long tasks were blocked, by the stack with which they left their
 * CPU.
 *
 *     while (pt_source_next(...) > 0) {
 *             if (pt_offcpu_back(o, rec, &w)) ...             // a wait is over
 *                     w.comm, w.places, w.nr, w.ns
 *             if (pt_offcpu_leaves(rec))
 *                     pt_offcpu_leave(o, rec, comm, places, nr);
 *     }
 *     for (i = 0; pt_offcpu_open(o, &i, end_ns, &w); ) ...    // waits that have not ended
 *
 * A wait begins at the sched:sched_switch by which a task leaves its CPU blocked. It ends when the
 * task comes in again: at another task's sched_switch (next_pid), or at the task's own
 * PERF_RECORD_SWITCH, which sessions that watch single tasks need. The time from its wake-up until
 * it gets a CPU is included. Preempted tasks do not wait, nor do those that a tracer has halted.
 *
 * Left out and counted are waits with an unknown end: the task leaves again without having come in
 * (the kernel lost the switch), or records were lost meanwhile. Fields: the kernel's own format of
 * sched_switch. */
#ifndef PT_SCHED_OFFCPU_H
#define PT_SCHED_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/format/record.h"

struct pt_offcpu;

struct pt_wait {
	const char *comm;
	/* valid until the next call */
	const void *const *places;
	size_t nr;
	uint64_t ns;
};

struct pt_offcpu *pt_offcpu_new(void);
void pt_offcpu_free(struct pt_offcpu *o);
/* True: the record ends a wait whose start was seen. To be called for every record, before
 * pt_offcpu_leave(). */
bool pt_offcpu_back(struct pt_offcpu *o, const struct pt_record *rec, struct pt_wait *w);
/* True: the record is a sched_switch by which a task (not an idle one) leaves blocked. */
bool pt_offcpu_leaves(const struct pt_record *rec);
/* Copies `comm` and the pointers `places`. */
void pt_offcpu_leave(struct pt_offcpu *o, const struct pt_record *rec, const char *comm,
		     const void *const *places, size_t nr);

/* When all records were given: the waits that lasted at end_ns, each with its time until then; *i
 * is 0 at first. Leaves out those that a loss may have ended, and all where the recorder was in a
 * pid namespace of its own: the ends of waits are not known there. */
bool pt_offcpu_open(struct pt_offcpu *o, size_t *i, uint64_t end_ns, struct pt_wait *w);

/* True: the task came in or left at least once, or that cannot be known. A task that did neither
 * and waits now has waited all the time. */
bool pt_offcpu_seen(const struct pt_offcpu *o, uint32_t tid);

struct pt_offcpu_counts {
	uint64_t switches, waits;
	/* waits left out: a switch of the task was, or may have been, missed */
	uint64_t gaps;
	uint64_t open;			/* tasks that still wait */
};
struct pt_offcpu_counts pt_offcpu_counts(const struct pt_offcpu *o);

#endif
