/* source.h - the stream of records, in time order, of a file, a pipe or a live session.
 *
 *     struct pt_source *s;
 *     if (pt_source_open(&s, "fio.data", NULL, &e) < 0) ...
 *     while ((rc = pt_source_next(s, &rec, &e)) > 0)
 *             ...
 *     // rc 0: the end; rc -1: what is readable was delivered, e says what was wrong
 *     pt_source_free(s);
 *
 * Records are ordered by (time, arrival); one without time keeps its place. A late record (older
 * than one that was delivered) is delivered when it is found, and counted. From damaged input all
 * records before the damage are delivered, then -1 once, then 0. Attributes may come at any point
 * of a stream. A pt_event is valid until the source is freed.
 *
 * Files are mapped and decoded in place: memory is bounded by the size of their rounds. */
#ifndef PT_RECORD_SOURCE_H
#define PT_RECORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/format/info.h"
#include "record/format/record.h"

struct pt_source;
struct pt_backend;

struct pt_source_opts {
	/* what was read from a pipe or a socket already, up to 8 bytes */
	const char *start;
	size_t start_len;
};

/* Opens a perf.data file, a directory of `perf record --threads`, or "-", a stream on standard
 * input. A file may also hold a stream. Any other directory: all recordings in it, as
 * pt_source_open_several() does. */
int pt_source_open(struct pt_source **s, const char *path, const struct pt_source_opts *o,
		   struct pt_err *e);
/* Opens several recordings (files, or directories of them) as one stream, ordered by time. Equal
 * events of them are one event. What the recording says (pt_source_info()) is what the first says;
 * the figures are sums. If one is damaged, the others are delivered, and the damage is reported at
 * the end. An error: their clocks cannot be compared (another clock, machine or boot, as far as
 * they tell), one that is named is not there, or none can be opened. Archives among them are left
 * out. */
int pt_source_open_several(struct pt_source **s, const char *const *paths, size_t nr,
			   struct pt_err *e);
/* Opens a stream on a pipe, a socket, or a file at its current offset. The source owns the fd, even
 * on failure. `name` is for messages. */
int pt_source_open_fd(struct pt_source **s, int fd, const char *name,
		      const struct pt_source_opts *o, struct pt_err *e);
/* Makes a source of a backend (backend.h), as live.c does. The source owns the backend, even on
 * failure. */
int pt_source_open_backend(struct pt_source **s, struct pt_backend *b, struct pt_err *e);
/* The backend of a source, for the code that made it; NULL: of several recordings. */
struct pt_backend *pt_source_backend(struct pt_source *s);
void pt_source_free(struct pt_source *s);

/* 1: *rec is the next record, valid until the next call; 0: the end; -1: an error. A sample that
 * read the counters of its group ({a,b}:S) is delivered as a sample of each event that has counted
 * since the sample before, with that count as its period; the first of them has the values. */
int pt_source_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e);

/* From now on see() is called with each record that perf or pt-record wrote by itself (type,
 * data and place; PT_RECORD_HEADER_ATTR and above, but for packed ones) when it is read: before
 * of the records of its round. The record is valid during the call. */
void pt_source_see_own(struct pt_source *s, void (*see)(void *ctx, const struct pt_record *rec),
		       void *ctx);

/* Reads no more of a recording: pt_source_next() returns -1 and says so, of a stream when what was
 * read is delivered. Any thread may call this. */
void pt_source_stop(struct pt_source *s);

/* The events so far. */
size_t pt_source_nr_events(const struct pt_source *s);
const struct pt_event *pt_source_event(const struct pt_source *s, size_t i);
/* From now on samples of the event are counted but not delivered. It only saves time: where several
 * recordings are read as one, they are delivered all the same. */
void pt_source_mute(struct pt_source *s, const struct pt_event *ev);
/* The event formats of the source (live: this machine's); NULL: there are none so far. */
struct pt_tp_db *pt_source_tps(const struct pt_source *s);

/* The path is a regular file that begins as perf.data does. */
bool pt_source_is_recording(const char *path);
/* The name is one of an archive that stands beside recordings (stack/archive.h). */
bool pt_source_is_archive(const char *path);
/* What the recording says about its machine and itself. The source owns it. */
const struct pt_info *pt_source_info(const struct pt_source *s);

/* Build-ids of the BUILD_ID section, and of the HEADER_BUILD_ID records so far. */
size_t pt_source_nr_build_ids(const struct pt_source *s);
const struct pt_build_id_entry *pt_source_build_id(const struct pt_source *s, size_t i);

/* Losses and irregularities so far; complete when pt_source_next() has returned 0. */
const struct pt_tally *pt_source_tally(const struct pt_source *s);
struct pt_event_tally pt_source_event_tally(const struct pt_source *s, const struct pt_event *ev);

#endif
