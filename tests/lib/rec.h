/* rec.h - recordings made by hand, for tests: attributes, records, sections, in either byte order, as a file or a stream.
 *
 *     struct rec d = REC(swap);
 *     rec_begin(&d, PERF_RECORD_COMM, 0); rec_u32(&d, 1); rec_u32(&d, 1); rec_str(&d, "init"); rec_end(&d);
 *     rec_file(&f, events, nr_events, &d, sections, nr_sections);
 *     s = rec_open(&f);
 *
 * Numbers are in this machine's byte order unless `swap`. */
#ifndef PT_TESTS_REC_H
#define PT_TESTS_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "event/abi.h"
#include "record/read/source.h"

struct rec {
	struct pt_buf b;
	bool swap;
	size_t begun;			/* where the record that is being written begins */
};
#define REC(other_order) { .swap = (other_order) }

struct rec_event {
	struct pt_attr attr;
	uint32_t attr_bytes;		/* as stored; 0: ours */
	uint64_t ids[4];
	size_t nr_ids;
};

struct rec_section {
	unsigned number;
	const struct pt_buf *content;
};

void rec_u8(struct rec *r, uint8_t v);
void rec_u16(struct rec *r, uint16_t v);
void rec_u32(struct rec *r, uint32_t v);
void rec_u64(struct rec *r, uint64_t v);
void rec_u64s(struct rec *r, size_t nr, const uint64_t *v);
void rec_bytes(struct rec *r, const void *p, size_t len);
void rec_str(struct rec *r, const char *s);		/* with NULs up to a multiple of 8 */
void rec_section_str(struct rec *r, const char *s);	/* as sections hold it: length in front, 64 bytes at a time */
void rec_attr(struct rec *r, const struct pt_attr *a, uint32_t bytes);
void rec_begin(struct rec *r, uint32_t type, uint16_t misc);
void rec_end(struct rec *r);
void rec_free(struct rec *r);

void rec_file(struct rec *f, const struct rec_event *ev, size_t nr, const struct rec *data, const struct rec_section *sec, size_t nr_sec);
/* The head of a stream and a HEADER_ATTR for each event; records follow. */
void rec_stream(struct rec *f, const struct rec_event *ev, size_t nr);
void rec_round(struct rec *r);				/* FINISHED_ROUND */

/* Over a copy in memory; aborts when it cannot be opened. */
struct pt_source *rec_open(const struct rec *f);
int rec_memfd(const void *p, size_t len);
/* Reads to the end; what next() gave last. `nr`: how many records came. The error goes to `e`. */
int rec_drain(struct pt_source *s, size_t *nr, struct pt_err *e);

#endif
