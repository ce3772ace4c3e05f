/* pages.h - pages of ftrace's ring buffer, of tracefs and of trace.dat, made into samples of
 * perf's form.
 *
 * The record of a tracepoint is the same bytes in both rings: each event becomes a sample of
 * PT_PAGE_FIELDS with that record as its RAW, and what a page says was lost before it becomes
 * a LOST record. pt_decode() and the order then work as for any other stream.
 *
 * Pages are read by libtraceevent's kbuffer, in a copy that is followed by readable bytes. Before
 * that, a page's length field is checked against the page, and after it the end of each event:
 * damaged pages give an error, never a read outside. Source of the layout: events/header_page and
 * events/header_event of tracefs, Documentation/trace/ring-buffer-map.rst, linux/ring_buffer.h. */
#ifndef PT_RECORD_PAGES_H
#define PT_RECORD_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "event/abi.h"

#define PT_PAGE_FIELDS \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_RAW)
/* A tracepoint's id in the stream is its number (pt_tp.id) from here: the kernel's own ids of perf
 * events are small. */
#define PT_PAGE_ID_BASE (1ull << 48)

enum {
	PT_PAGE_GROWTH = 6,		/* a page's samples take up to so many times its bytes */
	PT_PAGE_RAW_AT = 44,		/* header, IDENTIFIER, TID, TIME, CPU, raw size */
};

struct pt_pages {
	/* set by the caller */
	bool swap;			/* foreign byte order, also of the samples made */
	int long_bytes;			/* of the machine that wrote the page */
	uint32_t page_bytes;
	/* Returns the process of a thread that `pids` does not have; NULL: it is the thread itself.
	 */
	uint32_t (*process_of)(void *ctx, uint32_t tid);
	void *ctx;
	uint64_t lost_id;		/* the id in LOST records; 0: no event's own */
	/* time_ns = (stamp * mult >> shift) + offset_ns; mult 0: the stamp is nanoseconds */
	uint32_t mult, shift;
	int64_t offset_ns;

	/* pages.c's, but `pids` may be added to */
	struct pt_map pids;		/* thread -> process */
	struct kbuffer *reader;
	uint8_t *copy;
	uint32_t last_tid, last_pid;
	uint64_t told_lost;		/* losses that LOST records have reported so far */
};

/* -1: page_bytes or long_bytes is impossible. */
int pt_pages_init(struct pt_pages *p, struct pt_err *e);
void pt_pages_deinit(struct pt_pages *p);
struct pt_pages_out {
	uint8_t *at;			/* with room for PT_PAGE_GROWTH * page_bytes */
	size_t len_bytes;		/* of the records of this page */
	uint64_t last_ns;		/* the time of the last event */
};

/* -1: the page is damaged; what precedes the damage is in `out`. */
int pt_pages_convert(struct pt_pages *p, const void *page, size_t page_len, uint32_t cpu,
		     struct pt_pages_out *out, struct pt_err *e);
/* Makes a LOST record; returns its bytes. */
size_t pt_pages_put_lost(struct pt_pages *p, uint64_t lost, uint64_t time_ns, uint32_t cpu,
			 uint8_t *out);

#endif
