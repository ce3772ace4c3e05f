/* write_file.c - a recording as a file: its name, the tables that keep it readable, its end */
#include "record/write/write_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { NR_IOV = 512 };

int write_rename_old(const char *path, struct pt_err *e)
{
	char *old = pt_asprintf("%s.old", path);
	int rc = rename(path, old) < 0 ? pt_err_sys(e, errno, "rename %s to %s", path, old) : 0;

	free(old);
	return rc;
}

/* is_new: the name must be free. A link that appears meanwhile is not followed. */
static int open_by_name(struct pt_writer *w, bool is_new, struct pt_err *e)
{
	w->nameless = false;
	w->fd = open(w->path,
		     O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY |
			     (is_new ? O_EXCL | O_NOFOLLOW : O_TRUNC),
		     0600);
	return w->fd < 0 ? pt_err_sys(e, errno, "%s", w->path) : 0;
}

/* Opens a nameless file in the same directory, if the file system supports that. */
static bool open_nameless(struct pt_writer *w)
{
	char *dir = pt_text_folder(w->path);

	w->fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	w->nameless = w->fd >= 0;
	free(dir);
	return w->nameless;
}

/* If no file has the name (or one that is to be kept), the name appears only once the file is
 * readable. */
int write_file_open(struct pt_writer *w, struct pt_err *e)
{
	struct stat st;
	bool there = lstat(w->path, &st) == 0,
	     keep = there && S_ISREG(st.st_mode) && st.st_size > 0;

	if (there && w->is_new)
		return pt_err_sys(e, EEXIST, "%s", w->path);
	if ((!there || keep) && open_nameless(w))
		return 0;
	if (stat(w->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		if (write_rename_old(w->path, e) < 0)
			return -1;
		there = false;
	}
	if (open_by_name(w, !there, e) < 0)
		return -1;
	w->stream = fstat(w->fd, &st) < 0 || !S_ISREG(st.st_mode);
	return 0;
}

/* Gives the file its name. 0: done; 1: not possible this way; -1: error. */
static int publish(struct pt_writer *w, struct pt_err *e)
{
	char link_path[64];
	struct stat st;

	if (!w->nameless)
		return 0;
	if (!w->is_new && lstat(w->path, &st) == 0 && write_rename_old(w->path, e) < 0)
		return -1;
	snprintf(link_path, sizeof(link_path), "/proc/self/fd/%d", w->fd);
	if (linkat(AT_FDCWD, link_path, AT_FDCWD, w->path, AT_SYMLINK_FOLLOW) < 0)
		return 1;
	w->nameless = false;
	return 0;
}

/* Writes the pieces from `off` on; changes the iovec. */
static int write_pieces(struct pt_writer *w, struct iovec *iov, size_t nr, uint64_t off,
			struct pt_err *e)
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

static int write_at(struct pt_writer *w, const void *p, size_t len, uint64_t off, struct pt_err *e)
{
	struct iovec iov = { (void *)(uintptr_t)p, len };

	return write_pieces(w, &iov, len > 0, off, e);
}

/* Puts ids and attributes as they are in the file from `off` on. Returns where the attributes
 * begin. */
static size_t put_attrs(struct pt_buf *b, uint64_t off, const struct pt_write_event *events,
			size_t nr)
{
	uint32_t attr_bytes = pt_write_attr_bytes(events, nr);
	size_t start = b->len, at, i;
	uint64_t ids_off = off;

	for (i = 0; i < nr; i++)
		pt_buf_add(b, events[i].ids, events[i].nr_ids * sizeof(uint64_t));
	at = b->len - start;
	for (i = 0; i < nr; i++) {
		pt_write_attr(b, &events[i], attr_bytes);
		pt_buf_u64(b, ids_off);
		pt_buf_u64(b, events[i].nr_ids * sizeof(uint64_t));
		ids_off += events[i].nr_ids * sizeof(uint64_t);
	}
	return at;
}

/* Puts the sections of `s` that `which` names into `b`, which is at `off` in the file; sets the
 * place of each in `where`. */
static void put_sections(struct pt_buf *b, uint64_t off, const struct pt_sections *s,
			 uint32_t which, struct section *where)
{
	unsigned f;

	for (f = 0; f < PT_SECTIONS_NR; f++) {
		if (!(which >> f & 1))
			continue;
		write_align8(b);
		where[f] = (struct section){ off + b->len, s->data[f].len };
		pt_buf_add(b, pt_buf_str(&s->data[f]), s->data[f].len);
	}
}

static void put_table(struct pt_buf *b, uint32_t which, const struct section *where)
{
	unsigned f;

	for (f = 0; f < PT_SECTIONS_NR; f++)
		if (which >> f & 1)
			pt_buf_add(b, &where[f], sizeof(where[f]));
}

/* The header comes last: without it the file is no recording. */
static int write_head(struct pt_writer *w, const struct pt_buf *behind, struct pt_err *e)
{
	if (write_at(w, behind->data, behind->len, sizeof(w->header), e) < 0)
		return -1;
	return write_at(w, &w->header, sizeof(w->header), 0, e);
}

int write_file_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		     struct pt_sections *s, struct pt_err *e)
{
	struct section where[PT_SECTIONS_NR] = { 0 };
	uint32_t which = s->has | 1u << PT_FEATURE_RESERVED;
	struct pt_buf b = PT_BUF_INIT;
	size_t table_len = (size_t)__builtin_popcount(which) * sizeof(struct section);
	struct perf_event_header skip = { .type = PT_RECORD_HEADER_EVENT_TYPE,
					  .size = (uint16_t)table_len };
	int rc;

	memcpy(w->header.magic, WRITE_MAGIC, 8);
	w->header.size = sizeof(w->header);
	w->header.attrs.off = sizeof(w->header) + put_attrs(&b, sizeof(w->header), events, nr);
	w->header.attr_size = pt_write_attr_bytes(events, nr) + sizeof(struct section);
	w->header.attrs.len = nr * w->header.attr_size;
	put_sections(&b, sizeof(w->header), s, s->has, where);
	write_align8(&b);
	memcpy(&where[PT_FEATURE_RESERVED].off, &skip, sizeof(skip));
	put_table(&w->table, which, where);
	/* The first record is a table, since readers take empty data for a recorder that was killed
	 * before it knew the size. */
	w->header.data = (struct section){ sizeof(w->header) + b.len, w->table.len };
	w->header.features[0] = which;
	w->end = w->header.data.off + w->table.len;
	pt_buf_join(&b, &w->table);
	pt_buf_join(&b, &w->table);
	rc = write_head(w, &b, e);
	if (rc == 0 && (rc = publish(w, e)) > 0) {
		close(w->fd);
		rc = open_by_name(w, true, e);
		if (rc == 0)
			rc = write_head(w, &b, e);
	}
	pt_buf_deinit(&b);
	return rc;
}

void write_file_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr)
{
	pt_buf_clear(&w->late_attrs);
	w->attrs_at = put_attrs(&w->late_attrs, 0, events, nr);
}

int write_file_flush(struct pt_writer *w, struct pt_err *e)
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
	return write_at(w, &w->header.data, sizeof(w->header.data),
			offsetof(struct file_header, data), e);
}

int write_file_end(struct pt_writer *w, struct pt_sections *s, struct pt_err *e)
{
	struct section where[PT_SECTIONS_NR] = { 0 };
	struct pt_buf b = PT_BUF_INIT;
	uint64_t off;
	size_t table_len = (size_t)__builtin_popcount(s->has) * sizeof(struct section);
	int rc;

	off = w->end + w->table.len;	/* the last table becomes a record, too */
	w->header.data.len = off - w->header.data.off;
	pt_buf_fill(&b, 0, table_len);
	put_sections(&b, off, s, s->has, where);
	write_align8(&b);
	if (w->late_attrs.len) {
		/* made for place 0 */
		struct pt_buf *l = &w->late_attrs;

		for (uint32_t i = 1; i <= w->nr_events; i++) {
			struct section *ids = (struct section *)(void *)(l->data + w->attrs_at +
									 i * w->header.attr_size);

			ids[-1].off += off + b.len;
		}
		w->header.attrs.off = off + b.len + w->attrs_at;
		pt_buf_join(&b, l);
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
