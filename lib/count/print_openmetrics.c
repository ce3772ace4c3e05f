/* print_openmetrics.c - Prometheus' text format. */
#include <math.h>

#include "count/print_priv.h"

/* In a label: \ " and newlines are escaped, nothing else may be. */
static void print_openmetrics_label(struct pt_buf *b, const char *s)
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

static void add_label(struct pt_buf *b, const char *name, const char *value)
{
	pt_buf_printf(b, "%s%s=\"", b->data[b->len - 1] == '{' ? "" : ",", name);
	print_openmetrics_label(b, value);
	pt_buf_putc(b, '"');
}

static void sample(const struct pt_counts_page *p, const char *family,
		   const struct pt_counts_line *l, const char *metric, double v)
{
	struct pt_buf name = PT_BUF_INIT, *b = p->out;

	pt_buf_printf(b, "%s{", family);
	add_label(b, "event", l->event->name);
	if (p->c->opts.by != PT_BY_ALL)
		add_label(b, pt_counts_place(p->c)->key,
			  pt_counts_row_value(p->c, l->row, &name));
	if (l->event->cgroup)
		add_label(b, "cgroup", l->event->cgroup);
	if (metric)
		add_label(b, "metric", metric);
	else if (*l->event->unit)
		add_label(b, "unit", l->event->unit);
	pt_buf_printf(b, "} %.15g\n", isfinite(v) ? v : 0);
	pt_buf_deinit(&name);
}

enum family { VALUES, SHARES, FIGURES };

static void print_openmetrics_each(const struct pt_counts_page *p, enum family family)
{
	static const char *const names[] = { "pt_stat_events", "pt_stat_running_ratio",
					     "pt_stat_metric" };
	static const char *const help[] = {
		"Events counted, scaled to the whole time, in the event's unit.",
		"Share of the time that the event was on a counter.",
		"Figure derived from counts.",
	};
	struct pt_counts_line l;

	pt_buf_printf(p->out, "# HELP %s %s\n# TYPE %s gauge\n", names[family], help[family],
		      names[family]);
	for (size_t i = 0; i < p->c->nr_rows; i++)
		for (size_t k = 0; k < p->c->nr; k++) {
			if (!pt_counts_get_line(p, &p->c->rows[i], k, &l) || l.bad)
				continue;
			if (family != FIGURES)
				sample(p, names[family], &l, NULL,
				       family == VALUES ? l.value : l.running / 100);
			for (size_t m = 0; family == FIGURES && m < l.nr_metrics; m++)
				sample(p, names[family], &l,
				       l.metrics[m].unit + (l.metrics[m].base > 1),
				       l.metrics[m].value * l.metrics[m].base);
		}
}

/* All are gauges, since each output is one measurement, and the next one may span another time.
 * What was not counted is left out. */
static void whole(const struct pt_counts_page *p)
{
	print_openmetrics_each(p, VALUES);
	print_openmetrics_each(p, SHARES);
	print_openmetrics_each(p, FIGURES);
	pt_buf_puts(p->out, "# HELP pt_stat_elapsed_seconds What the counts span.\n"
			    "# TYPE pt_stat_elapsed_seconds gauge\npt_stat_elapsed_seconds ");
	pt_buf_scaled(p->out, (uint64_t)p->style->elapsed_ns, 9);
	pt_buf_puts(p->out, "\n# EOF\n");
}

const struct pt_counts_format pt_counts_openmetrics = { .whole = whole };
