/* switches.h - what the tools of the scheduler's switches (sched/sched.h) have in common. */
#ifndef PT_CLI_SWITCHES_H
#define PT_CLI_SWITCHES_H

#include <stdbool.h>

#include "cli/analysis.h"
#include "sched/sched.h"

/* The events of a live session that waits and delays need; `moves`: with migrations. Fewer than the
 * preset "sched" has, since some loads switch a million times a second. */
const char *pt_switches_events(bool moves);

/* The time, the CPU and one of the two tasks of a switch are chosen. */
bool pt_switches_chosen(const struct pt_choose *c, const struct pt_sched_event *ev);
/* At the end: warns of what is unknown. A recording without a switch is an error, and so is a live
 * session that does not watch them. */
void pt_switches_end(struct pt_analysis *an, const struct pt_sched *s);

#endif
