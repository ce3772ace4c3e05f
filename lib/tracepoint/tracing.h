/* tracing.h - what recordings keep of the recorded machine's tracefs: its event formats, symbols,
 * printk formats and names of tasks.
 *
 * perf.data has all of it in one section (pt_tp_db_add_tracing_data()), trace.dat of version 6 at
 * its beginning, and version 7 each part in a section of its own. The parts are the same bytes:
 *
 *     HEADERS   "header_page\0"  u64 size, text      "header_event\0"  u64 size, text
 *     FTRACE    u32 count of ftrace's own events, each: u64 size, format text
 *     EVENTS    u32 count of systems, each: NAME\0, u32 count of events, each: u64 size, format
 *     KALLSYMS  u32 size, text
 *     PRINTK    u32 size, printk formats
 *     CMDLINES  u64 size, "PID NAME" lines (since version 0.6)
 *
 * in front of which stand
 *
 *     17 08 44 "tracing"  VERSION\0  u8 big endian?  u8 bytes of a long  u32 page size
 *
 * All numbers are in the recorded machine's byte order. Source: tools/perf/util/
 * trace-event-info.c, trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef PT_TRACEPOINT_TRACING_H
#define PT_TRACEPOINT_TRACING_H

#include "base/bytes.h"
#include "tracepoint/tp.h"

#define PT_TRACING_MAGIC "\x17\x08\x44tracing"

enum pt_tracing_part {
	PT_TRACING_HEADERS, PT_TRACING_FTRACE, PT_TRACING_EVENTS, PT_TRACING_KALLSYMS,
	PT_TRACING_PRINTK, PT_TRACING_CMDLINES, PT_TRACING_NR
};

struct pt_tracing {
	/* of the header */
	char version[8];
	bool swap;			/* foreign byte order */
	int long_bytes;
	uint32_t page_bytes;

	struct pt_tp_db *db;		/* set by the caller */
	/* of HEADERS: bytes of the kernel's long, from the page's `commit` field; 0: not said */
	int kernel_long_bytes;
	const char *cmdlines;		/* within the bytes read; no NUL behind */
	size_t cmdlines_len;
	unsigned bad;			/* formats that cannot be read, and why the first cannot */
	struct pt_err first_bad;
};

/* Sets b->swap. */
int pt_tracing_read_header(struct pt_tracing *t, struct pt_bytes *b, struct pt_err *e);
/* b is then behind the part. A format that is damaged is left out and counted in t->bad. -1: the
 * part is cut short, or none. */
int pt_tracing_read_part(struct pt_tracing *t, enum pt_tracing_part part, struct pt_bytes *b,
			 struct pt_err *e);
/* -1: some formats could not be read. */
int pt_tracing_check(const struct pt_tracing *t, struct pt_err *e);

#endif
