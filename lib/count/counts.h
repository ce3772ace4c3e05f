/* counts.h - readings of counters, added up by CPU, core, socket, task ..., for intervals, runs and
 * in total.
 *
 *     struct pt_counts *c = pt_counts_new(&opts, events, nr);
 *     pt_session_read(s, &e); pt_counts_take(c, s);      // what came since the last time
 *     pt_counts_print(c, PT_COUNTS_INTERVAL, &style, out);   // see count/print.h
 *     pt_counts_end_run(c);                              // of several: mean and spread
 *
 * With more events than hardware counters, each counter runs for a part of the time. Its value is
 * scaled by enabled / running before it is added. Intervals add up to the total. */
#ifndef PT_COUNT_COUNTS_H
#define PT_COUNT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "event/topology.h"
#include "record/watch/session.h"

enum pt_counts_by {
	PT_BY_ALL,
	PT_BY_CPU,
	PT_BY_CORE,
	PT_BY_CLUSTER,
	PT_BY_CACHE,
	PT_BY_DIE,
	PT_BY_SOCKET,
	PT_BY_NODE,
	PT_BY_THREAD
};

struct pt_counts_event {
	const char *name, *unit;	/* unit "" when there is none */
	double scale;			/* what is shown: count * scale */
	const struct pt_attr *attr;
	/* added to that event (another instance of its PMU); its own index: to none */
	int same_as;
	bool last;			/* a state, not a sum: the newest value (.snapshot) */
	bool own;			/* not a counter: the tool feeds it */
	const char *cgroup;		/* NULL: all */
};

struct pt_counts_cell {
	double value;			/* scaled to the whole time, not by the event's scale */
	uint64_t enabled_ns, running_ns;	/* sums */
	uint32_t nr;			/* counters */
};

struct pt_counts_stat { uint64_t n; double mean, m2; };	/* Welford's */

struct pt_counts_row {
	int cpu, tid;			/* -1: the row is of several */
	struct pt_cpu_place place;	/* -1 in what is added up */
	char comm[16];			/* of tid */
	int nr_cpus;
	/* of each event: since the last take, and of the run */
	struct pt_counts_cell *now, *total;
	struct pt_counts_stat *runs;
};

struct pt_counts_opts {
	enum pt_counts_by by;
	int cache_level;		/* for PT_BY_CACHE; 0: the highest */
	bool no_scale;
	uint32_t metrics;		/* bits 1 << PT_METRIC_*: figures to show; 0: all */
	const char *sysfs;		/* NULL: /sys */
};

struct pt_counts {
	struct pt_counts_opts opts;
	struct pt_counts_event *events;
	size_t nr;
	bool *supported;		/* of each event */
	/* in order: by CPU, by place, by tid */
	struct pt_counts_row *rows;
	size_t nr_rows, cap_rows;
	uint64_t nr_runs;
	/* Private. */
	struct pt_map row_of;		/* CPU, or tid: index of its row */
	struct before { uint64_t value, enabled_ns, running_ns; } **before;
	size_t *nr_before;		/* each counter's previous reading */
};

/* Keeps pointers to the events' strings and attributes. */
struct pt_counts *pt_counts_new(const struct pt_counts_opts *o,
				const struct pt_counts_event *events, size_t nr);
void pt_counts_free(struct pt_counts *c);
/* Adds a reading of an event's k-th counter, which stays the same until pt_counts_end_run(). */
void pt_counts_feed(struct pt_counts *c, size_t event, size_t k,
		    const struct pt_session_reading *r);
/* Begins an interval and adds all that the session read. */
void pt_counts_take(struct pt_counts *c, struct pt_session *s);
void pt_counts_begin(struct pt_counts *c);	/* the first part of it: begins an interval */
/* Adds the run's totals to mean and spread; the next run begins at 0. */
void pt_counts_end_run(struct pt_counts *c);

/* The standard error of the mean, as in perf stat; 0 for fewer than 2 runs. */
double pt_counts_spread(const struct pt_counts_stat *s);
void pt_counts_stat_add(struct pt_counts_stat *s, double v);

#endif
