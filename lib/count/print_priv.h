/* print_priv.h - shared by print.c (table, CSV) and print_json.c (JSON, OpenMetrics): a line,
 * whatever its form. */
#ifndef PT_COUNT_PRINT_PRIV_H
#define PT_COUNT_PRINT_PRIV_H

#include "count/print.h"

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
			const struct pt_counts_style *s, const struct pt_counts_row *row,
			size_t event, struct pt_counts_line *l);
void pt_counts_json_line(struct pt_counts *c, const struct pt_counts_style *s,
			 const struct pt_counts_line *l, struct pt_buf *b);
void pt_counts_openmetrics(struct pt_counts *c, enum pt_counts_which which,
			   const struct pt_counts_style *s, struct pt_buf *b);

void pt_counts_time(const struct pt_counts_style *s, enum pt_counts_which which, struct pt_buf *b);
void pt_counts_row_name(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b);
bool pt_counts_counts_cpus(const struct pt_counts *c);	/* rows tell how many CPUs they add up */

#endif
