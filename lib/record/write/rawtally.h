/* rawtally.h - what a recorder wants to know of records that it does not decode: samples of each
 * event, losses, first and last time, mapped objects. Only headers and ids are walked.
 *
 *     for each ring: len = pt_rawtally_walk(t, part, len, n);  ... write ...
 *     pt_rawtally_commit(t, written);
 *
 * Every event must have PERF_SAMPLE_IDENTIFIER: the id of a sample is then its first word. */
#ifndef PT_RECORD_RAWTALLY_H
#define PT_RECORD_RAWTALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "record/format/buildid.h"
#include "record/format/section.h"

struct pt_state;

struct pt_rawtally {
	struct pt_raw_count {
		uint64_t samples;	/* written */
		uint64_t dropped;	/* taken from the ring, and not written */
		/* rawtally.c's: walked and not committed; pt_sample_time_at() */
		uint64_t round;
		int time_at;
	} *events;
	size_t nr;
	uint64_t samples;		/* written, of all events */
	uint64_t dropped;		/* records of any kind, not written */
	uint64_t lost;			/* the sum of the kernel's LOST records */
	uint64_t throttled;
	uint64_t first_ns, last_ns;	/* of samples; first > last: none had a time */
	/* sees all records but samples; the caller's; may be NULL */
	struct pt_state *state;

	/* rawtally.c's */
	struct pt_map ids;		/* id -> event + 1 */
	uint64_t last_id;		/* consecutive samples are mostly of one event */
	struct pt_raw_count *last;
	struct pt_raw_count *shared;	/* gets samples of unknown ids; NULL: none */
	uint64_t round_records;
	struct pt_build_ids *build_ids;
	struct pt_raw_file { uint32_t pid; uint64_t ino; char *path; } *missing;
	size_t nr_missing, cap_missing, nr_read;	/* the first nr_read were examined */
	struct pt_map seen;		/* paths in `missing` */
	bool asks;			/* an event asks the kernel for build-ids in MMAP2 */
	uint8_t *scratch;		/* for a record that wraps */
};

/* `ids` gets the executable objects of MMAP2 records; the caller's; may be NULL. */
struct pt_rawtally *pt_rawtally_new(const struct pt_write_event *events, size_t nr,
				    struct pt_build_ids *ids);
void pt_rawtally_free(struct pt_rawtally *t);
/* Another file begins: its first and last time, and its objects, which go to `ids`. */
void pt_rawtally_next_file(struct pt_rawtally *t, struct pt_build_ids *ids);
/* The same events, more ids. */
void pt_rawtally_ids(struct pt_rawtally *t, const struct pt_write_event *events, size_t nr);
/* One ring's records, in one or two pieces. MMAP2 records of events that did not ask for build-ids
 * lose the bit that says they hold one (event/build_ids.h), which readers of the recording would
 * believe. Returns the bytes of whole records of possible size: all, unless the ring is broken. */
size_t pt_rawtally_walk(struct pt_rawtally *t, uint8_t *const part[2], const size_t len[2], int nr);
/* What was walked since the last commit was written, or was not. */
void pt_rawtally_commit(struct pt_rawtally *t, bool written);

/* Reads the ids of up to `max` files that the kernel gave none for, while they are still the files
 * that were mapped. Called between walks, when most processes still run, and at the end. Returns
 * how many are left. */
size_t pt_rawtally_missing_ids(struct pt_rawtally *t, size_t max);

#endif
