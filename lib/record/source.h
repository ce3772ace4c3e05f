/* source.h - the one stream: records in order of time from a file, a pipe or a live session.
 *
 *     struct pt_source *s;
 *     if (pt_source_open(&s, "fio.data", NULL, &e) < 0) ...
 *     while ((rc = pt_source_next(s, &rec, &e)) > 0)
 *             ...
 *     // rc 0: the end; rc -1: what is readable was delivered, e says what was wrong
 *     pt_source_free(s);
 *
 * Order is by (time, arrival). A record without time keeps its place; a late one (older than what
 * was delivered already) is delivered when it is found, and counted. Damaged input: all that can be
 * read before the damage comes first, then -1, once; after that 0. Attributes may come at any point
 * of a stream: a pt_event that a record names stays good until the source is freed.
 *
 * Memory: a file is mapped and decoded in place, so what is private is bounded by the rounds of the
 * file (FINISHED_ROUND). */
#ifndef PT_RECORD_SOURCE_H
#define PT_RECORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/info.h"
#include "record/record.h"

struct pt_source;
struct pt_backend;

struct pt_source_opts {
	bool file_order;		/* no sorting: as they are stored */
};

/* A perf.data file, the directory of `perf record --threads`, or "-": standard input, as a stream.
 * A file that holds a stream is read as one. */
int pt_source_open(struct pt_source **s, const char *path, const struct pt_source_opts *o,
		   struct pt_err *e);
/* A stream from a pipe, socket or file at its present offset. The fd becomes the source's, also on
 * failure; `name` is for messages. */
int pt_source_open_fd(struct pt_source **s, int fd, const char *name,
		      const struct pt_source_opts *o, struct pt_err *e);
/* Records of a backend (record/backend.h): how live.c makes a source. Owns the backend from here
 * on, also on failure. */
int pt_source_open_backend(struct pt_source **s, struct pt_backend *b,
			   const struct pt_source_opts *o, struct pt_err *e);
/* The backend of a source: for those that made it. */
struct pt_backend *pt_source_backend(struct pt_source *s);
void pt_source_free(struct pt_source *s);

/* 1: *rec is the next record, good until the next call; 0: the end; -1: an error. */
int pt_source_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e);

/* Ends a recording where it is read now: the next pt_source_next() gives -1 and says so. From any
 * thread. */
void pt_source_stop(struct pt_source *s);

/* The events so far. */
size_t pt_source_nr_events(const struct pt_source *s);
const struct pt_event *pt_source_event(const struct pt_source *s, size_t i);
/* Formats that the source has (live: this machine's); NULL when none came (yet). */
struct pt_tp_db *pt_source_tps(const struct pt_source *s);

/* What the recording says about its machine and itself. The source's. */
const struct pt_info *pt_source_info(const struct pt_source *s);

/* Build-ids of the BUILD_ID section, and of the HEADER_BUILD_ID records so far. */
size_t pt_source_nr_build_ids(const struct pt_source *s);
const struct pt_build_id_entry *pt_source_build_id(const struct pt_source *s, size_t i);

/* Losses and oddities so far; complete when next() has given 0. */
const struct pt_tally *pt_source_tally(const struct pt_source *s);
struct pt_event_tally pt_source_event_tally(const struct pt_source *s, const struct pt_event *ev);

/* Bytes [from, to) of a mapped file will hardly be looked at again: their pages are given back,
 * which else is the end's work. Also from another thread. */
void pt_source_drop(const struct pt_source *s, uint64_t from, uint64_t to);

#endif
