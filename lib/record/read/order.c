#include "record/read/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/format/evtable.h"

/* A heap of runs with the lowest head on top. Nothing moves while the top's head is lower than both
 * children (the lower one is cached in `second`); a record then costs the load of its size and
 * time. */
struct pt_order {
	struct pt_evtable *events;
	bool swap;
	bool taken;			/* the top's head was delivered: step over it first */
	bool broken;
	struct pt_run **heap;
	size_t nr, cap;
	uint64_t second_time, second_seq;
};

enum { LINE_BYTES = 64, FETCH_BYTES = 3072, SORT_RECORDS = 64 };

struct pt_order *pt_order_new(const struct pt_evtable *t, bool swap)
{
	struct pt_order *o = pt_alloc(sizeof(*o));

	o->events = (struct pt_evtable *)t;
	o->swap = swap;
	return o;
}

void pt_order_free(struct pt_order *o)
{
	if (!o)
		return;
	free(o->heap);
	free(o);
}

bool pt_order_broken(const struct pt_order *o)
{
	return o->broken;
}

static bool less(const struct pt_run *a, const struct pt_run *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->seq < b->seq;
}

static void sift_up(struct pt_order *o, size_t i)
{
	struct pt_run *r = o->heap[i];

	for (; i && less(r, o->heap[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap[i] = o->heap[(i - 1) / 2];
	o->heap[i] = r;
}

static void sift_down(struct pt_order *o, size_t i)
{
	struct pt_run *r = o->heap[i];
	size_t child;

	while ((child = 2 * i + 1) < o->nr) {
		if (child + 1 < o->nr && less(o->heap[child + 1], o->heap[child]))
			child++;
		if (!less(o->heap[child], r))
			break;
		o->heap[i] = o->heap[child];
		i = child;
	}
	o->heap[i] = r;
}

static void note_second(struct pt_order *o)
{
	const struct pt_run *r = o->nr > 1 ? o->heap[1] : NULL;

	if (o->nr > 2 && less(o->heap[2], r))
		r = o->heap[2];
	o->second_time = r ? r->time_ns : UINT64_MAX;
	o->second_seq = r ? r->seq : UINT64_MAX;
}

/* Finds the time of the record at r->at. False: no whole record is there (the memory was changed
 * meanwhile). */
PT_INLINE bool look(struct pt_order *o, struct pt_run *r, bool swap)
{
	uint32_t len;

	if (r->end - r->at < PT_HEADER_BYTES)
		return false;
	len = pt_load16(r->at + 6, swap);
	if (len < PT_HEADER_BYTES || len > (size_t)(r->end - r->at))
		return false;
	pt_evtable_time_in(o->events, r->at, pt_load32(r->at, swap), len, swap, &r->time_ns);
	return true;
}

/* Moves the run to its next record, from `more` if it has none. False: the run has ended. */
static bool order_refill(struct pt_order *o, struct pt_run *r)
{
	while (r->at >= r->end) {
		if (!r->more || !r->more(r))
			return false;
	}
	if (look(o, r, o->swap))
		return true;
	o->broken = true;
	r->at = r->end;
	return order_refill(o, r);
}

/* Removes the run on top. It may be freed already and is not accessed. */
static void remove_top(struct pt_order *o)
{
	o->nr--;
	if (!o->nr)
		return;
	o->heap[0] = o->heap[o->nr];
	sift_down(o, 0);
}

/* Restores the heap after the top's head changed or ended. */
static void __attribute__((noinline)) order_settle(struct pt_order *o, struct pt_run *r,
						   bool looked)
{
	if (!looked) {
		if (r->at < r->end) {
			o->broken = true;
			r->at = r->end;
		}
		r->queued = false;
		looked = order_refill(o, r);
		if (looked)
			r->queued = true;
		else
			remove_top(o);
	}
	if (looked)
		sift_down(o, 0);
	note_second(o);
}

/* Prefetches the part of a long record (a stack copy) that is read next. */
static void fetch(const uint8_t *p, size_t len)
{
	size_t i;

	for (i = LINE_BYTES; i < FETCH_BYTES; i += LINE_BYTES)
		__builtin_prefetch(p + i);
	__builtin_prefetch(p + len - 1);
}

/* Steps over the record that was delivered last. */
PT_INLINE void step(struct pt_order *o, bool swap)
{
	struct pt_run *r = o->heap[0];
	uint32_t len = pt_load16(r->at + 6, swap);
	bool looked;

	o->taken = false;
	if (len < PT_HEADER_BYTES || len > (size_t)(r->end - r->at)) {
		o->broken = true;
		len = (uint32_t)(r->end - r->at);
	}
	r->at += len;
	r->off += len;
	looked = look(o, r, swap);
	if (looked && (len = pt_load16(r->at + 6, swap)) >= FETCH_BYTES)
		fetch(r->at, len);
	if (!looked || (r->time_ns >= o->second_time &&
			(r->time_ns > o->second_time || r->seq > o->second_seq)))
		order_settle(o, r, looked);
}

void pt_order_add(struct pt_order *o, struct pt_run *r)
{
	if (o->taken)
		step(o, o->swap);	/* the top may change here: its head was delivered */
	if (!order_refill(o, r))
		return;
	PT_GROW(o->heap, o->nr, o->cap);
	r->queued = true;
	o->heap[o->nr++] = r;
	sift_up(o, o->nr - 1);
	note_second(o);
}

const uint8_t *pt_order_next(struct pt_order *o, uint64_t until_ns, uint64_t *time_ns,
			     uint64_t *off)
{
	struct pt_run *r;

	if (o->taken && o->swap)
		step(o, true);
	else if (o->taken)
		step(o, false);
	if (!o->nr)
		return NULL;
	r = o->heap[0];
	if (r->time_ns > until_ns)
		return NULL;
	o->taken = true;
	*time_ns = r->time_ns;
	*off = r->off;
	return r->at;
}

uint64_t pt_order_mixed(struct pt_evtable *events, const uint8_t *p, uint64_t len, uint8_t *sorted)
{
	struct { const uint8_t *p; uint64_t time_ns; uint32_t size; } rec[SORT_RECORDS];
	uint64_t bytes = 0, most_ns = 0;
	size_t n = 0, i;

	while (n < SORT_RECORDS && bytes + PT_HEADER_BYTES <= len) {
		uint32_t size = pt_load16(p + bytes + 6, false);
		uint64_t time_ns;

		if (size < PT_HEADER_BYTES || size > len - bytes || bytes + size > PT_SORT_BYTES)
			break;
		time_ns = pt_evtable_time_of(events, p + bytes, most_ns);
		if (n > 1 && time_ns >= most_ns)
			break;
		for (i = n++; i && rec[i - 1].time_ns > time_ns; i--)
			rec[i] = rec[i - 1];
		rec[i].p = p + bytes;
		rec[i].time_ns = time_ns;
		rec[i].size = size;
		most_ns = PT_MAX(most_ns, time_ns);
		bytes += size;
	}
	for (i = 0; i < n; sorted += rec[i++].size)
		memcpy(sorted, rec[i].p, rec[i].size);
	return bytes;
}
