/* outqueue.h - a bounded queue of bytes in front of a file descriptor, with a thread that writes
 * it: the one who fills it never waits for the reader. Errors are the system's words alone, e->sys
 * set: the caller puts the name in front. The thread touches nothing but the queue, and takes no
 * signals (a reader that went away is an error, EPIPE, no SIGPIPE). The fd stays the caller's. */
#ifndef PT_BASE_OUTQUEUE_H
#define PT_BASE_OUTQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/err.h"

struct pt_outqueue;

int pt_outqueue_new(struct pt_outqueue **q, int fd, size_t limit_bytes, struct pt_err *e);
/* Room for `len` bytes now? An empty queue has room for anything. */
bool pt_outqueue_room(struct pt_outqueue *q, size_t len);
/* Takes a copy of the pieces; `wait`: until there is room (else it is taken in any case: ask for
 * room before). -1: the writing failed. */
int pt_outqueue_put(struct pt_outqueue *q, const struct iovec *iov, size_t nr, bool wait,
		    struct pt_err *e);
/* Waits until all is written. */
int pt_outqueue_drain(struct pt_outqueue *q, struct pt_err *e);
/* Ends the thread; what is not written yet is thrown away. */
void pt_outqueue_free(struct pt_outqueue *q);

#endif
