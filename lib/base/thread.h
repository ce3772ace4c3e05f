/* thread.h - starts a helper thread. It blocks all signals except those that it may raise itself
 * (SIGBUS, SIGPIPE, ...). */
#ifndef PT_BASE_THREAD_H
#define PT_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* False: the system refused. */
bool pt_thread_start(pthread_t *t, void *(*run)(void *ctx), void *ctx);

#endif
