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
#include "record/read/source.h"
#include "record/watch/live.h"

enum stage { PIPED, READING, NAMING, ENOUGH };	/* what the next signal ends; ENOUGH: the process */

struct pt_interrupt {
	atomic_int stage;
	struct pt_source *source;	/* the source being read */
	pthread_t waiter;
	bool started, waits;
	int signal_fd, end_fd;		/* end_fd: becomes readable to end the thread */
	sigset_t old_mask;
};

static void interrupt_take(struct pt_interrupt *in, int signal)
{
	int stage = atomic_load(&in->stage), next;

	do {
		if (stage == ENOUGH)
			_exit(128 + signal);
		next = stage == PIPED && signal != SIGINT ? NAMING : stage + 1;
	} while (!atomic_compare_exchange_weak(&in->stage, &stage, next));
	if (next == NAMING && in->source)
		pt_source_stop(in->source);
}

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
			interrupt_take(in, (int)si.ssi_signo);
	}
	return NULL;
}

struct pt_interrupt *pt_interrupt_new(void)
{
	struct pt_interrupt *in = pt_alloc(sizeof(*in));

	in->signal_fd = in->end_fd = -1;
	return in;
}

static void interrupt_start(struct pt_interrupt *in, enum stage stage, bool with_ignored)
{
	static const int both[] = { SIGINT, SIGTERM };
	struct sigaction sa;
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < PT_NR(both); i++)
		if (with_ignored || sigaction(both[i], NULL, &sa) || sa.sa_handler != SIG_IGN)
			sigaddset(&signals, both[i]);
	if (pthread_sigmask(SIG_BLOCK, &signals, &in->old_mask))
		return;
	in->started = true;
	atomic_store(&in->stage, (int)stage);
	in->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	in->end_fd = eventfd(0, EFD_CLOEXEC);
	in->waits = in->signal_fd >= 0 && in->end_fd >= 0 &&
		    !pthread_create(&in->waiter, NULL, wait_for_signals, in);
	/* Without the thread nobody would handle the signals. */
	if (!in->waits)
		pthread_sigmask(SIG_SETMASK, &in->old_mask, NULL);
}

void pt_interrupt_reading(struct pt_interrupt *in, struct pt_source *s, bool piped)
{
	in->source = s;
	if (!in->started)
		interrupt_start(in, piped ? PIPED : READING, false);
}

void pt_interrupt_naming(struct pt_interrupt *in)
{
	int stage = atomic_load(&in->stage);

	if (!in->started)
		interrupt_start(in, NAMING, true);
	while (stage < NAMING && !atomic_compare_exchange_weak(&in->stage, &stage, NAMING))
		;
}

void pt_interrupt_follow(struct pt_interrupt *in, struct pt_source *s)
{
	struct pt_session *session = in->started ? NULL : pt_source_session(s);

	if (session && pt_session_interrupted(session))
		pt_interrupt_naming(in);
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
	if (in->waits)
		pthread_sigmask(SIG_SETMASK, &in->old_mask, NULL);
	free(in);
}

bool pt_interrupt_ends(void *interrupt)
{
	struct pt_interrupt *in = interrupt;

	return atomic_load(&in->stage) >= NAMING;
}

bool pt_interrupt_came(void *interrupt)
{
	struct pt_interrupt *in = interrupt;

	return in && atomic_load(&in->stage) == ENOUGH;
}
