#include "count/counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/smallfile.h"

struct pt_counts *pt_counts_new(const struct pt_counts_opts *o,
				const struct pt_counts_event *events, size_t nr)
{
	struct pt_counts *c = pt_alloc(sizeof(*c));

	c->opts = *o;
	c->nr = nr;
	c->events = pt_memdup(events, nr * sizeof(*events));
	c->before = pt_alloc_array(nr, sizeof(*c->before));
	c->nr_before = pt_alloc_array(nr, sizeof(*c->nr_before));
	c->supported = pt_alloc_array(nr, sizeof(*c->supported));
	memset(c->supported, true, nr);
	return c;
}

void pt_counts_free(struct pt_counts *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++)
		free(c->before[i]);
	for (i = 0; i < c->nr_rows; i++) {
		free(c->rows[i].now);
		free(c->rows[i].total);
		free(c->rows[i].runs);
	}
	pt_map_deinit(&c->row_of);
	free(c->rows);
	free(c->before);
	free(c->nr_before);
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

/* The row, without its values, that the counts of a CPU or thread belong to. */
static struct pt_counts_row count_counts_place_of(const struct pt_counts *c, int cpu, int tid)
{
	struct pt_counts_row row = { .cpu = -1, .tid = -1, .place = PT_CPU_NOWHERE };
	struct pt_cpu_place p = row.place;
	bool within_die = false;

	if (cpu >= 0)
		p = pt_topology_of(c->opts.sysfs, cpu);
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
		row.place.core = p.core;
		within_die = true;
		break;
	case PT_BY_CLUSTER:
		row.place.cluster = p.cluster;
		within_die = true;
		break;
	case PT_BY_CACHE:
		pt_topology_cache(c->opts.sysfs, cpu, c->opts.cache_level, &row.place);
		within_die = true;
		break;
	case PT_BY_DIE:
		within_die = true;
		break;
	case PT_BY_SOCKET:
		row.place.socket = p.socket;
		break;
	case PT_BY_NODE:
		row.place.node = p.node;
		break;
	}
	if (within_die) {
		row.place.socket = p.socket;
		row.place.die = p.die;
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
	BY(place.cluster);
	BY(place.level);
	BY(place.cache);
	BY(place.core);
	BY(place.node);
	BY(tid);
#undef BY
	return 0;
}

static void insert_row(struct pt_counts *c, size_t at, struct pt_counts_row row)
{
	struct pt_map_slot *slot;
	size_t i;

	row.now = pt_alloc_array(c->nr, sizeof(*row.now));
	row.total = pt_alloc_array(c->nr, sizeof(*row.total));
	row.runs = pt_alloc_array(c->nr, sizeof(*row.runs));
	if (row.tid > 0)
		read_comm(row.tid, row.comm);
	PT_GROW(c->rows, c->nr_rows, c->cap_rows);
	memmove(&c->rows[at + 1], &c->rows[at], (c->nr_rows++ - at) * sizeof(row));
	c->rows[at] = row;
	for (i = 0; (slot = pt_map_each(&c->row_of, &i)); )
		slot->value += slot->value >= at;
}

static struct pt_counts_row *count_counts_row_of(struct pt_counts *c, int cpu, int tid)
{
	uint64_t key = (uint64_t)(c->opts.by == PT_BY_THREAD ? tid : cpu);
	uint64_t *known = pt_map_get(&c->row_of, key);
	struct pt_counts_row want;
	size_t at;

	if (known)
		return &c->rows[*known];
	want = count_counts_place_of(c, cpu, tid);
	at = PT_LEADING(c->nr_rows, i, in_order(&c->rows[i], &want) < 0);
	if (at == c->nr_rows || in_order(&c->rows[at], &want))
		insert_row(c, at, want);
	c->rows[at].nr_cpus++;
	*pt_map_put(&c->row_of, key) = at;
	return &c->rows[at];
}

/* -- values -- */

void pt_counts_begin(struct pt_counts *c)
{
	size_t i, k;

	for (i = 0; i < c->nr_rows; i++)
		for (k = 0; k < c->nr; k++)
			c->rows[i].now[k] = (struct pt_counts_cell){ .value = 0 };
}

static void count_counts_add(struct pt_counts_cell *cell, double value, uint64_t enabled_ns,
			     uint64_t running_ns, bool last)
{
	cell->value = last ? value : cell->value + value;
	cell->enabled_ns += enabled_ns;
	cell->running_ns += running_ns;
}

void pt_counts_feed(struct pt_counts *c, size_t event, size_t k, const struct pt_session_reading *r)
{
	struct pt_counts_row *row = count_counts_row_of(c, r->cpu, r->tid);
	size_t to = (size_t)c->events[event].same_as;
	uint64_t value, enabled_ns, running_ns;
	double scaled;
	struct before *b;

	PT_GROW_TO(c->before[event], c->nr_before[event], k);
	b = &c->before[event][k];
	/* A counter only rises; one that does not was changed by somebody else. */
	value = c->events[event].last ? r->value : r->value >= b->value ? r->value - b->value : 0;
	enabled_ns = r->enabled_ns >= b->enabled_ns ? r->enabled_ns - b->enabled_ns : 0;
	running_ns = r->running_ns >= b->running_ns ? r->running_ns - b->running_ns : 0;
	scaled = (double)value;
	if (!c->opts.no_scale && running_ns && running_ns < enabled_ns)
		scaled = scaled * ((double)enabled_ns / (double)running_ns);
	*b = (struct before){ r->value, r->enabled_ns, r->running_ns };
	count_counts_add(&row->now[to], scaled, enabled_ns, running_ns, c->events[event].last);
	row->now[to].nr++;
	count_counts_add(&row->total[to], scaled, enabled_ns, running_ns, c->events[event].last);
	row->total[to].nr = PT_MAX(row->total[to].nr, row->now[to].nr);
}

void pt_counts_take(struct pt_counts *c, struct pt_session *s)
{
	const struct pt_session_reading *r;
	size_t i, k, nr;

	pt_counts_begin(c);
	if (c->opts.by == PT_BY_ALL)
		count_counts_row_of(c, -1, -1);
	for (i = 0; i < c->nr; i++) {
		c->supported[i] = !pt_session_unsupported(s, i);
		if (c->events[i].own)
			continue;
		r = pt_session_readings(s, i, &nr);
		for (k = 0; k < nr; k++)
			pt_counts_feed(c, i, k, &r[k]);
	}
	/* even if nothing could be opened, there is a row to show that */
	if (!c->nr_rows)
		count_counts_row_of(c, 0, 0);
	/* One supported instance of a PMU is enough. */
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
		c->nr_before[i] = 0;
	c->nr_runs++;
}
