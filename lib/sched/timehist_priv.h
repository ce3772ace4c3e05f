#ifndef PT_SCHED_TIMEHIST_PRIV_H
#define PT_SCHED_TIMEHIST_PRIV_H

#include "sched/timehist.h"

/* As in perf, mean and squared distance are updated with each value, so that the digits are equal.
 */
struct timehist_stats {
	double n, mean, m2;
	uint64_t min, max;
};

struct timehist_task {
	char *name;			/* "comm[tid/pid]", escaped */
	uint32_t name_len, pid;
	char comm[PT_SCHED_COMM_LEN];	/* of which `name` was made */
	/* times it left a CPU; in the idle summary: idle times it caused */
	uint64_t outs;
	uint64_t moves;
	struct timehist_stats run;
	uint64_t run_ns, sleep_ns, iowait_ns, preempt_ns, delay_ns;
};

struct timehist_cpu {
	struct pt_sched_task *last;	/* the task that left last; NULL: unknown */
	/* chains that led to idle, weighted by the idle time */
	struct pt_fold *chains;
	const char **frames;		/* the present chain */
	size_t nr_frames, cap_frames;
	uint64_t outs, idle_ns;		/* times idle ended */
	/* into_idle: went idle; part: the length of some idle times is unknown */
	bool seen, into_idle, part;
};

struct pt_timehist {
	struct pt_timehist_opts o;
	struct pt_sched *sched;
	struct pt_frames *frames;
	struct timehist_cpu *cpus;
	size_t nr_cpus;
	size_t width;			/* of the names column: grows */
	uint64_t first_ns, last_ns;	/* of the runs within the window */
	const struct pt_event *event;	/* the event whose next_comm was looked up */
	const struct pt_tp_field *next_comm;
};

/* The task's present name; the column's width grows with it. */
const struct timehist_task *timehist_name(struct pt_timehist *h, struct pt_sched_task *t);
unsigned timehist_columns(const struct pt_timehist *h);

struct timehist_times {				/* of the stay that ends */
	bool has_wait, has_delay, has_run;
	uint64_t wait_ns, delay_ns, run_ns;
};

/* timehist_line.c */
void timehist_line(struct pt_timehist *h, const struct pt_sched_event *ev,
		   const struct pt_record *rec, const struct timehist_times *t, struct pt_buf *out);
/* Lines about a task that does not run: woken, moved (mark 'm'). */
void timehist_side_line(struct pt_timehist *h, const struct pt_sched_event *ev,
			const struct pt_record *rec, char mark, const char *what,
			struct pt_buf *out);
void timehist_lost_line(const struct pt_sched_event *ev, struct pt_buf *out);

/* timehist_chain.c */
/* Names of the sample's chain, innermost first, without the scheduler's own functions. Valid until
 * the next call. */
size_t timehist_chain(struct pt_timehist *h, const struct pt_record *rec, struct pt_buf *out);
void timehist_idle_chain(struct pt_timehist *h, const struct pt_record *rec,
			 struct timehist_cpu *c);
void timehist_idle_chain_ends(struct timehist_cpu *c, uint64_t idle_ns);
void timehist_idle_chains(struct pt_timehist *h, struct pt_buf *out);

#endif
