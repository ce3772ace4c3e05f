/* print_priv.h - what the forms share: print.c chooses one; print_table.c, print_csv.c,
 * print_json.c and print_openmetrics.c are one each. */
#ifndef PT_COUNT_PRINT_PRIV_H
#define PT_COUNT_PRINT_PRIV_H

#include "count/print.h"

struct pt_counts_page {
	const struct pt_counts *c;
	enum pt_counts_which which;
	const struct pt_counts_style *style;
	struct pt_buf *out;
};

/* A count, whatever its form. */
struct pt_counts_line {
	const struct pt_counts_event *event;
	const struct pt_counts_row *row;
	/* in place of the value: "<not counted>"; NULL: there is one */
	const char *bad;
	double value;			/* by the event's scale */
	int decimals;			/* of the value, where counts are rounded */
	uint64_t running_ns;
	double running;			/* percent */
	bool spread;			/* of several runs */
	double percent_spread;
	struct pt_metric metrics[PT_METRICS_MAX];
	size_t nr_metrics;
};

/* False: the event has no line in that row. */
bool pt_counts_get_line(const struct pt_counts_page *p, const struct pt_counts_row *row,
			size_t event, struct pt_counts_line *l);

/* One form of output. NULL: it does not have that part. */
struct pt_counts_format {
	void (*whole)(const struct pt_counts_page *p);	/* prints everything; else: */
	void (*line)(const struct pt_counts_page *p, const struct pt_counts_line *l);
	/* above the lines of intervals */
	void (*head)(const struct pt_counts_page *p);
	/* metric_only and wide: all of a row on one line; NULL: line() prints it. start() prints
	 * the row's name, or with `head` blanks above it; figure() and count() one column. A
	 * figure is NULL where the row does not have it. */
	void (*start)(const struct pt_counts_page *p, const struct pt_counts_row *row, bool head);
	void (*figure)(const struct pt_counts_page *p, const struct pt_metric *m,
		       const char *title, bool head);
	void (*count)(const struct pt_counts_page *p, const struct pt_counts_line *l, bool head);
};
extern const struct pt_counts_format pt_counts_table, pt_counts_csv, pt_counts_json,
	pt_counts_openmetrics;

/* "      1.000123456 " */
void pt_counts_time(const struct pt_counts_page *p);
/* How the rows of these counts are named. */
struct pt_counts_place {
	const char *key;		/* NULL: there is one row, without a name */
	const char *title;		/* of the table's column */
	uint8_t width;
	bool cpus;			/* rows show their number of CPUs */
};
const struct pt_counts_place *pt_counts_place(const struct pt_counts *c);
/* "S0-D0-C1", "CPU3", "comm-123"; "" for all */
void pt_counts_row_name(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b);
/* The same as the value of a key: "3" of "cpu". `b` holds it. */
const char *pt_counts_row_value(const struct pt_counts *c, const struct pt_counts_row *r,
				struct pt_buf *b);
/* Adds the title of a count's column: its event, and its control group if they are printed. */
void pt_counts_column(const struct pt_counts_page *p, const struct pt_counts_line *l,
		      struct pt_buf *b);
const char *pt_counts_cgroup(const struct pt_counts_line *l);	/* "": none */
void pt_counts_end_line(struct pt_buf *b);	/* without blanks at its end */

#endif
