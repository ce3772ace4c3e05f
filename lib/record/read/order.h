/* order.h - the order of a stream: a merge of runs, in place.
 *
 * A run is stored records that follow each other in memory with times that do not fall: what one
 * CPU's ring wrote in one round of a file, or a live ring's content. It costs one struct, however
 * long it is. The merge takes records from the run whose head has the least (time, seq).
 *
 *     ring 0   10 12 19 | 30 31        round 1 | round 2 of a file: what is older than the latest
 *              time of round 1
 *     ring 1   11 15 18 | 20 29        may go once round 2 was read (each ring was emptied in
 *              between) */
#ifndef PT_RECORD_ORDER_H
#define PT_RECORD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/format/evtable.h"

struct pt_run {
	const uint8_t *at;		/* header of the next record; NULL: none now */
	const uint8_t *end;		/* the end of the last whole record */
	uint64_t time_ns;		/* of the record at `at`, or the last one that has a time */
	uint64_t seq;			/* among equal times the lower goes first */
	uint64_t off;			/* of `at` in the file or stream; 0 live */
	bool queued;			/* order.c's: it is among those merged */
	/* Called when `at` has come to `end` and the last record is no longer needed. Returns true
	 * with a new `at` and `end`; false (as NULL does): the run is over and is taken out. It may
	 * be freed in here, or added again later. */
	bool (*more)(struct pt_run *r);
};

struct pt_order;

struct pt_order *pt_order_new(const struct pt_evtable *t, bool swap);
void pt_order_free(struct pt_order *o);
/* A run's memory was changed from outside (a mapped file), and its rest was dropped. */
bool pt_order_broken(const struct pt_order *o);
/* Sets r->time_ns, unless the first record has no time. */
void pt_order_add(struct pt_order *o, struct pt_run *r);
/* The least record with a time up to `until_ns`, or NULL. It lives until the next call. */
const uint8_t *pt_order_next(struct pt_order *o, uint64_t until_ns, uint64_t *time_ns,
			     uint64_t *off);

/* A live ring's records at p, up to where their times rise again, copied in order of time: an
 * interrupt has written its record before an older one. Returns their bytes, at most
 * PT_SORT_BYTES. */
enum { PT_SORT_BYTES = 256 << 10 };
uint64_t pt_order_mixed(struct pt_evtable *events, const uint8_t *p, uint64_t len,
			uint8_t *sorted);

#endif
