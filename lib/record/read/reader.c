#include "record/read/reader_priv.h"
#include "record/read/reader.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/format/evtable.h"
#include "record/format/record.h"
#include "record/read/reader_tracedat.h"

int reader_cut_short(struct pt_scan *s, const uint8_t *p, uint64_t left, uint64_t off,
		     struct pt_err *e)
{
	bool header = left >= PT_HEADER_BYTES;

	if (s->skip)
		return pt_err_set(e, "data at 0x%llx: cut short (%llu bytes more are missing)",
				  (unsigned long long)off, (unsigned long long)s->skip);
	return pt_err_set(e, "record at 0x%llx%s%s%s: cut short (needs %u bytes, %llu are there)",
			  (unsigned long long)off, header ? " (" : "",
			  header ? pt_record_type_name(pt_load32(p, s->swap)) : "",
			  header ? ")" : "",
			  header ? pt_load16(p + 6, s->swap) : (unsigned)PT_HEADER_BYTES,
			  (unsigned long long)left);
}

enum { STOP_LOOK_MS = 100 };

/* Waits until there is something to read. False: pt_source_stop() was called. */
static bool wait_readable(int fd, const struct pt_stream *st)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	do
		if (__atomic_load_n(&st->stop, __ATOMIC_RELAXED))
			return false;
	while (poll(&p, 1, STOP_LOOK_MS) <= 0);
	return true;
}

static int fill_stream(struct reader *r, struct pt_stream *st, uint64_t *until_ns, struct pt_err *e)
{
	struct pt_scan *s = &r->scan;
	struct pt_feed *f = &r->feed;
	enum pt_scan_end how = PT_SCAN_ROUND;
	size_t room;
	uint8_t *to;
	ssize_t n;

	to = pt_feed_room(f, &room);
	if (!wait_readable(r->fd, st))
		return 1;
	n = TEMP_FAILURE_RETRY(read(r->fd, to, room));
	if (n < 0)
		return pt_err_sys(e, errno, "%s", r->name);
	f->block->len += (size_t)n;
	while (n && how != PT_SCAN_MORE && f->at < f->block->len) {
		how = pt_feed_scan(f, s, false, e);
		if (how == PT_SCAN_BAD)
			return pt_err_context(e, "%s", r->name);
	}
	*until_ns = s->until_ns;
	if (n)
		return 1;
	if (s->skip || f->at < f->block->len)
		reader_cut_short(s, f->block->data + f->at, f->block->len - f->at, f->off, e);
	else if (pt_inflate_end(s->inflate, e) == 0 && !*s->late.msg)
		return 0;
	else if (*s->late.msg)
		*e = s->late;
	return pt_err_context(e, "%s", r->name);
}

static int reader_begin(struct pt_backend *b, struct pt_stream *st, struct pt_err *e)
{
	struct reader *r = (struct reader *)b;

	st->info->swap = b->swap;
	st->info->stream = r->is_stream;
	if (!r->is_stream)
		return reader_file_begin(r, st, e);
	pt_scan_init(&r->scan, st, b->swap);
	r->feed.off = STREAM_HEADER_BYTES;
	return 0;
}

static int reader_fill(struct pt_backend *b, struct pt_stream *st, uint64_t *until_ns,
		       struct pt_err *e)
{
	struct reader *r = (struct reader *)b;

	return r->is_stream ? fill_stream(r, st, until_ns, e)
			    : reader_file_fill(r, st, until_ns, e);
}

static void free_reader(struct pt_backend *b)
{
	struct reader *r = (struct reader *)b;
	size_t i;

	for (i = 0; i < r->nr_parts; i++) {
		pt_scan_deinit(&r->parts[i].scan);
		pt_mapfile_close(&r->parts[i].map);
		free(r->parts[i].name);
	}
	free(r->parts);
	pt_scan_deinit(&r->scan);
	pt_feed_deinit(&r->feed);
	if (r->fd >= 0)
		close(r->fd);
	free(r->name);
	free(r);
}

static const struct pt_backend_ops reader_ops = {
	.begin = reader_begin, .fill = reader_fill, .check = reader_file_check, .free = free_reader
};

static const char no_magic[] = "not a recording: it does not begin with PERFILE2";

/* Reports input that ends within magic number and size: a short text, or a recording that is cut
 * short. */
static int short_magic(const struct reader *r, size_t have, struct pt_err *e)
{
	if (!pt_magic_is(r->magic, have))
		return pt_err_set(e, "%s", no_magic);
	return pt_err_set(e, "header: cut short (needs %zu bytes, %zu are there)", sizeof(r->magic),
			  have);
}

enum { MAX_HEADER_BYTES = 65536 };

/* The magic number gives the byte order; in version 1 the size that follows does. The size also
 * tells a stream's header from a file's. */
static int read_magic(struct reader *r, struct pt_err *e)
{
	uint64_t size;

	if (pt_tracedat_is(r->magic, PT_MAGIC_BYTES))
		return pt_err_set(e, "a recording of trace-cmd, which cannot be read from a pipe, nor as a part of another file: give the file's name");
	if (!pt_magic_is(r->magic, PT_MAGIC_BYTES))
		return pt_err_set(e, "%s", no_magic);
	if (!memcmp(r->magic, "PERFFILE", PT_MAGIC_BYTES))
		r->b.swap = pt_load64(r->magic + 8, false) > MAX_HEADER_BYTES;
	else
		r->b.swap = (r->magic[0] == '2') == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	size = pt_load64(r->magic + 8, r->b.swap);
	r->is_stream = size == STREAM_HEADER_BYTES;
	if (size < STREAM_HEADER_BYTES || (!r->is_stream && size < FILE_HEADER_BYTES) ||
	    size > MAX_HEADER_BYTES)
		return pt_err_set(e, "header: its size %llu is impossible",
				  (unsigned long long)size);
	return 0;
}

/* Reads the first bytes of input that cannot be mapped, in as many reads as it takes. */
static int reader_read_start(struct reader *r, struct pt_err *e)
{
	ssize_t n;

	while (r->have < sizeof(r->magic)) {
		n = read(r->fd, r->magic + r->have, sizeof(r->magic) - r->have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pt_err_sys(e, errno, "cannot read");
		if (!n)
			return r->have ? short_magic(r, r->have, e)
				       : pt_err_set(e, "empty: no recording came");
		r->have += (size_t)n;
	}
	return 0;
}

static int open_mapped(struct reader *r, int fd, uint64_t at, struct pt_err *e)
{
	struct part *p;
	ssize_t n;

	r->fd = fd;
	n = pread(fd, r->magic, sizeof(r->magic), (off_t)at);
	if (n < 0)
		return pt_err_sys(e, errno, "%s", r->name);
	if (!n)
		pt_err_set(e, "empty");
	else if ((size_t)n < sizeof(r->magic))
		short_magic(r, (size_t)n, e);
	if ((size_t)n < sizeof(r->magic) || read_magic(r, e) < 0)
		return pt_err_context(e, "%s", r->name);
	if (r->is_stream) {
		if (lseek(fd, (off_t)(at + STREAM_HEADER_BYTES), SEEK_SET) < 0)
			return pt_err_sys(e, errno, "%s", r->name);
		return 0;
	}
	if (at)
		return pt_err_set(
			e,
			"%s: a recording that is no stream has to begin at the start of the file",
			r->name);
	r->fd = -1;
	PT_GROW(r->parts, r->nr_parts, r->cap_parts);
	p = &r->parts[0];
	*p = (struct part){ .name = pt_strdup(r->name) };
	r->nr_parts = 1;
	return pt_mapfile_open_fd(&p->map, fd, r->name, e);
}

static int open_any(struct reader *r, int fd, struct pt_err *e)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	struct stat st;

	r->fd = fd;
	if (fstat(fd, &st) < 0)
		return pt_err_sys(e, errno, "%s", r->name);
	if (S_ISDIR(st.st_mode))
		return pt_err_sys(e, EISDIR, "%s", r->name);
	if (S_ISREG(st.st_mode) && at >= 0)
		return open_mapped(r, fd, (uint64_t)at, e);
	if (reader_read_start(r, e) < 0 || read_magic(r, e) < 0)
		return pt_err_context(e, "%s", r->name);
	if (!r->is_stream)
		return pt_err_set(
			e,
			"%s: a recording in file form, which cannot be read from a pipe: give the file's name",
			r->name);
	return 0;
}

static struct pt_backend *open_perf(int fd, const char *name, const char *start, size_t start_len,
				    struct pt_err *e)
{
	struct reader *r = pt_alloc(sizeof(*r));

	r->b.ops = &reader_ops;
	r->name = pt_strdup(name);
	r->fd = -1;
	r->have = PT_MIN(start_len, sizeof(r->magic));
	memcpy(r->magic, start, r->have);
	if (open_any(r, fd, e) == 0)
		return &r->b;
	free_reader(&r->b);
	return NULL;
}

struct pt_backend *pt_reader_open_fd(int fd, const char *name, const char *start, size_t start_len,
				     struct pt_err *e)
{
	char magic[PT_MAGIC_BYTES];

	if (lseek(fd, 0, SEEK_CUR) == 0 &&
	    pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	    pt_tracedat_is(magic, sizeof(magic)))
		return pt_tracedat_open_fd(fd, name, e);
	return open_perf(fd, name, start, start_len, e);
}

/* The directory form: the header and the first records are in the file `data`. */
static struct pt_backend *open_dir(const char *path, struct pt_err *e)
{
	char *data = pt_asprintf("%s/data", path);
	int fd = open(data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct reader *r = NULL;

	if (fd < 0 && errno == ENOENT)
		pt_err_set(e, "%s: a directory without a recording (no file `data` in it)", path);
	else if (fd < 0)
		pt_err_sys(e, errno, "%s", data);
	else
		r = (struct reader *)open_perf(fd, data, "", 0, e);
	if (r && r->is_stream) {
		pt_err_set(e, "%s: a stream, where the header of a directory was expected", data);
		free_reader(&r->b);
		r = NULL;
	}
	free(data);
	if (!r)
		return NULL;
	r->is_dir = true;
	free(r->name);
	r->name = pt_strdup(path);
	return &r->b;
}

struct pt_backend *pt_reader_open(const char *path, struct pt_err *e)
{
	struct stat st;
	int fd;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return open_dir(path, e);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		pt_err_sys(e, errno, "%s", path);
		return NULL;
	}
	return pt_reader_open_fd(fd, path, "", 0, e);
}
