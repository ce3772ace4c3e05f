/* print.c - chooses the form, and has what all forms share. */
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

static double percent_running(const struct pt_counts_cell *cell)
{
	return cell->enabled_ns ? 100.0 * (double)cell->running_ns / (double)cell->enabled_ns : 100;
}

static double percent_spread(const struct pt_counts_row *row, size_t event)
{
	const struct pt_counts_stat *s = &row->runs[event];

	return s->mean ? 100 * pt_counts_spread(s) / fabs(s->mean) : 0;
}

void pt_counts_row_name(const struct pt_counts *c, const struct pt_counts_row *r, struct pt_buf *b)
{
	switch (c->opts.by) {
	case PT_BY_ALL:
		break;
	case PT_BY_CPU:
		pt_buf_printf(b, "CPU%d", r->cpu);
		break;
	case PT_BY_CORE:
		pt_buf_printf(b, "S%d-D%d-C%d", r->place.socket, r->place.die, r->place.core);
		break;
	case PT_BY_CLUSTER:
		pt_buf_printf(b, "S%d-D%d-CLS%d", r->place.socket, r->place.die, r->place.cluster);
		break;
	case PT_BY_CACHE:
		pt_buf_printf(b, "S%d-D%d-L%d-ID%d", r->place.socket, r->place.die, r->place.level,
			      r->place.cache);
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
		pt_text_puts(b, r->comm);
		pt_buf_printf(b, "-%d", r->tid);
		break;
	}
}

const struct pt_counts_place *pt_counts_place(const struct pt_counts *c)
{
	static const struct pt_counts_place places[] = {
		[PT_BY_ALL] = { .title = "" },
		[PT_BY_CPU] = { "cpu", "CPU", 10, false },
		[PT_BY_CORE] = { "core", "core", 15, true },
		[PT_BY_CLUSTER] = { "cluster", "cluster", 15, true },
		[PT_BY_CACHE] = { "cache", "cache", 18, true },
		[PT_BY_DIE] = { "die", "die", 12, true },
		[PT_BY_SOCKET] = { "socket", "socket", 6, true },
		[PT_BY_NODE] = { "node", "node", 6, true },
		[PT_BY_THREAD] = { "thread", "            comm-pid", 25, false },
	};

	return &places[c->opts.by];
}

const char *pt_counts_row_value(const struct pt_counts *c, const struct pt_counts_row *r,
			     struct pt_buf *b)
{
	pt_counts_row_name(c, r, b);
	return pt_buf_str(b) + (c->opts.by == PT_BY_CPU ? strlen("CPU") : 0);
}

const char *pt_counts_cgroup(const struct pt_counts_line *l)
{
	return l->event->cgroup ? l->event->cgroup : "";
}

static void print_cgroup(const struct pt_counts_page *p, const struct pt_counts_line *l,
			 struct pt_buf *b)
{
	if (!p->style->cgroups)
		return;
	pt_buf_putc(b, ' ');
	pt_text_puts(b, pt_counts_cgroup(l));
}

void pt_counts_column(const struct pt_counts_page *p, const struct pt_counts_line *l,
		      struct pt_buf *b)
{
	pt_text_puts(b, l->event->name);
	print_cgroup(p, l, b);
}

void pt_counts_end_line(struct pt_buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	pt_buf_putc(b, '\n');
}

void pt_counts_time(const struct pt_counts_page *p)
{
	size_t from = p->out->len;

	if (p->which == PT_COUNTS_TOTAL) {
		pt_buf_puts(p->out, "         summary ");
		return;
	}
	pt_buf_scaled(p->out, p->style->time_ns, 9);
	pt_buf_pad_left(p->out, from, 16);
	pt_buf_putc(p->out, ' ');
}

bool pt_counts_get_line(const struct pt_counts_page *p, const struct pt_counts_row *row,
			size_t event, struct pt_counts_line *l)
{
	const struct pt_counts *c = p->c;
	const struct pt_counts_event *ev = &c->events[event];
	bool total = p->which == PT_COUNTS_TOTAL;
	const struct pt_counts_cell *cell = total ? &row->total[event] : &row->now[event];

	*l = (struct pt_counts_line){ .event = ev, .row = row };
	if (ev->same_as != (int)event)
		return false;
	if (!c->supported[event])
		l->bad = "<not supported>";
	else if (!cell->nr && c->opts.by != PT_BY_ALL)
		return false;		/* an event of some CPUs only */
	else if (!cell->running_ns || !cell->enabled_ns)
		l->bad = "<not counted>";
	l->value = pt_counts_value(c, row, event, p->which) * ev->scale;
	l->decimals = floor(ev->scale) == ev->scale ? 0 : 2;
	l->running_ns = cell->running_ns / PT_MAX(total ? c->nr_runs : 1, 1);
	l->running = percent_running(cell);
	l->spread = total && c->nr_runs > 1;
	l->percent_spread = l->spread ? percent_spread(row, event) : 0;
	if (!l->bad)
		l->nr_metrics = pt_counts_metrics(c, row, event, p->which, p->style->elapsed_ns,
						  l->metrics);
	return true;
}

/* The figures of a count, or the titles above them: as many in each row, also where it was not
 * counted. A rate's title names its event, and its unit is the same on every line:
 * "page-faults/sec". */
static void print_figures(const struct pt_counts_page *p, struct pt_counts_line *l, bool head)
{
	struct pt_metric columns[PT_METRICS_MAX];
	struct pt_buf title = PT_BUF_INIT;
	size_t event = (size_t)(l->event - p->c->events), nr, k, i;

	nr = pt_counts_metrics(p->c, l->row, event, PT_COUNTS_ONES, 1, columns);
	for (k = 0; k < nr; k++) {
		struct pt_metric *m = NULL;

		for (i = 0; i < l->nr_metrics; i++)
			if (l->metrics[i].id == columns[k].id)
				m = &l->metrics[i];
		pt_buf_clear(&title);
		if (pt_metric_is_rate(&columns[k])) {
			if (m)
				m->value *= m->base;
			pt_buf_printf(&title, "%s/sec", l->event->name);
		} else {
			pt_buf_puts(&title, columns[k].unit);
		}
		print_cgroup(p, l, &title);
		forms[p->style->form]->figure(p, m, pt_buf_str(&title), head);
	}
	pt_buf_deinit(&title);
}

/* A row's columns, or the titles above them. */
static void print_columns(const struct pt_counts_page *p, const struct pt_counts_row *row,
			  bool head)
{
	const struct pt_counts_format *f = forms[p->style->form];
	struct pt_counts_line l;

	f->start(p, row, head);
	for (size_t i = 0; row && i < p->c->nr; i++) {
		bool is = pt_counts_get_line(p, row, i, &l);

		if (l.event->same_as != (int)i)
			continue;
		if (p->style->metric_only)
			print_figures(p, &l, head);
		if (!p->style->wide)
			continue;
		if (!is)
			l.bad = "-";	/* other CPUs have it */
		f->count(p, &l, head);
	}
	pt_counts_end_line(p->out);
}

void pt_counts_print_head(const struct pt_counts *c, const struct pt_counts_style *s,
			  struct pt_buf *out)
{
	struct pt_counts_page p = { c, PT_COUNTS_TOTAL, s, out };

	if (pt_counts_in_columns(s) && forms[s->form]->start)
		print_columns(&p, c->nr_rows ? c->rows : NULL, true);
	else if (s->intervals && !s->metric_only && forms[s->form]->head)
		forms[s->form]->head(&p);
}

/* Threads are sorted: those that did most come first. */
struct placed { const struct pt_counts_row *row; double value; };

static int print_by_value(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->row->tid > y->row->tid) - (x->row->tid < y->row->tid);
}

static void print_print_line(const struct pt_counts_page *p, const struct pt_counts_row *row,
			     size_t event)
{
	struct pt_counts_line l;

	if (pt_counts_get_line(p, row, event, &l))
		forms[p->style->form]->line(p, &l);
}

/* Prints all rows of an event, then of the next; of places, all events of a row, then of the next.
 */
static void print_print_lines(const struct pt_counts_page *p)
{
	const struct pt_counts *c = p->c;
	struct placed *order = pt_alloc_array(c->nr_rows, sizeof(*order));
	size_t i, k;

	if (pt_counts_place(c)->cpus) {
		for (i = 0; i < c->nr_rows; i++)
			for (k = 0; k < c->nr; k++)
				print_print_line(p, &c->rows[i], k);
	} else {
		for (k = 0; k < c->nr; k++) {
			for (i = 0; i < c->nr_rows; i++)
				order[i] = (struct placed){
					&c->rows[i], pt_counts_value(c, &c->rows[i], k, p->which)
				};
			if (c->opts.by == PT_BY_THREAD)
				qsort(order, c->nr_rows, sizeof(*order), print_by_value);
			for (i = 0; i < c->nr_rows; i++)
				print_print_line(p, order[i].row, k);
		}
	}
	free(order);
}

void pt_counts_print(const struct pt_counts *c, enum pt_counts_which which,
		     const struct pt_counts_style *s, struct pt_buf *out)
{
	const struct pt_counts_format *f = forms[s->form];
	struct pt_counts_page p = { c, which, s, out };

	if (f->whole)
		f->whole(&p);
	else if (!pt_counts_in_columns(s) || !f->start)
		print_print_lines(&p);
	else
		for (size_t i = 0; i < c->nr_rows; i++)
			print_columns(&p, &c->rows[i], false);
}
