/* print_priv.h - what the forms share: print.c chooses one, print_table.c, print_csv.c,
 * print_json.c and print_openmetrics.c are one each. */
#ifndef PT_COUNT_PRINT_PRIV_H
#define PT_COUNT_PRINT_PRIV_H

#include "count/print.h"

/* A count, whatever its form. */
struct pt_counts_line {
	const struct pt_counts_event *event;
	const struct pt_counts_row *row;
	enum pt_counts_which which;
	/* in place of the value: "<not counted>"; NULL: there is one */
	const char *bad;
	double value;			/* by the event's scale */
	uint64_t running_ns;
	double running;			/* percent */
	bool spread;			/* of several runs */
	double percent_spread;
	struct pt_metric metrics[PT_METRICS_MAX];
	size_t nr_metrics;
};

/* False: nothing is to be said of the event in that row. */
bool pt_counts_get_line(struct pt_counts *c, enum pt_counts_which which,
		     const struct pt_counts_style *s, const struct pt_counts_row *row, size_t event,
		     struct pt_counts_line *l);

/* How counts look. What is NULL is not there. */
struct pt_counts_format {
	/* all at once; else: */
	void (*whole)(struct pt_counts *c, enum pt_counts_which which,
		      const struct pt_counts_style *s, struct pt_buf *b);
	/* above the first line */
	void (*head)(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *b);
	void (*line)(struct pt_counts *c, const struct pt_counts_style *s,
		     const struct pt_counts_line *l, struct pt_buf *b);
	/* metric_only: all figures of a row; NULL: line() does it */
	void (*figures)(struct pt_counts *c, enum pt_counts_which which,
			const struct pt_counts_style *s, const struct pt_counts_row *row,
			struct pt_buf *b);
};
extern const struct pt_counts_format pt_counts_table, pt_counts_csv, pt_counts_json,
	pt_counts_openmetrics;

/* "      1.000123456 " */
void pt_counts_time(const struct pt_counts_style *s, enum pt_counts_which which, struct pt_buf *b);
/* "S0-D0-C1", "CPU3", "comm-123"; "" for all */
void pt_counts_row_name(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b);
/* The same as a key and a value: "cpu", "3". `b` holds the value. */
const char *pt_counts_row_key(const struct pt_counts *c);
const char *pt_counts_row_value(const struct pt_counts *c, const struct pt_counts_row *r,
			     struct pt_buf *b);
bool pt_counts_tells_cpus(const struct pt_counts *c);	/* rows tell how many CPUs they add up */
const char *pt_counts_cgroup(const struct pt_counts_line *l);	/* "": none */
bool pt_counts_is_whole(double v);
/* A rate's names its event: "page-faults/sec". */
void pt_counts_metric_title(const struct pt_counts_line *l, const struct pt_metric *m,
			 struct pt_buf *b);
/* The figure in the unit that its title has, the same on every line. */
struct pt_metric pt_counts_unscaled(struct pt_metric m);
void pt_counts_end_line(struct pt_buf *b);	/* blanks at its end go */

#endif
