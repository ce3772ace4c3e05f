/* The longest delays and the tasks that had the CPU meanwhile. The last switches of each CPU are
 * kept, so that a long delay finds them when it ends. */
#include "sched/schedlat_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { KEPT = 32768, MAX_HOLDERS = 256 };

struct coming {				/* a task that runs until the next one's start */
	uint64_t start_ns;
	uint32_t tid;
	char comm[20];
};

struct lane {				/* of a CPU */
	struct coming *ring;		/* KEPT; NULL before the first switch */
	uint64_t nr;			/* switches so far; the last one is at (nr - 1) % KEPT */
};

struct schedlat_worsts {
	struct lane *lanes;
	size_t nr_lanes;
	struct pt_schedlat_worst *v;	/* the longest first */
	size_t nr, max;
	bool by_name;			/* tasks of one name are one share */
};

struct schedlat_worsts *schedlat_worsts_new(size_t nr, bool by_name)
{
	struct schedlat_worsts *w = pt_alloc(sizeof(*w));

	w->max = nr;
	w->by_name = by_name;
	w->v = pt_alloc_array(nr, sizeof(*w->v));
	return w;
}

void schedlat_worsts_free(struct schedlat_worsts *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr_lanes; i++)
		free(w->lanes[i].ring);
	free(w->lanes);
	free(w->v);
	free(w);
}

const struct pt_schedlat_worst *schedlat_worsts_get(const struct schedlat_worsts *w, size_t *nr)
{
	*nr = w->nr;
	return w->v;
}

static struct lane *schedlat_worst_lane_of(struct schedlat_worsts *w, int32_t cpu)
{
	PT_GROW_TO(w->lanes, w->nr_lanes, cpu);
	return &w->lanes[cpu];
}

static struct coming *coming_at(const struct lane *lane, uint64_t nr)
{
	return &lane->ring[nr % KEPT];
}

static void come(struct schedlat_worsts *w, const struct pt_sched_event *ev)
{
	struct lane *lane = schedlat_worst_lane_of(w, ev->cpu);
	struct coming *c;

	/* The task that ran since the last switch is not the one that came in then. */
	if ((ev->gap || ev->first) && lane->nr)
		coming_at(lane, lane->nr - 1)->tid = PT_SCHEDLAT_NOBODY;
	if (!lane->ring)
		lane->ring = pt_alloc_array(KEPT, sizeof(*lane->ring));
	c = coming_at(lane, lane->nr++);
	c->start_ns = ev->time_ns;
	c->tid = ev->next->tid;
	memcpy(c->comm, ev->next->comm, sizeof(c->comm) - 1);
	c->comm[sizeof(c->comm) - 1] = '\0';
}

static void waits_on(struct schedlat_queue *q, int32_t cpu)
{
	*q = (struct schedlat_queue){ .first_cpu = cpu, .last_cpu = cpu };
}

void schedlat_worsts_feed(struct schedlat_worsts *w, const struct pt_sched_event *ev,
			  struct schedlat_task *t)
{
	switch (ev->kind) {
	case PT_SCHED_SWITCH:
		come(w, ev);
		if (t)
			waits_on(&t->queue, ev->preempted ? ev->cpu : PT_SCHED_NO_CPU);
		break;
	case PT_SCHED_MIGRATE:
		if (t->queue.first_cpu == PT_SCHED_NO_CPU) {
			waits_on(&t->queue, ev->to_cpu);
		} else if (ev->to_cpu != t->queue.last_cpu) {
			if (!t->queue.moved)
				t->queue.moved_ns = ev->time_ns;
			t->queue.moved = true;
			t->queue.last_cpu = ev->to_cpu;
			t->queue.last_ns = ev->time_ns;
		}
		break;
	default:
		if (ev->counts && ev->kind != PT_SCHED_WAKEUP)
			waits_on(&t->queue, ev->to_cpu);
		break;
	}
}

struct share { uint32_t tid, nr; uint64_t ns; const char *comm; };

/* By tid. What does not fit counts as others. */
struct shares {
	struct share v[MAX_HOLDERS];
	size_t nr;
	uint64_t others_ns, unknown_ns;
};

static void schedlat_worst_add_share(struct shares *s, const struct coming *c, uint64_t ns)
{
	size_t i = 0;

	if (c->tid == PT_SCHEDLAT_NOBODY) {
		s->unknown_ns += ns;
		return;
	}
	while (i < s->nr && s->v[i].tid != c->tid)
		i++;
	if (i == MAX_HOLDERS) {
		s->others_ns += ns;
		return;
	}
	if (i == s->nr)
		s->v[s->nr++] = (struct share){ .tid = c->tid, .nr = 1, .comm = c->comm };
	s->v[i].ns += ns;
}

/* Joins tasks of one name into one share. */
static void schedlat_worst_join(struct shares *s)
{
	size_t nr = 0, at;

	for (size_t i = 0; i < s->nr; i++) {
		struct share x = s->v[i];

		for (at = 0; at < nr; at++)
			if (!strcmp(s->v[at].comm, x.comm) && !s->v[at].tid == !x.tid)
				break;
		if (at == nr) {
			s->v[nr++] = x;
			continue;
		}
		s->v[at].nr += x.nr;
		s->v[at].ns += x.ns;
		s->v[at].tid = PT_MIN(s->v[at].tid, x.tid);
	}
	s->nr = nr;
}

/* Adds the tasks that ran on a CPU between two times. */
static void who_ran(struct schedlat_worsts *w, int32_t cpu, uint64_t from_ns, uint64_t to_ns,
		    struct shares *s)
{
	const struct lane *lane = cpu >= 0 && (size_t)cpu < w->nr_lanes ? &w->lanes[cpu] : NULL;
	uint64_t kept = lane ? PT_MIN(lane->nr, (uint64_t)KEPT) : 0, until = to_ns;

	for (uint64_t i = 0; i < kept && until > from_ns; i++) {
		const struct coming *c = coming_at(lane, lane->nr - 1 - i);
		uint64_t start = PT_MAX(c->start_ns, from_ns);

		if (start >= until)
			continue;
		schedlat_worst_add_share(s, c, until - start);
		until = start;
	}
	if (until > from_ns)
		s->unknown_ns += until - from_ns;
}

static int longer(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->ns != y->ns)
		return PT_COMPARE(y->ns, x->ns);
	return PT_COMPARE(x->tid, y->tid);
}

static void schedlat_worst_hold(struct pt_schedlat_worst *x, uint32_t tid, uint32_t nr, uint64_t ns,
				const char *comm)
{
	struct pt_schedlat_holder *h = &x->holders[x->nr_holders];

	if (!ns)
		return;
	h->tid = tid;
	h->nr_tasks = nr;
	h->ns = ns;
	h->comm[0] = '\0';
	strncat(h->comm, comm, sizeof(h->comm) - 1);
	x->nr_holders++;
}

static void find_holders(struct schedlat_worsts *w, const struct schedlat_queue *q,
			 uint64_t from_ns, struct pt_schedlat_worst *x)
{
	static const struct shares none;
	struct shares s = none;
	uint64_t last_ns = PT_MIN(PT_MAX(q->last_ns, from_ns), x->end_ns),
		 moved_ns = PT_MIN(PT_MAX(q->moved_ns, from_ns), last_ns);
	size_t i, room = PT_NR(x->holders) - 2;

	x->from_cpu = PT_SCHED_NO_CPU;
	if (q->moved && last_ns > from_ns) {
		who_ran(w, q->first_cpu, from_ns, moved_ns, &s);
		s.unknown_ns += last_ns - moved_ns;
		who_ran(w, x->cpu, last_ns, x->end_ns, &s);
		x->from_cpu = q->first_cpu == x->cpu ? PT_SCHED_NO_CPU : q->first_cpu;
	} else {
		who_ran(w, x->cpu, from_ns, x->end_ns, &s);
	}
	if (w->by_name)
		schedlat_worst_join(&s);
	qsort(s.v, s.nr, sizeof(*s.v), longer);
	x->nr_holders = 0;
	for (i = 0; i < s.nr; i++) {
		if (i < room)
			schedlat_worst_hold(x, s.v[i].tid, s.v[i].nr, s.v[i].ns, s.v[i].comm);
		else
			s.others_ns += s.v[i].ns;
	}
	schedlat_worst_hold(x, PT_SCHEDLAT_OTHERS, 0, s.others_ns, "");
	schedlat_worst_hold(x, PT_SCHEDLAT_NOBODY, 0, s.unknown_ns, "");
}

void schedlat_worsts_offer(struct schedlat_worsts *w, const struct pt_sched_event *ev,
			   const struct schedlat_task *next)
{
	const struct pt_sched_stay *s = &ev->next->stay;
	struct pt_schedlat_worst *x;
	size_t at;

	if (!s->delay_ns || (w->nr == w->max && s->delay_ns <= w->v[w->nr - 1].delay_ns))
		return;
	for (at = w->nr == w->max ? w->nr - 1 : w->nr;
	     at > 0 && w->v[at - 1].delay_ns < s->delay_ns; at--)
		w->v[at] = w->v[at - 1];
	w->nr += w->nr < w->max;
	x = &w->v[at];
	x->delay_ns = s->delay_ns;
	x->end_ns = ev->time_ns;
	x->tid = ev->next->tid;
	memcpy(x->comm, ev->next->comm, sizeof(x->comm));
	x->cpu = ev->cpu;
	x->preempted = s->why == PT_SCHED_PREEMPTED;
	find_holders(w, &next->queue, ev->time_ns - s->delay_ns, x);
}
