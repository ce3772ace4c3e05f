#include "task/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

enum { COMM_LEN = 32, MAX_EXITED = 65536 };

struct task {
	uint32_t pid, tid;
	uint64_t exited;		/* the number of its exit; 0: it lives */
	char comm[COMM_LEN];
};

struct pt_tasks {
	struct pt_map by_tid;		/* struct task */
	/* ring: the last exits; the task of an older one is dropped, unless it lives again */
	struct exited { uint32_t tid; uint64_t number; } *exited;
	uint64_t exits;
	struct pt_buf unknown;		/* text of ":TID" */
};

static struct task *tasks_find(const struct pt_tasks *t, uint32_t tid)
{
	return pt_map_get_pointer(&t->by_tid, tid);
}

static void tasks_drop(struct pt_tasks *t, struct task *task)
{
	pt_map_del(&t->by_tid, task->tid);
	free(task);
}

static struct task *find_or_make(struct pt_tasks *t, uint32_t pid, uint32_t tid)
{
	struct task *task = tasks_find(t, tid);

	if (!task) {
		task = pt_alloc(sizeof(*task));
		task->tid = tid;
		*pt_map_put(&t->by_tid, tid) = pt_word_of(task);
	} else if (task->pid != pid) {
		task->exited = 0;	/* taken over */
	}
	task->pid = pid;
	return task;
}

static void set_comm(struct task *task, const char *comm, size_t len)
{
	len = strnlen(comm, PT_MIN(len, (size_t)COMM_LEN - 1));
	memcpy(task->comm, comm, len);
	task->comm[len] = '\0';
}

struct pt_tasks *pt_tasks_new(void)
{
	struct pt_tasks *t = pt_alloc(sizeof(*t));

	set_comm(find_or_make(t, 0, 0), "swapper", COMM_LEN);
	return t;
}

void pt_tasks_free(struct pt_tasks *t)
{
	if (!t)
		return;
	pt_map_deinit_each(&t->by_tid, free);
	pt_buf_deinit(&t->unknown);
	free(t->exited);
	free(t);
}

static void tasks_see_fork(struct pt_tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid,
			   uint32_t ptid)
{
	struct task *parent = tasks_find(t, ptid), *child;

	/* the tid went to another task without a record */
	if (parent && parent->pid != ppid && ptid) {
		tasks_drop(t, parent);
		parent = NULL;
	}
	if (!tid || tid == ptid)
		return;
	child = tasks_find(t, tid);
	if (child)
		tasks_drop(t, child);
	if (parent)
		set_comm(find_or_make(t, pid, tid), parent->comm, COMM_LEN);
}

static void tasks_see_exit(struct pt_tasks *t, uint32_t tid)
{
	struct task *task = tasks_find(t, tid), *old;
	struct exited *slot;

	if (!task || !tid)
		return;
	if (!t->exited)
		t->exited = pt_alloc_array(MAX_EXITED, sizeof(*t->exited));
	slot = &t->exited[t->exits++ % MAX_EXITED];
	task->exited = t->exits;
	old = slot->number ? tasks_find(t, slot->tid) : NULL;
	if (old && old->exited == slot->number)
		tasks_drop(t, old);
	*slot = (struct exited){ tid, t->exits };
}

void pt_tasks_see(struct pt_tasks *t, const struct pt_record *rec)
{
	struct task *task;

	switch (rec->type) {
	case PERF_RECORD_COMM:
		task = find_or_make(t, rec->u.comm.pid, rec->u.comm.tid);
		task->exited = 0;	/* a task that gets a name lives */
		set_comm(task, rec->u.comm.comm, COMM_LEN);
		break;
	case PERF_RECORD_FORK:
		tasks_see_fork(t, rec->u.task.pid, rec->u.task.tid, rec->u.task.ppid,
			       rec->u.task.ptid);
		break;
	case PERF_RECORD_EXIT:
		tasks_see_exit(t, rec->u.task.tid);
		break;
	}
}

const char *pt_tasks_known(struct pt_tasks *t, uint32_t tid)
{
	const struct task *task = tasks_find(t, tid);

	return task ? task->comm : NULL;
}

const char *pt_tasks_comm(struct pt_tasks *t, uint32_t tid)
{
	const struct task *task = tasks_find(t, tid);

	if (task)
		return task->comm;
	pt_buf_clear(&t->unknown);
	pt_buf_putc(&t->unknown, ':');
	pt_buf_dec_signed(&t->unknown, (int32_t)tid);
	return pt_buf_str(&t->unknown);
}

void pt_tasks_hint(struct pt_tasks *t, uint32_t pid, uint32_t tid, const char *comm, size_t len)
{
	if (!tasks_find(t, tid))
		set_comm(find_or_make(t, pid, tid), comm, len);
}

bool pt_tasks_each(const struct pt_tasks *t, size_t *i, uint32_t *pid, uint32_t *tid,
		   const char **comm)
{
	const struct pt_map_slot *slot;

	while ((slot = pt_map_each(&t->by_tid, i))) {
		const struct task *task = pt_pointer(slot->value);

		if (task->exited || !task->tid)
			continue;
		*pid = task->pid;
		*tid = task->tid;
		*comm = task->comm;
		return true;
	}
	return false;
}

size_t pt_tasks_nr(const struct pt_tasks *t)
{
	return t->by_tid.nr;
}
