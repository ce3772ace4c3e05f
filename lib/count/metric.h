/* metric.h - figures derived from counts, as perf stat derives them: CPUs used, GHz, instructions
 * per cycle, shares of misses, rates; top-down level 1.
 *
 * A figure takes its other operand (cycles of instructions, loads of misses) from the same row and
 * of the same kind (user, kernel, hypervisor, guest). Source: perf-stat(1); for top-down: A. Yasin,
 * "A Top-Down Method for Performance Analysis and Counters Architecture", ISPASS 2014. */
#ifndef PT_COUNT_METRIC_H
#define PT_COUNT_METRIC_H

#include "count/counts.h"

enum { PT_METRICS_MAX = 2 };

struct pt_metric {
	double value;
	uint8_t width, decimals;	/* of the value, in the table */
	const char *after;		/* what follows the value at once: "%", " " */
	char unit[40];
	double base;			/* value * base: in whole units ("K/sec": 1000) */
	int grade;			/* 0 ordinary, 1 to 3 worth a look: yellow, magenta, red */
};

/* Its unit is "/sec", "K/sec", "M/sec" or "G/sec". */
bool pt_metric_is_rate(const struct pt_metric *m);

enum pt_counts_which { PT_COUNTS_INTERVAL, PT_COUNTS_TOTAL };

/* An event's value in a row: the mean of several runs. */
double pt_counts_value(const struct pt_counts *c, const struct pt_counts_row *row, size_t event,
		       enum pt_counts_which which);
/* Fills the figures of an event's line, returns their number. `elapsed_ns`: time that the counts
 * span. */
size_t pt_counts_metrics(const struct pt_counts *c, const struct pt_counts_row *row, size_t event,
			 enum pt_counts_which which, double elapsed_ns,
			 struct pt_metric out[PT_METRICS_MAX]);

#endif
