/* Block requests: from issue (or insert) to completion, by device and sector.
 *
 * - The key is (first sector, device). A request is completed in one piece or in several: after a
 *   part of n sectors the rest waits under sector + n.
 * - Requests without a sector (flushes, passed-through commands) are issued as "sector 0, 0
 *   sectors" and completed with sector 0 or -1; they are keyed by their flags (rwbs) instead and
 *   answered in order. A flush that came with a write is completed without ever being issued
 *   itself.
 * - The same sector may be in flight twice: the latest issue is answered first. Which of them a
 *   completion means cannot be known, and the sum is the same either way; but where a completion
 *   was never delivered (kernels do that), an old issue must not lend its time to a later request.
 *   One that has waited far longer than any request took so far is given up. Inserts wait in a
 *   queue: first in, first out.
 * - A requeue takes the issue back: the next one counts. From insert, it goes on waiting, and a
 *   second insert of it is none.
 * - A request that was merged is part of a greater one when that is issued, and the earliest insert
 *   of them counts. */
#include "lat/lat_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { ISSUED = 1, REQUEUED = 2, MERGED = 4, BYPASSED = 8 };
enum {
	NO_SECTOR = 1,
	STALE_TIMES = 8,
	STALE_MIN_NS = 100000000,
	MAX_SEARCH = 65536,
	MAX_CHAIN = 64
};

struct request {
	uint64_t k0, k1;
	uint32_t nr;
	bool no_sector;
};

/* The text of rwbs; bytes behind its NUL are from earlier events. */
void lat_block_rwbs(const struct lat_event *ev, const struct pt_record *rec, char text[17])
{
	size_t len = PT_MIN(ev->f[F_RWBS].size_bytes, 16);

	memcpy(text, (const char *)rec->sample.raw + ev->f[F_RWBS].off, len);
	text[len] = '\0';
}

static void op_of(const struct lat_event *ev, const struct pt_record *rec, char op[8])
{
	char text[17];

	lat_block_rwbs(ev, rec, text);
	memset(op, 0, 8);
	memcpy(op, text, strnlen(text, 8));
}

static uint64_t rwbs_key(const struct lat_event *ev, const struct pt_record *rec)
{
	uint64_t key;
	char op[sizeof(key)];

	op_of(ev, rec, op);
	memcpy(&key, op, sizeof(key));
	return key;
}

static struct request request_of(const struct lat_event *ev, const struct pt_record *rec)
{
	struct request r = { .k0 = lat_load(&ev->f[F_SECTOR], rec),
			     .k1 = (uint32_t)lat_load(&ev->f[F_DEV], rec),
			     .nr = (uint32_t)lat_load(&ev->f[F_NR], rec) };

	if (r.k0 + 1 <= 1 && (!r.nr || r.k0)) {
		r.no_sector = true;
		r.k0 = rwbs_key(ev, rec);
		r.k1 |= (uint64_t)NO_SECTOR << 32;
	}
	return r;
}

/* Drops starts of the key whose end was missed. */
static void drop_stale(struct pt_lat *l, const struct request *r, uint64_t now_ns)
{
	uint64_t age_ns = PT_MAX(l->longest_ns * STALE_TIMES, (uint64_t)STALE_MIN_NS);
	struct pt_pending_start *o;

	while ((o = pt_pending_find(&l->pending, r->k0, r->k1)) && now_ns > o->start_ns &&
	       now_ns - o->start_ns > age_ns) {
		l->n.unanswered++;
		pt_pending_take(&l->pending, o);
	}
}

/* If another start of the key is pending, perhaps wrongly, the new one goes in front of it, in a
 * queue behind it. */
static struct pt_pending_start *lat_block_start(struct pt_lat *l, const struct lat_event *ev,
						const struct pt_record *rec,
						const struct request *r)
{
	struct pt_pending_start *o;

	drop_stale(l, r, rec->time_ns);
	o = l->o.queued || r->no_sector ? pt_pending_add(&l->pending, r->k0, r->k1)
					: pt_pending_push(&l->pending, r->k0, r->k1);
	lat_fill(l, o, rec, &ev->f[F_COMM]);
	op_of(ev, rec, o->op);
	o->nr = r->nr;
	return o;
}

int lat_block_insert(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		     struct pt_latency *out)
{
	struct request r = request_of(ev, rec);
	struct pt_pending_start *o;

	(void)out;
	o = pt_pending_find(&l->pending, r.k0, r.k1);
	if (o && (o->flags & (REQUEUED | ISSUED)) == REQUEUED)
		o->flags &= (uint16_t)~REQUEUED;
	else
		lat_block_start(l, ev, rec, &r);
	return 0;
}

/* Removes inserts that became part of the request now issued. Returns their number, and in *first
 * the earliest with its task. `grown`: the request's own insert is *first and not among them;
 * otherwise it was begun in front of the first of them. */
static unsigned absorb(struct pt_lat *l, const struct request *r, struct pt_pending_start *first,
		       bool grown)
{
	uint64_t nr = PT_MIN(r->nr, (uint32_t)MAX_SEARCH);
	unsigned found = 0;

	for (uint64_t i = grown ? 1 : 0; i < nr && l->pending.nr; i++) {
		struct pt_pending_start *o = pt_pending_find(&l->pending, r->k0 + i, r->k1);

		if (!o || o->flags & ISSUED || o->nr + i > r->nr ||
		    (grown && l->merge_events && !(o->flags & MERGED)))
			continue;
		if ((!found && !grown) || o->start_ns < first->start_ns)
			*first = *o;
		found++;
		pt_pending_take(&l->pending, o);
	}
	return found;
}

static struct pt_pending_start *not_issued(struct pt_lat *l, const struct request *r)
{
	struct pt_pending_start *o = pt_pending_find(&l->pending, r->k0, r->k1);

	for (int i = 0; o && i < MAX_CHAIN; i++, o = pt_pending_behind(&l->pending, o))
		if (!(o->flags & ISSUED))
			return o;
	return NULL;
}

/* From insert: the issue itself does not count, but shows what became of the inserts. */
int lat_block_issue_queued(struct pt_lat *l, const struct lat_event *ev,
			   const struct pt_record *rec, struct pt_latency *out)
{
	struct request request = request_of(ev, rec), *r = &request;
	struct pt_pending_start *o = not_issued(l, r), whole = { .start_ns = 0 };
	unsigned found = 0;

	(void)out;
	if (o && (r->no_sector || r->nr <= o->nr)) {
		o->flags |= ISSUED;
		return 0;
	}
	if (o)
		whole = *o;
	if (!r->no_sector)
		found = absorb(l, r, &whole, o != NULL);
	if (!o && !found) {
		l->n.bypassed++;
		lat_block_start(l, ev, rec, r)->flags = ISSUED | BYPASSED;
		return 0;
	}
	o = not_issued(l, r);
	if (!o)
		o = lat_block_start(l, ev, rec, r);
	o->start_ns = whole.start_ns;
	o->pid = whole.pid;
	o->tid = whole.tid;
	o->comm = whole.comm;
	o->began = whole.began;
	o->nr = r->nr;
	o->flags = ISSUED;
	return 0;
}

int lat_block_issue(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		    struct pt_latency *out)
{
	struct request r = request_of(ev, rec);

	(void)out;
	lat_block_start(l, ev, rec, &r);
	return 0;
}

int lat_block_requeue(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		      struct pt_latency *out)
{
	struct request r = request_of(ev, rec);
	struct pt_pending_start *o = pt_pending_find(&l->pending, r.k0, r.k1);

	(void)out;
	if (!o)
		return 0;
	l->n.requeued++;
	if (l->o.queued)
		o->flags = (uint16_t)((o->flags & ~ISSUED) | REQUEUED);
	else
		pt_pending_take(&l->pending, o);
	return 0;
}

/* The named request becomes part of another one, and is found in that when it is issued. */
int lat_block_merge(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		    struct pt_latency *out)
{
	struct request r = request_of(ev, rec);
	struct pt_pending_start *o = not_issued(l, &r);

	(void)out;
	if (o)
		o->flags |= MERGED;
	return 0;
}

/* A completion of the first `nr` of more sectors: the rest stays pending under its own first
 * sector. */
static void lat_block_advance(struct pt_lat *l, struct pt_pending_start *o, const struct request *r)
{
	struct pt_pending_start rest = *o, *moved;

	pt_pending_take(&l->pending, o);
	moved = pt_pending_add(&l->pending, r->k0 + r->nr, r->k1);
	moved->start_ns = rest.start_ns;
	moved->comm = rest.comm;
	moved->began = rest.began;
	moved->pid = rest.pid;
	moved->tid = rest.tid;
	memcpy(moved->op, rest.op, sizeof(moved->op));
	moved->flags = rest.flags;
	moved->nr = rest.nr - r->nr;
	moved->advanced = rest.advanced + r->nr;
}

/* The request of a start, in whole. */
static void lat_block_fill(const struct pt_pending_start *o, struct pt_latency *out)
{
	bool no_sector = o->k1 >> 32 & NO_SECTOR;

	lat_plain(out);
	out->dev = (uint32_t)o->k1;
	out->sector = no_sector ? 0 : o->k0 - o->advanced;
	out->nr_sectors = o->nr + o->advanced;
}

bool lat_block_of_open(const struct pt_pending_start *o, struct pt_latency *out)
{
	if (o->flags & MERGED)		/* it is a part of another one */
		return false;
	lat_block_fill(o, out);
	snprintf(out->op, sizeof(out->op), "%.8s", o->op);
	return true;
}

/* True: an empty write, whose flush the block layer completed without issuing it. */
static bool is_flush_alone(const struct lat_event *ev, const struct pt_record *rec,
			   const struct request *r)
{
	char text[17];

	lat_block_rwbs(ev, rec, text);
	return r->no_sector && !r->nr && strchr(text, 'W');
}

int lat_block_complete(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		       struct pt_latency *out)
{
	struct request r = request_of(ev, rec);
	struct pt_pending_start *o = pt_pending_find(&l->pending, r.k0, r.k1);

	if (!o) {
		l->n.unpaired += !is_flush_alone(ev, rec, &r);
		return 0;
	}
	if (r.nr && r.nr < o->nr && !r.no_sector) {
		lat_block_advance(l, o, &r);
		return 0;
	}
	lat_block_fill(o, out);
	out->error = (int32_t)lat_load(&ev->f[F_ERROR], rec);
	l->n.failed += out->error != 0;
	return lat_end(l, o, rec, out);
}
