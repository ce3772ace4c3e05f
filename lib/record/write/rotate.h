/* rotate.h - the files of a recording that is cut into many (pt-record --rotate): when the next one
 * is due, their names, and how many are kept.
 *
 *     pt_rotate_new -> pt_rotate_open -> { pt_rotate_due ? pt_rotate_open of the next file,
 *             pt_rotate_done of the one before }... -> pt_rotate_done
 *
 * A file is PATH.20261127T030000.123Z, by the wall clock in UTC when it was begun. Names rise, also
 * where that clock is set back, and are never those of files that are there already. */
#ifndef PT_RECORD_ROTATE_H
#define PT_RECORD_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "record/write/write.h"

struct pt_rotate_opts {
	const char *path;
	uint64_t every_ns, every_bytes;	/* 0: not by time, not by size */
	uint64_t keep;			/* so many complete files; 0: all */
	struct pt_writer_opts writer;
};

struct pt_rotate_files {
	size_t nr;			/* that were completed */
	/* those of them that are there still, the oldest first */
	struct pt_rotate_file { char *path; struct stat st; } *kept;
	size_t nr_kept;
};

struct pt_rotate;

struct pt_rotate *pt_rotate_new(const struct pt_rotate_opts *o);
void pt_rotate_free(struct pt_rotate *r);
/* -1: no file can be made there. For a recorder that opens its first file much later. */
int pt_rotate_check(const struct pt_rotate *r, struct pt_err *e);
/* Opens the next file. *path is its name, released by free(). */
int pt_rotate_open(struct pt_rotate *r, struct pt_writer **w, char **path, struct pt_err *e);
/* True: the current file, of `w`, is long enough. clock_ns: any clock; the first call starts it. */
bool pt_rotate_due(struct pt_rotate *r, uint64_t clock_ns, const struct pt_writer *w);
/* This file is complete. Removes the oldest one if there are more than `keep`, unless its name is
 * that of another file by now, or somebody has written to it. */
void pt_rotate_done(struct pt_rotate *r, const char *path);
struct pt_rotate_files pt_rotate_files(const struct pt_rotate *r);
/* How much of the path of such a file is PATH; of any other path: all of it. */
size_t pt_rotate_output_len(const char *path);

#endif
