#include "sched/offcpu.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "sched/sched_priv.h"
#include "tracepoint/tp.h"

/* prev_state: EXIT_DEAD, EXIT_ZOMBIE; halted by a tracer; bits above 0xff mark a preemption */
enum { EXITED = 0x10 | 0x20, TRACED = 0x08, RUNNABLE_MASK = 0xff };

struct away {				/* a task that came in or left */
	bool open;			/* it waits: */
	uint64_t since_ns;
	const char *comm;
	const void **places;		/* kept for the task's next wait */
	size_t nr, cap;
	uint64_t losses;		/* losses at the time it left */
};

struct pt_offcpu {
	struct pt_map by_tid;		/* struct away */
	struct pt_names *comms;
	uint64_t losses;
	/* the records' tids are of the recorder's pid namespace, those of the event are not */
	bool other_tids;
	struct pt_offcpu_counts counts;
};

struct pt_offcpu *pt_offcpu_new(void)
{
	struct pt_offcpu *o = pt_alloc(sizeof(*o));

	o->comms = pt_names_new();
	return o;
}

void pt_offcpu_free(struct pt_offcpu *o)
{
	struct pt_map_slot *s;
	size_t i;

	if (!o)
		return;
	for (i = 0; (s = pt_map_each(&o->by_tid, &i)); ) {
		free(((struct away *)pt_pointer(s->value))->places);
		free(pt_pointer(s->value));
	}
	pt_map_deinit(&o->by_tid);
	pt_names_free(o->comms);
	free(o);
}

static bool is_switch(const struct pt_record *rec)
{
	return rec->type == PERF_RECORD_SAMPLE && rec->event && rec->event->tp &&
	       (rec->has & PERF_SAMPLE_RAW) && (rec->has & PERF_SAMPLE_TIME) &&
	       !strcmp(rec->event->tp->name, "sched_switch");
}

static bool value(const struct pt_record *rec, const char *name, uint64_t *v)
{
	const struct pt_tp *tp = rec->event->tp;
	const struct pt_tp_field *f = pt_tp_field(tp, name);

	return f && pt_tp_value(f, rec->sample.raw, rec->sample.raw_len, pt_tp_db_swap(tp->db), v);
}

static struct away *away_of(struct pt_offcpu *o, uint64_t tid)
{
	uint64_t *v = pt_map_put(&o->by_tid, (uint32_t)tid);

	if (!*v)
		*v = pt_word_of(pt_alloc(sizeof(struct away)));
	return pt_pointer(*v);
}

/* Ends a wait of unknown length. */
static void leave_out(struct pt_offcpu *o, struct away *a)
{
	a->open = false;
	o->counts.open--;
	o->counts.gaps++;
}

/* A task that leaves was running. If it counts as waiting, the switch that brought it in was not
 * seen. */
static void leaves_unseen(struct pt_offcpu *o, const struct pt_record *rec)
{
	uint64_t prev;

	if (value(rec, "prev_pid", &prev) && away_of(o, prev)->open)
		leave_out(o, away_of(o, prev));
}

/* Finds the task that this record brings in. */
static bool comes_in(struct pt_offcpu *o, const struct pt_record *rec, uint32_t *tid)
{
	uint64_t next;

	if (is_switch(rec)) {
		leaves_unseen(o, rec);
		if (!value(rec, "next_pid", &next))
			return false;
		*tid = (uint32_t)next;
		return true;
	}
	*tid = rec->tid;
	return sched_comes_in(rec);
}

bool pt_offcpu_back(struct pt_offcpu *o, const struct pt_record *rec, struct pt_wait *w)
{
	struct away *a;
	uint32_t tid;

	o->losses += sched_is_loss(rec);
	if (!comes_in(o, rec, &tid))
		return false;
	a = away_of(o, tid);
	if (!a->open || rec->time_ns < a->since_ns)
		return false;
	/* The lost records may have brought it in and out again. */
	if (a->losses != o->losses) {
		leave_out(o, a);
		return false;
	}
	a->open = false;
	o->counts.open--;
	o->counts.waits++;
	*w = (struct pt_wait){ a->comm, a->places, a->nr, rec->time_ns - a->since_ns };
	return true;
}

bool pt_offcpu_open(struct pt_offcpu *o, size_t *i, uint64_t end_ns, struct pt_wait *w)
{
	struct pt_map_slot *s;

	while ((s = pt_map_each(&o->by_tid, i))) {
		struct away *a = pt_pointer(s->value);

		if (!a->open)
			continue;
		if (a->losses != o->losses || o->other_tids) {
			leave_out(o, a);
			continue;
		}
		*w = (struct pt_wait){ a->comm, a->places, a->nr,
				       end_ns - PT_MIN(end_ns, a->since_ns) };
		return true;
	}
	return false;
}

bool pt_offcpu_seen(const struct pt_offcpu *o, uint32_t tid)
{
	return o->other_tids || pt_map_get(&o->by_tid, tid);
}

bool pt_offcpu_leaves(const struct pt_record *rec)
{
	uint64_t state, tid;

	return is_switch(rec) && value(rec, "prev_pid", &tid) && (uint32_t)tid &&
	       value(rec, "prev_state", &state) && (state & RUNNABLE_MASK) &&
	       !(state & (EXITED | TRACED));
}

void pt_offcpu_leave(struct pt_offcpu *o, const struct pt_record *rec, const char *comm,
		     const void *const *places, size_t nr)
{
	struct away *a;
	uint64_t tid;

	if (!value(rec, "prev_pid", &tid))
		return;
	o->counts.switches++;
	o->other_tids |= rec->has & PERF_SAMPLE_TID && rec->tid != (uint32_t)tid;
	a = away_of(o, tid);
	o->counts.open += !a->open;
	a->open = true;
	a->since_ns = rec->time_ns;
	a->losses = o->losses;
	a->comm = pt_names_add(o->comms, comm, SIZE_MAX);
	if (nr > a->cap)
		a->places = pt_realloc(a->places, a->cap = nr, sizeof(*a->places));
	if (nr)
		memcpy(a->places, places, nr * sizeof(*places));
	a->nr = nr;
}

struct pt_offcpu_counts pt_offcpu_counts(const struct pt_offcpu *o)
{
	return o->counts;
}
