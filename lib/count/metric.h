/* metric.h - figures derived from counts, as perf stat derives them: CPUs used, GHz, instructions
 * per cycle, shares of misses, rates; top-down level 1.
 *
 * A figure takes its other operand (cycles of instructions, loads of misses) from the same row and
 * of the same kind (user, kernel, hypervisor, guest). Those with a name can be asked for; only they
 * are then shown, under that name. Source: perf-stat(1); for top-down: A. Yasin,
 * "A Top-Down Method for Performance Analysis and Counters Architecture", ISPASS 2014. */
#ifndef PT_COUNT_METRIC_H
#define PT_COUNT_METRIC_H

#include "base/words.h"
#include "count/counts.h"

enum { PT_METRICS_MAX = 2 };

/* Figures that have a name; see metric_names.c. */
enum pt_metric_id {
	PT_METRIC_NO_NAME,
	PT_METRIC_CPUS,
	PT_METRIC_SWITCHES,
	PT_METRIC_MIGRATIONS,
	PT_METRIC_FAULTS,
	PT_METRIC_INSNS,
	PT_METRIC_STALLS,
	PT_METRIC_FRONTEND,
	PT_METRIC_BACKEND,
	PT_METRIC_FREQUENCY,
	PT_METRIC_BRANCHES,
	PT_METRIC_BRANCH_MISSES,
	PT_METRIC_CACHE_MISSES,
	PT_METRIC_L1D_MISSES,
	PT_METRIC_LL_MISSES,
	PT_METRIC_L1I_MISSES,
	PT_METRIC_DTLB_MISSES,
	PT_METRIC_ITLB_MISSES,
	PT_METRIC_TOP_RETIRING,
	PT_METRIC_TOP_BAD_SPECULATION,
	PT_METRIC_TOP_FRONTEND,
	PT_METRIC_TOP_BACKEND,
	PT_METRIC_END,
};

struct pt_metric {
	enum pt_metric_id id;
	double value;
	uint8_t width, decimals;	/* of the value, in the table */
	const char *after;		/* what follows the value at once: "%", " " */
	const char *unit;
	double base;			/* value * base: in whole units ("K/sec": 1000) */
	int grade;			/* 0 ordinary, 1 to 3 worth a look: yellow, magenta, red */
};

/* Its unit is "/sec", "K/sec", "M/sec" or "G/sec". */
bool pt_metric_is_rate(const struct pt_metric *m);

/* PT_COUNTS_ONES: as if each supported event had counted 1, which tells what figures a row can
 * have. */
enum pt_counts_which { PT_COUNTS_INTERVAL, PT_COUNTS_TOTAL, PT_COUNTS_ONES };

/* An event's value in a row: the mean of several runs. */
double pt_counts_value(const struct pt_counts *c, const struct pt_counts_row *row, size_t event,
		       enum pt_counts_which which);
/* Fills the figures of an event's line, returns their number. `elapsed_ns`: time that the counts
 * span. */
size_t pt_counts_metrics(const struct pt_counts *c, const struct pt_counts_row *row, size_t event,
			 enum pt_counts_which which, double elapsed_ns,
			 struct pt_metric out[PT_METRICS_MAX]);

struct pt_metric_name {
	const char *name, *group, *what;
	/* The events that it takes. "topdown": those of pt_counts_topdown_events(). "clock":
	 * task-clock or cpu-clock. */
	const char *hardware[3], *software[2];
	const char *also;		/* another name; NULL */
};
/* NULL: PT_METRIC_NO_NAME. */
const struct pt_metric_name *pt_metric_name(enum pt_metric_id id);
/* Of names and groups of pt-stat -M, "insn_per_cycle" or "Default2": which figures these are (bits
 * 1 << id, for struct pt_counts_opts), and their events as -e takes them. `tasks`: tasks are
 * counted, not CPUs. */
int pt_metrics_parse(const struct pt_strs *words, bool tasks, uint32_t *which,
		     struct pt_buf *events, struct pt_err *e);

#endif
