#include "task/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

enum { COMM_LEN = 32, MAX_EXITED = 65536 };

struct task {
	uint32_t pid, tid;
	/* how often this slot's task ended; queue entries with another number are stale */
	uint32_t exits;
	bool used;
	char comm[COMM_LEN];
};

/* Ended tasks, oldest first. The oldest is dropped when the queue is full. */
struct exited {
	uint32_t slot, exits;
};

struct pt_tasks {
	struct task *slots;
	size_t nr, cap;
	uint32_t *unused;		/* free slots */
	size_t nr_unused, cap_unused;
	struct pt_map by_tid;		/* tid -> slot */
	struct exited *queue;		/* a ring of MAX_EXITED, made at the first exit */
	size_t head, nr_queued;
	struct pt_buf unknown;		/* text of ":TID" */
};

static struct task *find(const struct pt_tasks *t, uint32_t tid)
{
	uint64_t *slot = pt_map_get(&t->by_tid, tid);

	return slot ? &t->slots[*slot] : NULL;
}

static void drop(struct pt_tasks *t, uint32_t slot)
{
	struct task *task = &t->slots[slot];

	pt_map_del(&t->by_tid, task->tid);
	task->used = false;
	task->exits++;
	PT_GROW(t->unused, t->nr_unused, t->cap_unused);
	t->unused[t->nr_unused++] = slot;
}

static struct task *find_or_make(struct pt_tasks *t, uint32_t pid, uint32_t tid)
{
	struct task *task = find(t, tid);
	uint32_t slot;

	if (task) {
		/* taken over: no longer among those that ended */
		task->exits += task->pid != pid;
		task->pid = pid;
		return task;
	}
	if (t->nr_unused) {
		slot = t->unused[--t->nr_unused];
	} else {
		PT_GROW(t->slots, t->nr, t->cap);
		slot = (uint32_t)t->nr++;
		t->slots[slot].exits = 0;
	}
	task = &t->slots[slot];
	task->pid = pid;
	task->tid = tid;
	task->used = true;
	task->comm[0] = '\0';
	*pt_map_put(&t->by_tid, tid) = slot;
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
	pt_map_deinit(&t->by_tid);
	pt_buf_deinit(&t->unknown);
	free(t->slots);
	free(t->unused);
	free(t->queue);
	free(t);
}

static void see_fork(struct pt_tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	struct task *parent = find(t, ptid), *child = find(t, tid);
	char comm[COMM_LEN] = "";

	/* the tid went to another task without a record */
	if (parent && parent->pid != ppid && ptid) {
		drop(t, (uint32_t)(parent - t->slots));
		parent = NULL;
	}
	if (parent)
		memcpy(comm, parent->comm, sizeof(comm));
	if (child && tid && child != parent)
		drop(t, (uint32_t)(child - t->slots));
	if (parent && tid && child != parent)
		set_comm(find_or_make(t, pid, tid), comm, sizeof(comm));
}

static void see_exit(struct pt_tasks *t, uint32_t tid)
{
	struct task *task = find(t, tid);
	struct exited *q;

	if (!task || !tid)
		return;
	if (!t->queue)
		t->queue = pt_alloc_array(MAX_EXITED, sizeof(*t->queue));
	if (t->nr_queued == MAX_EXITED) {
		q = &t->queue[t->head];
		if (t->slots[q->slot].used && t->slots[q->slot].exits == q->exits)
			drop(t, q->slot);
		t->head = (t->head + 1) % MAX_EXITED;
		t->nr_queued--;
		task = find(t, tid);	/* it may have moved */
		if (!task)
			return;
	}
	q = &t->queue[(t->head + t->nr_queued++) % MAX_EXITED];
	q->slot = (uint32_t)(task - t->slots);
	q->exits = ++task->exits;
}

void pt_tasks_see(struct pt_tasks *t, const struct pt_record *rec)
{
	struct task *task;

	switch (rec->type) {
	case PERF_RECORD_COMM:
		task = find_or_make(t, rec->u.comm.pid, rec->u.comm.tid);
		task->exits++;		/* a task that gets a name lives */
		set_comm(task, rec->u.comm.comm, COMM_LEN);
		break;
	case PERF_RECORD_FORK:
		see_fork(t, rec->u.task.pid, rec->u.task.tid, rec->u.task.ppid, rec->u.task.ptid);
		break;
	case PERF_RECORD_EXIT:
		see_exit(t, rec->u.task.tid);
		break;
	}
}

const char *pt_tasks_known(struct pt_tasks *t, uint32_t tid)
{
	const struct task *task = find(t, tid);

	return task ? task->comm : NULL;
}

const char *pt_tasks_comm(struct pt_tasks *t, uint32_t pid, uint32_t tid)
{
	const struct task *task = find(t, tid);

	(void)pid;	/* the tid is enough, as in perf */
	if (task)
		return task->comm;
	pt_buf_clear(&t->unknown);
	pt_buf_putc(&t->unknown, ':');
	pt_buf_dec_signed(&t->unknown, (int32_t)tid);
	return pt_buf_str(&t->unknown);
}

void pt_tasks_hint(struct pt_tasks *t, uint32_t pid, uint32_t tid, const char *comm, size_t len)
{
	if (!find(t, tid))
		set_comm(find_or_make(t, pid, tid), comm, len);
}

size_t pt_tasks_nr(const struct pt_tasks *t)
{
	return t->by_tid.nr;
}
