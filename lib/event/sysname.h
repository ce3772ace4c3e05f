/* sysname.h - the names of events that there are: the fixed ones of the perf ABI (tables), and a
 * machine's tracepoints (the directories below tracefs' events/). Source: enum perf_sw_ids,
 * perf_hw_id, perf_hw_cache_* of the kernel's header; the names are perf list's. */
#ifndef PT_EVENT_SYSNAME_H
#define PT_EVENT_SYSNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/abi.h"

/* What pt-stat counts itself. */
enum pt_tool_event { PT_TOOL_NONE, PT_TOOL_DURATION_TIME, PT_TOOL_USER_TIME, PT_TOOL_SYSTEM_TIME };

struct pt_sysname {
	const char *name;
	const char *alias;	/* NULL: none */
	uint32_t type;		/* PERF_TYPE_SOFTWARE or _HARDWARE */
	uint64_t config;
	const char *what;	/* one line */
	enum pt_tool_event tool;
};

/* Software, tool and hardware events; ends with name NULL. */
const struct pt_sysname *pt_sysname_fixed(void);
/* The name of a software, hardware or cache event; NULL: not in these tables. Released by
 * free(). */
char *pt_sysname_of(uint32_t type, uint64_t config);
/* A name or alias, also of a cache event: sets type and config. `tool` may be NULL. */
bool pt_sysname_find(const char *name, struct pt_attr *attr, enum pt_tool_event *tool);

/* CACHE[-OP][-RESULT] in perf's spellings: l1d-read-miss is L1-dcache-load-misses. False also for
 * operations that the cache does not have. */
bool pt_cache_find(const char *name, uint64_t *config);
/* A cache event in perf list's spelling, "" if the config means none; the same with a line about it
 * for the i-th of those that exist (false behind the last). */
void pt_cache_name_of(uint64_t config, struct pt_buf *name);
bool pt_cache_name(size_t i, struct pt_buf *name, struct pt_buf *what);

/* Calls each(), sorted, for the tracepoints whose system and name match the globs. Returns their
 * number, or -1 (tracefs cannot be read). No glob finds those of "ftrace": perf cannot open
 * them. */
long pt_sysname_tracepoints(const char *tracefs, const char *system_glob, const char *name_glob,
			    void (*each)(void *arg, const char *system, const char *name),
			    void *arg, struct pt_err *e);

#endif
