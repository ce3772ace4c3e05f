/* event.h - names of probes, and definitions that become events under them.
 *
 *     defs[i].group, .event: as wanted;  .user, .path ...: the place
 *     // names that are free; the definitions are es's from now on
 *     pt_events_plan(&es, defs, nr, &dyn, &e);
 *     pt_events_make(&es, &dyn, &e);                          // all, or none
 *     for (i = 0; i < es.nr; i++) ... es.v[i].group, es.v[i].name ...
 *
 * Definitions that were wanted under one name share it where the kernel lets them (arguments of the
 * same names and types); the others get NAME_1, NAME_2, as perf names them. A name that is there
 * already with the very same definitions is made anew if nobody uses it: what it was made of may
 * have been written anew since, and the old probe then never fires; unless another script that
 * still runs has made it. Any other one that is there keeps its name, and the new one gets the
 * next. */
#ifndef PT_PROBE_TRACEFS_EVENT_H
#define PT_PROBE_TRACEFS_EVENT_H

#include "probe/tracefs/dyn.h"

struct pt_events {
	struct pt_new_event {
		char *group, *name;
		/* the name as it was wanted, when that was taken; else NULL */
		const char *wanted;
		size_t first, nr;		/* of defs */
		/* the name went to another event of this plan, whose arguments are others */
		bool apart;
		bool anew;			/* replaces one of the same definitions */
		bool made;
	} *v;
	size_t nr, cap;
	struct pt_def *defs;			/* in order of the events */
	size_t nr_defs, cap_defs;
	char **texts; size_t nr_texts, cap_texts;
};

/* perf's group of a file: "probe_" and the file's name up to the first odd character: probe_libc */
void pt_event_group(const char *path, struct pt_buf *b);
/* The name for a function's probe: letters, digits, underscores, short enough to grow a number:
 * "ns__Class__method", "foo__return", "foo_L9" (line not 0). */
void pt_event_name(const char *func, uint32_t line, bool ret, struct pt_buf *b);
/* What the kernel takes for a group's or event's name. -1 and the reason. */
int pt_event_check(const char *name, struct pt_err *e);

/* Takes the definitions (not the array); locks `dyn` until they are made. `dyn` NULL: nothing is
 * looked at or removed, names are as if nothing was there. On failure nothing is left to free. */
int pt_events_plan(struct pt_events *es, struct pt_def *defs, size_t nr, struct pt_dyn *dyn,
		   struct pt_err *e);
/* On failure those that were made are removed again. */
int pt_events_make(struct pt_events *es, struct pt_dyn *dyn, struct pt_err *e);
void pt_events_deinit(struct pt_events *es);

#endif
