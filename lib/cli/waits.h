/* waits.h - the waits of pt-stack --off-cpu that had not ended when the session did.
 *
 * Those that began in the session have their stack (sched/offcpu.h). Threads that no switch was
 * seen of waited throughout: of these there is what the kernel tells at the end, the names of its
 * own functions. Threads that a session of processes could make known (task/waiting.h) are not
 * among them. */
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
 * `mark`: put behind the names of the kernel's functions. */
uint64_t pt_waits_throughout(const struct pt_analysis *an, const struct pt_offcpu *o,
			     struct pt_names *names, const char *mark,
			     void (*each)(void *ctx, const struct pt_waits_thread *t), void *ctx);
/* Says how many of which there are. */
void pt_waits_say(const struct pt_analysis *an, const struct pt_offcpu *o, uint64_t throughout);

#endif
