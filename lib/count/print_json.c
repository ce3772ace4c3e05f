/* print_json.c - counts as JSON lines with perf stat's keys. */
#include "base/json.h"
#include "count/print_priv.h"

static void add_who(struct pt_counts *c, const struct pt_counts_style *s,
		    const struct pt_counts_line *l, struct pt_buf *b)
{
	struct pt_buf name = PT_BUF_INIT;

	if (s->intervals && l->which == PT_COUNTS_INTERVAL)
		pt_json_seconds(b, "interval", s->time_ns);
	else if (s->intervals)
		pt_json_bool(b, "summary", true);
	if (pt_counts_by(c) == PT_BY_ALL)
		return;
	pt_json_str(b, pt_counts_row_key(c), pt_counts_row_value(c, l->row, &name));
	if (pt_counts_tells_cpus(c))
		pt_json_s64(b, "aggregate-number", l->row->nr_cpus);
	pt_buf_deinit(&name);
}

static void add_count(const struct pt_counts_style *s, const struct pt_counts_line *l,
		      struct pt_buf *b)
{
	/* a string, as perf has it */
	pt_json_key(b, "counter-value");
	pt_buf_putc(b, '"');
	if (l->bad)
		pt_buf_puts(b, l->bad);
	else
		pt_buf_fixed(b, l->value, 6);
	pt_buf_putc(b, '"');
	pt_json_str(b, "unit", l->event->unit);
	pt_json_str(b, "event", l->event->name);
	if (s->cgroups)
		pt_json_str(b, "cgroup", pt_counts_cgroup(l));
	if (l->spread)
		pt_json_double(b, "variance", l->percent_spread, 2);
	pt_json_u64(b, "event-runtime", l->running_ns);
	pt_json_double(b, "pcnt-running", l->running, 2);
}

/* The count, where one is wanted, beside the first figure; the others have a line each. */
static void json_line(struct pt_counts *c, const struct pt_counts_style *s,
		      const struct pt_counts_line *l, struct pt_buf *b)
{
	size_t i = 0;

	do {
		pt_json_open(b, NULL, '{');
		add_who(c, s, l, b);
		if (s->metric_only)	/* whose figure it is */
			pt_json_str(b, "event", l->event->name);
		else if (!i)
			add_count(s, l, b);
		pt_json_double(b, "metric-value", l->nr_metrics ? l->metrics[i].value : 0, 6);
		pt_json_str(b, "metric-unit", l->nr_metrics ? l->metrics[i].unit : "");
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	} while (++i < l->nr_metrics);
}

const struct pt_counts_format pt_counts_json = { .line = json_line };
