#include "record/write/recorder_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/ring.h"
#include "record/format/buildid.h"
#include "record/format/evtable.h"
#include "record/watch/synth.h"
#include "record/write/buildcache.h"
#include "record/write/state.h"
#include "tracepoint/tp.h"

enum {
	SYNTH_FLUSH_BYTES = 1 << 20,
	PIECE_BYTES = 1 << 20,
	MAX_RECORD_BYTES = 1 << 16,
	IDS_A_WALK = 16
};

static void recorder_read_events(struct pt_recorder *r)
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

/* Those of threads and CPUs that came later. */
bool recorder_renew_ids(struct pt_recorder *r)
{
	size_t i, nr = 0;

	for (i = 0; i < r->nr_events; i++)
		nr += pt_session_event(r->session, i)->nr_ids;
	if (nr == r->nr_ids)
		return false;
	recorder_read_events(r);
	pt_rawtally_ids(r->tally, r->events, r->nr_events);
	return true;
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
	recorder_read_events(r);
	r->kernel_ids = pt_build_ids_new();
	r->build_ids = pt_build_ids_new();
	r->tally = pt_rawtally_new(r->events, r->nr_events, r->build_ids);
	if (o->watch->overwrites)
		r->snapshots = pt_alloc(sizeof(*r->snapshots));
	if (o->watch->rotates)
		r->tally->state = pt_state_new(r->events[r->side_band].attr.sample_type);
	return r;
}

void pt_recorder_free(struct pt_recorder *r)
{
	if (!r)
		return;
	pt_sections_deinit(&r->sections);
	pt_build_ids_free(r->kernel_ids);
	pt_build_ids_free(r->build_ids);
	pt_state_free(r->tally->state);
	pt_rawtally_free(r->tally);
	pt_buf_deinit(&r->own);
	recorder_snapshots_free(r->snapshots);
	free(r->events);
	free(r->figures);
	free(r);
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

/* Collects synthesized records in `own` and writes them a megabyte at a time; before the first
 * snapshot they are only walked. */
static void recorder_keep(void *ctx, const void *record, size_t len)
{
	uint8_t *part[2];
	struct pt_recorder *r = ctx;

	pt_buf_add(&r->own, record, len);
	part[0] = (uint8_t *)r->own.data + r->own.len - len;
	part[1] = NULL;
	pt_rawtally_walk(r->tally, part, (size_t[2]){ len, 0 }, 1);
	if (!r->writer)
		pt_buf_clear(&r->own);
	if (r->own.len < SYNTH_FLUSH_BYTES || r->synth_rc < 0)
		return;
	pt_writer_add(r->writer, r->own.data, r->own.len);
	r->synth_rc = pt_writer_flush(r->writer, PT_WRITE_MUST, r->synth_error);
	pt_buf_clear(&r->own);
}

/* Writes the state into the file. recorder_keep() would add these records to the state once
 * more. */
static void emit_state(struct pt_recorder *r, uint64_t until_ns)
{
	struct pt_state *state = r->tally->state;

	r->tally->state = NULL;
	pt_state_emit(state, until_ns, recorder_keep, r);
	r->tally->state = state;
}

/* Makes records of the tasks and mappings that exist already. */
static void synthesize(struct pt_recorder *r)
{
	const struct pt_watch *w = r->opts.watch;
	const struct pt_write_event *ev = &r->events[r->side_band];
	uint64_t words[RECORDER_TRAILER_WORDS];
	struct pt_synth s = {
		.emit = recorder_keep,
		.ctx = r,
		.trailer = words,
		.trailer_len = recorder_trailer(ev, 0, words),
		.want_maps = w->want_maps,
		.want_data_maps = ev->attr.flags & PT_ATTR_MMAP_DATA,
		.build_ids = ev->attr.flags & PT_ATTR_BUILD_ID,
	};

	pt_synth_kernel(&s, r->kernel_ids);
	if (w->sample_type & PT_SAMPLE_CGROUP)
		pt_synth_cgroups(&s);
	pt_synth_watched(&s, w);
	pt_synth_deinit(&s);
}

/* The head of a file, and what exists already: as /proc says, or as the session's records do. */
int recorder_begin_file(struct pt_recorder *r, bool is_first, uint64_t until_ns, struct pt_err *e)
{
	int rc;

	pt_sections_events(&r->sections, r->events, r->nr_events);
	if (r->events[r->side_band].attr.flags & PT_ATTR_USE_CLOCKID)
		pt_sections_clock(&r->sections, r->opts.watch->clockid);
	if (pt_writer_begin(r->writer, r->events, r->nr_events, &r->sections, e) < 0)
		return -1;
	r->synth_error = e;
	pt_buf_clear(&r->own);
	if (is_first)
		synthesize(r);
	else
		emit_state(r, until_ns);
	if (r->synth_rc < 0)
		return -1;
	pt_writer_add(r->writer, r->own.data, r->own.len);
	rc = pt_writer_flush(r->writer, PT_WRITE_INIT | PT_WRITE_MUST, e);
	pt_buf_clear(&r->own);
	pt_rawtally_commit(r->tally, true);
	return rc;
}

int pt_recorder_begin(struct pt_recorder *r, struct pt_err *e)
{
	if (tracing_section(r, e) < 0)
		return -1;
	pt_sections_machine(&r->sections, r->opts.version);
	pt_sections_cmdline(&r->sections, r->opts.argc, r->opts.argv);
	if (!r->snapshots)
		return recorder_begin_file(r, true, 0, e);
	synthesize(r);
	return recorder_snapshots_begin(r, e);
}

/* Once the stream has room again, reports first what was dropped. */
static void report_dropped(struct pt_recorder *r)
{
	size_t i;

	pt_buf_clear(&r->own);
	if (!r->tally->dropped)
		return;
	for (i = 0; i < r->nr_events; i++) {
		uint64_t dropped = r->tally->events[i].dropped - r->figures[i].reported_dropped;

		if (dropped)
			recorder_put(r, PERF_RECORD_LOST, i, 0,
				     (uint64_t[]){ recorder_id(&r->events[i]), dropped }, 2);
	}
	pt_writer_add(r->writer, r->own.data, r->own.len);
}

static void dropped_is_reported(struct pt_recorder *r)
{
	size_t i;

	for (i = 0; r->own.len && i < r->nr_events; i++)
		r->figures[i].reported_dropped = r->tally->events[i].dropped;
}

/* Writes what was added and gives the rings' room back to the kernel. */
int recorder_flush(struct pt_recorder *r, unsigned flags, struct pt_err *e)
{
	size_t i, nr = pt_session_nr_rings(r->session);
	int rc = pt_writer_flush(r->writer, flags, e);

	for (i = 0; i < nr; i++)
		pt_ring_release(pt_session_ring(r->session, i));
	if (rc == 0)
		dropped_is_reported(r);
	pt_rawtally_commit(r->tally, rc == 0);
	r->pending_bytes = 0;
	return rc < 0 ? -1 : 0;
}

/* Writes what a ring holds up to `head`, a piece at a time, so that each piece is readable once
 * written (the disk may fill up) and the kernel soon has its room back. */
int recorder_take_ring(struct pt_recorder *r, struct pt_ring *ring, uint64_t head, unsigned flags,
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
				if (recorder_flush(r, flags & PT_WRITE_MUST, e) < 0)
					return -1;
				report_dropped(r);
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
		if (recorder_flush(r, flags & PT_WRITE_MUST, e) < 0)
			return -1;
		report_dropped(r);
	}
	return 0;
}

static int take_rings(struct pt_recorder *r, bool side_band, unsigned flags, struct pt_err *e)
{
	size_t i, nr = pt_session_nr_rings(r->session);

	for (i = 0; i < nr; i++) {
		struct pt_ring *ring = pt_session_ring(r->session, i);

		if (ring->side_band == side_band &&
		    recorder_take_ring(r, ring, pt_ring_head(ring), flags, e) < 0)
			return -1;
	}
	return 0;
}

/* A round: every ring up to its head at that moment. Names and mappings go first, so that samples
 * have theirs if the disk is full or the recorder is killed within a round. */
static int recorder_walk(struct pt_recorder *r, unsigned flags, struct pt_err *e)
{
	uint64_t now_ns = pt_session_clock_ns(r->session);

	if (recorder_renew_ids(r) &&
	    pt_writer_events(r->writer, r->events, r->nr_events, e) < 0)
		return -1;
	report_dropped(r);
	if (take_rings(r, true, flags, e) < 0 || take_rings(r, false, flags, e) < 0)
		return -1;
	if (r->tally->state)
		pt_state_settle(r->tally->state, now_ns);
	return recorder_flush(r, flags, e);
}

int pt_recorder_walk(struct pt_recorder *r, struct pt_err *e)
{
	int rc = 0;

	if (r->snapshots)
		recorder_walk_side_band(r);
	else
		rc = recorder_walk(r, PT_WRITE_ROUND, e);
	pt_rawtally_missing_ids(r->tally, IDS_A_WALK);
	return rc;
}

/* The kernel's counts up to now, and the sections that end a file. */
int recorder_end_file(struct pt_recorder *r, struct pt_err *e)
{
	const struct pt_rawtally *t = r->tally;
	struct pt_buf *ids;
	int rc;

	recorder_put_counts(r);
	pt_writer_add(r->writer, r->own.data, r->own.len);
	if (pt_writer_flush(r->writer, PT_WRITE_MUST, e) < 0)
		return -1;
	pt_sections_sample_time(&r->sections, t->first_ns <= t->last_ns ? t->first_ns : 0,
				t->last_ns);
	pt_rawtally_missing_ids(r->tally, SIZE_MAX);
	if (pt_build_ids_nr(r->build_ids) + pt_build_ids_nr(r->kernel_ids)) {
		ids = pt_sections_start(&r->sections, PT_FEATURE_BUILD_ID);
		pt_build_ids_section(r->kernel_ids, ids);
		pt_build_ids_section(r->build_ids, ids);
	}
	rc = pt_writer_end(r->writer, &r->sections, e);
	pt_sections_drop(&r->sections, PT_FEATURE_SAMPLE_TIME);	/* the next file has its own */
	pt_sections_drop(&r->sections, PT_FEATURE_BUILD_ID);
	return rc;
}

int pt_recorder_cache(const struct pt_recorder *r, struct pt_err *e)
{
	char *dir = pt_build_cache_dir();
	int rc = dir ? pt_build_cache_add(dir, r->kernel_ids, e)
		     : pt_err_set(e, "neither PERF_BUILDID_DIR nor HOME is set");

	if (rc == 0)
		rc = pt_build_cache_add(dir, r->build_ids, e);
	free(dir);
	return rc;
}

/* What is counted and not in the rings yet belongs to the next file, so counts come first. Names
 * and mappings are taken once more behind the samples, which may be of tasks that came since. */
int pt_recorder_rotate(struct pt_recorder *r, struct pt_writer *next, struct pt_err *e)
{
	pt_rawtally_missing_ids(r->tally, SIZE_MAX);
	if (recorder_read_counts(r, e) < 0 ||
	    recorder_walk(r, PT_WRITE_ROUND | PT_WRITE_MUST, e) < 0 ||
	    take_rings(r, true, PT_WRITE_MUST, e) < 0 || recorder_flush(r, PT_WRITE_MUST, e) < 0)
		return -1;
	recorder_settle_counts(r, false);
	if (recorder_end_file(r, e) < 0)
		return -1;
	r->writer = next;
	pt_build_ids_free(r->build_ids);
	r->build_ids = pt_build_ids_new();
	pt_rawtally_next_file(r->tally, r->build_ids);
	return recorder_begin_file(r, false, UINT64_MAX, e);
}

int pt_recorder_end(struct pt_recorder *r, struct pt_err *e)
{
	if (recorder_walk(r, PT_WRITE_ROUND | PT_WRITE_MUST, e) < 0 ||
	    recorder_read_counts(r, e) < 0)
		return -1;
	recorder_settle_counts(r, true);
	return recorder_end_file(r, e);
}

void pt_recorder_covers(const struct pt_recorder *r, uint64_t *from_ns, uint64_t *to_ns)
{
	bool any = r->tally->first_ns <= r->tally->last_ns;

	*from_ns = any ? r->tally->first_ns : 0;
	*to_ns = any ? r->tally->last_ns : 0;
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
			.shares_samples = pt_event_shares_samples(&r->events[i].attr),
		},
	};
}
