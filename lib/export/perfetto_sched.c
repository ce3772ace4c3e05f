/* perfetto_sched.c - the kernel's events that Perfetto makes its rows of CPUs and threads from. */
#ifdef PT_WITH_PROTOBUF

#include <stdlib.h>

#include "base/mem.h"
#include "export/perfetto_priv.h"

enum { BUNDLE_BYTES = 32 << 10, NEW_THREAD = 0x10000 /* CLONE_THREAD */ };

/* The fields of each, in the order in which perfetto_sched() takes them. */
static const struct known {
	const char *system, *name;
	enum perfetto_use use;
	const char *fields[PERFETTO_FIELDS];
} known[] = {
	{ "sched", "sched_switch", PERFETTO_SWITCH, { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio" } },
	{ "sched", "sched_waking", PERFETTO_WAKING, { "comm", "pid", "prio", "target_cpu" } },
	{ "sched", "sched_wakeup", PERFETTO_WAKEUP, { "comm", "pid", "prio", "target_cpu" } },
	{ "sched", "sched_wakeup_new", PERFETTO_WAKEUP_NEW, { "comm", "pid", "prio", "target_cpu" } },
	{ "power", "cpu_frequency", PERFETTO_FREQUENCY, { "state", "cpu_id" } },
	{ "power", "cpu_idle", PERFETTO_IDLE, { "state", "cpu_id" } },
};

bool perfetto_sched_knows(const struct pt_tp *tp, struct perfetto_event *ev)
{
	for (size_t i = 0; i < PT_NR(known); i++) {
		const struct known *k = &known[i];

		if (strcmp(k->system, tp->system) || strcmp(k->name, tp->name))
			continue;
		for (size_t f = 0; f < PERFETTO_FIELDS && k->fields[f]; f++)
			if (!(ev->fields[f] = pt_tp_field(tp, k->fields[f])))
				return false;
		ev->use = k->use;
		return true;
	}
	return false;
}

/* -- bundles -- */

static void flush_cpu(struct pt_perfetto *p, uint32_t cpu)
{
	struct perfetto_cpu *c = &p->cpus[cpu];
	Pf__FtraceEventBundle end = PF__FTRACE_EVENT_BUNDLE__INIT;
	Pf__TracePacket t = PF__TRACE_PACKET__INIT;

	if (!c->text.len)
		return;
	end.has_cpu = 1;
	end.cpu = cpu;
	end.has_lost_events = end.lost_events = c->lost;
	pt_message_add(&c->text, &end.base);
	t.has_ftrace_events = 1;
	t.ftrace_events.data = (uint8_t *)c->text.data;
	t.ftrace_events.len = c->text.len;
	perfetto_packet(p, &t, 0);
	pt_buf_clear(&c->text);
	c->lost = false;
}

static void perfetto_sched_add_event(struct pt_perfetto *p, const struct pt_record *rec,
				     Pf__FtraceEvent *ev)
{
	Pf__FtraceEventBundle piece = PF__FTRACE_EVENT_BUNDLE__INIT;
	struct perfetto_cpu *c;

	PT_GROW_TO(p->cpus, p->nr_cpus, rec->cpu);
	c = &p->cpus[rec->cpu];
	ev->timestamp = rec->time_ns;
	piece.event = &ev;
	piece.n_event = 1;
	pt_message_add(&c->text, &piece.base);
	if (c->text.len >= BUNDLE_BYTES)
		flush_cpu(p, rec->cpu);
}

void pt_perfetto_end(struct pt_perfetto *p)
{
	for (uint32_t cpu = 0; cpu < p->nr_cpus; cpu++)
		flush_cpu(p, cpu);
}

void perfetto_sched_lost(struct pt_perfetto *p)
{
	for (size_t cpu = 0; cpu < p->nr_cpus; cpu++)
		p->cpus[cpu].lost = true;
}

/* -- events -- */

/* Reads fields `first` to `end`. False: the record is too short, or one of them is no number. */
static bool read_numbers(const struct pt_tp_field *const *f, const struct pt_record *rec,
			 size_t first, size_t end, uint64_t v[PERFETTO_FIELDS])
{
	for (size_t i = first; i < end; i++)
		if (!pt_tp_value(f[i], rec->sample.raw, rec->sample.raw_len, rec->swap, &v[i]))
			return false;
	return true;
}

static char *text(struct pt_buf *b, const struct pt_tp_field *f, const struct pt_record *rec)
{
	const void *s;
	size_t len;

	if (!pt_tp_data(f, rec->sample.raw, rec->sample.raw_len, rec->swap, &s, &len))
		s = "", len = 0;
	return perfetto_text(b, s, len);
}

static bool perfetto_sched_add_switch(struct pt_perfetto *p, const struct pt_tp_field *const *f,
				      const struct pt_record *rec, Pf__FtraceEvent *ev)
{
	Pf__SchedSwitch s = PF__SCHED_SWITCH__INIT;
	uint64_t v[PERFETTO_FIELDS];

	if (!read_numbers(f, rec, 1, 4, v) || !read_numbers(f, rec, 5, 7, v))
		return false;
	s.prev_comm = text(&p->text, f[0], rec);
	s.prev_pid = (int32_t)v[1];
	s.prev_prio = (int32_t)v[2];
	s.prev_state = (int64_t)v[3];
	s.next_comm = text(&p->text2, f[4], rec);
	s.next_pid = (int32_t)v[5];
	s.next_prio = (int32_t)v[6];
	ev->pid = (uint32_t)v[1];
	ev->sched_switch = &s;
	perfetto_sched_add_event(p, rec, ev);
	return true;
}

static bool add_wakeup(struct pt_perfetto *p, const struct perfetto_event *of,
		       const struct pt_record *rec, Pf__FtraceEvent *ev)
{
	const struct pt_tp_field *const *f = of->fields;
	Pf__SchedWakeup w = PF__SCHED_WAKEUP__INIT;
	uint64_t v[PERFETTO_FIELDS];

	if (!read_numbers(f, rec, 1, 4, v))
		return false;
	w.comm = text(&p->text, f[0], rec);
	w.pid = (int32_t)v[1];
	w.prio = (int32_t)v[2];
	w.success = 1;
	w.target_cpu = (int32_t)v[3];
	if (of->use == PERFETTO_WAKING)
		ev->sched_waking = &w;
	else if (of->use == PERFETTO_WAKEUP)
		ev->sched_wakeup = &w;
	else
		ev->sched_wakeup_new = &w;
	perfetto_sched_add_event(p, rec, ev);
	return true;
}

static bool add_state(struct pt_perfetto *p, const struct perfetto_event *of,
		      const struct pt_record *rec, Pf__FtraceEvent *ev)
{
	Pf__CpuState state = PF__CPU_STATE__INIT;
	uint64_t v[PERFETTO_FIELDS];

	if (!read_numbers(of->fields, rec, 0, 2, v))
		return false;
	state.state = (uint32_t)v[0];
	state.cpu_id = (uint32_t)v[1];
	if (of->use == PERFETTO_FREQUENCY)
		ev->cpu_frequency = &state;
	else
		ev->cpu_idle = &state;
	perfetto_sched_add_event(p, rec, ev);
	return true;
}

void perfetto_sched(struct pt_perfetto *p, const struct perfetto_event *ev,
		    const struct pt_record *rec)
{
	Pf__FtraceEvent f = PF__FTRACE_EVENT__INIT;
	bool fine;

	if (!(rec->has & PERF_SAMPLE_CPU) || rec->cpu > PERFETTO_MAX_CPU) {
		p->counts.no_cpu++;
		return;
	}
	if (!(rec->has & PERF_SAMPLE_RAW)) {
		p->counts.bad++;
		return;
	}
	if (rec->has & PERF_SAMPLE_TID)
		f.pid = rec->tid;
	if (ev->use == PERFETTO_SWITCH)
		fine = perfetto_sched_add_switch(p, ev->fields, rec, &f);
	else if (ev->use == PERFETTO_FREQUENCY || ev->use == PERFETTO_IDLE)
		fine = add_state(p, ev, rec, &f);
	else
		fine = add_wakeup(p, ev, rec, &f);
	p->counts.bad += !fine;
}

void perfetto_sched_fork(struct pt_perfetto *p, const struct pt_record *rec, const char *comm)
{
	Pf__FtraceEvent f = PF__FTRACE_EVENT__INIT;
	Pf__TaskNewtask task = PF__TASK_NEWTASK__INIT;

	task.pid = (int32_t)rec->u.task.tid;
	task.comm = perfetto_text(&p->text, comm, strlen(comm));
	task.clone_flags = rec->u.task.pid == rec->u.task.ppid ? NEW_THREAD : 0;
	f.pid = rec->u.task.ptid;
	f.task_newtask = &task;
	perfetto_sched_add_event(p, rec, &f);
}

#endif
