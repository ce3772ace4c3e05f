/* record.h - one decoded record of a recording or a live session.
 *
 * A pt_record is valid until the next pt_source_next(), and so is all that it points to (raw data,
 * call chains, names): that lies in the mapped file, in a ring or in memory of the source. Numbers
 * are in this machine's byte order, except for the raw data of tracepoints, which pt_tp_value()
 * reads by `swap`.
 *
 * Only the members that `has` names are set. The others keep old values, since clearing them would
 * cost too much at a million records a second.
 *
 * Times are nanoseconds of the recording's clock. Source of the layouts:
 * include/uapi/linux/perf_event.h (kernel records), and
 * tools/perf/Documentation/perf.data-file-format.txt (perf's own). */
#ifndef PT_RECORD_RECORD_H
#define PT_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/abi.h"
#include "tracepoint/tp.h"

/* An event of the stream: its attribute, name and ids. The source owns it, for its whole life. */
struct pt_event {
	unsigned index;			/* 0, 1, ... in order of arrival */
	unsigned leader;		/* index of its group's leader, or its own */
	const char *name;		/* "sched:sched_switch", "cycles:u"; never NULL */
	struct pt_attr attr;		/* what a shorter, older attribute lacks is 0 */
	const uint64_t *ids;
	size_t nr_ids;
	const struct pt_tp *tp;		/* a tracepoint whose format is known; else NULL */
	/* a dummy event, which has no samples: it brings the side-band records, those of tasks and
	 * mappings (MMAP, COMM, FORK ...) */
	bool side_band;
};

struct pt_read_value {
	uint64_t value;
	uint64_t id;			/* 0 if the read format has none */
	uint64_t lost;			/* same */
};

struct pt_branch {			/* struct perf_branch_entry: flags as there */
	uint64_t from, to, flags;
};

struct pt_sample {			/* of PERF_RECORD_SAMPLE; which members: pt_record.has */
	uint64_t ip;
	uint64_t addr;
	uint64_t period;
	/* WEIGHT; with WEIGHT_STRUCT var1_dw | var2_w << 32 | var3_w << 48 */
	uint64_t weight;
	uint64_t data_src;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size, code_page_size;

	const void *raw;		/* RAW; tracepoints: the record that the format describes */
	uint32_t raw_len;

	uint32_t nr_read;		/* READ */
	uint64_t time_enabled_ns, time_running_ns;
	const struct pt_read_value *read;

	/* CALLCHAIN: ips and PERF_CONTEXT_* marks, innermost first */
	const uint64_t *callchain;
	uint64_t nr_callchain;

	const struct pt_branch *branches;	/* BRANCH_STACK */
	uint64_t nr_branches;

	/* REGS_USER: PERF_SAMPLE_REGS_ABI_*, and one value for each bit of the mask, from bit 0 */
	uint64_t user_abi, user_mask;
	const uint64_t *user_regs;
	uint64_t intr_abi, intr_mask;	/* REGS_INTR */
	const uint64_t *intr_regs;

	const void *stack;		/* STACK_USER: from the stack pointer upwards */
	uint64_t stack_len;		/* dyn_size: how much the kernel copied */

	const void *aux;		/* AUX */
	uint64_t aux_len;
};

struct pt_record {
	uint32_t type;			/* PERF_RECORD_*, PT_RECORD_* of event/abi.h */
	uint16_t misc;			/* PERF_RECORD_MISC_* */
	/* raw data is in the other byte order than this machine's */
	bool swap;
	/* PERF_SAMPLE_*: TIME, TID, CPU, ... for every record; the others for samples */
	uint64_t has;
	const struct pt_event *event;	/* NULL if the stream does not say which */
	uint64_t time_ns;		/* TIME */
	uint32_t pid, tid;		/* TID; 0xffffffff: the kernel had none */
	uint32_t cpu;			/* CPU */
	uint64_t id;			/* ID or IDENTIFIER */
	uint64_t stream_id;		/* STREAM_ID */

	/* the stored record with its header, in the recording's byte order */
	const uint8_t *data;
	uint32_t len_bytes;
	/* offset in the file or stream; 0 if live */
	uint64_t off;
	const char *source;		/* the recording, as it was given; NULL: live */

	struct pt_sample sample;

	/* By type, where tools need it; all others have `data` alone. All strings end in NUL and
	 * lie within the record. */
	union {
		struct {		/* MMAP, MMAP2 */
			uint32_t pid, tid;	/* pid 0xffffffff: the kernel's */
			uint64_t addr, len_bytes, pgoff;
			uint32_t maj, min;	/* of MMAP2 without build-id */
			uint64_t ino, ino_generation;
			uint8_t build_id[20];
			uint8_t build_id_len;	/* 0: none */
			uint32_t prot, flags;	/* MMAP: prot from PERF_RECORD_MISC_MMAP_DATA */
			const char *path;
		} mmap;
		struct {		/* COMM; an exec when misc has PERF_RECORD_MISC_COMM_EXEC */
			uint32_t pid, tid;
			const char *comm;
		} comm;
		struct {		/* FORK, EXIT */
			uint32_t pid, ppid, tid, ptid;
			uint64_t time_ns;
		} task;
		struct {		/* LOST (id, lost), LOST_SAMPLES (lost) */
			uint64_t id;
			uint64_t lost;
		} lost;
		struct {
			uint32_t pid, tid;
			uint32_t nr;
			const struct pt_read_value *values;
			uint64_t time_enabled_ns, time_running_ns;
		} read;
		/* SWITCH_CPU_WIDE: the next or previous task; SWITCH: nothing. Out when misc has
		 * MISC_SWITCH_OUT */
		struct { uint32_t pid, tid; } sw;
		struct {
			uint32_t pid, tid;
			uint64_t nr;
			const struct pt_ns_link {
				uint64_t dev, ino;
			} *links;
		} namespaces;
		struct {
			uint64_t addr;
			uint32_t len_bytes;
			uint16_t kind, flags;
			const char *name;
		} ksymbol;
		struct { uint16_t kind, flags; uint32_t id; uint8_t tag[8]; } bpf;
		struct { uint64_t id; const char *path; } cgroup;
		/* CALLCHAIN_DEFERRED */
		struct { uint64_t cookie, nr; const uint64_t *ips; } deferred;
		/* PT_RECORD_TICK: 1, 2, ... at their due times */
		struct { uint64_t nr; } tick;
		/* PT_RECORD_CHILD_EXIT: as waitpid(2) gives it */
		struct { int status; } child;
	} u;
};

/* A sample of time or cycles on a CPU that had nothing to do. A tracepoint in the idle task is an
 * event like any other. */
static inline bool pt_record_is_idle(const struct pt_record *rec)
{
	return rec->event && rec->event->attr.type <= PERF_TYPE_RAW &&
	       rec->event->attr.type != PERF_TYPE_TRACEPOINT && rec->has & PERF_SAMPLE_TID &&
	       !rec->tid && !rec->pid;
}

/* The record is of the kernel's code or memory. */
static inline bool pt_record_in_kernel(const struct pt_record *rec)
{
	return (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* What a sample counts: its period, else that of its event; 1 if neither is known. */
static inline uint64_t pt_record_period(const struct pt_record *rec)
{
	const struct pt_attr *a = &rec->event->attr;

	if (rec->has & PERF_SAMPLE_PERIOD)
		return rec->sample.period;
	return a->flags & PT_ATTR_FREQ || !a->sample_period ? 1 : a->sample_period;
}

/* "MMAP2", "SAMPLE", "HEADER_ATTR"; of an unknown type "of an unknown type". */
const char *pt_record_type_name(uint32_t type);

#endif
