/* defer.h - call chains whose user part the kernel walks only on its way back to the program
 * (attr.defer_callchain): samples wait for it.
 *
 *     struct pt_defer *d = pt_defer_new();
 *     while ((rc = pt_defer_next(d, source, &rec, &e)) > 0)   // in place of pt_source_next()
 *
 * Such a sample's chain ends in PERF_CONTEXT_USER_DEFERRED and a cookie; a record
 * CALLCHAIN_DEFERRED with that cookie follows, of the same thread, and stands for all samples that
 * it had meanwhile. They come out with the whole chain, behind what came in between; without user
 * part when their thread ends, begins another program, or the stream ends first, or when too many
 * wait. Streams without such samples pass as they are. Source: include/uapi/linux/perf_event.h of
 * the kernel. */
#ifndef PT_STACK_DEFER_H
#define PT_STACK_DEFER_H

#include "record/source.h"

struct pt_defer;
struct pt_defer *pt_defer_new(void);
void pt_defer_free(struct pt_defer *d);
int pt_defer_next(struct pt_defer *d, struct pt_source *s, const struct pt_record **rec,
		  struct pt_err *e);
/* samples that came out without their user part */
uint64_t pt_defer_alone(const struct pt_defer *d);

#endif
