/* base/outqueue.c: all bytes in order, no more wait than fit, a reader that is gone is an error, one that stands still does not keep the queue from ending. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outqueue.h"
#include "test.h"

enum { LIMIT = 128 << 10, PIECES = 20000 };

static struct pt_outqueue *queue(int fds[2])
{
	struct pt_outqueue *q;
	struct pt_err e = PT_ERR_INIT;

	if (pipe(fds) < 0 || pt_outqueue_new(&q, fds[1], LIMIT, &e) < 0)
		FAIL("%s", e.msg);
	return q;
}

static int put(struct pt_outqueue *q, const void *p, size_t len, bool wait, struct pt_err *e)
{
	return pt_outqueue_put(q, (struct iovec[]){ { (void *)p, len / 2 }, { (char *)p + len / 2, len - len / 2 } }, 2, wait, e);
}

/* Reads numbers until the end; what follows is the first that is wrong. */
static void *read_numbers(void *arg)
{
	uint32_t got, want = 0;
	int fd = *(int *)arg;

	while (read(fd, &got, sizeof(got)) == sizeof(got) && got == want)
		want++;
	return (void *)(uintptr_t)want;
}

TEST(all_in_order)
{
	struct pt_err e = PT_ERR_INIT;
	int fds[2];
	struct pt_outqueue *q = queue(fds);
	pthread_t reader;
	void *got;

	pthread_create(&reader, NULL, read_numbers, &fds[0]);
	for (uint32_t i = 0; i < PIECES; i++)
		CHECK_INT(put(q, &i, sizeof(i), true, &e), 0);
	CHECK_INT(pt_outqueue_drain(q, &e), 0);
	pt_outqueue_free(q);
	close(fds[1]);
	pthread_join(reader, &got);
	CHECK_INT((uintptr_t)got, PIECES);
	close(fds[0]);
}

/* Nobody reads: what the pipe does not take waits, up to the limit; who frees the queue need not wait for a reader. */
TEST(bounded)
{
	static const char kilobyte[1024];
	struct pt_err e = PT_ERR_INIT;
	int fds[2], nr = 0;
	struct pt_outqueue *q = queue(fds);

	CHECK(pt_outqueue_room(q, 10 * LIMIT));		/* an empty one takes anything */
	for (int still = 0; still < 50; ) {		/* the thread may be about to take more */
		if (pt_outqueue_room(q, sizeof(kilobyte))) {
			CHECK_INT(put(q, kilobyte, sizeof(kilobyte), false, &e), 0);
			nr++;
			still = 0;
		} else {
			still++;
			poll(NULL, 0, 10);
		}
	}
	/* the limit, and what a pipe holds */
	CHECK(nr >= LIMIT / 1024 && nr <= (LIMIT + (1 << 20)) / 1024);
	CHECK(!pt_outqueue_room(q, LIMIT + 1));
	pt_outqueue_free(q);
	close(fds[0]);
	close(fds[1]);
}

TEST(reader_is_gone)
{
	struct pt_err e = PT_ERR_INIT;
	int fds[2];
	struct pt_outqueue *q = queue(fds);

	close(fds[0]);
	CHECK_INT(put(q, "text", 4, true, &e), 0);
	CHECK_INT(pt_outqueue_drain(q, &e), -1);
	CHECK_INT(e.sys, EPIPE);
	CHECK_INT(put(q, "text", 4, true, &e), -1);
	CHECK(pt_outqueue_room(q, 10 * LIMIT));		/* so that the error is met, not waited for */
	pt_outqueue_free(q);
	close(fds[1]);
}
