/* print_openmetrics.c - Prometheus' text format. */
#include <inttypes.h>
#include <math.h>

#include "count/print_priv.h"

/* In a label: \ " and newlines are escaped, nothing else may be. */
static void label(struct pt_buf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' || *s == '"')
			pt_buf_putc(b, '\\');
		if (*s == '\n')
			pt_buf_puts(b, "\\n");
		else
			pt_buf_putc(b, *s);
	}
}

static void sample(struct pt_counts *c, const char *family, const struct pt_counts_line *l,
		   const char *metric, double v, struct pt_buf *b)
{
	struct pt_buf name = PT_BUF_INIT;
	size_t from;

	pt_buf_printf(b, "%s{event=\"", family);
	label(b, l->event->name);
	pt_buf_putc(b, '"');
	if (pt_counts_by(c) != PT_BY_ALL) {
		pt_buf_printf(b, ",%s=\"", pt_counts_row_key(c));
		label(b, pt_counts_row_value(c, l->row, &name));
		pt_buf_putc(b, '"');
		pt_buf_deinit(&name);
	}
	if (l->event->cgroup) {
		pt_buf_puts(b, ",cgroup=\"");
		label(b, l->event->cgroup);
		pt_buf_putc(b, '"');
	}
	if (*l->event->unit && !metric)
		pt_buf_printf(b, ",unit=\"%s\"", l->event->unit);
	if (metric)
		pt_buf_printf(b, ",metric=\"%s\"", metric);
	pt_buf_puts(b, "} ");
	from = b->len;
	pt_buf_printf(b, "%.15g", isfinite(v) ? v : 0);
	for (; from < b->len; from++)
		if (b->data[from] == ',')
			b->data[from] = '.';
	pt_buf_putc(b, '\n');
}

enum family { VALUES, SHARES, FIGURES };

static void each(struct pt_counts *c, enum pt_counts_which which, const struct pt_counts_style *s,
		 enum family family, struct pt_buf *b)
{
	size_t nr, i, k, m;
	const struct pt_counts_row *rows = pt_counts_rows(c, &nr);
	struct pt_counts_line l;

	for (i = 0; i < nr; i++)
		for (k = 0; k < pt_counts_nr_events(c); k++) {
			if (!pt_counts_get_line(c, which, s, &rows[i], k, &l) || l.bad)
				continue;
			if (family == VALUES)
				sample(c, "pt_stat_events", &l, NULL, l.value, b);
			else if (family == SHARES)
				sample(c, "pt_stat_running_ratio", &l, NULL, l.running / 100, b);
			for (m = 0; family == FIGURES && m < l.nr_metrics; m++)
				sample(c, "pt_stat_metric", &l,
				       l.metrics[m].unit + (l.metrics[m].base > 1),
				       l.metrics[m].value * l.metrics[m].base, b);
		}
}

/* Gauges all: each output is one measurement, and the next one may be of another length. What is
 * missing was not counted. */
static void whole(struct pt_counts *c, enum pt_counts_which which,
		  const struct pt_counts_style *s, struct pt_buf *b)
{
	pt_buf_puts(
		b,
		"# HELP pt_stat_events Events counted, scaled to the whole time, in the event's unit.\n# TYPE pt_stat_events gauge\n");
	each(c, which, s, VALUES, b);
	pt_buf_puts(
		b,
		"# HELP pt_stat_running_ratio Share of the time that the event was on a counter.\n# TYPE pt_stat_running_ratio gauge\n");
	each(c, which, s, SHARES, b);
	pt_buf_puts(
		b,
		"# HELP pt_stat_metric Figure derived from counts.\n# TYPE pt_stat_metric gauge\n");
	each(c, which, s, FIGURES, b);
	pt_buf_printf(
		b,
		"# HELP pt_stat_elapsed_seconds What the counts span.\n# TYPE pt_stat_elapsed_seconds gauge\npt_stat_elapsed_seconds %" PRIu64
		".%09" PRIu64 "\n# EOF\n",
		(uint64_t)s->elapsed_ns / 1000000000, (uint64_t)s->elapsed_ns % 1000000000);
}

const struct pt_counts_format pt_counts_openmetrics = { .whole = whole };
