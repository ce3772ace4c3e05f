/* counts.c - a session that counts: attributes without samples, and reading; the final count of one
 * that samples */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/open.h"
#include "record/watch/session_priv.h"

enum {
	MAX_GROUP = 256,		/* the kernel reads at most 16 KB at once */
	MAX_KEPT_WORDS = 1 << 19,	/* 4 MB: for example a thousand threads */
	TRIES_AT_TICK = 8,
	TRIES_AT_END = 20000,		/* one or two seconds: there is no later reading */
};
static const uint64_t keep_ns = 100000000;
_Static_assert(sizeof(struct session_read) == sizeof(uint64_t),
	       "what is read and its words share a block");

void session_count_attr(const struct pt_session *s, size_t event, struct pt_attr *a)
{
	const struct session_event *ev = &s->events[event];

	*a = ev->spec.attr;
	a->size = sizeof(*a);
	a->sample_period = 0;
	a->sample_type = 0;
	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			 PERF_FORMAT_ID | (ev->in_group ? PERF_FORMAT_GROUP : 0);
	a->flags &= ~(uint64_t)PT_ATTR_FREQ;
	session_own_flags(s, &ev->spec, event, a);
}

/* Events that every kernel has and that need no hardware counter. */
static bool may_lead(const struct pt_attr *a)
{
	return a->type == PERF_TYPE_TRACEPOINT ||
	       (a->type == PERF_TYPE_SOFTWARE && a->config <= PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static bool same_cgroup(const struct pt_event_spec *a, const struct pt_event_spec *b)
{
	return a->cgroup && b->cgroup ? !strcmp(a->cgroup, b->cgroup) : a->cgroup == b->cgroup;
}

/* Software events always run, alone or in a group. A group is read by one system call, with one
 * interrupt of its CPU. */
void session_group_software(struct pt_session *s)
{
	size_t nr = 0;
	int lead = -1;

	for (size_t i = 0; i + 1 < s->nr_events; i++) {
		struct session_event *ev = &s->events[i];
		const struct pt_attr *a = &ev->spec.attr;

		if (ev->in_group ||
		    (a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT))
			continue;
		if (lead >= 0 && nr < MAX_GROUP && same_cgroup(&ev->spec, &s->events[lead].spec)) {
			ev->spec.leader = lead;
			ev->in_group = s->events[lead].in_group = true;
			ev->spec.weak = true;	/* goes on without a leader that is refused */
			nr++;
		} else if (may_lead(a)) {
			lead = (int)i;
			nr = 1;
		}
	}
}

bool session_not_supported(int sys)
{
	/* ENOENT: no PMU has the event; EINVAL: more events than the group's PMU has counters */
	return sys == ENOENT || sys == EINVAL || sys == EOPNOTSUPP || sys == ENXIO ||
	       sys == ENOSYS || sys == ENODEV;
}

/* The leader reads for its group. */
static bool is_read(const struct pt_session *s, size_t event)
{
	return !s->events[event].in_group || s->events[event].spec.leader == (int)event;
}

/* Alone: value, two times, id. A group: number of values, times, then value and id of each. */
static uint32_t watch_counts_bytes_of(const struct pt_session *s, size_t event)
{
	size_t words = 2, i;

	for (i = event; i + 1 < s->nr_events; i++)
		words += 2 * (s->events[i].spec.leader == (int)event || i == event);
	return (uint32_t)((words + s->events[event].in_group) * sizeof(uint64_t));
}

/* Chooses the counters to read, the length of a reading, and how many readings are kept. */
static void plan(struct pt_session *s)
{
	struct session_kept *k = &s->kept;
	size_t i, c;

	k->nr_reads = 0;
	for (i = 0; i + 1 < s->nr_events; i++)
		k->nr_reads += is_read(s, i) ? s->events[i].nr_counters : 0;
	free(k->reads);
	k->reads = pt_alloc_array(k->nr_reads, sizeof(*k->reads));
	k->nr_reads = 0;
	k->reading_words = 1;
	for (i = 0; i + 1 < s->nr_events; i++) {
		uint32_t bytes = is_read(s, i) ? watch_counts_bytes_of(s, i) : 0;

		for (c = 0; bytes && c < s->events[i].nr_counters; c++) {
			k->reads[k->nr_reads++] =
				(struct session_read){ s->events[i].counters[c].fd, bytes };
			k->reading_words += 1 + bytes / sizeof(uint64_t);
		}
	}
	k->max = s->interval_ns ? (size_t)PT_MIN(keep_ns / s->interval_ns,
						 MAX_KEPT_WORDS / k->reading_words)
				: 0;
	k->max = PT_MAX(k->max, 1);
	k->reads = pt_realloc(k->reads, k->nr_reads + (k->max + 1) * k->reading_words,
			      sizeof(uint64_t));
	k->words = (uint64_t *)(k->reads + k->nr_reads);
	k->nr = k->taken = 0;
	k->stale = false;
}

/* The kernel refuses to read a group while one of its tasks is being born or ends: try again. */
static ssize_t read_again(const struct session_read *r, uint64_t *to, unsigned tries)
{
	/* that task's CPU may be this one */
	static const struct timespec nap = { .tv_nsec = 20000 };
	ssize_t n = -1;

	errno = ECHILD;
	while (n < 0 && errno == ECHILD && tries--) {
		nanosleep(&nap, NULL);
		n = read(r->fd, to, r->bytes);
	}
	return n;
}

/* Stores the kernel's answers only; decoding and printing come later. */
static SESSION_HOT int watch_counts_read_all(const struct session_kept *k, uint64_t *at,
					     uint64_t now_ns, bool last, struct pt_err *e)
{
	size_t i;

	*at++ = now_ns;
	for (i = 0; i < k->nr_reads; i++) {
		ssize_t n = read(k->reads[i].fd, at + 1, k->reads[i].bytes);

		if (n < 0 && errno == ECHILD)
			n = read_again(&k->reads[i], at + 1, last ? TRIES_AT_END : TRIES_AT_TICK);
		if (n < 0 && errno == ECHILD && !last)
			n = 0;			/* the next reading will have its value */
		if (n < 0)
			return pt_err_sys(e, errno, "count");
		*at = (uint64_t)n;
		at += 1 + k->reads[i].bytes / sizeof(*at);
	}
	return 0;
}

SESSION_HOT int session_keep(struct pt_session *s, uint64_t now_ns, struct pt_err *e)
{
	struct session_kept *k = &s->kept;

	if (k->stale || !k->words)
		plan(s);
	if (watch_counts_read_all(k, k->words + k->nr * k->reading_words, now_ns, false, e) < 0)
		return -1;
	if (!k->nr++)
		k->first_due_ns = s->tick_due_ns;
	if (++k->count == s->w->interval_count || k->nr == k->max ||
	    s->tick_due_ns + s->interval_ns >= k->first_due_ns + keep_ns)
		s->bits |= PT_SESSION_TICK;
	return 0;
}

static void watch_counts_set(struct session_event *ev, size_t k, uint64_t value,
			     const uint64_t *times)
{
	ev->readings[k].value = value;
	ev->readings[k].enabled_ns = times[0];
	ev->readings[k].running_ns = times[1];
}

/* The k-th counter of a group's leader holds the values of all members: usually in the order of the
 * events, and as many counters of each. */
static void decode_group(struct pt_session *s, size_t leader, size_t k, const uint64_t *v,
			 size_t words)
{
	size_t nr = s->nr_events - 1, i = leader, at, tried;

	for (at = 3; at + 1 < words && at < 3 + 2 * v[0]; at += 2) {
		for (tried = 0; tried < nr; tried++, i = i + 1 < nr ? i + 1 : leader) {
			struct session_event *ev = &s->events[i];
			size_t j = k;

			if (ev->spec.leader != (int)leader)
				continue;
			if (k >= ev->nr_counters || ev->ids[k] != v[at + 1])
				for (j = 0; j < ev->nr_counters && ev->ids[j] != v[at + 1]; j++)
					;
			if (j == ev->nr_counters)
				continue;
			watch_counts_set(ev, j, v[at], v + 1);
			break;
		}
	}
}

static void decode(struct pt_session *s, const uint64_t *at)
{
	const struct session_read *r = s->kept.reads;
	size_t i, c;

	at++;
	for (i = 0; i + 1 < s->nr_events; i++) {
		if (!is_read(s, i))
			continue;
		for (c = 0; c < s->events[i].nr_counters; c++, at += 1 + r++->bytes / sizeof(*at)) {
			if (*at < 3 * sizeof(*at))
				/* its CPU is off line, or it cannot be read now: keep the last
				 * value */
				continue;
			if (s->events[i].in_group)
				decode_group(s, i, c, at + 1, *at / sizeof(*at));
			else
				watch_counts_set(&s->events[i], c, at[1], at + 2);
		}
	}
}

int pt_session_read(struct pt_session *s, struct pt_err *e)
{
	struct session_kept *k = &s->kept;
	uint64_t *at;

	if (k->stale || !k->words)
		plan(s);
	at = k->words + k->max * k->reading_words;
	if (watch_counts_read_all(k, at, 0, true, e) < 0)
		return -1;
	decode(s, at);
	return 0;
}

bool pt_session_next(struct pt_session *s, uint64_t *time_ns)
{
	struct session_kept *k = &s->kept;
	const uint64_t *at = k->words + k->taken * k->reading_words;

	if (k->taken == k->nr) {
		k->taken = k->nr = 0;
		return false;
	}
	k->taken++;
	*time_ns = *at;
	decode(s, at);
	return true;
}

const struct pt_session_reading *pt_session_readings(const struct pt_session *s, size_t event,
						     size_t *nr)
{
	*nr = s->events[event].nr_counters;
	return s->events[event].readings;
}

int pt_session_unsupported(const struct pt_session *s, size_t event)
{
	return s->events[event].unsupported;
}

/* These tracepoints count nanoseconds instead of hits (__perf_count in
 * include/trace/events/sched.h). */
static bool counts_time(const struct session_event *ev)
{
	const struct pt_tp *tp = ev->info.spec ? ev->info.spec->tp : NULL;

	return tp && !strcmp(tp->system, "sched") && !strncmp(tp->name, "sched_stat_", 11);
}

/* A wake-up is an event of two tasks: the kernel adds it to the counters of the task that wakes,
 * and to those that the woken task has for this CPU (__perf_task in include/trace/events/sched.h).
 * Newer kernels deliver a sample of the second only if the counter is active, which it is not while
 * its task is off the CPU. So the count of a task's events is no count of samples. A counter of a
 * CPU gets each once. */
static bool counts_twice(const struct pt_session *s, const struct session_event *ev)
{
	const struct pt_tp *tp = ev->info.spec ? ev->info.spec->tp : NULL;

	return session_of_tasks(s) && tp && !strcmp(tp->system, "sched") &&
	       (!strcmp(tp->name, "sched_waking") || !strcmp(tp->name, "sched_wakeup") ||
		!strcmp(tp->name, "sched_wakeup_new"));
}

/* Layout: value, time enabled, time running, id, lost; of a group its size and the times, then
 * value, id and lost of each member. */
static int read_count(const struct pt_session *s, const struct session_event *ev, size_t k,
		      uint64_t *words, struct pt_session_count *c, struct pt_err *e)
{
	bool group = ev->info.attr.read_format & PERF_FORMAT_GROUP;
	size_t each = c->has_lost ? 3 : 2, i;
	ssize_t n = read(ev->counters[k].fd, words, (3 + 3 * s->nr_events) * sizeof(*words));

	if (n < 0)
		return pt_err_sys(e, errno, "%s: count", session_event_name(ev));
	if (!group) {
		c->count += words[0];
		c->lost += c->has_lost ? words[4] : 0;
		return 0;
	}
	for (i = 0; i < words[0] && 3 + (i + 1) * each <= (size_t)n / sizeof(*words); i++) {
		const uint64_t *v = words + 3 + i * each;

		if (v[1] != ev->ids[k])
			continue;
		c->count += v[0];
		c->lost += c->has_lost ? v[2] : 0;
	}
	return 0;
}

int pt_session_count(struct pt_session *s, size_t i, struct pt_session_count *c, struct pt_err *e)
{
	const struct session_event *ev = &s->events[i];
	const struct pt_attr *a = &ev->info.attr;
	uint64_t *words = pt_alloc_array(5 + 3 * s->nr_events, sizeof(*words));
	int rc = 0;

	memset(c, 0, sizeof(*c));
	c->has_lost = s->kernel.lost && !s->tracering;	/* else its LOST records tell */
	c->exact = !s->tracering && !s->w->overwrites && !ev->info.side_band &&
		   !(a->flags & PT_ATTR_FREQ) && a->sample_period == 1 &&
		   !pt_event_is_clock(a) && !counts_time(ev) && !counts_twice(s, ev);
	for (size_t k = 0; k < ev->nr_counters && rc == 0; k++)
		rc = read_count(s, ev, k, words, c, e);
	free(words);
	return rc;
}
