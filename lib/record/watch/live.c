#include "record/watch/live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "event/ring.h"
#include "record/format/evtable.h"
#include "record/read/backend.h"
#include "record/watch/collector.h"
#include "record/watch/synth.h"

/* A record gets its time before it becomes visible, and in between an interrupt (or the host of a
 * virtual machine) may take the CPU for tens of milliseconds. So younger records wait this long;
 * less when a ring fills up, since waiting would then lose records. */
static const uint64_t slack_ns = 60000000, hurried_slack_ns = 5000000;

/* of the pieces in which a ring is taken and given back to the kernel */
enum { CHUNK_BYTES = 64 << 10 };

struct live;

struct live_ring {
	struct pt_run run;
	struct live *l;
	struct pt_ring *ring;
	uint64_t head;			/* the kernel's head when last read */
	uint64_t chunk_bytes;		/* of the ring's piece that the run is */
	uint8_t *sorted;
};

struct own_run {
	struct pt_run run;
	struct pt_own_record rec;
	struct live *l;
	struct own_run *next;
};

struct live {
	struct pt_backend b;
	const struct pt_watch *w;
	struct pt_session *s;
	struct pt_evtable *events;
	struct live_ring **rings;
	size_t nr_rings, cap_rings;
	struct own_run *own;
	struct pt_run synth_run;
	struct pt_buf synth;
	uint64_t begin_ns;
	uint64_t ticks;			/* delivered so far */
	uint32_t self;
	uint32_t pid_at;		/* in a sample */
	bool drop_self;			/* filters do not exclude the whole tool */
	bool done;
	bool start_failed;
	bool child_ended;
	struct pt_err bad;
	struct utsname uts;

	struct live_count {
		struct pt_session_count count;
		bool known;
		uint64_t own;		/* samples of the tool itself, dropped here */
	} *counts;
};

static uint32_t live_size_of(const uint8_t *p)
{
	return pt_load16(p + 6, false);
}

/* The kernel's filter excludes one thread: the one that watches, but not the one that writes. That
 * one's system calls are dropped here, since each written line would cause another one. Other
 * tracepoints may belong to an interrupt, which has nothing to do with the interrupted thread. */
static bool left_to_filter(const struct pt_tp *tp)
{
	return tp && strcmp(tp->system, "syscalls") && strcmp(tp->system, "raw_syscalls");
}

/* Is this a sample of our own process that no filter could exclude? */
static bool is_own(struct live *l, const uint8_t *p)
{
	struct pt_evt *v;

	if (pt_load32(p, false) != PERF_RECORD_SAMPLE || live_size_of(p) < l->pid_at + 8 ||
	    pt_load32(p + l->pid_at, false) != l->self)
		return false;
	v = pt_evtable_lookup(l->events, pt_load64(p + PT_HEADER_BYTES, false));
	if (!v || left_to_filter(v->ev.tp))
		return false;
	l->counts[v->ev.index].own++;
	return true;
}

/* Returns the length of the run of whole records at p: it ends at the chunk's size, in front of a
 * record of our own, or in front of a record that is younger than a later one. *swapped: the first
 * record is such a one. */
static uint64_t live_walk(struct live_ring *r, const uint8_t *p, uint64_t len, bool *swapped)
{
	struct live *l = r->l;
	uint64_t at = 0, last_ns = 0;

	while (at + PT_HEADER_BYTES <= len) {
		uint32_t size = live_size_of(p + at);
		uint64_t time_ns;

		if (size < PT_HEADER_BYTES || size > len - at)
			break;
		time_ns = pt_evtable_time_of(l->events, p + at, last_ns);
		if (time_ns < last_ns) {
			uint64_t cut = 0;

			while (pt_evtable_time_of(l->events, p + cut, 0) <= time_ns)
				cut += live_size_of(p + cut);
			*swapped = !cut;
			return cut;
		}
		if (at >= CHUNK_BYTES)
			break;
		if (l->drop_self && at && pt_load32(p + at, false) == PERF_RECORD_SAMPLE &&
		    size > l->pid_at + 4 && pt_load32(p + at + l->pid_at, false) == l->self)
			break;			/* next_chunk() drops it */
		last_ns = time_ns;
		at += size;
	}
	return at;
}

/* Moves the run to the next piece of the ring. False: everything up to head is taken. */
static bool next_chunk(struct live_ring *r)
{
	struct pt_ring *ring = r->ring;
	const uint8_t *p;

	while ((p = pt_ring_peek(ring, r->head)) ||
	       (pt_ring_more(ring, &r->head) && (p = pt_ring_peek(ring, r->head)))) {
		uint64_t off = ring->at & (ring->size_bytes - 1),
			 len = PT_MIN(r->head - ring->at, ring->size_bytes - off);
		bool swapped = false;

		if (r->l->drop_self && is_own(r->l, p)) {
			pt_ring_skip(ring, live_size_of(p));
			continue;
		}
		if (p != ring->data + off) {	/* it wraps: alone, in the scratch buffer */
			r->chunk_bytes = live_size_of(p);
		} else {
			r->chunk_bytes = live_walk(r, p, len, &swapped);
			if (swapped) {
				if (!r->sorted)
					r->sorted = pt_alloc(PT_SORT_BYTES);
				r->chunk_bytes = pt_order_mixed(r->l->events, p, len, r->sorted);
				p = r->sorted;
			}
		}
		r->run.at = p;
		r->run.end = p + r->chunk_bytes;
		return true;
	}
	pt_ring_release(ring);
	return false;
}

static bool live_ring_more(struct pt_run *run)
{
	struct live_ring *r = (struct live_ring *)run;

	pt_ring_skip(r->ring, (uint32_t)r->chunk_bytes);
	pt_ring_release(r->ring);
	r->chunk_bytes = 0;
	return next_chunk(r);
}

static void sync_rings(struct live *l)
{
	while (l->nr_rings < pt_session_nr_rings(l->s)) {
		struct live_ring *r = pt_alloc(sizeof(*r));

		r->l = l;
		r->ring = pt_session_ring(l->s, l->nr_rings);
		/* At equal times the side-band goes first, since it explains the samples. */
		r->run.seq = l->nr_rings + (r->ring->side_band ? 0 : UINT32_MAX);
		r->run.more = live_ring_more;
		PT_GROW(l->rings, l->nr_rings, l->cap_rings);
		l->rings[l->nr_rings++] = r;
	}
}

static void sync_ids(struct live *l)
{
	for (size_t i = 0; i < pt_session_nr_events(l->s); i++) {
		const struct pt_session_event_info *info = pt_session_event(l->s, i);
		struct pt_event *ev = &l->events->evs[i]->ev;

		while (ev->nr_ids < info->nr_ids)
			pt_evtable_add_id(l->events, ev, info->ids[ev->nr_ids]);
	}
}

static bool own_more(struct pt_run *run)
{
	struct own_run *o = (struct own_run *)run, **at;

	for (at = &o->l->own; *at != o; at = &(*at)->next)
		;
	*at = o->next;
	free(o);
	return false;
}

static void live_add_own(struct live *l, struct pt_stream *st, uint32_t type, uint64_t time_ns,
			 uint64_t value)
{
	struct own_run *o = pt_alloc(sizeof(*o));

	o->l = l;
	o->rec = (struct pt_own_record){ .header = { .type = type, .size = sizeof(o->rec) },
					 .time_ns = time_ns,
					 .value = value };
	o->run = (struct pt_run){ .at = (uint8_t *)&o->rec,
				  .end = (uint8_t *)(&o->rec + 1),
				  .seq = UINT64_MAX,
				  .more = own_more };
	o->next = l->own;
	l->own = o;
	pt_order_add(st->order, &o->run);
}

/* Adds each tick at its due time, even if it is late. */
static void live_add_ticks(struct live *l, struct pt_stream *st)
{
	uint64_t due_ns, last = pt_session_tick(l->s, &due_ns);

	while (l->ticks < last) {
		l->ticks++;
		live_add_own(l, st, PT_RECORD_TICK, due_ns - (last - l->ticks) * l->w->interval_ns,
			     l->ticks);
	}
}

static void live_keep(void *ctx, const void *record, size_t len_bytes)
{
	pt_buf_add(ctx, record, len_bytes);
}

/* Adds names, and mappings if wanted, of tasks that exist already, with a time before the session's
 * start. */
static void add_present(struct live *l, struct pt_stream *st)
{
	const struct pt_session_event_info *side =
		pt_session_event(l->s, pt_session_nr_events(l->s) - 1);
	/* pid and tid, time, CPU, id */
	uint64_t trailer[4] = { 0, l->begin_ns, 0, side->nr_ids ? side->ids[0] : 0 };
	struct pt_synth s = { .emit = live_keep,
			      .ctx = &l->synth,
			      .trailer = trailer,
			      .trailer_len = sizeof(trailer),
			      .want_maps = l->w->want_maps };
	const struct pt_watch *w = l->w;

	if (w->want_maps && !w->no_kernel_map)
		pt_synth_kernel(&s, NULL);
	pt_synth_watched(&s, w);
	pt_synth_deinit(&s);
	if (!l->synth.len)
		return;
	l->synth_run = (struct pt_run){ .at = (uint8_t *)l->synth.data,
					.end = (uint8_t *)l->synth.data + l->synth.len };
	pt_order_add(st->order, &l->synth_run);
}

static int live_add_events(struct live *l, struct pt_stream *st, struct pt_err *e)
{
	size_t nr = pt_session_nr_events(l->s);

	l->counts = pt_alloc_array(nr, sizeof(*l->counts));
	for (size_t i = 0; i < nr; i++) {
		const struct pt_session_event_info *info = pt_session_event(l->s, i);
		const char *name = info->spec ? info->spec->name : "dummy:u";

		struct pt_event *event = pt_evtable_add(st->events, &info->attr, name,
							info->spec ? info->spec->tp : NULL, e);

		if (!event)
			return -1;
		if (info->spec && info->spec->leader >= 0)
			event->leader = (unsigned)info->spec->leader;
		if (!info->side_band && !left_to_filter(info->spec->tp))
			l->drop_self = l->w->exclude_self;
	}
	sync_ids(l);
	return 0;
}

static void live_describe(struct live *l, struct pt_info *info)
{
	const struct pt_clock wall = { CLOCK_REALTIME, 0 };

	uname(&l->uts);
	info->live = true;
	info->hostname = l->uts.nodename;
	info->os_release = l->uts.release;
	info->arch = l->uts.machine;
	info->long_bytes = (int)sizeof(long);
	info->nr_cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	info->nr_cpus_avail = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	info->clockid = l->w->clockid;
	info->has_clock_data = true;
	info->clock_ns = pt_session_clock_ns(l->s);
	info->wall_ns = pt_clock_now_ns(&wall);
}

static int begin_collector(struct live *l, struct pt_stream *st, struct pt_err *e)
{
	struct pt_collector *c = l->w->collector;

	if (!c)
		return 0;
	if (c->begin(c, st, l->s, e) < 0)
		return -1;
	return c->wake_fd < 0 ? 0 : pt_session_wake_by(l->s, c->wake_fd, e);
}

static int live_begin(struct pt_backend *b, struct pt_stream *st, struct pt_err *e)
{
	struct live *l = (struct live *)b;

	l->events = st->events;
	l->self = (uint32_t)getpid();
	/* behind header, IDENTIFIER and IP */
	l->pid_at = PT_HEADER_BYTES + 8 + (l->w->tracefs ? 0 : 8);
	live_describe(l, st->info);
	st->tps = l->w->events.db;
	if (live_add_events(l, st, e) < 0)
		return -1;
	if (begin_collector(l, st, e) < 0)
		return -1;
	sync_rings(l);
	add_present(l, st);
	/* The first next() reports a command that cannot be run, so that its status can be asked
	 * for. */
	l->start_failed = pt_session_start(l->s, &l->bad) < 0;
	return 0;
}

/* Reads the rings' heads. Returns the fill level of the fullest in 1/256. */
static uint64_t take_heads(struct live *l, struct pt_stream *st)
{
	uint64_t most = 0;

	for (size_t i = 0; i < l->nr_rings; i++) {
		struct live_ring *r = l->rings[i];

		r->head = pt_ring_head(r->ring);
		if (!r->ring->refill)
			most = PT_MAX(most, (r->head - r->ring->released) * 256 /
						    r->ring->size_bytes);
		if (!r->run.queued && next_chunk(r))
			pt_order_add(st->order, &r->run);
	}
	if (l->w->collector)
		most = PT_MAX(most, l->w->collector->take(l->w->collector, st));
	return most;
}

static int live_fill(struct pt_backend *b, struct pt_stream *st, uint64_t *until_ns,
		     struct pt_err *e)
{
	struct live *l = (struct live *)b;
	uint64_t now_ns, share;
	int bits, rc = 0;

	if (l->done)
		return 0;
	if (l->start_failed) {
		l->done = true;
		if (e)
			*e = l->bad;
		return -1;
	}
	bits = pt_session_wait(l->s, e);
	if (bits < 0) {
		rc = -1;
		bits = PT_SESSION_OVER;
	}
	l->child_ended |= bits & PT_SESSION_CHILD;
	if (l->child_ended && l->w->until_idle && !l->w->collector->busy(l->w->collector))
		bits |= PT_SESSION_OVER;
	if (bits & PT_SESSION_OVER) {
		if (l->w->collector)
			l->w->collector->stop(l->w->collector);
		pt_session_stop(l->s);
	}
	sync_rings(l);
	sync_ids(l);
	if (bits & PT_SESSION_TICK)
		live_add_ticks(l, st);
	now_ns = pt_session_clock_ns(l->s);
	if (bits & PT_SESSION_CHILD)
		live_add_own(l, st, PT_RECORD_CHILD_EXIT, now_ns,
			     (uint64_t)pt_session_status(l->s));
	share = take_heads(l, st);
	*until_ns = now_ns - (share > 128 ? hurried_slack_ns : slack_ns);
	if (!(bits & PT_SESSION_OVER))
		return 1;
	l->done = true;
	return rc;
}

static void live_finish(struct pt_backend *b, struct pt_stream *st)
{
	struct live *l = (struct live *)b;

	(void)st;
	for (size_t i = 0; i < pt_session_nr_events(l->s); i++)
		l->counts[i].known = pt_session_count(l->s, i, &l->counts[i].count, NULL) == 0;
}

static void event_tally(struct pt_backend *b, const struct pt_event *ev, struct pt_event_tally *t)
{
	struct live *l = (struct live *)b;
	const struct live_count *c = &l->counts[ev->index];
	uint64_t told;

	if (ev->index >= pt_session_nr_events(l->s)) {
		l->w->collector->tally(l->w->collector, t);
		return;
	}
	told = t->samples + c->own + c->count.lost;

	if (!c->known)
		return;
	t->lost += c->count.lost;
	if (c->count.exact && c->count.has_lost && c->count.count > told)
		t->undelivered += c->count.count - told;
}

static void live_free(struct pt_backend *b)
{
	struct live *l = (struct live *)b;
	struct own_run *o, *next;

	for (o = l->own; o; o = next) {
		next = o->next;
		free(o);
	}
	for (size_t i = 0; i < l->nr_rings; i++) {
		free(l->rings[i]->sorted);
		free(l->rings[i]);
	}
	free(l->rings);
	free(l->counts);
	pt_buf_deinit(&l->synth);
	pt_session_free(l->s);
	free(l);
}

static const struct pt_backend_ops live_ops = {
	.begin = live_begin,
	.fill = live_fill,
	.finish = live_finish,
	.event_tally = event_tally,
	.free = live_free,
};

int pt_source_open_live(struct pt_source **s, const struct pt_watch *w, struct pt_err *e)
{
	struct live *l = pt_alloc(sizeof(*l));
	struct pt_clock clock = pt_clock(w->clockid);

	l->b.ops = &live_ops;
	l->b.own_records = true;
	l->w = w;
	l->begin_ns = pt_clock_now_ns(&clock);
	if (pt_session_open(&l->s, w, e) < 0) {
		free(l);
		return -1;
	}
	return pt_source_open_backend(s, &l->b, e);
}

struct pt_session *pt_source_session(struct pt_source *s)
{
	struct pt_backend *b = pt_source_backend(s);

	return b && b->ops == &live_ops ? ((struct live *)b)->s : NULL;
}
