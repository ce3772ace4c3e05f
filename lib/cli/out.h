/* out.h - standard output (or -o FILE) of a tool, through a buffer of 64 KB. Terminals get each
 * write at once.
 *
 * If the reader has gone, SIGPIPE ends the process within the write; if SIGPIPE is ignored, the
 * write fails with EPIPE.
 *
 * In a live session a blocked reader must not stop the draining of rings. pt_out_live() starts a
 * thread that writes from a bounded queue (64 MB), so pt_out_write() never waits. Writes that do
 * not fit are dropped whole and counted. If the reader has gone, pt_out_write() fails with e->sys =
 * EPIPE; pt_finish() (cli/input.h) then ends the process by SIGPIPE without a message. */
#ifndef PT_CLI_OUT_H
#define PT_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/format/record.h"

struct pt_out;
enum { PT_OUT_PACE_NS = 200000000, PT_OUT_PACED_BYTES = 60000 };

/* NULL or "-": standard output */
int pt_out_open(struct pt_out **o, const char *path, struct pt_err *e);
/* Fails if there is neither such a file nor a folder where it can be made. Touches nothing. */
int pt_out_check(const char *path, struct pt_err *e);
/* True if output to `path` would overwrite `file`, by whatever name. */
bool pt_out_is_file(const char *path, const char *file);
void pt_out_live(struct pt_out *o, size_t queue_bytes);	/* 0: the default */
/* Writes whole lines or documents. After a failure, later writes fail at once. */
int pt_out_write(struct pt_out *o, const void *p, size_t len, struct pt_err *e);
/* Writes and empties a buffer. */
int pt_out_buf(struct pt_out *o, struct pt_buf *b, struct pt_err *e);
/* The same, once the buffer is long or, in a live session, PT_OUT_PACE_NS have passed by the
 * records' times (set the session's interval_ns, so that records keep coming). */
int pt_out_paced(struct pt_out *o, struct pt_buf *b, const struct pt_record *rec, struct pt_err *e);
int pt_out_flush(struct pt_out *o, struct pt_err *e);
bool pt_out_is_terminal(const struct pt_out *o);
uint64_t pt_out_dropped(const struct pt_out *o);	/* writes that were dropped */
/* Flushes and closes; a full disk may show only here. Always frees. */
int pt_out_close(struct pt_out *o, struct pt_err *e);

#endif
