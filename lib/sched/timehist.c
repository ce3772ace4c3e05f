#include "sched/timehist_priv.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "stack/fold.h"

enum { NAME_WIDTH = 30, MAX_COLUMNS = 8192 };

static void timehist_drop(void *arg, struct pt_sched_task *t)
{
	struct pt_timehist *h = arg;
	struct timehist_task *d = t->user;

	for (size_t i = 0; i < h->nr_cpus; i++)
		if (h->cpus[i].last == t)
			h->cpus[i].last = NULL;
	if (!d)
		return;
	free(d->name);
	free(d);
	t->user = NULL;
}

struct pt_timehist *pt_timehist_new(const struct pt_timehist_opts *o, struct pt_sched *s)
{
	struct pt_timehist *h = pt_alloc(sizeof(*h));

	h->o = *o;
	if (h->o.nr_cpus > MAX_COLUMNS)		/* a damaged header */
		h->o.nr_cpus = 0;
	h->sched = s;
	h->width = NAME_WIDTH;
	pt_sched_on_drop(s, timehist_drop, h);
	return h;
}

void pt_timehist_free(struct pt_timehist *h)
{
	if (!h)
		return;
	pt_sched_drop_all(h->sched);
	for (size_t i = 0; i < h->nr_cpus; i++) {
		pt_fold_free(h->cpus[i].chains);
		free(h->cpus[i].frames);
	}
	free(h->cpus);
	free(h);
}

void pt_timehist_frames(struct pt_timehist *h, struct pt_frames *f)
{
	h->frames = f;
}

static struct timehist_task *timehist_task_of(struct pt_sched_task *t)
{
	if (!t->user)
		t->user = pt_alloc(sizeof(struct timehist_task));
	return t->user;
}

static struct timehist_cpu *timehist_cpu_of(struct pt_timehist *h, int32_t cpu)
{
	PT_GROW_TO(h->cpus, h->nr_cpus, cpu);
	h->cpus[cpu].seen = true;
	return &h->cpus[cpu];
}

unsigned timehist_columns(const struct pt_timehist *h)
{
	return (unsigned)PT_MAX((size_t)h->o.nr_cpus, PT_MAX(pt_sched_nr_cpus(h->sched), 1));
}

static void timehist_make_name(struct timehist_task *d, const struct pt_sched_task *t)
{
	struct pt_buf b = PT_BUF_INIT;

	memcpy(d->comm, t->comm, sizeof(d->comm));
	d->pid = t->pid;
	if (!t->tid) {
		pt_buf_puts(&b, "<idle>");
	} else {
		pt_text_puts(&b, t->comm);
		pt_buf_putc(&b, '[');
		pt_buf_dec(&b, t->tid);
		if (t->pid != t->tid && t->pid != UINT32_MAX) {
			pt_buf_putc(&b, '/');
			pt_buf_dec(&b, t->pid);
		}
		pt_buf_putc(&b, ']');
	}
	free(d->name);
	d->name = b.data;
	d->name_len = (uint32_t)b.len;
}

const struct timehist_task *timehist_name(struct pt_timehist *h, struct pt_sched_task *t)
{
	struct timehist_task *d = timehist_task_of(t);

	if (!d->name || d->pid != t->pid || memcmp(d->comm, t->comm, sizeof(d->comm)))
		timehist_make_name(d, t);
	if (d->name_len > h->width)
		h->width = d->name_len;
	return d;
}

/* As in perf: the delay counts from the first wake-up since the task left; without one there is
 * none. */
static struct timehist_times times_of(const struct pt_timehist *h, const struct pt_sched_event *ev)
{
	const struct pt_sched_stay *s = &ev->task->stay;
	struct timehist_times t = { .has_wait = s->known & PT_SCHED_OFF,
				    .has_run = s->known & PT_SCHED_RUN,
				    .wait_ns = s->off_ns,
				    .run_ns = s->run_ns };
	uint64_t from = PT_MAX(s->in_ns, h->o.choose->from_ns),
		 to = PT_MIN(ev->time_ns, h->o.choose->to_ns);

	if (t.has_run && (from > s->in_ns || to < ev->time_ns))
		t.run_ns = to > from ? to - from : 0;
	if (s->why == PT_SCHED_BORN && !t.has_wait && (s->known & PT_SCHED_IN)) {
		t.has_wait = true;
		t.wait_ns = 0;
	}
	if (!ev->task->tid) {
		t.has_delay = true;
	} else if (s->why == PT_SCHED_PREEMPTED && !h->o.preempted) {
		t.has_delay = s->known & PT_SCHED_DELAY;
		t.delay_ns = s->woken_ns && s->woken_ns <= s->in_ns ? s->in_ns - s->woken_ns : 0;
	} else {
		t.has_delay = s->known & PT_SCHED_DELAY;
		t.delay_ns = s->delay_ns;
	}
	return t;
}

static bool timehist_wanted(const struct pt_timehist *h, const struct pt_sched_task *t)
{
	return pt_choose_task(h->o.choose, t->pid, t->tid, t->comm);
}

static bool wanted_cpu(const struct pt_timehist *h, int32_t cpu)
{
	return cpu >= 0 && pt_choose_cpu(h->o.choose, cpu);
}

static bool wanted_side(const struct pt_timehist *h, const struct pt_sched_event *ev,
			const struct pt_record *rec)
{
	const struct pt_sched_task *by;

	if (h->o.no_lines || h->o.idle || !pt_choose_time(h->o.choose, ev->time_ns) ||
	    !wanted_cpu(h, ev->cpu) || !ev->task->tid)
		return false;
	if (timehist_wanted(h, ev->task))
		return true;
	by = rec->has & PERF_SAMPLE_TID ? pt_sched_find(h->sched, rec->tid) : NULL;
	return by && timehist_wanted(h, by);
}

static void timehist_add(struct timehist_stats *s, uint64_t ns)
{
	double v = (double)ns, delta;

	s->n++;
	delta = v - s->mean;
	s->mean += delta / s->n;
	s->m2 += delta * (v - s->mean);
	s->min = s->n == 1 ? ns : PT_MIN(s->min, ns);
	s->max = PT_MAX(s->max, ns);
}

static void timehist_sum_up(const struct pt_sched_event *ev, const struct timehist_times *t)
{
	const struct pt_sched_stay *s = &ev->task->stay;
	struct timehist_task *d = timehist_task_of(ev->task);

	d->outs++;
	if (t->has_run) {
		timehist_add(&d->run, t->run_ns);
		d->run_ns += t->run_ns;
	}
	if (t->has_wait)
		*(s->why == PT_SCHED_PREEMPTED ? &d->preempt_ns
		  : s->off_state == 'D'        ? &d->iowait_ns
					       : &d->sleep_ns) += t->wait_ns;
	if (t->has_delay)
		d->delay_ns += t->delay_ns;
}

/* Adds a CPU's idle time to the task that left it idle. */
static void idle_ends(struct pt_timehist *h, const struct pt_sched_event *ev,
		      const struct timehist_times *t)
{
	struct timehist_cpu *c = timehist_cpu_of(h, ev->cpu);
	struct timehist_task *d;

	c->outs++;
	/* the time before the CPU's first switch does not count */
	c->part |= !t->has_run && ev->last_ns;
	if (t->has_run)
		c->idle_ns += t->run_ns;
	if (!h->o.idle || !h->o.summary)
		return;
	if (c->last && t->has_run && timehist_wanted(h, c->last)) {
		d = timehist_task_of(c->last);
		d->outs++;
		timehist_add(&d->run, t->run_ns);
		d->run_ns += t->run_ns;
		timehist_idle_chain_ends(c, t->run_ns);
	}
	c->last = NULL;
}

static void timehist_on_switch(struct pt_timehist *h, const struct pt_sched_event *ev,
			       const struct pt_record *rec, struct pt_buf *out)
{
	bool to_idle = !ev->next->tid;
	struct timehist_cpu *c;
	struct timehist_times t;
	uint64_t at_ns = ev->time_ns, begin_ns;

	/* A run that began within the window is cut at its end. */
	if (ev->task->stay.known & PT_SCHED_IN && ev->task->stay.in_ns <= h->o.choose->to_ns)
		at_ns = PT_MIN(at_ns, h->o.choose->to_ns);
	if (!wanted_cpu(h, ev->cpu) || !pt_choose_time(h->o.choose, at_ns))
		return;
	t = times_of(h, ev);
	begin_ns = t.has_run ? at_ns - t.run_ns : ev->time_ns;
	h->first_ns = h->first_ns ? PT_MIN(h->first_ns, begin_ns) : begin_ns;
	h->last_ns = PT_MAX(h->last_ns, at_ns);
	c = timehist_cpu_of(h, ev->cpu);
	if (!ev->task->tid)
		idle_ends(h, ev, &t);
	c->into_idle |= to_idle;
	if (to_idle && h->o.idle && h->o.summary) {
		c->last = ev->task->tid ? ev->task : NULL;
		timehist_idle_chain(h, rec, c);
	}
	if (!timehist_wanted(h, ev->task))
		return;
	if (h->o.summary && !h->o.idle && ev->task->tid)
		timehist_sum_up(ev, &t);
	if (!h->o.no_lines && (!h->o.idle || to_idle || !ev->task->tid))
		timehist_line(h, ev, rec, &t, out);
}

static void on_migrate(struct pt_timehist *h, const struct pt_sched_event *ev,
		       const struct pt_record *rec, struct pt_buf *out)
{
	if (h->o.summary)
		timehist_task_of(ev->task)->moves++;
	if (h->o.migrations && wanted_side(h, ev, rec))
		timehist_side_line(h, ev, rec, 'm', "migrated: ", out);
}

void pt_timehist_feed(struct pt_timehist *h, const struct pt_sched_event *ev,
		      const struct pt_record *rec, struct pt_buf *out)
{
	switch (ev->kind) {
	case PT_SCHED_SWITCH:
		timehist_on_switch(h, ev, rec, out);
		break;
	case PT_SCHED_WAKEUP:		/* follows a waking, where those are recorded */
		if (pt_sched_counts(h->sched).has_waking)
			break;
		/* fall through */
	case PT_SCHED_WAKING:
	case PT_SCHED_WAKEUP_NEW:
		if (h->o.wakeups && wanted_side(h, ev, rec))
			timehist_side_line(h, ev, rec, '\0', "awakened: ", out);
		break;
	case PT_SCHED_MIGRATE:
		on_migrate(h, ev, rec, out);
		break;
	case PT_SCHED_LOST:
		if (!h->o.no_lines)
			timehist_lost_line(ev, out);
		break;
	default:
		break;
	}
}
