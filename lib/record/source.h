/* source.h - the one stream: records in order of time from a file, a pipe or a live session.
 *
 *     struct pt_source *s;
 *     if (pt_source_open(&s, "fio.data", NULL, &e) < 0) ...
 *     while ((rc = pt_source_next(s, &rec, &e)) > 0)
 *             ...
 *     pt_source_free(s);                      // rc 0: the end; rc -1: what is readable was delivered, e says what was wrong
 *
 * Order is by (time, arrival). A record without time keeps its place; a late one (older than what was delivered already) is delivered
 * when it is found, and counted. Damaged input: all that can be read before the damage comes first, then -1, once; after that 0.
 * Attributes may come at any point of a stream: a pt_event that a record names stays good until the source is freed.
 *
 * Memory: a file is mapped and decoded in place, so what is private is bounded by the rounds of the file (FINISHED_ROUND). */
#ifndef PT_RECORD_SOURCE_H
#define PT_RECORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

struct pt_source;
struct pt_backend;

struct pt_source_opts {
	bool file_order;		/* no sorting: as they are stored */
};

/* A perf.data file, the directory of `perf record --threads`, or "-": standard input, as a stream. A file that holds a stream is read as one. */
int pt_source_open(struct pt_source **s, const char *path, const struct pt_source_opts *o, struct pt_err *e);
/* A stream from a pipe, socket or file at its present offset. The fd becomes the source's, also on failure; `name` is for messages. */
int pt_source_open_fd(struct pt_source **s, int fd, const char *name, const struct pt_source_opts *o, struct pt_err *e);
/* Records of a backend (record/backend.h): how live.c makes a source. Owns the backend from here on, also on failure. */
int pt_source_open_backend(struct pt_source **s, struct pt_backend *b, const struct pt_source_opts *o, struct pt_err *e);
void pt_source_free(struct pt_source *s);

/* 1: *rec is the next record, good until the next call; 0: the end; -1: an error. */
int pt_source_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e);

/* The events so far. */
size_t pt_source_nr_events(const struct pt_source *s);
const struct pt_event *pt_source_event(const struct pt_source *s, size_t i);
/* Formats that the source has (live: this machine's); NULL when none came (yet). */
struct pt_tp_db *pt_source_tps(const struct pt_source *s);

/* What is known about the recorded machine and the recording. Strings NULL, numbers 0, where it does not say. The source's. */
struct pt_info {
	const char *hostname, *os_release, *version, *arch;	/* version: of the perf that wrote it; arch as uname -m: "x86_64" */
	const char *cpu_desc, *cpu_id;
	const char *const *cmdline;
	size_t nr_cmdline;
	const struct pt_info_pmu { uint32_t type; const char *name; } *pmus;	/* what attr.type means there */
	size_t nr_pmus;
	uint32_t nr_cpus_online, nr_cpus_avail;
	const struct pt_info_cpu { int32_t socket, die, core; } *cpus;	/* CPU_TOPOLOGY, by CPU; -1 in what it does not say. Cores are numbered within a die, dies within a socket */
	size_t nr_cpus;			/* entries of cpus */
	uint64_t total_mem_kb;
	bool swap;			/* foreign byte order */
	bool live;
	bool stream;			/* pipe form */
	int long_bytes;			/* 4 or 8; of a recording without tracing data and arch: 8 */
	uint64_t first_time_ns, last_time_ns;	/* SAMPLE_TIME section; 0, 0: not there */
	int clockid;			/* -1: the kernel's perf clock, or not said */
	bool has_clock_data;		/* clock_ns of clockid was wall_ns since 1970 */
	uint64_t clock_ns, wall_ns;
	bool has_time_conv;		/* TIME_CONV: TSC to the perf clock */
	uint64_t time_shift, time_mult, time_zero;
	uint64_t data_off, data_len_bytes;
	uint64_t features[4];		/* bit n: section n is there (HEADER_* of the perf.data specification) */
};
const struct pt_info *pt_source_info(const struct pt_source *s);

/* Build-ids of the BUILD_ID section (and HEADER_BUILD_ID records so far). */
struct pt_build_id_entry {
	uint32_t pid;
	uint16_t misc;			/* cpumode: kernel or user */
	uint8_t len;
	uint8_t id[20];
	const char *path;
};
size_t pt_source_nr_build_ids(const struct pt_source *s);
const struct pt_build_id_entry *pt_source_build_id(const struct pt_source *s, size_t i);

/* What went wrong without being an error. Ends as complete figures when next() gave 0. */
struct pt_event_tally {
	uint64_t samples;		/* delivered */
	uint64_t lost;			/* the kernel had no room in the ring (LOST_SAMPLES, LOST, or the event's own lost count: each loss once) */
	uint64_t undelivered;		/* live, fixed period: the kernel counted them, and neither delivered nor lost them */
};
struct pt_tally {
	uint64_t samples, lost, undelivered;	/* sums of the events' */
	uint64_t lost_unknown;		/* lost records of no known event, within `lost` */
	uint64_t lost_chunks;		/* LOST records: times that room ran out */
	uint64_t late;			/* came out of order */
	uint64_t aux_bytes;		/* hardware traces (Intel PT, Arm SPE) in the recording, which are not read */
	uint64_t throttled;
	uint64_t unknown_records;	/* of a type that is not known here */
	uint32_t unknown_type;		/* the first of them */
	uint64_t no_event;		/* samples of an id that no attribute has: skipped */
	uint64_t dropped;		/* by pt itself, since standard output was blocked */
};
const struct pt_tally *pt_source_tally(const struct pt_source *s);
struct pt_event_tally pt_source_event_tally(const struct pt_source *s, const struct pt_event *ev);

/* Bytes [from, to) of a mapped file will hardly be looked at again: their pages are given back, which else is the end's work. Also from another thread. */
void pt_source_drop(const struct pt_source *s, uint64_t from, uint64_t to);

#endif
