/* session_due.c - what a session does by the clock: enabling, its end, ticks, walks of rings. */
#include "record/watch/session_priv.h"

#include <signal.h>

#include "base/mem.h"

#define MSEC_NS 1000000ull
static const uint64_t slowest_drain_ns = 100 * MSEC_NS, fastest_drain_ns = 10 * MSEC_NS,
		      rare_look_ns = 1000 * MSEC_NS, grace_ns = 1000 * MSEC_NS,
		      first_repeat_ns = MSEC_NS, last_repeat_ns = 1000 * MSEC_NS;

void session_init_clock(struct pt_session *s)
{
	const struct pt_watch *w = s->w;

	s->clock = pt_clock(w->clockid);
	s->interval_ns = w->interval_ns;
	s->ticks_look = w->counting && w->interval_ns && w->interval_ns < slowest_drain_ns;
	s->drain_every_ns = slowest_drain_ns;
}

SESSION_HOT uint64_t pt_session_clock_ns(const struct pt_session *s)
{
	return pt_clock_now_ns(&s->clock);
}

/* Do pidfds report all that a look around would find? (The counters of a task need not follow new
 * CPUs.) */
static bool is_told_of_all(const struct pt_session *s)
{
	bool told =
		s->w->counting && session_of_tasks(s) && (!s->work.pid || s->work.pidfd >= 0);

	for (size_t i = 0; i < s->nr_watched; i++)
		told &= s->watched[i].pidfd >= 0;
	return told;
}

/* A child inherits early in clone() whether its parent's events are enabled, but the ioctl reaches
 * it only after clone(). If the parent is preempted in between, the ioctl misses the child, and its
 * descendants inherit the wrong state. So the ioctl is repeated after 1 ms, 10 ms, 100 ms and 1 s.
 */
bool session_enable(struct pt_session *s, const char *name, bool on)
{
	bool any = session_switch(s, name, on);

	if (session_of_tasks(s)) {
		s->repeat_after_ns = first_repeat_ns;
		s->repeat_at_ns = pt_session_clock_ns(s) + s->repeat_after_ns;
	}
	return any;
}

static void repeat_switch(struct pt_session *s)
{
	session_switch_again(s);
	s->repeat_after_ns *= 10;
	s->repeat_at_ns = s->repeat_after_ns <= last_repeat_ns
				  ? pt_session_clock_ns(s) + s->repeat_after_ns
				  : 0;
}

/* `nr_switched` of -D's switches are done. */
static void await_switch(struct pt_session *s, size_t nr_switched)
{
	const struct pt_watch *w = s->w;

	s->nr_switched = nr_switched;
	s->switch_at_ns = nr_switched < w->nr_switches ? s->start_ns + w->switches_ns[nr_switched]
						       : 0;
}

void session_start_clock(struct pt_session *s)
{
	const struct pt_watch *w = s->w;
	uint64_t delay_ns = pt_watch_delay_ns(w);

	s->start_ns = pt_session_clock_ns(s);
	await_switch(s, delay_ns ? 0 : 1);
	s->end_at_ns = w->duration_ns ? s->start_ns + delay_ns + w->duration_ns : 0;
	s->tick_due_ns = s->start_ns + delay_ns;
	/* a counting session has no rings */
	s->drain_at_ns = w->counting ? UINT64_MAX : s->start_ns + s->drain_every_ns;
	s->look_every_ns = is_told_of_all(s) ? rare_look_ns : slowest_drain_ns;
	s->look_at_ns = s->start_ns + s->look_every_ns;
}

void session_end_command(struct pt_session *s, uint64_t now_ns)
{
	kill(s->work.pid, SIGTERM);
	s->give_up_at_ns = now_ns + grace_ns;
}

void session_end(struct pt_session *s, uint64_t now_ns)
{
	if (!session_command_runs(s)) {
		s->bits |= PT_SESSION_OVER;
		return;
	}
	s->ended_by_us = true;
	session_end_command(s, now_ns);
}

static SESSION_HOT int see_tick(struct pt_session *s, uint64_t now_ns, struct pt_err *e)
{
	uint64_t n = (now_ns - s->tick_due_ns) / s->interval_ns;

	s->tick_due_ns += n * s->interval_ns;
	s->tick += n;
	if (!s->w->counting)
		s->bits |= PT_SESSION_TICK;
	else if (!(s->bits & PT_SESSION_OVER))	/* otherwise the last reading reports it */
		return session_keep(s, now_ns, e);
	return 0;
}

SESSION_HOT int session_see_clock(struct pt_session *s, uint64_t now_ns, struct pt_err *e)
{
	if (s->switch_at_ns && now_ns >= s->switch_at_ns) {
		session_enable(s, NULL, s->nr_switched % 2 == 0);
		await_switch(s, s->nr_switched + 1);
	}
	if (s->repeat_at_ns && now_ns >= s->repeat_at_ns)
		repeat_switch(s);
	if (s->end_at_ns && now_ns >= s->end_at_ns) {
		s->end_at_ns = 0;
		session_end(s, now_ns);
	}
	if (s->give_up_at_ns && now_ns >= s->give_up_at_ns) {
		/* If the machine itself stood still, the command had no time to end. */
		bool again = !s->waited_twice && session_command_runs(s);

		s->give_up_at_ns = again ? now_ns + grace_ns / 2 : 0;
		s->waited_twice = true;
		if (!s->give_up_at_ns)
			s->bits |= PT_SESSION_OVER;
	}
	if (now_ns >= s->drain_at_ns)
		s->bits |= PT_SESSION_DRAIN;
	return s->interval_ns && now_ns >= s->tick_due_ns + s->interval_ns ? see_tick(s, now_ns, e)
									   : 0;
}

SESSION_HOT uint64_t session_until_due_ns(const struct pt_session *s, uint64_t now_ns)
{
	uint64_t due = PT_MIN(s->drain_at_ns, s->ticks_look ? UINT64_MAX : s->look_at_ns);
	const uint64_t at_ns[] = { s->switch_at_ns, s->repeat_at_ns, s->end_at_ns,
				   s->give_up_at_ns };

	if (s->interval_ns)
		due = PT_MIN(due, s->tick_due_ns + s->interval_ns);
	for (size_t i = 0; i < PT_NR(at_ns); i++)
		if (at_ns[i])
			due = PT_MIN(due, at_ns[i]);
	return due > now_ns ? PT_MIN(due - now_ns, rare_look_ns) : 0;
}

void session_pace(struct pt_session *s, uint64_t now_ns)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->nr_rings; i++) {
		struct session_ring *r = s->rings[i];
		uint64_t head = r->ring.refill ? r->taken_bytes : pt_ring_head(&r->ring),
			 size_bytes = r->ring.refill ? (uint64_t)s->data_pages * s->pages.page_bytes
						     : r->ring.size_bytes,
			 share = (head - r->last_head) * 256 / size_bytes;

		r->last_head = head;
		if (!r->ring.backward)
			most = PT_MAX(most, share);
	}
	if (most > 32)
		s->drain_every_ns = PT_MAX(fastest_drain_ns, s->drain_every_ns * 32 / most);
	else
		s->drain_every_ns = PT_MIN(slowest_drain_ns, s->drain_every_ns * 5 / 4);
	s->drain_at_ns = now_ns + s->drain_every_ns;
}

uint64_t pt_session_tick(const struct pt_session *s, uint64_t *due_ns)
{
	if (due_ns)
		*due_ns = s->tick_due_ns;
	return s->tick;
}
