/* perfetto.h - a recording as a trace of Perfetto (ui.perfetto.dev, trace_processor): written while
 * records come, packet by packet.
 *
 *     struct pt_perfetto *p = pt_perfetto_new(source, &text);
 *     while (pt_source_next(source, &rec, &e) > 0)
 *             pt_perfetto_feed(p, rec, comm);         // appends to text; the caller empties it
 *     pt_perfetto_end(p);
 *     i = 0;
 *     while (pt_perfetto_stacks(p, samples, &i))       // a piece each
 *             ...
 *     pt_perfetto_free(p);
 *
 * What becomes of records:
 *
 *     sched_switch, sched_waking,        the kernel's own events, of which Perfetto makes rows of
 *     sched_wakeup, sched_wakeup_new,    CPUs and states of threads
 *     cpu_frequency, cpu_idle
 *     requests of disks (lat/lat.h)      slices, on a row a device
 *     other tracepoints and probes       instants with their fields, on the thread's row
 *     counters that samples read         counter tracks
 *     (PERF_SAMPLE_READ)
 *     COMM, FORK                         names of threads and processes
 *     sched_stat_runtime                 nothing: Perfetto computes it from the switches
 *
 * Stacks of samples of other events are the caller's to collect (export/samples.h, in order): what
 * pt_perfetto_feed() returns says so. Memory is bounded by tasks, CPUs and requests in flight. Text
 * from the recording becomes valid UTF-8. Source of the format: export/perfetto.proto. */
#ifndef PT_EXPORT_PERFETTO_H
#define PT_EXPORT_PERFETTO_H

#include "export/samples.h"
#include "lat/lat.h"
#include "record/read/source.h"

struct pt_perfetto;
struct pt_perfetto *pt_perfetto_new(const struct pt_source *src, struct pt_buf *out);
void pt_perfetto_free(struct pt_perfetto *p);

/* Takes every record, except samples that are not wanted. comm: the name of the record's task.
 * True: it is a sample of an event that is no tracepoint; its counters were written, its stack was
 * not. */
bool pt_perfetto_feed(struct pt_perfetto *p, const struct pt_record *rec, const char *comm);
/* Appends the events of the scheduler that are still collected. Before the stacks. */
void pt_perfetto_end(struct pt_perfetto *p);
/* Appends some samples, from item *i on. False: they were the last. */
bool pt_perfetto_stacks(struct pt_perfetto *p, struct pt_samples *s, size_t *i);

/* Samples that are left out. */
struct pt_perfetto_counts {
	uint64_t timeless;
	uint64_t no_cpu;		/* or one from 1,024 on, which Perfetto does not take */
	uint64_t bad;			/* too short */
};
struct pt_perfetto_counts pt_perfetto_counts(const struct pt_perfetto *p);
/* The requests of disks that were paired, for notes about them; NULL: there were none. */
const struct pt_lat *pt_perfetto_requests(const struct pt_perfetto *p);

#endif
