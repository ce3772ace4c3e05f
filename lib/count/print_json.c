/* print_json.c - counts as JSON lines with perf stat's keys, and as Prometheus' text format. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "count/print_priv.h"

static void number(struct pt_buf *b, double v)
{
	size_t from = b->len;

	pt_buf_printf(b, "%f", isfinite(v) ? v : 0);
	for (; from < b->len; from++)
		if (b->data[from] == ',')
			b->data[from] = '.';
}

static void text(struct pt_buf *b, const char *s)
{
	pt_buf_putc(b, '"');
	pt_text_json(b, s, strlen(s));
	pt_buf_putc(b, '"');
}

static void json_who(struct pt_counts *c, const struct pt_counts_style *s,
		     const struct pt_counts_line *l, struct pt_buf *b)
{
	static const char *const keys[] = {
		[PT_BY_CPU] = "cpu",       [PT_BY_CORE] = "core", [PT_BY_DIE] = "die",
		[PT_BY_SOCKET] = "socket", [PT_BY_NODE] = "node", [PT_BY_THREAD] = "thread",
	};
	enum pt_counts_by by = pt_counts_by(c);
	struct pt_buf name = PT_BUF_INIT;

	if (s->intervals && l->which == PT_COUNTS_INTERVAL)
		pt_buf_printf(b, "\"interval\" : %" PRIu64 ".%09" PRIu64 ", ",
			      s->time_ns / 1000000000, s->time_ns % 1000000000);
	else if (s->intervals)
		pt_buf_puts(b, "\"summary\" : true, ");
	if (by == PT_BY_ALL)
		return;
	pt_counts_row_name(c, l->row, &name);
	pt_buf_printf(b, "\"%s\" : ", keys[by]);
	text(b, pt_buf_str(&name) + (by == PT_BY_CPU ? strlen("CPU") : 0));
	pt_buf_puts(b, ", ");
	if (pt_counts_counts_cpus(c))
		pt_buf_printf(b, "\"aggregate-number\" : %d, ", l->row->nr_cpus);
	pt_buf_deinit(&name);
}

static void json_metric(struct pt_buf *b, const struct pt_metric *m)
{
	pt_buf_puts(b, "\"metric-value\" : ");
	number(b, m ? m->value : 0);
	pt_buf_puts(b, ", \"metric-unit\" : ");
	text(b, m ? m->unit : "");
}

/* Whose figure it is, where no count stands beside it. */
static void json_event(struct pt_buf *b, const struct pt_counts_line *l)
{
	pt_buf_puts(b, "\"event\" : ");
	text(b, l->event->name);
	pt_buf_puts(b, ", ");
}

void pt_counts_json_line(struct pt_counts *c, const struct pt_counts_style *s,
			 const struct pt_counts_line *l, struct pt_buf *b)
{
	size_t i;

	pt_buf_putc(b, '{');
	json_who(c, s, l, b);
	if (!s->metric_only) {
		pt_buf_puts(b, "\"counter-value\" : \"");
		if (l->bad)
			pt_buf_puts(b, l->bad);
		else
			number(b, l->value);
		pt_buf_puts(b, "\", \"unit\" : ");
		text(b, l->event->unit);
		pt_buf_puts(b, ", \"event\" : ");
		text(b, l->event->name);
		if (s->cgroups) {
			pt_buf_puts(b, ", \"cgroup\" : ");
			text(b, l->event->cgroup ? l->event->cgroup : "");
		}
		if (l->spread)
			pt_buf_printf(b, ", \"variance\" : %.2f", l->percent_spread);
		pt_buf_printf(b, ", \"event-runtime\" : %" PRIu64 ", \"pcnt-running\" : %.2f, ",
			      l->running_ns, l->running);
	}
	if (s->metric_only)
		json_event(b, l);
	json_metric(b, l->nr_metrics ? &l->metrics[0] : NULL);
	pt_buf_puts(b, "}\n");
	for (i = 1; i < l->nr_metrics; i++) {
		pt_buf_putc(b, '{');
		json_who(c, s, l, b);
		if (s->metric_only)
			json_event(b, l);
		json_metric(b, &l->metrics[i]);
		pt_buf_puts(b, "}\n");
	}
}

/* -- OpenMetrics -- */

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
	static const char *const keys[] = {
		[PT_BY_CPU] = "cpu",       [PT_BY_CORE] = "core", [PT_BY_DIE] = "die",
		[PT_BY_SOCKET] = "socket", [PT_BY_NODE] = "node", [PT_BY_THREAD] = "thread",
	};
	struct pt_buf name = PT_BUF_INIT;
	size_t from;

	pt_buf_printf(b, "%s{event=\"", family);
	label(b, l->event->name);
	pt_buf_putc(b, '"');
	if (pt_counts_by(c) != PT_BY_ALL) {
		pt_counts_row_name(c, l->row, &name);
		pt_buf_printf(b, ",%s=\"", keys[pt_counts_by(c)]);
		label(b, pt_buf_str(&name) + (pt_counts_by(c) == PT_BY_CPU ? strlen("CPU") : 0));
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
void pt_counts_openmetrics(struct pt_counts *c, enum pt_counts_which which,
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
