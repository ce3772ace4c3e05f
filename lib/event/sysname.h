/* sysname.h - the names of events that there are: the fixed ones of the perf ABI, and this machine's tracepoints.
 *
 * The fixed names (software, hardware, cache) are tables; tracepoints are the directories below tracefs' events/, read when asked for and
 * not kept. Source: enum perf_sw_ids, perf_hw_id, perf_hw_cache_* of the kernel's header; the names are perf list's. */
#ifndef PT_EVENT_SYSNAME_H
#define PT_EVENT_SYSNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct pt_sysname {
	const char *name;
	const char *alias;	/* NULL: none */
	uint32_t type;		/* PERF_TYPE_SOFTWARE or _HARDWARE */
	uint64_t config;
};

/* Software and hardware events, ends with name NULL. */
const struct pt_sysname *pt_sysname_fixed(void);
/* A name or alias, also of a cache event ("L1-dcache-load-misses"). */
bool pt_sysname_find(const char *name, uint32_t *type, uint64_t *config);

/* Calls each(arg, system, name) for this machine's tracepoints whose system and name match the two globs, sorted; returns how many, or -1 (tracefs
 * cannot be read; advice in e). Systems that perf events cannot open ("ftrace") only when they are named without a glob. */
long pt_sysname_tracepoints(const char *system_glob, const char *name_glob, void (*each)(void *arg, const char *system, const char *name),
			    void *arg, struct pt_err *e);

/* Adds up to three names that are near to a wrong one, as "a, b or c"; nothing when none is near. Tracepoints too, as far as they can be read. */
void pt_sysname_nearest(const char *wrong, struct pt_buf *out);

#endif
