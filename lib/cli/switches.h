/* switches.h - what the tools of the scheduler's switches (sched/sched.h) have in common. */
#ifndef PT_CLI_SWITCHES_H
#define PT_CLI_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/analysis.h"
#include "sched/sched.h"

/* What a live session watches: the events that waits and delays need, and moves from CPU to CPU if
 * they are asked for. Fewer than the preset "sched" has, since some loads switch a million times a
 * second. */
const char *pt_switches_events(bool moves);

/* Whether a task, or a CPU, is chosen: what sched/schedlat.h and sched/timehist.h ask. `choose`:
 * the tool's struct pt_choose. */
bool pt_switches_task(void *choose, const struct pt_sched_task *t);
bool pt_switches_cpu(void *choose, int32_t cpu);

/* At the end: what is not known, and why, as warnings. A recording without any switch is an error;
 * a live session may have none. */
void pt_switches_end(struct pt_analysis *an, const struct pt_sched *s);

#endif
