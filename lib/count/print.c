/* print.c - what all forms share, and their choice. */
#include "count/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "count/print_priv.h"

static const struct pt_counts_format *const forms[] = {
	[PT_COUNTS_TABLE] = &pt_counts_table,
	[PT_COUNTS_CSV] = &pt_counts_csv,
	[PT_COUNTS_JSON] = &pt_counts_json,
	[PT_COUNTS_OPENMETRICS] = &pt_counts_openmetrics,
};

bool pt_counts_is_whole(double v)
{
	return floor(v) == v;
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

const char *pt_counts_row_key(const struct pt_counts *c)
{
	static const char *const keys[] = {
		[PT_BY_CPU] = "cpu",       [PT_BY_CORE] = "core", [PT_BY_DIE] = "die",
		[PT_BY_SOCKET] = "socket", [PT_BY_NODE] = "node", [PT_BY_THREAD] = "thread",
	};

	return keys[pt_counts_by(c)];
}

const char *pt_counts_row_value(const struct pt_counts *c, const struct pt_counts_row *r,
			     struct pt_buf *b)
{
	pt_counts_row_name(c, r, b);
	return pt_buf_str(b) + (pt_counts_by(c) == PT_BY_CPU ? strlen("CPU") : 0);
}

bool pt_counts_tells_cpus(const struct pt_counts *c)
{
	enum pt_counts_by by = pt_counts_by(c);

	return by == PT_BY_CORE || by == PT_BY_DIE || by == PT_BY_SOCKET || by == PT_BY_NODE;
}

const char *pt_counts_cgroup(const struct pt_counts_line *l)
{
	return l->event->cgroup ? l->event->cgroup : "";
}

void pt_counts_end_line(struct pt_buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	pt_buf_putc(b, '\n');
}

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

/* A rate's title names its event, and its unit is the same on every line: "page-faults/sec". */
void pt_counts_metric_title(const struct pt_counts_line *l, const struct pt_metric *m,
			 struct pt_buf *out)
{
	if (pt_metric_is_rate(m))
		pt_buf_printf(out, "%s/sec", l->event->name);
	else
		pt_buf_puts(out, m->unit);
}

struct pt_metric pt_counts_unscaled(struct pt_metric m)
{
	if (pt_metric_is_rate(&m)) {
		m.value *= m.base;
		m.base = 1;
	}
	return m;
}

void pt_counts_print_head(struct pt_counts *c, const struct pt_counts_style *s, struct pt_buf *out)
{
	if (forms[s->form]->head)
		forms[s->form]->head(c, s, out);
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

static void print_lines(struct pt_counts *c, enum pt_counts_which which,
			const struct pt_counts_style *s, struct pt_buf *out)
{
	enum pt_counts_by by = pt_counts_by(c);
	bool by_event = by == PT_BY_ALL || by == PT_BY_CPU || by == PT_BY_THREAD;
	size_t nr, n = pt_counts_nr_events(c), i, k;
	const struct pt_counts_row *rows = pt_counts_rows(c, &nr);
	struct placed *order = pt_alloc_array(nr, sizeof(*order));
	struct pt_counts_line l;

	for (i = 0; i < (by_event ? n : nr); i++) {
		for (k = 0; by == PT_BY_THREAD && k < nr; k++)
			order[k] =
				(struct placed){ &rows[k], pt_counts_value(c, &rows[k], i, which) };
		if (by == PT_BY_THREAD)
			qsort(order, nr, sizeof(*order), by_value);
		for (k = 0; k < (by_event ? nr : n); k++)
			if (pt_counts_get_line(
				    c, which, s,
				    by == PT_BY_THREAD ? order[k].row : &rows[by_event ? k : i],
				    by_event ? i : k, &l))
				forms[s->form]->line(c, s, &l, out);
	}
	free(order);
}

void pt_counts_print(struct pt_counts *c, enum pt_counts_which which,
		     const struct pt_counts_style *s, struct pt_buf *out)
{
	const struct pt_counts_format *f = forms[s->form];
	const struct pt_counts_row *rows;
	size_t nr;

	if (f->whole) {
		f->whole(c, which, s, out);
	} else if (s->metric_only && f->figures) {
		rows = pt_counts_rows(c, &nr);
		for (size_t i = 0; i < nr; i++)
			f->figures(c, which, s, &rows[i], out);
	} else {
		print_lines(c, which, s, out);
	}
}
