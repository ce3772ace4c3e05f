/* timehist_priv.h - what the files of pt_timehist share. */
#ifndef PT_SCHED_TIMEHIST_PRIV_H
#define PT_SCHED_TIMEHIST_PRIV_H

#include "sched/timehist.h"

/* As perf keeps them: mean and squared distance run along, so that the digits are the same. */
struct timehist_stats {
	double n, mean, m2;
	uint64_t min, max;
};

struct timehist_task {
	char *name;			/* "comm[tid/pid]", escaped */
	uint32_t name_len, pid;
	char comm[PT_SCHED_COMM_LEN];	/* of which it was made */
	/* times it left a CPU; idle histogram: times that idle followed */
	uint64_t outs;
	uint64_t moves;
	struct timehist_stats run;
	uint64_t run_ns, sleep_ns, iowait_ns, preempt_ns, delay_ns;
};

struct timehist_cpu {
	struct pt_sched_task *last;	/* who went to idle; NULL: nobody known */
	/* with which tasks went to idle, weighted by the idle time */
	struct pt_fold *chains;
	const char **frames;		/* the one at present */
	size_t nr_frames, cap_frames;
	uint64_t outs, idle_ns;		/* times idle ended */
	/* part: of some idle times it is not known how long they were */
	bool seen, part;
};

struct pt_timehist {
	struct pt_timehist_opts o;
	struct pt_sched *sched;
	struct pt_frames *frames;
	struct timehist_cpu *cpus;
	size_t nr_cpus;
	size_t width;			/* of names: grows */
	uint64_t first_ns, last_ns;	/* of the switches within the window */
	const struct pt_event *event;	/* for which next_comm was looked up */
	const struct pt_tp_field *next_comm;
};

/* Its name as it is now; the column's width grows with it. */
const struct timehist_task *timehist_name(struct pt_timehist *h, struct pt_sched_task *t);
unsigned timehist_columns(const struct pt_timehist *h);

struct timehist_times {				/* of the stay that ends */
	bool has_wait, has_delay, has_run;
	uint64_t wait_ns, delay_ns, run_ns;
};

/* timehist_line.c */
void timehist_line(struct pt_timehist *h, const struct pt_sched_event *ev,
		   const struct pt_record *rec, const struct timehist_times *t, struct pt_buf *out);
/* Lines that are about another task than the one that runs: woken, moved (mark 'm'). */
void timehist_side_line(struct pt_timehist *h, const struct pt_sched_event *ev,
			const struct pt_record *rec, char mark, const char *what,
			struct pt_buf *out);
void timehist_lost_line(const struct pt_sched_event *ev, struct pt_buf *out);

/* timehist_chain.c */
/* The names of the sample's chain, innermost first, without those of the scheduler itself; good
 * until the next call. */
size_t timehist_chain(struct pt_timehist *h, const struct pt_record *rec, struct pt_buf *out);
void timehist_idle_chain(struct pt_timehist *h, const struct pt_record *rec,
			 struct timehist_cpu *c);
void timehist_idle_chain_ends(struct timehist_cpu *c, uint64_t idle_ns);
void timehist_idle_chains(struct pt_timehist *h, struct pt_buf *out);

#endif
