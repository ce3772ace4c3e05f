/* sums.h - system calls added up by name, in all or of each thread or cgroup: how many, errors,
 * time; as a table like strace -c's, with percentiles, or as JSON lines.
 *
 *     struct pt_sums *s = pt_sums_new();
 *     pt_sums_add(s, &call, 0) ...            // of calls that are printed, or ...
 *     pt_sums_collect(s, collect, &e);        // ... all that the kernel has added up so far
 *     pt_sums_print(s, &style, calls, &out);  // what came since the last time
 *
 * Times are wall time of the calls in nanoseconds, and the part of it on a CPU. */
#ifndef PT_SYSCALL_SUMS_H
#define PT_SYSCALL_SUMS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"
#include "syscall/call.h"
#include "syscall/collect.h"
#include "task/tasks.h"

enum pt_sums_sort {
	PT_SUMS_TIME, PT_SUMS_CALLS, PT_SUMS_ERRORS, PT_SUMS_MEAN, PT_SUMS_MAX, PT_SUMS_NAME,
};
extern const struct pt_word pt_sums_sorts[], pt_sums_modes[];	/* modes: enum pt_sum_by */

struct pt_sums_style {
	enum pt_sums_sort sort;
	enum pt_sum_by by;
	bool cpu;			/* time on CPUs is known */
	bool json;
	uint64_t time_ns;		/* of an interval's end; 0: no interval */
	bool end;			/* of the last, which need not be told if nothing came */
	struct pt_tasks *tasks;		/* names of threads */
};

struct pt_sums;
struct pt_sums *pt_sums_new(void);
void pt_sums_free(struct pt_sums *s);
void pt_sums_add(struct pt_sums *s, const struct pt_call *c, uint64_t of);
int pt_sums_collect(struct pt_sums *s, struct pt_collect *c, struct pt_err *e);
/* The greatest first. Names of calls by `calls`. */
void pt_sums_print(struct pt_sums *s, const struct pt_sums_style *style, struct pt_calls *calls,
		   struct pt_buf *out);

/* Calls so far whose duration is not known: they are in no figure of time. */
uint64_t pt_sums_untimed(struct pt_sums *s);

#endif
