/* write_stream.c - a recording as a stream, through a queue */
#include "record/write/write_priv.h"

#include <errno.h>
#include <unistd.h>

#include "base/mem.h"

int write_stream_put(struct pt_writer *w, const struct iovec *iov, size_t nr, bool wait,
		     struct pt_err *e)
{
	size_t i;

	for (i = 0; i < nr; i++)
		w->streamed += iov[i].iov_len;
	return pt_outqueue_put(w->queue, iov, nr, wait, e) < 0 ? pt_err_context(e, "%s", w->path)
							       : 0;
}

static int stream_buf(struct pt_writer *w, const struct pt_buf *b, struct pt_err *e)
{
	struct iovec iov = { b->data, b->len };

	return b->len ? write_stream_put(w, &iov, 1, true, e) : 0;
}

/* As many HEADER_ATTR records as each event's ids need. */
static void stream_attrs(struct pt_buf *b, const struct pt_write_event *events, size_t nr)
{
	const uint32_t attr_bytes = pt_write_attr_bytes(events, nr);
	const size_t max = (WRITE_MAX_RECORD - PT_HEADER_BYTES - attr_bytes) /
			   sizeof(uint64_t);

	for (const struct pt_write_event *ev = events; ev < events + nr; ev++) {
		size_t first = 0, n;

		do {
			n = PT_MIN(ev->nr_ids - first, max);
			write_header(b, PT_RECORD_HEADER_ATTR, 0,
				     PT_HEADER_BYTES + attr_bytes +
					     n * sizeof(uint64_t));
			pt_write_attr(b, ev, attr_bytes);
			pt_buf_add(b, ev->ids + first, n * sizeof(uint64_t));
			first += n;
		} while (first < ev->nr_ids);
	}
}

static void stream_feature(struct pt_buf *b, unsigned f, const struct pt_buf *data)
{
	size_t size = PT_HEADER_BYTES + sizeof(uint64_t) +
		      ((data->len + 7) & ~(size_t)7);

	if (size > WRITE_MAX_RECORD)
		return; /* with many events their names come in records of their own */
	write_header(b, PT_RECORD_HEADER_FEATURE, 0, size);
	pt_buf_u64(b, f);
	pt_buf_join(b, data);
	write_align8(b);
}

static void stream_name(struct pt_buf *b, const struct pt_write_event *ev)
{
	size_t len = PT_MIN(strlen(ev->name), (size_t)1024), padded = (len + 8) & ~(size_t)7;
	enum { UPDATE_NAME = 2 };

	if (!ev->nr_ids)
		return;
	write_header(b, PT_RECORD_EVENT_UPDATE, 0, PT_HEADER_BYTES + 16 + padded);
	pt_buf_u64(b, UPDATE_NAME);
	pt_buf_u64(b, ev->ids[0]);
	pt_buf_add(b, ev->name, len);
	pt_buf_fill(b, 0, padded - len);
}

static void stream_tracing_data(struct pt_buf *b, const struct pt_buf *data)
{
	size_t padded = (data->len + 7) & ~(size_t)7;

	write_header(b, PT_RECORD_HEADER_TRACING_DATA, 0, PT_HEADER_BYTES + 4);
	pt_buf_u32(b, (uint32_t)padded);
	pt_buf_join(b, data);
	pt_buf_fill(b, 0, padded - data->len);
}

int write_stream_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		       struct pt_sections *s, struct pt_err *e)
{
	const uint32_t apart = 1u << PT_FEATURE_TRACING_DATA | 1u << PT_FEATURE_BUILD_ID;
	struct pt_buf b = PT_BUF_INIT;
	unsigned f;
	size_t i;
	int rc;

	pt_buf_add(&b, WRITE_MAGIC, 8);
	pt_buf_u64(&b, 16);
	stream_attrs(&b, events, nr);
	for (f = 0; f < PT_SECTIONS_NR; f++)
		if ((s->has & ~apart) >> f & 1)
			stream_feature(&b, f, &s->data[f]);
	for (i = 0; i < nr; i++)
		stream_name(&b, &events[i]);
	if (s->has >> PT_FEATURE_TRACING_DATA & 1)
		stream_tracing_data(&b, &s->data[PT_FEATURE_TRACING_DATA]);
	rc = stream_buf(w, &b, e);
	pt_buf_deinit(&b);
	return rc;
}

int write_stream_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
			struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	int rc;

	stream_attrs(&b, events, nr);
	rc = stream_buf(w, &b, e);
	pt_buf_deinit(&b);
	return rc;
}

/* BUILD_ID holds records already, only without a type. */
int write_stream_end(struct pt_writer *w, struct pt_sections *s, struct pt_err *e)
{
	struct pt_buf *b = &s->data[PT_FEATURE_BUILD_ID];
	struct perf_event_header h;
	size_t at;

	for (at = 0; s->has >> PT_FEATURE_BUILD_ID & 1 && at + sizeof(h) <= b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (h.size < sizeof(h))
			break;
		h.type = PT_RECORD_HEADER_BUILD_ID;
		memcpy(b->data + at, &h, sizeof(h));
	}
	if (s->has >> PT_FEATURE_BUILD_ID & 1 && stream_buf(w, b, e) < 0)
		return -1;
	if (pt_outqueue_drain(w->queue, e) < 0)
		return pt_err_context(e, "%s", w->path);
	if (close(w->fd) < 0) {
		w->fd = -1;
		return pt_err_sys(e, errno, "%s", w->path);
	}
	w->fd = -1;
	return 0;
}
