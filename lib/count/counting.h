/* counting.h - runs of a counting session, printed at intervals and at the end.
 *
 *     struct pt_counting c = { .watch = &watch, .opts = { .by = PT_BY_CPU }, .style = style,
 *                              .write = write_text, .say = warn, .ctx = me };
 *     if (pt_counting_run(&c, &e) < 0 || pt_counting_print(&c, &e) < 0) ...
 *     pt_counting_deinit(&c); */
#ifndef PT_COUNT_COUNTING_H
#define PT_COUNT_COUNTING_H

#include <signal.h>

#include "count/print.h"

struct pt_counting {
	/* Set by the caller before the first run. */
	const struct pt_watch *watch;
	struct pt_counts_opts opts;
	struct pt_counts_style style;		/* the first run sets .cgroups */
	bool no_events;				/* count times only */
	bool no_merge;				/* the instances of a PMU stay apart */
	bool summary;				/* print the total even after intervals */
	bool clear_screen;			/* before each interval */
	bool replaces;				/* each text replaces the one before */
	const volatile sig_atomic_t *interrupted;	/* set: begin no more runs */
	int (*write)(void *ctx, const struct pt_buf *text, struct pt_err *e);
	void (*say)(void *ctx, const char *text);	/* a note for the user */
	void *ctx;
	struct pt_buf out;			/* to be written; the caller may begin it */
	/* Of all runs; the caller sets .table. */
	struct pt_counts_times times;
	/* Of the last run. */
	int status;				/* the command's wait status; -1: none */
	bool not_run;				/* the command could not be run */
	bool over;				/* it failed or was interrupted: no more runs */
	struct pt_counts *counts;		/* NULL before the first run */
	/* Private. */
	struct pt_counts_event *events;
	struct pt_attr *attrs;			/* as they were opened in the first run */
	size_t nr, cap_each;
	uint64_t nr_intervals;
	double last_elapsed_ns;
	bool head_printed, group_said;
};

/* 1: counted. 0: interrupted before the start. -1: it failed; intervals may have been printed. */
int pt_counting_run(struct pt_counting *c, struct pt_err *e);
/* Prints the total of all runs. */
int pt_counting_print(struct pt_counting *c, struct pt_err *e);
/* Forgets the runs so far. */
void pt_counting_restart(struct pt_counting *c);
void pt_counting_deinit(struct pt_counting *c);

#endif
