/* several_priv.h - what the files of several recordings share. */
#ifndef PT_RECORD_SEVERAL_PRIV_H
#define PT_RECORD_SEVERAL_PRIV_H

#include "record/read/source_priv.h"

struct part {
	struct pt_source *src;
	/* the same recording, read up to start_ns; while opening */
	struct pt_source *ahead;
	uint64_t start_ns;
	bool over;
	const struct pt_record *next;
	uint64_t time_ns;		/* of `next` */
	struct pt_event **events;	/* of the whole, by the index of its own */
	size_t nr_events, cap_events;
	size_t nr_build_ids;		/* so many are in the list of all */
};

/* What an event of the whole was joined of. */
struct joined {
	const struct part *last;	/* the last one that had it */
	struct member { const struct part *part; size_t index; } *members;
	size_t nr, cap;
};

struct pt_several {
	struct part *parts;		/* the recordings, sorted by their start */
	size_t nr, cap;
	size_t first, nr_begun;		/* parts before `first` are over */
	struct part *last;		/* its record was delivered */
	struct joined *joined;		/* by the event of the whole */
	size_t nr_joined;
	struct pt_err bad;		/* the first damage, reported at the end */
	size_t nr_bad;
	bool over;
};

static inline bool several_has_time(const struct pt_record *rec)
{
	return rec->has & PERF_SAMPLE_TIME && rec->time_ns;
}

/* several.c. Adds the recording's events and build-ids so far that were not added yet. */
void several_take_events(struct pt_source *s, struct part *p);
void several_note_damage(struct pt_several *v, const struct pt_err *e);

#endif
