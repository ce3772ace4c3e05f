#include "record/write/recording.h"

#include <stdlib.h>

#include "base/mem.h"

struct pt_recording {
	struct pt_session *session;
	struct pt_recorder *recorder;
	struct pt_writer *writer;	/* NULL between snapshots */
	struct pt_rotate *rotate;	/* NULL: one file */
	enum pt_recording_files files;
	uint64_t max_bytes;
	uint64_t bytes;			/* of the files before this one */
	char *path;			/* of many files: the present one, or the last snapshot */
	struct pt_recording_snapshot snapshot;
};

static int open_first(struct pt_recording *r, const struct pt_recording_opts *o, struct pt_err *e)
{
	if (o->files == PT_FILES_ONE)
		return pt_writer_open(&r->writer, o->to.path, &o->to.writer, e);
	r->rotate = pt_rotate_new(&o->to);
	return o->files == PT_FILES_ROTATE ? pt_rotate_open(r->rotate, &r->writer, &r->path, e)
					   : pt_rotate_check(r->rotate, e);
}

int pt_recording_open(struct pt_recording **out, struct pt_session *s,
		      const struct pt_recording_opts *o, struct pt_err *e)
{
	struct pt_recording *r = pt_alloc(sizeof(*r));

	r->session = s;
	r->files = o->files;
	r->max_bytes = o->max_bytes;
	if (open_first(r, o, e) < 0) {
		pt_recording_free(r);
		return -1;
	}
	r->recorder = pt_recorder_new(s, r->writer, &o->recorder);
	*out = r;
	return 0;
}

void pt_recording_free(struct pt_recording *r)
{
	if (!r)
		return;
	pt_recorder_free(r->recorder);
	pt_writer_free(r->writer);
	pt_rotate_free(r->rotate);
	free(r->path);
	free(r);
}

int pt_recording_start(struct pt_recording *r, struct pt_err *e)
{
	return pt_recorder_begin(r->recorder, e) < 0 ? -1 : pt_session_start(r->session, e);
}

/* Goes on with the next file. */
static int rotate(struct pt_recording *r, struct pt_err *e)
{
	struct pt_writer *next;
	char *path;

	if (pt_rotate_open(r->rotate, &next, &path, e) < 0)
		return -1;
	if (pt_recorder_rotate(r->recorder, next, e) < 0) {
		pt_writer_free(next);
		free(path);
		return -1;
	}
	r->bytes += pt_writer_bytes(r->writer);
	pt_writer_free(r->writer);
	r->writer = next;
	pt_rotate_done(r->rotate, r->path);
	free(r->path);
	r->path = path;
	return 0;
}

/* Writes what the rings hold up to `until_ns` as a file. */
static int snapshot(struct pt_recording *r, uint64_t until_ns, const char *event, struct pt_err *e)
{
	struct pt_recording_snapshot *s = &r->snapshot;

	*s = (struct pt_recording_snapshot){ .event = event };
	free(r->path);
	r->path = NULL;
	if (pt_rotate_open(r->rotate, &r->writer, &r->path, e) < 0)
		return -1;
	s->samples = pt_recorder_tally(r->recorder).samples;
	if (pt_recorder_snapshot(r->recorder, r->writer, until_ns, e) < 0)
		return -1;
	s->samples = pt_recorder_tally(r->recorder).samples - s->samples;
	pt_recorder_covers(r->recorder, &s->from_ns, &s->to_ns);
	s->bytes = pt_writer_bytes(r->writer);
	r->bytes += s->bytes;
	pt_writer_free(r->writer);
	r->writer = NULL;
	s->path = r->path;
	pt_rotate_done(r->rotate, r->path);
	return 0;
}

static int recording_next_file(struct pt_recording *r, int bits, struct pt_err *e)
{
	bool over = bits & PT_SESSION_OVER, asked = bits & PT_SESSION_ROTATE && !over;
	uint64_t at_ns, now_ns = pt_session_clock_ns(r->session);
	const char *event;

	if (r->files == PT_FILES_SNAPSHOTS) {
		event = pt_recorder_triggered(r->recorder, &at_ns);
		if (event || asked)
			return snapshot(r, event ? at_ns : now_ns, event, e);
		return 0;
	}
	if (r->files == PT_FILES_ROTATE && !over &&
	    (pt_rotate_due(r->rotate, now_ns, r->writer) || asked))
		return rotate(r, e);
	return 0;
}

int pt_recording_step(struct pt_recording *r, struct pt_err *e)
{
	int bits = pt_session_wait(r->session, e);

	r->snapshot.path = NULL;
	if (bits < 0 ||
	    (bits & (PT_SESSION_DRAIN | PT_SESSION_OVER) && pt_recorder_walk(r->recorder, e) < 0) ||
	    recording_next_file(r, bits, e) < 0)
		return -1;
	return !(bits & PT_SESSION_OVER) &&
	       (!r->max_bytes || pt_recording_bytes(r) < r->max_bytes);
}

int pt_recording_end(struct pt_recording *r, struct pt_err *e)
{
	r->snapshot.path = NULL;
	if (r->files == PT_FILES_SNAPSHOTS)
		return snapshot(r, UINT64_MAX, NULL, e);
	if (pt_recorder_end(r->recorder, e) < 0)
		return -1;
	if (r->rotate)
		pt_rotate_done(r->rotate, r->path);
	return 0;
}

const struct pt_recording_snapshot *pt_recording_snapshot(const struct pt_recording *r)
{
	return r->snapshot.path ? &r->snapshot : NULL;
}

const struct pt_recorder *pt_recording_recorder(const struct pt_recording *r)
{
	return r->recorder;
}

uint64_t pt_recording_bytes(const struct pt_recording *r)
{
	return r->bytes + (r->writer ? pt_writer_bytes(r->writer) : 0);
}

bool pt_recording_is_stream(const struct pt_recording *r)
{
	return r->writer && pt_writer_is_stream(r->writer);
}

struct pt_rotate_files pt_recording_files(const struct pt_recording *r)
{
	return r->rotate ? pt_rotate_files(r->rotate) : (struct pt_rotate_files){ .nr = 0 };
}
