/* write_tracedat.h - a live session of tracepoints as trace-cmd's recording (trace.dat, version 6),
 * which trace-cmd report and KernelShark read.
 *
 * Each CPU's samples become pages of tracefs' ring buffer, in a nameless file of its own; the end
 * puts them after the header, and only then the file has its name. What it cannot hold is left
 * out: processes of threads (it knows threads), all records but samples, names and losses, and
 * samples larger than a page, which are counted as lost. Source: trace-cmd.dat.v6(5),
 * linux/ring_buffer.h. */
#ifndef PT_RECORD_WRITE_TRACEDAT_H
#define PT_RECORD_WRITE_TRACEDAT_H

#include "base/err.h"
#include "record/read/source.h"
#include "record/watch/session.h"

struct pt_tracedat_written {
	uint64_t samples, bytes;
	uint64_t too_long;		/* samples that were larger than a page */
};

/* -1: trace.dat cannot hold what is watched; e says what. */
int pt_tracedat_check(const struct pt_watch *w, struct pt_err *e);
/* Records a live session into `path`; a file that is there already and not empty is renamed to
 * PATH.old. *s is the session's source, also after an error, and the caller's; NULL: it could not
 * be opened. */
int pt_tracedat_record(const char *path, struct pt_watch *w, struct pt_source **s,
		       struct pt_tracedat_written *written, struct pt_err *e);

#endif
