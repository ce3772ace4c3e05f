/* tasks.h - the names of tasks over time, by pid and tid.
 *
 *     struct pt_tasks *t = pt_tasks_new();
 *     while (pt_source_next(s, &rec, &e) > 0) {
 *             pt_tasks_see(t, rec);      // uses COMM, FORK, EXIT
 *             comm = pt_tasks_comm(t, rec->tid);
 *     }
 *
 * The rules are perf's: tid 0 is "swapper"; an unknown task is ":TID"; FORK gives a new task its
 * parent's name; COMM names one task only; a tid that FORK names again is a new task. Records can
 * follow their task's EXIT, so the last 65,536 ended tasks are kept, which bounds the memory.
 *
 * Names are untrusted: escape them. They are cut at 31 bytes. Source of the records:
 * include/uapi/linux/perf_event.h. */
#ifndef PT_TASK_TASKS_H
#define PT_TASK_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/format/record.h"

struct pt_tasks;

struct pt_tasks *pt_tasks_new(void);
void pt_tasks_free(struct pt_tasks *t);

void pt_tasks_see(struct pt_tasks *t, const struct pt_record *rec);

/* By tid alone, as in perf. Never NULL. Valid until the next call of pt_tasks_see() or
 * pt_tasks_comm(). */
const char *pt_tasks_comm(struct pt_tasks *t, uint32_t tid);
/* NULL for an unknown task. */
const char *pt_tasks_known(struct pt_tasks *t, uint32_t tid);
/* A name from elsewhere (a tracepoint's prev_comm, /proc) for a task that has none yet. */
void pt_tasks_hint(struct pt_tasks *t, uint32_t pid, uint32_t tid, const char *comm, size_t len);

size_t pt_tasks_nr(const struct pt_tasks *t);
/* Tasks that have not ended, one a call, in any order; *i is 0 at first. */
bool pt_tasks_each(const struct pt_tasks *t, size_t *i, uint32_t *pid, uint32_t *tid,
		   const char **comm);

#endif
