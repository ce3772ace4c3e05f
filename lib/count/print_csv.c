/* print_csv.c - perf stat's -x fields. */
#include <string.h>

#include "base/text.h"
#include "count/print_priv.h"

/* Quotes what was added from `from` on as RFC 4180 says, if it holds the separator, quotes or line
 * ends. */
static void csv_quote(const struct pt_counts_style *s, struct pt_buf *b, size_t from)
{
	struct pt_buf text = PT_BUF_INIT;
	size_t i;

	pt_buf_add(&text, b->data + from, b->len - from);
	if ((*s->sep && strstr(pt_buf_str(&text), s->sep)) ||
	    strpbrk(pt_buf_str(&text), "\"\r\n")) {
		b->len = from;
		pt_buf_putc(b, '"');
		for (i = 0; i < text.len; i++) {
			if (text.data[i] == '"')
				pt_buf_putc(b, '"');
			pt_buf_putc(b, text.data[i]);
		}
		pt_buf_putc(b, '"');
	}
	pt_buf_deinit(&text);
}

static void csv_text(const struct pt_counts_style *s, struct pt_buf *b, const char *text)
{
	size_t from = b->len;

	pt_buf_puts(b, text);
	csv_quote(s, b, from);
}

static void csv_start(const struct pt_counts_page *p, const struct pt_counts_row *row, bool head)
{
	const struct pt_counts_style *s = p->style;
	struct pt_buf *b = p->out;
	size_t from;

	if (s->intervals && head) {
		pt_buf_printf(b, "time%s", s->sep);
	} else if (s->intervals && !(s->csv_no_summary && p->which == PT_COUNTS_TOTAL)) {
		pt_counts_time(p);
		b->len--;		/* the separator takes the place of the blank */
		pt_buf_puts(b, s->sep);
	}
	if (p->c->opts.by != PT_BY_ALL) {
		from = b->len;
		if (!head) {
			pt_counts_row_name(p->c, row, b);
			csv_quote(s, b, from);
		}
		pt_buf_puts(b, s->sep);
	}
	if (pt_counts_place(p->c)->cpus) {
		if (!head)
			pt_buf_dec_signed(b, row->nr_cpus);
		pt_buf_puts(b, s->sep);
	}
}

/* As many decimals as in the table. */
static void csv_metric(const struct pt_counts_page *p, const struct pt_metric *m)
{
	pt_buf_fixed(p->out, m->value, m->decimals);
	pt_buf_puts(p->out, p->style->sep);
	csv_text(p->style, p->out, m->unit);
	pt_buf_putc(p->out, '\n');
}

static void csv_line(const struct pt_counts_page *p, const struct pt_counts_line *l)
{
	const struct pt_counts_style *s = p->style;
	struct pt_buf *b = p->out;

	csv_start(p, l->row, false);
	if (l->bad)
		pt_buf_puts(b, l->bad);
	else
		pt_buf_fixed(b, l->value, l->decimals);
	pt_buf_puts(b, s->sep);
	csv_text(s, b, l->event->unit);
	pt_buf_puts(b, s->sep);
	csv_text(s, b, l->event->name);
	pt_buf_puts(b, s->sep);
	if (s->cgroups) {
		size_t from = b->len;

		pt_text_puts(b, pt_counts_cgroup(l));
		csv_quote(s, b, from);
		pt_buf_puts(b, s->sep);
	}
	if (l->spread) {
		pt_buf_fixed(b, l->percent_spread, 2);
		pt_buf_printf(b, "%%%s", s->sep);
	}
	pt_buf_dec(b, l->running_ns);
	pt_buf_puts(b, s->sep);
	pt_buf_fixed(b, l->running, 2);
	pt_buf_puts(b, s->sep);
	if (!l->nr_metrics)
		pt_buf_printf(b, "%s\n", s->sep);
	for (size_t i = 0; i < l->nr_metrics; i++) {
		if (i)	/* on a line of its own, behind empty fields */
			csv_start(p, l->row, false);
		for (int empty = i ? 5 + l->spread + s->cgroups : 0; empty; empty--)
			pt_buf_puts(b, s->sep);
		csv_metric(p, &l->metrics[i]);
	}
}

static void csv_figure(const struct pt_counts_page *p, const struct pt_metric *m,
		       const char *title, bool head)
{
	if (head)
		csv_text(p->style, p->out, title);
	else if (m)
		pt_buf_fixed(p->out, m->value, m->decimals);
	pt_buf_puts(p->out, p->style->sep);
}

static void csv_count(const struct pt_counts_page *p, const struct pt_counts_line *l, bool head)
{
	size_t from = p->out->len;

	if (head) {
		pt_counts_column(p, l, p->out);
		csv_quote(p->style, p->out, from);
	} else if (l->bad) {
		pt_buf_puts(p->out, l->bad);
	} else {
		pt_buf_fixed(p->out, l->value, l->decimals);
	}
	pt_buf_puts(p->out, p->style->sep);
}

const struct pt_counts_format pt_counts_csv = { .line = csv_line, .start = csv_start,
						.figure = csv_figure, .count = csv_count };
