#include "base/stage.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct pt_stage {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, room;	/* for the worker; for the one who puts */
	struct pt_piece *first, **last;
	size_t bytes, max_bytes;	/* put, and not done */
	bool waits;			/* somebody waits for room */
	bool over;			/* no more comes */
	bool failed;			/* the worker does no more than to take */
	int rc;
	struct pt_err e;
	int (*worker)(struct pt_stage *s, void *ctx, struct pt_err *e);
	void *ctx;
};

bool pt_stage_wanted(void)
{
	const char *threads = getenv("PT_THREADS");
	cpu_set_t *cpus;
	int max, nr = 0;

	if (threads && !strcmp(threads, "1"))
		return false;
	/* it fails where the kernel knows more of them */
	for (max = 1024; max <= 1 << 20; max *= 4) {
		size_t bytes = CPU_ALLOC_SIZE(max);

		cpus = pt_alloc(bytes);
		if (!sched_getaffinity(0, bytes, cpus))
			nr = CPU_COUNT_S(bytes, cpus);
		free(cpus);
		if (nr)
			break;
	}
	return nr > 1;
}

bool pt_stage_thread(pthread_t *t, void *(*run)(void *ctx), void *ctx)
{
	static const int own[] = { SIGBUS,  SIGSEGV, SIGFPE,  SIGILL,
				   SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE };
	sigset_t others, before;
	size_t i;
	int rc;

	sigfillset(&others);
	for (i = 0; i < PT_NR(own); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_BLOCK, &others, &before);
	rc = pthread_create(t, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !rc;
}

static void *run(void *ctx)
{
	struct pt_stage *s = ctx;
	int rc = s->worker(s, s->ctx, &s->e);

	pthread_mutex_lock(&s->lock);
	s->rc = rc;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct pt_stage *pt_stage_new(int (*worker)(struct pt_stage *s, void *ctx, struct pt_err *e),
			      void *ctx, size_t max_bytes)
{
	struct pt_stage *s;

	if (!pt_stage_wanted())
		return NULL;
	s = pt_alloc(sizeof(*s));
	s->last = &s->first;
	s->max_bytes = max_bytes;
	s->worker = worker;
	s->ctx = ctx;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->more, NULL);
	pthread_cond_init(&s->room, NULL);
	if (pt_stage_thread(&s->thread, run, s))
		return s;
	pthread_cond_destroy(&s->more);
	pthread_cond_destroy(&s->room);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return NULL;
}

bool pt_stage_put(struct pt_stage *s, struct pt_piece *p, size_t bytes)
{
	bool good;

	p->next = NULL;
	p->bytes = bytes;
	pthread_mutex_lock(&s->lock);
	/* a piece of any size fits into an empty queue */
	while (s->bytes && bytes > s->max_bytes - PT_MIN(s->bytes, s->max_bytes) && !s->failed) {
		s->waits = true;
		pthread_cond_wait(&s->room, &s->lock);
	}
	s->waits = false;
	good = !s->failed;
	s->bytes += bytes;
	*s->last = p;
	s->last = &p->next;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	return good;
}

struct pt_piece *pt_stage_take(struct pt_stage *s)
{
	struct pt_piece *p;

	pthread_mutex_lock(&s->lock);
	while (!s->first && !s->over)
		pthread_cond_wait(&s->more, &s->lock);
	p = s->first;
	if (p && !(s->first = p->next))
		s->last = &s->first;
	pthread_mutex_unlock(&s->lock);
	return p;
}

void pt_stage_done(struct pt_stage *s, size_t bytes)
{
	pthread_mutex_lock(&s->lock);
	s->bytes -= bytes;
	if (s->waits)
		pthread_cond_signal(&s->room);
	pthread_mutex_unlock(&s->lock);
}

bool pt_stage_full(struct pt_stage *s)
{
	bool full;

	pthread_mutex_lock(&s->lock);
	full = s->waits || s->bytes >= s->max_bytes;
	pthread_mutex_unlock(&s->lock);
	return full;
}

bool pt_stage_idle(struct pt_stage *s)
{
	bool idle;

	pthread_mutex_lock(&s->lock);
	idle = !s->first;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

void pt_stage_fail(struct pt_stage *s)
{
	pthread_mutex_lock(&s->lock);
	s->failed = true;
	pthread_cond_signal(&s->room);
	pthread_mutex_unlock(&s->lock);
}

int pt_stage_end(struct pt_stage *s, struct pt_err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	s->over = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	rc = s->rc;
	if (rc < 0 && e)
		*e = s->e;
	pthread_cond_destroy(&s->more);
	pthread_cond_destroy(&s->room);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return rc;
}
