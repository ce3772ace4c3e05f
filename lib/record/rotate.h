/* rotate.h - the files of a recording that is cut into many (pt-record --rotate): when the next one
 * is due, their names, and how many are kept.
 *
 *     pt_rotate_new -> pt_rotate_open(&w) -> { pt_rotate_due ? pt_rotate_open(&next),
 *             pt_recorder_rotate, pt_writer_free(w), pt_rotate_done }... -> pt_rotate_done
 *
 * A file is PATH.20261127T030000.123Z, by the wall clock in UTC when it was begun. Names rise, also
 * where that clock is set back, and are never those of files that are there already. */
#ifndef PT_RECORD_ROTATE_H
#define PT_RECORD_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/write.h"

struct pt_rotate_opts {
	const char *path;
	uint64_t every_ns, every_bytes;	/* 0: not by time, not by size */
	uint64_t keep;			/* so many complete files; 0: all */
	struct pt_writer_opts writer;
};

struct pt_rotate;

struct pt_rotate *pt_rotate_new(const struct pt_rotate_opts *o);
void pt_rotate_free(struct pt_rotate *r);
/* -1: no file can be made there. For those who open the first one much later. */
int pt_rotate_check(const struct pt_rotate *r, struct pt_err *e);
int pt_rotate_open(struct pt_rotate *r, struct pt_writer **w, struct pt_err *e);
/* `clock_ns`: any clock; the first call starts it. `w`: of the current file. */
const char *pt_rotate_path(const struct pt_rotate *r);	/* of the file that was opened last */
bool pt_rotate_due(struct pt_rotate *r, uint64_t clock_ns, const struct pt_writer *w);
/* The file that was opened before is complete. Removes the oldest one that is too much, unless
 * its name is that of another file by now, or somebody has written to it. */
void pt_rotate_done(struct pt_rotate *r);
/* So many files were completed, and are there still. */
size_t pt_rotate_nr(const struct pt_rotate *r);
size_t pt_rotate_nr_kept(const struct pt_rotate *r);

#endif
