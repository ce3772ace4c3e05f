#include "record/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapfile.h"
#include "base/mem.h"
#include "record/evtable_in.h"
#include "record/scan.h"

/* The header of a file: magic, its own size, that of an attribute with its ids' section, sections (offset, size) of attributes, data and
 * event types, feature bits. Of a stream: magic and size alone. */
enum { FILE_HEADER_BYTES = 104, STREAM_HEADER_BYTES = 16, SECTION_BYTES = 16, SECTIONS_AT = 24, FEATURES_AT = 72 };

struct section {
	uint64_t off, len;
};

struct part {				/* a file of records */
	char *name;
	struct pt_mapfile map;
	uint64_t at, end;
	struct pt_scan scan;
	bool done;
};

struct reader {
	struct pt_backend b;
	char *name;
	uint8_t magic[STREAM_HEADER_BYTES];
	bool begun;			/* attributes and sections were read */
	bool is_stream, is_dir;
	struct pt_err bad;		/* the first damage, said at the end */
	bool has_bad;

	int fd;				/* stream */
	struct pt_feed feed;
	struct pt_scan scan;

	struct part *parts;		/* the file itself; of a directory: `data` first */
	size_t nr_parts, cap_parts;
	uint64_t ids_left;		/* how many ids the file has room for */
};

static void note(struct reader *r, const struct pt_err *e)
{
	if (!r->has_bad)
		r->bad = *e;
	r->has_bad = true;
}

/* --- the file form: header, attributes, sections --- */

static struct section read_section(const struct reader *r, uint64_t at)
{
	const uint8_t *p = r->parts[0].map.data + at;

	return (struct section){ pt_load64(p, r->b.swap), pt_load64(p + 8, r->b.swap) };
}

static bool inside(const struct reader *r, struct section s)
{
	uint64_t len = r->parts[0].map.len_bytes;

	return s.off <= len && s.len <= len - s.off;
}

/* Bit n of the header says that section n is there. Written as an array of the recorder's `unsigned long`: of another byte order
 * and another size of it the bits are found elsewhere; every recording has a host name (tools/perf does the same). */
static void read_feature_bits(const struct reader *r, uint64_t bits[4])
{
	const uint8_t *p = r->parts[0].map.data + FEATURES_AT;
	uint64_t host = 1ull << PT_FEATURE_HOSTNAME;
	int i;

	for (i = 0; i < 4; i++)
		bits[i] = pt_load64(p + 8 * i, r->b.swap);
	if (!r->b.swap || bits[0] & host)
		return;
	if (!((bits[0] >> 32) & host))
		return;
	for (i = 0; i < 4; i++)
		bits[i] = bits[i] >> 32 | bits[i] << 32;
}

static int read_attrs(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	const uint8_t *data = r->parts[0].map.data;
	uint64_t step = pt_load64(data + 16, r->b.swap), i, j, nr;
	struct section attrs = read_section(r, SECTIONS_AT);

	if (!inside(r, attrs) || step < PT_ATTR_SIZE_VER0 + SECTION_BYTES || step > 65536)
		return pt_err_set(e, "attributes: %s", inside(r, attrs) ? "their size is impossible" : "they lie outside the file");
	nr = attrs.len / step;
	for (i = 0; i < nr; i++) {
		uint64_t at = attrs.off + i * step;
		struct section ids = read_section(r, at + step - SECTION_BYTES);
		struct pt_attr attr;
		struct pt_event *ev;

		if (!pt_attr_read(&attr, data + at, step - SECTION_BYTES, r->b.swap))
			return pt_err_set(e, "attribute %llu: its size is impossible", (unsigned long long)i);
		ev = pt_evtable_add(st->events, &attr, NULL, NULL, e);
		if (!ev)
			return pt_err_context(e, "attribute %llu", (unsigned long long)i);
		if (attr.flags & PT_ATTR_USE_CLOCKID)
			st->info->clockid = attr.clockid;
		if (!inside(r, ids) || ids.len / 8 > r->ids_left)
			return pt_err_set(e, "attribute %llu: its ids lie outside the file", (unsigned long long)i);
		r->ids_left -= ids.len / 8;
		for (j = 0; j < ids.len / 8; j++)
			pt_evtable_add_id(st->events, ev, pt_load64(data + ids.off + 8 * j, r->b.swap));
	}
	return 0;
}

/* The table of sections stands behind the data, one entry a bit. Damage in one spoils that one. */
static void read_features(struct reader *r, struct pt_stream *st, struct section data)
{
	uint64_t bits[4], at = data.off + data.len;
	struct pt_err e = PT_ERR_INIT;
	unsigned n;

	read_feature_bits(r, bits);
	for (n = 0; n < PT_NR_FEATURES; n++) {
		struct section s;

		if (!(bits[n / 64] >> n % 64 & 1))
			continue;
		if (!inside(r, (struct section){ at, SECTION_BYTES })) {
			pt_err_set(&e, "the table of sections at 0x%llx: cut short", (unsigned long long)at);
			note(r, &e);
			return;
		}
		s = read_section(r, at);
		at += SECTION_BYTES;
		if (!n)		/* reserved; what pt-record writes there while it records is not meant for readers */
			continue;
		if (!inside(r, s)) {
			pt_err_set(&e, "section %u at 0x%llx: lies outside the file", n, (unsigned long long)s.off);
			note(r, &e);
		} else if (pt_feature_read(st, n, r->parts[0].map.data + s.off, s.len, r->b.swap, &e) < 0) {
			note(r, &e);
		}
	}
}

/* A recorder that was killed, or that still records, has not written the size: records go on to the end of the file, and there are no sections, though their bits are
 * set. (pt-record writes it as it goes.) */
static bool is_unfinished(const struct reader *r, struct section data)
{
	uint64_t bits[4];

	read_feature_bits(r, bits);
	return !data.len && (data.off < r->parts[0].map.len_bytes || bits[0] || bits[1] || bits[2] || bits[3]);
}

static void note_early_end(struct reader *r, struct section data)
{
	unsigned long long there = r->parts[0].map.len_bytes - data.off, all = data.len;
	struct pt_err e = PT_ERR_INIT;

	if (all)
		pt_err_set(&e, "the recording ends early: %llu of %llu bytes of its data are there, the rest was never written", there, all);
	else
		pt_err_set(&e, "the recording ends early: its recorder was killed, or still records (%llu bytes of data are there)", there);
	note(r, &e);
}

static int open_parts(struct reader *r, struct pt_stream *st, struct pt_err *e);

static int begin_file(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	struct part *p = &r->parts[0];
	uint64_t len = p->map.len_bytes;
	struct section data;

	if (len < FILE_HEADER_BYTES)
		return pt_err_set(e, "header: cut short (needs %d bytes, %llu are there)", FILE_HEADER_BYTES, (unsigned long long)len);
	data = read_section(r, SECTIONS_AT + SECTION_BYTES);
	r->ids_left = len / 8;
	if (read_attrs(r, st, e) < 0)
		return -1;
	if (data.off < FILE_HEADER_BYTES || data.off > len)
		return pt_err_set(e, "header: the data at 0x%llx lie outside the file (0x%llx bytes)", (unsigned long long)data.off,
				  (unsigned long long)len);
	st->info->data_off = data.off;
	p->at = data.off;
	if (data.len > len - data.off || is_unfinished(r, data))
		note_early_end(r, data);
	if (!data.len)
		data.len = len - data.off;
	else if (data.len <= len - data.off)
		read_features(r, st, data);
	p->end = data.off + PT_MIN(data.len, len - data.off);
	st->info->data_len_bytes = p->end - data.off;
	pt_scan_init(&p->scan, st, r->b.swap);
	return r->is_dir ? open_parts(r, st, e) : 0;
}

/* The files beside the header of a directory: data.0, data.1 ... each is records from its first byte on. */
static int open_parts(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	unsigned i;

	for (i = 0;; i++) {
		char *name = pt_asprintf("%s/data.%u", r->name, i);
		struct part *p;

		if (access(name, F_OK) < 0) {
			free(name);
			return 0;
		}
		PT_GROW(r->parts, r->nr_parts, r->cap_parts);
		p = &r->parts[r->nr_parts];
		*p = (struct part){ .name = name };
		if (pt_mapfile_open(&p->map, name, e) < 0) {
			free(name);
			return -1;
		}
		r->nr_parts++;
		p->end = p->map.len_bytes;
		pt_scan_init(&p->scan, st, r->b.swap);
	}
}

/* --- records of mapped files --- */

static int cut_short(struct pt_scan *s, const uint8_t *p, uint64_t left, uint64_t off, struct pt_err *e)
{
	uint64_t needs = PT_HEADER_BYTES;

	if (s->skip)
		return pt_err_set(e, "data at 0x%llx: cut short (%llu bytes more are missing)", (unsigned long long)off, (unsigned long long)s->skip);
	if (left >= PT_HEADER_BYTES)
		needs = pt_load16(p + 6, s->swap);
	return pt_err_set(e, "record at 0x%llx: cut short (needs %llu bytes, %llu are there)", (unsigned long long)off, (unsigned long long)needs,
			  (unsigned long long)left);
}

/* One round. 1: there is more; 0: the end; -1: damage. */
static int scan_part(struct part *p, struct pt_err *e)
{
	struct pt_scan *s = &p->scan;
	const uint8_t *data = p->map.data, *stop;
	enum pt_scan_end how;

	for (;;) {
		if (s->skip)
			p->at += pt_scan_skip(s, data + p->at, p->end - p->at);
		if (s->skip)
			return cut_short(s, NULL, 0, p->at, e);
		how = pt_scan_run(s, NULL, data + p->at, data + p->end, p->at, false, &stop, e);
		p->at = (uint64_t)(stop - data);
		if (how == PT_SCAN_BAD)
			return -1;
		if (how == PT_SCAN_ROUND)
			return 1;
		if (how == PT_SCAN_MORE)
			break;
	}
	if (p->at < p->end)
		return cut_short(s, data + p->at, p->end - p->at, p->at, e);
	return pt_inflate_end(s->inflate, e);
}

static int check(struct pt_backend *b, struct pt_err *e)
{
	struct reader *r = (struct reader *)b;
	size_t i;

	for (i = 0; i < r->nr_parts; i++)
		if (pt_mapfile_shrunk(&r->parts[i].map))
			return pt_err_set(e, "%s: the file became shorter while it was read", r->parts[i].name);
	return 0;
}

static int end_of_parts(struct reader *r, struct pt_err *e)
{
	size_t i;

	for (i = 0; i < r->nr_parts; i++) {
		struct pt_scan *s = &r->parts[i].scan;

		if (s->has_late) {
			pt_err_context(&s->late, "%s", r->parts[i].name);
			note(r, &s->late);
		}
	}
	if (r->has_bad)
		*e = r->bad;
	return r->has_bad ? -1 : 0;
}

static int fill_file(struct reader *r, struct pt_stream *st, uint64_t *until_ns, struct pt_err *e)
{
	struct pt_err bad = PT_ERR_INIT;
	size_t i;
	int rc;

	if (!r->begun) {
		r->begun = true;
		if (begin_file(r, st, &bad) < 0) {
			pt_err_context(&bad, "%s", r->name);
			*e = bad;
			return -1;
		}
		if (r->has_bad)
			pt_err_context(&r->bad, "%s", r->name);
		*until_ns = 0;
		return 1;
	}
	for (i = 0; i < r->nr_parts; i++) {
		struct part *p = &r->parts[i];

		while (!p->done) {
			rc = scan_part(p, &bad);
			if (rc < 0) {
				pt_err_context(&bad, "%s", p->name);
				check(&r->b, &bad);	/* a file that shrinks explains more */
				r->has_bad = false;	/* what cut the data weighs more than what it took with it */
				note(r, &bad);
			}
			p->done = rc <= 0;
			if (rc > 0 && r->nr_parts == 1) {
				*until_ns = p->scan.until_ns;
				return 1;
			}
		}
	}
	return end_of_parts(r, e);
}

/* --- a stream --- */

static int fill_stream(struct reader *r, struct pt_stream *st, uint64_t *until_ns, struct pt_err *e)
{
	struct pt_scan *s = &r->scan;
	struct pt_feed *f = &r->feed;
	enum pt_scan_end how = PT_SCAN_MORE;
	const uint8_t *p, *stop;
	size_t room;
	uint8_t *to;
	ssize_t n;

	if (!r->begun) {
		r->begun = true;
		pt_scan_init(s, st, r->b.swap);
		f->off = STREAM_HEADER_BYTES;
		return 1;
	}
	to = pt_feed_room(f, &room);
	do
		n = read(r->fd, to, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return pt_err_sys(e, errno, "%s", r->name);
	f->block->len += (size_t)n;
	p = f->block->data + f->at;
	while (n) {
		size_t left = f->block->len - f->at, took;

		if (s->skip) {
			took = pt_scan_skip(s, p, left);
			stop = p + took;
			how = PT_SCAN_SKIP;
		} else {
			how = pt_scan_run(s, f->block, p, p + left, f->off, false, &stop, e);
			took = (size_t)(stop - p);
		}
		f->at += took;
		f->off += took;
		p = stop;
		if (how == PT_SCAN_BAD)
			return pt_err_context(e, "%s", r->name);
		if ((how == PT_SCAN_MORE && !s->skip) || f->at == f->block->len)
			break;
	}
	*until_ns = s->until_ns;
	if (n)
		return 1;
	if (s->skip || f->at < f->block->len)
		cut_short(s, p, f->block->len - f->at, f->off, e);
	else if (pt_inflate_end(s->inflate, e) == 0 && !s->has_late)
		return 0;
	else if (s->has_late)
		*e = s->late;
	return pt_err_context(e, "%s", r->name);
}

/* --- both --- */

static int fill(struct pt_backend *b, struct pt_stream *st, uint64_t *until_ns, struct pt_err *e)
{
	struct reader *r = (struct reader *)b;

	if (!r->begun) {
		st->info->swap = b->swap;
		st->info->stream = r->is_stream;
	}
	return r->is_stream ? fill_stream(r, st, until_ns, e) : fill_file(r, st, until_ns, e);
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

/* Pages come back when they are touched again. */
static void drop(const struct pt_backend *b, uint64_t from, uint64_t to)
{
	const struct reader *r = (const struct reader *)b;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;

	from = (from + page) & ~page;
	if (r->nr_parts != 1 || r->parts[0].map.slot < 0)
		return;
	to = PT_MIN(to, (uint64_t)r->parts[0].map.len_bytes) & ~page;
	if (from < to)
		madvise((void *)(r->parts[0].map.data + from), to - from, MADV_DONTNEED);
}

static const struct pt_backend_ops reader_ops = { .fill = fill, .check = check, .drop = drop, .free = free_reader };

/* The magic number says the byte order; the size that follows tells a stream's header from a file's. */
static int read_magic(struct reader *r, struct pt_err *e)
{
	uint64_t size;

	if (!memcmp(r->magic, "PERFILE2", 8))
		r->b.swap = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
	else if (!memcmp(r->magic, "2ELIFREP", 8))
		r->b.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	else
		return pt_err_set(e, "not a recording: it does not begin with PERFILE2");
	size = pt_load64(r->magic + 8, r->b.swap);
	r->is_stream = size == STREAM_HEADER_BYTES;
	if (size < STREAM_HEADER_BYTES || (!r->is_stream && size < FILE_HEADER_BYTES) || size > 65536)
		return pt_err_set(e, "header: its size %llu is impossible", (unsigned long long)size);
	return 0;
}

/* Reads the first bytes of what cannot be mapped, however slowly they come. */
static int read_start(struct reader *r, struct pt_err *e)
{
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(r->magic)) {
		n = read(r->fd, r->magic + have, sizeof(r->magic) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pt_err_sys(e, errno, "cannot read");
		if (!n)
			return pt_err_set(e, have ? "header: cut short (needs %zu bytes, %zu are there)" : "empty: no recording came",
					  sizeof(r->magic), have);
		have += (size_t)n;
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
	if ((size_t)n < sizeof(r->magic))
		pt_err_set(e, n ? "header: cut short (needs %zu bytes, %zu are there)" : "empty", sizeof(r->magic), (size_t)n);
	if ((size_t)n < sizeof(r->magic) || read_magic(r, e) < 0)
		return pt_err_context(e, "%s", r->name);
	if (r->is_stream) {
		if (lseek(fd, (off_t)(at + STREAM_HEADER_BYTES), SEEK_SET) < 0)
			return pt_err_sys(e, errno, "%s", r->name);
		return 0;
	}
	if (at)
		return pt_err_set(e, "%s: a recording that is no stream has to begin at the start of the file", r->name);
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
	if (read_start(r, e) < 0 || read_magic(r, e) < 0)
		return pt_err_context(e, "%s", r->name);
	if (!r->is_stream)
		return pt_err_set(e, "%s: a recording in file form, which cannot be read from a pipe: give the file's name", r->name);
	return 0;
}

static struct reader *new_reader(const char *name)
{
	struct reader *r = pt_alloc(sizeof(*r));

	r->b.ops = &reader_ops;
	r->name = pt_strdup(name);
	r->fd = -1;
	return r;
}

struct pt_backend *pt_reader_open_fd(int fd, const char *name, struct pt_err *e)
{
	struct reader *r = new_reader(name);

	if (open_any(r, fd, e) == 0)
		return &r->b;
	free_reader(&r->b);
	return NULL;
}

static struct pt_backend *open_dir(const char *path, struct pt_err *e)
{
	struct reader *r = new_reader(path);
	char *name = pt_asprintf("%s/data", path);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	r->is_dir = true;
	if (fd < 0) {
		rc = errno == ENOENT ? pt_err_set(e, "%s: a directory without a recording (no file `data` in it)", path) :
			pt_err_sys(e, errno, "%s", name);
	} else {
		free(r->name);
		r->name = pt_strdup(name);
		rc = open_any(r, fd, e);
		free(r->name);
		r->name = pt_strdup(path);
		if (rc == 0 && r->is_stream)
			rc = pt_err_set(e, "%s: a stream, where the header of a directory was expected", name);
	}
	free(name);
	if (rc == 0)
		return &r->b;
	free_reader(&r->b);
	return NULL;
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
	return pt_reader_open_fd(fd, path, e);
}
