#include "lat/lat.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/remark.h"
#include "base/text.h"
#include "lat/lat_priv.h"

struct pt_lat *pt_lat_new(const struct pt_lat_opts *o, const struct pt_source *source)
{
	struct pt_lat *l = pt_alloc(sizeof(*l));

	l->o = *o;
	l->kind = o->kind;
	l->source = source;
	l->names = pt_names_new();
	l->tasks = pt_tasks_new();
	/* names precede the first sample */
	if (l->kind == PT_LAT_CHOOSE || l->kind == PT_LAT_SCHED)
		l->sched = pt_sched_new(&(struct pt_sched_opts){
			.without = 1u << PT_SCHED_RUNTIME | 1u << PT_SCHED_MIGRATE });
	l->from = pt_strdup(o->from);
	l->to = pt_strdup(o->to);
	return l;
}

void pt_lat_free(struct pt_lat *l)
{
	if (!l)
		return;
	pt_pending_starts_deinit(&l->pending);
	pt_names_free(l->names);
	pt_tasks_free(l->tasks);
	pt_map_deinit(&l->devices);
	free(l->events);
	pt_sched_free(l->sched);
	pt_sysnr_free(l->call_names);
	free(l->wanted);
	free(l->key_text);
	free(l->from);
	free(l->to);
	free(l);
}

/* The thread's name: from the event's field if it has one, else from COMM records. */
const char *lat_comm(struct pt_lat *l, const struct pt_record *rec, const struct pt_tp_place *comm)
{
	const char *known;

	if (comm && comm->size_bytes)
		return pt_names_add(l->names, (const char *)rec->sample.raw + comm->off,
				    comm->size_bytes);
	known = rec->has & PERF_SAMPLE_TID ? pt_tasks_known(l->tasks, rec->tid) : NULL;
	return known ? pt_names_add(l->names, known, strlen(known)) : NULL;
}

static size_t nr_open(const struct pt_lat *l)
{
	return l->kind == PT_LAT_SCHED     ? lat_sched_open(l)
	       : l->kind == PT_LAT_SYSCALL ? lat_call_open(l)
					   : l->pending.nr;
}

/* Drops everything pending. */
static void lat_forget(struct pt_lat *l, uint64_t *counter)
{
	*counter += nr_open(l);
	pt_pending_starts_clear(&l->pending);
}

static void other_record(struct pt_lat *l, const struct pt_record *rec)
{
	struct pt_sched_event ev;

	if (l->sched)
		pt_sched_feed(l->sched, rec, &ev, NULL);
	if (l->kind == PT_LAT_SCHED)
		return;
	pt_tasks_see(l->tasks, rec);
	switch (rec->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		if (rec->u.lost.lost)
			lat_forget(l, &l->n.forgotten);	/* records are missing */
		break;
	case PERF_RECORD_FORK:
		if (l->kind == PT_LAT_SYSCALL)
			lat_call_fork(l, rec);
		break;
	case PERF_RECORD_EXIT:
		if (l->kind == PT_LAT_SYSCALL || l->kind == PT_LAT_PROBE)
			lat_call_died(l, rec);
		break;
	}
}

/* Decides at an event's first sample what it is for. */
static int lat_look_at(struct pt_lat *l, const struct pt_event *event, struct pt_err *e)
{
	struct lat_event ev = { .seen = true };

	if (!l->started && lat_choose(l, event, e) < 0)
		return -1;
	l->started = true;
	if (l->kind != PT_LAT_SCHED) {
		pt_sched_free(l->sched);
		l->sched = NULL;
	}
	PT_GROW_TO(l->events, l->nr_events, event->index);
	if (lat_pick(l, event, &ev, e) < 0)
		return -1;
	l->events[event->index] = ev;
	return 0;
}

int pt_lat_feed(struct pt_lat *l, const struct pt_record *rec, struct pt_latency *out,
		struct pt_err *e)
{
	const struct lat_event *ev;

	if (l->started && l->sched)
		return lat_sched_feed(l, rec, out, e);
	if (rec->type != PERF_RECORD_SAMPLE) {
		other_record(l, rec);
		return 0;
	}
	if (!rec->event)
		return 0;
	if (rec->event->index >= l->nr_events || !l->events[rec->event->index].seen)
		return lat_look_at(l, rec->event, e) < 0 ? -1 : pt_lat_feed(l, rec, out, e);
	ev = &l->events[rec->event->index];
	if (!ev->feed)
		return 0;
	if ((ev->has & ~rec->has) || rec->sample.raw_len < ev->need_bytes) {
		l->n.bad++;
		return 0;
	}
	if (l->pending.nr >= LAT_MAX_OPEN)
		lat_forget(l, &l->n.crowded_out);
	return ev->feed(l, ev, rec, out);
}

bool pt_lat_open(const struct pt_lat *l, size_t *i, uint64_t end_ns, struct pt_latency *out)
{
	const struct pt_pending_start *o;

	while ((o = pt_pending_each(&l->pending, i))) {
		bool shown = l->kind == PT_LAT_SYSCALL ? lat_call_of_open(l, o, out)
			     : l->kind == PT_LAT_BLOCK && lat_block_of_open(o, out);

		if (!shown || o->start_ns > end_ns)
			continue;
		out->open = true;
		out->end_ns = end_ns;
		out->start_ns = o->start_ns;
		out->latency_ns = end_ns - o->start_ns;
		out->pid = o->pid;
		out->tid = o->tid;
		out->cpu = UINT32_MAX;
		out->comm = o->comm ? o->comm : "";
		out->began = o->began;
		return true;
	}
	return false;
}

const char *pt_lat_title(const struct pt_lat *l)
{
	return l->title;
}

enum pt_lat_kind pt_lat_kind(const struct pt_lat *l)
{
	return l->kind;
}

static const struct lat_event *lat_event_of(const struct pt_lat *l, const struct pt_record *rec)
{
	return rec && rec->event && rec->event->index < l->nr_events ? &l->events[rec->event->index]
							      : NULL;
}

static void call_word(const struct pt_latency *lat, struct pt_buf *out)
{
	if (lat->name)
		pt_text_puts(out, lat->name);
	else
		pt_buf_dec_signed(out, lat->nr);
}

static void op_word(const struct pt_latency *lat, const struct lat_event *ev,
		    const struct pt_record *rec, struct pt_buf *out)
{
	char rwbs[17];

	if (ev)
		lat_block_rwbs(ev, rec, rwbs);
	pt_text_puts(out, ev ? rwbs : lat->op);
}

bool pt_lat_by(struct pt_lat *l, const char *by, const struct pt_latency *lat,
	       const struct pt_record *rec, struct pt_buf *out)
{
	const struct lat_event *ev = lat_event_of(l, rec);

	if (!strcmp(by, "comm")) {
		pt_text_puts(out, lat->comm);
	} else if (!strcmp(by, "tid") || !strcmp(by, "pid")) {
		uint32_t id = by[0] == 't' ? lat->tid : lat->pid;

		if (id == UINT32_MAX)
			pt_buf_putc(out, '?');
		else
			pt_buf_dec(out, id);
	} else if (!strcmp(by, "cpu")) {
		pt_buf_dec_signed(out, (int32_t)lat->cpu);
	} else if (!strcmp(by, "dev") && l->kind == PT_LAT_BLOCK) {
		lat_device(l, lat->dev, out);
	} else if (!strcmp(by, "op") && l->kind == PT_LAT_BLOCK) {
		op_word(lat, ev, rec, out);
	} else if (!strcmp(by, "syscall") && l->kind == PT_LAT_SYSCALL) {
		call_word(lat, out);
	} else if (!strcmp(by, "key") && l->kind == PT_LAT_FIELDS && ev) {
		lat_key_words(l, ev, rec, out);
	} else {
		return false;
	}
	return true;
}

void pt_lat_words(struct pt_lat *l, const struct pt_latency *lat, const struct pt_record *rec,
		  struct pt_buf *out)
{
	const struct lat_event *ev = lat_event_of(l, rec);
	size_t from = out->len;

	if (l->kind == PT_LAT_SYSCALL) {
		call_word(lat, out);
	} else if (l->kind == PT_LAT_FIELDS && ev) {
		lat_key_words(l, ev, rec, out);
	} else if (l->kind == PT_LAT_BLOCK) {
		lat_device(l, lat->dev, out);
		pt_buf_putc(out, ' ');
		op_word(lat, ev, rec, out);
		pt_buf_putc(out, ' ');
		pt_buf_dec(out, lat->sector);
		pt_buf_putc(out, '+');
		pt_buf_dec(out, lat->nr_sectors);
	}
	if (lat->tid == UINT32_MAX)
		return;
	if (out->len > from)
		pt_buf_putc(out, ' ');
	pt_buf_dec(out, lat->tid);
	if (lat->comm[0]) {
		pt_buf_putc(out, ' ');
		pt_text_puts(out, lat->comm);
	}
}

struct pt_lat_counts pt_lat_counts(const struct pt_lat *l)
{
	struct pt_lat_counts n = l->n;

	n.open = nr_open(l);
	if (l->kind == PT_LAT_SCHED)
		lat_sched_counts(l, &n);
	return n;
}

bool pt_lat_note(const struct pt_lat *l, size_t *i, struct pt_buf *out)
{
	const struct pt_lat_counts n = pt_lat_counts(l);
	const struct lat_pair w = *lat_pair(l);
	bool queued = l->kind == PT_LAT_BLOCK && l->o.queued;
	const char *start = queued ? "insert" : w.start, *starts = queued ? "inserts" : w.starts;
	bool an_start = strchr("aeiou", *start), an_end = strchr("aeiou", *w.end);
	const struct pt_remark rows[] = {
		{ n.unpaired,
		  w.end,
		  w.ends,
		  { an_start ? " without an " : " without a ", start,
		    ": begun before the recording, or not recorded" } },
		{ n.open,
		  start,
		  starts,
		  { an_end ? " without an " : " without a ", w.end,
		    ": still under way at the end, or not recorded" } },
		{ n.unanswered,
		  start,
		  starts,
		  { " whose ", w.end, " was not recorded, as a later one of the same key shows" } },
		{ n.forgotten,
		  start,
		  starts,
		  { " left out: records were lost while they were open" } },
		{ n.gaps,
		  "switch",
		  "switches",
		  { " of tasks missing (the task that left a CPU was not the last that had come in)",
		    n.gaps > n.pairs ? pt_sched_gaps_why(n.all_cpus) : NULL } },
		{ n.spanning, start, starts,
		  { " left out: answered by a switch that is missing" } },
		{ n.by_records,
		  "switch that the kernel did not deliver is",
		  "switches that the kernel did not deliver are",
		  { " known by a record of the task that came in, some microseconds late" } },
		{ n.bypassed,
		  "request",
		  "requests",
		  { " measured from the issue: passed the scheduler by without an insert" } },
		{ n.requeued,
		  "issue",
		  "issues",
		  { " of a request taken back (requeued)",
		    queued ? NULL : "; the next issue counts" } },
		{ n.failed, w.end, w.ends, { " with an error" } },
		{ n.died, start, starts, { " that never returned: the thread ended within" } },
		{ n.bad,
		  "sample",
		  "samples",
		  { " that could not be used: cut short, without time, or ended before it began" } },
		{ n.unread_keys,
		  "sample",
		  "samples",
		  { " left out: the kernel could not read the key" } },
		{ n.crowded_out, start, starts, { " left out: too many were open at once" } },
	};

	return pt_remark_next(rows, PT_NR(rows), i, out);
}
