/* evtable.h - the events of a stream, and which of them a stored record belongs to. Owned by the
 * source; backends add to it. An event's address stays.
 *
 * The layout of each event's samples is worked out once, when the event comes. While all events
 * keep time and id at one place, the time of a record is one load, whichever event it belongs to.
 * Places are bytes from the record's first byte (samples) or back from its end (all others). */
#ifndef PT_RECORD_EVTABLE_H
#define PT_RECORD_EVTABLE_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "record/format/info.h"
#include "record/format/record.h"

/* For functions that are called for every record: inlined where `swap` is a constant, they need no
 * test of the byte order, which would cost as much as the load itself. */
#define PT_INLINE static inline __attribute__((always_inline))

enum { PT_PLACE_NONE = -1, PT_PLACE_DIFFERS = -2 };

/* Sample fields that stand in front of the first one of variable size, and those repeated behind
 * other records. */
#define PT_FIXED_FIELDS \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD)
#define PT_TRAILER_FIELDS \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

struct pt_evt {				/* an event and the layout of its records */
	struct pt_event ev;		/* first: a pt_event of the table is a pt_evt */
	size_t cap_ids;
	uint64_t fields;		/* sample_type, the known bits */
	uint64_t trailer;		/* the fields at the end of its other records; 0: none */
	uint32_t fixed_len;		/* bytes of the fixed fields */
	uint32_t trailer_len;
	int time_at, time_end;		/* PT_PLACE_NONE: no time */
	int id_at, id_end;
	bool named;			/* the name was given, not made from the attribute */
	bool muted;			/* its samples are counted, but not delivered */

	uint64_t samples;		/* samples that were delivered */
	/* LOST records that bear its id: the loss of a whole ring */
	uint64_t lost_ring;
	/* its lost count as written at the end of a recording */
	uint64_t lost_final;
	/* its final count by the kernel; valid if has_count (recorder.c) */
	uint64_t count;
	bool has_count;
	/* LOST_SAMPLES of the kernel: lost before they came to a ring */
	uint64_t lost_hw;
};

enum { PT_ID_CACHE = 256 };

struct pt_evtable {
	struct pt_evt **evs;
	size_t nr, cap;
	int time_at, time_end;		/* of all events; PT_PLACE_* */
	int id_at, id_end;
	uint32_t trailer_len;		/* of all events; 0: they differ, or have none */
	bool has_lost_final;		/* some event has a lost_final */
	struct pt_map ids;		/* id -> index */
	/* The only event with pt_event_shares_samples(): a sample with an unknown id is taken for
	 * its. NULL: there is none, or there are several. */
	struct pt_evt *sharing;
	size_t nr_sharing;
	struct pt_names *names;
	struct {
		uint64_t id;
		struct pt_evt *evt;	/* NULL: free */
	} cache[PT_ID_CACHE];
};

struct pt_evtable *pt_evtable_new(void);
void pt_evtable_free(struct pt_evtable *t);
/* Copies attr and name (NULL: a name is made from the attribute). `tp` may be NULL, and set later
 * when its format comes. An error, as in perf: a different sample_type whose ids cannot be told
 * from the others'. */
struct pt_event *pt_evtable_add(struct pt_evtable *t, const struct pt_attr *attr, const char *name,
				const struct pt_tp *tp, struct pt_err *e);
/* Adds an event of another table, without its ids. Records of this table's events are told apart
 * elsewhere. */
struct pt_event *pt_evtable_copy(struct pt_evtable *t, const struct pt_event *ev);
void pt_evtable_add_id(struct pt_evtable *t, struct pt_event *ev, uint64_t id);
void pt_evtable_set_name(struct pt_evtable *t, struct pt_event *ev, const char *name);
struct pt_event *pt_evtable_by_id(const struct pt_evtable *t, uint64_t id);	/* NULL: none */

/* Some kernels (seen with Linux 6.18) make a sample of a page fault, a switch or a migration once
 * for all who sample it, with the id of the first of them, which another session may have made. */
bool pt_event_shares_samples(const struct pt_attr *a);
/* Searches, and fills the cache. */
struct pt_evt *pt_evtable_find(struct pt_evtable *t, uint64_t id);

PT_INLINE struct pt_evt *pt_evtable_lookup(struct pt_evtable *t, uint64_t id)
{
	size_t i = id % PT_ID_CACHE;

	return t->cache[i].id == id && t->cache[i].evt ? t->cache[i].evt : pt_evtable_find(t, id);
}

/* Whose sample this is. NULL: an id that no event has, or the record is too short to have one. */
PT_INLINE struct pt_evt *pt_evtable_of_sample(struct pt_evtable *t, const uint8_t *p, uint32_t len,
					      bool swap)
{
	if (t->id_at >= 0)
		return len >= (uint32_t)t->id_at + 8
			       ? pt_evtable_lookup(t, pt_load64(p + t->id_at, swap))
			       : NULL;
	return t->nr ? t->evs[0] : NULL;
}

/* The length, trailer included, of a record that is no sample; at most `len`, the one that it
 * states. Kernels (6.18, for example) state too much in KSYMBOL, BPF_EVENT and TEXT_POKE if several
 * events get the record: perf_event_ksymbol_output() in kernel/events/core.c adds each event's
 * trailer to one size. What follows the first trailer is left from older records. */
uint32_t pt_record_len(const uint8_t *p, uint32_t len, uint32_t trailer_len, bool swap);

static inline uint32_t pt_evtable_len(const struct pt_evtable *t, const uint8_t *p, uint32_t len,
				      bool swap)
{
	return t->trailer_len ? pt_record_len(p, len, t->trailer_len, swap) : len;
}

/* Whose record of another type this is, `len` by pt_evtable_len(): NULL when the stream does not
 * say. */
static inline struct pt_evt *pt_evtable_of_other(struct pt_evtable *t, const uint8_t *p,
						 uint32_t len, bool swap)
{
	if (t->id_end >= 0)
		return len >= (uint32_t)t->id_end + PT_HEADER_BYTES
			       ? pt_evtable_lookup(t, pt_load64(p + len - t->id_end, swap))
			       : NULL;
	return t->nr && t->evs[0]->trailer ? t->evs[0] : NULL;
}

bool pt_evtable_time_slow(struct pt_evtable *t, const uint8_t *p, uint32_t type, uint32_t len,
			  bool swap, uint64_t *time_ns);

/* With a time of 0 these records describe what existed before. They are older than all others,
 * wherever they stand (perf record --overwrite writes them last). */
static inline bool pt_evtable_is_state(uint32_t type, uint64_t time_ns)
{
	const uint64_t state = 1u << PERF_RECORD_MMAP | 1u << PERF_RECORD_MMAP2 |
			       1u << PERF_RECORD_COMM | 1u << PERF_RECORD_FORK |
			       1u << PERF_RECORD_NAMESPACES | 1u << PERF_RECORD_KSYMBOL |
			       1u << PERF_RECORD_CGROUP;

	return !time_ns && type < 64 && state >> type & 1;
}

/* The time of the record at p. All ones is none; nor is 0 one (perf writes it into records that it
 * makes), except in records of what existed before. */
PT_INLINE bool pt_evtable_time_in(struct pt_evtable *t, const uint8_t *p, uint32_t type,
				  uint32_t len, bool swap, uint64_t *time_ns)
{
	uint64_t v;

	if (type == PERF_RECORD_SAMPLE && t->time_at > 0 && len >= (uint32_t)t->time_at + 8)
		v = pt_load64(p + t->time_at, swap);
	else if (type != PERF_RECORD_SAMPLE && type < PT_RECORD_HEADER_ATTR && t->time_end > 0 &&
		 len >= (uint32_t)t->time_end + PT_HEADER_BYTES)
		v = pt_load64(p + pt_evtable_len(t, p, len, swap) - t->time_end, swap);
	else
		return pt_evtable_time_slow(t, p, type, len, swap, time_ns);
	if (v - 1 >= UINT64_MAX - 1 && !pt_evtable_is_state(type, v))
		return false;
	*time_ns = v;
	return true;
}

/* The time of a record in our byte order; `before_ns`: if it has none. */
static inline uint64_t pt_evtable_time_of(struct pt_evtable *t, const uint8_t *p,
					  uint64_t before_ns)
{
	uint32_t type = pt_load32(p, false), len = pt_load16(p + 6, false);
	uint64_t time_ns;

	return pt_evtable_time_in(t, p, type, len, false, &time_ns) ? time_ns : before_ns;
}

/* The name that perf gives to an event without one: "cycles:u", "raw 0x1c2". Released by free(). */
char *pt_attr_name(const struct pt_attr *attr);
/* Where a sample of this type has its time; PT_PLACE_NONE. */
int pt_sample_time_at(uint64_t sample_type);
/* Bit fields of the other byte order, where the first one takes the highest bits, in our order,
 * where it takes the lowest. */
uint64_t pt_bits_turned(uint64_t v, const uint8_t *widths, size_t nr);
/* An attribute as stored, of any age and size: what it lacks is 0, what is beyond ours is left out.
 * False: cut short. */
bool pt_attr_read(struct pt_attr *attr, const void *p, size_t len, bool swap);

#endif
