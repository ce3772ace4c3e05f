/* schedlat_rows.c - adds up the rows and sorts them */
#include "sched/schedlat_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

enum { MAX_ROWS = 65536 };

static struct schedlat_row *schedlat_rows_row_of(struct pt_schedlat *l, uint64_t key,
						 const char *name, uint32_t id)
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
		return pt_pointer(cgroup);
	path = pt_map_get(&l->cgroups, cgroup);
	if (path)
		return pt_pointer(*path);
	n = snprintf(text, sizeof(text), "cgroup %llu", (unsigned long long)cgroup);
	return pt_names_add(l->names, text, (size_t)n);
}

void schedlat_to_row(struct pt_schedlat *l, const struct pt_sched_task *t,
		     const struct schedlat_task *d)
{
	const char *name = pt_names_add(l->names, t->comm, sizeof(t->comm));
	uint32_t pid = t->pid == UINT32_MAX ? t->tid : t->pid;
	struct schedlat_row *r;

	switch (l->o.by) {
	case PT_SCHEDLAT_TID:	/* a tid may be reused by another task */
		r = schedlat_rows_row_of(l, (uint64_t)t->nr << 32 | t->tid, name, t->tid);
		break;
	case PT_SCHEDLAT_PID:
		r = schedlat_rows_row_of(l, pid, name, pid);
		if (t->tid == pid && !r->main_named) {
			r->pub.name = name;
			r->main_named = true;
		}
		break;
	case PT_SCHEDLAT_CGROUP:
		name = cgroup_name(l, d->cgroup);
		r = schedlat_rows_row_of(l, (uintptr_t)name, name, t->tid);
		break;
	default:
		r = schedlat_rows_row_of(l, (uintptr_t)name, name, t->tid);
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
			schedlat_merge(&schedlat_rows_row_of(l, i, "", (uint32_t)i)->sum, sum);
	}
}

static int schedlat_rows_compare(const void *a, const void *b, void *arg)
{
	return schedlat_compare(arg, *(const struct pt_schedlat_row *const *)a,
				*(const struct pt_schedlat_row *const *)b);
}

static uint64_t average(const struct pt_schedlat_figures *f)
{
	return f->delays ? f->wait_ns / f->delays : 0;
}

/* Exact while there are few delays. */
static void percentiles(struct schedlat_sum *sum, struct pt_schedlat_figures *f)
{
	uint64_t nr = f->delays;

	if (sum->hist) {
		f->p50_ns = pt_hist_percentile(sum->hist, 50);
		f->p99_ns = pt_hist_percentile(sum->hist, 99);
	} else if (nr) {
		qsort(sum->few, nr, sizeof(*sum->few), pt_num_compare_u64);
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
		r->pub.f.avg_ns = average(&r->pub.f);
		percentiles(&r->sum, &r->pub.f);
		l->sorted[i] = &r->pub;
		total->nr_tasks += r->pub.nr_tasks;
		schedlat_add(&total->f, &r->pub.f);
	}
	total->f.avg_ns = average(&total->f);
	qsort_r(l->sorted, l->nr, sizeof(*l->sorted), schedlat_rows_compare, l);
	l->ended = true;
	*nr = l->nr;
	return l->sorted;
}
