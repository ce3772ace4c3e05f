/* backend.h - where a source gets its bytes: a file, a stream (reader.c), a live session (live.c).
 *
 * source.c owns events, order, decoding and tally: it takes from the order all that is older than
 * `until_ns`, then calls fill() for more. */
#ifndef PT_RECORD_BACKEND_H
#define PT_RECORD_BACKEND_H

#include "base/err.h"
#include "record/format/evtable.h"
#include "record/format/info.h"
#include "record/read/order.h"

struct pt_stream {			/* the source's, lent to the backend */
	struct pt_evtable *events;
	struct pt_order *order;
	struct pt_info *info;
	struct pt_features *features;	/* owns info's strings; record/read/feature.h */
	struct pt_tally *tally;
	struct pt_tp_db *tps;		/* formats, set by the backend */
	bool own_tps;			/* the source frees them */
	/* pt_source_stop(), from any thread: a fill() that waits returns */
	bool stop;
	/* pt_source_see_own(); NULL: nobody wants them */
	void (*see_own)(void *ctx, const struct pt_record *rec);
	void *see_own_ctx;
	const char *source;		/* pt_record.source */
};

struct pt_backend;

struct pt_backend_ops {
	/* Called once when the source is opened: adds the events, formats and sections that come
	 * before the first record. All but fill and free may be NULL. */
	int (*begin)(struct pt_backend *b, struct pt_stream *st, struct pt_err *e);
	/* Adds more records to the order, and sets the time up to which all are there. 1: go on; 0:
	 * that was all; -1: an error, which is reported once the order is empty. Live: waits for
	 * the next drain (at most 100 ms). */
	int (*fill)(struct pt_backend *b, struct pt_stream *st, uint64_t *until_ns,
		    struct pt_err *e);
	/* Called when all is delivered: reads the final figures of events. */
	void (*finish)(struct pt_backend *b, struct pt_stream *st);
	/* Adds the event's lost and undelivered samples to *t. */
	void (*event_tally)(struct pt_backend *b, const struct pt_event *ev,
			    struct pt_event_tally *t);
	/* -1: the mapped file has shrunk, so that a record may be zeros. */
	int (*check)(struct pt_backend *b, struct pt_err *e);
	void (*free)(struct pt_backend *b);
};

struct pt_backend {			/* the first member of each backend's struct */
	const struct pt_backend_ops *ops;
	bool swap;			/* foreign byte order: known before the source is opened */
	bool own_records;		/* PT_RECORD_TICK and the like may come from it */
};

/* Records of pt's own, as the live backend puts them into a run. */
struct pt_own_record {
	struct perf_event_header header;	/* type: PT_RECORD_TICK, _CHILD_EXIT */
	uint64_t time_ns;
	uint64_t value;			/* tick: its number; exit: status */
};

#endif
