/* threads.c - attaching to all threads of processes that go on making threads.
 *
 * A thread that is born of one which has our counters inherits them; one that is born before must be given its own; one that had both would count twice.
 * /proc does not tell which is the case, FORK records do. So the side-band is opened first, on all threads until none is new: from then on each birth
 * is heard of, with its time and its maker. Then the events are opened, and each maker's time of doing so is noted. A birth
 *     before it     inherits nothing: the child is a target of its own
 *     behind it     inherits all
 *     during it     is nobody's guess: the maker's counters are closed (which takes them from all its children), and opened anew; the children become
 *                   targets of their own. After some such tries with a maker that never pauses the child is taken for one that inherits nothing. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "record/session_impl.h"

enum { MAX_ROUNDS = 100, MAX_TRIES = 20, UNHEARD_TRIES = 20 };
#define INHERITED UINT64_MAX			/* in session.known: has its maker's counters */
static const uint64_t birth_ns = 1000000;	/* from the inheritance to the FORK record */

struct fork_record {				/* PERF_RECORD_FORK; sample_id follows */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

struct birth { uint32_t tid, ptid; uint64_t time_ns; };

struct births {
	struct pt_map by_tid;			/* -> index */
	struct birth *list;
	size_t nr, cap;
};

static void births_clear(struct births *b)
{
	pt_map_deinit(&b->by_tid);
	free(b->list);
	*b = (struct births){ .by_tid = PT_MAP_INIT };
}

/* What the side-band rings have heard so far; nothing is taken from them. */
static void read_births(struct pt_session *s, struct births *b)
{
	births_clear(b);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		struct pt_ring *r = &s->cpus[i].side->ring;
		uint64_t head = pt_ring_head(r), at = r->at;
		const uint8_t *p;

		while ((p = pt_ring_peek(r, head))) {
			struct fork_record f;

			memcpy(&f.header, p, sizeof(f.header));
			if (f.header.type == PERF_RECORD_FORK && f.header.size >= sizeof(f)) {
				memcpy(&f, p, sizeof(f));
				PT_GROW(b->list, b->nr, b->cap);
				*pt_map_put(&b->by_tid, f.tid) = b->nr;
				b->list[b->nr++] = (struct birth){ f.tid, f.ptid, f.time_ns };
			}
			pt_ring_skip(r, f.header.size);
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

/* Has this thread all counters of the one that made it? */
static bool inherits(struct pt_session *s, const struct births *b, uint32_t tid)
{
	for (size_t depth = 0; depth <= b->nr; depth++) {
		const struct birth *made = birth_of(b, tid);
		const struct session_target *t;

		if (!made)
			return false;
		t = target_of(s, made->ptid);
		if (t)
			return t->to_ns && made->time_ns > t->to_ns;
		if (pt_map_get(&s->known, made->ptid))
			return true;
		tid = made->ptid;
	}
	return false;
}

/* -- makers whose counters must be opened anew -------------------------------------------------------------------------------- */

static bool descends(const struct births *b, uint32_t tid, uint32_t from)
{
	for (size_t depth = 0; depth <= b->nr; depth++) {
		const struct birth *made = birth_of(b, tid);

		if (!made)
			return false;
		if (made->ptid == from)
			return true;
		tid = made->ptid;
	}
	return false;
}

static void open_anew(struct pt_session *s, const struct births *b, uint32_t target)
{
	uint32_t tid = (uint32_t)s->targets[target].pid;
	int owner = s->targets[target].owner;

	session_close_target(s, target, SESSION_DATA);
	s->targets[target].to_ns = 0;
	s->targets[target].tries++;
	for (size_t i = 0; i < b->nr; i++)
		if (!target_of(s, b->list[i].tid) && descends(b, b->list[i].tid, tid) && !kill((pid_t)b->list[i].tid, 0))
			session_add_target(s, (int)b->list[i].tid, owner);
}

static void open_anew_where_doubtful(struct pt_session *s, const struct births *b)
{
	for (size_t i = 0; i < b->nr; i++) {
		struct session_target *t = target_of(s, b->list[i].ptid);

		if (!t || !t->to_ns || t->gone || t->tries >= MAX_TRIES)
			continue;
		if (b->list[i].time_ns >= t->from_ns && b->list[i].time_ns <= t->to_ns + birth_ns)
			open_anew(s, b, (uint32_t)(t - s->targets));
	}
}

/* -- threads that are new ----------------------------------------------------------------------------------------------------- */

struct tids { uint32_t *list; size_t nr, cap; int *owners; size_t cap_owners; };

static void list_new(struct pt_session *s, struct tids *t)
{
	t->nr = 0;
	for (size_t i = 0; i < s->nr_watched; i++) {
		char path[64];
		struct dirent *d;
		DIR *dir;

		snprintf(path, sizeof(path), "/proc/%d/task", s->watched[i].pid);
		dir = s->watched[i].whole ? opendir(path) : NULL;
		while (dir && (d = readdir(dir))) {
			int tid = atoi(d->d_name);

			if (tid <= 0 || pt_map_get(&s->known, (uint64_t)tid))
				continue;
			PT_GROW(t->list, t->nr, t->cap);
			PT_GROW(t->owners, t->nr, t->cap_owners);
			t->owners[t->nr] = (int)i;
			t->list[t->nr++] = (uint32_t)tid;
		}
		if (dir)
			closedir(dir);
	}
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* A thread is in /proc a moment before its FORK record is written: those that nothing was heard of are waited for. */
static void read_births_of(struct pt_session *s, const struct tids *t, struct births *b)
{
	for (int i = 0; i < UNHEARD_TRIES; i++) {
		size_t unheard = 0;

		if (i)
			nap();
		read_births(s, b);
		for (size_t k = 0; k < t->nr; k++)
			unheard += !birth_of(b, t->list[k]);
		if (!unheard)
			return;
	}
}

static int open_side(struct pt_session *s, size_t *done, struct pt_err *e)
{
	for (; *done < s->nr_targets; ++*done)
		if (!s->targets[*done].gone && session_open_target(s, (uint32_t)*done, SESSION_SIDE, e) < 0)
			return -1;
	return 0;
}

/* Returns when the last was done; 0: there were none. */
static int open_data(struct pt_session *s, uint64_t *last_ns, struct pt_err *e)
{
	for (size_t i = 0; i < s->nr_targets; i++) {
		struct session_target *t = &s->targets[i];

		if (t->gone || t->to_ns)
			continue;
		if (session_open_target(s, (uint32_t)i, SESSION_DATA, e) < 0)
			return -1;
		*last_ns = s->targets[i].to_ns;
	}
	return 0;
}

static int attach_rounds(struct pt_session *s, struct tids *fresh, struct births *b, struct pt_err *e)
{
	size_t side_done = 0;
	bool heard = false;		/* the side-band is everywhere */
	uint64_t last_ns = 0;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		list_new(s, fresh);
		if (heard && !s->w->no_inherit) {
			read_births_of(s, fresh, b);
			open_anew_where_doubtful(s, b);
		}
		for (size_t i = 0; i < fresh->nr; i++) {
			if (pt_map_get(&s->known, fresh->list[i]))
				continue;
			if (heard && !s->w->no_inherit && inherits(s, b, fresh->list[i]))
				*pt_map_put(&s->known, fresh->list[i]) = INHERITED;
			else
				session_add_target(s, (int)fresh->list[i], fresh->owners[i]);
		}
		if (open_side(s, &side_done, e) < 0)
			return -1;
		if (fresh->nr && !heard)
			continue;
		heard = true;
		if (open_data(s, &last_ns, e) < 0)
			return -1;
		/* The last round saw nothing, and began when all births that could be doubtful had been heard of. */
		if (!fresh->nr && round && pt_session_clock_ns(s) > last_ns + 3 * birth_ns && side_done == s->nr_targets)
			return 0;
		if (!fresh->nr)
			nap();
	}
	return 0;			/* it makes threads faster than they can be listed: their makers hand the counters down */
}

int session_attach_threads(struct pt_session *s, struct pt_err *e)
{
	struct births b = { .by_tid = PT_MAP_INIT };
	struct tids fresh = { NULL, 0, 0, NULL, 0 };
	int rc = attach_rounds(s, &fresh, &b, e);

	births_clear(&b);
	free(fresh.list);
	free(fresh.owners);
	return rc;
}
