/* debuginfod.h - debug files from a server by build-id, through the client library of elfutils,
 * which is loaded at first use (it needs a web client). $DEBUGINFOD_URLS names the servers; the
 * library caches in $DEBUGINFOD_CACHE_PATH or below the user's cache directory. A look-up can take
 * as long as a download: never while rings fill or a thread is halted. Source:
 * debuginfod_find_debuginfo(3) */
#ifndef PT_ELF_DEBUGINFOD_H
#define PT_ELF_DEBUGINFOD_H

#include "base/err.h"
#include "elf/object.h"

struct pt_debuginfod;
/* NULL: no client library, or no server is named; e says which. */
struct pt_debuginfod *pt_debuginfod_new(struct pt_err *e);
void pt_debuginfod_free(struct pt_debuginfod *d);	/* NULL is fine */
/* A debug file of that build-id; the caller closes it and checks its content. -1: no server has it.
 */
int pt_debuginfod_open(struct pt_debuginfod *d, const struct pt_build_id *id);

#endif
