/* lat.h - latencies: the time between two events with the same key.
 *
 *     // opts are copied; their strings stay the caller's
 *     struct pt_lat *l = pt_lat_new(&opts, source);
 *     while ((rc = pt_source_next(source, &rec, &e)) > 0) {
 *             rc = pt_lat_feed(l, rec, &lat, &e);             // every record, whatever its type
 *             if (rc > 0) ... lat is a latency that ended with this record; rc < 0: the events
 *                     cannot be paired at all
 *     }
 *     for (i = 0; pt_lat_note(l, &i, &text); pt_buf_clear(&text)) ... what could not be paired, a
 *             line each
 *
 * A record ends at most one latency, so latencies are ordered by their ends. The pairs:
 *
 *     block    block_rq_issue (queued: _insert) -> block_rq_complete, by device and sector;
 *              lat_block.c describes requeues, merges, partial completions and flushes
 *     sched    sched_waking, or sched_wakeup, sched_wakeup_new -> the sched_switch to the task
 *     syscall  sys_enter -> sys_exit of a thread, by raw_syscalls or by the calls' own events
 *     probe    entry -> return of a thread, nested
 *     fields   two events with equal values of the fields named
 *
 * Fields are found by name in each event's format at its first sample; later samples cost one
 * bounds check, direct loads and one look-up. LOST records discard all pending starts, so that an
 * old start does not pair with a much later end. Times are in nanoseconds. The events' own formats
 * (tracefs) give the layout; the kernel's include/trace/events/{block,sched}.h give the meaning. */
#ifndef PT_LAT_LAT_H
#define PT_LAT_LAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/format/record.h"
#include "record/read/source.h"

enum pt_lat_kind {
	/* chosen from the source's events at the first sample; if several pairs are possible, an
	 * error names them */
	PT_LAT_CHOOSE,
	PT_LAT_BLOCK,
	PT_LAT_SCHED,
	PT_LAT_SYSCALL,
	PT_LAT_PROBE,
	PT_LAT_FIELDS,
};

struct pt_lat_opts {
	enum pt_lat_kind kind;
	const char *preset;		/* set by pt_lat_preset(); NULL: a pair without a name */
	/* block: measure from insert, or from issue for requests that bypass the scheduler */
	bool queued;
	bool preempted;			/* sched: preempted tasks wait, too */
	const char *syscalls;		/* syscall: "read,write"; NULL: all */
	/* probe, fields: "block:block_rq_issue", or the name alone if it is unique */
	const char *from, *to;
	/* fields: "dev,sector"; also common_pid, tid, cpu. NULL: tid */
	const char *key;
	bool want_comm;			/* fill pt_latency.comm */
	/* What is kept of the record that begins a latency, as pt_latency.began; NULL: nothing.
	 * Not of the scheduler's. */
	const void *(*began)(void *ctx, const struct pt_record *rec);
	void *began_ctx;
};

/* The pair of a preset's events (event/preset.h): sets kind, preset, from, to and key. False: it is
 * no pair. */
bool pt_lat_preset(const char *preset, struct pt_lat_opts *o);

struct pt_latency {
	uint64_t end_ns, start_ns;
	uint64_t latency_ns;
	bool open;			/* it has not ended: end_ns is that of the records */
	/* the task that issued, was woken, or called. pid 0xffffffff: unknown */
	uint32_t pid, tid;
	uint32_t cpu;			/* of the end event; 0xffffffff: not recorded */
	uint32_t dev;			/* block: major << 20 | minor */
	uint32_t nr_sectors;		/* block: as issued */
	uint64_t sector;		/* block: the first, as issued; no sector: 0 */
	char op[9];			/* block, open: rwbs, "WS" */
	/* block: of the completion; syscall: 0 or the negative error number */
	int32_t error;
	int64_t nr;			/* syscall: its number; else -1 */
	/* "" unless wanted and known; owned by the engine */
	const char *comm;
	const char *name;		/* syscall: "read", or NULL */
	const void *began;		/* of pt_lat_opts.began() */
};

struct pt_lat;
/* `source` may be NULL: then events are known only from their samples, and PT_LAT_CHOOSE sees just
 * the event of the first sample. */
struct pt_lat *pt_lat_new(const struct pt_lat_opts *o, const struct pt_source *source);
void pt_lat_free(struct pt_lat *l);

/* 1: a latency ended; 0: none did; -1: the events of the source form no pair. */
int pt_lat_feed(struct pt_lat *l, const struct pt_record *rec, struct pt_latency *out,
		struct pt_err *e);

/* When all records were given: the system calls that have not returned by end_ns, and the block
 * requests that were not completed; *i is 0 at first. Other pairs have none. */
bool pt_lat_open(const struct pt_lat *l, size_t *i, uint64_t end_ns, struct pt_latency *out);

/* The pair: "block_rq_issue -> block_rq_complete"; "" before it is chosen. */
const char *pt_lat_title(const struct pt_lat *l);
enum pt_lat_kind pt_lat_kind(const struct pt_lat *l);
/* Adds the words that follow a latency in its line: "vda R 8192+8" ("254,0 R 8192+8" of another
 * machine's disk), "read" or "dev=1 sector=8", then the thread: " 1234 fio". `lat` is the last
 * latency, `rec` the record that ended it; NULL: it is open. Control characters are escaped. */
void pt_lat_words(struct pt_lat *l, const struct pt_latency *lat, const struct pt_record *rec,
		  struct pt_buf *out);
/* Adds one of these words ("vda", "read"), for tables by key: `by` is "dev", "op", "comm", "tid",
 * "pid", "syscall", "cpu" or "key". False: there is no such word for this kind. */
bool pt_lat_by(struct pt_lat *l, const char *by, const struct pt_latency *lat,
	       const struct pt_record *rec, struct pt_buf *out);

/* What was paired, and what was not. */
struct pt_lat_counts {
	uint64_t pairs;			/* latencies given */
	/* samples whose key the kernel could not read: not paired */
	uint64_t unread_keys;
	uint64_t unpaired;		/* ends without a start */
	uint64_t open;			/* starts without an end so far */
	/* starts without an end: a later start with the same key shows that the end was missed */
	uint64_t unanswered;
	uint64_t forgotten;		/* pending when records were lost */
	/* sched: an idle task left a CPU, so whole CPUs were watched */
	bool all_cpus;
	uint64_t crowded_out;		/* dropped: too many were pending */
	uint64_t requeued;		/* block: requeued issues */
	/* block, queued: measured from the issue, since there was no insert */
	uint64_t bypassed;
	/* block: completed with an error; counted as pairs, too */
	uint64_t failed;
	/* sched: missing switches; wake-ups that are left out because a missing switch ended
	 * them */
	uint64_t gaps, spanning;
	/* of the scheduler: switches known by a record of the task that came in (sched/sched.h) */
	uint64_t by_records;
	uint64_t died;			/* syscall: calls in which the thread ended */
	/* samples that are too short or have no time, and ends before their start */
	uint64_t bad;
};
struct pt_lat_counts pt_lat_counts(const struct pt_lat *l);
/* Adds the i-th note for the user to `out` and increments i. False: there are no more. */
bool pt_lat_note(const struct pt_lat *l, size_t *i, struct pt_buf *out);

#endif
