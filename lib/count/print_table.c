/* print_table.c - perf stat's table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "count/print_priv.h"

enum { VALUE_WIDTH = 18, UNIT_WIDTH = 4, NAME_WIDTH = 32, METRIC_WIDTH = 34, FIGURE_WIDTH = 20,
       COUNT_WIDTH = 14 };

static void print_table_add_number(struct pt_buf *b, double v, int decimals, const char *thousands,
				   size_t width)
{
	size_t from = b->len, columns, whole, i;

	pt_buf_fixed(b, v, decimals);
	if (*thousands && fabs(v) >= 1000) {
		char plain[400];
		size_t len = PT_MIN(b->len - from, sizeof(plain));

		memcpy(plain, b->data + from, len);
		b->len = from;
		whole = decimals ? len - (size_t)decimals - 1 : len;
		for (i = 0; i < len; i++) {
			pt_buf_putc(b, plain[i]);
			if (i + 1 < whole && (whole - 1 - i) % 3 == 0 && plain[i] != '-')
				pt_buf_puts(b, thousands);
		}
	}
	/* a thousands separator may have several bytes, and takes one column */
	columns = pt_text_width(b->data + from, b->len - from);
	if (columns < width)
		pt_buf_pad_left(b, from, width + (b->len - from - columns));
}

static void table_who(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b)
{
	const struct pt_counts_place *place = pt_counts_place(c);
	size_t from = b->len;

	if (!place->key)
		return;
	pt_counts_row_name(c, r, b);
	/* the name to the right, the number to the left of one place */
	if (c->opts.by == PT_BY_THREAD) {
		size_t tid = (size_t)snprintf(NULL, 0, "%d", r->tid),
		       name = b->len - from - tid - 1;

		if (name < 16)
			pt_buf_pad_left(b, from, b->len - from + 16 - name);
	}
	pt_buf_pad_right(b, from, place->width);
	pt_buf_putc(b, ' ');
	if (place->cpus)
		pt_buf_printf(b, "%4d ", r->nr_cpus);
}

static void metric_value(const struct pt_metric *m, struct pt_buf *b)
{
	size_t from = b->len;

	pt_buf_fixed(b, m->value, m->decimals);
	pt_buf_pad_left(b, from, m->width);
	pt_buf_puts(b, m->after);
}

static void table_metric(const struct pt_counts_page *p, const struct pt_metric *m)
{
	static const char *const colors[] = { "", "\033[33m", "\033[35m", "\033[31m" };
	bool color = p->style->color && m->grade;

	pt_buf_printf(p->out, " # %s", color ? colors[m->grade] : "");
	metric_value(m, p->out);
	pt_buf_printf(p->out, "%s %s", color ? "\033[m" : "", m->unit);
}

static void table_value(const struct pt_counts_page *p, const struct pt_counts_line *l)
{
	struct pt_buf *b = p->out;
	size_t from;

	if (l->bad)
		pt_buf_printf(b, "%*s", VALUE_WIDTH, l->bad);
	else
		print_table_add_number(b, l->value, l->decimals, p->style->thousands, VALUE_WIDTH);
	pt_buf_printf(b, " %-*s ", UNIT_WIDTH, l->event->unit);
	from = b->len;
	pt_text_puts(b, l->event->name);
	pt_buf_pad_right(b, from, NAME_WIDTH);
	if (!p->style->cgroups)
		return;
	pt_buf_putc(b, ' ');
	pt_text_puts(b, pt_counts_cgroup(l));
}

static void table_line(const struct pt_counts_page *p, const struct pt_counts_line *l)
{
	struct pt_buf *b = p->out;
	size_t from, margin = b->len;

	if (p->style->intervals)
		pt_counts_time(p);
	table_who(p->c, l->row, b);
	margin = b->len - margin;
	table_value(p, l);
	from = b->len;
	if (l->nr_metrics)
		table_metric(p, &l->metrics[0]);
	if (!l->bad && (l->percent_spread > 0 || l->running < 100)) {
		size_t escapes = p->style->color && l->nr_metrics && l->metrics[0].grade ? 8 : 0;

		pt_buf_pad_right(b, from, METRIC_WIDTH + escapes);
		if (l->percent_spread > 0)
			pt_buf_printf(b, "  ( +-%6.2f%% )", l->percent_spread);
		if (l->running < 100)
			pt_buf_printf(b, "  (%.2f%%)", l->running);
	}
	pt_counts_end_line(b);
	for (size_t i = 1; i < l->nr_metrics; i++) {
		from = b->len;
		pt_buf_pad_right(b, from, margin + VALUE_WIDTH + UNIT_WIDTH + NAME_WIDTH + 2);
		table_metric(p, &l->metrics[i]);
		pt_counts_end_line(b);
	}
}

static void table_head(const struct pt_counts_page *p)
{
	const struct pt_counts_place *place = pt_counts_place(p->c);

	pt_buf_puts(p->out, "#           time ");
	if (place->key)
		pt_buf_printf(p->out, "%-*s %s", place->width, place->title,
			      place->cpus ? "cpus " : "");
	pt_buf_puts(p->out, "            counts unit events\n");
}

static void table_start(const struct pt_counts_page *p, const struct pt_counts_row *row, bool head)
{
	size_t from;

	if (p->style->intervals && head)
		pt_buf_puts(p->out, "#           time ");
	else if (p->style->intervals)
		pt_counts_time(p);
	from = p->out->len;
	if (row)
		table_who(p->c, row, p->out);
	if (head && p->out->len > from)
		memset(p->out->data + from, ' ', p->out->len - from);
}

static void table_figure(const struct pt_counts_page *p, const struct pt_metric *m,
			 const char *title, bool head)
{
	size_t from = p->out->len, width = PT_MAX(strlen(title), (size_t)FIGURE_WIDTH);

	if (head) {
		pt_buf_printf(p->out, "%*s", (int)width + 1, title);
		return;
	}
	if (m)
		metric_value(m, p->out);
	pt_buf_pad_left(p->out, from, width);
	pt_buf_putc(p->out, ' ');
}

static void table_count(const struct pt_counts_page *p, const struct pt_counts_line *l, bool head)
{
	size_t from = p->out->len, width;

	pt_counts_column(p, l, p->out);
	width = PT_MAX(p->out->len - from, (size_t)COUNT_WIDTH);
	if (!head)
		p->out->len = from;
	if (!head && l->bad)
		pt_buf_puts(p->out, l->bad);
	else if (!head)
		print_table_add_number(p->out, l->value, l->decimals, p->style->thousands,
				       (int)width);
	pt_buf_pad_left(p->out, from, width);
	pt_buf_putc(p->out, ' ');
}

const struct pt_counts_format pt_counts_table = { .line = table_line, .head = table_head,
						  .start = table_start, .figure = table_figure,
						  .count = table_count };
