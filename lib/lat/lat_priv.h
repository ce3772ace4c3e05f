/* lat_priv.h - shared by the latency engine's files: lat.c (feeding, words, notes), lat_choose.c
 * (the pair of events), lat_pick.c (their fields), lat_block.c, lat_sched.c, lat_call.c (system
 * calls, probes, fields) */
#ifndef PT_LAT_LAT_PRIV_H
#define PT_LAT_LAT_PRIV_H

#include "base/map.h"
#include "event/sysnr.h"
#include "task/tasks.h"
#include "lat/lat.h"
#include "lat/pending_starts.h"
#include "sched/sched.h"

enum { LAT_FIELDS = 6, LAT_KEYS = 4, LAT_MAX_OPEN = 1 << 20 };

/* A row of the table of pairs (lat_choose.c). */
struct lat_pair {
	enum pt_lat_kind kind;
	const char *preset;		/* the option without its dashes */
	const char *from[3], *to;	/* events: any of `from` begins what `to` ends */
	const char *key;		/* FIELDS: as pt_lat_opts.key */
	const char *start, *starts, *end, *ends;	/* the words for them */
};

struct lat_key {
	enum { LAT_KEY_NUMBER, LAT_KEY_BYTES, LAT_KEY_TID, LAT_KEY_PID, LAT_KEY_CPU } kind;
	struct pt_tp_place f;
	const struct pt_tp_field *tp_field;
	const char *name;		/* in pt_lat.key_text */
};

struct lat_event;
typedef int lat_feed(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		     struct pt_latency *out);

/* An event as the engine sees it. */
struct lat_event {
	lat_feed *feed;			/* NULL: not of the pair */
	uint64_t has;			/* bits that a sample must have */
	uint32_t need_bytes;		/* the end of the last field */
	bool seen;			/* examined: the rest is set */
	struct pt_tp_place f[LAT_FIELDS];
	bool is_from, is_to;		/* fields: starts a latency, ends one; may be both */
	struct lat_key from[LAT_KEYS], to[LAT_KEYS];	/* and by which keys */
	const char *name;		/* of the system call */
	/* syscall: the number of its name if the samples have none */
	int64_t call;
};

enum { F_DEV, F_SECTOR, F_NR, F_RWBS, F_ERROR, F_COMM };	/* block */
enum { F_ID, F_RET };						/* syscall */

struct pt_lat {
	struct pt_lat_opts o;
	enum pt_lat_kind kind;
	const struct pt_source *source;
	bool started;
	struct lat_event *events;	/* by pt_event.index */
	size_t nr_events;

	struct pt_pending_starts pending;
	struct pt_lat_counts n;
	uint64_t longest_ns;		/* of all latencies so far */
	struct pt_names *names;
	struct pt_tasks *tasks;
	struct pt_map devices;		/* -> interned name, lat_device.c */
	char title[160];
	char *from, *to;		/* names of the events to pair */

	bool merge_events;		/* block: merge events are recorded */
	struct pt_sched *sched;		/* sched, or not chosen yet; else NULL */
	/* syscall: the family of events that counts */
	enum { CALLS_UNKNOWN, CALLS_RAW, CALLS_NAMED } calls;
	const char *arch;		/* syscall: of the recording */
	struct pt_sysnr *call_names;	/* the same */
	int64_t *wanted;		/* syscall: numbers, for raw_syscalls */
	size_t nr_wanted;
	char *key_text;			/* fields: the names, separated */
	const char *key_from[LAT_KEYS], *key_to[LAT_KEYS];
	size_t nr_keys;
};

static inline uint64_t lat_load(const struct pt_tp_place *f, const struct pt_record *rec)
{
	return pt_tp_load(f, rec->sample.raw, rec->swap);
}

/* lat.c */
const char *lat_comm(struct pt_lat *l, const struct pt_record *rec, const struct pt_tp_place *comm);

static inline void lat_fill(struct pt_lat *l, struct pt_pending_start *o,
			    const struct pt_record *rec, const struct pt_tp_place *comm)
{
	bool has_tid = rec->has & PERF_SAMPLE_TID;

	o->start_ns = rec->time_ns;
	o->pid = has_tid ? rec->pid : UINT32_MAX;
	o->tid = has_tid ? rec->tid : UINT32_MAX;
	if (l->o.want_comm)
		o->comm = lat_comm(l, rec, comm);
	if (l->o.began)
		o->began = l->o.began(l->o.began_ctx, rec);
}

/* Ends the start *o with the record and removes it. The caller sets what is special to its kind. */
static inline int lat_end(struct pt_lat *l, struct pt_pending_start *o, const struct pt_record *rec,
			  struct pt_latency *out)
{
	uint64_t latency_ns = rec->time_ns - o->start_ns;

	out->end_ns = rec->time_ns;
	out->start_ns = o->start_ns;
	out->latency_ns = latency_ns;
	out->open = false;
	out->pid = o->pid;
	out->tid = o->tid;
	out->cpu = rec->has & PERF_SAMPLE_CPU ? rec->cpu : UINT32_MAX;
	out->comm = o->comm ? o->comm : "";
	out->began = o->began;
	pt_pending_take(&l->pending, o);
	if (rec->time_ns < out->start_ns) {
		l->n.bad++;
		return 0;
	}
	l->n.pairs++;
	if (latency_ns > l->longest_ns)
		l->longest_ns = latency_ns;
	return 1;
}

/* A latency of neither a block request nor a system call. */
static inline void lat_plain(struct pt_latency *out)
{
	out->dev = out->nr_sectors = 0;
	out->sector = 0;
	out->error = 0;
	out->nr = -1;
	out->name = NULL;
	out->began = NULL;
}

/* lat_device.c: adds a disk's name, or its number, "254,0". */
void lat_device(struct pt_lat *l, uint32_t dev, struct pt_buf *out);

/* lat_choose.c: sets the kind and the names of the pair; -1: there is no pair, or more than one. */
int lat_choose(struct pt_lat *l, const struct pt_event *first, struct pt_err *e);
/* The row of the pair: its words. */
const struct lat_pair *lat_pair(const struct pt_lat *l);
/* "system:name" or "name" is this event. Both may be patterns. */
bool lat_is(const struct pt_event *event, const char *pattern);
/* "read" for syscalls:sys_enter_read; NULL: it is no such event; *enter: entry or exit. */
const char *lat_call_name(const struct pt_event *event, bool *enter);
/* lat_pick.c: fills *ev from the event's format; -1: the event is of the pair but cannot be used.
 */
int lat_pick(struct pt_lat *l, const struct pt_event *event, struct lat_event *ev,
	     struct pt_err *e);

lat_feed lat_block_insert, lat_block_issue, lat_block_issue_queued, lat_block_complete,
	lat_block_requeue, lat_block_merge;
lat_feed lat_call_enter, lat_call_exit, lat_probe_entry, lat_probe_return, lat_fields;
void lat_block_rwbs(const struct lat_event *ev, const struct pt_record *rec, char text[17]);
void lat_key_words(const struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		   struct pt_buf *out);
/* Other records: a new task, the end of a task. */
void lat_call_fork(struct pt_lat *l, const struct pt_record *rec);
void lat_call_died(struct pt_lat *l, const struct pt_record *rec);
size_t lat_sched_open(const struct pt_lat *l);
int lat_sched_feed(struct pt_lat *l, const struct pt_record *rec, struct pt_latency *out,
		   struct pt_err *e);
void lat_sched_counts(const struct pt_lat *l, struct pt_lat_counts *n);
size_t lat_call_open(const struct pt_lat *l);
/* Of a start without an end: what is special to its kind. False: it is not to be shown. */
bool lat_call_of_open(const struct pt_lat *l, const struct pt_pending_start *o,
		      struct pt_latency *out);
bool lat_block_of_open(const struct pt_pending_start *o, struct pt_latency *out);

#endif
