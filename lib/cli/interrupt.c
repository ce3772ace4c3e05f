#include "cli/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/live.h"
#include "record/source.h"

struct pt_interrupt {
	atomic_bool came;
	pthread_t waiter;
	bool started, waits;
	int signal_fd, end_fd;		/* end_fd: readable when the thread is to end */
	sigset_t signals, old_mask;
};

static void *wait_for_signals(void *arg)
{
	struct pt_interrupt *in = arg;
	struct pollfd fds[] = { { .fd = in->signal_fd, .events = POLLIN },
				{ .fd = in->end_fd, .events = POLLIN } };
	struct signalfd_siginfo si;

	while (!fds[1].revents) {
		if (poll(fds, PT_NR(fds), -1) < 0)
			continue;
		while (read(in->signal_fd, &si, sizeof(si)) == sizeof(si))
			if (atomic_exchange(&in->came, true))
				_exit(128 + (int)si.ssi_signo);
	}
	return NULL;
}

struct pt_interrupt *pt_interrupt_new(void)
{
	struct pt_interrupt *in = pt_alloc(sizeof(*in));

	in->signal_fd = in->end_fd = -1;
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
	in->signal_fd = signalfd(-1, &in->signals, SFD_NONBLOCK | SFD_CLOEXEC);
	in->end_fd = eventfd(0, EFD_CLOEXEC);
	/* Without the thread a signal waits until the end, as it would without all of this. */
	in->waits = in->signal_fd >= 0 && in->end_fd >= 0 &&
		    !pthread_create(&in->waiter, NULL, wait_for_signals, in);
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
	if (in->waits && eventfd_write(in->end_fd, 1) == 0)
		pthread_join(in->waiter, NULL);
	if (in->signal_fd >= 0)
		close(in->signal_fd);
	if (in->end_fd >= 0)
		close(in->end_fd);
	if (in->started)
		pthread_sigmask(SIG_SETMASK, &in->old_mask, NULL);
	free(in);
}

bool pt_interrupt_came(void *interrupt)
{
	struct pt_interrupt *in = interrupt;

	return in && atomic_load(&in->came);
}
