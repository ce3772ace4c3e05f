/* schedlat_int.h - what the files of pt_schedlat share. */
#ifndef PT_VIEW_SCHEDLAT_INT_H
#define PT_VIEW_SCHEDLAT_INT_H

#include "base/map.h"
#include "view/schedlat.h"

enum { SCHEDLAT_FEW = 12 };

/* What is gathered of a task, or of a CPU. Most tasks wait a few times only: those have no histogram of their own. */
struct schedlat_sum {
	struct pt_schedlat_figures f;	/* f.run_ns: from switch to switch */
	uint64_t stat_ns;		/* by sched_stat_runtime */
	uint64_t few[SCHEDLAT_FEW];	/* the delays, while there is no histogram */
	struct pt_hist *hist;
};

/* Where a task waits: on the CPU that it was put on first until `moved_ns`, on the one that it was moved to last from `last_ns` on. */
struct schedlat_queue {
	int32_t first_cpu, last_cpu;
	uint64_t moved_ns, last_ns;
	bool moved;
};

struct schedlat_task {
	struct schedlat_sum sum;
	struct schedlat_queue queue;
	uint64_t cgroup;		/* id, or an interned path when live; 0: not known */
};

enum pt_schedlat_by schedlat_by(const struct pt_schedlat *l);

/* schedlat_worst.c */
struct schedlat_worsts;
struct schedlat_worsts *schedlat_worsts_new(size_t nr, bool by_name);
void schedlat_worsts_free(struct schedlat_worsts *w);
/* Every switch, wake-up and migration; a SWITCH before its delay is offered. `t`: of ev->task, `next` of ev->next (NULL: idle). */
void schedlat_worsts_feed(struct schedlat_worsts *w, const struct pt_sched_event *ev, struct schedlat_task *t);
void schedlat_worsts_offer(struct schedlat_worsts *w, const struct pt_sched_event *ev, const struct schedlat_task *next);
const struct pt_schedlat_worst *schedlat_worsts_get(const struct schedlat_worsts *w, size_t *nr);

#endif
