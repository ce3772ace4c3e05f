/* split.h - output into a file for each thread: PREFIX.TID (-ff -o PREFIX).
 *
 *     struct pt_split s = { .prefix = "out" };
 *     struct pt_buf *b = pt_split_of(&s, tid); ... add lines ...
 *     pt_split_paced(&s, tid, &e);
 *     pt_split_close(&s, &e);
 *
 * Each file is open only while it is written to, so that there may be any number of threads. One
 * that was there before is emptied. */
#ifndef PT_CLI_SPLIT_H
#define PT_CLI_SPLIT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"

struct pt_split {
	const char *prefix;		/* NULL: not asked for */
	struct pt_map files;		/* tid -> struct split_file */
};

/* The buffer for the lines of a thread. */
struct pt_buf *pt_split_of(struct pt_split *s, uint32_t tid);
/* Writes the thread's lines to its file once they are many. */
int pt_split_paced(struct pt_split *s, uint32_t tid, struct pt_err *e);
/* Writes all, and releases it. */
int pt_split_close(struct pt_split *s, struct pt_err *e);

#endif
