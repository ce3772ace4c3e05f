#include "count/counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"

struct before { uint64_t value, enabled_ns, running_ns; };

struct pt_counts {
	struct pt_counts_opts opts;
	struct pt_counts_event *events;
	size_t nr;
	/* what each counter had shown at the last take */
	struct { struct before *k; size_t nr; } *before;
	bool *supported;
	struct pt_topology *topology;
	struct pt_counts_row *rows;
	size_t nr_rows, cap_rows;
	bool sorted;
	/* rows found before; a machine may have a thousand CPUs */
	struct { int cpu, row; } *by_cpu;
	/* mostly they come in the same order again */
	size_t nr_by_cpu, cap_by_cpu, next_by_cpu;
	uint64_t nr_runs;
};

struct pt_counts *pt_counts_new(const struct pt_counts_opts *o,
				const struct pt_counts_event *events, size_t nr)
{
	struct pt_counts *c = pt_alloc(sizeof(*c));
	size_t i;

	c->opts = *o;
	c->nr = nr;
	c->events = pt_memdup(events, nr * sizeof(*events));
	c->before = pt_alloc_array(nr, sizeof(*c->before));
	c->supported = pt_alloc_array(nr, sizeof(*c->supported));
	for (i = 0; i < nr; i++)
		c->supported[i] = true;
	c->topology = pt_topology_read(o->sysfs);
	return c;
}

void pt_counts_free(struct pt_counts *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++)
		free(c->before[i].k);
	for (i = 0; i < c->nr_rows; i++) {
		free(c->rows[i].now);
		free(c->rows[i].total);
		free(c->rows[i].runs);
	}
	pt_topology_free(c->topology);
	free(c->by_cpu);
	free(c->rows);
	free(c->before);
	free(c->supported);
	free(c->events);
	free(c);
}

/* -- rows -- */

static void read_comm(int tid, char comm[16])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (pt_file_text(path, comm, 16) || !*comm)
		snprintf(comm, 16, ":%d", tid);
}

/* Where a CPU's counts go. */
static struct pt_counts_row place_of(struct pt_counts *c, int cpu, int tid)
{
	struct pt_counts_row row = { .cpu = -1, .tid = -1, .place = { -1, -1, -1, -1 } };
	const struct pt_cpu_place *p = cpu >= 0 ? pt_topology_of(c->topology, cpu) : NULL;

	switch (c->opts.by) {
	case PT_BY_ALL:
		break;
	case PT_BY_CPU:
		row.cpu = cpu;
		break;
	case PT_BY_THREAD:
		row.tid = tid;
		break;
	case PT_BY_CORE:
		row.place.core = p ? p->core : -1;
		/* fall through */
	case PT_BY_DIE:
		row.place.die = p ? p->die : -1;
		/* fall through */
	case PT_BY_SOCKET:
		row.place.socket = p ? p->socket : -1;
		break;
	case PT_BY_NODE:
		row.place.node = p ? p->node : -1;
		break;
	}
	return row;
}

static int in_order(const void *a, const void *b)
{
	const struct pt_counts_row *x = a, *y = b;

#define BY(field) do { if (x->field != y->field) return x->field < y->field ? -1 : 1; } while (0)
	BY(cpu);
	BY(place.socket);
	BY(place.die);
	BY(place.core);
	BY(place.node);
	BY(tid);
#undef BY
	return 0;
}

static struct pt_counts_row *row_of(struct pt_counts *c, int cpu, int tid)
{
	int key = c->opts.by == PT_BY_THREAD ? tid : cpu;
	struct pt_counts_row want;
	size_t i, at;

	for (i = 0; i < c->nr_by_cpu; i++) {
		at = (c->next_by_cpu + i) % c->nr_by_cpu;
		if (c->by_cpu[at].cpu == key) {
			c->next_by_cpu = at + 1;
			return &c->rows[c->by_cpu[at].row];
		}
	}
	want = place_of(c, cpu, tid);
	for (at = 0; at < c->nr_rows && in_order(&c->rows[at], &want); at++)
		;
	if (at == c->nr_rows) {
		want.now = pt_alloc_array(c->nr, sizeof(*want.now));
		want.total = pt_alloc_array(c->nr, sizeof(*want.total));
		want.runs = pt_alloc_array(c->nr, sizeof(*want.runs));
		if (want.tid > 0)
			read_comm(want.tid, want.comm);
		PT_GROW(c->rows, c->nr_rows, c->cap_rows);
		c->rows[c->nr_rows++] = want;
		c->sorted = false;
	}
	c->rows[at].nr_cpus++;
	PT_GROW(c->by_cpu, c->nr_by_cpu, c->cap_by_cpu);
	c->by_cpu[c->nr_by_cpu].cpu = key;
	c->by_cpu[c->nr_by_cpu++].row = (int)at;
	return &c->rows[at];
}

const struct pt_counts_row *pt_counts_rows(struct pt_counts *c, size_t *nr)
{
	if (!c->sorted && c->nr_rows) {
		qsort(c->rows, c->nr_rows, sizeof(*c->rows), in_order);
		for (size_t i = 0; i < c->nr_by_cpu; i++) {
			struct pt_counts_row want = c->opts.by == PT_BY_THREAD
							    ? place_of(c, -1, c->by_cpu[i].cpu)
							    : place_of(c, c->by_cpu[i].cpu, -1);
			size_t at;

			for (at = 0; at + 1 < c->nr_rows && in_order(&c->rows[at], &want); at++)
				;
			c->by_cpu[i].row = (int)at;
		}
		c->sorted = true;
	}
	*nr = c->nr_rows;
	return c->rows;
}

/* -- values -- */

void pt_counts_begin(struct pt_counts *c)
{
	size_t i, k;

	for (i = 0; i < c->nr_rows; i++)
		for (k = 0; k < c->nr; k++)
			c->rows[i].now[k] = (struct pt_counts_cell){ .value = 0 };
}

static void add(struct pt_counts_cell *cell, double value, uint64_t enabled_ns, uint64_t running_ns,
		bool last)
{
	cell->value = last ? value : cell->value + value;
	cell->enabled_ns += enabled_ns;
	cell->running_ns += running_ns;
}

void pt_counts_feed(struct pt_counts *c, size_t event, size_t k, const struct pt_session_reading *r)
{
	struct pt_counts_row *row = row_of(c, r->cpu, r->tid);
	size_t to = (size_t)c->events[event].same_as;
	uint64_t value, enabled_ns, running_ns;
	double scaled;
	struct before *b;

	if (k >= c->before[event].nr) {
		c->before[event].k = pt_realloc(c->before[event].k, k + 1, sizeof(struct before));
		memset(c->before[event].k + c->before[event].nr, 0,
		       (k + 1 - c->before[event].nr) * sizeof(struct before));
		c->before[event].nr = k + 1;
	}
	b = &c->before[event].k[k];
	/* A counter only rises; one that does not was changed by somebody else. */
	value = c->events[event].last ? r->value : r->value >= b->value ? r->value - b->value : 0;
	enabled_ns = r->enabled_ns >= b->enabled_ns ? r->enabled_ns - b->enabled_ns : 0;
	running_ns = r->running_ns >= b->running_ns ? r->running_ns - b->running_ns : 0;
	scaled = (double)value;
	if (!c->opts.no_scale && running_ns && running_ns < enabled_ns)
		scaled = scaled * ((double)enabled_ns / (double)running_ns);
	*b = (struct before){ r->value, r->enabled_ns, r->running_ns };
	add(&row->now[to], scaled, enabled_ns, running_ns, c->events[event].last);
	row->now[to].nr++;
	add(&row->total[to], scaled, enabled_ns, running_ns, c->events[event].last);
	row->total[to].nr = PT_MAX(row->total[to].nr, row->now[to].nr);
}

void pt_counts_take(struct pt_counts *c, struct pt_session *s)
{
	const struct pt_session_reading *r;
	size_t i, k, nr;

	pt_counts_begin(c);
	if (c->opts.by == PT_BY_ALL)
		row_of(c, -1, -1);
	for (i = 0; i < c->nr; i++) {
		c->supported[i] = !pt_session_unsupported(s, i);
		if (c->events[i].own)
			continue;
		r = pt_session_readings(s, i, &nr);
		for (k = 0; k < nr; k++)
			pt_counts_feed(c, i, k, &r[k]);
	}
	/* nothing at all could be opened: that is to be seen, too */
	if (!c->nr_rows)
		row_of(c, 0, 0);
	/* Of instances of one PMU any will do. */
	for (i = 0; i < c->nr; i++)
		c->supported[c->events[i].same_as] |= c->supported[i] || c->events[i].own;
}

void pt_counts_stat_add(struct pt_counts_stat *s, double v)
{
	double delta = v - s->mean;

	s->n++;
	s->mean += delta / (double)s->n;
	s->m2 += delta * (v - s->mean);
}

double pt_counts_spread(const struct pt_counts_stat *s)
{
	return s->n < 2 ? 0 : sqrt(s->m2 / (double)(s->n - 1) / (double)s->n);
}

void pt_counts_end_run(struct pt_counts *c)
{
	size_t i, k;

	for (i = 0; i < c->nr_rows; i++)
		for (k = 0; k < c->nr; k++) {
			pt_counts_stat_add(&c->rows[i].runs[k], c->rows[i].total[k].value);
			/* the times go on: shares are those of all runs */
			c->rows[i].total[k].value = 0;
		}
	for (i = 0; i < c->nr; i++)
		c->before[i].nr = 0;
	c->nr_runs++;
}

uint64_t pt_counts_nr_runs(const struct pt_counts *c)
{
	return c->nr_runs;
}

size_t pt_counts_nr_events(const struct pt_counts *c)
{
	return c->nr;
}

const struct pt_counts_event *pt_counts_event(const struct pt_counts *c, size_t i)
{
	return &c->events[i];
}

bool pt_counts_supported(const struct pt_counts *c, size_t event)
{
	return c->supported[event];
}

enum pt_counts_by pt_counts_by(const struct pt_counts *c)
{
	return c->opts.by;
}
