/* choose.h - which samples of a stream count: by time, name, process, thread, CPU.
 *
 * cli/choose.c fills it from options; who fills it owns the lists. A struct of zeros chooses all,
 * once it has started. */
#ifndef PT_TASK_CHOOSE_H
#define PT_TASK_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/offer.h"
#include "base/words.h"
#include "record/read/source.h"

enum pt_choose_unit {
	PT_CHOOSE_OPEN,			/* no limit */
	PT_CHOOSE_ABSOLUTE,
	PT_CHOOSE_FROM_START,
	PT_CHOOSE_PERCENT		/* of the recording */
};

/* What samples are chosen by, in the order of asking. */
enum pt_choose_by {
	PT_CHOOSE_BY_TIME,
	PT_CHOOSE_BY_CPU,
	PT_CHOOSE_BY_PID,
	PT_CHOOSE_BY_TID,
	PT_CHOOSE_BY_COMM,
	PT_CHOOSE_NR
};

/* What the samples had, to explain a choice that leaves none of them. */
struct pt_choose_met {
	bool some[PT_CHOOSE_NR];	/* by it, some sample was chosen */
	bool lacking[PT_CHOOSE_NR];	/* some sample does not say it */
	/* Of those that were not: the least and the greatest time, and the first values, each
	 * once. */
	uint64_t least_ns, greatest_ns;
	size_t nr[PT_CHOOSE_NR];	/* of values; 0: nothing was asked for, or all was chosen */
	uint32_t numbers[PT_CHOOSE_NR][8];
	struct pt_offer comms;		/* in place of some[] and nr[] */
};

struct pt_choose {
	const char *given;		/* one of the options; NULL: all samples are chosen */
	struct pt_choose_met *met;	/* filled in by choosing; may be NULL */
	const char *time_text;		/* as it was given; NULL: any time */
	struct pt_choose_point {
		enum pt_choose_unit unit;
		uint64_t time_ns;
		double percent;
	} from, to;
	struct pt_strs comms;		/* shell patterns */
	int *pids, *tids, *cpus;	/* sorted */
	size_t nr_pids, nr_tids, nr_cpus;
	/* pids grows by the processes that those in it start: pt_choose_follow() */
	bool descendants;
	/* set by pt_choose_start(): 0 and UINT64_MAX without limits */
	uint64_t from_ns, to_ns;
};

/* Sets the range of times. Percent needs the recording's own times; without them it is an error. */
int pt_choose_start(struct pt_choose *c, struct pt_source *s, uint64_t first_ns, struct pt_err *e);
void pt_choose_add_pid(struct pt_choose *c, int pid);
/* Sees a FORK record, where descendants are chosen. */
void pt_choose_follow(struct pt_choose *c, const struct pt_record *rec);
/* True if the sample is chosen. comm NULL: unknown. */
bool pt_choose_sample(const struct pt_choose *c, const struct pt_record *rec, const char *comm);
/* The same for one task or CPU, for tools that look at other tasks than the sample's: a switch has
 * two. pid UINT32_MAX, comm NULL: unknown. */
static inline bool pt_choose_task(const struct pt_choose *c, uint32_t pid, uint32_t tid,
				  const char *comm);
static inline bool pt_choose_cpu(const struct pt_choose *c, int cpu);
static inline bool pt_choose_time(const struct pt_choose *c, uint64_t time_ns);
/* True if it chooses among tasks. */
static inline bool pt_choose_tasks(const struct pt_choose *c)
{
	return c->comms.nr || c->nr_pids || c->nr_tids;
}
/* The first choice that left nothing of the samples it was asked for; PT_CHOOSE_NR: none did. */
enum pt_choose_by pt_choose_emptied(const struct pt_choose *c);

/* The rest of the three above, where something is to be chosen. */
bool pt_choose_task_given(const struct pt_choose *c, uint32_t pid, uint32_t tid,
			  const char *comm);
bool pt_choose_cpu_given(const struct pt_choose *c, int cpu);
bool pt_choose_time_given(const struct pt_choose *c, uint64_t time_ns);

static inline bool pt_choose_task(const struct pt_choose *c, uint32_t pid, uint32_t tid,
				  const char *comm)
{
	return !pt_choose_tasks(c) || pt_choose_task_given(c, pid, tid, comm);
}

static inline bool pt_choose_cpu(const struct pt_choose *c, int cpu)
{
	return !c->nr_cpus || pt_choose_cpu_given(c, cpu);
}

static inline bool pt_choose_time(const struct pt_choose *c, uint64_t time_ns)
{
	return !c->time_text || pt_choose_time_given(c, time_ns);
}

#endif
