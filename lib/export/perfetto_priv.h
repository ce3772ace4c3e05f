/* perfetto_priv.h - what the files of perfetto.h share. */
#ifndef PT_EXPORT_PERFETTO_PRIV_H
#define PT_EXPORT_PERFETTO_PRIV_H

#include "base/map.h"
#include "export/message.h"
#include "export/perfetto.h"
#include "perfetto.pb-c.h"

/* What samples of an event become. */
enum perfetto_use {
	PERFETTO_UNKNOWN,		/* not looked at yet */
	PERFETTO_NOTHING,
	PERFETTO_SWITCH, PERFETTO_WAKING, PERFETTO_WAKEUP, PERFETTO_WAKEUP_NEW,
	PERFETTO_FREQUENCY, PERFETTO_IDLE,
	PERFETTO_REQUEST,
	PERFETTO_INSTANT,
	PERFETTO_STACK,
};
enum { PERFETTO_FIELDS = 7, PERFETTO_MAX_CPU = 1023 };

struct perfetto_event {
	enum perfetto_use use;
	/* of the kernel's events, in the order of the message */
	const struct pt_tp_field *fields[PERFETTO_FIELDS];
};

/* Events of one CPU that are not written yet: pieces of a Pf__FtraceEventBundle. */
struct perfetto_cpu { struct pt_buf text; bool lost; };

/* Requests that are in flight together are on lanes of their own. */
struct perfetto_device { uint64_t *ends_ns; size_t nr, cap; };

/* Tracks have numbers of 64 bits: the kind in the upper 8. */
enum perfetto_track {
	PERFETTO_THREAD = 1,
	PERFETTO_CPU,
	PERFETTO_DEVICE,
	PERFETTO_LANE,
	PERFETTO_COUNTER,
};

struct pt_perfetto {
	const struct pt_source *src;
	struct pt_buf *out;
	bool begun, knows_system;	/* the first packet, that of the machine is written */
	struct pt_perfetto_counts counts;
	struct perfetto_event *events;	/* by pt_event.index */
	size_t nr_events;
	struct perfetto_cpu *cpus;
	size_t nr_cpus;
	struct pt_map tracks;		/* that were described */
	struct pt_map counters;		/* event and CPU -> the id of the first counter of both */
	struct pt_map ids;		/* of counters -> index of their event, plus 1 */
	size_t nr_ids_of;		/* so many events are in ids */
	struct pt_lat *requests;
	struct pt_map device_numbers;	/* -> index, plus 1 */
	struct perfetto_device *devices;
	size_t nr_devices;
	struct pt_buf text, text2;
	Pf__DebugAnnotation *notes, **note_pointers;	/* of an instant */
	size_t *note_texts;		/* where in `text` their strings are, plus 1 */
	size_t cap_notes;
	struct pt_names *names;
	struct pt_map mappings;		/* module and build-id -> its number */
	bool *stacks_done;		/* by node: it was described */
	size_t nr_stacks_done;
};

/* Adds a packet. time_ns 0: none. */
void perfetto_packet(struct pt_perfetto *p, Pf__TracePacket *t, uint64_t time_ns);
/* Valid UTF-8, in place of what is in b. */
char *perfetto_text(struct pt_buf *b, const char *s, size_t len);
/* Interned, for names of which there are few. */
char *perfetto_name(struct pt_perfetto *p, const char *s);
/* The number of a track; it is described, with its name, when it is first needed. */
uint64_t perfetto_track(struct pt_perfetto *p, enum perfetto_track kind, uint32_t high,
			uint32_t low, Pf__TrackDescriptor *about);
void perfetto_track_event(struct pt_perfetto *p, Pf__TrackEvent *ev, uint64_t time_ns);

/* perfetto_sched.c: true if it is one of the kernel's events that Perfetto knows, all of whose
 * fields are there. */
bool perfetto_sched_knows(const struct pt_tp *tp, struct perfetto_event *ev);
void perfetto_sched(struct pt_perfetto *p, const struct perfetto_event *ev,
		    const struct pt_record *rec);
void perfetto_sched_fork(struct pt_perfetto *p, const struct pt_record *rec, const char *comm);
void perfetto_sched_lost(struct pt_perfetto *p);

/* perfetto_tracks.c */
void perfetto_request(struct pt_perfetto *p, const struct pt_record *rec);
void perfetto_instant(struct pt_perfetto *p, const struct pt_record *rec);
void perfetto_counters(struct pt_perfetto *p, const struct pt_record *rec);

#endif
