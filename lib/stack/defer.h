/* defer.h - call chains whose user part the kernel records only when it returns to the program
 * (attr.defer_callchain): their samples are held until then.
 *
 *     struct pt_defer *d = NULL;
 *     while ((rc = pt_defer_next(&d, source, &rec, &e)) > 0)  // in place of pt_source_next()
 *
 * The chain of such a sample ends in PERF_CONTEXT_USER_DEFERRED and a cookie. A CALLCHAIN_DEFERRED
 * record of the same thread with that cookie completes all its samples since. They are delivered
 * without a user part if the thread ends or executes another program, the stream ends, or too many
 * are held. Source: include/uapi/linux/perf_event.h of the kernel. */
#ifndef PT_STACK_DEFER_H
#define PT_STACK_DEFER_H

#include <linux/perf_event.h>

#include "record/read/source.h"

struct pt_defer;
void pt_defer_free(struct pt_defer *d);

/* Private. */
int pt_defer_see(struct pt_defer **d, struct pt_source *s, const struct pt_record **rec,
		 struct pt_err *e);
int pt_defer_take(struct pt_defer *d, struct pt_source *s, const struct pt_record **rec,
		  struct pt_err *e);

/* *d stays NULL, and records just pass, until the first chain that was deferred. */
static inline int pt_defer_next(struct pt_defer **d, struct pt_source *s,
				const struct pt_record **rec, struct pt_err *e)
{
	int rc;

	if (*d)
		return pt_defer_take(*d, s, rec, e);
	rc = pt_source_next(s, rec, e);
	if (rc > 0 && ((*rec)->has & PERF_SAMPLE_CALLCHAIN || (*rec)->type != PERF_RECORD_SAMPLE))
		return pt_defer_see(d, s, rec, e);
	return rc;
}

#endif
