/* The scheduler: from a task's wake-up to the switch that brings it in.
 *
 * A table entry is what is known of a task that does not run: woken (its time counts), preempted (it waits, without having been woken), or asleep
 * after it had been woken while it still ran, which a later sched_wakeup confirms: then it waited since it left the CPU.
 *
 * Each CPU's running task is followed. A switch away from a task that did not come in there means that a switch is missing: the one that brought it
 * in, so its figure is left out. One and no more: kernels lose switches in the context of certain tasks (idle ones, for instance) while those of others
 * arrive, and a full ring would have told of its loss. Should more be missing after all: a runnable task is never woken, so another sched_waking
 * of a task that waits already shows that it ran unseen, and its time starts anew. */
#include "view/lat_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WOKEN = 1, PREEMPTED = 2, DOUBTFUL = 4 };

size_t lat_sched_open(const struct pt_lat *l)
{
	size_t i = 0, n = 0;
	struct pt_open *o;

	while ((o = pt_open_each(&l->opens, &i)))
		n += o->flags == WOKEN || (o->flags == PREEMPTED && l->o.preempted);
	return n;
}

static int woken(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec, bool confirms)
{
	uint32_t tid = (uint32_t)lat_load(&ev->f[F_PID], rec);
	struct pt_open *o;

	if (!tid)
		return 0;
	o = pt_open_find(&l->opens, tid, 0);
	if (o && o->flags == WOKEN) {
		if (confirms && l->waking_events)
			return 0;
		l->n.spanning++;
	} else if (o && o->flags == PREEMPTED) {
		return 0;
	}
	l->n.starts++;
	if (!o)
		o = pt_open_add(&l->opens, tid, 0);
	if (o->flags != DOUBTFUL || !confirms)	/* else: awake since it left the CPU */
		o->start_ns = rec->time_ns;
	o->flags = WOKEN;
	return 0;
}

int lat_sched_waking(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec, struct pt_latency *out)
{
	(void)out;
	l->waking_events = true;
	return woken(l, ev, rec, false);
}

int lat_sched_wakeup(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec, struct pt_latency *out)
{
	(void)out;
	return woken(l, ev, rec, true);
}

/* Takes out what is known of a task that was seen on a CPU without having come in. */
static void ran_unseen(struct pt_lat *l, uint32_t tid)
{
	struct pt_open *o = pt_open_find(&l->opens, tid, 0);

	if (!o)
		return;
	l->n.spanning += o->flags == WOKEN;
	pt_open_take(&l->opens, o);
}

/* The switch follows the last one of its CPU, or one is missing: counted, and its figure left out. */
static void follow_cpu(struct pt_lat *l, const struct pt_record *rec, uint32_t prev, uint32_t next)
{
	uint32_t was;

	if (!(rec->has & PERF_SAMPLE_CPU) || rec->cpu >= LAT_MAX_CPUS)
		return;
	if (rec->cpu >= l->nr_cpu_tasks) {
		size_t nr = PT_MAX(l->nr_cpu_tasks * 2, (size_t)rec->cpu + 1);

		l->cpu_task = pt_realloc(l->cpu_task, nr, sizeof(*l->cpu_task));
		memset(l->cpu_task + l->nr_cpu_tasks, 0, (nr - l->nr_cpu_tasks) * sizeof(*l->cpu_task));
		l->nr_cpu_tasks = nr;
	}
	was = l->cpu_task[rec->cpu];
	l->cpu_task[rec->cpu] = next + 1;
	if (was == prev + 1 || !was)
		return;
	l->n.gaps++;
	if (prev)
		ran_unseen(l, prev);
}

static void leave(struct pt_lat *l, const struct pt_record *rec, uint32_t tid, bool runnable)
{
	struct pt_open *o = pt_open_find(&l->opens, tid, 0);
	bool was_woken = o && o->flags == WOKEN;

	if (!runnable && !was_woken) {
		if (o)
			pt_open_take(&l->opens, o);
		return;
	}
	if (!o)
		o = pt_open_add(&l->opens, tid, 0);
	if (runnable && l->o.preempted)
		l->n.starts++;
	if (was_woken)
		l->n.starts--;			/* the wake-up of a task that ran: nothing to wait for */
	o->start_ns = rec->time_ns;
	o->flags = runnable ? PREEMPTED : DOUBTFUL;
}

int lat_sched_switch(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec, struct pt_latency *out)
{
	uint32_t prev = (uint32_t)lat_load(&ev->f[F_PREV], rec), next = (uint32_t)lat_load(&ev->f[F_PID], rec);
	uint64_t state = lat_load(&ev->f[F_STATE], rec);
	struct pt_open *o;

	follow_cpu(l, rec, prev, next);
	if (prev)
		leave(l, rec, prev, !(state & 0xff));	/* above: the mark of a preemption */
	if (!next)
		return 0;
	l->n.ends++;
	o = pt_open_find(&l->opens, next, 0);
	if (!o || o->flags == DOUBTFUL) {
		l->n.unpaired++;
		if (o)
			pt_open_take(&l->opens, o);
		return 0;
	}
	if (o->flags == PREEMPTED && !l->o.preempted) {
		l->n.ends--;
		pt_open_take(&l->opens, o);
		return 0;
	}
	o->tid = next;
	o->pid = pt_tasks_pid(l->tasks, next);
	if (l->o.want_comm)
		o->comm = lat_comm(l, rec, &ev->f[F_TASK_COMM]);
	lat_plain(out);
	return lat_end(l, o, rec, out);
}
