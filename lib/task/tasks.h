/* tasks.h - the names of tasks over time: who a pid and tid is at the present place of a stream.
 *
 *     struct pt_tasks *t = pt_tasks_new();
 *     while (pt_source_next(s, &rec, &e) > 0) {
 *             // COMM, FORK, EXIT; the others cost a comparison
 *             pt_tasks_see(t, rec);
 *             comm = pt_tasks_comm(t, rec->pid, rec->tid);
 *     }
 *
 * perf's rules: tid 0 is "swapper"; a task of which nothing is known is ":TID"; FORK gives a new
 * task its parent's name, COMM a name of its own (that of a main thread does not spread to the
 * others); a tid that FORK names again is another task. A record that comes after its task's EXIT
 * (the kernel writes a few) still finds the name: of tasks that ended the last 65,536 are kept,
 * which bounds the memory whatever the length of a session.
 *
 * Names are as the recording has them (untrusted: escape them), cut at 31 bytes. Source of the
 * records: include/uapi/linux/perf_event.h. */
#ifndef PT_TASK_TASKS_H
#define PT_TASK_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

struct pt_tasks;

struct pt_tasks *pt_tasks_new(void);
void pt_tasks_free(struct pt_tasks *t);

void pt_tasks_see(struct pt_tasks *t, const struct pt_record *rec);

/* Never NULL; good until the next call of pt_tasks_see() or pt_tasks_comm(). */
const char *pt_tasks_comm(struct pt_tasks *t, uint32_t pid, uint32_t tid);
/* NULL for a task of which nothing is known. */
const char *pt_tasks_known(struct pt_tasks *t, uint32_t tid);
/* A name from elsewhere (a tracepoint's prev_comm, /proc), for a task that has none yet. */
void pt_tasks_hint(struct pt_tasks *t, uint32_t pid, uint32_t tid, const char *comm, size_t len);


size_t pt_tasks_nr(const struct pt_tasks *t);		/* kept at present */

#endif
