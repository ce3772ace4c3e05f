/* evtable.h - the events of a stream, and which of them a stored record belongs to. Owned by the
 * source; backends add to it.
 *
 * Also the layout of each event's samples, worked out once when the event comes: where time, tid,
 * cpu, id and period stand when all that is in front of them is of fixed size. That is what makes
 * order (the time of a record) and decoding fast. */
#ifndef PT_RECORD_EVTABLE_H
#define PT_RECORD_EVTABLE_H

#include "base/err.h"
#include "record/record.h"

struct pt_evtable;

struct pt_evtable *pt_evtable_new(void);
void pt_evtable_free(struct pt_evtable *t);

/* Copies attr and name (NULL: a name is made from the attribute). `tp` may be NULL, and set later
 * when its format comes. The event is the table's, its address stays. A different sample_type of
 * which no place of an id can be told from the others is an error (as in perf). */
struct pt_event *pt_evtable_add(struct pt_evtable *t, const struct pt_attr *attr, const char *name,
				const struct pt_tp *tp, struct pt_err *e);
void pt_evtable_add_id(struct pt_evtable *t, struct pt_event *ev, uint64_t id);
void pt_evtable_set_name(struct pt_evtable *t, struct pt_event *ev, const char *name);
size_t pt_evtable_nr(const struct pt_evtable *t);
struct pt_event *pt_evtable_at(const struct pt_evtable *t, size_t i);
struct pt_event *pt_evtable_by_id(const struct pt_evtable *t, uint64_t id);

#endif
