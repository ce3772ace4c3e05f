/* events.h - definitions made into events (tracefs/event.h), in their own groups or in a private
 * one.
 *
 *     pt_events_of_made(&es, &made, &dyn, NULL, &e);
 *     pt_events_say_names(&es, say, ctx);
 *     pt_events_deinit(&es); */
#ifndef PT_PROBE_EVENTS_H
#define PT_PROBE_EVENTS_H

#include "probe/make.h"
#include "probe/tracefs/event.h"

/* Takes m's definitions. `dyn` NULL: nothing is made. `group`: put all events there, and remove
 * them with this process; NULL: leave them in their groups. -1: nothing was made. */
int pt_events_of_made(struct pt_events *es, struct pt_made *m, struct pt_dyn *dyn,
		      const char *group, struct pt_err *e);
/* Tells which events have other names than asked for, or replace existing ones. */
void pt_events_say_names(const struct pt_events *es, void (*say)(void *, const char *), void *ctx);
/* Removes them again. */
void pt_events_remove(const struct pt_events *es, struct pt_dyn *dyn);

#endif
