#include "record/write/write_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	QUEUE_BYTES = 64 << 20,
	/* Compressed: each record is flushed after so many bytes of input and unpacks to less than
	   the unit that the COMPRESSED section names. */
	ZSTD_STEP = 512 << 10,
	ZSTD_UNIT = 1 << 20,
	/* room for the empty blocks that pad a record to a multiple of 8 */
	ZSTD_PAD = 24,
};

uint64_t pt_writer_bytes(const struct pt_writer *w) { return w->stream ? w->streamed : w->end; }
bool pt_writer_is_stream(const struct pt_writer *w) { return w->stream; }

int pt_writer_open(struct pt_writer **out, const char *path, const struct pt_writer_opts *o,
		   struct pt_err *e)
{
	struct pt_writer *w = pt_alloc(sizeof(*w));
	int rc = 0;

	w->fd = -1;
	w->level = o->level;
	w->is_new = o->is_new;
	if (!strcmp(path, "-")) {
		w->path = pt_strdup("standard output");
		w->stream = true;
		w->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (w->fd < 0)
			rc = pt_err_sys(e, errno, "standard output");
	} else {
		w->path = pt_strdup(path);
		rc = write_file_open(w, e);
	}
	if (rc == 0 && w->stream) {
		rc = pt_outqueue_new(&w->queue, w->fd,
				     o->queue_bytes ? o->queue_bytes : QUEUE_BYTES, e);
		if (rc < 0)
			pt_err_context(e, "%s", w->path);
	}
	if (rc == 0 && w->level) {
		w->zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, w->level);
	}
	if (rc < 0)
		pt_writer_free(w);
	else
		*out = w;
	return rc;
}

void pt_writer_free(struct pt_writer *w)
{
	if (!w)
		return;
	pt_outqueue_free(w->queue);
	if (w->fd >= 0)
		close(w->fd);
	ZSTD_freeCCtx(w->zstd);
	pt_buf_deinit(&w->table);
	pt_buf_deinit(&w->late_attrs);
	pt_buf_deinit(&w->own);
	pt_buf_deinit(&w->packed);
	free(w->iov);
	free(w->path);
	free(w);
}

int pt_writer_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		    struct pt_sections *s, struct pt_err *e)
{
	if (w->level)
		pt_sections_compressed(s, w->level, 1, ZSTD_UNIT);
	w->nr_events = (uint32_t)nr;
	return w->stream ? write_stream_begin(w, events, nr, s, e)
			 : write_file_begin(w, events, nr, s, e);
}

int pt_writer_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		     struct pt_err *e)
{
	if (w->stream)
		return write_stream_events(w, events, nr, e);
	write_file_events(w, events, nr);
	return 0;
}

void pt_writer_add(struct pt_writer *w, const void *p, size_t len)
{
	if (!len)
		return;
	PT_GROW(w->iov, w->nr_iov, w->cap_iov);
	w->iov[w->nr_iov++] = (struct iovec){ (void *)p, len };
	w->added_bytes += len;
}

/* Ends the COMPRESSED record that begins at *start in w->packed and begins the next. `whole`: zstd
 * has flushed, so a block may begin here; empty blocks of three bytes pad the record to a multiple
 * of 8. */
static void end_packed(struct pt_writer *w, size_t *start, bool whole)
{
	struct perf_event_header h = { .type = PT_RECORD_COMPRESSED };

	if (w->packed.len - *start == sizeof(h))
		return;			/* it is empty */
	while (whole && (w->packed.len - *start) % 8)
		pt_buf_fill(&w->packed, 0, 3);
	h.size = (uint16_t)(w->packed.len - *start);
	memcpy(w->packed.data + *start, &h, sizeof(h));
	*start = w->packed.len;
	pt_buf_fill(&w->packed, 0, sizeof(h));
}

/* Feeds one piece into the record that begins at *start; opens new records as they fill. */
static int pack(struct pt_writer *w, const void *p, size_t len, bool flush, size_t *start,
		struct pt_err *e)
{
	const size_t full = WRITE_MAX_RECORD - ZSTD_PAD;
	ZSTD_inBuffer in = { p, len, 0 };
	ZSTD_outBuffer out;
	size_t left;

	do {
		pt_buf_grow(&w->packed, WRITE_MAX_RECORD);
		out = (ZSTD_outBuffer){ w->packed.data + w->packed.len,
					full - (w->packed.len - *start), 0 };
		left = ZSTD_compressStream2(w->zstd, &out, &in,
					    flush ? ZSTD_e_flush : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return pt_err_set(e, "zstd: %s", ZSTD_getErrorName(left));
		w->packed.len += out.pos;
		if (w->packed.len - *start == full)
			end_packed(w, start, false);
	} while (in.pos < in.size || (flush && left));
	if (flush)
		end_packed(w, start, true);
	return 0;
}

/* Packs all pieces into w->packed, as COMPRESSED records. */
static int pack_added(struct pt_writer *w, struct pt_err *e)
{
	size_t start = 0, i, done, n, since = 0;

	pt_buf_clear(&w->packed);
	pt_buf_fill(&w->packed, 0, PT_HEADER_BYTES);
	for (i = 0; i < w->nr_iov; i++) {
		for (done = 0; done < w->iov[i].iov_len; done += n) {
			n = PT_MIN(w->iov[i].iov_len - done, (size_t)ZSTD_STEP - since);
			since = (since + n) % ZSTD_STEP;
			if (pack(w, (uint8_t *)w->iov[i].iov_base + done, n, !since, &start, e) < 0)
				return -1;
		}
	}
	if (pack(w, NULL, 0, true, &start, e) < 0)
		return -1;
	w->packed.len = start;		/* drop the header of an empty record */
	w->unpacked_bytes += w->added_bytes;
	w->packed_bytes += w->packed.len;
	return 0;
}

static int do_flush(struct pt_writer *w, unsigned flags, struct pt_err *e)
{
	bool marks = flags & (PT_WRITE_ROUND | PT_WRITE_INIT),
	     empty = !w->nr_iov;

	/* Two marks let a reader go on to the last record; more would only make an idle recording
	 * grow. */
	w->empty_rounds = empty ? w->empty_rounds + 1 : 0;
	if (w->empty_rounds > 2 && !(flags & PT_WRITE_INIT))
		return 0;
	if (w->stream && !(flags & PT_WRITE_MUST) && !pt_outqueue_room(w->queue, w->added_bytes))
		return 1;
	if (w->zstd && w->added_bytes) {
		if (pack_added(w, e) < 0)
			return -1;
		w->nr_iov = 0;
		pt_writer_add(w, w->packed.data, w->packed.len);
	}
	pt_buf_clear(&w->own);
	if (flags & PT_WRITE_ROUND)
		write_header(&w->own, PT_RECORD_FINISHED_ROUND, 0,
			     PT_HEADER_BYTES);
	if (flags & PT_WRITE_INIT)
		write_header(&w->own, PT_RECORD_FINISHED_INIT, 0, PT_HEADER_BYTES);
	if (marks)
		pt_writer_add(w, w->own.data, w->own.len);
	if (!w->stream)
		return write_file_flush(w, e);
	return w->nr_iov ? write_stream_put(w, w->iov, w->nr_iov, flags & PT_WRITE_MUST, e) : 0;
}

int pt_writer_flush(struct pt_writer *w, unsigned flags, struct pt_err *e)
{
	int rc = do_flush(w, flags, e);

	w->nr_iov = 0;
	w->added_bytes = 0;
	return rc;
}

int pt_writer_end(struct pt_writer *w, struct pt_sections *s, struct pt_err *e)
{
	uint32_t ratio =
		w->packed_bytes ? (uint32_t)PT_MAX(w->unpacked_bytes / w->packed_bytes, 1u) : 1;

	if (w->level)
		pt_sections_compressed(s, w->level, ratio, ZSTD_UNIT);
	return w->stream ? write_stream_end(w, s, e) : write_file_end(w, s, e);
}
