/* The known tasks: by tid, in order of first sight, and the ended ones. */
#include "sched/sched_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct pt_sched_task *sched_find_slowly(struct pt_sched *s, uint32_t tid)
{
	uint64_t *v = pt_map_get(&s->by_tid, tid);

	return v ? s->near[tid % SCHED_NAMES] = pt_pointer(*v) : NULL;
}

struct pt_sched_task *pt_sched_find(struct pt_sched *s, uint32_t tid)
{
	return tid ? sched_find(s, tid) : NULL;
}

struct pt_sched_task *pt_sched_each(struct pt_sched *s, struct pt_sched_task *t)
{
	return t ? t->after : s->first;
}

size_t pt_sched_nr_tasks(const struct pt_sched *s)
{
	return s->nr_tasks;
}

size_t pt_sched_waiting(const struct pt_sched *s, bool preempted)
{
	const struct pt_sched_task *t;
	size_t n = 0;

	for (t = s->first; t; t = t->after)
		n += t->wants == WANTS_READY ? t->ready_epoch == s->epoch
					     : t->wants == WANTS_PREEMPTED && preempted &&
						       t->left_epoch == s->epoch;
	return n;
}

void pt_sched_on_drop(struct pt_sched *s, void (*drop)(void *arg, struct pt_sched_task *t),
		      void *arg)
{
	s->drop = drop;
	s->drop_arg = arg;
}

void pt_sched_drop_all(struct pt_sched *s)
{
	for (struct pt_sched_task *t = s->first; s->drop && t; t = t->after)
		s->drop(s->drop_arg, t);
	for (size_t i = 0; s->drop && i < s->nr_cpus; i++)
		if (s->cpus[i].idle)
			s->drop(s->drop_arg, s->cpus[i].idle);
	s->drop = NULL;
}

void sched_set_name(struct pt_sched_task *t, const char *comm, size_t len, bool by_comm)
{
	len = strnlen(comm, PT_MIN(len, (size_t)PT_SCHED_COMM_LEN - 1));
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, comm, len);
	t->named = by_comm;
}

/* Frees the task's tid for another task. */
static void forget_tid(struct pt_sched *s, const struct pt_sched_task *t)
{
	uint64_t *v = pt_map_get(&s->by_tid, t->tid);

	if (v && *v == pt_word_of(t))
		pt_map_del(&s->by_tid, t->tid);
	if (s->near[t->tid % SCHED_NAMES] == t)
		s->near[t->tid % SCHED_NAMES] = NULL;
}

static void unlist(struct pt_sched *s, struct pt_sched_task *t)
{
	if (!t->listed)
		return;
	*(t->sooner ? &t->sooner->later : &s->soonest) = t->later;
	*(t->later ? &t->later->sooner : &s->latest) = t->sooner;
	t->listed = false;
	t->sooner = t->later = NULL;
	s->nr_ended--;
}

static void let_go(struct pt_sched *s, struct pt_sched_task *t)
{
	if (s->drop)
		s->drop(s->drop_arg, t);
	unlist(s, t);
	forget_tid(s, t);
	sched_off_cpu(s, t);
	*(t->before ? &t->before->after : &s->first) = t->after;
	*(t->after ? &t->after->before : &s->last) = t->before;
	s->nr_tasks--;
	free(t);
}

void sched_end(struct pt_sched *s, struct pt_sched_task *t)
{
	if (s->o.keep_ended || t->listed)
		return;
	t->listed = true;
	t->sooner = s->latest;
	*(s->latest ? &s->latest->later : &s->soonest) = t;
	s->latest = t;
	if (++s->nr_ended > SCHED_MAX_ENDED)
		let_go(s, s->soonest);
}

static struct pt_sched_task *blank(uint32_t tid)
{
	struct pt_sched_task *t = pt_alloc(sizeof(*t));

	t->tid = tid;
	t->pid = t->ppid = t->waker = UINT32_MAX;
	t->cpu = t->stay.cpu = t->stay.from_cpu = PT_SCHED_NO_CPU;
	t->left_state = t->stay.off_state = '?';
	return t;
}

struct pt_sched_task *sched_new_idle(int32_t cpu)
{
	struct pt_sched_task *t = blank(0);

	t->pid = 0;
	t->nr = UINT32_MAX;
	t->cpu = cpu;
	sched_set_name(t, "swapper", SIZE_MAX, true);
	return t;
}

/* Another task has its tid now. */
static void retire_task(struct pt_sched *s, struct pt_sched_task *t)
{
	forget_tid(s, t);
	sched_off_cpu(s, t);
	t->ended = true;
	sched_end(s, t);
}

static void take_tid(struct pt_sched *s, struct pt_sched_task *t, uint32_t tid)
{
	t->tid = tid;
	*pt_map_put(&s->by_tid, tid) = pt_word_of(t);
	s->near[tid % SCHED_NAMES] = t;
}

struct pt_sched_task *sched_add(struct pt_sched *s, uint32_t tid)
{
	struct pt_sched_task *old = sched_find(s, tid), *t = blank(tid);

	if (old)
		retire_task(s, old);
	t->nr = s->next_nr++;
	t->before = s->last;
	*(s->last ? &s->last->after : &s->first) = t;
	s->last = t;
	s->nr_tasks++;
	take_tid(s, t, tid);
	return t;
}

void sched_rename(struct pt_sched *s, struct pt_sched_task *t, uint32_t tid)
{
	struct pt_sched_task *old = sched_find(s, tid);

	if (old == t)
		return;
	if (old)
		retire_task(s, old);
	forget_tid(s, t);
	take_tid(s, t, tid);
}

void sched_free_tasks(struct pt_sched *s)
{
	while (s->first)
		let_go(s, s->first);
	pt_map_deinit(&s->by_tid);
}
