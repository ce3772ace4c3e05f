#include "base/outqueue.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { CHUNK_BYTES = 64 << 10 };

struct chunk {
	struct chunk *next;
	size_t len, cap;
	uint8_t data[];
};

struct pt_outqueue {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* without the chunk that is being written; NULL: none */
	struct chunk *first, *last;
	size_t bytes;			/* queued, and being written */
	size_t limit_bytes;
	int fd;
	int stop_fd;			/* wakes a thread that waits for the reader */
	int sys;			/* errno that ended the writing; 0: none */
	bool stop;
	bool may_stall;			/* a pipe, a socket, a terminal */
};

/* Waits until the reader accepts data; false if the queue is given up meanwhile. */
static bool writable(struct pt_outqueue *q)
{
	struct pollfd p[2] = { { .fd = q->fd, .events = POLLOUT },
			       { .fd = q->stop_fd, .events = POLLIN } };

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	return !p[1].revents;
}

/* One write that does not block, so that the thread can always be stopped. poll() guarantees room
 * for a page in a pipe on old kernels; files and devices are written at once. */
static ssize_t write_some(struct pt_outqueue *q, const uint8_t *p, size_t len)
{
	struct iovec iov = { (void *)p, len };
	ssize_t n;

	if (!q->may_stall)
		return write(q->fd, p, len);
	n = pwritev2(q->fd, &iov, 1, -1, RWF_NOWAIT);
	if (n < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == ESPIPE))
		n = write(q->fd, p, PT_MIN(len, (size_t)PIPE_BUF));
	return n;
}

static int write_chunk(struct pt_outqueue *q, const struct chunk *c)
{
	size_t done = 0;
	ssize_t n;

	while (done < c->len) {
		if (!writable(q))
			return ECANCELED;
		n = write_some(q, c->data + done, c->len - done);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return errno;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

static struct chunk *outqueue_take(struct pt_outqueue *q)
{
	struct chunk *c = q->first;

	if (c)
		q->first = c->next;
	if (!q->first)
		q->last = NULL;
	return c;
}

static void *outqueue_run(void *arg)
{
	struct pt_outqueue *q = arg;
	struct chunk *c;
	sigset_t pipe;
	int sys;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	pthread_mutex_lock(&q->lock);
	while (!q->stop && !q->sys) {
		c = outqueue_take(q);
		if (!c) {
			pthread_cond_wait(&q->changed, &q->lock);
			continue;
		}
		pthread_mutex_unlock(&q->lock);
		sys = write_chunk(q, c);
		pthread_mutex_lock(&q->lock);
		q->sys = sys;
		q->bytes -= c->len;
		free(c);
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* The thread blocks all signals but those that it may raise itself. False: the system refused. */
static bool start_thread(struct pt_outqueue *q)
{
	static const int own[] = { SIGBUS,  SIGSEGV, SIGFPE,  SIGILL,
				   SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE };
	sigset_t others, before;
	int rc;

	sigfillset(&others);
	for (size_t i = 0; i < PT_NR(own); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_BLOCK, &others, &before);
	rc = pthread_create(&q->thread, NULL, outqueue_run, q);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !rc;
}

int pt_outqueue_new(struct pt_outqueue **out, int fd, size_t limit_bytes, struct pt_err *e)
{
	struct pt_outqueue *q = pt_alloc(sizeof(*q));
	struct stat st;

	q->fd = fd;
	q->may_stall = fstat(fd, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
	q->limit_bytes = limit_bytes;
	q->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (q->stop_fd < 0) {
		free(q);
		return pt_err_sys(e, errno, "eventfd");
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	if (!start_thread(q)) {
		close(q->stop_fd);
		free(q);
		return pt_err_sys(e, EAGAIN, "thread");
	}
	*out = q;
	return 0;
}

static bool outqueue_has_room(const struct pt_outqueue *q, size_t len)
{
	return !q->bytes || (len <= q->limit_bytes && q->bytes <= q->limit_bytes - len);
}

bool pt_outqueue_room(struct pt_outqueue *q, size_t len)
{
	bool room;

	pthread_mutex_lock(&q->lock);
	room = q->sys || outqueue_has_room(q, len);
	pthread_mutex_unlock(&q->lock);
	return room;
}

static int failed(const struct pt_outqueue *q, struct pt_err *e)
{
	if (!q->sys)
		return 0;
	pt_err_set(e, "%s", strerror(q->sys));
	if (e)
		e->sys = q->sys;
	return -1;
}

/* Room at the end of the last chunk, so that small pieces are written together. */
static uint8_t *room_for(struct pt_outqueue *q, size_t len)
{
	struct chunk *c = q->last;

	if (!c || c->cap - c->len < len) {
		size_t cap = PT_MAX(len, (size_t)CHUNK_BYTES);

		c = pt_realloc(NULL, 1, sizeof(*c) + cap);
		*c = (struct chunk){ .cap = cap };
		if (q->last)
			q->last->next = c;
		else
			q->first = c;
		q->last = c;
	}
	q->bytes += len;
	c->len += len;
	return c->data + c->len - len;
}

int pt_outqueue_put(struct pt_outqueue *q, const struct iovec *iov, size_t nr, bool wait,
		    struct pt_err *e)
{
	uint8_t *to;
	size_t len = 0;
	int rc;

	for (size_t i = 0; i < nr; i++)
		len += iov[i].iov_len;
	pthread_mutex_lock(&q->lock);
	while (wait && !q->sys && !outqueue_has_room(q, len))
		pthread_cond_wait(&q->changed, &q->lock);
	rc = failed(q, e);
	if (rc == 0 && len) {
		to = room_for(q, len);
		for (size_t i = 0; i < nr; i++) {
			memcpy(to, iov[i].iov_base, iov[i].iov_len);
			to += iov[i].iov_len;
		}
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return rc;
}

int pt_outqueue_drain(struct pt_outqueue *q, struct pt_err *e)
{
	int rc;

	pthread_mutex_lock(&q->lock);
	while (q->bytes && !q->sys)
		pthread_cond_wait(&q->changed, &q->lock);
	rc = failed(q, e);
	pthread_mutex_unlock(&q->lock);
	return rc;
}

void pt_outqueue_free(struct pt_outqueue *q)
{
	uint64_t one = 1;
	struct chunk *c;

	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	if (write(q->stop_fd, &one, sizeof(one)) < 0) {
		/* cannot fail for a counter at 0 */
	}
	pthread_join(q->thread, NULL);
	while ((c = outqueue_take(q)))
		free(c);
	close(q->stop_fd);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->changed);
	free(q);
}
