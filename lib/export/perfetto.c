#include "export/perfetto.h"

#ifdef PT_WITH_PROTOBUF

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/preset.h"
#include "export/perfetto_priv.h"

enum { SEQUENCE = 1, STATE_CLEARED = 1, NEEDS_STATE = 2 };

struct pt_perfetto *pt_perfetto_new(const struct pt_source *src, struct pt_buf *out)
{
	struct pt_perfetto *p = pt_alloc(sizeof(*p));

	p->src = src;
	p->out = out;
	p->names = pt_names_new();
	return p;
}

void pt_perfetto_free(struct pt_perfetto *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_cpus; i++)
		pt_buf_deinit(&p->cpus[i].text);
	for (size_t i = 0; i < p->nr_devices; i++)
		free(p->devices[i].ends_ns);
	pt_map_deinit(&p->tracks);
	pt_map_deinit(&p->counters);
	pt_map_deinit(&p->ids);
	pt_map_deinit(&p->device_numbers);
	pt_map_deinit(&p->mappings);
	pt_lat_free(p->requests);
	pt_names_free(p->names);
	pt_buf_deinit(&p->text);
	pt_buf_deinit(&p->text2);
	free(p->events);
	free(p->cpus);
	free(p->devices);
	free(p->notes);
	free(p->note_pointers);
	free(p->note_texts);
	free(p->stacks_done);
	free(p);
}

void perfetto_packet(struct pt_perfetto *p, Pf__TracePacket *t, uint64_t time_ns)
{
	Pf__Trace trace = PF__TRACE__INIT;

	t->has_timestamp = time_ns != 0;
	t->timestamp = time_ns;
	t->trusted_packet_sequence_id = SEQUENCE;
	t->sequence_flags = p->begun ? NEEDS_STATE : STATE_CLEARED;
	p->begun = true;
	trace.packet = &t;
	trace.n_packet = 1;
	pt_message_add(p->out, &trace.base);
}

char *perfetto_text(struct pt_buf *b, const char *s, size_t len)
{
	pt_buf_clear(b);
	pt_text_valid(b, s, len);
	return (char *)pt_buf_str(b);
}

char *perfetto_name(struct pt_perfetto *p, const char *s)
{
	struct pt_buf valid = PT_BUF_INIT;
	const char *name;

	pt_text_valid(&valid, s, strlen(s));
	name = pt_names_add(p->names, pt_buf_str(&valid), valid.len);
	pt_buf_deinit(&valid);
	return (char *)name;
}

uint64_t perfetto_track(struct pt_perfetto *p, enum perfetto_track kind, uint32_t high,
			uint32_t low, Pf__TrackDescriptor *about)
{
	uint64_t uuid = (uint64_t)kind << 56 | (uint64_t)(high & 0xffffff) << 32 | low;
	Pf__TracePacket t = PF__TRACE_PACKET__INIT;
	uint64_t *slot = pt_map_put(&p->tracks, uuid);

	if (!*slot) {
		*slot = 1;
		about->uuid = uuid;
		t.track_descriptor = about;
		perfetto_packet(p, &t, 0);
	}
	return uuid;
}

void perfetto_track_event(struct pt_perfetto *p, Pf__TrackEvent *ev, uint64_t time_ns)
{
	Pf__TracePacket t = PF__TRACE_PACKET__INIT;

	t.track_event = ev;
	perfetto_packet(p, &t, time_ns);
}

/* -- the machine and its tasks -- */

/* The kernel's version tells what the states of tasks mean. */
static void write_system(struct pt_perfetto *p)
{
	const struct pt_info *info = pt_source_info(p->src);
	Pf__TracePacket t = PF__TRACE_PACKET__INIT;
	Pf__SystemInfo system = PF__SYSTEM_INFO__INIT;
	Pf__Utsname uts = PF__UTSNAME__INIT;

	p->knows_system = true;
	uts.sysname = (char *)"Linux";
	if (info->os_release)
		uts.release = perfetto_name(p, info->os_release);
	if (info->arch)
		uts.machine = perfetto_name(p, info->arch);
	system.utsname = &uts;
	t.system_info = &system;
	perfetto_packet(p, &t, 0);
}

/* ppid 0: unknown */
static void perfetto_write_task(struct pt_perfetto *p, uint32_t pid, uint32_t tid, uint32_t ppid,
				const char *comm)
{
	Pf__TracePacket t = PF__TRACE_PACKET__INIT;
	Pf__ProcessTree tree = PF__PROCESS_TREE__INIT;
	Pf__Process process = PF__PROCESS__INIT, *processes = &process;
	Pf__Thread thread = PF__THREAD__INIT, *threads = &thread;
	char *name = perfetto_text(&p->text, comm, strlen(comm));

	thread.tid = (int32_t)tid;
	thread.tgid = (int32_t)pid;
	thread.name = name;
	tree.threads = &threads;
	tree.n_threads = 1;
	if (pid == tid) {
		process.pid = (int32_t)pid;
		process.has_ppid = ppid != 0;
		process.ppid = (int32_t)ppid;
		process.cmdline = &name;
		process.n_cmdline = 1;
		tree.processes = &processes;
		tree.n_processes = 1;
	}
	t.process_tree = &tree;
	perfetto_packet(p, &t, 0);
}

static void perfetto_see_fork(struct pt_perfetto *p, const struct pt_record *rec, const char *comm)
{
	uint32_t pid = rec->u.task.pid, ppid = rec->u.task.ppid;

	/* A task that begins within the recording may have the number of one that has ended. */
	if (rec->time_ns && rec->has & PERF_SAMPLE_TIME && rec->has & PERF_SAMPLE_CPU &&
	    rec->cpu <= PERFETTO_MAX_CPU)
		perfetto_sched_fork(p, rec, comm);
	else
		perfetto_write_task(p, pid, rec->u.task.tid, ppid == pid ? 0 : ppid, comm);
}

/* -- samples -- */

static void choose_use(struct perfetto_event *ev, const struct pt_event *of)
{
	if (of->side_band || (of->tp && !strcmp(of->tp->name, "sched_stat_runtime")))
		ev->use = PERFETTO_NOTHING;	/* Perfetto computes run times itself */
	else if (!of->tp)
		ev->use = PERFETTO_STACK;
	else if (pt_preset_has("block", of->tp->system, of->tp->name))
		ev->use = PERFETTO_REQUEST;
	else if (!perfetto_sched_knows(of->tp, ev))
		ev->use = PERFETTO_INSTANT;
}

static bool see_sample(struct pt_perfetto *p, const struct pt_record *rec)
{
	struct perfetto_event *ev;

	PT_GROW_TO(p->events, p->nr_events, rec->event->index);
	ev = &p->events[rec->event->index];
	if (ev->use == PERFETTO_UNKNOWN)
		choose_use(ev, rec->event);
	if (ev->use == PERFETTO_NOTHING)
		return false;
	if (!(rec->has & PERF_SAMPLE_TIME)) {
		p->counts.timeless++;
		return false;
	}
	if (rec->has & PERF_SAMPLE_READ)
		perfetto_counters(p, rec);
	else if (rec->event->attr.sample_type & PERF_SAMPLE_READ)
		return false;		/* a further part of a sample: its counters tell of it */
	if (ev->use == PERFETTO_REQUEST)
		perfetto_request(p, rec);
	else if (ev->use == PERFETTO_INSTANT)
		perfetto_instant(p, rec);
	else if (ev->use != PERFETTO_STACK)
		perfetto_sched(p, ev, rec);
	return ev->use == PERFETTO_STACK;
}

bool pt_perfetto_feed(struct pt_perfetto *p, const struct pt_record *rec, const char *comm)
{
	if (!p->knows_system && rec->type == PERF_RECORD_SAMPLE)
		write_system(p);
	switch (rec->type) {
	case PERF_RECORD_COMM:
		perfetto_write_task(p, rec->u.comm.pid, rec->u.comm.tid, 0, rec->u.comm.comm);
		return false;
	case PERF_RECORD_FORK:
		perfetto_see_fork(p, rec, comm);
		return false;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		perfetto_sched_lost(p);
		if (p->requests)
			pt_lat_feed(p->requests, rec, &(struct pt_latency){ 0 }, NULL);
		return false;
	}
	return rec->type == PERF_RECORD_SAMPLE && rec->event && see_sample(p, rec);
}

struct pt_perfetto_counts pt_perfetto_counts(const struct pt_perfetto *p) { return p->counts; }

const struct pt_lat *pt_perfetto_requests(const struct pt_perfetto *p) { return p->requests; }

#endif
