/* schedlat.h - how long tasks waited for a CPU, ran and slept: figures a task, a name, a process, a
 * CPU or a control group, from the scheduler's timeline (sched/sched.h).
 *
 *     struct pt_schedlat *l = pt_schedlat_new(&opts, sched);
 *     while (pt_source_next(src, &rec, &e) > 0)
 *             if (pt_sched_feed(sched, rec, &ev) > PT_SCHED_NOTHING)
 *                     pt_schedlat_feed(l, &ev, rec);
 *     // once, at the end: sorts what was gathered
 *     rows = pt_schedlat_rows(l, &nr);
 *     pt_schedlat_free(l);                                    // before pt_sched_free()
 *
 * A delay is the time from the moment a task wants a CPU (woken, preempted, born) until it comes
 * in. Only delays of which both ends are known count; a task found on a CPU, or one whose wake-up
 * was not seen, adds to `switches` alone. Run time is the kernel's own (sched_stat_runtime) where
 * that was recorded, else from switch to switch.
 *
 * It hangs its own data on task->user. Memory: 200 bytes a task and a histogram (base/hist.h,
 * percentiles within 0.4 %) for those with many delays; a task that the timeline drops is added to
 * the row of its key, of which there are at most 65,536 (the others share one); with `nr_worst` up
 * to 1 MB a CPU of who ran there. Times in nanoseconds of the recording's clock. */
#ifndef PT_SCHED_SCHEDLAT_H
#define PT_SCHED_SCHEDLAT_H

#include "base/buf.h"
#include "base/hist.h"
#include "sched/sched.h"

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
	size_t nr_worst;
	/* delays that end within, run time within; 0, UINT64_MAX: all */
	uint64_t from_ns, to_ns;
	/* Who and where is counted; NULL: all. The task is asked for once its last name is known,
	 * the CPU at each event. */
	bool (*task)(void *arg, const struct pt_sched_task *t);
	bool (*cpu)(void *arg, int32_t cpu);
	void *arg;
};

struct pt_schedlat_figures {
	uint64_t run_ns;
	uint64_t wait_ns;		/* sum of the delays */
	/* off the CPU by its own will, until it was woken; without ... */
	uint64_t sleep_ns;
	uint64_t block_ns;		/* ... uninterruptible sleep (state D: disks and locks) */
	uint64_t switches;		/* times it came in */
	uint64_t delays;		/* of them, with a delay that is known */
	uint64_t avg_ns;		/* of the delays; of rows only */
	/* the greatest delay, the first of equal ones */
	uint64_t max_ns, max_start_ns, max_end_ns;
	uint64_t p50_ns, p99_ns;	/* of the delays, within 0.4 %; of rows only */
};

struct pt_schedlat_row {
	/* of the task, the process, the control group; "" of CPUs. Untrusted */
	const char *name;
	uint32_t id;			/* tid, pid, CPU; of several tasks that of the first */
	uint32_t nr_tasks;
	struct pt_schedlat_figures f;
};

struct pt_schedlat;
struct pt_schedlat *pt_schedlat_new(const struct pt_schedlat_opts *o, struct pt_sched *s);
void pt_schedlat_free(struct pt_schedlat *l);
/* Times of a window may be known late: before the first event within. */
void pt_schedlat_window(struct pt_schedlat *l, uint64_t from_ns, uint64_t to_ns);
void pt_schedlat_feed(struct pt_schedlat *l, const struct pt_sched_event *ev,
		      const struct pt_record *rec);
/* Of a CGROUP record: what a sample's control group id means. */
void pt_schedlat_cgroup(struct pt_schedlat *l, uint64_t id, const char *path);

/* "runtime,max": runtime, wait, sleep, block, switch, avg, p50, p99, max, pid, name; the greatest
 * first, pid and name the least. Fails on others. l NULL: only looks. */
int pt_schedlat_sort(struct pt_schedlat *l, const char *keys, struct pt_err *e);
/* Rows in order; *total: sums of them. Good until pt_schedlat_free(). Nothing is fed afterwards. */
const struct pt_schedlat_row *const *pt_schedlat_rows(struct pt_schedlat *l, size_t *nr,
						      struct pt_schedlat_row *total);

/* The tasks that waited longest, and who had the CPU that they waited for. */
struct pt_schedlat_worst {
	uint64_t delay_ns, end_ns;
	uint32_t tid;
	char comm[PT_SCHED_COMM_LEN];
	/* where it came in; where it had waited before, PT_SCHED_NO_CPU: there as well */
	int32_t cpu, from_cpu;
	bool preempted;
	size_t nr_holders;
	struct pt_schedlat_holder {
		/* 0: idle; UINT32_MAX: not known (who); UINT32_MAX - 1: several others */
		uint32_t tid;
		/* of this name, unless rows are by tid; tid is the least of them */
		uint32_t nr_tasks;
		uint64_t ns;		/* of the delay */
		char comm[PT_SCHED_COMM_LEN];
	} holders[8];			/* the longest first; others and unknown last */
};
enum { PT_SCHEDLAT_OTHERS = -2, PT_SCHEDLAT_NOBODY = -1 };	/* as uint32_t, of holders */
/* The longest first. */
const struct pt_schedlat_worst *pt_schedlat_worst(const struct pt_schedlat *l, size_t *nr);

/* Text of both, as pt-schedlat(1) has it. */
void pt_schedlat_table(struct pt_schedlat *l, struct pt_buf *out);
void pt_schedlat_json(struct pt_schedlat *l, struct pt_buf *out);

#endif
