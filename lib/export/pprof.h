/* pprof.h - samples as a profile of pprof (`go tool pprof`): a protocol buffer, packed by gzip.
 * Each event has two values, samples and what they count (time, cycles, ...); equal stacks of one
 * thread are one sample, with labels comm, pid and tid. Source of the format: export/pprof.proto.
 */
#ifndef PT_EXPORT_PPROF_H
#define PT_EXPORT_PPROF_H

#include "export/samples.h"
#include "export/sink.h"

/* `s`: made without an order. */
int pt_pprof_write(const struct pt_samples *s, const struct pt_sink_about *about,
		   struct pt_sink *sink, struct pt_err *e);

#endif
