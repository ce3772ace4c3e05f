/* sink.h - where the writer of a file puts its bytes: a buffer, which is handed on piece by piece,
 * so that a long file is never in memory as a whole.
 *
 *     struct pt_sink sink = { .write = write_out, .ctx = out };
 *     rc = pt_speedscope_write(samples, &about, &sink, &e);
 *
 * Errors are kept in the sink until the writer's end. */
#ifndef PT_EXPORT_SINK_H
#define PT_EXPORT_SINK_H

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/format/info.h"

struct pt_sink {
	int (*write)(void *ctx, const void *p, size_t len, struct pt_err *e);
	void *ctx;
	struct pt_buf text;		/* what the writer has not handed on yet */
	int rc;				/* -1: a write failed; later pieces are dropped */
	struct pt_err err;
};

/* What a file says of itself. */
struct pt_sink_about {
	const char *title;		/* the recording's name */
	const struct pt_info *info;	/* NULL: folded lines */
};

enum { PT_SINK_PIECE = 64 << 10 };

/* Hands on all but the last `keep` bytes. */
static inline void pt_sink_hand_on(struct pt_sink *s, size_t keep)
{
	size_t len = s->text.len - keep;

	if (s->rc == 0 && len)
		s->rc = s->write(s->ctx, s->text.data, len, &s->err);
	if (keep)
		memmove(s->text.data, s->text.data + len, keep);
	s->text.len = keep;
}

/* Hands on the text once it is long; writers call this often. The last byte stays in the buffer:
 * base/json.h sees from it whether a comma is needed. */
static inline void pt_sink_pace(struct pt_sink *s)
{
	if (s->text.len >= PT_SINK_PIECE)
		pt_sink_hand_on(s, 1);
}

/* At the end: hands on the rest, and frees the buffer. */
static inline int pt_sink_end(struct pt_sink *s, struct pt_err *e)
{
	pt_sink_hand_on(s, 0);
	pt_buf_deinit(&s->text);
	if (s->rc < 0 && e)
		*e = s->err;
	return s->rc;
}

#endif
