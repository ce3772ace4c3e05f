#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/live.h"
#include "record/source.h"

struct pt_interrupt {
	atomic_bool came;
	pthread_t waiter;
	bool started, waits;
	sigset_t signals, old_mask;
};

static void *wait_for_signals(void *arg)
{
	struct pt_interrupt *in = arg;
	int sig;

	while (!sigwait(&in->signals, &sig))
		if (atomic_exchange(&in->came, true))
			_exit(128 + sig);
	return NULL;
}

struct pt_interrupt *pt_interrupt_new(void)
{
	struct pt_interrupt *in = pt_alloc(sizeof(*in));

	sigemptyset(&in->signals);
	sigaddset(&in->signals, SIGINT);
	sigaddset(&in->signals, SIGTERM);
	return in;
}

void pt_interrupt_start(struct pt_interrupt *in)
{
	if (in->started || pthread_sigmask(SIG_BLOCK, &in->signals, &in->old_mask))
		return;
	in->started = true;
	/* Without the thread a signal waits until the end, as it would without all of this. */
	in->waits = !pthread_create(&in->waiter, NULL, wait_for_signals, in);
}

void pt_interrupt_follow(struct pt_interrupt *in, struct pt_source *s)
{
	struct pt_session *session = in->started ? NULL : pt_source_session(s);

	if (session && pt_session_interrupted(session))
		pt_interrupt_start(in);
}

void pt_interrupt_free(struct pt_interrupt *in)
{
	if (!in)
		return;
	if (in->waits) {
		pthread_cancel(in->waiter);
		pthread_join(in->waiter, NULL);
	}
	if (in->started)
		pthread_sigmask(SIG_SETMASK, &in->old_mask, NULL);
	free(in);
}

bool pt_interrupt_came(void *interrupt)
{
	struct pt_interrupt *in = interrupt;

	return in && atomic_load(&in->came);
}
