/* defaults.h - the events that are counted when none are named, as perf stat chooses them. */
#ifndef PT_COUNT_DEFAULTS_H
#define PT_COUNT_DEFAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* `tasks`: a command or tasks are counted, not CPUs. `detail`: how many groups of cache events are
 * added. The caller frees the list. */
char *pt_counts_default_events(bool tasks, uint64_t detail);
/* The i-th of these groups, from 0; NULL: there are no more. */
const char *pt_counts_detail_events(uint64_t i);
/* The group for --topdown; NULL: the PMU has no such events. */
const char *pt_counts_topdown_events(void);

#endif
