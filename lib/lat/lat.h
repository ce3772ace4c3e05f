/* lat.h - latencies: two events of the same key made into one figure.
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
 * A record ends one latency at most, so latencies come in the order of their ends. What pairs with
 * what:
 *
 *     block    block_rq_issue (queued: _insert) -> block_rq_complete by device and sector;
 *              requeues, merges, partial completions and requests
 *              without a sector (flushes) as lat_block.c tells
 *     sched    sched_waking, or sched_wakeup, sched_wakeup_new -> sched_switch that brings the task
 *              in
 *     syscall  sys_enter -> sys_exit of a thread, by raw_syscalls or by the calls' own events
 *     probe    entry -> return of a thread, nested
 *     fields   two events with equal values of the fields named
 *
 * Fields are found by name in each event's format when its first sample comes; after that a sample
 * costs one bounds check, direct loads and one look-up. After a loss (LOST records) everything open
 * is forgotten: an old start must not meet a much later end. Times are nanoseconds. Format of the
 * samples: the events' own (tracefs), include/trace/events/{block,sched}.h of the kernel for what
 * their fields mean. */
#ifndef PT_LAT_LAT_H
#define PT_LAT_LAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/record.h"
#include "record/source.h"

enum pt_lat_kind {
	/* from the events of the source, when the first sample comes; ambiguous: an error that
	   names the choices */
	PT_LAT_CHOOSE,
	PT_LAT_BLOCK,
	PT_LAT_SCHED,
	PT_LAT_SYSCALL,
	PT_LAT_PROBE,
	PT_LAT_FIELDS,
};

struct pt_lat_opts {
	enum pt_lat_kind kind;
	/* block: from insert; a request that passes the scheduler by: from issue */
	bool queued;
	bool preempted;			/* sched: a task that is preempted waits, too */
	const char *syscalls;		/* syscall: "read,write"; NULL: all */
	/* probe, fields: "block:block_rq_issue", or the name alone where it is the only one */
	const char *from, *to;
	/* fields: "dev,sector"; also common_pid, tid, cpu. NULL: tid */
	const char *key;
	bool want_comm;			/* fill pt_latency.comm */
};

struct pt_latency {
	uint64_t end_ns, start_ns;
	uint64_t latency_ns;
	/* who: issued, was woken, called. pid 0xffffffff: not known */
	uint32_t pid, tid;
	uint32_t cpu;			/* of the end; 0xffffffff: not recorded */
	uint32_t dev;			/* block: major << 20 | minor */
	uint32_t nr_sectors;		/* block: as issued */
	uint64_t sector;		/* block: the first, as issued; no sector: 0 */
	/* block: of the completion; syscall: 0 or the negative error number */
	int32_t error;
	int64_t nr;			/* syscall: its number; else -1 */
	/* "" unless wanted and known; the engine's, as long as it lives */
	const char *comm;
	const char *name;		/* syscall: "read", or NULL */
};

struct pt_lat;
/* `source` may be NULL: then events are known by the samples that come (and PT_LAT_CHOOSE has those
 * of the first sample alone). */
struct pt_lat *pt_lat_new(const struct pt_lat_opts *o, const struct pt_source *source);
void pt_lat_free(struct pt_lat *l);

/* 1: a latency ended; 0: none did; -1: the events of the source do not make a pair. */
int pt_lat_feed(struct pt_lat *l, const struct pt_record *rec, struct pt_latency *out,
		struct pt_err *e);

/* What pairs: "block_rq_issue -> block_rq_complete"; "" before it is chosen. */
const char *pt_lat_title(const struct pt_lat *l);
enum pt_lat_kind pt_lat_kind(const struct pt_lat *l);
/* The words behind a latency, of the latency just fed and the record that ended it: "254,0 R
 * 8192+8", "read", "dev=1 sector=8", then the thread: " 1234 fio". Control characters are
 * escaped */
void pt_lat_words(const struct pt_lat *l, const struct pt_latency *lat, const struct pt_record *rec,
		  struct pt_buf *out);
/* The key word alone ("254,0", "read"), for tables by key: by is "dev", "op", "comm", "tid", "pid",
 * "syscall", "cpu" or "key". False: no such word here. */
bool pt_lat_by(const struct pt_lat *l, const char *by, const struct pt_latency *lat,
	       const struct pt_record *rec, struct pt_buf *out);

/* What did not pair. */
struct pt_lat_counts {
	uint64_t pairs;			/* latencies given */
	uint64_t starts, ends;		/* events seen of each */
	/* samples whose key the kernel could not read: of no pair */
	uint64_t unread_keys;
	uint64_t unpaired;		/* ends without a start */
	uint64_t open;			/* starts without an end so far */
	/* starts given up: a later start of the same key shows that the end was missed */
	uint64_t unanswered;
	uint64_t forgotten;		/* open when records were lost */
	/* the scheduler's: an idle task was seen to leave a CPU, so not single tasks were watched
	 */
	bool all_cpus;
	uint64_t crowded_out;		/* open when there was no room for more */
	uint64_t requeued;		/* block: issues taken back */
	uint64_t merged;		/* block, queued: requests that became part of another */
	uint64_t partial;		/* block: completions of a part */
	/* block, queued: measured from the issue, since no insert came */
	uint64_t bypassed;
	/* block: flushes that the block layer completed without issuing them */
	uint64_t answered;
	/* block: completed with an error (they count as pairs, too) */
	uint64_t failed;
	/* sched: switches missing; wake-ups left out since one of them answered it */
	uint64_t gaps, spanning;
	/* syscall: returns of a new thread's fork; calls of threads that ended within */
	uint64_t born, died;
	/* samples too short for their fields, without time, or ends before their start */
	uint64_t bad;
};
struct pt_lat_counts pt_lat_counts(const struct pt_lat *l);
/* The i-th line of what a user should know about it, added to `out`; i counts on. False: there are
 * no more. */
bool pt_lat_note(const struct pt_lat *l, size_t *i, struct pt_buf *out);

#endif
