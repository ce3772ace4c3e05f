#include "view/schedlat_int.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { MAX_ROWS = 65536, MAX_KEYS = 11 };

struct row {
	struct pt_schedlat_row pub;
	struct schedlat_sum sum;
	bool main_named;		/* by PID: the name is that of the main thread */
};

struct pt_schedlat {
	struct pt_schedlat_opts o;
	struct pt_sched *sched;
	struct schedlat_sum *cpus;	/* by CPU */
	size_t nr_cpus;
	struct row **rows;
	size_t nr, cap;
	struct pt_map by_key;
	struct pt_map cgroups;		/* id -> interned path */
	struct pt_names *names;
	struct schedlat_worsts *worsts;
	bool plain;			/* all of it goes to the tasks: no window, no choice of CPUs */
	bool has_stat;			/* sched_stat_runtime is there: the switches' run times are not used */
	bool ended;
	const struct sort_key *keys[MAX_KEYS];
	size_t nr_keys;
	const struct pt_schedlat_row **sorted;
};

static void drop(void *arg, struct pt_sched_task *t);

static void look_plain(struct pt_schedlat *l)
{
	l->plain = l->o.by != PT_SCHEDLAT_CPU && !l->o.cpu && !l->o.from_ns && l->o.to_ns == UINT64_MAX;
}

struct pt_schedlat *pt_schedlat_new(const struct pt_schedlat_opts *o, struct pt_sched *s)
{
	struct pt_schedlat *l = pt_alloc(sizeof(*l));

	l->o = *o;
	if (!l->o.to_ns)
		l->o.to_ns = UINT64_MAX;
	l->sched = s;
	l->names = pt_names_new();
	if (o->nr_worst)
		l->worsts = schedlat_worsts_new(o->nr_worst, o->by != PT_SCHEDLAT_TID);
	look_plain(l);
	pt_sched_on_drop(s, drop, l);
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
	for (struct pt_sched_task *t = NULL; (t = pt_sched_each(l->sched, t)); )
		drop(l, t);
	pt_sched_on_drop(l->sched, NULL, NULL);
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

void pt_schedlat_window(struct pt_schedlat *l, uint64_t from_ns, uint64_t to_ns)
{
	l->o.from_ns = from_ns;
	l->o.to_ns = to_ns;
	look_plain(l);
}

void pt_schedlat_cgroup(struct pt_schedlat *l, uint64_t id, const char *path)
{
	if (id)
		*pt_map_put(&l->cgroups, id) = (uintptr_t)pt_names_add(l->names, path, strlen(path));
}

/* -- gathering ---------------------------------------------------------------------------------------------------------------- */

/* The path in which the CPU's time is divided: of the cpu controller where that has a hierarchy of its own (v1), else of the one hierarchy. */
static const char *live_cgroup(struct pt_schedlat *l, uint32_t tid)
{
	char path[64], text[4096], *line, *save, *found = NULL;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return NULL;
	text[n] = '\0';
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *what = strchr(line, ':'), *where = what ? strchr(what + 1, ':') : NULL;

		if (!where)
			continue;
		*where++ = '\0';
		what++;
		if (!*what && !found)
			found = where;
		if (!strcmp(what, "cpu") || !strncmp(what, "cpu,", 4) || strstr(what, ",cpu,") || (strlen(what) > 4 && !strcmp(what + strlen(what) - 4, ",cpu")))
			found = where;
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

static inline struct schedlat_task *data_of(struct pt_schedlat *l, struct pt_sched_task *t)
{
	return t->user ? t->user : new_data(l, t);
}

static struct schedlat_sum *sum_of_cpu(struct pt_schedlat *l, int32_t cpu)
{
	size_t at = (size_t)cpu;

	if (at >= l->nr_cpus) {
		size_t nr = PT_MAX(l->nr_cpus * 2, at + 1);

		l->cpus = pt_realloc(l->cpus, nr, sizeof(*l->cpus));
		memset(l->cpus + l->nr_cpus, 0, (nr - l->nr_cpus) * sizeof(*l->cpus));
		l->nr_cpus = nr;
	}
	return &l->cpus[at];
}

static bool task_counts(const struct pt_schedlat *l, const struct pt_sched_task *t)
{
	return !l->o.task || l->o.task(l->o.arg, t);
}

static struct schedlat_sum *sum_chosen(struct pt_schedlat *l, struct pt_sched_task *t, struct schedlat_task *d, int32_t cpu)
{
	if (cpu < 0 || (l->o.cpu && !l->o.cpu(l->o.arg, cpu)))
		return NULL;
	if (l->o.by != PT_SCHEDLAT_CPU)
		return &d->sum;
	return task_counts(l, t) ? sum_of_cpu(l, cpu) : NULL;
}

/* Where it counts; NULL: nowhere. */
static inline struct schedlat_sum *sum_for(struct pt_schedlat *l, struct pt_sched_task *t, struct schedlat_task *d, int32_t cpu)
{
	return __builtin_expect(l->plain, 1) ? &d->sum : sum_chosen(l, t, d, cpu);
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

static void add_run(const struct pt_schedlat *l, struct schedlat_sum *sum, uint64_t from_ns, uint64_t to_ns)
{
	from_ns = PT_MAX(from_ns, l->o.from_ns);
	to_ns = PT_MIN(to_ns, l->o.to_ns);
	if (to_ns > from_ns)
		sum->f.run_ns += to_ns - from_ns;
}

static inline bool within(const struct pt_schedlat *l, uint64_t time_ns)
{
	return time_ns >= l->o.from_ns && time_ns <= l->o.to_ns;
}

static void came_in(struct pt_schedlat *l, const struct pt_sched_event *ev, struct schedlat_task *d)
{
	const struct pt_sched_stay *s = &ev->next->stay;
	struct schedlat_sum *sum = within(l, ev->time_ns) ? sum_for(l, ev->next, d, ev->cpu) : NULL;

	if (!sum)
		return;
	sum->f.switches++;
	if ((s->known & PT_SCHED_DELAY) && !(l->o.woken_only && s->why == PT_SCHED_PREEMPTED)) {
		add_delay(sum, s->delay_ns, ev->time_ns);
		if (l->worsts && task_counts(l, ev->next))
			schedlat_worsts_offer(l->worsts, ev, d);
	}
	if ((s->known & PT_SCHED_OFF) && (s->known & PT_SCHED_DELAY) && s->why == PT_SCHED_SLEPT && s->off_ns >= s->delay_ns)
		*(s->off_state == 'D' ? &sum->f.block_ns : &sum->f.sleep_ns) += s->off_ns - s->delay_ns;
}

static void on_switch(struct pt_schedlat *l, const struct pt_sched_event *ev, const struct pt_record *rec)
{
	struct schedlat_task *out = ev->task->tid ? data_of(l, ev->task) : NULL, *in = ev->next->tid ? data_of(l, ev->next) : NULL;
	struct schedlat_sum *sum;

	if (out) {
		if (l->o.by == PT_SCHEDLAT_CGROUP && (rec->has & PERF_SAMPLE_CGROUP) && rec->sample.cgroup)
			out->cgroup = rec->sample.cgroup;
		sum = (ev->task->stay.known & PT_SCHED_RUN) ? sum_for(l, ev->task, out, ev->cpu) : NULL;
		if (sum)
			add_run(l, sum, ev->time_ns - ev->task->stay.run_ns, ev->time_ns);
	}
	if (l->worsts)
		schedlat_worsts_feed(l->worsts, ev, out);
	if (in)
		came_in(l, ev, in);
}

void pt_schedlat_feed(struct pt_schedlat *l, const struct pt_sched_event *ev, const struct pt_record *rec)
{
	struct schedlat_sum *sum;

	switch (ev->kind) {
	case PT_SCHED_SWITCH:
		on_switch(l, ev, rec);
		break;
	case PT_SCHED_RUNTIME:
		l->has_stat = true;
		sum = ev->task->tid && within(l, ev->time_ns) ? sum_for(l, ev->task, data_of(l, ev->task), ev->cpu) : NULL;
		if (sum)
			sum->stat_ns += ev->runtime_ns;
		break;
	case PT_SCHED_WAKING:
	case PT_SCHED_WAKEUP:
	case PT_SCHED_WAKEUP_NEW:
	case PT_SCHED_MIGRATE:
		if (l->worsts && ev->task->tid)
			schedlat_worsts_feed(l->worsts, ev, data_of(l, ev->task));
		break;
	default:
		break;
	}
}

/* -- rows --------------------------------------------------------------------------------------------------------------------- */

static void merge(struct schedlat_sum *to, const struct schedlat_sum *from)
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
	to->f.run_ns += f->run_ns;
	to->f.wait_ns += f->wait_ns;
	to->f.sleep_ns += f->sleep_ns;
	to->f.block_ns += f->block_ns;
	to->f.switches += f->switches;
	to->f.delays += f->delays;
	to->stat_ns += from->stat_ns;
}

static struct row *row_of(struct pt_schedlat *l, uint64_t key, const char *name, uint32_t id)
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
		l->rows[l->nr] = pt_alloc(sizeof(struct row));
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

static void to_row(struct pt_schedlat *l, const struct pt_sched_task *t, const struct schedlat_task *d)
{
	const char *name = pt_names_add(l->names, t->comm, strnlen(t->comm, sizeof(t->comm)));
	uint32_t pid = t->pid == UINT32_MAX ? t->tid : t->pid;
	struct row *r;

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
	merge(&r->sum, &d->sum);
}

/* A task is kept no longer: what it had goes to its row. */
static void drop(void *arg, struct pt_sched_task *t)
{
	struct pt_schedlat *l = arg;
	struct schedlat_task *d = t->user;
	const struct schedlat_sum *sum;

	if (!d)
		return;
	sum = &d->sum;
	if (!l->ended && l->o.by != PT_SCHEDLAT_CPU && (sum->f.switches || sum->f.run_ns || sum->stat_ns) && task_counts(l, t))
		to_row(l, t, d);
	deinit_sum(&d->sum);
	free(d);
	t->user = NULL;
}

static void cpus_to_rows(struct pt_schedlat *l)
{
	for (size_t i = 0; i < l->nr_cpus; i++) {
		const struct schedlat_sum *sum = &l->cpus[i];

		if (sum->f.switches || sum->f.run_ns || sum->stat_ns)
			merge(&row_of(l, i, "", (uint32_t)i)->sum, sum);
	}
}

/* -- order -------------------------------------------------------------------------------------------------------------------- */

static double average(const struct pt_schedlat_figures *f) { return f->delays ? (double)(f->wait_ns / f->delays) : -1; }

static double key_run(const struct pt_schedlat_row *r) { return (double)r->f.run_ns; }
static double key_wait(const struct pt_schedlat_row *r) { return (double)r->f.wait_ns; }
static double key_sleep(const struct pt_schedlat_row *r) { return (double)r->f.sleep_ns; }
static double key_block(const struct pt_schedlat_row *r) { return (double)r->f.block_ns; }
static double key_switch(const struct pt_schedlat_row *r) { return (double)r->f.switches; }
static double key_avg(const struct pt_schedlat_row *r) { return average(&r->f); }
static double key_p50(const struct pt_schedlat_row *r) { return r->f.delays ? (double)r->f.p50_ns : -1; }
static double key_p99(const struct pt_schedlat_row *r) { return r->f.delays ? (double)r->f.p99_ns : -1; }
static double key_max(const struct pt_schedlat_row *r) { return r->f.delays ? (double)r->f.max_ns : -1; }
static double key_pid(const struct pt_schedlat_row *r) { return -(double)r->id; }

static const struct sort_key { const char *name; double (*value)(const struct pt_schedlat_row *r); } sort_keys[MAX_KEYS] = {
	{ "runtime", key_run }, { "wait", key_wait }, { "sleep", key_sleep }, { "block", key_block }, { "switch", key_switch }, { "avg", key_avg },
	{ "p50", key_p50 }, { "p99", key_p99 }, { "max", key_max }, { "pid", key_pid }, { "name", NULL },
};

int pt_schedlat_sort(struct pt_schedlat *l, const char *keys, struct pt_err *e)
{
	size_t len, i;

	if (l)
		l->nr_keys = 0;
	for (;; keys += len + 1) {
		len = strcspn(keys, ", ");
		for (i = 0; i < MAX_KEYS; i++)
			if (!strncmp(sort_keys[i].name, keys, len) && !sort_keys[i].name[len])
				break;
		if (i == MAX_KEYS)
			return pt_err_set(e, "'%.*s': one of runtime, wait, sleep, block, switch, avg, p50, p99, max, pid, name", (int)len, keys);
		if (l && l->nr_keys < MAX_KEYS)
			l->keys[l->nr_keys++] = &sort_keys[i];
		if (!keys[len])
			return 0;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct pt_schedlat_row *x = *(const struct pt_schedlat_row *const *)a, *y = *(const struct pt_schedlat_row *const *)b;
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

const struct pt_schedlat_row *const *pt_schedlat_rows(struct pt_schedlat *l, size_t *nr, struct pt_schedlat_row *total)
{
	for (struct pt_sched_task *t = NULL; !l->ended && (t = pt_sched_each(l->sched, t)); )
		drop(l, t);
	if (!l->ended)
		cpus_to_rows(l);
	if (!l->nr_keys)
		pt_schedlat_sort(l, l->o.by == PT_SCHEDLAT_CPU ? "pid" : "avg,max,switch,runtime", NULL);
	*total = (struct pt_schedlat_row){ .name = "TOTAL", .nr_tasks = 0 };
	free(l->sorted);
	l->sorted = pt_alloc_array(l->nr, sizeof(*l->sorted));
	for (size_t i = 0; i < l->nr; i++) {
		struct row *r = l->rows[i];

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

const struct pt_schedlat_worst *pt_schedlat_worst(const struct pt_schedlat *l, size_t *nr)
{
	*nr = 0;
	return l->worsts ? schedlat_worsts_get(l->worsts, nr) : NULL;
}

enum pt_schedlat_by schedlat_by(const struct pt_schedlat *l)
{
	return l->o.by;
}
