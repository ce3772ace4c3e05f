#include "cli/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outqueue.h"

enum { BUFFER_BYTES = 64 << 10, QUEUE_BYTES = 64 << 20 };

struct pt_out {
	int fd;
	char *name;
	bool terminal;
	bool standard;
	char *buf;			/* NULL until something is written that fits in */
	size_t len;
	int failed;			/* errno; later writes do nothing */
	uint64_t dropped;
	bool paced;			/* live */
	uint64_t paced_ns;		/* time of the last paced output */
	/* Live: a thread writes. Making a shared standard output non-blocking would affect others
	 * (O_NONBLOCK belongs to the open file, not to the descriptor). */
	struct pt_outqueue *queue;
};

static bool out_is_path(const char *path)
{
	return path && (path[0] != '-' || path[1]);
}

bool pt_out_is_file(const char *path, const char *file)
{
	struct stat a, b;

	return out_is_path(path) && out_is_path(file) && !stat(path, &a) && !stat(file, &b) &&
	       S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int pt_out_check(const char *path, struct pt_err *e)
{
	const char *name;
	char *folder;
	int rc = 0;

	if (!out_is_path(path) || !faccessat(AT_FDCWD, path, F_OK, AT_EACCESS))
		return 0;
	name = strrchr(path, '/');
	folder = name ? pt_strndup(path, (size_t)(name - path) + 1) : pt_strdup(".");
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		rc = pt_err_sys(e, errno, "%s", path);
	free(folder);
	return rc;
}

int pt_out_open(struct pt_out **out, const char *path, struct pt_err *e)
{
	struct pt_out *o;
	int fd = STDOUT_FILENO;

	if (out_is_path(path)) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return pt_err_sys(e, errno, "%s", path);
	}
	o = pt_alloc(sizeof(*o));
	o->fd = fd;
	o->standard = fd == STDOUT_FILENO;
	o->name = pt_strdup(o->standard ? "standard output" : path);
	o->terminal = isatty(fd);
	*out = o;
	return 0;
}

/* 0, or the errno. */
static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EAGAIN) {
			/* somebody else made it non-blocking */
			struct timespec t = { 0, 2000000 };

			nanosleep(&t, NULL);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

void pt_out_live(struct pt_out *o, size_t queue_bytes)
{
	if (o->len)
		pt_out_flush(o, NULL);
	o->paced = true;
	/* without a thread writes block, which is only slower */
	pt_outqueue_new(&o->queue, o->fd, queue_bytes ? queue_bytes : QUEUE_BYTES, NULL);
}

/* What a write returns: -1 after any failure. */
static int result(const struct pt_out *o, struct pt_err *e)
{
	return o->failed ? pt_err_sys(e, o->failed, "%s", o->name) : 0;
}

static int write_live(struct pt_out *o, const void *p, size_t len, struct pt_err *e)
{
	struct iovec iov = { (void *)p, len };
	struct pt_err why = PT_ERR_INIT;

	if (!pt_outqueue_room(o->queue, len))
		o->dropped++;
	else if (pt_outqueue_put(o->queue, &iov, 1, false, &why) < 0)
		o->failed = why.sys;
	return result(o, e);
}

int pt_out_flush(struct pt_out *o, struct pt_err *e)
{
	if (!o->failed && o->len) {
		o->failed = write_all(o->fd, o->buf, o->len);
		o->len = 0;
	}
	return result(o, e);
}

int pt_out_write(struct pt_out *o, const void *p, size_t len, struct pt_err *e)
{
	if (o->failed)
		return result(o, e);
	if (!len)
		return 0;
	if (o->queue)
		return write_live(o, p, len, e);
	if (o->len + len > BUFFER_BYTES && pt_out_flush(o, e) < 0)
		return -1;
	if (!o->len && len > BUFFER_BYTES / 2) {
		o->failed = write_all(o->fd, p, len);
		return result(o, e);
	}
	if (!o->buf)
		o->buf = pt_alloc(BUFFER_BYTES);
	memcpy(o->buf + o->len, p, len);
	o->len += len;
	return o->terminal ? pt_out_flush(o, e) : 0;
}

int pt_out_buf(struct pt_out *o, struct pt_buf *b, struct pt_err *e)
{
	int rc = b->len ? pt_out_write(o, b->data, b->len, e) : 0;

	pt_buf_clear(b);
	return rc;
}

int pt_out_paced(struct pt_out *o, struct pt_buf *b, const struct pt_record *rec, struct pt_err *e)
{
	bool waited = o->paced && rec->has & PERF_SAMPLE_TIME &&
		      rec->time_ns - o->paced_ns >= PT_OUT_PACE_NS;

	if (waited)
		o->paced_ns = rec->time_ns;
	return waited || b->len >= PT_OUT_PACED_BYTES ? pt_out_buf(o, b, e) : 0;
}

bool pt_out_is_terminal(const struct pt_out *o)
{
	return o->terminal;
}

uint64_t pt_out_dropped(const struct pt_out *o)
{
	return o->dropped;
}

int pt_out_close(struct pt_out *o, struct pt_err *e)
{
	struct pt_err why = PT_ERR_INIT;
	int rc;

	if (!o)
		return 0;
	if (o->queue && pt_outqueue_drain(o->queue, &why) < 0)
		o->failed = why.sys;
	pt_outqueue_free(o->queue);
	o->queue = NULL;
	rc = pt_out_flush(o, e);
	/* a quota or a network disk may report its failure only here */
	if (close(o->fd) < 0 && !rc && errno != EINTR && !(o->standard && errno == EBADF)) {
		o->failed = errno;
		rc = result(o, e);
	}
	free(o->buf);
	free(o->name);
	free(o);
	return rc;
}
