/* print.c - the table, CSV, and what all forms share. */
#include "count/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "count/print_priv.h"

enum { VALUE_WIDTH = 18, UNIT_WIDTH = 4, NAME_WIDTH = 32, METRIC_WIDTH = 34 };

static bool is_whole(double v)
{
	return floor(v) == v;
}

/* -- numbers -- */

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
	for (i = from, columns = 0; i < b->len; i++)
		columns += ((unsigned char)b->data[i] & 0xc0) != 0x80;
	if (columns < width)
		pt_buf_pad_left(b, from, width + (b->len - from - columns));
}

static double percent_running(const struct pt_counts_cell *cell)
{
	return cell->enabled_ns ? 100.0 * (double)cell->running_ns / (double)cell->enabled_ns : 100;
}

static double percent_spread(const struct pt_counts_row *row, size_t event)
{
	const struct pt_counts_stat *s = &row->runs[event];

	return s->mean ? 100 * pt_counts_spread(s) / fabs(s->mean) : 0;
}

/* -- who -- */

/* "S0-D0-C1", "comm-123"; "" for all. */
void pt_counts_row_name(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b)
{
	switch (pt_counts_by(c)) {
	case PT_BY_ALL:
		break;
	case PT_BY_CPU:
		pt_buf_printf(b, "CPU%d", r->cpu);
		break;
	case PT_BY_CORE:
		pt_buf_printf(b, "S%d-D%d-C%d", r->place.socket, r->place.die, r->place.core);
		break;
	case PT_BY_DIE:
		pt_buf_printf(b, "S%d-D%d", r->place.socket, r->place.die);
		break;
	case PT_BY_SOCKET:
		pt_buf_printf(b, "S%d", r->place.socket);
		break;
	case PT_BY_NODE:
		pt_buf_printf(b, "N%d", r->place.node);
		break;
	case PT_BY_THREAD:
		pt_text_plain(b, r->comm, strlen(r->comm));
		pt_buf_printf(b, "-%d", r->tid);
		break;
	}
}

bool pt_counts_counts_cpus(const struct pt_counts *c)
{
	enum pt_counts_by by = pt_counts_by(c);

	return by == PT_BY_CORE || by == PT_BY_DIE || by == PT_BY_SOCKET || by == PT_BY_NODE;
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

/* -- the table -- */

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

static void end_line(struct pt_buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	pt_buf_putc(b, '\n');
}

static const char *cgroup_of(const struct pt_counts_line *l)
{
	return l->event->cgroup ? l->event->cgroup : "";
}

static void table_value(const struct pt_counts_style *s, const struct pt_counts_line *l,
			struct pt_buf *b)
{
	size_t from = b->len;

	if (l->bad) {
		pt_buf_puts(b, l->bad);
		pt_buf_pad_left(b, from, VALUE_WIDTH);
	} else {
		add_number(b, l->value, is_whole(l->event->scale) ? 0 : 2, s->thousands,
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
	pt_text_plain(b, cgroup_of(l), strlen(cgroup_of(l)));
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
	end_line(b);
	for (i = 1; i < l->nr_metrics; i++) {
		from = b->len;
		pt_buf_pad_right(b, from, margin + VALUE_WIDTH + UNIT_WIDTH + NAME_WIDTH + 2);
		table_metric(s, &l->metrics[i], b);
		end_line(b);
	}
}

/* -- CSV -- */

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
	if (pt_counts_counts_cpus(c))
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
		pt_buf_fixed(b, l->value, is_whole(l->event->scale) ? 0 : 2);
	pt_buf_puts(b, s->sep);
	csv_text(s, b, l->event->unit);
	pt_buf_puts(b, s->sep);
	csv_text(s, b, l->event->name);
	pt_buf_puts(b, s->sep);
	if (s->cgroups) {
		size_t from = b->len;

		pt_text_plain(b, cgroup_of(l), strlen(cgroup_of(l)));
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

/* -- all forms -- */

void pt_counts_time(const struct pt_counts_style *s, enum pt_counts_which which, struct pt_buf *b)
{
	size_t from = b->len;

	if (which == PT_COUNTS_TOTAL) {
		pt_buf_puts(b, "         summary ");
		return;
	}
	pt_buf_dec(b, s->time_ns / 1000000000);
	pt_buf_pad_left(b, from, 6);
	pt_buf_putc(b, '.');
	pt_buf_dec_zero(b, s->time_ns % 1000000000, 9);
	pt_buf_putc(b, ' ');
}

bool pt_counts_get_line(struct pt_counts *c, enum pt_counts_which which,
			const struct pt_counts_style *s, const struct pt_counts_row *row,
			size_t event, struct pt_counts_line *l)
{
	const struct pt_counts_cell *cell =
		which == PT_COUNTS_INTERVAL ? &row->now[event] : &row->total[event];

	*l = (struct pt_counts_line){ .event = pt_counts_event(c, event),
				      .row = row,
				      .which = which };
	if (l->event->same_as != (int)event)
		return false;
	if (!pt_counts_supported(c, event))
		l->bad = "<not supported>";
	else if (!cell->nr && pt_counts_by(c) != PT_BY_ALL)
		return false;		/* an event of some CPUs only */
	else if (!cell->running_ns || !cell->enabled_ns)
		l->bad = "<not counted>";
	l->value = pt_counts_value(c, row, event, which) * l->event->scale;
	l->running_ns =
		cell->running_ns / PT_MAX(which == PT_COUNTS_TOTAL ? pt_counts_nr_runs(c) : 1, 1);
	l->running = percent_running(cell);
	l->spread = which == PT_COUNTS_TOTAL && pt_counts_nr_runs(c) > 1;
	l->percent_spread = l->spread ? percent_spread(row, event) : 0;
	l->nr_metrics =
		l->bad ? 0 : pt_counts_metrics(c, row, event, which, s->elapsed_ns, l->metrics);
	return true;
}

static void print_line(struct pt_counts *c, enum pt_counts_which which,
		       const struct pt_counts_style *s, const struct pt_counts_row *row,
		       size_t event, struct pt_buf *out)
{
	struct pt_counts_line l;

	if (!pt_counts_get_line(c, which, s, row, event, &l))
		return;
	if (s->form == PT_COUNTS_JSON)
		pt_counts_json_line(c, s, &l, out);
	else if (s->form == PT_COUNTS_CSV)
		csv_line(c, s, &l, out);
	else
		table_line(c, s, &l, out);
}

/* -- figures alone: those of one row on one line, under their names -- */

enum { FIGURE_WIDTH = 20 };

/* A rate's title names its event, and its unit is the same on every line: "page-faults/sec". */
static void metric_title(const struct pt_counts_line *l, const struct pt_metric *m,
			 struct pt_buf *out)
{
	if (pt_metric_is_rate(m))
		pt_buf_printf(out, "%s/sec", l->event->name);
	else
		pt_buf_puts(out, m->unit);
}

static size_t metric_width(const struct pt_counts_line *l, const struct pt_metric *m)
{
	struct pt_buf title = PT_BUF_INIT;
	size_t width;

	metric_title(l, m, &title);
	width = PT_MAX(title.len, (size_t)FIGURE_WIDTH);
	pt_buf_deinit(&title);
	return width;
}

static struct pt_metric unscaled(struct pt_metric m)
{
	if (pt_metric_is_rate(&m)) {
		m.value *= m.base;
		m.base = 1;
	}
	return m;
}

static void metric_names(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *out)
{
	size_t nr, i, k;
	const struct pt_counts_row *rows = pt_counts_rows(c, &nr);
	struct pt_counts_line l;

	if (s->form == PT_COUNTS_TABLE && s->intervals)
		pt_buf_puts(out, "#           time ");
	else if (s->intervals)
		pt_buf_printf(out, "time%s", s->sep);
	if (nr && s->form == PT_COUNTS_TABLE && pt_counts_by(c) != PT_BY_ALL) {
		size_t from = out->len;

		table_who(c, &rows[0], out);
		memset(out->data + from, ' ', out->len - from);
	} else if (pt_counts_by(c) != PT_BY_ALL) {
		pt_buf_puts(out, s->sep);
		if (pt_counts_counts_cpus(c))
			pt_buf_puts(out, s->sep);
	}
	for (i = 0; nr && i < pt_counts_nr_events(c); i++) {
		if (!pt_counts_get_line(c, PT_COUNTS_TOTAL, s, &rows[0], i, &l))
			continue;
		for (k = 0; k < l.nr_metrics; k++) {
			size_t from = out->len;

			metric_title(&l, &l.metrics[k], out);
			if (s->form == PT_COUNTS_CSV) {
				csv_quote(s, out, from);
				pt_buf_puts(out, s->sep);
			} else {
				pt_buf_pad_left(out, from, 1 + metric_width(&l, &l.metrics[k]));
			}
		}
	}
	end_line(out);
}

static void print_metrics(struct pt_counts *c, enum pt_counts_which which,
			  const struct pt_counts_style *s, const struct pt_counts_row *row,
			  struct pt_buf *out)
{
	struct pt_counts_line l = { .row = row, .which = which };
	size_t i, k, from;

	if (s->form == PT_COUNTS_CSV) {
		csv_start(c, s, &l, out);
	} else {
		if (s->intervals)
			pt_counts_time(s, which, out);
		table_who(c, row, out);
	}
	for (i = 0; i < pt_counts_nr_events(c); i++) {
		if (!pt_counts_get_line(c, which, s, row, i, &l))
			continue;
		for (k = 0; k < l.nr_metrics; k++) {
			struct pt_metric m = unscaled(l.metrics[k]);

			from = out->len;
			if (s->form == PT_COUNTS_CSV) {
				csv_number(out, &m);
				pt_buf_puts(out, s->sep);
			} else {
				metric_value(&m, out);
				pt_buf_pad_left(out, from, metric_width(&l, &m));
				pt_buf_putc(out, ' ');
			}
		}
	}
	end_line(out);
}

void pt_counts_print_head(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *out)
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

	if (s->metric_only && s->form != PT_COUNTS_JSON)
		metric_names(c, s, out);
	else if (s->intervals && s->form == PT_COUNTS_TABLE)
		pt_buf_printf(out, "#           time %s            counts unit events\n",
			      who[pt_counts_by(c)]);
}

/* Of threads those that did most come first. */
struct placed { const struct pt_counts_row *row; double value; };

static int by_value(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->row->tid > y->row->tid) - (x->row->tid < y->row->tid);
}

void pt_counts_print(struct pt_counts *c, enum pt_counts_which which,
		     const struct pt_counts_style *s, struct pt_buf *out)
{
	enum pt_counts_by by = pt_counts_by(c);
	bool by_event = by == PT_BY_ALL || by == PT_BY_CPU || by == PT_BY_THREAD;
	size_t nr, n = pt_counts_nr_events(c), i, k;
	const struct pt_counts_row *rows = pt_counts_rows(c, &nr);
	struct placed *order;

	if (s->form == PT_COUNTS_OPENMETRICS) {
		pt_counts_openmetrics(c, which, s, out);
		return;
	}
	if (s->metric_only && s->form != PT_COUNTS_JSON) {
		for (i = 0; i < nr; i++)
			print_metrics(c, which, s, &rows[i], out);
		return;
	}
	order = pt_alloc_array(nr, sizeof(*order));
	for (i = 0; i < (by_event ? n : nr); i++) {
		for (k = 0; by == PT_BY_THREAD && k < nr; k++)
			order[k] =
				(struct placed){ &rows[k], pt_counts_value(c, &rows[k], i, which) };
		if (by == PT_BY_THREAD)
			qsort(order, nr, sizeof(*order), by_value);
		for (k = 0; k < (by_event ? nr : n); k++)
			print_line(c, which, s,
				   by == PT_BY_THREAD ? order[k].row : &rows[by_event ? k : i],
				   by_event ? i : k, out);
	}
	free(order);
}

