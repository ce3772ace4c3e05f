/* schedlat.h - how long tasks waited for a CPU, ran and slept: figures for each task, name,
 * process, CPU or control group, from the state machine (sched/sched.h).
 *
 *     struct pt_schedlat *l = pt_schedlat_new(&opts, sched);
 *     while (pt_source_next(src, &rec, &e) > 0)
 *             if (pt_sched_feed(sched, rec, &ev, &e) > PT_SCHED_NOTHING)
 *                     pt_schedlat_feed(l, &ev, rec);
 *     rows = pt_schedlat_rows(l, &nr);                        // once, at the end
 *     pt_schedlat_free(l);                                    // before pt_sched_free()
 *
 * A delay is the time from the moment a task wants a CPU (woken, preempted, born) until it comes
 * in. Only delays with a known start and end count; other runs only add to `switches`. Run time is
 * the kernel's own (sched_stat_runtime) if that was recorded, else the time between switches.
 *
 * It uses task->user. Memory: 200 bytes for each task, and a histogram (base/hist.h, percentiles
 * within 0.4 %) for those with many delays. A task that the state machine drops is added to the row
 * of its key, of which there are at most 65,536 (the others share one). `nr_worst` takes up to 1 MB
 * for each CPU. Times are in nanoseconds of the recording's clock. */
#ifndef PT_SCHED_SCHEDLAT_H
#define PT_SCHED_SCHEDLAT_H

#include "base/buf.h"
#include "base/hist.h"
#include "sched/sched.h"
#include "task/choose.h"

enum pt_schedlat_by {
	PT_SCHEDLAT_COMM,
	PT_SCHEDLAT_TID,
	PT_SCHEDLAT_PID,
	PT_SCHEDLAT_CPU,
	PT_SCHEDLAT_CGROUP
};

struct pt_schedlat_opts {
	enum pt_schedlat_by by;
	/* delays that a wake-up begins; not those of preempted tasks */
	bool woken_only;
	bool live;			/* control groups are asked of /proc */
	uint64_t nr_worst;
	/* Only delays that end, and run time, within its times. Tasks are asked about once their
	 * last name is known, CPUs at each event. It has started before the first event. */
	const struct pt_choose *choose;
};

struct pt_schedlat_figures {
	uint64_t run_ns;
	uint64_t wait_ns;		/* sum of the delays */
	/* voluntary sleep until the wake-up, without ... */
	uint64_t sleep_ns;
	uint64_t block_ns;		/* ... uninterruptible sleep (state D: disks and locks) */
	uint64_t switches;		/* times it came in */
	uint64_t delays;		/* of them: with a known delay */
	uint64_t avg_ns;		/* of the delays */
	/* the greatest delay, the first of equal ones */
	uint64_t max_ns, max_start_ns, max_end_ns;
	uint64_t p50_ns, p99_ns;	/* of the delays, within 0.4 % */
};

struct pt_schedlat_row {
	/* of the task, the process, the control group; "" of CPUs. Untrusted */
	const char *name;
	uint32_t id;			/* tid, pid or CPU; of several tasks that of the first */
	uint32_t nr_tasks;
	struct pt_schedlat_figures f;
};

struct pt_schedlat;
struct pt_schedlat *pt_schedlat_new(const struct pt_schedlat_opts *o, struct pt_sched *s);
void pt_schedlat_free(struct pt_schedlat *l);
void pt_schedlat_feed(struct pt_schedlat *l, const struct pt_sched_event *ev,
		      const struct pt_record *rec);
/* The path of a control group's id, from a CGROUP record. */
void pt_schedlat_cgroup(struct pt_schedlat *l, uint64_t id, const char *path);

/* Sort keys "runtime,max": runtime, wait, sleep, block, switch, avg, p50, p99, max (the greatest
 * first), pid, name (the least first). Fails for others. l NULL: only checks. */
int pt_schedlat_sort(struct pt_schedlat *l, const char *keys, struct pt_err *e);
/* The sorted rows; *total: their sums. Valid until pt_schedlat_free(). Nothing can be fed
 * afterwards. */
const struct pt_schedlat_row *const *pt_schedlat_rows(struct pt_schedlat *l, size_t *nr,
						      struct pt_schedlat_row *total);

/* The longest waits, and the tasks that had the CPU meanwhile. */
struct pt_schedlat_worst {
	uint64_t delay_ns, end_ns;
	uint32_t tid;
	char comm[PT_SCHED_COMM_LEN];
	/* where it came in; where it had waited before; PT_SCHED_NO_CPU: the same CPU */
	int32_t cpu, from_cpu;
	bool preempted;
	size_t nr_holders;
	struct pt_schedlat_holder {
		/* 0: idle; PT_SCHEDLAT_NOBODY; PT_SCHEDLAT_OTHERS: several others */
		uint32_t tid;
		/* tasks of this name, unless rows are by tid; `tid` is the lowest of them */
		uint32_t nr_tasks;
		uint64_t ns;		/* of the delay */
		char comm[PT_SCHED_COMM_LEN];
	} holders[8];			/* the longest first; others and unknown last */
};
/* tids of holders */
#define PT_SCHEDLAT_OTHERS (UINT32_MAX - 1)
#define PT_SCHEDLAT_NOBODY UINT32_MAX
/* The longest first. */
const struct pt_schedlat_worst *pt_schedlat_worst(const struct pt_schedlat *l, size_t *nr);

/* Writes both as text, as described in pt-schedlat(1). */
void pt_schedlat_table(struct pt_schedlat *l, struct pt_buf *out);
void pt_schedlat_json(struct pt_schedlat *l, struct pt_buf *out);

#endif
