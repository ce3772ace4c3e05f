/* collector.h - records of another origin than perf's rings, in a live session, whose command,
 * signals, ticks and end are used. The collector belongs to the caller (pt_watch.collector) and
 * must live as long as the source. */
#ifndef PT_RECORD_COLLECTOR_H
#define PT_RECORD_COLLECTOR_H

#include "record/read/backend.h"
#include "record/watch/session.h"

struct pt_collector {
	/* Adds its events and starts. The session is open; its command waits before its exec.
	 */
	int (*begin)(struct pt_collector *c, struct pt_stream *st, const struct pt_session *s,
		     struct pt_err *e);
	/* Adds what it has as runs. Returns how full it is, in 1/256. */
	uint64_t (*take)(struct pt_collector *c, struct pt_stream *st);
	/* There are tasks of which more may come (pt_watch.until_idle). */
	bool (*busy)(struct pt_collector *c);
	/* Ends the collecting. */
	void (*stop)(struct pt_collector *c);
	/* Adds lost and undelivered of an event of its own. */
	void (*tally)(struct pt_collector *c, struct pt_event_tally *t);
	int wake_fd;			/* readable when take() should be called; -1: none */
};

#endif
