/* threads.c - attaching to all threads of processes that go on making threads.
 *
 * A thread that is born of one which has our counters inherits them; one that is born before must
 * be given its own; one that had both would count twice. /proc does not tell which is the case,
 * FORK records do. So the side-band is opened first, on all threads until none is new: from then on
 * each birth is heard of, with its time and its maker. Then the events are opened, each thread's
 * moment of doing so is noted, and a mark is set (marks.c). A child
 *     born before that     inherits nothing: it is a target of its own
 *     that has the mark    inherits all
 *     that has run and shows no mark   was made meanwhile: the maker's counters are closed (which
 *                                      takes them from all its children), and opened anew;
 *                          the children become targets of their own
 *     that has not run     waits to be judged
 * Where there are no marks, times must do: a birth just when its maker's counters were opened is a
 * doubtful one.
 *
 * A child inherits early in clone(), and is in /proc and in a FORK record at its end. A maker that
 * was between the two when its counters were opened has a child that has none of them and is
 * nowhere yet, for as long as the maker is kept from its CPU. So attaching is over only when each
 * maker has settled: was seen asleep, or has run for longer than that takes. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/proc.h"
#include "record/watch/session_priv.h"

enum { MAX_ROUNDS = 3000, MAX_TRIES = 20, UNHEARD_TRIES = 20 };
#define INHERITED UINT64_MAX			/* in session.known: it has its maker's counters */
static const uint64_t birth_ns = 1000000;	/* from inheritance to the FORK record */
static const uint64_t patience_ns = 2000000000;	/* a maker is not waited for any longer */

struct fork_record {				/* PERF_RECORD_FORK; sample_id follows */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

struct birth { uint32_t tid, ptid; uint64_t time_ns; };

struct births {
	struct pt_map by_tid;			/* tid -> index */
	struct birth *list;
	size_t nr, cap;
};

static void births_clear(struct births *b)
{
	pt_map_deinit(&b->by_tid);
	free(b->list);
	*b = (struct births){ 0 };
}

/* Reads what the side-band rings have so far, without consuming it. */
static void read_births(struct pt_session *s, struct births *b)
{
	births_clear(b);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		struct pt_ring *r = &s->cpus[i].side->ring;
		uint64_t head = pt_ring_head(r), at = r->at;
		const struct fork_record *f;

		for (; (f = (const void *)pt_ring_peek(r, head)); pt_ring_skip(r, f->header.size)) {
			if (f->header.type != PERF_RECORD_FORK || f->header.size < sizeof(*f))
				continue;
			PT_GROW(b->list, b->nr, b->cap);
			*pt_map_put(&b->by_tid, f->tid) = b->nr;
			b->list[b->nr++] = (struct birth){ f->tid, f->ptid, f->time_ns };
		}
		r->at = at;
		r->broken = false;
	}
}

static const struct birth *birth_of(const struct births *b, uint32_t tid)
{
	const uint64_t *at = pt_map_get(&b->by_tid, tid);

	return at ? &b->list[*at] : NULL;
}

static struct session_target *target_of(struct pt_session *s, uint32_t tid)
{
	const uint64_t *known = pt_map_get(&s->known, tid);

	return known && *known != INHERITED ? &s->targets[*known] : NULL;
}

/* Returns the target whose counters this thread would have inherited: the nearest one among its
 * maker, the maker's maker and so on. NULL: its birth was not seen. `made`: the birth by that
 * target. */
static struct session_target *threads_source_of(struct pt_session *s, const struct births *b,
						uint32_t tid, const struct birth **made)
{
	struct session_target *t = NULL;

	for (size_t depth = 0; !t && depth <= b->nr && (*made = birth_of(b, tid)); depth++) {
		tid = (*made)->ptid;
		t = target_of(s, tid);
	}
	return t;
}

static bool descends(const struct births *b, uint32_t tid, uint32_t from)
{
	const struct birth *made = birth_of(b, tid);

	for (size_t depth = 0; made && made->ptid != from; depth++)
		made = depth < b->nr ? birth_of(b, made->ptid) : NULL;
	return made;
}

static void open_anew(struct pt_session *s, struct session_marks *m, const struct births *b,
		      uint32_t target)
{
	struct session_target *t = &s->targets[target];
	uint32_t tid = (uint32_t)t->pid;
	int owner = t->owner;

	session_close_target(s, target, SESSION_DATA);
	session_unmark(m, target);
	t->to_ns = t->enough_ns = 0;
	t->settled = false;
	t->tries++;
	for (size_t i = 0; i < b->nr; i++)
		if (!target_of(s, b->list[i].tid) && descends(b, b->list[i].tid, tid) &&
		    !kill((pid_t)b->list[i].tid, 0))
			session_add_target(s, (int)b->list[i].tid, owner);
}

enum verdict { OWN, ALL, PART, LATER };

static enum verdict threads_judge(struct pt_session *s, const struct session_marks *m,
				  const struct births *b, struct pt_map *looks, uint32_t tid,
				  uint32_t *maker)
{
	const struct birth *made;
	struct session_target *t;
	uint64_t run_ns;

	if (s->w->no_inherit)
		return OWN;
	if (session_marked(m, tid))
		return ALL;
	t = threads_source_of(s, b, tid, &made);
	if (!t || !t->to_ns || made->time_ns < t->from_ns)
		return OWN;
	*maker = (uint32_t)(t - s->targets);
	if (!m->good)
		return made->time_ns > t->to_ns + birth_ns ? ALL
		       : t->tries < MAX_TRIES              ? PART
							   : OWN;
	/* its first switch may be counted before its record is written: look twice */
	if ((session_run_ns(tid, &run_ns) && !run_ns) || !(*pt_map_put(looks, tid))++)
		return LATER;
	return t->tries < MAX_TRIES ? PART : OWN;
}

struct tids {
	struct { uint32_t tid; int owner; } *list;
	size_t nr, cap;
};

static void tids_add(struct tids *t, uint32_t tid, int owner)
{
	PT_GROW(t->list, t->nr, t->cap);
	t->list[t->nr].tid = tid;
	t->list[t->nr++].owner = owner;
}

static void list_new(struct pt_session *s, struct tids *t)
{
	t->nr = 0;
	for (size_t i = 0; i < s->nr_watched; i++) {
		uint32_t *tids;
		size_t nr;

		if (!s->watched[i].whole ||
		    pt_proc_list((uint32_t)s->watched[i].pid, &tids, &nr, NULL) < 0)
			continue;
		for (size_t k = 0; k < nr; k++)
			if (!pt_map_get(&s->known, tids[k]))
				tids_add(t, tids[k], (int)i);
		free(tids);
	}
}

/* Lists children that are processes of their own. */
static void list_born(struct pt_session *s, const struct births *b, struct tids *t)
{
	for (size_t i = 0; i < b->nr; i++) {
		const struct birth *made;
		struct session_target *of;

		if (pt_map_get(&s->known, b->list[i].tid) || kill((pid_t)b->list[i].tid, 0))
			continue;
		of = threads_source_of(s, b, b->list[i].tid, &made);
		for (size_t k = 0; of && k < t->nr; k++)
			if (t->list[k].tid == b->list[i].tid)
				of = NULL;
		if (of)
			tids_add(t, b->list[i].tid, of->owner);
	}
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* A thread is in /proc a moment before its FORK record is written: wait for those whose birth was
 * not seen. */
static void read_births_of(struct pt_session *s, const struct tids *t, struct births *b)
{
	for (int i = 0; i < UNHEARD_TRIES; i++) {
		size_t unheard = 0;

		if (i)
			nap();
		read_births(s, b);
		for (size_t k = 0; k < t->nr; k++)
			unheard += !birth_of(b, t->list[k].tid);
		if (!unheard)
			return;
	}
}

static int open_side(struct pt_session *s, size_t *done, struct pt_err *e)
{
	for (; *done < s->nr_targets; ++*done)
		if (!s->targets[*done].gone &&
		    session_open_target(s, (uint32_t)*done, SESSION_SIDE, e) < 0)
			return -1;
	return 0;
}

static int open_data(struct pt_session *s, struct session_marks *m, uint64_t *last_ns,
		     struct pt_err *e)
{
	for (size_t i = 0; i < s->nr_targets; i++) {
		if (s->targets[i].gone || s->targets[i].to_ns)
			continue;
		if (session_open_target(s, (uint32_t)i, SESSION_DATA, e) < 0)
			return -1;
		session_mark(s, m, (uint32_t)i);
		*last_ns = s->targets[i].to_ns = pt_session_clock_ns(s);
	}
	return 0;
}

/* Asleep (other than in waits of the kernel), stopped or dead: it is not making a child. */
static bool is_idle(uint32_t tid)
{
	struct pt_proc p;

	if (!pt_proc_read((int)tid, (int)tid, &p))
		return errno == ENOENT || errno == ESRCH;
	return p.state != 'R' && p.state != 'D';
}

static bool settles(struct session_target *t)
{
	uint64_t run_ns;

	if (is_idle((uint32_t)t->pid) || !session_run_ns((uint32_t)t->pid, &run_ns))
		return true;
	if (!t->enough_ns)
		t->enough_ns = run_ns + birth_ns;
	return run_ns >= t->enough_ns;
}

/* True: every child whose making had begun before its maker had all counters has appeared. */
static bool all_settled(struct pt_session *s)
{
	for (size_t i = 0; i < s->nr_targets; i++) {
		struct session_target *t = &s->targets[i];

		if (t->gone || t->settled)
			continue;
		if (!t->to_ns || !settles(t))
			return false;
		t->settled = true;
	}
	return true;
}

/* Decides on all new threads. Returns how many must be looked at again. */
static size_t judge_all(struct pt_session *s, struct session_marks *m, struct births *b,
			struct pt_map *looks, const struct tids *fresh)
{
	size_t later = 0;

	session_marks_read(s, m);
	if (fresh->nr)
		/* should the maker of a marked thread be opened anew, its birth must be known */
		read_births(s, b);
	for (size_t i = 0; i < fresh->nr; i++) {
		uint32_t tid = fresh->list[i].tid, maker = 0;

		if (pt_map_get(&s->known, tid))
			continue;
		switch (threads_judge(s, m, b, looks, tid, &maker)) {
		case ALL:
			*pt_map_put(&s->known, tid) = INHERITED;
			break;
		case PART:
			open_anew(s, m, b, maker);
			if (pt_map_get(&s->known, tid))
				break;
			/* fall through */
		case OWN:
			session_add_target(s, (int)tid, fresh->list[i].owner);
			break;
		case LATER:
			later++;
			break;
		}
	}
	return later;
}

struct attach {
	struct tids fresh;
	struct births births;
	struct session_marks marks;
	struct pt_map looks;
};

static int attach_rounds(struct pt_session *s, struct attach *a, struct pt_err *e)
{
	size_t side_done = 0, later;
	/* the side-band is complete, and no unknown child is being born */
	bool heard = false, calm;
	uint64_t last_ns = 0, round_ns, stirred_ns = 0;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		round_ns = pt_session_clock_ns(s);
		calm = heard && (all_settled(s) || round_ns > last_ns + patience_ns);
		if (!calm)
			stirred_ns = round_ns;
		list_new(s, &a->fresh);
		if (heard) {
			read_births_of(s, &a->fresh, &a->births);
			list_born(s, &a->births, &a->fresh);
		}
		later = judge_all(s, &a->marks, &a->births, &a->looks, &a->fresh);
		if (open_side(s, &side_done, e) < 0)
			return -1;
		if (a->fresh.nr && !heard)
			continue;
		heard = true;
		if (open_data(s, &a->marks, &last_ns, e) < 0)
			return -1;
		if (!a->fresh.nr && calm && round_ns > PT_MAX(last_ns, stirred_ns) + 3 * birth_ns)
			/* nothing was found long after the last thread was opened and settled */
			return 0;
		if (a->fresh.nr == later)
			nap();
	}
	/* threads are made faster than they can be listed; the rest inherits the counters of its
	 * makers */
	return 0;
}

int session_attach_threads(struct pt_session *s, struct pt_err *e)
{
	struct attach a = { 0 };
	int rc;

	session_marks_open(s, &a.marks);
	s->marks = &a.marks;
	rc = attach_rounds(s, &a, e);
	s->marks = NULL;
	session_marks_close(s, &a.marks);
	births_clear(&a.births);
	pt_map_deinit(&a.looks);
	free(a.fresh.list);
	return rc;
}
