/* timechart.h - CPUs, tasks, devices and events over time as a picture (SVG), from intervals.
 *
 *     struct pt_timechart *c = pt_timechart_new(0, UINT64_MAX);
 *     pt_timechart_time(c, now_ns);               // of each event: how far time went
 *     pt_timechart_run(c, cpu, &who, from_ns, now_ns); ...
 *     pt_timechart_svg(c, &buf, &opts);
 *     pt_timechart_free(c);
 *
 * Memory and picture are bounded whatever the session's length: time is cut into bins that double
 * in length when they run out (draw/timechart_lane.h); beyond PT_TIMECHART_TASKS, tasks that ran
 * least are merged. What is narrower than a column is its share of the column; all shares are true.
 * Intervals of one CPU, and of one task, come in order of time; the others in any order.
 *
 * The SVG is complete without script, which adds what a pointer or keys ask for from data in the
 * picture. Columns become wider until it is smaller than PT_TIMECHART_BYTES. Names are copied, and
 * escaped here. Times are nanoseconds. */
#ifndef PT_DRAW_TIMECHART_H
#define PT_DRAW_TIMECHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "draw/svg.h"

enum {
	PT_TIMECHART_TASKS = 16384,
	PT_TIMECHART_BYTES = 900000,
	PT_TIMECHART_MIN_WIDTH = 480,
	PT_TIMECHART_MAX_WIDTH = 20000
};

enum pt_timechart_state {
	PT_TIMECHART_WAITS,		/* for a CPU */
	PT_TIMECHART_BLOCKED,		/* uninterruptible, mostly for input or output */
	PT_TIMECHART_SLEEPS,
	PT_TIMECHART_UNKNOWN,		/* events are missing */
};

struct pt_timechart_task {
	/* of this task only: a reused tid has another id */
	uint32_t id;
	uint32_t pid, tid;
	const char *comm;		/* at this time */
	/* not chosen: it has no row, but is named on its CPU */
	bool other;
};

/* How a task was woken. */
struct pt_timechart_wake {
	uint64_t time_ns;
	/* its id; UINT32_MAX: none (the idle task, an interrupt) or unknown */
	uint32_t waker;
	uint32_t waker_tid;		/* 0: the idle task; UINT32_MAX: unknown */
	uint32_t cpu;			/* UINT32_MAX: unknown */
};

enum pt_timechart_io { PT_TIMECHART_READ, PT_TIMECHART_WRITE, PT_TIMECHART_OTHER_IO };

struct pt_timechart;
/* 0: from the first time; UINT64_MAX: to the last one. `columns`: about as many as the picture has;
 * 0: 1000. */
struct pt_timechart *pt_timechart_new(uint64_t from_ns, uint64_t to_ns, uint32_t columns);
void pt_timechart_free(struct pt_timechart *c);

void pt_timechart_time(struct pt_timechart *c, uint64_t time_ns);
void pt_timechart_run(struct pt_timechart *c, uint32_t cpu, const struct pt_timechart_task *t,
		      uint64_t from_ns, uint64_t to_ns);
/* Off the CPU. `wake` (may be NULL): what began a wait. */
void pt_timechart_off(struct pt_timechart *c, const struct pt_timechart_task *t,
		      enum pt_timechart_state state, uint64_t from_ns, uint64_t to_ns,
		      const struct pt_timechart_wake *wake);
/* The CPU's task is unknown. */
void pt_timechart_gap(struct pt_timechart *c, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);
/* A device's request; a mark of an event. Some tens of names have a row. */
void pt_timechart_request(struct pt_timechart *c, const char *device, enum pt_timechart_io io,
			  uint64_t from_ns, uint64_t to_ns);
void pt_timechart_mark(struct pt_timechart *c, const char *event, uint64_t time_ns, uint64_t nr);
/* Records are missing here. */
void pt_timechart_lost(struct pt_timechart *c, uint64_t time_ns, uint64_t nr);

struct pt_timechart_opts {
	const char *title;		/* NULL: "CPUs and tasks over time" */
	const char *note; /* lines below the figures about what is missing; NULL: none */
	/* draws a part of the recording: command + " --time FROM,TO" + behind; NULL: unknown */
	const char *command, *behind;
	enum pt_theme theme;
	unsigned width;			/* pixels, at least PT_TIMECHART_MIN_WIDTH */
	uint64_t tasks;			/* rows of tasks, the heaviest ones; the others share one */
	bool by_start;			/* tasks in the order of their first events */
	bool no_tasks, no_cpus;		/* leave out their rows */
	uint64_t switches;		/* for the figures */
};
/* Fails if no time passed. */
int pt_timechart_svg(struct pt_timechart *c, struct pt_buf *b, const struct pt_timechart_opts *o);

#endif
