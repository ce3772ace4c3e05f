/* print_json.c - counts as JSON lines with perf stat's keys. */
#include "base/json.h"
#include "count/print_priv.h"

static void add_who(const struct pt_counts_page *p, const struct pt_counts_row *row)
{
	struct pt_buf name = PT_BUF_INIT, *b = p->out;

	if (p->style->intervals && p->which == PT_COUNTS_INTERVAL)
		pt_json_seconds(b, "interval", p->style->time_ns);
	else if (p->style->intervals)
		pt_json_bool(b, "summary", true);
	if (p->c->opts.by == PT_BY_ALL)
		return;
	pt_json_str(b, pt_counts_place(p->c)->key, pt_counts_row_value(p->c, row, &name));
	if (pt_counts_place(p->c)->cpus)
		pt_json_s64(b, "aggregate-number", row->nr_cpus);
	pt_buf_deinit(&name);
}

static void print_json_add_event(const struct pt_counts_page *p, const struct pt_counts_line *l)
{
	pt_json_str(p->out, "event", l->event->name);
	if (p->style->cgroups)
		pt_json_str(p->out, "cgroup", pt_counts_cgroup(l));
}

static void print_json_add_count(const struct pt_counts_page *p, const struct pt_counts_line *l)
{
	struct pt_buf *b = p->out;

	/* a string, as perf has it */
	pt_json_key(b, "counter-value");
	pt_buf_putc(b, '"');
	if (l->bad)
		pt_buf_puts(b, l->bad);
	else
		pt_buf_fixed(b, l->value, 6);
	pt_buf_putc(b, '"');
	pt_json_str(b, "unit", l->event->unit);
	print_json_add_event(p, l);
	if (l->spread)
		pt_json_double(b, "variance", l->percent_spread, 2);
	pt_json_u64(b, "event-runtime", l->running_ns);
	pt_json_double(b, "pcnt-running", l->running, 2);
}

/* The count, if it is wanted, shares a line with the first figure; other figures have a line each.
 */
static void print_json_json_line(const struct pt_counts_page *p, const struct pt_counts_line *l)
{
	struct pt_buf *b = p->out;
	size_t i = 0;

	do {
		pt_json_open(b, NULL, '{');
		add_who(p, l->row);
		if (p->style->metric_only)	/* whose figure it is */
			print_json_add_event(p, l);
		else if (!i)
			print_json_add_count(p, l);
		pt_json_double(b, "metric-value", l->nr_metrics ? l->metrics[i].value : 0, 6);
		pt_json_str(b, "metric-unit", l->nr_metrics ? l->metrics[i].unit : "");
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	} while (++i < l->nr_metrics);
}

const struct pt_counts_format pt_counts_json = { .line = print_json_json_line };
