#include "view/schedplace.h"

#include <stdlib.h>

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

static struct pt_schedplace_row *row_of(struct pt_schedplace *p, struct pt_sched_task *t)
{
	struct pt_schedplace_row *r = t->user;

	if (r)
		return r;
	t->user = r = pt_alloc(sizeof(*r));
	r->task = t;
	r->last_cpu = PT_SCHED_NO_CPU;
	PT_GROW(p->rows, p->nr, p->cap);
	p->rows[p->nr++] = r;
	return r;
}

static struct pt_place *place_of(struct pt_schedplace_row *r, int32_t cpu)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->places[i].cpu == cpu)
			return &r->places[i];
	PT_GROW(r->places, r->nr, r->cap);
	r->places[r->nr] = (struct pt_place){ .cpu = cpu };
	return &r->places[r->nr++];
}

static void ran(struct pt_schedplace *p, struct pt_sched_task *t, int32_t cpu)
{
	struct pt_schedplace_row *r = row_of(p, t);

	r->runs++;
	r->moves += r->last_cpu != PT_SCHED_NO_CPU && r->last_cpu != cpu;
	r->last_cpu = cpu;
	place_of(r, cpu)->runs++;
}

/* A run counts as it begins; one that nobody saw begin, as it ends. */
void pt_schedplace_see(struct pt_schedplace *p, const struct pt_sched_event *ev, bool counts)
{
	struct pt_schedplace_row *r;

	if (ev->kind != PT_SCHED_SWITCH || !counts)
		return;
	if (ev->task->tid) {
		if (!(ev->task->stay.known & PT_SCHED_IN))
			ran(p, ev->task, ev->cpu);
		if (ev->task->stay.known & PT_SCHED_RUN) {
			r = row_of(p, ev->task);
			r->run_ns += ev->task->stay.run_ns;
			place_of(r, ev->cpu)->run_ns += ev->task->stay.run_ns;
		}
	}
	if (ev->next->tid)
		ran(p, ev->next, ev->cpu);
}

static int by_runs(const void *a, const void *b)
{
	const struct pt_place *x = a, *y = b;

	return x->runs != y->runs ? (x->runs < y->runs ? 1 : -1) : x->cpu - y->cpu;
}

static int by_time(const void *a, const void *b)
{
	const struct pt_schedplace_row *x = *(struct pt_schedplace_row *const *)a, *y = *(struct pt_schedplace_row *const *)b;

	if (x->run_ns != y->run_ns)
		return x->run_ns < y->run_ns ? 1 : -1;
	return x->task->nr < y->task->nr ? -1 : x->task->nr > y->task->nr;
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
	qsort(p->rows, kept, sizeof(*p->rows), by_time);
	*nr = kept;
	return (const struct pt_schedplace_row *const *)p->rows;
}
