/* order.h - the order of a stream: a merge of runs, in place.
 *
 * A run is stored records that follow each other in memory with times that do not fall: what one
 * CPU's ring wrote in one round of a file, or a live ring's content. Records stay where they are; a
 * run costs one struct however long it is. The merge picks the run whose head has the least (time,
 * seq) and stays with it while it remains the least; up to a handful of runs are compared directly,
 * more by a heap.
 *
 *     ring 0   10 12 19 | 30 31        round 1 | round 2 of a file: what is older than the latest
 *              time of round 1
 *     ring 1   11 15 18 | 20 29        may go once round 2 was read (each ring was emptied in
 *              between) */
#ifndef PT_RECORD_ORDER_H
#define PT_RECORD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/evtable.h"

struct pt_run {
	const uint8_t *at;		/* header of the next record; NULL: none now */
	const uint8_t *end;		/* behind the last whole record */
	/* of the record at `at`; one without time takes that of the record before it */
	uint64_t time_ns;
	/* among equal times the lesser goes first: the offset in a file, the number of a ring */
	uint64_t seq;
	uint64_t off;			/* of `at` in the file or stream; 0 live */
	uint32_t heap_index;		/* order.c's */
	bool queued;			/* order.c's: it is among those merged */
	/* `at` has come to `end`, and the last record is no longer needed. May set at, end to more
	 * and return true; false: the run is empty and is taken out (it may be added again later).
	 * NULL: empty. The struct is the backend's, which may free it in here when it returns
	 * false. */
	bool (*more)(struct pt_run *r);
};

struct pt_order;

struct pt_order *pt_order_new(const struct pt_evtable *t, bool swap);
void pt_order_free(struct pt_order *o);
/* From now on: as they are stored, by seq alone. */
void pt_order_as_stored(struct pt_order *o);
/* A run's memory was changed from outside (a mapped file): its rest was given up. */
bool pt_order_broken(const struct pt_order *o);
/* r->at, end, seq, off, more set; time_ns is worked out here (when the first record has none: the
 * value that time_ns holds). */
void pt_order_add(struct pt_order *o, struct pt_run *r);
/* The least record with a time up to `until_ns`, or NULL. It lies where it was and lives until the
 * next call. */
const uint8_t *pt_order_next(struct pt_order *o, uint64_t until_ns, uint64_t *time_ns,
			     uint64_t *off);

#endif
