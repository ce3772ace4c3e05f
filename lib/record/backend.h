/* backend.h - where a source gets its bytes: a file, a stream (reader.c), a live session (live.c).
 *
 * source.c owns events, order, decoding and tally, and pulls: it takes from the order all that is
 * older than `until_ns`, then calls fill() for more. */
#ifndef PT_RECORD_BACKEND_H
#define PT_RECORD_BACKEND_H

#include "base/err.h"
#include "record/evtable.h"
#include "record/info.h"
#include "record/order.h"

struct pt_stream {			/* the source's, lent to the backend */
	struct pt_evtable *events;
	struct pt_order *order;
	struct pt_info *info;
	/* record/feature.h: what info's strings belong to, build-ids */
	struct pt_features *features;
	struct pt_tally *tally;
	/* set by the backend when it has formats; whose: see own_tps */
	struct pt_tp_db *tps;
	bool own_tps;			/* the source frees it */
	/* pt_source_stop(), from any thread: a fill() that waits returns */
	bool stop;
};

struct pt_backend;

struct pt_backend_ops {
	/* Called once when the source is opened: events and formats that are known before the first
	 * record. May be NULL. */
	int (*begin)(struct pt_backend *b, struct pt_stream *st, struct pt_err *e);
	/* Brings more records into the order, and says up to which time all is there now. 1: go on;
	 * 0: that was all (everything left goes); -1: an error; what is in the order is delivered
	 * first, then the error. Live: waits for the next drain here (at most 100 ms). */
	int (*fill)(struct pt_backend *b, struct pt_stream *st, uint64_t *until_ns,
		    struct pt_err *e);
	/* The event's own final figures (live: what was counted, lost): called when all was
	 * delivered. May be NULL. */
	void (*finish)(struct pt_backend *b, struct pt_stream *st);
	/* adds lost, undelivered; may be NULL */
	void (*event_tally)(struct pt_backend *b, const struct pt_event *ev,
			    struct pt_event_tally *t);
	/* Looked at where a record that was taken from the order may be zeros by now (a mapped file
	 * that shrinks). May be NULL. */
	int (*check)(struct pt_backend *b, struct pt_err *e);
	void (*free)(struct pt_backend *b);
};

struct pt_backend {			/* the first member of each backend's struct */
	const struct pt_backend_ops *ops;
	bool swap;			/* foreign byte order: known before the source is opened */
	/* PT_RECORD_TICK and the like may come from it (never believed from a file) */
	bool own_records;
};

/* Records of pt's own, as the live backend puts them into a run. */
struct pt_own_record {
	struct perf_event_header header;	/* type: PT_RECORD_TICK, _CHILD_EXIT */
	uint64_t time_ns;
	uint64_t value;			/* tick: its number; exit: status */
};

#endif
