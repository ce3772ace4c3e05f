/* live.h - a live session as a source: rings merged in place, side-band first, ticks, losses and
 * the command's end as records in the stream. */
#ifndef PT_RECORD_LIVE_H
#define PT_RECORD_LIVE_H

#include "record/read/source.h"
#include "record/watch/session.h"

/* Opens and starts. `w` must live as long as the source. A command that cannot be run is the error
 * of the first pt_source_next() (pt_session_not_run()). */
int pt_source_open_live(struct pt_source **s, const struct pt_watch *w, struct pt_err *e);
/* The session behind it (its command's status); NULL when the source is not live. */
struct pt_session *pt_source_session(struct pt_source *s);

#endif
