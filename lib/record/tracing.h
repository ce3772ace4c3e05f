/* tracing.h - the tracing-data section: the formats of tracepoints as this machine's tracefs has
 * them, byte for byte.
 *
 * Layout (version 0.6, as perf 6.1 and trace-cmd write it; source:
 * tools/perf/util/trace-event-read.c): magic, version, byte order, bytes of a long, page size;
 * header_page; header_event; formats of ftrace's own events (none); systems, each with the formats
 * of the events that are used; kallsyms (empty); printk formats; saved task names. Files that this
 * user may not read (printk formats need root) are left empty; a format that cannot be read is an
 * error. */
#ifndef PT_RECORD_TRACING_H
#define PT_RECORD_TRACING_H

#include "base/buf.h"
#include "base/err.h"
#include "tracepoint/tp.h"

/* Adds the section for these tracepoints (doubles are written once) to `b`. `tracefs`: where it is
 * mounted. */
int pt_tracing_data(struct pt_buf *b, const char *tracefs, const struct pt_tp *const *tps,
		    size_t nr, struct pt_err *e);

#endif
