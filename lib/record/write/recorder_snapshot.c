/* recorder_snapshot.c - rings that overwrite: what they hold becomes a file when it is asked for.
 *
 * Names and mappings have rings of their own, which do not overwrite. Their records wait in the
 * state (state.h) as long as a sample in the rings may be older than they are. If they become too
 * many, the older half is applied, and samples from before that are left out of snapshots. */
#include "record/write/recorder_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "event/ring.h"
#include "record/format/evtable.h"
#include "record/write/state.h"

enum {
	NAMES_BYTES = 64 << 20,
	/* The kernel may be writing a record that its head does not show yet, over the oldest ones.
	 * A record is smaller than this. */
	TORN_BYTES = 64 << 10
};

struct copy {				/* a ring's records, oldest first: data[start .. size) */
	uint8_t *data;
	uint64_t start, size_bytes;
};

static uint32_t recorder_snapshot_size_of(const uint8_t *record)
{
	return pt_load16(record + 6, false);
}

static void renew_ids(struct pt_recorder *r)
{
	struct pt_evtable *t = r->snapshots->table;

	recorder_renew_ids(r);
	for (size_t i = 0; i < r->nr_events; i++)
		while (t->evs[i]->ev.nr_ids < r->events[i].nr_ids)
			pt_evtable_add_id(t, &t->evs[i]->ev,
					  r->events[i].ids[t->evs[i]->ev.nr_ids]);
}

int recorder_snapshots_begin(struct pt_recorder *r, struct pt_err *e)
{
	r->snapshots->table = pt_evtable_new();
	for (size_t i = 0; i < r->nr_events; i++)
		if (!pt_evtable_add(r->snapshots->table, &r->events[i].attr, r->events[i].name,
				    NULL, e))
			return -1;
	renew_ids(r);
	pt_state_settle(r->tally->state, 1);	/* what was there before */
	pt_rawtally_commit(r->tally, true);
	return 0;
}

void recorder_snapshots_free(struct snapshots *s)
{
	if (!s)
		return;
	pt_evtable_free(s->table);
	pt_buf_deinit(&s->triggers);
	free(s);
}

/* -- names, mappings and triggers -- */

static void see_trigger(struct snapshots *s, const uint8_t *p)
{
	const struct pt_evt *v =
		pt_evtable_of_sample(s->table, p, recorder_snapshot_size_of(p), false);

	if (!v)
		return;
	pt_buf_add(&s->triggers, p, recorder_snapshot_size_of(p));
	s->triggered_ns = PT_MAX(s->triggered_ns, pt_evtable_time_of(s->table, p, 0));
	s->triggered_by = v->ev.name;
}

static void take_side_band(struct pt_recorder *r, struct pt_ring *ring)
{
	uint64_t head = pt_ring_head(ring);
	const uint8_t *p;

	for (; (p = pt_ring_peek(ring, head)); pt_ring_skip(ring, recorder_snapshot_size_of(p)))
		if (pt_load32(p, false) == PERF_RECORD_SAMPLE)
			see_trigger(r->snapshots, p);
		else
			pt_rawtally_walk(r->tally, (uint8_t *[2]){ (uint8_t *)(uintptr_t)p, NULL },
					 (size_t[2]){ recorder_snapshot_size_of(p), 0 }, 1);
	pt_ring_release(ring);
}

void recorder_walk_side_band(struct pt_recorder *r)
{
	size_t i, nr = pt_session_nr_rings(r->session);
	uint64_t settled_ns;

	renew_ids(r);
	for (i = 0; i < nr; i++)
		if (pt_session_ring(r->session, i)->side_band)
			take_side_band(r, pt_session_ring(r->session, i));
	pt_rawtally_commit(r->tally, true);
	settled_ns = pt_state_trim(r->tally->state, NAMES_BYTES);
	r->snapshots->names_from_ns = PT_MAX(r->snapshots->names_from_ns, settled_ns);
}

const char *pt_recorder_triggered(const struct pt_recorder *r, uint64_t *time_ns)
{
	*time_ns = r->snapshots->triggered_ns;
	return r->snapshots->triggered_by;
}

/* Writes the triggers up to this time, and keeps those that came since. */
static int put_triggers(struct pt_recorder *r, uint64_t until_ns, struct pt_err *e)
{
	struct snapshots *s = r->snapshots;
	struct pt_buf all = s->triggers;
	uint8_t *p = (uint8_t *)all.data, *end = p + all.len;
	int rc;

	s->triggers = (struct pt_buf)PT_BUF_INIT;
	s->triggered_ns = 0;
	s->triggered_by = NULL;
	for (; p < end; p += recorder_snapshot_size_of(p)) {
		if (pt_evtable_time_of(s->table, p, 0) > until_ns) {
			see_trigger(s, p);
			continue;
		}
		pt_rawtally_walk(r->tally, (uint8_t *[2]){ p, NULL },
				 (size_t[2]){ recorder_snapshot_size_of(p), 0 }, 1);
		pt_writer_add(r->writer, p, recorder_snapshot_size_of(p));
	}
	rc = recorder_flush(r, PT_WRITE_MUST | PT_WRITE_ROUND, e);
	pt_buf_deinit(&all);
	return rc;
}

/* -- samples -- */

/* How many bytes of `raw`, a copy of the ring, the kernel has certainly not overwritten while they
 * were copied: without those that it overwrites next if the ring is full. */
static uint64_t whole_bytes(struct pt_ring *ring, const struct pt_ring *raw, uint64_t len)
{
	uint64_t since = raw->at - pt_ring_head(ring),
		 torn = since + PT_MIN(TORN_BYTES, ring->size_bytes / 4);

	return PT_MIN(len, ring->size_bytes - PT_MIN(torn, ring->size_bytes));
}

/* Copies what the ring got since the last snapshot; returns how many bytes of that are whole. The
 * kernel goes on writing meanwhile, so nothing is lost. */
static uint64_t copy_raw(struct pt_ring *ring, struct pt_ring *raw)
{
	uint64_t len;
	uint8_t *part[2];
	size_t bytes[2];
	int n;

	*raw = (struct pt_ring){ .size_bytes = ring->size_bytes, .at = pt_ring_head(ring) };
	raw->data = pt_alloc(raw->size_bytes);
	len = PT_MIN(ring->at - raw->at, ring->size_bytes);
	ring->at = raw->at;
	n = pt_ring_parts(ring, raw->at + len, part, bytes);
	for (int i = 0; i < n; i++)
		memcpy(raw->data + (part[i] - ring->data), part[i], bytes[i]);
	return whole_bytes(ring, raw, len);
}

/* Copies the records up to until_ns, from the newest to the oldest. The ring's position becomes
 * that of the oldest record that is too new: the next snapshot goes back to it. Returns the time of
 * the oldest one that was copied; UINT64_MAX: there is none. */
static uint64_t copy_ring(struct pt_recorder *r, struct pt_ring *ring, uint64_t until_ns,
			  struct copy *c)
{
	struct snapshots *s = r->snapshots;
	uint64_t oldest_ns = UINT64_MAX, len, end, time_ns;
	struct pt_ring raw;
	const uint8_t *p;

	len = copy_raw(ring, &raw);
	end = raw.at + len;
	c->size_bytes = c->start = raw.size_bytes;
	c->data = pt_alloc(c->size_bytes);
	for (; (p = pt_ring_peek(&raw, end)); pt_ring_skip(&raw, recorder_snapshot_size_of(p))) {
		time_ns = pt_evtable_time_of(s->table, p, oldest_ns);
		if (c->start == c->size_bytes && time_ns > until_ns) {
			ring->at = raw.at + recorder_snapshot_size_of(p);
			continue;
		}
		if (time_ns < s->names_from_ns)
			break;
		c->start -= recorder_snapshot_size_of(p);
		memcpy(c->data + c->start, p, recorder_snapshot_size_of(p));
		oldest_ns = PT_MIN(oldest_ns, time_ns);
	}
	free(raw.data);
	pt_ring_close(&raw);
	return oldest_ns;
}

static int put_copy(struct pt_recorder *r, struct copy *c, struct pt_err *e)
{
	struct pt_ring ring = { .data = c->data,
				.size_bytes = c->size_bytes,
				.at = c->start };

	return c->data ? recorder_take_ring(r, &ring, c->size_bytes, PT_WRITE_MUST, e) : 0;
}

static int recorder_snapshot_write_file(struct pt_recorder *r, struct copy *copies, size_t nr,
					uint64_t until_ns, struct pt_err *e)
{
	pt_rawtally_missing_ids(r->tally, SIZE_MAX);
	pt_rawtally_next_file(r->tally, r->build_ids);
	if (recorder_begin_file(r, false, until_ns, e) < 0)
		return -1;
	for (size_t i = 0; i < nr; i++)
		if (put_copy(r, &copies[i], e) < 0)
			return -1;
	if (put_triggers(r, until_ns, e) < 0 || recorder_read_counts(r, e) < 0)
		return -1;
	recorder_settle_counts(r, true);
	return recorder_end_file(r, e);
}

int pt_recorder_snapshot(struct pt_recorder *r, struct pt_writer *w, uint64_t until_ns,
			 struct pt_err *e)
{
	size_t i, nr = pt_session_nr_rings(r->session);
	struct copy *copies = pt_alloc_array(nr, sizeof(*copies));
	uint64_t oldest_ns = until_ns;
	int rc;

	renew_ids(r);
	for (i = 0; i < nr; i++) {
		struct pt_ring *ring = pt_session_ring(r->session, i);
		uint64_t from_ns = until_ns;

		if (!ring->side_band)
			from_ns = copy_ring(r, ring, until_ns, &copies[i]);
		oldest_ns = PT_MIN(oldest_ns, from_ns);
	}
	recorder_walk_side_band(r);		/* names of the newest samples */
	pt_state_settle(r->tally->state, oldest_ns);
	r->writer = w;
	rc = recorder_snapshot_write_file(r, copies, nr, until_ns, e);
	r->writer = NULL;
	for (i = 0; i < nr; i++)
		free(copies[i].data);
	free(copies);
	return rc;
}
