#include "sched/timeline.h"

#include <stdlib.h>

#include "base/mem.h"

/* Where a task's time off its CPU began: in pt_sched_task.user. */
struct off {
	uint64_t left_ns, ready_ns;	/* 0: unknown */
	char state;
	bool woken;
	uint32_t waker_nr, waker_tid;
	int32_t waker_cpu;
};

struct pt_timeline {
	struct pt_sched *sched;
	void (*take)(void *arg, const struct pt_interval *i);
	void *arg;
	uint64_t *last_ns;		/* by CPU: the last switch; 0: none */
	size_t nr_cpus;
	uint64_t first_ns;		/* of the first event */
};

static void timeline_drop(void *arg, struct pt_sched_task *t)
{
	(void)arg;
	free(t->user);
	t->user = NULL;
}

struct pt_timeline *pt_timeline_new(void (*take)(void *arg, const struct pt_interval *i), void *arg)
{
	struct pt_timeline *t = pt_alloc(sizeof(*t));

	t->sched = pt_sched_new(NULL);
	pt_sched_on_drop(t->sched, timeline_drop, NULL);
	t->take = take;
	t->arg = arg;
	return t;
}

void pt_timeline_free(struct pt_timeline *t)
{
	if (!t)
		return;
	pt_sched_free(t->sched);
	free(t->last_ns);
	free(t);
}

struct pt_sched *pt_timeline_sched(struct pt_timeline *t) { return t->sched; }

static struct off *off_of(struct pt_sched_task *task)
{
	if (!task->user)
		task->user = pt_alloc(sizeof(struct off));
	return task->user;
}

static void give(struct pt_timeline *t, enum pt_interval_kind kind,
		 const struct pt_sched_task *task, int32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct pt_interval i = {
		.kind = kind, .task = task, .cpu = cpu, .from_ns = from_ns, .to_ns = to_ns
	};

	if (to_ns > from_ns)
		t->take(t->arg, &i);
}

/* Emits the intervals from leaving the CPU (0: unknown) to the wake-up, and from there on. ready_ns
 * 0: unknown. */
static void was_off(struct pt_timeline *t, const struct pt_sched_task *task, uint64_t left_ns,
		    uint64_t ready_ns, uint64_t to_ns, char state, int32_t cpu)
{
	const struct off *o = task->user;
	struct pt_interval i = { .kind = PT_INTERVAL_WAITS,
				 .task = task,
				 .cpu = cpu,
				 .from_ns = ready_ns,
				 .to_ns = to_ns };

	if (left_ns)
		give(t, state == 'D' ? PT_INTERVAL_BLOCKED : PT_INTERVAL_SLEEPS, task,
		     PT_SCHED_NO_CPU, left_ns, ready_ns ? PT_MIN(ready_ns, to_ns) : to_ns);
	if (!ready_ns || ready_ns > to_ns)
		return;
	if (o && o->woken) {
		i.woken = true;
		i.waker_nr = o->waker_nr;
		i.waker_tid = o->waker_tid;
		i.waker_cpu = o->waker_cpu;
	}
	t->take(t->arg, &i);
}

static uint64_t *last_of(struct pt_timeline *t, int32_t cpu)
{
	PT_GROW_TO(t->last_ns, t->nr_cpus, cpu);	/* the state machine bounds CPUs */
	return &t->last_ns[cpu];
}

static void switched(struct pt_timeline *t, const struct pt_sched_event *ev)
{
	struct pt_sched_task *prev = ev->task, *next = ev->next;
	uint64_t *last_ns = last_of(t, ev->cpu), now = ev->time_ns;
	struct off *o;

	if (now < *last_ns)
		return;			/* late: it would overlap */
	if (ev->gap || ev->first)
		give(t, PT_INTERVAL_GAP, NULL, ev->cpu, *last_ns ? *last_ns : t->first_ns, now);
	else if (prev->tid && prev->stay.known & PT_SCHED_IN)
		give(t, PT_INTERVAL_RUNS, prev, ev->cpu, prev->stay.in_ns, now);
	*last_ns = now;
	if (prev->tid) {
		o = off_of(prev);
		*o = (struct off){ .left_ns = now,
				   .state = ev->state,
				   .ready_ns = ev->preempted ? now : 0 };
	}
	if (!next->tid)
		return;
	was_off(t, next, next->stay.known & PT_SCHED_OFF ? now - next->stay.off_ns : 0,
		next->stay.known & PT_SCHED_DELAY ? next->stay.ready_ns : 0, now,
		next->stay.off_state, ev->cpu);
	*off_of(next) = (struct off){ .state = 0 };
}

static void timeline_woken(struct pt_timeline *t, const struct pt_sched_event *ev)
{
	struct pt_sched_task *waker =
		ev->waker == UINT32_MAX ? NULL : pt_sched_find(t->sched, ev->waker);
	struct off *o = off_of(ev->task);

	o->ready_ns = ev->time_ns;
	o->woken = true;
	o->waker_nr = waker ? waker->nr : UINT32_MAX;
	o->waker_tid = ev->waker;
	o->waker_cpu = ev->cpu;
}

int pt_timeline_feed(struct pt_timeline *t, const struct pt_record *rec, struct pt_sched_event *ev,
		     struct pt_err *e)
{
	int kind = pt_sched_feed(t->sched, rec, ev, e);

	if (rec->type == PERF_RECORD_SAMPLE && rec->has & PERF_SAMPLE_TIME && !t->first_ns)
		t->first_ns = rec->time_ns;
	switch (kind) {
	case PT_SCHED_SWITCH:
		switched(t, ev);
		break;
	case PT_SCHED_WAKING:
	case PT_SCHED_WAKEUP:
	case PT_SCHED_WAKEUP_NEW:
		if (ev->counts)
			timeline_woken(t, ev);
		break;
	default:
		break;
	}
	return kind;
}

void pt_timeline_end(struct pt_timeline *t, uint64_t time_ns)
{
	struct pt_sched_task *task;
	const struct off *o;
	int32_t cpu;

	for (cpu = 0; (size_t)cpu < t->nr_cpus; cpu++) {
		if (!t->last_ns[cpu])
			continue;
		task = pt_sched_current(t->sched, cpu);
		if (!task)
			give(t, PT_INTERVAL_GAP, NULL, cpu, t->last_ns[cpu], time_ns);
		else if (task->tid && task->stay.known & PT_SCHED_IN)
			give(t, PT_INTERVAL_RUNS, task, cpu, task->stay.in_ns, time_ns);
	}
	for (task = NULL; (task = pt_sched_each(t->sched, task)); ) {
		o = task->user;
		if (o && !task->running && !task->ended && (o->left_ns || o->ready_ns))
			was_off(t, task, o->left_ns, o->ready_ns, time_ns, o->state,
				PT_SCHED_NO_CPU);
	}
}
