/* recorder.h - a session into a recording: rings are written as they are.
 *
 *     pt_session_open -> pt_recorder_new -> pt_recorder_begin -> pt_session_start -> {
 *             pt_session_wait, pt_recorder_walk }... -> pt_session_stop ->
 *     pt_recorder_end -> pt_recorder_free
 *
 * If the session's rings overwrite (pt_watch.overwrites), there is no file until
 * pt_recorder_snapshot() is called, as often as needed; the last call is after pt_session_stop(),
 * in place of pt_recorder_end().
 *
 * Session and writer are the caller's and outlive the recorder. Errors are the writer's (disk full,
 * reader gone) and what of tracefs cannot be read. */
#ifndef PT_RECORD_RECORDER_H
#define PT_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/format/info.h"
#include "record/watch/session.h"
#include "record/write/write.h"

struct pt_recorder_opts {
	const struct pt_watch *watch;	/* of the session */
	const char *version;		/* who writes it */
	int argc;			/* the command line, for the recording */
	char **argv;
};

struct pt_recorder;

/* `w`: NULL if the session's rings overwrite. */
struct pt_recorder *pt_recorder_new(struct pt_session *s, struct pt_writer *w,
				    const struct pt_recorder_opts *o);
void pt_recorder_free(struct pt_recorder *r);
/* Header, formats, machine, and what runs already. Before the session starts. */
int pt_recorder_begin(struct pt_recorder *r, struct pt_err *e);
/* Takes what the rings hold. */
int pt_recorder_walk(struct pt_recorder *r, struct pt_err *e);
/* Ends the file, and goes on with another one, which is a recording by itself. Nothing is lost or
 * written twice in between. On success the old writer is no longer needed. */
int pt_recorder_rotate(struct pt_recorder *r, struct pt_writer *next, struct pt_err *e);
/* Writes what the rings hold, up to that time, as a recording by itself: samples that no snapshot
 * has yet, and all names and mappings of their time. Later samples stay for the next one. */
int pt_recorder_snapshot(struct pt_recorder *r, struct pt_writer *w, uint64_t until_ns,
			 struct pt_err *e);
/* The name and the time of the trigger (pt_event_spec.trigger) that came last and is in no snapshot
 * yet; NULL: there is none. A snapshot up to that time has it. */
const char *pt_recorder_triggered(const struct pt_recorder *r, uint64_t *time_ns);
/* The times of the first and the last sample in the current file, or in the last one if that is
 * complete; 0: it has none. */
void pt_recorder_covers(const struct pt_recorder *r, uint64_t *from_ns, uint64_t *to_ns);
/* After pt_session_stop(): the last walk, the kernel's final counts, the sections that end the
 * recording. */
int pt_recorder_end(struct pt_recorder *r, struct pt_err *e);

/* After that: what the recording names goes into perf's cache (record/write/buildcache.h). */
int pt_recorder_cache(const struct pt_recorder *r, struct pt_err *e);

struct pt_recorder_event {
	const char *name;
	bool side_band;
	struct pt_event_tally tally;
};
/* Figures: complete once pt_recorder_end() was called. */
size_t pt_recorder_nr_events(const struct pt_recorder *r);
struct pt_recorder_event pt_recorder_event(const struct pt_recorder *r, size_t i);
/* samples, lost (as far as the kernel's records tell), lost_unknown, throttled */
struct pt_tally pt_recorder_tally(const struct pt_recorder *r);

#endif
