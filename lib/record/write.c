#include "record/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "record/outqueue.h"

enum {
	QUEUE_BYTES = 64 << 20,
	MAX_RECORD = 65528,		/* the size in a record's header has 16 bits */
	/* Compressed: each record is flushed after so many bytes of input and unpacks to less than the unit that the COMPRESSED section names. */
	ZSTD_STEP = 512 << 10,
	ZSTD_UNIT = 1 << 20,
	ZSTD_PAD = 24,			/* room for the empty blocks that bring a record to a multiple of 8 */
	NR_IOV = 512,
};

struct section { uint64_t off, len; };

struct file_header {			/* struct perf_file_header */
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};
_Static_assert(sizeof(struct file_header) == 104, "the header of perf.data");

struct pt_writer {
	char *path;
	int fd;
	bool stream;
	bool nameless;			/* the file gets its name once it is readable */
	int level;
	struct file_header header;
	uint32_t nr_events;

	/* File: the data's end in the file; right behind it lies the table, in front of the next round. */
	uint64_t end;
	struct pt_buf table;
	struct pt_buf new_attrs;	/* a record that holds attributes and ids, for the next flush; empty: none */
	struct pt_buf late_attrs;	/* the same when no record can hold them: written at the end */
	size_t attrs_at;		/* of the attributes within either */

	/* Stream */
	struct pt_outqueue *queue;
	uint64_t streamed;

	/* What was added since the last flush. */
	struct iovec *iov;
	size_t nr_iov, cap_iov;
	uint64_t added_bytes;
	unsigned empty_rounds;		/* one after the other */
	struct pt_buf own;		/* records of the writer's own that a flush adds */

	ZSTD_CCtx *zstd;
	struct pt_buf packed;
	uint64_t unpacked_bytes, packed_bytes;
};

static const char magic[8] = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' };

uint64_t pt_writer_bytes(const struct pt_writer *w) { return w->stream ? w->streamed : w->end; }
bool pt_writer_is_stream(const struct pt_writer *w) { return w->stream; }

static int rename_old(const char *path, struct pt_err *e)
{
	char *old = pt_asprintf("%s.old", path);
	int rc = rename(path, old) < 0 ? pt_err_sys(e, errno, "rename %s to %s", path, old) : 0;

	free(old);
	return rc;
}

static int open_by_name(struct pt_writer *w, struct pt_err *e)
{
	w->nameless = false;
	w->fd = open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
	return w->fd < 0 ? pt_err_sys(e, errno, "%s", w->path) : 0;
}

/* A file without a name in the same directory, where there is such a thing. */
static bool open_nameless(struct pt_writer *w)
{
	const char *slash = strrchr(w->path, '/');
	char *dir = !slash ? pt_strdup(".") : slash == w->path ? pt_strdup("/") : pt_strndup(w->path, (size_t)(slash - w->path));

	w->fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	w->nameless = w->fd >= 0;
	free(dir);
	return w->nameless;
}

/* Where nothing is in the way (or a recording that is to be kept) the name appears only once the file is readable. */
static int open_file(struct pt_writer *w, struct pt_err *e)
{
	struct stat st;
	bool there = lstat(w->path, &st) == 0, keep = there && S_ISREG(st.st_mode) && st.st_size > 0;

	if ((!there || keep) && open_nameless(w))
		return 0;
	if (stat(w->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && rename_old(w->path, e) < 0)
		return -1;
	if (open_by_name(w, e) < 0)
		return -1;
	w->stream = fstat(w->fd, &st) < 0 || !S_ISREG(st.st_mode);
	return 0;
}

/* Gives the file its name. 0; 1: it cannot be done this way; -1. */
static int publish(struct pt_writer *w, struct pt_err *e)
{
	char link_path[64];
	struct stat st;

	if (!w->nameless)
		return 0;
	if (lstat(w->path, &st) == 0 && rename_old(w->path, e) < 0)
		return -1;
	snprintf(link_path, sizeof(link_path), "/proc/self/fd/%d", w->fd);
	if (linkat(AT_FDCWD, link_path, AT_FDCWD, w->path, AT_SYMLINK_FOLLOW) < 0)
		return 1;
	w->nameless = false;
	return 0;
}

int pt_writer_open(struct pt_writer **out, const char *path, const struct pt_writer_opts *o, struct pt_err *e)
{
	struct pt_writer *w = pt_alloc(sizeof(*w));
	int rc = 0;

	w->fd = -1;
	w->level = o->level;
	if (!strcmp(path, "-")) {
		w->path = pt_strdup("standard output");
		w->stream = true;
		w->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (w->fd < 0)
			rc = pt_err_sys(e, errno, "standard output");
	} else {
		w->path = pt_strdup(path);
		rc = open_file(w, e);
	}
	if (rc == 0 && w->stream) {
		rc = pt_outqueue_new(&w->queue, w->fd, o->queue_bytes ? o->queue_bytes : QUEUE_BYTES, e);
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
	pt_buf_deinit(&w->new_attrs);
	pt_buf_deinit(&w->late_attrs);
	pt_buf_deinit(&w->own);
	pt_buf_deinit(&w->packed);
	free(w->iov);
	free(w->path);
	free(w);
}

static int write_at(struct pt_writer *w, const void *p, size_t len, uint64_t off, struct pt_err *e)
{
	const uint8_t *at = p;
	ssize_t n;

	while (len) {
		n = pwrite(w->fd, at, len, (off_t)off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pt_err_sys(e, n < 0 ? errno : ENOSPC, "%s", w->path);
		at += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* The pieces from `off` on; the iovec is used up. */
static int write_pieces(struct pt_writer *w, struct iovec *iov, size_t nr, uint64_t off, struct pt_err *e)
{
	ssize_t n;

	while (nr) {
		n = pwritev(w->fd, iov, (int)PT_MIN(nr, (size_t)NR_IOV), (off_t)off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pt_err_sys(e, n < 0 ? errno : ENOSPC, "%s", w->path);
		off += (uint64_t)n;
		while (nr && (size_t)n >= iov->iov_len) {
			n -= (ssize_t)iov->iov_len;
			iov++;
			nr--;
		}
		if (nr) {
			iov->iov_base = (uint8_t *)iov->iov_base + n;
			iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static void put_header(struct pt_buf *b, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };

	pt_buf_add(b, &h, sizeof(h));
}

static void align8(struct pt_buf *b)
{
	pt_buf_zeros(b, -b->len & 7);
}

/* ---- file ---- */

/* Ids and attributes, as they lie in the file from `off` on. Returns where the attributes begin. */
static size_t put_attrs(struct pt_writer *w, struct pt_buf *b, uint64_t off, const struct pt_write_event *events, size_t nr)
{
	uint32_t attr_bytes = pt_write_attr_bytes(events, nr);
	size_t start = b->len, at, i;
	struct pt_attr attr;
	uint64_t ids_off = off;

	for (i = 0; i < nr; i++)
		pt_buf_add(b, events[i].ids, events[i].nr_ids * sizeof(uint64_t));
	at = b->len - start;
	for (i = 0; i < nr; i++) {
		attr = events[i].attr;
		attr.size = attr_bytes;
		pt_buf_add(b, &attr, attr_bytes);
		pt_buf_u64(b, ids_off);
		pt_buf_u64(b, events[i].nr_ids * sizeof(uint64_t));
		ids_off += events[i].nr_ids * sizeof(uint64_t);
	}
	w->header.attr_size = attr_bytes + sizeof(struct section);
	w->header.attrs.len = nr * w->header.attr_size;
	return at;
}

/* The sections of `s` that `which` names go to `b`, which lies at `off` in the file; `where` gets the place of each. */
static void put_sections(struct pt_buf *b, uint64_t off, const struct pt_sections *s, uint32_t which, struct section *where)
{
	unsigned f;

	for (f = 0; f < PT_FEAT_NR; f++) {
		if (!(which >> f & 1))
			continue;
		align8(b);
		where[f] = (struct section){ off + b->len, s->data[f].len };
		pt_buf_add(b, pt_buf_str(&s->data[f]), s->data[f].len);
	}
}

static void put_table(struct pt_buf *b, uint32_t which, const struct section *where)
{
	unsigned f;

	for (f = 0; f < PT_FEAT_NR; f++)
		if (which >> f & 1)
			pt_buf_add(b, &where[f], sizeof(where[f]));
}

/* The header comes last: without it there is nothing to misunderstand. */
static int write_head(struct pt_writer *w, const struct pt_buf *behind, struct pt_err *e)
{
	if (write_at(w, behind->data, behind->len, sizeof(w->header), e) < 0)
		return -1;
	return write_at(w, &w->header, sizeof(w->header), 0, e);
}

static int begin_file(struct pt_writer *w, const struct pt_write_event *events, size_t nr, struct pt_sections *s, struct pt_err *e)
{
	struct section where[PT_FEAT_NR] = { 0 };
	uint32_t which = s->has | 1u << PT_FEAT_RESERVED;
	struct pt_buf b = PT_BUF_INIT;
	size_t table_len = (size_t)__builtin_popcount(which) * sizeof(struct section);
	struct perf_event_header skip = { .type = PT_RECORD_HEADER_EVENT_TYPE, .size = (uint16_t)table_len };
	int rc;

	memcpy(w->header.magic, magic, sizeof(magic));
	w->header.size = sizeof(w->header);
	w->header.attrs.off = sizeof(w->header) + put_attrs(w, &b, sizeof(w->header), events, nr);
	put_sections(&b, sizeof(w->header), s, s->has, where);
	align8(&b);
	memcpy(&where[PT_FEAT_RESERVED].off, &skip, sizeof(skip));
	put_table(&w->table, which, where);
	/* A table is the first record, since readers take empty data for a recorder that was killed before it knew the size. */
	w->header.data = (struct section){ sizeof(w->header) + b.len, w->table.len };
	w->header.features[0] = which;
	w->end = w->header.data.off + w->table.len;
	pt_buf_add(&b, w->table.data, w->table.len);
	pt_buf_add(&b, w->table.data, w->table.len);
	rc = write_head(w, &b, e);
	if (rc == 0 && (rc = publish(w, e)) > 0) {
		close(w->fd);
		rc = open_by_name(w, e);
		if (rc == 0)
			rc = write_head(w, &b, e);
	}
	pt_buf_deinit(&b);
	return rc;
}

static int flush_file(struct pt_writer *w, struct pt_err *e)
{
	uint64_t off = w->end + w->table.len, len = 0;
	size_t i;

	for (i = 0; i < w->nr_iov; i++)
		len += w->iov[i].iov_len;
	if (!len)
		return 0;
	pt_writer_add(w, w->table.data, w->table.len);
	if (write_pieces(w, w->iov, w->nr_iov, off, e) < 0)
		return -1;
	w->end = off + len;
	w->header.data.len = w->end - w->header.data.off;
	if (w->new_attrs.len) {		/* it was the first piece */
		w->header.attrs.off = off + w->attrs_at;
		pt_buf_clear(&w->new_attrs);
	}
	return write_at(w, &w->header.attrs, sizeof(struct section) * 2, offsetof(struct file_header, attrs), e);
}

static int end_file(struct pt_writer *w, struct pt_sections *s, struct pt_err *e)
{
	struct section where[PT_FEAT_NR] = { 0 };
	struct pt_buf b = PT_BUF_INIT;
	uint64_t off;
	size_t table_len = (size_t)__builtin_popcount(s->has) * sizeof(struct section);
	int rc;

	off = w->end + w->table.len;	/* the last table becomes a record of the data, too */
	w->header.data.len = off - w->header.data.off;
	pt_buf_zeros(&b, table_len);
	put_sections(&b, off, s, s->has, where);
	align8(&b);
	if (w->late_attrs.len) {
		/* Made for some place: move the ids' offsets to this one. */
		struct pt_buf *l = &w->late_attrs;
		uint64_t n = w->nr_events, ids_off = off + b.len, i;

		for (i = 0; i < n; i++) {
			struct section *ids = (struct section *)(void *)(l->data + w->attrs_at + (i + 1) * w->header.attr_size) - 1;

			ids->off = ids_off;
			ids_off += ids->len;
		}
		w->header.attrs.off = off + b.len + w->attrs_at;
		pt_buf_add(&b, l->data, l->len);
	}
	w->table.len = 0;
	put_table(&w->table, s->has, where);
	memcpy(b.data, w->table.data, w->table.len);
	w->header.features[0] = s->has;
	rc = write_at(w, b.data, b.len, off, e);
	if (rc == 0)
		rc = write_at(w, &w->header, sizeof(w->header), 0, e);
	w->end = off + b.len;
	pt_buf_deinit(&b);
	if (rc == 0 && close(w->fd) < 0)
		rc = pt_err_sys(e, errno, "%s", w->path);
	w->fd = -1;
	return rc;
}

/* ---- stream ---- */

static int stream_put(struct pt_writer *w, const struct iovec *iov, size_t nr, bool wait, struct pt_err *e)
{
	size_t i;

	for (i = 0; i < nr; i++)
		w->streamed += iov[i].iov_len;
	return pt_outqueue_put(w->queue, iov, nr, wait, e) < 0 ? pt_err_context(e, "%s", w->path) : 0;
}

static int stream_buf(struct pt_writer *w, const struct pt_buf *b, struct pt_err *e)
{
	struct iovec iov = { b->data, b->len };

	return b->len ? stream_put(w, &iov, 1, true, e) : 0;
}

/* HEADER_ATTR, as many as the ids from `first` on need. */
static void stream_attr(struct pt_buf *b, const struct pt_write_event *ev, uint32_t attr_bytes, size_t first)
{
	const size_t max = (MAX_RECORD - sizeof(struct perf_event_header) - attr_bytes) / sizeof(uint64_t);
	struct pt_attr attr = ev->attr;
	size_t n;

	attr.size = attr_bytes;
	do {
		n = PT_MIN(ev->nr_ids - first, max);
		put_header(b, PT_RECORD_HEADER_ATTR, 0, sizeof(struct perf_event_header) + attr_bytes + n * sizeof(uint64_t));
		pt_buf_add(b, &attr, attr_bytes);
		pt_buf_add(b, ev->ids + first, n * sizeof(uint64_t));
		first += n;
	} while (first < ev->nr_ids);
}

static void stream_feature(struct pt_buf *b, unsigned f, const struct pt_buf *data)
{
	size_t size = sizeof(struct perf_event_header) + sizeof(uint64_t) + ((data->len + 7) & ~(size_t)7);

	if (size > MAX_RECORD)
		return;			/* many events: their names come in records of their own */
	put_header(b, PT_RECORD_HEADER_FEATURE, 0, size);
	pt_buf_u64(b, f);
	pt_buf_add(b, pt_buf_str(data), data->len);
	align8(b);
}

static void stream_name(struct pt_buf *b, const struct pt_write_event *ev)
{
	size_t len = PT_MIN(strlen(ev->name), (size_t)1024), padded = (len + 8) & ~(size_t)7;
	enum { UPDATE_NAME = 2 };

	if (!ev->nr_ids)
		return;
	put_header(b, PT_RECORD_EVENT_UPDATE, 0, sizeof(struct perf_event_header) + 16 + padded);
	pt_buf_u64(b, UPDATE_NAME);
	pt_buf_u64(b, ev->ids[0]);
	pt_buf_add(b, ev->name, len);
	pt_buf_zeros(b, padded - len);
}

static void stream_tracing_data(struct pt_buf *b, const struct pt_buf *data)
{
	size_t padded = (data->len + 7) & ~(size_t)7;

	put_header(b, PT_RECORD_HEADER_TRACING_DATA, 0, sizeof(struct perf_event_header) + 4);
	pt_buf_u32(b, (uint32_t)padded);
	pt_buf_add(b, data->data, data->len);
	pt_buf_zeros(b, padded - data->len);
}

static int begin_stream(struct pt_writer *w, const struct pt_write_event *events, size_t nr, struct pt_sections *s, struct pt_err *e)
{
	const uint32_t apart = 1u << PT_FEAT_TRACING_DATA | 1u << PT_FEAT_BUILD_ID;
	uint32_t attr_bytes = pt_write_attr_bytes(events, nr);
	struct pt_buf b = PT_BUF_INIT;
	unsigned f;
	size_t i;
	int rc;

	pt_buf_add(&b, magic, sizeof(magic));
	pt_buf_u64(&b, 16);
	for (i = 0; i < nr; i++)
		stream_attr(&b, &events[i], attr_bytes, 0);
	for (f = 0; f < PT_FEAT_NR; f++)
		if ((s->has & ~apart) >> f & 1)
			stream_feature(&b, f, &s->data[f]);
	for (i = 0; i < nr; i++)
		stream_name(&b, &events[i]);
	if (s->has >> PT_FEAT_TRACING_DATA & 1)
		stream_tracing_data(&b, &s->data[PT_FEAT_TRACING_DATA]);
	rc = stream_buf(w, &b, e);
	pt_buf_deinit(&b);
	return rc;
}

/* BUILD_ID is records already, only without a type. */
static int end_stream(struct pt_writer *w, struct pt_sections *s, struct pt_err *e)
{
	struct pt_buf *b = &s->data[PT_FEAT_BUILD_ID];
	struct perf_event_header h;
	size_t at;

	for (at = 0; s->has >> PT_FEAT_BUILD_ID & 1 && at + sizeof(h) <= b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (h.size < sizeof(h))
			break;
		h.type = PT_RECORD_HEADER_BUILD_ID;
		memcpy(b->data + at, &h, sizeof(h));
	}
	if (s->has >> PT_FEAT_BUILD_ID & 1 && stream_buf(w, b, e) < 0)
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

/* ---- both ---- */

int pt_writer_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr, struct pt_sections *s, struct pt_err *e)
{
	if (w->level)
		pt_sections_compressed(s, w->level, 1, ZSTD_UNIT);
	w->nr_events = (uint32_t)nr;
	return w->stream ? begin_stream(w, events, nr, s, e) : begin_file(w, events, nr, s, e);
}

int pt_writer_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr, struct pt_err *e)
{
	const size_t head = sizeof(struct perf_event_header);
	struct perf_event_header h = { .type = PT_RECORD_HEADER_EVENT_TYPE };
	struct pt_buf b = PT_BUF_INIT;
	uint32_t attr_bytes = pt_write_attr_bytes(events, nr);
	size_t i;
	int rc = 0;

	if (w->stream) {
		for (i = 0; i < nr; i++)
			stream_attr(&b, &events[i], attr_bytes, 0);
		rc = stream_buf(w, &b, e);
		pt_buf_deinit(&b);
		return rc;
	}
	pt_buf_clear(&w->new_attrs);
	pt_buf_clear(&w->late_attrs);
	pt_buf_zeros(&b, head);
	/* The record is the first piece of the next flush, so its place is known. */
	w->attrs_at = put_attrs(w, &b, w->end + w->table.len + head, events, nr) + head;
	if (b.len <= MAX_RECORD) {
		h.size = (uint16_t)b.len;
		memcpy(b.data, &h, sizeof(h));
		pt_buf_add(&w->new_attrs, b.data, b.len);
	} else {
		w->attrs_at -= head;
		pt_buf_add(&w->late_attrs, b.data + head, b.len - head);
	}
	pt_buf_deinit(&b);
	return rc;
}

void pt_writer_add(struct pt_writer *w, const void *p, size_t len)
{
	if (!len)
		return;
	PT_GROW(w->iov, w->nr_iov, w->cap_iov);
	w->iov[w->nr_iov++] = (struct iovec){ (void *)p, len };
	w->added_bytes += len;
}

/* Ends the COMPRESSED record that begins at *start in w->packed and begins the next. `whole`: zstd has flushed, so that a block may begin here: empty
 * blocks of three bytes bring the record to a multiple of 8, and what is behind it stays aligned. */
static void end_packed(struct pt_writer *w, size_t *start, bool whole)
{
	struct perf_event_header h = { .type = PT_RECORD_COMPRESSED };

	if (w->packed.len - *start == sizeof(h))
		return;			/* nothing in it yet */
	while (whole && (w->packed.len - *start) % 8)
		pt_buf_zeros(&w->packed, 3);
	h.size = (uint16_t)(w->packed.len - *start);
	memcpy(w->packed.data + *start, &h, sizeof(h));
	*start = w->packed.len;
	pt_buf_zeros(&w->packed, sizeof(h));
}

/* Feeds one piece into the record that begins at *start, opening new ones as they fill. */
static int pack(struct pt_writer *w, const void *p, size_t len, bool flush, size_t *start, struct pt_err *e)
{
	const size_t full = MAX_RECORD - ZSTD_PAD;
	ZSTD_inBuffer in = { p, len, 0 };
	ZSTD_outBuffer out;
	size_t left;

	do {
		pt_buf_grow(&w->packed, MAX_RECORD);
		out = (ZSTD_outBuffer){ w->packed.data + w->packed.len, full - (w->packed.len - *start), 0 };
		left = ZSTD_compressStream2(w->zstd, &out, &in, flush ? ZSTD_e_flush : ZSTD_e_continue);
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

/* All pieces into w->packed, as COMPRESSED records. */
static int pack_added(struct pt_writer *w, struct pt_err *e)
{
	size_t start = 0, i, done, n, since = 0;

	pt_buf_clear(&w->packed);
	pt_buf_zeros(&w->packed, sizeof(struct perf_event_header));
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
	w->packed.len = start;		/* without the header of a record that nothing came into */
	w->unpacked_bytes += w->added_bytes;
	w->packed_bytes += w->packed.len;
	return 0;
}

static int do_flush(struct pt_writer *w, unsigned flags, struct pt_err *e)
{
	bool marks = flags & (PT_WRITE_ROUND | PT_WRITE_INIT), empty = !w->nr_iov && !w->new_attrs.len;

	/* Two marks let a reader go on to the last record; more of them only make an idle recording grow. */
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
		put_header(&w->own, PT_RECORD_FINISHED_ROUND, 0, sizeof(struct perf_event_header));
	if (flags & PT_WRITE_INIT)
		put_header(&w->own, PT_RECORD_FINISHED_INIT, 0, sizeof(struct perf_event_header));
	if (marks)
		pt_writer_add(w, w->own.data, w->own.len);
	if (w->new_attrs.len) {
		PT_GROW(w->iov, w->nr_iov, w->cap_iov);
		memmove(w->iov + 1, w->iov, w->nr_iov * sizeof(*w->iov));
		w->iov[0] = (struct iovec){ w->new_attrs.data, w->new_attrs.len };
		w->nr_iov++;
	}
	if (!w->stream)
		return flush_file(w, e);
	return w->nr_iov ? stream_put(w, w->iov, w->nr_iov, flags & PT_WRITE_MUST, e) : 0;
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
	uint32_t ratio = w->packed_bytes ? (uint32_t)PT_MAX(w->unpacked_bytes / w->packed_bytes, 1u) : 1;

	if (w->level)
		pt_sections_compressed(s, w->level, ratio, ZSTD_UNIT);
	return w->stream ? end_stream(w, s, e) : end_file(w, s, e);
}
