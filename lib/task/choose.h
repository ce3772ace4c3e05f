/* choose.h - which samples of a stream count: by time, name, process, thread, CPU.
 *
 * cli/choose.c fills it from options; who fills it owns the lists. A struct of zeros chooses all,
 * once it has started. */
#ifndef PT_TASK_CHOOSE_H
#define PT_TASK_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "record/source.h"

enum pt_choose_unit {
	PT_CHOOSE_OPEN,			/* no limit */
	PT_CHOOSE_ABSOLUTE,
	PT_CHOOSE_FROM_START,
	PT_CHOOSE_PERCENT		/* of the recording */
};

struct pt_choose {
	const char *given;		/* one of the options; NULL: all samples are chosen */
	const char *time_text;		/* as it was given; NULL: any time */
	struct pt_choose_point {
		enum pt_choose_unit unit;
		uint64_t time_ns;
		double percent;
	} from, to;
	struct pt_strs comms;
	int *pids, *tids, *cpus;	/* sorted */
	size_t nr_pids, nr_tids, nr_cpus;
	/* set by pt_choose_start(): 0 and UINT64_MAX without limits */
	uint64_t from_ns, to_ns;
};

/* Sets the range of times. Percent needs the recording's own times; without them it is an error. */
int pt_choose_start(struct pt_choose *c, struct pt_source *s, uint64_t first_ns, struct pt_err *e);
/* True if the sample is chosen. comm NULL: unknown. */
bool pt_choose_sample(const struct pt_choose *c, const struct pt_record *rec, const char *comm);
/* The same for one task or CPU, for tools that look at other tasks than the sample's: a switch has
 * two. pid UINT32_MAX, comm NULL: unknown. */
bool pt_choose_task(const struct pt_choose *c, uint32_t pid, uint32_t tid, const char *comm);
bool pt_choose_cpu(const struct pt_choose *c, int cpu);
/* True if it chooses among tasks. */
static inline bool pt_choose_tasks(const struct pt_choose *c)
{
	return c->comms.nr || c->nr_pids || c->nr_tids;
}
static inline bool pt_choose_time(const struct pt_choose *c, uint64_t time_ns)
{
	return time_ns >= c->from_ns && time_ns <= c->to_ns;
}

#endif
