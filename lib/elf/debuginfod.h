/* debuginfod.h - debug files by build-id from servers ($DEBUGINFOD_URLS), through the client
 * library of elfutils, which is loaded at first use (it needs a web client) and has a cache of its
 * own. It may wait for a download: never while rings fill or a thread is halted. Source:
 * debuginfod_find_debuginfo(3) */
#ifndef PT_ELF_DEBUGINFOD_H
#define PT_ELF_DEBUGINFOD_H

#include "base/err.h"
#include "elf/object.h"

struct pt_debuginfod;
/* NULL: no client library, or no server is named. */
struct pt_debuginfod *pt_debuginfod_new(struct pt_err *e);
void pt_debuginfod_free(struct pt_debuginfod *d);	/* NULL is fine */
/* The caller closes it and checks its content. Negative: no server has it. */
int pt_debuginfod_open(struct pt_debuginfod *d, const struct pt_build_id *id);

#endif
