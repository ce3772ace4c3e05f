/* waits.h - the waits of pt-stack --off-cpu that had not ended when the session did.
 *
 * Waits that began in the session have their stack (sched/offcpu.h). Threads without any switch
 * waited throughout; all that is known of them are the kernel's functions, read at the end
 * (/proc/TID/stack). Threads that were halted when the session began (task/waiting.h) have a stack
 * and are not among these. */
#ifndef PT_CLI_WAITS_H
#define PT_CLI_WAITS_H

#include "base/map.h"
#include "cli/analysis.h"
#include "sched/offcpu.h"

/* The innermost frame of a wait that has not ended: "[not ended]". */
extern const char pt_waits_not_ended[];

struct pt_waits_thread {
	uint32_t pid, tid;
	const char *comm;
	const char *const *frames;	/* innermost first, interned in the caller's names */
	size_t nr;
	uint64_t ns;			/* how long the session was */
};
/* Calls each() for each thread that waited throughout a live session; returns their number. Threads
 * of the kernel, which mostly have nothing to do, count only where they cannot be interrupted.
 * `mark`: added to the names of the kernel's functions. */
uint64_t pt_waits_throughout(const struct pt_analysis *an, const struct pt_offcpu *o,
			     struct pt_names *names, const char *mark,
			     void (*each)(void *ctx, const struct pt_waits_thread *t), void *ctx);
/* Prints how many waits have not ended, and of how many there is no stack. */
void pt_waits_say(const struct pt_analysis *an, const struct pt_offcpu *o, uint64_t throughout);

#endif
