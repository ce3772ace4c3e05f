#include "sched/schedlat_priv.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"

struct pt_schedlat *pt_schedlat_new(const struct pt_schedlat_opts *o, struct pt_sched *s)
{
	struct pt_schedlat *l = pt_alloc(sizeof(*l));

	l->o = *o;
	l->sched = s;
	l->names = pt_names_new();
	if (o->nr_worst)
		l->worsts = schedlat_worsts_new(o->nr_worst, o->by != PT_SCHEDLAT_TID);
	pt_sched_on_drop(s, schedlat_drop, l);
	return l;
}

static void deinit_sum(struct schedlat_sum *sum)
{
	if (sum->hist)
		pt_hist_deinit(sum->hist);
	free(sum->hist);
}

void pt_schedlat_free(struct pt_schedlat *l)
{
	if (!l)
		return;
	l->ended = true;
	pt_sched_drop_all(l->sched);
	for (size_t i = 0; i < l->nr_cpus; i++)
		deinit_sum(&l->cpus[i]);
	for (size_t i = 0; i < l->nr; i++) {
		deinit_sum(&l->rows[i]->sum);
		free(l->rows[i]);
	}
	free(l->cpus);
	free(l->rows);
	free(l->sorted);
	pt_map_deinit(&l->by_key);
	pt_map_deinit(&l->cgroups);
	pt_names_free(l->names);
	schedlat_worsts_free(l->worsts);
	free(l);
}

void pt_schedlat_cgroup(struct pt_schedlat *l, uint64_t id, const char *path)
{
	if (id)
		*pt_map_put(&l->cgroups, id) =
			(uintptr_t)pt_names_add(l->names, path, strlen(path));
}

/* -- gathering -- */

/* The path of the group that shares the CPU: of the cpu controller if it has its own hierarchy
 * (v1), else of the only hierarchy. */
static const char *live_cgroup(struct pt_schedlat *l, uint32_t tid)
{
	char path[64], text[4096], *line, *save, *found = NULL;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", tid);
	if (pt_file_text(path, text, sizeof(text)))
		return NULL;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'),		/* "4:cpu,cpuacct:/PATH" */
		     *at = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!at)
			continue;
		*at = *controllers = ',';
		if (memmem(controllers, (size_t)(at + 1 - controllers), ",cpu,", 5) ||
		    (at == controllers + 1 && !found))
			found = at + 1;
	}
	return found ? pt_names_add(l->names, found, strlen(found)) : NULL;
}

static struct schedlat_task *new_data(struct pt_schedlat *l, struct pt_sched_task *t)
{
	struct schedlat_task *d = t->user = pt_alloc(sizeof(*d));

	d->queue.first_cpu = d->queue.last_cpu = PT_SCHED_NO_CPU;
	if (l->o.by == PT_SCHEDLAT_CGROUP && l->o.live)
		d->cgroup = (uintptr_t)live_cgroup(l, t->tid);
	return d;
}

static inline struct schedlat_task *schedlat_data_of(struct pt_schedlat *l, struct pt_sched_task *t)
{
	return t->user ? t->user : new_data(l, t);
}

static struct schedlat_sum *sum_of_cpu(struct pt_schedlat *l, int32_t cpu)
{
	PT_GROW_TO(l->cpus, l->nr_cpus, cpu);
	return &l->cpus[cpu];
}

static bool task_counts(const struct pt_schedlat *l, const struct pt_sched_task *t)
{
	return pt_choose_task(l->o.choose, t->pid, t->tid, t->comm);
}

/* The sum that a delay or run time adds to; NULL: none. */
static inline struct schedlat_sum *sum_for(struct pt_schedlat *l, struct pt_sched_task *t,
					   struct schedlat_task *d, int32_t cpu)
{
	if (cpu < 0 || !pt_choose_cpu(l->o.choose, cpu))
		return NULL;
	if (l->o.by != PT_SCHEDLAT_CPU)
		return &d->sum;
	return task_counts(l, t) ? sum_of_cpu(l, cpu) : NULL;
}

static void to_hist(struct schedlat_sum *sum)
{
	sum->hist = pt_alloc(sizeof(*sum->hist));
	pt_hist_init(sum->hist);
	for (size_t i = 0; i < PT_MIN(sum->f.delays, SCHEDLAT_FEW); i++)
		pt_hist_add(sum->hist, sum->few[i]);
}

static void greatest(struct pt_schedlat_figures *f, uint64_t ns, uint64_t start_ns, uint64_t end_ns)
{
	if (f->max_end_ns && ns <= f->max_ns)
		return;
	f->max_ns = ns;
	f->max_start_ns = start_ns;
	f->max_end_ns = end_ns;
}

static void add_delay(struct schedlat_sum *sum, uint64_t ns, uint64_t end_ns)
{
	if (!sum->hist && sum->f.delays == SCHEDLAT_FEW)
		to_hist(sum);
	if (sum->hist)
		pt_hist_add(sum->hist, ns);
	else
		sum->few[sum->f.delays] = ns;
	greatest(&sum->f, ns, end_ns - ns, end_ns);
	sum->f.delays++;
	sum->f.wait_ns += ns;
}

static void add_run(const struct pt_schedlat *l, struct schedlat_sum *sum, uint64_t from_ns,
		    uint64_t to_ns)
{
	from_ns = PT_MAX(from_ns, l->o.choose->from_ns);
	to_ns = PT_MIN(to_ns, l->o.choose->to_ns);
	if (to_ns > from_ns)
		sum->f.run_ns += to_ns - from_ns;
}

static void schedlat_came_in(struct pt_schedlat *l, const struct pt_sched_event *ev,
			     struct schedlat_task *d)
{
	const struct pt_sched_stay *s = &ev->next->stay;
	struct schedlat_sum *sum = pt_choose_time(l->o.choose, ev->time_ns)
					   ? sum_for(l, ev->next, d, ev->cpu)
					   : NULL;

	if (!sum)
		return;
	sum->f.switches++;
	if ((s->known & PT_SCHED_DELAY) && !(l->o.woken_only && s->why == PT_SCHED_PREEMPTED)) {
		add_delay(sum, s->delay_ns, ev->time_ns);
		if (l->worsts && task_counts(l, ev->next))
			schedlat_worsts_offer(l->worsts, ev, d);
	}
	if ((s->known & PT_SCHED_OFF) && (s->known & PT_SCHED_DELAY) && s->why == PT_SCHED_SLEPT &&
	    s->off_ns >= s->delay_ns)
		*(s->off_state == 'D' ? &sum->f.block_ns : &sum->f.sleep_ns) +=
			s->off_ns - s->delay_ns;
}

static void schedlat_on_switch(struct pt_schedlat *l, const struct pt_sched_event *ev,
			       const struct pt_record *rec)
{
	struct schedlat_task *out = ev->task->tid ? schedlat_data_of(l, ev->task) : NULL,
			     *in = ev->next->tid ? schedlat_data_of(l, ev->next) : NULL;
	struct schedlat_sum *sum;

	if (out) {
		if (l->o.by == PT_SCHEDLAT_CGROUP && (rec->has & PERF_SAMPLE_CGROUP) &&
		    rec->sample.cgroup)
			out->cgroup = rec->sample.cgroup;
		sum = (ev->task->stay.known & PT_SCHED_RUN) ? sum_for(l, ev->task, out, ev->cpu)
							    : NULL;
		if (sum)
			add_run(l, sum, ev->time_ns - ev->task->stay.run_ns, ev->time_ns);
	}
	if (l->worsts)
		schedlat_worsts_feed(l->worsts, ev, out);
	if (in)
		schedlat_came_in(l, ev, in);
}

void pt_schedlat_feed(struct pt_schedlat *l, const struct pt_sched_event *ev,
		      const struct pt_record *rec)
{
	struct schedlat_sum *sum;

	switch (ev->kind) {
	case PT_SCHED_SWITCH:
		schedlat_on_switch(l, ev, rec);
		break;
	case PT_SCHED_RUNTIME:
		l->has_stat = true;
		sum = ev->task->tid && pt_choose_time(l->o.choose, ev->time_ns)
			      ? sum_for(l, ev->task, schedlat_data_of(l, ev->task), ev->cpu)
			      : NULL;
		if (sum)
			sum->stat_ns += ev->runtime_ns;
		break;
	case PT_SCHED_WAKING:
	case PT_SCHED_WAKEUP:
	case PT_SCHED_WAKEUP_NEW:
	case PT_SCHED_MIGRATE:
		if (l->worsts && ev->task->tid)
			schedlat_worsts_feed(l->worsts, ev, schedlat_data_of(l, ev->task));
		break;
	default:
		break;
	}
}

void schedlat_merge(struct schedlat_sum *to, const struct schedlat_sum *from)
{
	const struct pt_schedlat_figures *f = &from->f;

	if (!to->hist && (from->hist || to->f.delays + f->delays > SCHEDLAT_FEW))
		to_hist(to);
	if (from->hist)
		pt_hist_merge(to->hist, from->hist);
	for (size_t i = 0; !from->hist && i < f->delays; i++) {
		if (to->hist)
			pt_hist_add(to->hist, from->few[i]);
		else
			to->few[to->f.delays + i] = from->few[i];
	}
	if (f->delays)
		greatest(&to->f, f->max_ns, f->max_start_ns, f->max_end_ns);
	schedlat_add(&to->f, f);
	to->stat_ns += from->stat_ns;
}

void schedlat_drop(void *arg, struct pt_sched_task *t)
{
	struct pt_schedlat *l = arg;
	struct schedlat_task *d = t->user;
	const struct schedlat_sum *sum;

	if (!d)
		return;
	sum = &d->sum;
	if (!l->ended && l->o.by != PT_SCHEDLAT_CPU &&
	    (sum->f.switches || sum->f.run_ns || sum->stat_ns) && task_counts(l, t))
		schedlat_to_row(l, t, d);
	deinit_sum(&d->sum);
	free(d);
	t->user = NULL;
}

const struct pt_schedlat_worst *pt_schedlat_worst(const struct pt_schedlat *l, size_t *nr)
{
	*nr = 0;
	return l->worsts ? schedlat_worsts_get(l->worsts, nr) : NULL;
}
