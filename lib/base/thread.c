#include "base/thread.h"

#include <signal.h>

#include "base/mem.h"

bool pt_thread_start(pthread_t *t, void *(*run)(void *ctx), void *ctx)
{
	static const int own[] = { SIGBUS,  SIGSEGV, SIGFPE,  SIGILL,
				   SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE };
	sigset_t others, before;
	int rc;

	sigfillset(&others);
	for (size_t i = 0; i < PT_NR(own); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_BLOCK, &others, &before);
	rc = pthread_create(t, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !rc;
}
