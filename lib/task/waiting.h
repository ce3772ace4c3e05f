/* waiting.h - the threads of a live session that wait before it begins, or all the time.
 *
 * A session of sched:sched_switch has the stack of a thread that leaves its CPU; of one that has
 * left it before, it has nothing. So such threads are made to begin their wait anew:
 *
 *     struct pt_waiting *w = pt_waiting_renew(watch);     // once the session has started
 *     ...
 *     pt_waiting_free(w);
 *
 * A thread of the tool's own halts each of them by ptrace and lets it go at once (task/halt.h): it
 * repeats the system call that it waits in, and is seen to leave its CPU in it. */
#ifndef PT_TASK_WAITING_H
#define PT_TASK_WAITING_H

#include <stdint.h>

#include "base/proc.h"
#include "record/watch/session.h"

/* Calls each() for each thread of watch->pids and watch->tids that waits now; with watch->all_cpus
 * and neither of them, of all processes. p->state: S, or D where it cannot be interrupted. */
void pt_waiting_each(const struct pt_watch *watch,
		     void (*each)(void *ctx, uint32_t pid, uint32_t tid, const struct pt_proc *p),
		     void *ctx);

struct pt_waiting;
/* Of watch->pids and watch->tids, after the session's delay. Threads in state D, and those that may
 * not be halted, are left alone. `watch` must live until pt_waiting_free(). NULL: nothing is to be
 * done. */
struct pt_waiting *pt_waiting_renew(const struct pt_watch *watch);
/* Ends it, also before it has come to all of them. NULL is fine. */
void pt_waiting_free(struct pt_waiting *w);

#endif
