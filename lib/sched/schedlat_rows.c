/* schedlat_rows.c - the rows of the table: what was gathered of tasks and CPUs put together, and
 * sorted. */
#include "sched/schedlat_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_ROWS = 65536 };

static struct schedlat_row *row_of(struct pt_schedlat *l, uint64_t key, const char *name,
				   uint32_t id)
{
	uint64_t *index = pt_map_get(&l->by_key, key);

	if (!index) {
		if (l->nr >= MAX_ROWS - 1) {
			key = UINT64_MAX;
			name = "(others)";
		}
		index = pt_map_put(&l->by_key, key);
	}
	if (!*index) {
		PT_GROW(l->rows, l->nr, l->cap);
		l->rows[l->nr] = pt_alloc(sizeof(struct schedlat_row));
		l->rows[l->nr]->pub.name = name;
		l->rows[l->nr]->pub.id = id;
		*index = ++l->nr;
	}
	return l->rows[*index - 1];
}

static const char *cgroup_name(struct pt_schedlat *l, uint64_t cgroup)
{
	uint64_t *path;
	char text[32];
	int n;

	if (!cgroup)
		return pt_names_add(l->names, "(not known)", 11);
	if (l->o.live)
		return (const char *)(uintptr_t)cgroup;
	path = pt_map_get(&l->cgroups, cgroup);
	if (path)
		return (const char *)(uintptr_t)*path;
	n = snprintf(text, sizeof(text), "cgroup %llu", (unsigned long long)cgroup);
	return pt_names_add(l->names, text, (size_t)n);
}

void schedlat_to_row(struct pt_schedlat *l, const struct pt_sched_task *t,
		     const struct schedlat_task *d)
{
	const char *name = pt_names_add(l->names, t->comm, strnlen(t->comm, sizeof(t->comm)));
	uint32_t pid = t->pid == UINT32_MAX ? t->tid : t->pid;
	struct schedlat_row *r;

	switch (l->o.by) {
	case PT_SCHEDLAT_TID:	/* a number may be given again: another task */
		r = row_of(l, (uint64_t)t->nr << 32 | t->tid, name, t->tid);
		break;
	case PT_SCHEDLAT_PID:
		r = row_of(l, pid, name, pid);
		if (t->tid == pid && !r->main_named) {
			r->pub.name = name;
			r->main_named = true;
		}
		break;
	case PT_SCHEDLAT_CGROUP:
		name = cgroup_name(l, d->cgroup);
		r = row_of(l, (uintptr_t)name, name, t->tid);
		break;
	default:
		r = row_of(l, (uintptr_t)name, name, t->tid);
		break;
	}
	r->pub.nr_tasks++;
	schedlat_merge(&r->sum, &d->sum);
}

static void cpus_to_rows(struct pt_schedlat *l)
{
	for (size_t i = 0; i < l->nr_cpus; i++) {
		const struct schedlat_sum *sum = &l->cpus[i];

		if (sum->f.switches || sum->f.run_ns || sum->stat_ns)
			schedlat_merge(&row_of(l, i, "", (uint32_t)i)->sum, sum);
	}
}

/* -- order -- */

static double average(const struct pt_schedlat_figures *f)
{
	return f->delays ? (double)(f->wait_ns / f->delays) : -1;
}

static double key_run(const struct pt_schedlat_row *r) { return (double)r->f.run_ns; }
static double key_wait(const struct pt_schedlat_row *r) { return (double)r->f.wait_ns; }
static double key_sleep(const struct pt_schedlat_row *r) { return (double)r->f.sleep_ns; }
static double key_block(const struct pt_schedlat_row *r) { return (double)r->f.block_ns; }
static double key_switch(const struct pt_schedlat_row *r) { return (double)r->f.switches; }
static double key_avg(const struct pt_schedlat_row *r) { return average(&r->f); }
static double key_p50(const struct pt_schedlat_row *r)
{
	return r->f.delays ? (double)r->f.p50_ns : -1;
}
static double key_p99(const struct pt_schedlat_row *r)
{
	return r->f.delays ? (double)r->f.p99_ns : -1;
}
static double key_max(const struct pt_schedlat_row *r)
{
	return r->f.delays ? (double)r->f.max_ns : -1;
}
static double key_pid(const struct pt_schedlat_row *r) { return -(double)r->id; }

static const struct schedlat_key {
	const char *name;
	double (*value)(const struct pt_schedlat_row *r);
} sort_keys[SCHEDLAT_KEYS] = {
	{ "runtime", key_run }, { "wait", key_wait },     { "sleep", key_sleep },
	{ "block", key_block }, { "switch", key_switch }, { "avg", key_avg },
	{ "p50", key_p50 },     { "p99", key_p99 },       { "max", key_max },
	{ "pid", key_pid },     { "name", NULL },
};

int pt_schedlat_sort(struct pt_schedlat *l, const char *keys, struct pt_err *e)
{
	size_t len, i;

	if (l)
		l->nr_keys = 0;
	for (;; keys += len + 1) {
		len = strcspn(keys, ", ");
		for (i = 0; i < SCHEDLAT_KEYS; i++)
			if (!strncmp(sort_keys[i].name, keys, len) && !sort_keys[i].name[len])
				break;
		if (i == SCHEDLAT_KEYS)
			return pt_err_set(
				e,
				"'%.*s': one of runtime, wait, sleep, block, switch, avg, p50, p99, max, pid, name",
				(int)len, keys);
		if (l && l->nr_keys < SCHEDLAT_KEYS)
			l->keys[l->nr_keys++] = &sort_keys[i];
		if (!keys[len])
			return 0;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct pt_schedlat_row *x = *(const struct pt_schedlat_row *const *)a,
				     *y = *(const struct pt_schedlat_row *const *)b;
	const struct pt_schedlat *l = arg;

	for (size_t i = 0; i < l->nr_keys; i++) {
		if (!l->keys[i]->value) {
			int d = strcmp(x->name, y->name);

			if (d)
				return d;
			continue;
		}
		double p = l->keys[i]->value(x), q = l->keys[i]->value(y);

		if (p != q)
			return p < q ? 1 : -1;
	}
	return x->id < y->id ? -1 : x->id > y->id;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of few delays they are exact. */
static void percentiles(struct schedlat_sum *sum, struct pt_schedlat_figures *f)
{
	uint64_t nr = f->delays;

	if (sum->hist) {
		f->p50_ns = pt_hist_percentile(sum->hist, 50);
		f->p99_ns = pt_hist_percentile(sum->hist, 99);
	} else if (nr) {
		qsort(sum->few, nr, sizeof(*sum->few), ascending);
		f->p50_ns = sum->few[(nr + 1) / 2 - 1];
		f->p99_ns = sum->few[nr - 1];
	}
}

const struct pt_schedlat_row *const *pt_schedlat_rows(struct pt_schedlat *l, size_t *nr,
						      struct pt_schedlat_row *total)
{
	for (struct pt_sched_task *t = NULL; !l->ended && (t = pt_sched_each(l->sched, t)); )
		schedlat_drop(l, t);
	if (!l->ended)
		cpus_to_rows(l);
	if (!l->nr_keys)
		pt_schedlat_sort(l, l->o.by == PT_SCHEDLAT_CPU ? "pid" : "avg,max,switch,runtime",
				 NULL);
	*total = (struct pt_schedlat_row){ .name = "TOTAL", .nr_tasks = 0 };
	free(l->sorted);
	l->sorted = pt_alloc_array(l->nr, sizeof(*l->sorted));
	for (size_t i = 0; i < l->nr; i++) {
		struct schedlat_row *r = l->rows[i];

		r->pub.f = r->sum.f;
		if (l->has_stat)
			r->pub.f.run_ns = r->sum.stat_ns;
		percentiles(&r->sum, &r->pub.f);
		l->sorted[i] = &r->pub;
		total->nr_tasks += r->pub.nr_tasks;
		total->f.run_ns += r->pub.f.run_ns;
		total->f.wait_ns += r->pub.f.wait_ns;
		total->f.sleep_ns += r->pub.f.sleep_ns;
		total->f.block_ns += r->pub.f.block_ns;
		total->f.switches += r->pub.f.switches;
		total->f.delays += r->pub.f.delays;
	}
	qsort_r(l->sorted, l->nr, sizeof(*l->sorted), compare, l);
	l->ended = true;
	*nr = l->nr;
	return l->sorted;
}
