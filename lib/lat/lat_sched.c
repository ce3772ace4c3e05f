/* The scheduler: from a task's wake-up to the switch that brings it in, by the state machine
 * (sched/sched.h). What that does not know is no latency. */
#include "lat/lat_priv.h"

#include "base/mem.h"

size_t lat_sched_open(const struct pt_lat *l)
{
	return pt_sched_waiting(l->sched, l->o.preempted);
}

/* A task comes in: its wait ends, and may be known. */
static int lat_sched_came_in(struct pt_lat *l, const struct pt_sched_event *ev,
			     struct pt_latency *out)
{
	const struct pt_sched_task *t = ev->next;
	const struct pt_sched_stay *st = &t->stay;

	if (!t->tid || (st->why == PT_SCHED_PREEMPTED && !l->o.preempted))
		return 0;
	if (!(st->known & PT_SCHED_DELAY)) {
		l->n.unpaired++;
		return 0;
	}
	lat_plain(out);
	out->end_ns = ev->time_ns;
	out->start_ns = st->ready_ns;
	out->latency_ns = st->delay_ns;
	out->open = false;
	out->pid = t->pid;
	out->tid = t->tid;
	out->cpu = (uint32_t)ev->cpu;
	out->comm = l->o.want_comm ? pt_names_add(l->names, t->comm, sizeof(t->comm)) : "";
	l->n.pairs++;
	l->longest_ns = PT_MAX(l->longest_ns, st->delay_ns);
	return 1;
}

int lat_sched_feed(struct pt_lat *l, const struct pt_record *rec, struct pt_latency *out,
		   struct pt_err *e)
{
	struct pt_sched_event ev;

	switch (pt_sched_feed(l->sched, rec, &ev, e)) {
	case -1:
		return -1;
	case PT_SCHED_SWITCH:
		return lat_sched_came_in(l, &ev, out);
	}
	return 0;
}

void lat_sched_counts(const struct pt_lat *l, struct pt_lat_counts *n)
{
	struct pt_sched_counts c = pt_sched_counts(l->sched);

	n->gaps = c.gaps;
	n->all_cpus = c.from_idle > 0;
	n->forgotten = c.across;
	n->spanning = c.spanning - c.across;
	n->by_records = c.by_records;
	n->bad = c.bad + c.late;
}
