/* filter.h - which calls, signals and exits are shown: what strace's -e, -Z, -z, -P and pt's
 * --errno and --duration say.
 *
 *     struct pt_call_filter f = PT_CALL_FILTER_INIT;
 *     pt_call_filter_add(&f, "trace=%file,!open*", &e);       // for each -e
 *     pt_call_filter_check(&f, calls, &e);                    // is each name a call's?
 *     if (pt_call_filter_has(&f, &call)) ...
 *
 * Terms that are added must live as long as the filter. */
#ifndef PT_SYSCALL_FILTER_H
#define PT_SYSCALL_FILTER_H

#include "base/err.h"
#include "base/words.h"
#include "syscall/call.h"

struct pt_call_filter {
	struct pt_strs terms;		/* lists of calls: one of them must have the call */
	uint64_t signals;		/* bit n-1: signal n is shown */
	bool no_exits;
	bool paths;			/* -e decode-fds */
	bool failed, succeeded;
	int *errnos;			/* only these errors; none: all */
	size_t nr_errnos, cap_errnos;
	uint64_t longer_ns;		/* only calls that took at least that */
	struct pt_strs only_paths;	/* only calls that concern one of these; on the heap */
	uint8_t by_slot[PT_CALL_SLOTS];	/* what terms say of a call; 0: not asked yet */
};
#define PT_CALL_FILTER_INIT { .signals = UINT64_MAX }

/* An argument of -e: [trace=]CALLS, signal=SIGNALS, status=STATUS, quiet=WHAT, decode-fds=WHAT.
 * CALLS: names, globs, /regular expressions/ and %classes with commas between them, ! in front: all
 * but these. */
int pt_call_filter_add(struct pt_call_filter *f, const char *expr, struct pt_err *e);
/* -P: the path as it is, and where it leads to, as descriptors have it. */
void pt_call_filter_path(struct pt_call_filter *f, const char *path);
/* ENOENT,EACCES */
int pt_call_filter_errors(struct pt_call_filter *f, const char *names, struct pt_err *e);
/* -1: a name or a glob is that of no call of this machine, or of the recording's where `calls` know
 * it. */
int pt_call_filter_check(const struct pt_call_filter *f, struct pt_calls *calls, struct pt_err *e);
/* By the name alone; NULL: a call without one. */
bool pt_call_filter_name(const struct pt_call_filter *f, const char *name);
bool pt_call_filter_has(struct pt_call_filter *f, const struct pt_call *c);
/* It depends on more than calls, results and durations, so the kernel's sums cannot have it. */
bool pt_call_filter_needs_lines(const struct pt_call_filter *f);
void pt_call_filter_deinit(struct pt_call_filter *f);

#endif
