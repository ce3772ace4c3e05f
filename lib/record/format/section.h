/* section.h - the feature sections of a recording: what it says about the machine, the events and
 * itself.
 *
 *     struct pt_sections s = { .has = 0 };
 *     pt_sections_machine(&s, version); pt_sections_events(&s, events, nr); ...
 *     pt_writer_begin(w, events, nr, &s, e);          // the writer puts them where they belong
 *     pt_sections_deinit(&s);
 *
 * What this machine does not tell is left out. The struct owns its buffers. Source:
 * tools/perf/Documentation/perf.data-file-format.txt; layouts beyond it as in recordings of perf
 * 6.1. */
#ifndef PT_RECORD_SECTION_H
#define PT_RECORD_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/abi.h"
#include "record/format/info.h"
#include "tracepoint/tp.h"

enum { PT_SECTIONS_NR = 32 };

struct pt_sections {
	struct pt_buf data[PT_SECTIONS_NR];
	/* bit n: section n is there, even when it is empty */
	uint32_t has;
};

/* An event as a recording names it. */
struct pt_write_event {
	struct pt_attr attr;
	const char *name;
	const uint64_t *ids;
	size_t nr_ids;
	unsigned leader;			/* index of its group's leader; its own otherwise */
};

void pt_sections_deinit(struct pt_sections *s);
/* Marks a section as there; returns its buffer, emptied. */
struct pt_buf *pt_sections_start(struct pt_sections *s, enum pt_feature f);
void pt_sections_drop(struct pt_sections *s, enum pt_feature f);

/* HOSTNAME, OSRELEASE, ARCH, NRCPUS, CPUDESC, CPUID, TOTAL_MEM, CPU_TOPOLOGY, NUMA_TOPOLOGY,
 * PMU_MAPPINGS; VERSION as given. */
void pt_sections_machine(struct pt_sections *s, const char *version);
void pt_sections_cmdline(struct pt_sections *s, int argc, char **argv);
/* EVENT_DESC, and GROUP_DESC when there are groups. */
void pt_sections_events(struct pt_sections *s, const struct pt_write_event *events, size_t nr);
/* CLOCKID and CLOCK_DATA: the resolution, and what both clocks show now. */
void pt_sections_clock(struct pt_sections *s, int clockid);
/* COMPRESSED: zstd; no record may grow to more than `unit_bytes`. */
void pt_sections_compressed(struct pt_sections *s, int level, uint32_t ratio, uint32_t unit_bytes);
void pt_sections_sample_time(struct pt_sections *s, uint64_t first_ns, uint64_t last_ns);

/* TRACING_DATA (tracing.c): adds the formats of these tracepoints (doubles are written once), byte
 * for byte as this machine's tracefs has them. A format that cannot be read is an error. */
int pt_tracing_data(struct pt_buf *b, const struct pt_tp *const *tps, size_t nr, struct pt_err *e);
/* The beginning of trace.dat, version 6, up to the names of tasks: the same, and with the kernel's
 * symbols. */
int pt_tracing_data_of_tracedat(struct pt_buf *b, const struct pt_tp *const *tps, size_t nr,
				struct pt_err *e);

/* Returns the size of attributes in a file: as small as perf 6.1 wants it, larger only when one
 * needs it. */
uint32_t pt_write_attr_bytes(const struct pt_write_event *events, size_t nr);
void pt_write_attr(struct pt_buf *b, const struct pt_write_event *ev, uint32_t attr_bytes);

/* For the writer: numbers of this machine's byte order, and perf's strings (a length, padded with
 * zeros to 64 bytes). */
void pt_buf_u32(struct pt_buf *b, uint32_t v);
void pt_buf_u64(struct pt_buf *b, uint64_t v);

#endif
