/* thread.h - a helping thread. Signals are left to the others, but for those that its own doings
 * raise (SIGBUS, SIGPIPE, ...). */
#ifndef PT_BASE_THREAD_H
#define PT_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* False: there is none to be had. */
bool pt_thread_start(pthread_t *t, void *(*run)(void *ctx), void *ctx);

#endif
