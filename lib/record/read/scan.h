/* scan.h - the walk over stored records for readers of files and streams: headers are taken in, the
 * others become runs.
 *
 * Bytes lie in a mapped file or in blocks, each freed with the last run that points into it. A
 * pt_feed fills blocks with bytes as they come (by read(2), by decompression) and scans the whole
 * records in them. */
#ifndef PT_RECORD_SCAN_H
#define PT_RECORD_SCAN_H

#include "base/buf.h"
#include "record/read/backend.h"
#include "record/read/feature.h"

/* The magic number is "PERFILE2" as a number in the byte order of the machine that recorded, so
 * that it also reads "2ELIFREP"; "PERFFILE" in version 1 (perf before 3.0). That of trace.dat is
 * longer.
 * True: a recording may begin with these n bytes. */
enum { PT_MAGIC_BYTES = 8 };
bool pt_magic_is(const void *p, size_t n);

struct pt_block {
	unsigned refs;			/* runs, and the feed that fills it */
	size_t len, cap;
	uint8_t data[];
};

struct pt_feed {
	struct pt_block *block;
	size_t at;			/* how far it was scanned */
	uint64_t off;			/* of `at` in the file or stream */
};

struct pt_scan_in {			/* bytes that are scanned */
	struct pt_block *block;		/* they lie in it; NULL: in a mapping */
	const uint8_t *at, *end;
	uint64_t off;			/* of `at` in the file or stream */
	bool nested;			/* they were compressed */
};

struct pt_file_run;
struct pt_inflate;

struct pt_scan {
	struct pt_stream *st;
	bool swap;
	uint64_t last_time_ns;		/* the time of the record before */
	uint64_t max_time_ns;		/* of all so far */
	uint64_t until_ns;		/* records up to this time may be delivered */
	uint64_t next_until_ns;		/* from the next round mark on */
	uint64_t seq;
	struct pt_file_run *open;	/* the last run, as long as records may be added to it */
	struct pt_file_run *spare;
	struct pt_file_run *all;	/* to release those that were not delivered */
	uint64_t skip;			/* bytes after the last record that are no records ... */
	bool skip_is_tracing;		/* ... but tracing data, gathered here */
	struct pt_buf tracing;
	struct pt_inflate *inflate;
	struct pt_err late;		/* the first damage of header data, reported at the end */
};

enum pt_scan_end {
	PT_SCAN_BAD = -1,		/* e is filled */
	PT_SCAN_MORE,			/* what is left is no whole record (or nothing) */
	PT_SCAN_ROUND,			/* after a FINISHED_ROUND */
	PT_SCAN_SKIP,			/* s->skip bytes come next: pt_scan_skip() */
};

void pt_scan_init(struct pt_scan *s, struct pt_stream *st, bool swap);
void pt_scan_deinit(struct pt_scan *s);		/* after the order is gone */
/* in->at and in->off go to where it ended: after the last whole record, or at the bad one. */
enum pt_scan_end pt_scan_run(struct pt_scan *s, struct pt_scan_in *in, struct pt_err *e);
/* Takes up to `len` of the bytes to be skipped; returns how many. */
size_t pt_scan_skip(struct pt_scan *s, const uint8_t *p, size_t len);

/* Returns room for at least 64 KB after what is there. A partial record moves along when a new
 * block is begun. */
uint8_t *pt_feed_room(struct pt_feed *f, size_t *room);
/* Over what is there: pt_scan_skip() if bytes are to be skipped, else pt_scan_run(). */
enum pt_scan_end pt_feed_scan(struct pt_feed *f, struct pt_scan *s, bool nested, struct pt_err *e);
void pt_feed_deinit(struct pt_feed *f);

/* inflate.c: the content of COMPRESSED records, one stream of them. */
struct pt_inflate *pt_inflate_new(void);
void pt_inflate_free(struct pt_inflate *z);
int pt_inflate_record(struct pt_inflate *z, struct pt_scan *s, const void *p, size_t len,
		      uint64_t off, struct pt_err *e);
/* Called at the end of the input: an error if a record was begun and not finished. */
int pt_inflate_end(const struct pt_inflate *z, struct pt_err *e);

#endif
