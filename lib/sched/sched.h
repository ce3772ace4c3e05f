/* sched.h - the scheduler's state machine: which task ran where and when, how long it waited
 * before, and what is unknown of it.
 *
 *     struct pt_sched *s = pt_sched_new(NULL);
 *     while (pt_source_next(src, &rec, &e) > 0) {
 *             switch (pt_sched_feed(s, rec, &ev, &e)) {       // every record, whatever its type
 *             case PT_SCHED_SWITCH: ... ev.task left ev.cpu after ev.task->stay, ev.next came in:
 *                     ev.next->stay
 *             case PT_SCHED_WAKING: ... ev.task is woken
 *             case -1: ... the events cannot be used: e
 *             }
 *     }
 *     for (i = 0; pt_sched_note(s, &i, &text); pt_buf_clear(&text)) ... what a user should know of
 *             it, a line each
 *
 * Times of a task, as perf sched names them:
 *
 *     -----|--------------|------------|------------|-----
 *        left           ready          in          now
 *          |----------- off -----------|                   "wait time": how long it was off its CPU
 *                         |-- delay ---|---- run ---|      "sch delay": from wake-up to running
 *
 * A preempted task is ready from the moment it left. perf sched latency counts that time as delay,
 * perf sched timehist does not; stay.why tells the two apart. Each CPU has an idle task with tid 0;
 * its run is the CPU's idle time.
 *
 * Some kernels do not deliver the switches away from idle. PERF_RECORD_SWITCH_CPU_WIDE, where it
 * was recorded, then gives the switch: some microseconds late, and without the state in which a
 * task left.
 *
 * Nothing is guessed: each figure of a stay has a bit in `known`. If the task that leaves a CPU is
 * not the one that came in last, switches are missing (ev.gap). Then three figures are unknown: the
 * run that ends, the delay of the task that was found running, and the figures of the task that
 * should have been running, until it comes in again. LOST records make all times that span them
 * unknown. A wake-up of a running task does not count, unless the task was about to leave (a
 * sched_wakeup follows then).
 *
 * Memory is bounded by the number of CPUs and tasks. Ended tasks are kept until some thousand
 * others have ended, since names are needed late, or until the end with keep_ended. Tools store
 * their own data in task->user; pt_sched_on_drop() tells when a task is dropped. Names are
 * untrusted: escape them. Source: the kernel's include/trace/events/sched.h; fields are found by
 * each event's own format. */
#ifndef PT_SCHED_SCHED_H
#define PT_SCHED_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/format/record.h"

enum { PT_SCHED_NO_CPU = -1, PT_SCHED_COMM_LEN = 32 };

enum pt_sched_kind {			/* what pt_sched_feed() returns */
	PT_SCHED_NOTHING,		/* not a scheduler event */
	PT_SCHED_SWITCH,		/* task leaves, next comes in */
	PT_SCHED_WAKING,		/* task is about to be woken: from now on it wants a CPU */
	/* Task is runnable. It follows PT_SCHED_WAKING if wakings are recorded, else it is the
	 * wake-up itself. */
	PT_SCHED_WAKEUP,
	PT_SCHED_WAKEUP_NEW,		/* a new task is runnable */
	PT_SCHED_MIGRATE,		/* task moves to another CPU while it does not run */
	/* task was created by task->ppid (from sched_process_fork, else from a FORK record) */
	PT_SCHED_FORK,
	PT_SCHED_EXEC,			/* task runs another program, and has a new name */
	PT_SCHED_EXIT,			/* task ends; its last switch is still to come */
	PT_SCHED_RUNTIME,		/* sched_stat_runtime: runtime_ns of its stay */
	PT_SCHED_NAME,			/* task got a name (COMM); ev.exec: with another program */
	/* nr_lost records are missing, on ev.cpu (PT_SCHED_NO_CPU: unknown). */
	PT_SCHED_LOST,
};

enum {					/* bits of pt_sched_stay.known */
	PT_SCHED_IN = 1,		/* in_ns; run_ns once it is over */
	PT_SCHED_OFF = 2,		/* off_ns */
	PT_SCHED_DELAY = 4,		/* delay_ns, ready_ns */
	PT_SCHED_RUN = 8,		/* run_ns: the stay is over */
};

enum pt_sched_why {			/* why it was off the CPU before the stay */
	PT_SCHED_UNKNOWN,
	PT_SCHED_SLEPT,			/* off_state tells how: S, D, T, ... */
	PT_SCHED_PREEMPTED,		/* it wanted to run on (R, or R+) */
	PT_SCHED_BORN,			/* its first */
};

/* A stay on a CPU, and how it came about. */
struct pt_sched_stay {
	uint64_t in_ns;
	uint64_t run_ns;
	uint64_t off_ns;		/* from leaving the CPU until in_ns */
	uint64_t delay_ns;		/* from ready_ns until in_ns. Idle tasks have none */
	uint64_t ready_ns;		/* woken or preempted */
	/* the first wake-up seen since it left, also of a preempted task; 0: none */
	uint64_t woken_ns;
	uint32_t known;			/* PT_SCHED_IN ... */
	uint32_t waker;			/* tid that ran where it was woken; UINT32_MAX: unknown */
	int32_t cpu;
	int32_t from_cpu;		/* of the previous stay; PT_SCHED_NO_CPU: unknown */
	uint8_t why;			/* enum pt_sched_why */
	/* state when it left: R, S, D, I, T, t, X, Z, P ...; '?' unknown */
	char off_state;
};

struct pt_sched_task {
	uint32_t tid;			/* 0: the idle task of .cpu */
	uint32_t pid;			/* of its process; UINT32_MAX: unknown */
	uint32_t ppid;			/* the process that made it; UINT32_MAX: unknown */
	/* 0, 1, ... in order of first sight; UINT32_MAX for idle tasks */
	uint32_t nr;
	int32_t cpu;			/* where it runs or ran last; PT_SCHED_NO_CPU */
	int32_t prio;			/* of its last switch */
	bool running;
	bool exiting, ended;		/* the end was announced; it has left for good */
	/* by COMM records, else by the tracepoints; "swapper" for idle tasks */
	char comm[PT_SCHED_COMM_LEN];
	/* the last one; at a switch: just ended (ev.task) or begun (ev.next) */
	struct pt_sched_stay stay;
	uint64_t switches;		/* times it came in */
	uint64_t moves;			/* times it came in on another CPU than it had left */
	void *user;			/* the tool's; NULL at first */

	/* private to the state machine from here on */
	uint64_t left_ns, ready_ns, woken_ns;
	/* number of losses at that time; 0: the time is unknown */
	uint32_t left_epoch, ready_epoch;
	uint32_t waker;
	uint8_t wants;
	char left_state;
	bool named, fresh, listed;
	struct pt_sched_task *before, *after;	/* all, in order of first sight */
	struct pt_sched_task *sooner, *later;	/* ended tasks */
};

struct pt_sched_event {
	enum pt_sched_kind kind;
	int32_t cpu;			/* of the event; PT_SCHED_NO_CPU */
	uint64_t time_ns;
	/* SWITCH: the task that leaves. Otherwise the event's subject; NULL for LOST */
	struct pt_sched_task *task;
	struct pt_sched_task *next;	/* SWITCH: the task that comes in */
	uint64_t prev_state;		/* SWITCH: as recorded; 0: by a record of the other task */
	char state;			/* SWITCH: of the task that leaves: R, S, D ... */
	bool preempted;			/* SWITCH: the task leaves runnable (R or R+) */
	/* SWITCH: the task that leaves is not the one that came in last: switches are missing */
	bool gap;
	/* SWITCH: the CPU's state was unknown: its first switch, or the first after a loss */
	bool first;
	/* SWITCH: one of the two was thought to run on another CPU, whose state is now unknown */
	bool vacated;
	/* SWITCH: time of this CPU's previous switch; 0: none was seen */
	uint64_t last_ns;
	/* MIGRATE; to_cpu of WAKING, WAKEUP, WAKEUP_NEW: where it will run. PT_SCHED_NO_CPU */
	int32_t from_cpu, to_cpu;
	/* WAKING, WAKEUP, WAKEUP_NEW, FORK: tid that ran there; UINT32_MAX: not recorded */
	uint32_t waker;
	/* WAKING, WAKEUP, WAKEUP_NEW: from now on it waits for a CPU (not: it runs, or was woken
	 * before) */
	bool counts;
	bool exec;			/* NAME */
	uint64_t runtime_ns;		/* RUNTIME */
	uint64_t nr_lost;		/* LOST */
};

struct pt_sched_opts {
	bool keep_ended;		/* keep all tasks to the end, for summaries */
	/* bits 1 << PT_SCHED_...: events to skip because the tool does not use them (RUNTIME,
	 * MIGRATE) */
	uint32_t without;
	/* Samples that the state machine does not use are no longer delivered: pt_source_mute().
	 * NULL: the tool may need them. */
	struct pt_source *source;
};

struct pt_sched;
struct pt_sched *pt_sched_new(const struct pt_sched_opts *o);	/* NULL: default options */
void pt_sched_free(struct pt_sched *s);

/* Returns a kind, or -1 if the events cannot be used (e says why: no format, no field prev_pid).
 * Sets only the members of *ev that belong to the kind. */
int pt_sched_feed(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev,
		  struct pt_err *e);

/* `drop` is called before a task is freed, also by pt_sched_free(). */
void pt_sched_on_drop(struct pt_sched *s, void (*drop)(void *arg, struct pt_sched_task *t),
		      void *arg);
/* Calls it for all tasks, idle ones too, and no more. */
void pt_sched_drop_all(struct pt_sched *s);

/* Returns the task that has this tid now; NULL if it is unknown or 0. */
struct pt_sched_task *pt_sched_find(struct pt_sched *s, uint32_t tid);
/* Iterates over all kept tasks but idle ones, in order of first sight. *t is NULL to begin with. */
struct pt_sched_task *pt_sched_each(struct pt_sched *s, struct pt_sched_task *t);
size_t pt_sched_nr_tasks(const struct pt_sched *s);
/* tasks that wait for a CPU now */
size_t pt_sched_waiting(const struct pt_sched *s, bool preempted);

/* The highest CPU seen, plus 1. */
size_t pt_sched_nr_cpus(const struct pt_sched *s);
/* the CPU's idle task; NULL: never seen */
struct pt_sched_task *pt_sched_idle(struct pt_sched *s, int cpu);
/* the task that runs there; NULL: unknown */
struct pt_sched_task *pt_sched_current(const struct pt_sched *s, int cpu);

struct pt_sched_counts {
	uint64_t switches;
	uint64_t gaps;			/* switches by which a task left that had not come in */
	/* switches by which an idle task left: none when single tasks are watched */
	uint64_t from_idle;
	uint64_t idle_gaps;		/* of them: by which a task that had counted as idle left */
	/* switches that were not delivered, known by a record of the task that came in */
	uint64_t by_records;
	/* delays left out: of tasks with missed switches, or across a loss */
	uint64_t spanning;
	uint64_t across;		/* of them: across a loss */
	uint64_t wakeups;		/* wake-ups that count */
	uint64_t unwoken;		/* tasks that came in after a sleep without a wake-up */
	uint64_t late;			/* switches older than the last one on their CPU */
	/* samples that are too short, or without time or CPU, or with a CPU out of bounds */
	uint64_t bad;
	bool has_waking;		/* sched_waking was recorded */
};
struct pt_sched_counts pt_sched_counts(const struct pt_sched *s);
/* Why many switches are missing: the end of the note about them. */
const char *pt_sched_gaps_why(bool cpus_watched);
/* Appends the i-th note for the user (gaps, losses, what is missing) to `out` and advances i.
 * False: there is none left. */
bool pt_sched_note(const struct pt_sched *s, size_t *i, struct pt_buf *out);

#endif
