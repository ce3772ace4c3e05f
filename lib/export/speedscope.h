/* speedscope.h - samples as a file of speedscope (www.speedscope.app): JSON, a profile for each
 * thread and event, its samples in their order. Source of the format:
 * https://www.speedscope.app/file-format-schema.json. */
#ifndef PT_EXPORT_SPEEDSCOPE_H
#define PT_EXPORT_SPEEDSCOPE_H

#include "export/samples.h"
#include "export/sink.h"

int pt_speedscope_write(struct pt_samples *s, const struct pt_sink_about *about,
			struct pt_sink *sink, struct pt_err *e);

#endif
