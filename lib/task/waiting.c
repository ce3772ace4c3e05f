#include "task/waiting.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "task/halt.h"

struct pt_waiting {
	const struct pt_watch *watch;
	pthread_t thread;
	int stop_fd;			/* readable: end */
};

struct each {
	void (*call)(void *ctx, uint32_t pid, uint32_t tid, const struct pt_proc *p);
	void *ctx;
};

static void waiting_see(const struct each *each, uint32_t pid, uint32_t tid)
{
	struct pt_proc p;

	if (pt_proc_read((int)pid, (int)tid, &p) && (p.state == 'S' || p.state == 'D'))
		each->call(each->ctx, pid, tid, &p);
}

static void see_process(const struct each *each, uint32_t pid)
{
	uint32_t *tids;
	size_t nr, i;

	if (pt_proc_list(pid, &tids, &nr, NULL) < 0)
		return;
	for (i = 0; i < nr; i++)
		waiting_see(each, pid, tids[i]);
	free(tids);
}

static void see_all(const struct each *each)
{
	uint32_t *pids;
	size_t nr, i;

	if (pt_proc_list(0, &pids, &nr, NULL) < 0)
		return;
	for (i = 0; i < nr; i++)
		see_process(each, pids[i]);
	free(pids);
}

void pt_waiting_each(const struct pt_watch *w,
		     void (*call)(void *ctx, uint32_t pid, uint32_t tid, const struct pt_proc *p),
		     void *ctx)
{
	const struct each each = { call, ctx };

	for (size_t i = 0; i < w->nr_pids; i++)
		see_process(&each, (uint32_t)w->pids[i]);
	for (size_t i = 0; i < w->nr_tids; i++)
		waiting_see(&each, pt_proc_of_thread((uint32_t)w->tids[i]), (uint32_t)w->tids[i]);
	if (w->all_cpus && !(w->nr_pids + w->nr_tids))
		see_all(&each);
}

/* True: the end came within this time. */
static bool waiting_ends(const struct pt_waiting *w, uint64_t within_ns)
{
	struct pollfd p = { .fd = w->stop_fd, .events = POLLIN };

	return poll(&p, 1, (int)PT_MIN(within_ns / 1000000, (uint64_t)INT32_MAX)) > 0;
}

static void renew(void *ctx, uint32_t pid, uint32_t tid, const struct pt_proc *p)
{
	struct pt_err e = PT_ERR_INIT;

	(void)pid;
	if (p->state == 'S' && !waiting_ends(ctx, 0))
		pt_halt_briefly(tid, &e);
}

/* A thread that did not halt in time is released by the kernel when this one ends. */
static void *waiting_run(void *arg)
{
	struct pt_waiting *w = arg;

	if (!waiting_ends(w, pt_watch_delay_ns(w->watch)))
		pt_waiting_each(w->watch, renew, w);
	return NULL;
}

struct pt_waiting *pt_waiting_renew(const struct pt_watch *watch)
{
	struct pt_waiting *w;

	if (!(watch->nr_pids + watch->nr_tids) || watch->start_disabled)
		return NULL;
	w = pt_alloc(sizeof(*w));
	w->watch = watch;
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (w->stop_fd >= 0 && pthread_create(&w->thread, NULL, waiting_run, w) == 0)
		return w;
	if (w->stop_fd >= 0)
		close(w->stop_fd);
	free(w);
	return NULL;
}

void pt_waiting_free(struct pt_waiting *w)
{
	if (!w)
		return;
	eventfd_write(w->stop_fd, 1);
	pthread_join(w->thread, NULL);
	close(w->stop_fd);
	free(w);
}
