/* schedmap.h - what runs on each CPU at each switch, a line each: the columns and marks of perf
 * sched map.
 *
 *       *A0  .    24018.401953 secs A0 => make:20248     0.029 ms
 *
 * A column is a CPU: `*` in front of the one that switched, then the mark of the task that runs
 * there, `.` of an idle one, `? ` where that is not known any more (after lost records, a switch
 * that is missing), blanks where nothing was seen yet. Marks are A0 ... Z0, A1 ... Z9 in order of
 * first sight, then a0 ... z9, AA ...; a mark is given again only when the task that had it has
 * ended (3,224 tasks live at once: then some share one). The name follows where a task is first
 * shown and where it has changed. The last field is how long the task that comes in has waited
 * since its wake-up or preemption; none where it is idle or not known.
 *
 * Text is kept from line to line: a switch costs its own cell and a copy. The pt_schedmap takes the
 * user pointers of the pt_sched's tasks. */
#ifndef PT_SCHED_SCHEDMAP_H
#define PT_SCHED_SCHEDMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "sched/sched.h"

struct pt_schedmap_opts {
	size_t nr_cpus; /* columns from the first line on; CPUs that are seen later add more */
	const int *cpus;		/* only these columns, in this order; NULL: all */
	size_t nr_chosen;
	bool compact;			/* a column for each CPU once it has switched */
	bool changes;			/* no columns: the CPU's number follows the mark */
	/* group of CPU i, -1 none: a column a group, with its number of busy CPUs; NULL: a column a
	 * CPU */
	const int *group;
	size_t nr_grouped;		/* entries of `group`; higher CPUs have none */
	size_t nr_groups;
	bool no_latency;		/* without the last field */
	bool colours;			/* ANSI */
	const char *const *tasks;	/* names (shell patterns) or tids to colour */
	size_t nr_tasks;
	const int *colour_cpus;		/* columns whose `*` is coloured */
	size_t nr_colour_cpus;
};

struct pt_schedmap;
/* The options' pointers must stay valid. */
struct pt_schedmap *pt_schedmap_new(const struct pt_schedmap_opts *o, struct pt_sched *s);
void pt_schedmap_free(struct pt_schedmap *m);	/* to be freed before the pt_sched */

/* For every event of the pt_sched. Appends a switch's line to `out` if `show` is set and its CPU
 * has a column. */
void pt_schedmap_see(struct pt_schedmap *m, const struct pt_sched_event *ev, bool show,
		     struct pt_buf *out);
/* Whether the task is among names (shell patterns) and tids. */
bool pt_schedmap_is_one(const char *const *tasks, size_t nr, uint32_t tid, const char *comm);
/* The task's mark: two characters, "? " if it has none. */
void pt_schedmap_mark(const struct pt_sched_task *t, char mark[2]);
/* Characters of a line with so many CPUs, without the name at its end. */
size_t pt_schedmap_width(const struct pt_schedmap_opts *o, size_t nr_cpus);

#endif
