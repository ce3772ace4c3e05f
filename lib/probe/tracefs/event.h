/* event.h - names of probes, and definitions that become events under them.
 *
 *     pt_events_plan(&es, defs, nr, &dyn, false, &e);         // chooses names that are free
 *     pt_events_make(&es, &dyn, &e);                          // all, or none
 *
 * Definitions that were wanted under one name share it where the kernel lets them (arguments of
 * the same names and types); the others get NAME_1, NAME_2, as perf names them. So do, if forced,
 * those whose name an existing probe has; else that is an error. */
#ifndef PT_PROBE_TRACEFS_EVENT_H
#define PT_PROBE_TRACEFS_EVENT_H

#include "probe/tracefs/dyn.h"

struct pt_events {
	struct pt_new_event {
		char *group, *name;
		/* the wanted name if it was taken; else NULL */
		char *wanted;
		size_t first, nr;		/* of defs */
		/* another event of this plan, with other arguments, has the name */
		bool apart;
		bool made;
	} *v;
	size_t nr, cap;
	struct pt_def *defs;			/* in order of the events */
	size_t nr_defs, cap_defs;
	bool force;				/* names may be taken */
};

/* perf's group of a file: "probe_" and the file's name up to the first odd character: probe_libc */
void pt_event_group(const char *path, struct pt_buf *b);
/* The name for a function's probe, short enough that a number can follow: "ns__Class__method",
 * "foo__return", "foo_L9" (line not 0). */
void pt_event_name(const char *func, uint32_t line, bool ret, struct pt_buf *b);
/* Is it a name that the kernel accepts for a group or event? -1: e says why not. */
int pt_event_check(const char *name, struct pt_err *e);

/* Takes the definitions (not the array); locks `dyn` until they are made. `dyn` NULL: existing
 * events are not read. `force`: a name that is taken gets a number. On failure nothing is left to
 * free. */
int pt_events_plan(struct pt_events *es, struct pt_def *defs, size_t nr, struct pt_dyn *dyn,
		   bool force, struct pt_err *e);
/* On failure removes those that were made. */
int pt_events_make(struct pt_events *es, struct pt_dyn *dyn, struct pt_err *e);
void pt_events_deinit(struct pt_events *es);

#endif
