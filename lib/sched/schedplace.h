/* schedplace.h - on which CPUs tasks ran, and how often they moved. After an exec a task has a new
 * row: a program that taskset(1) starts is not where taskset was.
 *
 *     struct pt_schedplace *p = pt_schedplace_new(sched);     // made with keep_ended
 *     ... pt_schedplace_see(p, &ev, counts)                   // every event; counts: it was chosen
 *     rows = pt_schedplace_rows(p, &nr)                       // longest run time first
 *
 * It uses the user pointers of the pt_sched's tasks. */
#ifndef PT_SCHED_SCHEDPLACE_H
#define PT_SCHED_SCHEDPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/sched.h"

struct pt_schedplace_row {
	const struct pt_sched_task *task;
	char comm[PT_SCHED_COMM_LEN];
	uint64_t part_ns;		/* start of the counted part of a stay with an exec */
	uint64_t runs;			/* times it ran */
	uint64_t moves;			/* runs on another CPU than the previous one */
	uint64_t run_ns;		/* of the runs whose length is known */
	int32_t last_cpu;
	/* sorted by runs by pt_schedplace_rows() */
	struct pt_schedplace_cpu { int32_t cpu; uint64_t runs, run_ns; } *places;
	size_t nr, cap;
};

struct pt_schedplace;
struct pt_schedplace *pt_schedplace_new(struct pt_sched *s);
void pt_schedplace_free(struct pt_schedplace *p);	/* to be freed before the pt_sched */
void pt_schedplace_see(struct pt_schedplace *p, const struct pt_sched_event *ev, bool counts);
/* The tasks that ran. Valid until pt_schedplace_free(). */
const struct pt_schedplace_row *const *pt_schedplace_rows(struct pt_schedplace *p, size_t *nr);

#endif
