#ifndef PT_SCHED_SCHEDLAT_PRIV_H
#define PT_SCHED_SCHEDLAT_PRIV_H

#include "base/map.h"
#include "sched/schedlat.h"

enum { SCHEDLAT_FEW = 12, SCHEDLAT_KEYS = 16 };

/* The sums of a task or CPU. Most tasks wait only a few times and get no histogram. */
struct schedlat_sum {
	struct pt_schedlat_figures f;	/* f.run_ns: from switch to switch */
	uint64_t stat_ns;		/* by sched_stat_runtime */
	uint64_t few[SCHEDLAT_FEW];	/* the delays, until there is a histogram */
	struct pt_hist *hist;
};

/* Where a task waits: on its first CPU until `moved_ns`, on the last one from `last_ns` on. */
struct schedlat_queue {
	int32_t first_cpu, last_cpu;
	uint64_t moved_ns, last_ns;
	bool moved;
};

struct schedlat_task {
	struct schedlat_sum sum;
	struct schedlat_queue queue;
	uint64_t cgroup;		/* id, or an interned path in live sessions; 0: unknown */
};

struct schedlat_row {
	struct pt_schedlat_row pub;
	struct schedlat_sum sum;
	bool main_named;		/* by PID: the name is that of the main thread */
};

struct pt_schedlat {
	struct pt_schedlat_opts o;
	struct pt_sched *sched;
	struct schedlat_sum *cpus;	/* by CPU */
	size_t nr_cpus;
	struct schedlat_row **rows;
	size_t nr, cap;
	struct pt_map by_key;
	struct pt_map cgroups;		/* id -> interned path */
	struct pt_names *names;
	struct schedlat_worsts *worsts;
	/* sched_stat_runtime is recorded and replaces the switches' run times */
	bool has_stat;
	bool ended;
	const struct schedlat_column *keys[SCHEDLAT_KEYS];
	size_t nr_keys;
	const struct pt_schedlat_row **sorted;
};

/* schedlat.c */
void schedlat_merge(struct schedlat_sum *to, const struct schedlat_sum *from);
/* Adds a task that is dropped to its row. `arg`: the struct pt_schedlat. */
void schedlat_drop(void *arg, struct pt_sched_task *t);

/* schedlat_rows.c */
void schedlat_to_row(struct pt_schedlat *l, const struct pt_sched_task *t,
		     const struct schedlat_task *d);

/* schedlat_columns.c: a row's figures in the table and JSON, and their order */
void schedlat_heads(struct pt_buf *out);
/* Adds the figures that have a total. */
void schedlat_add(struct pt_schedlat_figures *to, const struct pt_schedlat_figures *f);
void schedlat_cells(struct pt_buf *out, const struct pt_schedlat_figures *f, bool total);
void schedlat_members(struct pt_buf *out, const struct pt_schedlat_figures *f);
int schedlat_compare(const struct pt_schedlat *l, const struct pt_schedlat_row *x,
		     const struct pt_schedlat_row *y);

/* schedlat_worst.c */
struct schedlat_worsts;
struct schedlat_worsts *schedlat_worsts_new(size_t nr, bool by_name);
void schedlat_worsts_free(struct schedlat_worsts *w);
/* For every switch, wake-up and migration; a SWITCH before its delay is offered. `t`: of ev->task,
 * `next`: of ev->next (NULL: idle). */
void schedlat_worsts_feed(struct schedlat_worsts *w, const struct pt_sched_event *ev,
			  struct schedlat_task *t);
void schedlat_worsts_offer(struct schedlat_worsts *w, const struct pt_sched_event *ev,
			   const struct schedlat_task *next);
const struct pt_schedlat_worst *schedlat_worsts_get(const struct schedlat_worsts *w, size_t *nr);

#endif
