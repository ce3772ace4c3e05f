/* out.h - standard output (or -o FILE) of a tool: written through a buffer of 64 KB, each failure
 * noticed. To a terminal each write goes out at once. A full disk is an error, exit 1.
 *
 * The reader went away: the process ends by SIGPIPE within the write, as other filters do (where
 * SIGPIPE is ignored: an error, EPIPE).
 *
 * Live, a blocked reader must not stop the draining: pt_out_live() puts a bounded queue (default 64
 * MB) and a thread that writes behind it, so that pt_out_write() never waits; what does not fit is
 * dropped by whole writes and counted. No flush is needed. If the reader has gone away,
 * pt_out_write() fails with e->sys = EPIPE, so that the tool can end its session; pt_finish()
 * (cli/input.h) prints nothing for it and ends the process by SIGPIPE. */
#ifndef PT_CLI_OUT_H
#define PT_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/record.h"

struct pt_out;
enum { PT_OUT_PACE_NS = 200000000 };

/* NULL or "-": standard output */
int pt_out_open(struct pt_out **o, const char *path, struct pt_err *e);
void pt_out_live(struct pt_out *o, size_t queue_bytes);	/* 0: the default */
/* Whole lines, or whole documents. -1: it failed (remembered; later writes do nothing). */
int pt_out_write(struct pt_out *o, const void *p, size_t len, struct pt_err *e);
/* A buffer of the tool's: what is in it is written, and it is empty. */
int pt_out_buf(struct pt_out *o, struct pt_buf *b, struct pt_err *e);
/* The same for a buffer that grows record by record: when there is much in it and, live, every
 * PT_OUT_PACE_NS by the records' time, since somebody may be waiting (the session's interval_ns
 * keeps records coming). */
int pt_out_paced(struct pt_out *o, struct pt_buf *b, const struct pt_record *rec, struct pt_err *e);
int pt_out_flush(struct pt_out *o, struct pt_err *e);
uint64_t pt_out_dropped(const struct pt_out *o);	/* writes that were dropped */
/* Flushes and closes, checks both (a full disk may show only here). Frees in any case. */
int pt_out_close(struct pt_out *o, struct pt_err *e);

#endif
