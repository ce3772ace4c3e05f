#include "cli/out.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { BUFFER_BYTES = 64 << 10, PACED_BYTES = 60000, QUEUE_BYTES = 64 << 20, FLUSH_MS = 100 };

struct chunk {
	struct chunk *next;
	size_t len;
	char data[];
};

/* Live: a thread writes, since only that leaves a standard output alone which is shared with others
 * (O_NONBLOCK belongs to the open file, not to the descriptor, so the neighbours in a pipeline
 * would get it too). */
struct live {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* for the thread: a chunk is full, a flush, the end */
	struct chunk *first, **last;	/* full ones */
	struct chunk *open;		/* the one being filled; NULL: none */
	size_t queued_bytes, max_bytes;
	bool flush, over;
	int failed;			/* errno of a write */
	bool started;
};

struct pt_out {
	int fd;
	char *name;
	bool terminal;
	bool standard;
	char *buf;
	size_t len;
	int failed;			/* errno; later writes do nothing */
	uint64_t dropped;
	bool paced;			/* live */
	uint64_t paced_ns;		/* when what was ready went out last */
	struct live *live;
};

int pt_out_open(struct pt_out **out, const char *path, struct pt_err *e)
{
	struct pt_out *o;
	int fd = STDOUT_FILENO;

	if (path && (path[0] != '-' || path[1])) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return pt_err_sys(e, errno, "%s", path);
	}
	o = pt_alloc(sizeof(*o));
	o->fd = fd;
	o->standard = fd == STDOUT_FILENO;
	o->name = pt_strdup(o->standard ? "standard output" : path);
	o->terminal = isatty(fd);
	o->buf = pt_alloc(BUFFER_BYTES);
	*out = o;
	return 0;
}

/* 0, or the errno. */
static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EAGAIN) {
			/* Somebody else made it non-blocking. */
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

static struct chunk *take(struct live *l)
{
	struct chunk *c = l->first;

	if (c) {
		l->first = c->next;
		if (!l->first)
			l->last = &l->first;
	} else {
		c = l->open;
		l->open = NULL;
	}
	return c;
}

/* A chunk that is not full yet is written when it is FLUSH_MS old, so that lines come out soon
 * without a write each. */
static void *writer(void *arg)
{
	struct pt_out *o = arg;
	struct live *l = o->live;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		struct chunk *c;
		int failed;

		while (!l->first && !l->open && !l->over)
			pthread_cond_wait(&l->wake, &l->lock);
		if (!l->first && l->open && !l->flush && !l->over) {
			struct timespec until;

			clock_gettime(CLOCK_MONOTONIC, &until);
			until.tv_nsec += FLUSH_MS * 1000000;
			until.tv_sec += until.tv_nsec / 1000000000;
			until.tv_nsec %= 1000000000;
			while (!l->first && !l->flush && !l->over)
				if (pthread_cond_timedwait(&l->wake, &l->lock, &until) == ETIMEDOUT)
					break;
		}
		l->flush = false;
		c = take(l);
		if (!c)
			break;	/* over */
		failed = l->failed;
		pthread_mutex_unlock(&l->lock);
		if (!failed)
			failed = write_all(o->fd, c->data, c->len);
		pthread_mutex_lock(&l->lock);
		l->queued_bytes -= c->len;
		l->failed = failed;
		free(c);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

void pt_out_live(struct pt_out *o, size_t queue_bytes)
{
	struct live *l = pt_alloc(sizeof(*l));
	pthread_condattr_t attr;
	sigset_t all, old;

	if (o->len)
		pt_out_flush(o, NULL);
	l->max_bytes = queue_bytes ? queue_bytes : QUEUE_BYTES;
	l->last = &l->first;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->wake, &attr);
	pthread_condattr_destroy(&attr);
	o->live = l;
	o->paced = true;
	/* All signals blocked: Ctrl-C is for the session's signalfd, and a reader that is gone
	 * shows as EPIPE here. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	l->started = !pthread_create(&l->thread, NULL, writer, o);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!l->started) {	/* then writes wait: nothing is wrong but the speed */
		o->live = NULL;
		pthread_mutex_destroy(&l->lock);
		pthread_cond_destroy(&l->wake);
		free(l);
	}
}

static int failure(struct pt_out *o, struct pt_err *e)
{
	return pt_err_sys(e, o->failed, "%s", o->name);
}

/* Under the lock. */
static void close_chunk(struct live *l)
{
	if (!l->open)
		return;
	*l->last = l->open;
	l->last = &l->open->next;
	l->open = NULL;
}

static int write_live(struct pt_out *o, const void *p, size_t len, struct pt_err *e)
{
	struct live *l = o->live;
	bool wake = false;

	pthread_mutex_lock(&l->lock);
	o->failed = l->failed;
	if (o->failed)
		goto out;
	if (len > l->max_bytes - l->queued_bytes) {
		o->dropped++;
		goto out;
	}
	if (l->open && l->open->len + len > BUFFER_BYTES) {
		close_chunk(l);
		wake = true;
	}
	if (!l->open) {
		size_t room = PT_MAX(len, (size_t)BUFFER_BYTES);

		l->open = pt_realloc(NULL, sizeof(struct chunk) + room, 1);
		l->open->next = NULL;
		l->open->len = 0;
		wake = true;
	}
	memcpy(l->open->data + l->open->len, p, len);
	l->open->len += len;
	l->queued_bytes += len;
out:
	if (wake)
		pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	return o->failed ? failure(o, e) : 0;
}

int pt_out_flush(struct pt_out *o, struct pt_err *e)
{
	if (o->live) {
		pthread_mutex_lock(&o->live->lock);
		o->live->flush = o->live->open != NULL;
		o->failed = o->live->failed;
		if (o->live->flush)
			pthread_cond_signal(&o->live->wake);
		pthread_mutex_unlock(&o->live->lock);
	} else if (!o->failed && o->len) {
		o->failed = write_all(o->fd, o->buf, o->len);
		o->len = 0;
	}
	return o->failed ? failure(o, e) : 0;
}

int pt_out_write(struct pt_out *o, const void *p, size_t len, struct pt_err *e)
{
	if (o->failed)
		return failure(o, e);
	if (!len)
		return 0;
	if (o->live)
		return write_live(o, p, len, e);
	if (o->len + len > BUFFER_BYTES && pt_out_flush(o, e) < 0)
		return -1;
	if (len > BUFFER_BYTES) {
		o->failed = write_all(o->fd, p, len);
		return o->failed ? failure(o, e) : 0;
	}
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
	return waited || b->len >= PACED_BYTES ? pt_out_buf(o, b, e) : 0;
}

uint64_t pt_out_dropped(const struct pt_out *o)
{
	return o->dropped;
}

int pt_out_close(struct pt_out *o, struct pt_err *e)
{
	int rc;

	if (!o)
		return 0;
	if (o->live) {
		struct live *l = o->live;

		pthread_mutex_lock(&l->lock);
		l->over = true;
		pthread_cond_signal(&l->wake);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
		o->failed = l->failed;
		pthread_mutex_destroy(&l->lock);
		pthread_cond_destroy(&l->wake);
		free(l);
		o->live = NULL;
	}
	rc = pt_out_flush(o, e);
	/* A quota or a network's disk may tell of its failure only here. */
	if (close(o->fd) < 0 && !rc && errno != EINTR && !(o->standard && errno == EBADF)) {
		o->failed = errno;
		rc = failure(o, e);
	}
	free(o->buf);
	free(o->name);
	free(o);
	return rc;
}
