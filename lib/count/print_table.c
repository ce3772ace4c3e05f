/* print_table.c - perf stat's table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "count/print_priv.h"

enum { VALUE_WIDTH = 18, UNIT_WIDTH = 4, NAME_WIDTH = 32, METRIC_WIDTH = 34, FIGURE_WIDTH = 20 };

static void add_number(struct pt_buf *b, double v, int decimals, const char *thousands,
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
	/* A thousands separator may be several bytes and is one column. */
	columns = pt_text_width(b->data + from, b->len - from);
	if (columns < width)
		pt_buf_pad_left(b, from, width + (b->len - from - columns));
}

static void table_who(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b)
{
	static const struct { uint8_t width; bool cpus; } columns[] = {
		[PT_BY_CPU] = { 10, false }, [PT_BY_CORE] = { 15, true }, [PT_BY_DIE] = { 12, true }, [PT_BY_SOCKET] = { 6, true }, [PT_BY_NODE] = { 6, true },
	};
	enum pt_counts_by by = pt_counts_by(c);
	size_t from = b->len;

	if (by == PT_BY_ALL)
		return;
	pt_counts_row_name(c, r, b);
	/* the name to the right, the number to the left of one place */
	if (by == PT_BY_THREAD) {
		size_t tid = (size_t)snprintf(NULL, 0, "%d", r->tid),
		       name = b->len - from - tid - 1;

		if (name < 16)
			pt_buf_pad_left(b, from, b->len - from + 16 - name);
		pt_buf_pad_right(b, from, PT_MAX(b->len - from, 25));
		pt_buf_putc(b, ' ');
		return;
	}
	pt_buf_pad_right(b, from, columns[by].width);
	pt_buf_putc(b, ' ');
	if (columns[by].cpus)
		pt_buf_printf(b, "%4d ", r->nr_cpus);
}

static void metric_value(const struct pt_metric *m, struct pt_buf *b)
{
	size_t from = b->len;

	pt_buf_fixed(b, m->value, m->decimals);
	pt_buf_pad_left(b, from, m->width);
	pt_buf_puts(b, m->after);
}

static void table_metric(const struct pt_counts_style *s, const struct pt_metric *m,
			 struct pt_buf *b)
{
	static const char *const colors[] = { "", "\033[33m", "\033[35m", "\033[31m" };

	pt_buf_puts(b, " # ");
	if (s->color)
		pt_buf_puts(b, colors[m->grade]);
	metric_value(m, b);
	if (s->color && m->grade)
		pt_buf_puts(b, "\033[m");
	pt_buf_putc(b, ' ');
	pt_buf_puts(b, m->unit);
}

static void table_value(const struct pt_counts_style *s, const struct pt_counts_line *l,
			struct pt_buf *b)
{
	size_t from = b->len;

	if (l->bad) {
		pt_buf_puts(b, l->bad);
		pt_buf_pad_left(b, from, VALUE_WIDTH);
	} else {
		add_number(b, l->value, pt_counts_is_whole(l->event->scale) ? 0 : 2, s->thousands,
			   VALUE_WIDTH);
	}
	pt_buf_putc(b, ' ');
	from = b->len;
	pt_buf_puts(b, l->event->unit);
	pt_buf_pad_right(b, from, UNIT_WIDTH);
	pt_buf_putc(b, ' ');
	from = b->len;
	pt_text_plain(b, l->event->name, strlen(l->event->name));
	pt_buf_pad_right(b, from, NAME_WIDTH);
	if (!s->cgroups)
		return;
	pt_buf_putc(b, ' ');
	pt_text_plain(b, pt_counts_cgroup(l), strlen(pt_counts_cgroup(l)));
}

static void table_line(struct pt_counts *c, const struct pt_counts_style *s,
		       const struct pt_counts_line *l, struct pt_buf *b)
{
	size_t from, margin = b->len, i;

	if (s->intervals)
		pt_counts_time(s, l->which, b);
	table_who(c, l->row, b);
	margin = b->len - margin;
	table_value(s, l, b);
	from = b->len;
	if (l->nr_metrics)
		table_metric(s, &l->metrics[0], b);
	if (!l->bad && (l->percent_spread > 0 || l->running < 100)) {
		size_t escapes = s->color && l->nr_metrics && l->metrics[0].grade ? 8 : 0;

		pt_buf_pad_right(b, from, METRIC_WIDTH + escapes);
		if (l->percent_spread > 0)
			pt_buf_printf(b, "  ( +-%6.2f%% )", l->percent_spread);
		if (l->running < 100)
			pt_buf_printf(b, "  (%.2f%%)", l->running);
	}
	pt_counts_end_line(b);
	for (i = 1; i < l->nr_metrics; i++) {
		from = b->len;
		pt_buf_pad_right(b, from, margin + VALUE_WIDTH + UNIT_WIDTH + NAME_WIDTH + 2);
		table_metric(s, &l->metrics[i], b);
		pt_counts_end_line(b);
	}
}

/* -- figures alone: those of one row on one line, under their names -- */

static size_t metric_width(const struct pt_counts_line *l, const struct pt_metric *m)
{
	struct pt_buf title = PT_BUF_INIT;
	size_t width;

	pt_counts_metric_title(l, m, &title);
	width = PT_MAX(title.len, (size_t)FIGURE_WIDTH);
	pt_buf_deinit(&title);
	return width;
}

static void table_names(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *out)
{
	size_t nr, from, i, k;
	const struct pt_counts_row *rows = pt_counts_rows(c, &nr);
	struct pt_counts_line l;

	if (s->intervals)
		pt_buf_puts(out, "#           time ");
	from = out->len;
	if (nr)
		table_who(c, &rows[0], out);
	memset(out->data + from, ' ', out->len - from);
	for (i = 0; nr && i < pt_counts_nr_events(c); i++) {
		if (!pt_counts_get_line(c, PT_COUNTS_TOTAL, s, &rows[0], i, &l))
			continue;
		for (k = 0; k < l.nr_metrics; k++) {
			from = out->len;
			pt_counts_metric_title(&l, &l.metrics[k], out);
			pt_buf_pad_left(out, from, 1 + metric_width(&l, &l.metrics[k]));
		}
	}
	pt_counts_end_line(out);
}

static void table_head(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *out)
{
	static const char *const who[] = {
		[PT_BY_ALL] = "",
		[PT_BY_CPU] = "CPU        ",
		[PT_BY_CORE] = "core            cpus ",
		[PT_BY_DIE] = "die          cpus ",
		[PT_BY_SOCKET] = "socket cpus ",
		[PT_BY_NODE] = "node   cpus ",
		[PT_BY_THREAD] = "            comm-pid      ",
	};

	if (s->metric_only)
		table_names(c, s, out);
	else if (s->intervals)
		pt_buf_printf(out, "#           time %s            counts unit events\n",
			      who[pt_counts_by(c)]);
}

static void table_figures(struct pt_counts *c, enum pt_counts_which which,
			  const struct pt_counts_style *s, const struct pt_counts_row *row,
			  struct pt_buf *out)
{
	struct pt_counts_line l;
	size_t i, k, from;

	if (s->intervals)
		pt_counts_time(s, which, out);
	table_who(c, row, out);
	for (i = 0; i < pt_counts_nr_events(c); i++) {
		if (!pt_counts_get_line(c, which, s, row, i, &l))
			continue;
		for (k = 0; k < l.nr_metrics; k++) {
			struct pt_metric m = pt_counts_unscaled(l.metrics[k]);

			from = out->len;
			metric_value(&m, out);
			pt_buf_pad_left(out, from, metric_width(&l, &m));
			pt_buf_putc(out, ' ');
		}
	}
	pt_counts_end_line(out);
}

const struct pt_counts_format pt_counts_table = { .line = table_line, .head = table_head,
					  .figures = table_figures };
