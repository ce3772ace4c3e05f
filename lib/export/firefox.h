/* firefox.h - samples as a profile of the Firefox Profiler (profiler.firefox.com): JSON, a thread
 * for each thread and event, with its samples over time. It is the processed format in version 47,
 * which newer profilers upgrade when they load it. Source of the format:
 * github.com/firefox-devtools/profiler, docs-developer/processed-profile-format.md and
 * src/types/profile. */
#ifndef PT_EXPORT_FIREFOX_H
#define PT_EXPORT_FIREFOX_H

#include "export/samples.h"
#include "export/sink.h"

/* `s`: made in order. */
int pt_firefox_write(struct pt_samples *s, const struct pt_sink_about *about, struct pt_sink *sink,
		     struct pt_err *e);

#endif
