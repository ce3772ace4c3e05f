/* write.h - a recording: perf.data as a file, or as a stream.
 *
 *     pt_writer_open -> pt_writer_begin(events, sections) -> { pt_writer_add(bytes)...
 *             pt_writer_flush(PT_WRITE_ROUND) }... -> pt_writer_end -> pt_writer_free
 *
 * Whole records are added as they are; the bytes stay the caller's and must stay until the flush.
 *
 * A file is readable from the moment that its name appears (in pt_writer_begin()), whatever ends
 * the process. The format wants the table of sections right after the data, which grow; so each
 * round ends in a table whose first 16 bytes are both the entry of section 0 (reserved, read by
 * nobody) and the header of a record of a type that all readers skip (HEADER_EVENT_TYPE):
 *
 *     header | ids | attributes | sections | [table] data round [table] data round [table]
 *             the header's data size ends before the last table
 *
 * The next round is written after the last table with a table of its own; then one write of 8
 * bytes moves the data's end there, and the old table has become a record within the data. At the
 * end the final sections and a plain table follow, and one write renews the header.
 *
 * A stream goes through a queue and a thread, so that a stalled reader does not stop the caller.
 * What finds no room is not written: pt_writer_flush() says so, and the caller counts it as lost.
 *
 * Errors: a full disk is e->sys ENOSPC, a reader that went away EPIPE. After an error only
 * pt_writer_free() may follow. Source: tools/perf/Documentation/perf.data-file-format.txt. */
#ifndef PT_RECORD_WRITE_H
#define PT_RECORD_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/format/section.h"

struct pt_writer;

struct pt_writer_opts {
	int level;			/* zstd's; 0: not compressed */
	size_t queue_bytes;		/* of a stream; 0: 64 MB */
	bool is_new;			/* a file of that name is an error */
};

/* "-": standard output. What is no regular file (a pipe, a device) gets a stream. A regular file
 * that is there already and not empty is renamed to PATH.old. */
int pt_writer_open(struct pt_writer **w, const char *path, const struct pt_writer_opts *o,
		   struct pt_err *e);
/* Writes all that comes before the data. Adds the COMPRESSED section by itself. */
int pt_writer_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		    struct pt_sections *s, struct pt_err *e);
/* The same events have more ids now. A file has them once it is ended. */
int pt_writer_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		     struct pt_err *e);
void pt_writer_add(struct pt_writer *w, const void *p, size_t len_bytes);

enum pt_write_flags {
	/* FINISHED_ROUND after it: nothing that comes later is older than what came before the
	 * last one */
	PT_WRITE_ROUND = 1,
	PT_WRITE_INIT = 2,		/* FINISHED_INIT after it */
	PT_WRITE_MUST = 4,		/* a stream: waits for room in the queue */
};
/* 0: written (or queued); 1: dropped, no room; -1: an error. In all cases the added bytes are no
 * longer needed. */
int pt_writer_flush(struct pt_writer *w, unsigned flags, struct pt_err *e);
/* The sections known only now (BUILD_ID, SAMPLE_TIME) beside those of pt_writer_begin(), which must
 * still be in `s`. Waits for a stream's reader. */
int pt_writer_end(struct pt_writer *w, struct pt_sections *s, struct pt_err *e);
/* So far, of the file or stream. */
uint64_t pt_writer_bytes(const struct pt_writer *w);
bool pt_writer_is_stream(const struct pt_writer *w);
void pt_writer_free(struct pt_writer *w);

#endif
