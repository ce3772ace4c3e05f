/* debuginfod.h - debug files that are not here, from a server, by build-id: the client library of
 * elfutils, loaded when first asked for (it brings a web client along). Servers are those of
 * $DEBUGINFOD_URLS; what was fetched is kept by the library, in $DEBUGINFOD_CACHE_PATH or below the
 * user's cache directory. A look-up may take as long as a download does: never while rings fill or
 * a thread is halted. Source: debuginfod_find_debuginfo(3). */
#ifndef PT_ELF_DEBUGINFOD_H
#define PT_ELF_DEBUGINFOD_H

#include "base/err.h"
#include "elf/object.h"

struct pt_debuginfod;
/* NULL: there is no client library here, or no server is named; e says which. */
struct pt_debuginfod *pt_debuginfod_new(struct pt_err *e);
void pt_debuginfod_free(struct pt_debuginfod *d);	/* NULL is fine */
/* A debug file of that build-id as a file descriptor, the caller's; -1: none of the servers has it.
 * What it holds is to be checked. */
int pt_debuginfod_open(struct pt_debuginfod *d, const struct pt_build_id *id);

#endif
