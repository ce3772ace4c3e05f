/* rawtally.h - what a recorder wants to know of records that it does not decode: how many samples
 * of which event, what the kernel lost, first and last time, the objects that were mapped. Walks
 * headers and ids only.
 *
 *     for each ring: len = pt_rawtally_walk(t, part, len, n);  ... write ...  pt_rawtally_commit(t,
 *             written);
 *
 * Every event must have PERF_SAMPLE_IDENTIFIER (a session's have): then the id of a sample is its
 * first word. */
#ifndef PT_RECORD_RAWTALLY_H
#define PT_RECORD_RAWTALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/buildid.h"
#include "record/section.h"

struct pt_rawtally;

struct pt_raw_count {
	uint64_t samples;		/* written */
	uint64_t dropped;		/* taken from the ring, and not written */
};

/* `ids` gets the executable objects of MMAP2 records; the caller's; may be NULL. */
struct pt_rawtally *pt_rawtally_new(const struct pt_write_event *events, size_t nr,
				    struct pt_build_ids *ids);
void pt_rawtally_free(struct pt_rawtally *t);
/* The same events, more ids. */
void pt_rawtally_ids(struct pt_rawtally *t, const struct pt_write_event *events, size_t nr);
/* Records in one or two pieces of memory, one ring's. MMAP2 records of events that did not ask for
 * build-ids lose the bit that says they hold one (event/build_ids.h): readers of the recording
 * believe it, and some crash. Returns how many bytes of them are whole records of possible size:
 * all, unless the ring is broken. */
size_t pt_rawtally_walk(struct pt_rawtally *t, uint8_t *const part[2], const size_t len[2], int nr);
/* What was walked since the last commit was written, or was not. */
void pt_rawtally_commit(struct pt_rawtally *t, bool written);

struct pt_raw_count pt_rawtally_event(const struct pt_rawtally *t, size_t i);
uint64_t pt_rawtally_samples(const struct pt_rawtally *t);	/* written, of all events */
/* records of any kind, not written */
uint64_t pt_rawtally_dropped(const struct pt_rawtally *t);
/* sum of the kernel's LOST records */
uint64_t pt_rawtally_lost(const struct pt_rawtally *t);
uint64_t pt_rawtally_lost_chunks(const struct pt_rawtally *t);
uint64_t pt_rawtally_throttled(const struct pt_rawtally *t);
/* False: no sample had a time. */
bool pt_rawtally_times(const struct pt_rawtally *t, uint64_t *first_ns, uint64_t *last_ns);
/* Reads the ids of up to `max` files that the kernel gave none for, where they are still the files
 * that were mapped. To be called between walks, so that most processes still run, and at the end.
 * Returns how many are left. */
size_t pt_rawtally_missing_ids(struct pt_rawtally *t, size_t max);

#endif
