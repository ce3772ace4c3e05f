/* stage.h - a second step of work in a thread of its own: pieces go to it in order, through a queue
 * that holds so many bytes.
 *
 *     // NULL: there shall be no second thread
 *     struct pt_stage *s = pt_stage_new(worker, ctx, 16 << 20);
 *     while (...)
 *             // waits for room; false: the worker failed
 *             if (!pt_stage_put(s, &piece->link, bytes)) break;
 *     // waits for the worker: what it returned, its error
 *     rc = pt_stage_end(s, &e);
 *
 *     int worker(struct pt_stage *s, void *ctx, struct pt_err *e)
 *     {
 *             // waits; NULL: that was the last one
 *             while ((piece = pt_stage_take(s))) ...
 *     }
 *
 * A piece is its maker's until it is put, then the worker's, who gives its room back by
 * pt_stage_done(): what one of them wrote before, the other one sees behind. The worker's thread
 * leaves all signals to others but those that its own doings raise (SIGBUS, SIGPIPE, ...). One
 * thread has to be enough: PT_THREADS=1 in the environment, a single CPU to run on, and no thread
 * to be had all give NULL. */
#ifndef PT_BASE_STAGE_H
#define PT_BASE_STAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct pt_stage;
struct pt_piece { struct pt_piece *next; size_t bytes; };

/* Threads are wanted, and there is more than one CPU for them. */
bool pt_stage_wanted(void);
/* A thread as described above. False: there is none to be had. */
bool pt_stage_thread(pthread_t *t, void *(*run)(void *ctx), void *ctx);

struct pt_stage *pt_stage_new(int (*worker)(struct pt_stage *s, void *ctx, struct pt_err *e),
			      void *ctx, size_t max_bytes);
bool pt_stage_put(struct pt_stage *s, struct pt_piece *p, size_t bytes);
int pt_stage_end(struct pt_stage *s, struct pt_err *e);		/* frees s */

struct pt_piece *pt_stage_take(struct pt_stage *s);
void pt_stage_done(struct pt_stage *s, size_t bytes);
/* the other side waits for room, or nearly so */
bool pt_stage_full(struct pt_stage *s);
bool pt_stage_idle(struct pt_stage *s);				/* nothing is there to take */
/* pt_stage_put() is to tell; the worker goes on to take all there is, so that it is freed */
void pt_stage_fail(struct pt_stage *s);

#endif
