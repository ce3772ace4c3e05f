#include "sched/sched.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/read/source.h"
#include "sched/sched_priv.h"

struct pt_sched *pt_sched_new(const struct pt_sched_opts *o)
{
	struct pt_sched *s = pt_alloc(sizeof(*s));

	if (o)
		s->o = *o;
	s->epoch = 1;
	return s;
}

void pt_sched_free(struct pt_sched *s)
{
	if (!s)
		return;
	pt_sched_drop_all(s);
	sched_free_tasks(s);
	for (size_t i = 0; i < s->nr_cpus; i++)
		free(s->cpus[i].idle);
	free(s->cpus);
	free(s->formats);
	free(s);
}

size_t pt_sched_nr_cpus(const struct pt_sched *s)
{
	return s->nr_cpus;
}

struct pt_sched_task *pt_sched_idle(struct pt_sched *s, int cpu)
{
	return cpu >= 0 && (size_t)cpu < s->nr_cpus ? s->cpus[cpu].idle : NULL;
}

struct pt_sched_task *pt_sched_current(const struct pt_sched *s, int cpu)
{
	return cpu >= 0 && (size_t)cpu < s->nr_cpus ? s->cpus[cpu].curr : NULL;
}

struct pt_sched_counts pt_sched_counts(const struct pt_sched *s)
{
	return s->n;
}

static void sched_more_cpus(struct pt_sched *s, uint32_t cpu)
{
	while (s->nr_cpus <= cpu) {
		PT_GROW(s->cpus, s->nr_cpus, s->cap_cpus);
		s->cpus[s->nr_cpus++] = (struct sched_cpu){ .tid = SCHED_NOBODY };
	}
}

static struct pt_sched_task *idle_of(struct sched_cpu *c, int32_t cpu)
{
	if (!c->idle)
		c->idle = sched_new_idle(cpu);
	return c->idle;
}

void sched_off_cpu(struct pt_sched *s, struct pt_sched_task *t)
{
	if (t->running && (size_t)t->cpu < s->nr_cpus && s->cpus[t->cpu].curr == t)
		s->cpus[t->cpu].curr = NULL;
	t->running = false;
}

/* The task is no longer where it ran; its switch out was not seen. */
static void left_unseen(struct pt_sched *s, struct pt_sched_task *t)
{
	sched_off_cpu(s, t);
	t->left_epoch = 0;
	t->left_state = '?';
	t->wants = WANTS_UNKNOWN;
}

/* The task runs on the CPU from now on; the caller sets t->stay. */
static void sched_arrive(struct pt_sched_task *t, int32_t cpu)
{
	t->switches++;
	t->moves += t->cpu != cpu && t->cpu != PT_SCHED_NO_CPU;
	t->cpu = cpu;
	t->running = true;
	t->fresh = false;
	t->wants = WANTS_RUNS;
}

/* The task runs; its switch in was not seen. */
static void found_running(struct pt_sched *s, struct pt_sched_task *t, int32_t cpu)
{
	if (t->running)
		left_unseen(s, t);
	s->n.spanning += t->wants == WANTS_READY;
	t->stay = (struct pt_sched_stay){
		.cpu = cpu, .from_cpu = t->cpu, .waker = UINT32_MAX, .off_state = '?'
	};
	sched_arrive(t, cpu);
}

static inline void sched_leave(struct pt_sched *s, struct pt_sched_task *t,
			       const struct pt_sched_event *ev)
{
	struct pt_sched_stay *st = &t->stay;

	if (st->known & PT_SCHED_IN && ev->time_ns >= st->in_ns) {
		st->run_ns = ev->time_ns - st->in_ns;
		st->known |= PT_SCHED_RUN;
	}
	t->running = false;
	t->left_ns = ev->time_ns;
	t->left_epoch = s->epoch;
	t->left_state = ev->state;
	t->woken_ns = 0;
	t->waker = UINT32_MAX;
	if (ev->preempted) {
		t->wants = WANTS_PREEMPTED;
		return;
	}
	t->wants = t->wants == WANTS_RUNS_WOKEN ? WANTS_DOUBTFUL : WANTS_NOTHING;
	if ((ev->state == 'X' || ev->state == 'Z' || ev->state == 'x') && t->tid) {
		t->ended = t->exiting = true;
		sched_end(s, t);
	}
}

/* Sets how long it waited, as far as that is known. */
static void waited(struct pt_sched *s, struct pt_sched_task *t, struct pt_sched_stay *st)
{
	bool left = t->left_epoch == s->epoch && t->left_ns <= st->in_ns;

	if (left) {
		st->off_ns = st->in_ns - t->left_ns;
		st->known |= PT_SCHED_OFF;
	}
	if (!t->tid)
		return;
	switch (t->wants) {
	case WANTS_PREEMPTED:
		st->why = PT_SCHED_PREEMPTED;
		st->ready_ns = t->left_ns;
		st->delay_ns = st->off_ns;
		st->known |= left ? PT_SCHED_DELAY : 0;
		s->n.spanning += !left;
		s->n.across += t->left_epoch != s->epoch;
		break;
	case WANTS_READY:
		st->why = t->fresh ? PT_SCHED_BORN : PT_SCHED_SLEPT;
		if (t->ready_epoch != s->epoch || t->ready_ns > st->in_ns) {
			s->n.spanning++;
			s->n.across += t->ready_epoch != s->epoch;
			break;
		}
		st->ready_ns = t->ready_ns;
		st->delay_ns = st->in_ns - t->ready_ns;
		st->known |= PT_SCHED_DELAY;
		break;
	case WANTS_NOTHING:
	case WANTS_DOUBTFUL:
		st->why = PT_SCHED_SLEPT;
		s->n.unwoken += left;
		break;
	default:
		st->why = t->fresh ? PT_SCHED_BORN : PT_SCHED_UNKNOWN;
	}
}

static void come_in(struct pt_sched *s, struct pt_sched_task *t, int32_t cpu, uint64_t time_ns)
{
	struct pt_sched_stay *st = &t->stay;

	if (t->running)
		left_unseen(s, t);
	*st = (struct pt_sched_stay){ .in_ns = time_ns,
				      .woken_ns = t->woken_ns,
				      .known = PT_SCHED_IN,
				      .waker = t->waker,
				      .cpu = cpu,
				      .from_cpu = t->cpu,
				      .off_state = t->left_state };
	waited(s, t, st);
	sched_arrive(t, cpu);
	t->left_epoch = 0;
	t->left_state = '?';
}

/* Handles a task that leaves without having been seen to come in. */
static struct pt_sched_task *leaves_unexpected(struct pt_sched *s, struct sched_cpu *c,
					       uint32_t tid, struct pt_sched_event *ev)
{
	struct pt_sched_task *t;

	ev->first = c->tid == SCHED_NOBODY;
	ev->gap = !ev->first && c->tid != tid;
	s->n.gaps += ev->gap;
	s->n.idle_gaps += ev->gap && !c->tid;
	if (c->curr)
		left_unseen(s, c->curr);
	t = tid ? sched_task(s, tid) : idle_of(c, ev->cpu);
	ev->vacated = t->running;
	found_running(s, t, ev->cpu);
	return t;
}

/* ev->next comes in; ev->task has left. */
static inline void sched_take_cpu(struct pt_sched *s, struct sched_cpu *c,
				  struct pt_sched_event *ev)
{
	ev->vacated |= ev->next->running;
	come_in(s, ev->next, ev->cpu, ev->time_ns);
	c->curr = ev->next;
	c->tid = ev->next->tid;
	c->last_ns = ev->time_ns;
}

static int feed_switch(struct pt_sched *s, const struct sched_format *f,
		       const struct pt_record *rec, struct pt_sched_event *ev)
{
	struct sched_cpu *c = &s->cpus[rec->cpu];
	uint32_t prev = (uint32_t)sched_number(f, N_PID, rec),
		 next = (uint32_t)sched_number(f, N_NEXT, rec), state_bytes;

	ev->prev_state = sched_number(f, N_STATE, rec);
	state_bytes = f->number[N_STATE].size_bytes;
	if (state_bytes < 8)
		ev->prev_state &= (1ull << state_bytes * 8) - 1;
	ev->state = sched_state(&f->states, ev->prev_state, &ev->preempted);
	ev->gap = ev->first = ev->vacated = false;
	ev->last_ns = c->last_ns;
	s->n.switches++;
	s->n.from_idle += !prev;
	/* late: what runs there now is unknown */
	if (__builtin_expect(c->last_ns > ev->time_ns, 0)) {
		s->n.late++;
		if (c->curr)
			left_unseen(s, c->curr);
		c->tid = SCHED_NOBODY;
	}
	ev->task = c->curr && c->curr->tid == prev ? c->curr : leaves_unexpected(s, c, prev, ev);
	ev->task->prio = (int32_t)sched_number(f, N_PRIO, rec);
	sched_name_by_event(ev->task, &f->comm[C_COMM], rec);
	if (rec->has & PERF_SAMPLE_TID) {
		if (rec->tid != prev)
			s->other_tids |= rec->tid != UINT32_MAX;
		else if (rec->pid != UINT32_MAX)
			ev->task->pid = rec->pid;
	}
	sched_leave(s, ev->task, ev);
	ev->next = next ? sched_task(s, next) : idle_of(c, ev->cpu);
	ev->next->prio = (int32_t)sched_number(f, N_NEXT_PRIO, rec);
	sched_name_by_event(ev->next, &f->comm[C_NEXT], rec);
	sched_take_cpu(s, c, ev);
	return PT_SCHED_SWITCH;
}

/* A task comes in after the CPU's current one: the switch between them was not delivered. The
 * kernel writes this record some microseconds later, when the task already runs. */
static int feed_came_in(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev)
{
	struct pt_sched_task *prev = pt_sched_current(s, ev->cpu);
	struct sched_cpu *c;

	if (!prev || !sched_comes_in(rec) || prev->tid != rec->u.sw.tid || prev->tid == rec->tid ||
	    rec->tid == UINT32_MAX || s->other_tids)
		return PT_SCHED_NOTHING;
	c = &s->cpus[ev->cpu];
	if (c->last_ns > ev->time_ns)
		return PT_SCHED_NOTHING;
	*ev = (struct pt_sched_event){ .cpu = ev->cpu,
				       .time_ns = ev->time_ns,
				       .task = prev,
				       .state = prev->tid ? '?' : 'R',
				       .preempted = !prev->tid,
				       .last_ns = c->last_ns };
	s->n.switches++;
	s->n.from_idle += !prev->tid;
	s->n.by_records++;
	sched_leave(s, prev, ev);
	if (prev->tid)			/* it sleeps, or was preempted */
		left_unseen(s, prev);
	ev->next = rec->tid ? sched_task(s, rec->tid) : idle_of(c, ev->cpu);
	if (rec->tid && rec->pid != UINT32_MAX)
		ev->next->pid = rec->pid;
	sched_take_cpu(s, c, ev);
	return PT_SCHED_SWITCH;
}

/* From `ready_ns` on the task waits for a CPU. */
static void ready(struct pt_sched *s, struct pt_sched_task *t, struct pt_sched_event *ev,
		  uint64_t ready_ns)
{
	t->ready_ns = ready_ns;
	t->ready_epoch = s->epoch;
	t->wants = WANTS_READY;
	if (!t->woken_ns) {
		t->woken_ns = ev->time_ns;
		t->waker = ev->waker;
	}
	ev->counts = true;
	s->n.wakeups++;
}

static void sched_woken(struct pt_sched *s, struct pt_sched_task *t, struct pt_sched_event *ev)
{
	bool confirms = ev->kind == PT_SCHED_WAKEUP && s->n.has_waking;

	switch (t->wants) {
	case WANTS_RUNS:
	/* after its wake-up it goes on running; without one it may be leaving */
	case WANTS_RUNS_WOKEN:
		t->wants = confirms ? WANTS_RUNS : WANTS_RUNS_WOKEN;
		break;
	case WANTS_PREEMPTED:			/* it waits already: it had been about to sleep */
		if (!t->woken_ns) {
			t->woken_ns = ev->time_ns;
			t->waker = ev->waker;
		}
		break;
	case WANTS_READY:
		if (confirms)
			break;
		/* no task is woken twice: it has run and slept in between */
		s->n.spanning++;
		t->left_epoch = 0;
		t->woken_ns = 0;
		ready(s, t, ev, ev->time_ns);
		break;
	case WANTS_DOUBTFUL: /* that was the wake-up: it has been awake since it left */
		ready(s, t, ev, confirms && t->left_epoch == s->epoch ? t->left_ns : ev->time_ns);
		break;
	default:
		ready(s, t, ev, ev->time_ns);
	}
}

/* Finds the task that the event is about; false: an idle task, of which only switches count. */
static inline bool subject(struct pt_sched *s, const struct sched_format *f,
			   const struct pt_record *rec, struct pt_sched_event *ev)
{
	uint32_t tid = (uint32_t)sched_number(f, N_PID, rec);

	if (!tid)
		return false;
	if (f->kind == PT_SCHED_WAKEUP_NEW)
		sched_born(s, tid, &ev->task);
	ev->task = sched_task(s, tid);
	sched_name_by_event(ev->task, &f->comm[C_COMM], rec);
	return true;
}

static int32_t cpu_number(const struct sched_format *f, int which, const struct pt_record *rec)
{
	return f->number[which].size_bytes ? (int32_t)sched_number(f, which, rec)
					   : PT_SCHED_NO_CPU;
}

static int feed_wake(struct pt_sched *s, const struct sched_format *f, const struct pt_record *rec,
		     struct pt_sched_event *ev)
{
	if (!subject(s, f, rec, ev))
		return PT_SCHED_NOTHING;
	ev->to_cpu = cpu_number(f, N_CPU, rec);
	ev->waker = rec->has & PERF_SAMPLE_TID ? rec->tid : UINT32_MAX;
	ev->counts = false;
	sched_woken(s, ev->task, ev);
	return ev->kind;
}

static int feed_migrate(struct pt_sched *s, const struct sched_format *f,
			const struct pt_record *rec, struct pt_sched_event *ev)
{
	if (!subject(s, f, rec, ev))
		return PT_SCHED_NOTHING;
	ev->to_cpu = cpu_number(f, N_CPU, rec);
	ev->from_cpu = cpu_number(f, N_FROM, rec);
	return PT_SCHED_MIGRATE;
}

static int feed_runtime(struct pt_sched *s, const struct sched_format *f,
			const struct pt_record *rec, struct pt_sched_event *ev)
{
	if (!subject(s, f, rec, ev))
		return PT_SCHED_NOTHING;
	ev->runtime_ns = sched_number(f, N_VALUE, rec);
	return PT_SCHED_RUNTIME;
}

/* Forgets the CPU's state. */
static int feed_lost(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev)
{
	bool known = rec->has & PERF_SAMPLE_CPU && rec->cpu < SCHED_MAX_CPUS;

	if (!sched_is_loss(rec))
		return PT_SCHED_NOTHING;
	for (size_t i = 0; i < s->nr_cpus; i++) {
		if (known && i != rec->cpu)
			continue;
		if (s->cpus[i].curr)
			left_unseen(s, s->cpus[i].curr);
		s->cpus[i].tid = SCHED_NOBODY;
	}
	s->epoch++;
	ev->cpu = known ? (int32_t)rec->cpu : PT_SCHED_NO_CPU;
	ev->task = NULL;
	ev->nr_lost = rec->u.lost.lost;
	return PT_SCHED_LOST;
}

static int feed_other(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev)
{
	ev->time_ns = rec->has & PERF_SAMPLE_TIME ? rec->time_ns : 0;
	ev->cpu = rec->has & PERF_SAMPLE_CPU && rec->cpu < SCHED_MAX_CPUS ? (int32_t)rec->cpu
									  : PT_SCHED_NO_CPU;
	switch (rec->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return ev->kind = feed_lost(s, rec, ev);
	case PERF_RECORD_COMM:
		return ev->kind = sched_comm_record(s, rec, ev);
	case PERF_RECORD_FORK:
		return ev->kind = sched_fork_record(s, rec, ev);
	case PERF_RECORD_EXIT:
		return ev->kind = sched_exit_record(s, rec, ev);
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return ev->kind = feed_came_in(s, rec, ev);
	}
	return ev->kind = PT_SCHED_NOTHING;
}

static int sched_look_at(struct pt_sched *s, const struct pt_event *event, struct pt_err *e)
{
	PT_GROW_TO(s->formats, s->nr_formats, event->index);
	if (sched_format(event, &s->formats[event->index], e) < 0)
		return -1;
	s->n.has_waking |= s->formats[event->index].kind == PT_SCHED_WAKING;
	if (s->o.without & 1u << s->formats[event->index].kind)
		s->formats[event->index] = (struct sched_format){ .seen = true, .has = UINT64_MAX };
	if (s->o.source && s->formats[event->index].kind == PT_SCHED_NOTHING)
		pt_source_mute(s->o.source, event);
	return 0;
}

static sched_feeder *const feeders[] = {
	[PT_SCHED_SWITCH] = feed_switch,   [PT_SCHED_WAKING] = feed_wake,
	[PT_SCHED_WAKEUP] = feed_wake,     [PT_SCHED_WAKEUP_NEW] = feed_wake,
	[PT_SCHED_MIGRATE] = feed_migrate, [PT_SCHED_FORK] = sched_forks,
	[PT_SCHED_EXEC] = sched_execs,     [PT_SCHED_EXIT] = sched_exits,
	[PT_SCHED_RUNTIME] = feed_runtime,
};

int pt_sched_feed(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev,
		  struct pt_err *e)
{
	const struct sched_format *f;

	if (rec->type != PERF_RECORD_SAMPLE)
		return feed_other(s, rec, ev);
	if (!rec->event)
		return PT_SCHED_NOTHING;
	if ((rec->event->index >= s->nr_formats || !s->formats[rec->event->index].seen) &&
	    sched_look_at(s, rec->event, e) < 0)
		return -1;
	f = &s->formats[rec->event->index];
	if (f->has & ~rec->has || rec->sample.raw_len < f->need_bytes ||
	    rec->cpu >= SCHED_MAX_CPUS) {
		s->n.bad += f->kind != PT_SCHED_NOTHING;
		return ev->kind = PT_SCHED_NOTHING;
	}
	if (rec->cpu >= s->nr_cpus)
		sched_more_cpus(s, rec->cpu);
	ev->kind = f->kind;
	ev->cpu = (int32_t)rec->cpu;
	ev->time_ns = rec->time_ns;
	return ev->kind = (enum pt_sched_kind)feeders[f->kind](s, f, rec, ev);
}
