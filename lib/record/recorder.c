#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/abi.h"
#include "event/ring.h"
#include "tracepoint/tp.h"
#include "record/buildcache.h"
#include "record/buildid.h"
#include "record/rawtally.h"
#include "record/synth.h"
#include "record/section.h"

enum {
	SYNTH_FLUSH_BYTES = 1 << 20,
	PIECE_BYTES = 1 << 20,
	MAX_RECORD_BYTES = 1 << 16,
	TRAILER_WORDS = 6,
	IDS_A_WALK = 16
};

struct figures {
	uint64_t lost, undelivered;
	uint64_t count;			/* from the kernel; see `counted` */
	bool counted;			/* count, samples and losses are comparable */
	uint64_t told_dropped;		/* as reported in LOST records */
};

struct pt_recorder {
	struct pt_session *session;
	struct pt_writer *writer;
	struct pt_recorder_opts opts;
	struct pt_write_event *events;
	size_t nr_events, nr_ids;
	size_t side_band;		/* index of the dummy event for MMAP, COMM and FORK */
	struct pt_sections sections;
	struct pt_build_ids *build_ids;
	struct pt_rawtally *tally;
	struct figures *figures;
	uint64_t lost_unknown;
	struct pt_buf own;		/* the recorder's own records for the next flush */
	size_t pending_bytes;		/* since the last flush */
	struct pt_err *synth_error;	/* of the first flush that failed while synthesizing */
	int synth_rc;
};


static void read_events(struct pt_recorder *r)
{
	const struct pt_session_event_info *info;
	size_t i;

	for (i = 0, r->nr_ids = 0; i < r->nr_events; i++) {
		info = pt_session_event(r->session, i);
		r->events[i] = (struct pt_write_event){ .attr = info->attr,
							.ids = info->ids,
							.nr_ids = info->nr_ids,
							.leader = (unsigned)i };
		r->events[i].name = info->spec ? info->spec->name : "dummy:u";
		if (info->spec && info->spec->leader >= 0)
			r->events[i].leader = (unsigned)info->spec->leader;
		if (info->side_band)
			r->side_band = i;
		r->nr_ids += info->nr_ids;
	}
}

/* Adds the ids of threads and CPUs that came later. */
static int renew_ids(struct pt_recorder *r, struct pt_err *e)
{
	size_t i, nr = 0;

	for (i = 0; i < r->nr_events; i++)
		nr += pt_session_event(r->session, i)->nr_ids;
	if (nr == r->nr_ids)
		return 0;
	read_events(r);
	pt_rawtally_ids(r->tally, r->events, r->nr_events);
	return pt_writer_events(r->writer, r->events, r->nr_events, e);
}

struct pt_recorder *pt_recorder_new(struct pt_session *s, struct pt_writer *w,
				    const struct pt_recorder_opts *o)
{
	struct pt_recorder *r = pt_alloc(sizeof(*r));

	r->session = s;
	r->writer = w;
	r->opts = *o;
	r->nr_events = pt_session_nr_events(s);
	r->events = pt_alloc_array(r->nr_events, sizeof(*r->events));
	r->figures = pt_alloc_array(r->nr_events, sizeof(*r->figures));
	read_events(r);
	r->build_ids = pt_build_ids_new();
	r->tally = pt_rawtally_new(r->events, r->nr_events, r->build_ids);
	return r;
}

void pt_recorder_free(struct pt_recorder *r)
{
	if (!r)
		return;
	pt_sections_deinit(&r->sections);
	pt_build_ids_free(r->build_ids);
	pt_rawtally_free(r->tally);
	pt_buf_deinit(&r->own);
	free(r->events);
	free(r->figures);
	free(r);
}

static uint64_t first_id(const struct pt_write_event *ev)
{
	return ev->nr_ids ? ev->ids[0] : 0;
}

/* Makes the sample_id that ends the event's other records. Its time is 0: before everything, or
 * none. */
static size_t trailer(const struct pt_write_event *ev, uint64_t words[TRAILER_WORDS])
{
	static const uint64_t fields[TRAILER_WORDS] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
							PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
							PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	uint64_t type = ev->attr.sample_type, id = first_id(ev);
	size_t n = 0;

	if (!(ev->attr.flags & PT_ATTR_SAMPLE_ID_ALL))
		return 0;
	for (size_t i = 0; i < PT_NR(fields); i++)
		if (type & fields[i])
			words[n++] = fields[i] & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? id : 0;
	return n * sizeof(*words);
}


static int tracing_section(struct pt_recorder *r, struct pt_err *e)
{
	const struct pt_tp **tps = pt_alloc_array(r->nr_events, sizeof(*tps));
	size_t i, nr = 0;
	int rc = 0;

	for (i = 0; i < r->nr_events; i++) {
		const struct pt_event_spec *spec = pt_session_event(r->session, i)->spec;

		if (spec && spec->tp)
			tps[nr++] = spec->tp;
	}
	if (nr)
		rc = pt_tracing_data(pt_sections_start(&r->sections, PT_FEATURE_TRACING_DATA), tps,
				     nr, e);
	free(tps);
	return rc;
}

/* Collects synthesized records in `own` and writes them a megabyte at a time. */
static void keep(void *ctx, const void *record, size_t len)
{
	uint8_t *part[2];
	struct pt_recorder *r = ctx;

	pt_buf_add(&r->own, record, len);
	part[0] = (uint8_t *)r->own.data + r->own.len - len;
	part[1] = NULL;
	pt_rawtally_walk(r->tally, part, (size_t[2]){ len, 0 }, 1);
	if (r->own.len < SYNTH_FLUSH_BYTES || r->synth_rc < 0)
		return;
	pt_writer_add(r->writer, r->own.data, r->own.len);
	r->synth_rc = pt_writer_flush(r->writer, PT_WRITE_MUST, r->synth_error);
	pt_buf_clear(&r->own);
}

static void synthesize(struct pt_recorder *r, struct pt_err *e)
{
	const struct pt_watch *w = r->opts.watch;
	const struct pt_write_event *ev = &r->events[r->side_band];
	uint64_t words[TRAILER_WORDS];
	struct pt_synth s = {
		.emit = keep,
		.ctx = r,
		.trailer = words,
		.trailer_len = trailer(ev, words),
		.want_maps = w->want_maps,
		.want_data_maps = ev->attr.flags & PT_ATTR_MMAP_DATA,
		.build_ids = ev->attr.flags & PT_ATTR_BUILD_ID,
	};

	r->synth_error = e;
	pt_synth_kernel(&s, r->build_ids);
	if (w->sample_type & PT_SAMPLE_CGROUP)
		pt_synth_cgroups(&s);
	pt_synth_watched(&s, w);
	pt_synth_deinit(&s);
}

int pt_recorder_begin(struct pt_recorder *r, struct pt_err *e)
{
	int rc;

	if (tracing_section(r, e) < 0)
		return -1;
	pt_sections_machine(&r->sections, r->opts.version);
	pt_sections_cmdline(&r->sections, r->opts.argc, r->opts.argv);
	pt_sections_events(&r->sections, r->events, r->nr_events);
	if (r->events[r->side_band].attr.flags & PT_ATTR_USE_CLOCKID)
		pt_sections_clock(&r->sections, r->opts.watch->clockid);
	if (pt_writer_begin(r->writer, r->events, r->nr_events, &r->sections, e) < 0)
		return -1;
	synthesize(r, e);
	if (r->synth_rc < 0)
		return -1;
	pt_writer_add(r->writer, r->own.data, r->own.len);
	rc = pt_writer_flush(r->writer, PT_WRITE_INIT | PT_WRITE_MUST, e);
	pt_buf_clear(&r->own);
	pt_rawtally_commit(r->tally, true);
	return rc;
}


/* A record of this event, with its trailer. */
static void put_record(struct pt_recorder *r, uint32_t type, size_t i, const uint64_t *v, size_t nr)
{
	uint64_t words[TRAILER_WORDS];
	size_t len = trailer(&r->events[i], words);
	struct perf_event_header h = { .type = type };

	h.size = (uint16_t)(sizeof(h) + nr * sizeof(*v) + len);
	pt_buf_add(&r->own, &h, sizeof(h));
	pt_buf_add(&r->own, v, nr * sizeof(*v));
	pt_buf_add(&r->own, words, len);
}

/* Once the stream has room again, reports first what was dropped. */
static void tell_dropped(struct pt_recorder *r)
{
	size_t i;

	pt_buf_clear(&r->own);
	if (!r->tally->dropped)
		return;
	for (i = 0; i < r->nr_events; i++) {
		uint64_t dropped = r->tally->events[i].dropped - r->figures[i].told_dropped;

		if (dropped)
			put_record(r, PERF_RECORD_LOST, i,
				   (uint64_t[]){ first_id(&r->events[i]), dropped }, 2);
	}
	pt_writer_add(r->writer, r->own.data, r->own.len);
}

static void told_dropped(struct pt_recorder *r)
{
	size_t i;

	for (i = 0; r->own.len && i < r->nr_events; i++)
		r->figures[i].told_dropped = r->tally->events[i].dropped;
}

/* Writes what was added and gives the rings' room back to the kernel. */
static int flush(struct pt_recorder *r, unsigned flags, struct pt_err *e)
{
	size_t i, nr = pt_session_nr_rings(r->session);
	int rc = pt_writer_flush(r->writer, flags, e);

	for (i = 0; i < nr; i++)
		pt_ring_release(pt_session_ring(r->session, i));
	if (rc == 0)
		told_dropped(r);
	pt_rawtally_commit(r->tally, rc == 0);
	r->pending_bytes = 0;
	return rc < 0 ? -1 : 0;
}

/* Writes what a ring holds up to `head`, a piece at a time, so that each piece is readable once
 * written (the disk may fill up) and the kernel soon has its room back. */
static int take_ring(struct pt_recorder *r, struct pt_ring *ring, uint64_t head, unsigned flags,
		     struct pt_err *e)
{
	uint8_t *part[2];
	size_t len[2], whole, first;
	int n;

	for (;;) {
		n = pt_ring_parts(ring, PT_MIN(head, ring->at + PIECE_BYTES), part, len);
		if (n <= 0 && !ring->refill)
			break;
		if (n <= 0) {
			/* what it held must be written before it is filled again */
			if (ring->at != ring->released) {
				if (flush(r, flags & PT_WRITE_MUST, e) < 0)
					return -1;
				tell_dropped(r);
			}
			if (!pt_ring_more(ring, &head))
				break;
			continue;
		}
		whole = pt_rawtally_walk(r->tally, part, len, n);
		/* the next record's size is impossible */
		if (!whole) {
			ring->broken = true;
			ring->at = head;
			break;
		}
		first = PT_MIN(whole, len[0]);
		pt_writer_add(r->writer, part[0], first);
		if (n > 1)
			pt_writer_add(r->writer, part[1], whole - first);
		ring->at += whole;
		r->pending_bytes += whole;
		if (r->pending_bytes < PIECE_BYTES - MAX_RECORD_BYTES)
			continue;
		if (flush(r, flags & PT_WRITE_MUST, e) < 0)
			return -1;
		tell_dropped(r);
	}
	return 0;
}

static int take_rings(struct pt_recorder *r, bool side_band, unsigned flags, struct pt_err *e)
{
	size_t i, nr = pt_session_nr_rings(r->session);

	for (i = 0; i < nr; i++) {
		struct pt_ring *ring = pt_session_ring(r->session, i);

		if (ring->side_band == side_band &&
		    take_ring(r, ring, pt_ring_head(ring), flags, e) < 0)
			return -1;
	}
	return 0;
}

/* A round: every ring up to its head at that moment. Names and mappings go first, so that samples
 * have theirs if the disk is full or the recorder is killed within a round. */
static int walk(struct pt_recorder *r, unsigned flags, struct pt_err *e)
{
	if (renew_ids(r, e) < 0)
		return -1;
	tell_dropped(r);
	if (take_rings(r, true, flags, e) < 0 || take_rings(r, false, flags, e) < 0)
		return -1;
	return flush(r, flags, e);
}

int pt_recorder_walk(struct pt_recorder *r, struct pt_err *e)
{
	int rc = walk(r, PT_WRITE_ROUND, e);

	pt_rawtally_missing_ids(r->tally, IDS_A_WALK);
	return rc;
}


/* A kernel that counts each event's losses gives the total. Otherwise LOST records are all there
 * is; with a single event they are its own. */
static int read_counts(struct pt_recorder *r, struct pt_err *e)
{
	uint64_t told = r->tally->lost;
	struct pt_session_count c;
	size_t i, watched = r->nr_events - 1;
	bool has_lost = false;

	for (i = 0; i < r->nr_events; i++) {
		const struct pt_raw_count *raw = &r->tally->events[i];
		struct figures *f = &r->figures[i];

		if (pt_session_count(r->session, i, &c, e) < 0)
			return -1;
		has_lost = has_lost || c.has_lost;
		f->lost = c.has_lost ? c.lost : watched == 1 && i != r->side_band ? told : 0;
		f->count = c.count;
		f->counted = c.exact && i != r->side_band && (c.has_lost || watched == 1 || !told);
		if (f->counted && c.count > raw->samples + raw->dropped + f->lost)
			f->undelivered = c.count - raw->samples - raw->dropped - f->lost;
	}
	r->lost_unknown = !has_lost && watched > 1 ? told : 0;
	return 0;
}

/* Writes the event's final count as a READ record of no task (pid and tid -1), from which readers
 * compute what was never delivered. perf skips it. PERF_RECORD_STAT would fit, but makes perf 6.1
 * read counts that the recording does not have. Layout: perf_event_open(2), PERF_RECORD_READ. */
static void put_count(struct pt_recorder *r, size_t i)
{
	uint64_t format = r->events[i].attr.read_format, v[8];
	size_t n = 0;

	v[n++] = UINT64_MAX;		/* pid and tid */
	v[n++] = format & PERF_FORMAT_GROUP ? 1 : r->figures[i].count;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		v[n++] = 0;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		v[n++] = 0;
	if (format & PERF_FORMAT_GROUP)
		v[n++] = r->figures[i].count;
	if (format & PERF_FORMAT_ID)
		v[n++] = first_id(&r->events[i]);
	if (format & PT_FORMAT_LOST)
		v[n++] = r->figures[i].lost;
	put_record(r, PERF_RECORD_READ, i, v, n);
}

static void final_records(struct pt_recorder *r)
{
	size_t i;

	pt_buf_clear(&r->own);
	for (i = 0; i < r->nr_events; i++) {
		uint64_t lost = r->figures[i].lost + r->tally->events[i].dropped;

		if (lost)
			put_record(r, PERF_RECORD_LOST_SAMPLES, i, &lost, 1);
		if (r->figures[i].counted)
			put_count(r, i);
	}
	pt_writer_add(r->writer, r->own.data, r->own.len);
}

int pt_recorder_end(struct pt_recorder *r, struct pt_err *e)
{
	const struct pt_rawtally *t = r->tally;

	if (walk(r, PT_WRITE_ROUND | PT_WRITE_MUST, e) < 0 || read_counts(r, e) < 0)
		return -1;
	final_records(r);
	if (pt_writer_flush(r->writer, PT_WRITE_MUST, e) < 0)
		return -1;
	pt_sections_sample_time(&r->sections, t->first_ns <= t->last_ns ? t->first_ns : 0,
				t->last_ns);
	pt_rawtally_missing_ids(r->tally, SIZE_MAX);
	if (pt_build_ids_nr(r->build_ids))
		pt_build_ids_section(r->build_ids,
				     pt_sections_start(&r->sections, PT_FEATURE_BUILD_ID));
	return pt_writer_end(r->writer, &r->sections, e);
}

int pt_recorder_cache(const struct pt_recorder *r, struct pt_err *e)
{
	char *dir = pt_build_cache_dir();
	int rc = dir ? pt_build_cache_add(dir, r->build_ids, e)
		     : pt_err_set(e, "neither PERF_BUILDID_DIR nor HOME is set");

	free(dir);
	return rc;
}

size_t pt_recorder_nr_events(const struct pt_recorder *r) { return r->nr_events; }

struct pt_tally pt_recorder_tally(const struct pt_recorder *r)
{
	return (struct pt_tally){ .samples = r->tally->samples,
				  .lost = r->tally->lost,
				  .lost_unknown = r->lost_unknown,
				  .throttled = r->tally->throttled };
}

struct pt_recorder_event pt_recorder_event(const struct pt_recorder *r, size_t i)
{
	const struct pt_raw_count *raw = &r->tally->events[i];

	return (struct pt_recorder_event){
		.name = r->events[i].name,
		.side_band = i == r->side_band,
		.tally = {
			.samples = raw->samples,
			.dropped = raw->dropped,
			.lost = r->figures[i].lost,
			.undelivered = r->figures[i].undelivered,
		},
	};
}
