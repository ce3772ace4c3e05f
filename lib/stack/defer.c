#include "stack/defer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/abi.h"

enum { MAX_WAITING = 1 << 14 };

struct held { /* a waiting sample and copies of all it refers to */
	struct held *next;
	struct pt_record rec;
	uint64_t *chain;		/* own copy */
	uint64_t cookie;
	uint8_t bytes[] __attribute__((aligned(8)));
};

struct list { struct held *first, **end; };

struct pt_defer {
	struct list waiting, ready;
	size_t nr_waiting;
	struct held *given;		/* returned by the last call */
	const struct pt_record *behind;	/* from the source, to be returned when `ready` is empty */
	bool over;
	int rc;				/* the source's last result */
};

static void free_held(struct held *h)
{
	if (h)
		free(h->chain);
	free(h);
}

static void free_list(struct list *l)
{
	struct held *h, *next;

	for (h = l->first; h; h = next) {
		next = h->next;
		free_held(h);
	}
}

void pt_defer_free(struct pt_defer *d)
{
	if (!d)
		return;
	free_list(&d->waiting);
	free_list(&d->ready);
	free_held(d->given);
	free(d);
}

static void defer_append(struct list *l, struct held *h)
{
	h->next = NULL;
	*l->end = h;
	l->end = &h->next;
}

static bool is_deferred(const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;

	return rec->type == PERF_RECORD_SAMPLE && (rec->has & PERF_SAMPLE_CALLCHAIN) &&
	       s->nr_callchain >= 2 &&
	       s->callchain[s->nr_callchain - 2] == PT_CONTEXT_USER_DEFERRED;
}

/* Copies one reference of a sample to *to, which moves on; with `to` NULL only counts it. */
static size_t copy_one(const void *p, uint64_t bytes, const void **place, uint8_t **to)
{
	size_t room = (bytes + 7) & ~7ull;

	if (!p || !bytes)
		return 0;
	if (to) {
		memcpy(*to, p, bytes);
		*place = *to;
		*to += room;
	}
	return room;
}

static size_t copy_parts(struct pt_record *r, uint8_t **to)
{
	struct pt_sample *s = &r->sample;
	size_t n = 0;

#define COPY(bit, member, bytes) \
	(n += r->has & (bit) ? copy_one(s->member, (bytes), (const void **)&s->member, to) : 0)
	COPY(PERF_SAMPLE_RAW, raw, s->raw_len);
	COPY(PERF_SAMPLE_READ, read, s->nr_read * sizeof(*s->read));
	COPY(PERF_SAMPLE_BRANCH_STACK, branches, s->nr_branches * sizeof(*s->branches));
	COPY(PERF_SAMPLE_REGS_USER, user_regs,
	     s->user_abi ? (uint64_t)__builtin_popcountll(s->user_mask) * 8 : 0);
	COPY(PERF_SAMPLE_REGS_INTR, intr_regs,
	     s->intr_abi ? (uint64_t)__builtin_popcountll(s->intr_mask) * 8 : 0);
	COPY(PERF_SAMPLE_STACK_USER, stack, s->stack_len);
	COPY(PERF_SAMPLE_AUX, aux, s->aux_len);
#undef COPY
	n += copy_one(r->data, r->len_bytes, (const void **)&r->data, to);
	return n;
}

static void defer_hold(struct pt_defer *d, const struct pt_record *rec)
{
	struct pt_record r = *rec;
	struct pt_sample *s = &r.sample;
	struct held *h = pt_alloc(sizeof(*h) + copy_parts(&r, NULL));
	uint8_t *to = h->bytes;

	copy_parts(&r, &to);
	h->cookie = s->callchain[s->nr_callchain - 1];
	s->nr_callchain -= 2;
	h->chain = pt_memdup(s->callchain, s->nr_callchain * sizeof(*h->chain));
	s->callchain = h->chain;
	h->rec = r;
	defer_append(&d->waiting, h);
	d->nr_waiting++;
}

/* Makes a thread's waiting samples with that cookie ready. chain NULL: they stay as they are. all:
 * of every thread, at most `most`. */
static void defer_release(struct pt_defer *d, bool all, uint32_t tid, const struct pt_record *chain,
			  size_t most)
{
	struct list rest = { .end = &rest.first };
	struct held *h, *next;

	rest.first = NULL;
	for (h = d->waiting.first; h; h = next) {
		next = h->next;
		if (!most || (!all && h->rec.tid != tid) ||
		    (chain && h->cookie != chain->u.deferred.cookie)) {
			defer_append(&rest, h);
			continue;
		}
		most--;
		d->nr_waiting--;
		if (chain) {
			uint64_t nr = h->rec.sample.nr_callchain;

			h->chain = pt_realloc(h->chain, nr + chain->u.deferred.nr + 1,
					      sizeof(*h->chain));
			if (chain->u.deferred.nr)
				memcpy(h->chain + nr, chain->u.deferred.ips,
				       chain->u.deferred.nr * sizeof(*h->chain));
			h->rec.sample.callchain = h->chain;
			h->rec.sample.nr_callchain = nr + chain->u.deferred.nr;
		}
		defer_append(&d->ready, h);
	}
	d->waiting = rest;
	if (!rest.first)
		d->waiting.end = &d->waiting.first;
}

/* The thread whose program ends; 0: none. */
static uint32_t ended(const struct pt_record *rec)
{
	if (rec->type == PERF_RECORD_EXIT)
		return rec->u.task.tid;
	return rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC
		       ? rec->u.comm.tid
		       : 0;
}

/* Takes a record of the source. False: it is not to be returned now. */
static bool defer_take(struct pt_defer *d, const struct pt_record *rec)
{
	uint32_t tid = ended(rec);

	if (is_deferred(rec)) {
		if (d->nr_waiting >= MAX_WAITING)
			defer_release(d, true, 0, NULL, MAX_WAITING / 2);
		defer_hold(d, rec);
		return false;
	}
	if (rec->type == PT_RECORD_CALLCHAIN_DEFERRED) {
		defer_release(d, !(rec->has & PERF_SAMPLE_TID), rec->tid, rec, SIZE_MAX);
		return false;
	}
	if (tid)
		defer_release(d, false, tid, NULL, SIZE_MAX);
	if (!d->ready.first)
		return true;
	d->behind = rec;
	return false;
}

int pt_defer_take(struct pt_defer *d, struct pt_source *s, const struct pt_record **rec,
		  struct pt_err *e)
{
	int rc;

	if (d->given) {
		free_held(d->given);
		d->given = NULL;
	}
	while (!d->ready.first && !d->behind && !d->over) {
		d->rc = pt_source_next(s, rec, e);
		if (d->rc > 0 && defer_take(d, *rec))
			return 1;
		if (d->rc <= 0) {
			d->over = true;
			defer_release(d, true, 0, NULL, SIZE_MAX);
		}
	}
	if (d->ready.first) {
		d->given = d->ready.first;
		d->ready.first = d->given->next;
		if (!d->ready.first)
			d->ready.end = &d->ready.first;
		*rec = &d->given->rec;
		return 1;
	}
	if (d->behind) {
		*rec = d->behind;
		d->behind = NULL;
		return 1;
	}
	rc = d->rc;
	d->rc = 0;
	return rc;
}

int pt_defer_see(struct pt_defer **to, struct pt_source *s, const struct pt_record **rec,
		 struct pt_err *e)
{
	struct pt_defer *d;

	if (!is_deferred(*rec) && (*rec)->type != PT_RECORD_CALLCHAIN_DEFERRED)
		return 1;
	*to = d = pt_alloc(sizeof(*d));
	d->waiting.end = &d->waiting.first;
	d->ready.end = &d->ready.first;
	defer_take(d, *rec);
	return pt_defer_take(d, s, rec, e);
}
