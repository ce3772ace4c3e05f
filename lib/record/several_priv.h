/* several_priv.h - what the files of several recordings share. */
#ifndef PT_RECORD_SEVERAL_PRIV_H
#define PT_RECORD_SEVERAL_PRIV_H

#include "record/source_priv.h"

struct joined_event {			/* events of several recordings that are the same */
	struct pt_event ev;
	size_t cap_ids;
	struct part *last;		/* the last one that had it */
	/* what was joined: events of the recordings */
	struct member { const struct part *part; size_t index; } *members;
	size_t nr_members, cap_members;
};

struct part {
	struct pt_source *src;
	/* the same recording, read up to start_ns; while opening */
	struct pt_source *ahead;
	uint64_t start_ns;
	bool over;
	const struct pt_record *next;
	uint64_t time_ns;		/* of `next` */
	struct joined_event **events;	/* of its events */
	size_t nr_events, cap_events;
	size_t nr_build_ids;		/* so many are in the list of all */
};

struct pt_several {
	struct part *parts;		/* by start */
	size_t nr, cap;
	size_t first, nr_begun;		/* parts in front of `first` are over */
	struct part *last;		/* its record was delivered */
	struct joined_event **events;
	size_t nr_events, cap_events;
	struct pt_map ids;		/* of all events: those that were seen */
	struct pt_build_id_entry *build_ids;
	size_t nr_build_ids, cap_build_ids;
	struct pt_err bad;		/* the first damage, reported at the end */
	size_t nr_bad;
	bool over;
};

static inline bool several_has_time(const struct pt_record *rec)
{
	return rec->has & PERF_SAMPLE_TIME && rec->time_ns;
}

/* several.c. Takes the events and build-ids that the recording has told by now. */
void several_take_news(struct pt_several *v, struct part *p);
void several_note_damage(struct pt_several *v, const struct pt_err *e);

#endif
