/* reader_tracedat.h - trace-cmd's recordings (trace.dat, versions 6 and 7) as a backend of a
 * source.
 *
 * The file is mapped. Its pages are those of tracefs' rings, which pages.h makes samples of: each
 * CPU of each instance is one run. All pages are read twice, first to learn which events occur and
 * whether a page is damaged. Names of tasks become COMM records; which process a thread belongs to
 * is not in the file, so each thread is a process of its own.
 *
 * Guests' recordings (their times need the host's file) and those of latency tracers (text) are
 * refused. Source of the format: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef PT_RECORD_READER_TRACEDAT_H
#define PT_RECORD_READER_TRACEDAT_H

#include "base/err.h"
#include "record/read/backend.h"

/* True: a recording of trace-cmd begins with these n bytes. */
bool pt_tracedat_is(const void *p, size_t n);
/* Looks at the header only. The fd becomes the backend's, also on failure. */
struct pt_backend *pt_tracedat_open_fd(int fd, const char *name, struct pt_err *e);

#endif
