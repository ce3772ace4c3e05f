/* recording.h - a session into its file, into many files (pt-record --rotate), or into snapshots of
 * its last seconds (--snapshot): when a file begins and ends, and where.
 *
 *     pt_session_open -> pt_recording_open -> pt_recording_start ->
 *             { pt_recording_step, pt_recording_snapshot }... -> pt_session_stop ->
 *             pt_recording_end -> pt_recording_free -> pt_session_free
 *
 * The session is the caller's. Errors are those of record/write/recorder.h. */
#ifndef PT_RECORD_RECORDING_H
#define PT_RECORD_RECORDING_H

#include "record/write/recorder.h"
#include "record/write/rotate.h"

struct pt_recording_opts {
	enum pt_recording_files { PT_FILES_ONE, PT_FILES_ROTATE, PT_FILES_SNAPSHOTS } files;
	/* One file of this path, or many, whose names begin with it. */
	struct pt_rotate_opts to;
	uint64_t max_bytes;		/* end when so much is written; 0: no limit */
	struct pt_recorder_opts recorder;
};

struct pt_recording;

int pt_recording_open(struct pt_recording **r, struct pt_session *s,
		      const struct pt_recording_opts *o, struct pt_err *e);
void pt_recording_free(struct pt_recording *r);
/* Starts the session. */
int pt_recording_start(struct pt_recording *r, struct pt_err *e);
/* Waits for the session, and writes what there is. 1: it goes on; 0: the command has ended, enough
 * is written, the time is over, or the user stops it; -1: error. */
int pt_recording_step(struct pt_recording *r, struct pt_err *e);
/* After pt_session_stop(): completes the file, or writes the last snapshot. */
int pt_recording_end(struct pt_recording *r, struct pt_err *e);

/* What the last step, or the end, has written. */
struct pt_recording_snapshot {
	const char *path;
	const char *event;		/* at which it was made; NULL: by request, or at the end */
	uint64_t samples, bytes;
	uint64_t from_ns, to_ns;	/* of its samples; 0: it has none */
};
/* NULL: none. */
const struct pt_recording_snapshot *pt_recording_snapshot(const struct pt_recording *r);

const struct pt_recorder *pt_recording_recorder(const struct pt_recording *r);
uint64_t pt_recording_bytes(const struct pt_recording *r);	/* of all files so far */
bool pt_recording_is_stream(const struct pt_recording *r);
/* None for PT_FILES_ONE. */
struct pt_rotate_files pt_recording_files(const struct pt_recording *r);

#endif
