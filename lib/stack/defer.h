/* defer.h - call chains whose user part the kernel records only when it returns to the program
 * (attr.defer_callchain): their samples are held until then.
 *
 *     struct pt_defer *d = pt_defer_new();
 *     while ((rc = pt_defer_next(d, source, &rec, &e)) > 0)   // in place of pt_source_next()
 *
 * The chain of such a sample ends in PERF_CONTEXT_USER_DEFERRED and a cookie. A CALLCHAIN_DEFERRED
 * record of the same thread with that cookie completes all its samples since. They are delivered
 * without a user part if the thread ends or executes another program, the stream ends, or too many
 * are held. Source: include/uapi/linux/perf_event.h of the kernel. */
#ifndef PT_STACK_DEFER_H
#define PT_STACK_DEFER_H

#include "record/read/source.h"

struct pt_defer;
struct pt_defer *pt_defer_new(void);
void pt_defer_free(struct pt_defer *d);
int pt_defer_next(struct pt_defer *d, struct pt_source *s, const struct pt_record **rec,
		  struct pt_err *e);

#endif
