/* print_csv.c - perf stat's -x fields. */
#include <string.h>

#include "base/text.h"
#include "count/print_priv.h"

static void csv_number(struct pt_buf *b, const struct pt_metric *m)
{
	/* As many decimals as in the table. */
	pt_buf_fixed(b, m->value, m->decimals);
}

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

static void csv_start(struct pt_counts *c, const struct pt_counts_style *s,
		      const struct pt_counts_line *l, struct pt_buf *b)
{
	if (s->intervals) {
		pt_counts_time(s, l->which, b);
		b->len--;		/* the separator stands in place of the blank */
		pt_buf_puts(b, s->sep);
	}
	if (pt_counts_by(c) != PT_BY_ALL) {
		size_t from = b->len;

		pt_counts_row_name(c, l->row, b);
		csv_quote(s, b, from);
		pt_buf_puts(b, s->sep);
	}
	if (pt_counts_tells_cpus(c))
		pt_buf_printf(b, "%d%s", l->row->nr_cpus, s->sep);
}

static void csv_line(struct pt_counts *c, const struct pt_counts_style *s,
		     const struct pt_counts_line *l, struct pt_buf *b)
{
	size_t i;

	csv_start(c, s, l, b);
	if (l->bad)
		pt_buf_puts(b, l->bad);
	else
		pt_buf_fixed(b, l->value, pt_counts_is_whole(l->event->scale) ? 0 : 2);
	pt_buf_puts(b, s->sep);
	csv_text(s, b, l->event->unit);
	pt_buf_puts(b, s->sep);
	csv_text(s, b, l->event->name);
	pt_buf_puts(b, s->sep);
	if (s->cgroups) {
		size_t from = b->len;

		pt_text_plain(b, pt_counts_cgroup(l), strlen(pt_counts_cgroup(l)));
		csv_quote(s, b, from);
		pt_buf_puts(b, s->sep);
	}
	if (l->spread) {
		pt_buf_fixed(b, l->percent_spread, 2);
		pt_buf_putc(b, '%');
		pt_buf_puts(b, s->sep);
	}
	pt_buf_dec(b, l->running_ns);
	pt_buf_puts(b, s->sep);
	pt_buf_fixed(b, l->running, 2);
	pt_buf_puts(b, s->sep);
	if (l->nr_metrics) {
		csv_number(b, &l->metrics[0]);
		pt_buf_puts(b, s->sep);
		csv_text(s, b, l->metrics[0].unit);
	} else {
		pt_buf_puts(b, s->sep);
	}
	pt_buf_putc(b, '\n');
	for (i = 1; i < l->nr_metrics; i++) {	/* a line of its own, the fields in front empty */
		csv_start(c, s, l, b);
		pt_buf_printf(b, "%s%s%s%s%s", s->sep, s->sep, s->sep, s->sep, s->sep);
		for (int extra = l->spread + s->cgroups; extra; extra--)
			pt_buf_puts(b, s->sep);
		csv_number(b, &l->metrics[i]);
		pt_buf_puts(b, s->sep);
		csv_text(s, b, l->metrics[i].unit);
		pt_buf_putc(b, '\n');
	}
}

static void csv_head(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *out)
{
	size_t nr, from, i, k;
	const struct pt_counts_row *rows = pt_counts_rows(c, &nr);
	struct pt_counts_line l;

	if (!s->metric_only)
		return;
	if (s->intervals)
		pt_buf_printf(out, "time%s", s->sep);
	if (pt_counts_by(c) != PT_BY_ALL)
		pt_buf_puts(out, s->sep);
	if (pt_counts_tells_cpus(c))
		pt_buf_puts(out, s->sep);
	for (i = 0; nr && i < pt_counts_nr_events(c); i++) {
		if (!pt_counts_get_line(c, PT_COUNTS_TOTAL, s, &rows[0], i, &l))
			continue;
		for (k = 0; k < l.nr_metrics; k++) {
			from = out->len;
			pt_counts_metric_title(&l, &l.metrics[k], out);
			csv_quote(s, out, from);
			pt_buf_puts(out, s->sep);
		}
	}
	pt_counts_end_line(out);
}

static void csv_figures(struct pt_counts *c, enum pt_counts_which which,
			const struct pt_counts_style *s, const struct pt_counts_row *row,
			struct pt_buf *out)
{
	struct pt_counts_line l = { .row = row, .which = which };
	size_t i, k;

	csv_start(c, s, &l, out);
	for (i = 0; i < pt_counts_nr_events(c); i++) {
		if (!pt_counts_get_line(c, which, s, row, i, &l))
			continue;
		for (k = 0; k < l.nr_metrics; k++) {
			struct pt_metric m = pt_counts_unscaled(l.metrics[k]);

			csv_number(out, &m);
			pt_buf_puts(out, s->sep);
		}
	}
	pt_counts_end_line(out);
}

const struct pt_counts_format pt_counts_csv = { .line = csv_line, .head = csv_head,
					.figures = csv_figures };
