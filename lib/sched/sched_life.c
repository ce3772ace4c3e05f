/* sched_life.c - births, names and ends of tasks, by tracepoints and by task records. */
#include "sched/sched_priv.h"

#include <linux/perf_event.h>

bool sched_born(struct pt_sched *s, uint32_t tid, struct pt_sched_task **t)
{
	*t = sched_find(s, tid);
	if (*t && (*t)->fresh && !(*t)->exiting)
		return false;
	*t = sched_add(s, tid);
	(*t)->fresh = true;
	return true;
}

int sched_forks(struct pt_sched *s, const struct sched_format *f, const struct pt_record *rec,
		struct pt_sched_event *ev)
{
	uint32_t tid = (uint32_t)sched_number(f, N_PID, rec);
	bool is_first;

	if (!tid)
		return PT_SCHED_NOTHING;
	is_first = sched_born(s, tid, &ev->task);
	sched_name_by_event(ev->task, &f->comm[C_COMM], rec);
	ev->waker = rec->has & PERF_SAMPLE_TID ? rec->tid : UINT32_MAX;
	return is_first ? PT_SCHED_FORK : PT_SCHED_NOTHING;
}

/* If a thread calls exec, it takes over its process's number and the main thread is gone. */
int sched_execs(struct pt_sched *s, const struct sched_format *f, const struct pt_record *rec,
		struct pt_sched_event *ev)
{
	uint32_t tid = (uint32_t)sched_number(f, N_PID, rec),
		 old = (uint32_t)sched_number(f, N_PARENT, rec);
	struct sched_cpu *c = &s->cpus[rec->cpu];

	if (!tid)
		return PT_SCHED_NOTHING;
	if (old && old != tid && c->curr && c->curr->tid == old) {
		sched_rename(s, c->curr, tid);
		c->tid = tid;
	}
	ev->task = sched_task(s, tid);
	return PT_SCHED_EXEC;
}

static int exits(struct pt_sched *s, uint32_t tid, struct pt_sched_event *ev)
{
	ev->task = sched_find(s, tid);
	if (!tid || !ev->task || ev->task->exiting)
		return PT_SCHED_NOTHING;
	ev->task->exiting = true;
	sched_end(s, ev->task);
	return PT_SCHED_EXIT;
}

int sched_exits(struct pt_sched *s, const struct sched_format *f, const struct pt_record *rec,
		struct pt_sched_event *ev)
{
	return exits(s, (uint32_t)sched_number(f, N_PID, rec), ev);
}

/* Recorders write such records for tasks that existed before: perf with time 0, a live session with
 * its start time. No task was running then. */
int sched_fork_record(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev)
{
	bool happened = rec->has & PERF_SAMPLE_TIME && rec->time_ns &&
			(!(rec->has & PERF_SAMPLE_TID) || rec->tid),
	     is_first;
	const struct pt_sched_task *parent;

	if (!rec->u.task.tid)
		return PT_SCHED_NOTHING;
	if (happened) {
		is_first = sched_born(s, rec->u.task.tid, &ev->task);
	} else {
		ev->task = sched_task(s, rec->u.task.tid);
		is_first = false;
	}
	ev->task->pid = rec->u.task.pid;
	ev->task->ppid = rec->u.task.ppid;
	parent = rec->u.task.ptid ? sched_find(s, rec->u.task.ptid) : NULL;
	if (parent && parent->comm[0] && !ev->task->named)
		sched_set_name(ev->task, parent->comm, PT_SCHED_COMM_LEN, parent->named);
	ev->waker = rec->u.task.ptid;
	return is_first ? PT_SCHED_FORK : PT_SCHED_NOTHING;
}

int sched_comm_record(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev)
{
	uint32_t tid = rec->u.comm.tid;
	struct pt_sched_task *t;

	if (!tid)
		return PT_SCHED_NOTHING;
	if (rec->misc & PERF_RECORD_MISC_COMM_EXEC && tid == rec->u.comm.pid &&
	    rec->has & PERF_SAMPLE_CPU && rec->cpu < s->nr_cpus) {
		t = s->cpus[rec->cpu].curr;
		/* a thread's exec, where sched_process_exec is not recorded */
		if (t && t->tid && t->tid != tid && t->pid == tid) {
			sched_rename(s, t, tid);
			s->cpus[rec->cpu].tid = tid;
		}
	}
	ev->task = sched_task(s, tid);
	ev->task->pid = rec->u.comm.pid;
	ev->exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	sched_set_name(ev->task, rec->u.comm.comm, PT_SCHED_COMM_LEN, true);
	return PT_SCHED_NAME;
}

int sched_exit_record(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev)
{
	return exits(s, rec->u.task.tid, ev);
}
