/* sched_priv.h - shared by sched.c (the state machine), sched_life.c (births, names, ends),
 * sched_tasks.c (the known tasks), sched_fields.c (the events' formats) and sched_note.c (what a
 * user should know of it all). */
#ifndef PT_SCHED_SCHED_PRIV_H
#define PT_SCHED_SCHED_PRIV_H

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "sched/sched.h"

enum {
	SCHED_MAX_CPUS = 1 << 13,
	SCHED_MAX_ENDED = 4096,
	SCHED_NAMES = 1024,
	SCHED_NUMBERS = 6,
	SCHED_COMMS = 2
};
#define SCHED_NOBODY UINT32_MAX		/* cpu.tid: unknown. No kernel has that many tasks */

enum {
	N_PID,
	N_NEXT,
	N_STATE,
	N_PRIO,
	N_NEXT_PRIO,
	N_CPU = N_STATE,
	N_FROM = N_PRIO,
	N_VALUE = N_STATE,
	N_PARENT = N_NEXT
};
enum { C_COMM, C_NEXT };

/* The letters of prev_state by the event's print format. */
struct sched_states {
	char of_bit[32];		/* 0: none */
	uint64_t named;			/* bits that have a letter; higher ones mean preempted */
};

struct sched_format {			/* of an event of the stream */
	enum pt_sched_kind kind;
	bool seen;
	uint32_t need_bytes;
	/* bits that a sample must have; all ones for other events */
	uint64_t has;
	struct pt_tp_place number[SCHED_NUMBERS];
	struct pt_tp_place comm[SCHED_COMMS];
	struct sched_states states;
};

struct sched_cpu {
	/* the task that runs there: its curr->running is set and curr->cpu is this CPU. NULL: left
	 * unseen */
	struct pt_sched_task *curr;
	uint32_t tid;			/* the task that came in last; SCHED_NOBODY: unknown */
	uint64_t last_ns;		/* time of the last switch; 0: none */
	struct pt_sched_task *idle;
};

struct pt_sched {
	struct pt_sched_opts o;
	struct sched_format *formats;	/* by pt_event.index */
	size_t nr_formats;
	struct sched_cpu *cpus;
	size_t nr_cpus, cap_cpus;
	uint32_t epoch;			/* 1 + number of losses */
	/* the records' tids are of the recorder's pid namespace, those of the events are not */
	bool other_tids;

	struct pt_map by_tid;
	/* cache by the tid's lowest bits: a tenth of the time of a long recording */
	struct pt_sched_task *near[SCHED_NAMES];
	struct pt_sched_task *first, *last;
	struct pt_sched_task *soonest, *latest;
	size_t nr_tasks, nr_ended;
	uint32_t next_nr;
	void (*drop)(void *arg, struct pt_sched_task *t);
	void *drop_arg;
	struct pt_sched_counts n;
};

/* True: records are missing, and no time may span this moment. Not for a recorder's total at the
 * end, which has no time: it repeats losses that were reported where they happened. */
static inline bool sched_is_loss(const struct pt_record *rec)
{
	bool has_time = rec->has & PERF_SAMPLE_TIME && rec->time_ns;

	if (rec->type != PERF_RECORD_LOST && !(rec->type == PERF_RECORD_LOST_SAMPLES && has_time))
		return false;
	return rec->u.lost.lost && !(rec->event && rec->event->side_band);
}

/* The record's task comes in: a PERF_RECORD_SWITCH, of the task alone or of all on its CPU. */
static inline bool sched_comes_in(const struct pt_record *rec)
{
	const uint64_t has = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	return (rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE) &&
	       !(rec->misc & PERF_RECORD_MISC_SWITCH_OUT) && (rec->has & has) == has;
}

/* What a task does while it does not run (wants). */
enum {
	WANTS_UNKNOWN,
	WANTS_NOTHING,
	WANTS_READY,
	WANTS_PREEMPTED,
	WANTS_RUNS,
	WANTS_RUNS_WOKEN,
	WANTS_DOUBTFUL
};

static inline uint64_t sched_number(const struct sched_format *f, int which,
				    const struct pt_record *rec)
{
	return pt_tp_load(&f->number[which], rec->sample.raw, rec->swap);
}

/* sched_fields.c */
/* -1: the event is needed and cannot be used */
int sched_format(const struct pt_event *event, struct sched_format *f, struct pt_err *e);
char sched_state(const struct sched_states *st, uint64_t state, bool *preempted);
/* NULL: none */
const char *sched_comm(const struct pt_tp_place *f, const struct pt_record *rec, size_t *len);

/* sched_tasks.c */
struct pt_sched_task *sched_find_slowly(struct pt_sched *s, uint32_t tid);
/* NULL: unknown */
static inline struct pt_sched_task *sched_find(struct pt_sched *s, uint32_t tid)
{
	struct pt_sched_task *t = s->near[tid % SCHED_NAMES];

	return t && t->tid == tid ? t : sched_find_slowly(s, tid);
}
/* the task that had the tid has ended */
struct pt_sched_task *sched_add(struct pt_sched *s, uint32_t tid);
struct pt_sched_task *sched_new_idle(int32_t cpu);
static inline struct pt_sched_task *sched_task(struct pt_sched *s, uint32_t tid)
{
	struct pt_sched_task *t = sched_find(s, tid);

	return t && !t->ended ? t : sched_add(s, tid);
}
/* the task ends or has ended: keep it for a while */
void sched_end(struct pt_sched *s, struct pt_sched_task *t);
/* an exec gave it its process's tid */
void sched_rename(struct pt_sched *s, struct pt_sched_task *t, uint32_t tid);
void sched_set_name(struct pt_sched_task *t, const char *comm, size_t len, bool by_comm);
void sched_free_tasks(struct pt_sched *s);
static inline void sched_name_by_event(struct pt_sched_task *t, const struct pt_tp_place *f,
				       const struct pt_record *rec)
{
	const char *comm;
	size_t len;

	if (t->named || !(comm = sched_comm(f, rec, &len)) || !len)
		return;
	if (strncmp(t->comm, comm, PT_MIN(len, (size_t)PT_SCHED_COMM_LEN - 1)))
		sched_set_name(t, comm, len, false);
}

/* sched_life.c: as the functions in sched.c that handle one kind of event each */
typedef int sched_feeder(struct pt_sched *s, const struct sched_format *f,
			 const struct pt_record *rec, struct pt_sched_event *ev);
sched_feeder sched_forks, sched_execs, sched_exits;
/* Adds a task with this tid. Up to three records report a birth (FORK, sched_process_fork,
 * sched_wakeup_new); true for the first. */
bool sched_born(struct pt_sched *s, uint32_t tid, struct pt_sched_task **t);
int sched_fork_record(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev);
int sched_comm_record(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev);
int sched_exit_record(struct pt_sched *s, const struct pt_record *rec, struct pt_sched_event *ev);

/* sched.c, for sched_tasks.c: no CPU may refer to the task any more. */
void sched_off_cpu(struct pt_sched *s, struct pt_sched_task *t);

#endif
