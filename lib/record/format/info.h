/* info.h - what a recording says about its machine and itself, its build-ids, and what went wrong
 * on the way.
 *
 * Backends fill these in, the source owns them, and everybody else reads them through the source
 * (source.h). */
#ifndef PT_RECORD_INFO_H
#define PT_RECORD_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HEADER_* of the specification: bits of a file's header, numbers of sections and of
 * HEADER_FEATURE records. */
enum pt_feature {
	PT_FEATURE_RESERVED = 0,
	PT_FEATURE_TRACING_DATA = 1,
	PT_FEATURE_BUILD_ID = 2,
	PT_FEATURE_HOSTNAME = 3,
	PT_FEATURE_OSRELEASE = 4,
	PT_FEATURE_VERSION = 5,
	PT_FEATURE_ARCH = 6,
	PT_FEATURE_NRCPUS = 7,
	PT_FEATURE_CPUDESC = 8,
	PT_FEATURE_CPUID = 9,
	PT_FEATURE_TOTAL_MEM = 10,
	PT_FEATURE_CMDLINE = 11,
	PT_FEATURE_EVENT_DESC = 12,
	PT_FEATURE_CPU_TOPOLOGY = 13,
	PT_FEATURE_NUMA_TOPOLOGY = 14,
	PT_FEATURE_BRANCH_STACK = 15,
	PT_FEATURE_PMU_MAPPINGS = 16,
	PT_FEATURE_GROUP_DESC = 17,
	PT_FEATURE_SAMPLE_TIME = 21,
	PT_FEATURE_CLOCKID = 23,
	PT_FEATURE_DIR_FORMAT = 24,
	PT_FEATURE_COMPRESSED = 27,
	PT_FEATURE_CLOCK_DATA = 29,
	PT_NR_FEATURES = 256,
};

/* The recorded machine and the recording. Strings are NULL and numbers 0 where it does not say. */
struct pt_info {
	/* version: of the perf that wrote it; arch as uname -m: "x86_64" */
	const char *hostname, *os_release, *version, *arch;
	const char *cpu_desc, *cpu_id;
	const char *const *cmdline;
	size_t nr_cmdline;
	/* what attr.type means there */
	const struct pt_info_pmu { uint32_t type; const char *name; } *pmus;
	size_t nr_pmus;
	uint32_t nr_cpus_online, nr_cpus_avail;
	/* CPU_TOPOLOGY, by CPU; -1 in what it does not say. Cores are numbered within a die, dies
	 * within a socket */
	const struct pt_info_cpu { int32_t socket, die, core; } *cpus;
	size_t nr_cpus;			/* entries of cpus */
	uint64_t total_mem_kb;
	bool swap;			/* foreign byte order */
	bool live;
	bool stream;			/* pipe form */
	/* 4 or 8; 8 if neither tracing data nor arch tell */
	int long_bytes;
	uint64_t first_time_ns, last_time_ns;	/* SAMPLE_TIME section; 0, 0: not there */
	int clockid;			/* -1: the kernel's perf clock, or not said */
	bool has_clock_data;		/* clock_ns of clockid was wall_ns since 1970 */
	uint64_t clock_ns, wall_ns;
	bool has_time_conv;		/* TIME_CONV: TSC to the perf clock */
	uint64_t time_shift, time_mult, time_zero;
	uint64_t data_off, data_len_bytes;
	/* bit n: section n is there */
	uint64_t features[4];
};

/* One build-id of the BUILD_ID section or of a HEADER_BUILD_ID record. */
struct pt_build_id_entry {
	uint32_t pid;
	uint16_t misc;			/* cpumode: kernel or user */
	uint8_t len;
	uint8_t id[20];
	const char *path;
};

enum { PT_NR_OWN_RECORDS = 32 };

/* What went wrong without being an error, of an event and of the whole stream. The figures are
 * complete when pt_source_next() has returned 0. */
struct pt_event_tally {
	uint64_t samples;		/* delivered */
	uint64_t lost;			/* the kernel had no room in the ring; each loss once */
	uint64_t dropped;		/* while recording: the reader of the stream stalled */
	/* Counted by the kernel, neither delivered nor lost. Known of events of period 1, live and
	 * in recordings with final counts (recorder.c). */
	uint64_t undelivered;
	bool shares_samples;		/* pt_event_shares_samples(): others may have got them */
};
struct pt_tally {
	uint64_t samples, lost, undelivered;	/* sums of the events' */
	uint64_t lost_unknown;		/* lost records of no known event, within `lost` */
	uint64_t late;			/* came out of order */
	/* hardware traces (Intel PT, Arm SPE) in the recording, which are not read */
	uint64_t aux_bytes;
	uint64_t throttled;
	uint64_t unknown_records;	/* of a type that is not known here */
	uint32_t unknown_type;		/* the first of them */
	uint64_t no_event;		/* samples of an id that no attribute has: skipped */
	uint64_t dropped;		/* by pt itself, since standard output was blocked */
	/* perf's own records, which are not delivered, by type from PT_RECORD_HEADER_ATTR on */
	uint64_t own_records[PT_NR_OWN_RECORDS];
};

#endif
