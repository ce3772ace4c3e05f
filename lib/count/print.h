/* print.h - counts as text: perf stat's table, its -x fields, its JSON keys; Prometheus' text
 * format.
 *
 * Fields and keys are those of perf-stat(1), "CSV FORMAT" and "JSON FORMAT", in the same order for
 * the same options. Numbers have a "." in any locale. */
#ifndef PT_COUNT_PRINT_H
#define PT_COUNT_PRINT_H

#include "base/buf.h"
#include "count/metric.h"

enum pt_counts_form { PT_COUNTS_TABLE, PT_COUNTS_CSV, PT_COUNTS_JSON, PT_COUNTS_OPENMETRICS };

struct pt_counts_style {
	enum pt_counts_form form;
	const char *sep;		/* of CSV */
	/* between groups of three digits in the table; "": nothing */
	const char *thousands;
	bool color;
	bool metric_only;		/* derived figures without counts: a row on one line */
	bool wide;			/* counts alone, a row on one line; not in JSON */
	bool cgroups;			/* print each event's control group */
	bool intervals;			/* lines begin with a time */
	/* that time; a total shows "summary" in its place */
	uint64_t time_ns;
	bool csv_no_summary;		/* in CSV it has nothing there */
	double elapsed_ns;		/* time that the counts span */
};

static inline bool pt_counts_in_columns(const struct pt_counts_style *s)
{
	return s->metric_only || s->wide;
}

/* Adds the names of columns, for intervals and what is in columns. */
void pt_counts_print_head(const struct pt_counts *c, const struct pt_counts_style *s,
			  struct pt_buf *out);
void pt_counts_print(const struct pt_counts *c, enum pt_counts_which which,
		     const struct pt_counts_style *s, struct pt_buf *out);

/* The lines above and below a table of totals: what was counted, and the times of the runs. */
struct pt_counts_times {
	struct pt_counts_stat elapsed;	/* ns, of the runs */
	double *each_s;
	size_t nr_each;
	double user_s, sys_s;		/* of one run */
	bool table;			/* each run on a line */
};
void pt_counts_print_title(const struct pt_watch *w, const struct pt_counts_times *t,
			   struct pt_buf *out);
void pt_counts_print_times(const struct pt_watch *w, const struct pt_counts_times *t,
			   struct pt_buf *out);

#endif
