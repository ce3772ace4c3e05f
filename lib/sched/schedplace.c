#include "sched/schedplace.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct pt_schedplace {
	struct pt_sched *s;
	struct pt_schedplace_row **rows;
	size_t nr, cap;
};

struct pt_schedplace *pt_schedplace_new(struct pt_sched *s)
{
	struct pt_schedplace *p = pt_alloc(sizeof(*p));

	p->s = s;
	return p;
}

void pt_schedplace_free(struct pt_schedplace *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr; i++) {
		free(p->rows[i]->places);
		free(p->rows[i]);
	}
	free(p->rows);
	free(p);
}

static struct pt_schedplace_row *schedplace_new_row(struct pt_schedplace *p,
						    struct pt_sched_task *t)
{
	struct pt_schedplace_row *r = pt_alloc(sizeof(*r));

	t->user = r;
	r->task = t;
	r->last_cpu = PT_SCHED_NO_CPU;
	PT_GROW(p->rows, p->nr, p->cap);
	return p->rows[p->nr++] = r;
}

static struct pt_schedplace_row *schedplace_row_of(struct pt_schedplace *p, struct pt_sched_task *t)
{
	return t->user ? t->user : schedplace_new_row(p, t);
}

static struct pt_schedplace_cpu *schedplace_place_of(struct pt_schedplace_row *r, int32_t cpu)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->places[i].cpu == cpu)
			return &r->places[i];
	PT_GROW(r->places, r->nr, r->cap);
	r->places[r->nr] = (struct pt_schedplace_cpu){ .cpu = cpu };
	return &r->places[r->nr++];
}

static void ran(struct pt_schedplace *p, struct pt_sched_task *t, int32_t cpu)
{
	struct pt_schedplace_row *r = schedplace_row_of(p, t);

	r->runs++;
	r->moves += r->last_cpu != PT_SCHED_NO_CPU && r->last_cpu != cpu;
	r->last_cpu = cpu;
	memcpy(r->comm, t->comm, sizeof(r->comm));
	schedplace_place_of(r, cpu)->runs++;
}

static void schedplace_add_time(struct pt_schedplace_row *r, int32_t cpu, uint64_t ns)
{
	r->run_ns += ns;
	schedplace_place_of(r, cpu)->run_ns += ns;
}

/* After an exec the task gets a new row. The kernel reports an exec twice; the second time the row
 * is still empty. */
static void starts_anew(struct pt_schedplace *p, const struct pt_sched_event *ev, bool counts)
{
	struct pt_sched_task *t = ev->task;
	struct pt_schedplace_row *r = t->user;
	const struct pt_sched_stay *st = &t->stay;
	uint64_t from_ns;

	if (!r || !t->running)
		return;
	from_ns = PT_MAX(r->part_ns, st->in_ns);
	if (counts && st->known & PT_SCHED_IN && ev->time_ns > from_ns)
		schedplace_add_time(r, t->cpu, ev->time_ns - from_ns);
	if (!strcmp(r->comm, t->comm)) {
		r->runs = r->moves = r->run_ns = r->nr = 0;
	} else {
		r = schedplace_new_row(p, t);
	}
	r->part_ns = ev->time_ns;
	r->last_cpu = PT_SCHED_NO_CPU;
	memcpy(r->comm, t->comm, sizeof(r->comm));
	if (counts)
		ran(p, t, t->cpu);
}

/* A run counts when it begins, or when it ends if its begin was not seen. */
static void schedplace_see_switch(struct pt_schedplace *p, const struct pt_sched_event *ev)
{
	const struct pt_sched_stay *st = &ev->task->stay;
	struct pt_schedplace_row *r;

	if (ev->task->tid) {
		if (!(st->known & PT_SCHED_IN))
			ran(p, ev->task, ev->cpu);
		r = schedplace_row_of(p, ev->task);
		if (st->known & PT_SCHED_RUN && ev->time_ns >= r->part_ns)
			schedplace_add_time(r, ev->cpu,
					    ev->time_ns - PT_MAX(r->part_ns, st->in_ns));
	}
	if (ev->next->tid)
		ran(p, ev->next, ev->cpu);
}

void pt_schedplace_see(struct pt_schedplace *p, const struct pt_sched_event *ev, bool counts)
{
	if (ev->kind == PT_SCHED_EXEC || (ev->kind == PT_SCHED_NAME && ev->exec))
		starts_anew(p, ev, counts);
	else if (ev->kind == PT_SCHED_NAME &&
		 ev->task->user) /* the program renames itself: same row */
		memcpy(((struct pt_schedplace_row *)ev->task->user)->comm, ev->task->comm,
		       PT_SCHED_COMM_LEN);
	else if (ev->kind == PT_SCHED_SWITCH && counts)
		schedplace_see_switch(p, ev);
}

static int by_runs(const void *a, const void *b)
{
	const struct pt_schedplace_cpu *x = a, *y = b;

	return x->runs != y->runs ? PT_COMPARE(y->runs, x->runs) : PT_COMPARE(x->cpu, y->cpu);
}

static int schedplace_by_time(const void *a, const void *b)
{
	const struct pt_schedplace_row *x = *(struct pt_schedplace_row *const *)a,
				       *y = *(struct pt_schedplace_row *const *)b;

	if (x->run_ns != y->run_ns)
		return PT_COMPARE(y->run_ns, x->run_ns);
	return PT_COMPARE(x->task->nr, y->task->nr);
}

const struct pt_schedplace_row *const *pt_schedplace_rows(struct pt_schedplace *p, size_t *nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->nr; i++) {
		struct pt_schedplace_row *r = p->rows[i];

		qsort(r->places, r->nr, sizeof(*r->places), by_runs);
		if (r->runs || r->run_ns) {
			p->rows[i] = p->rows[kept];
			p->rows[kept++] = r;
		}
	}
	if (kept)
		qsort(p->rows, kept, sizeof(*p->rows), schedplace_by_time);
	*nr = kept;
	return (const struct pt_schedplace_row *const *)p->rows;
}
