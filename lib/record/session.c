#include "record/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/control.h"
#include "record/session_priv.h"

#define MSEC_NS 1000000ull
static const uint64_t slowest_drain_ns = 100 * MSEC_NS, fastest_drain_ns = 10 * MSEC_NS,
		      rare_look_ns = 1000 * MSEC_NS, grace_ns = 1000 * MSEC_NS,
		      first_repeat_ns = MSEC_NS, last_repeat_ns = 1000 * MSEC_NS;
static const char unknown[] = "no such command: enable [EVENT], disable [EVENT], ping, stop";

SESSION_HOT uint64_t pt_session_clock_ns(const struct pt_session *s)
{
	return pt_clock_now_ns(&s->clock);
}

int session_listen(struct pt_session *s, int fd, uint64_t what, struct pt_err *e)
{
	struct epoll_event ee = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ee) < 0 ? pt_err_sys(e, errno, "epoll")
								  : 0;
}

static int take_signals(struct pt_session *s, struct pt_err *e)
{
	struct sigaction hup;
	sigset_t set;

	sigemptyset(&set);
	/* blocked even if it is ignored, as a shell does for background commands */
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	if (s->w->rotates)
		sigaddset(&set, SIGUSR2);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)	/* nohup */
		sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, &s->old_mask) < 0)
		return pt_err_sys(e, errno, "signals");
	s->masked = true;
	s->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return s->signal_fd < 0 ? pt_err_sys(e, errno, "signalfd")
				: session_listen(s, s->signal_fd, SESSION_ON_SIGNAL, e);
}

static int open_all(struct pt_session *s, struct pt_err *e)
{
	const struct pt_watch *w = s->w;
	bool tasks = w->nr_pids || w->nr_tids;

	if (pt_watch_is_of_cpus(w))
		s->kind = w->cgroup ? PT_OPEN_CGROUP : PT_OPEN_CPU;
	else if (tasks || w->command)
		s->kind = PT_OPEN_TASK;
	else
		return pt_err_set(e, "nothing to watch: a command, -p, -t, -C, -G or -a is needed");
	if (!w->events.nr)
		return pt_err_set(e, "no event to watch");
	s->open_flags = s->kind == PT_OPEN_CGROUP ? PERF_FLAG_PID_CGROUP : 0;
	s->on_exec = session_of_tasks(s) && !tasks && !w->delay_ns && !w->start_disabled;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0)
		return pt_err_sys(e, errno, "epoll");
	if (pt_kernel_probe(&s->kernel, e) < 0 || take_signals(s, e) < 0)
		return -1;
	if (w->control && !w->control->gone &&
	    session_listen(s, w->control->fd, SESSION_ON_CONTROL, e) < 0)
		return pt_err_context(e, "--control");
	if (w->command && pt_workload_fork(&s->work, w->command, &s->old_mask,
					   w->command_output, e) < 0)
		return -1;
	if (s->work.pidfd >= 0 && session_listen(s, s->work.pidfd, SESSION_ON_CHILD, e) < 0)
		return -1;
	return session_events_init(s, e) < 0 ? -1 : session_attach(s, e);
}

int pt_session_open(struct pt_session **out, const struct pt_watch *w, struct pt_err *e)
{
	struct pt_session *s = pt_alloc(sizeof(*s));

	s->w = w;
	s->clock = pt_clock(w->clockid);
	s->interval_ns = w->interval_ns;
	s->ticks_look = w->counting && w->interval_ns && w->interval_ns < slowest_drain_ns;
	s->signal_fd = s->epoll_fd = s->cgroup_fd = -1;
	s->work = (struct pt_workload){ .go_fd = -1, .failed_fd = -1, .pidfd = -1, .status = -1 };
	s->drain_every_ns = slowest_drain_ns;
	if (open_all(s, e) < 0) {
		pt_session_free(s);
		return -1;
	}
	*out = s;
	return 0;
}

void pt_session_free(struct pt_session *s)
{
	if (!s)
		return;
	pt_workload_end(&s->work);
	session_events_deinit(s);
	session_rings_deinit(s);
	session_tracefs_deinit(s);
	free(s->kept.reads);
	for (size_t i = 0; i < s->nr_watched; i++)
		if (s->watched[i].pidfd >= 0)
			close(s->watched[i].pidfd);
	free(s->watched);
	free(s->targets);
	pt_map_deinit(&s->known);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->cgroup_fd >= 0)
		close(s->cgroup_fd);
	if (s->masked)
		sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	free(s);
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
static bool switch_events(struct pt_session *s, const char *name, bool on)
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

int pt_session_start(struct pt_session *s, struct pt_err *e)
{
	const struct pt_watch *w = s->w;

	for (size_t i = 0; s->on_exec && i < s->nr_events; i++)
		s->events[i].on = true;
	if (!s->on_exec && !w->delay_ns && !w->start_disabled)
		switch_events(s, NULL, true);
	s->start_ns = pt_session_clock_ns(s);
	if (w->delay_ns)
		s->enable_at_ns = s->start_ns + w->delay_ns;
	s->end_at_ns = w->duration_ns ? s->start_ns + w->delay_ns + w->duration_ns : 0;
	s->tick_due_ns = s->start_ns + w->delay_ns;
	/* a counting session has no rings */
	s->drain_at_ns = w->counting ? UINT64_MAX : s->start_ns + s->drain_every_ns;
	s->look_every_ns = is_told_of_all(s) ? rare_look_ns : slowest_drain_ns;
	s->look_at_ns = s->start_ns + s->look_every_ns;
	s->started = true;
	return s->work.pid ? pt_workload_go(&s->work, w->command, e) : 0;
}

static bool command_runs(const struct pt_session *s)
{
	return s->work.pid && s->work.status == -1;
}

/* Asks the command to end. The session is over when it has ended, at the latest a second later. */
static void end_command(struct pt_session *s, uint64_t now_ns)
{
	kill(s->work.pid, SIGTERM);
	s->give_up_at_ns = now_ns + grace_ns;
}

/* Ctrl-C reaches the command, too, which may finish in its own way. A second Ctrl-C does not wait
 * for that. */
static void on_stop_signal(struct pt_session *s, const struct signalfd_siginfo *si, uint64_t now_ns)
{
	bool again = s->interrupted;

	s->interrupted = true;
	if (!command_runs(s) || again)
		s->bits |= PT_SESSION_OVER;
	else if (si->ssi_code != SI_KERNEL || si->ssi_signo != SIGINT)
		end_command(s, now_ns);
}

static void on_signals(struct pt_session *s, uint64_t now_ns)
{
	struct signalfd_siginfo si;

	while (read(s->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo == SIGUSR2)
			s->bits |= PT_SESSION_ROTATE;
		else if (si.ssi_signo != SIGCHLD)
			on_stop_signal(s, &si, now_ns);
}

/* --for is over, or the control says stop. */
static void end_by_request(struct pt_session *s, uint64_t now_ns)
{
	if (!command_runs(s)) {
		s->bits |= PT_SESSION_OVER;
		return;
	}
	s->ended_by_us = true;
	end_command(s, now_ns);
}

/* Why the session does not take the command; NULL: it does. */
static const char *refuses(const struct pt_watch *w, enum pt_control_verb verb)
{
	if (verb == PT_CONTROL_UNKNOWN)
		return unknown;
	if (verb == PT_CONTROL_ROTATE && (!w->rotates || w->overwrites))
		return "this is for pt-record --rotate";
	if (verb == PT_CONTROL_SNAPSHOT && !w->overwrites)
		return "this is for pt-record --snapshot";
	return NULL;
}

static void on_control(struct pt_session *s, uint64_t now_ns)
{
	struct pt_control *c = s->w->control;
	enum pt_control_verb verb;
	const char *event, *why_not;

	while (pt_control_next(c, &verb, &event)) {
		why_not = refuses(s->w, verb);
		if (why_not) {
			pt_control_refuse(c, why_not);
			continue;
		}
		if (verb == PT_CONTROL_ENABLE || verb == PT_CONTROL_DISABLE) {
			if (!switch_events(s, event, verb == PT_CONTROL_ENABLE)) {
				pt_control_refuse(c, "no event of that name");
				continue;
			}
			s->enable_at_ns = 0;	/* the end of the delay has no effect any more */
		} else if (verb == PT_CONTROL_STOP) {
			end_by_request(s, now_ns);
		} else if (verb != PT_CONTROL_PING) {
			s->bits |= PT_SESSION_ROTATE;
		}
		pt_control_ack(c);
	}
	if (c->gone)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
}

static void see_child(struct pt_session *s)
{
	if (!s->work.pid || s->told_child || !pt_workload_ended(&s->work))
		return;
	s->told_child = true;
	/* If --for has ended the command, its death by our signal is success. */
	if (s->ended_by_us && WIFSIGNALED(s->work.status) && WTERMSIG(s->work.status) == SIGTERM)
		s->work.status = 0;
	if (s->work.pidfd >= 0)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, s->work.pidfd, NULL);
	s->bits |= PT_SESSION_CHILD;
	if (!s->w->until_idle || s->ended_by_us || s->interrupted)
		s->bits |= PT_SESSION_OVER;
}

static int look_around(struct pt_session *s, struct pt_err *e)
{
	int *online, rc;
	size_t nr;

	see_child(s);
	if (session_watched_gone(s))
		s->bits |= PT_SESSION_OVER;
	if (session_read_online(&online, &nr, NULL) < 0)
		return 0;
	rc = session_cpus_now(s, online, nr, e);
	free(online);
	return rc;
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

/* Handles everything that is due by the clock. */
static SESSION_HOT int see_clock(struct pt_session *s, uint64_t now_ns, struct pt_err *e)
{
	if (s->enable_at_ns && now_ns >= s->enable_at_ns) {
		s->enable_at_ns = 0;
		switch_events(s, NULL, true);
	}
	if (s->repeat_at_ns && now_ns >= s->repeat_at_ns)
		repeat_switch(s);
	if (s->end_at_ns && now_ns >= s->end_at_ns) {
		s->end_at_ns = 0;
		end_by_request(s, now_ns);
	}
	if (s->give_up_at_ns && now_ns >= s->give_up_at_ns) {
		/* If the machine itself stood still, the command had no time to end. */
		s->give_up_at_ns = s->waited_twice || !command_runs(s) ? 0 : now_ns + grace_ns / 2;
		s->waited_twice = true;
		if (!s->give_up_at_ns)
			s->bits |= PT_SESSION_OVER;
	}
	if (now_ns >= s->drain_at_ns)
		s->bits |= PT_SESSION_DRAIN;
	return s->interval_ns && now_ns >= s->tick_due_ns + s->interval_ns ? see_tick(s, now_ns, e)
									   : 0;
}

static SESSION_HOT uint64_t next_due(const struct pt_session *s)
{
	uint64_t due = PT_MIN(s->drain_at_ns, s->ticks_look ? UINT64_MAX : s->look_at_ns);
	const uint64_t at_ns[] = { s->enable_at_ns, s->repeat_at_ns, s->end_at_ns,
				   s->give_up_at_ns };

	if (s->interval_ns)
		due = PT_MIN(due, s->tick_due_ns + s->interval_ns);
	for (size_t i = 0; i < PT_NR(at_ns); i++)
		if (at_ns[i])
			due = PT_MIN(due, at_ns[i]);
	return due;
}

/* Sets the next drain to before the fastest ring is an eighth full. */
static void pace(struct pt_session *s, uint64_t now_ns)
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

/* Waits whole milliseconds if the kernel has no finer wait (before 5.11, or not permitted). */
static SESSION_HOT int wait_for(struct pt_session *s, struct epoll_event *ee, int nr,
				uint64_t timeout_ns)
{
#ifdef SYS_epoll_pwait2
	int64_t timeout[2] = { (int64_t)(timeout_ns / 1000000000),
			       (int64_t)(timeout_ns % 1000000000) };
	int n = s->coarse ? -1
			  : (int)syscall(SYS_epoll_pwait2, s->epoll_fd, ee, nr, timeout, NULL, 0);

	if (n >= 0 || (!s->coarse && errno != ENOSYS && errno != EPERM))
		return n;
	s->coarse = true;
#endif
	return epoll_wait(s->epoll_fd, ee, nr, (int)((timeout_ns + MSEC_NS - 1) / MSEC_NS));
}

static SESSION_HOT int take_events(struct pt_session *s, uint64_t timeout_ns, struct pt_err *e)
{
	struct epoll_event ee[16];
	int n = wait_for(s, ee, PT_NR(ee), timeout_ns);

	if (n < 0)
		return errno == EINTR ? 0 : pt_err_sys(e, errno, "epoll_wait");
	for (int i = 0; i < n; i++) {
		uint64_t what = ee[i].data.u64;

		if (what == SESSION_ON_RING) {
			s->bits |= PT_SESSION_DRAIN;
		} else if (what == SESSION_ON_SIGNAL) {
			on_signals(s, pt_session_clock_ns(s));
		} else if (what == SESSION_ON_CONTROL) {
			on_control(s, pt_session_clock_ns(s));
		} else if (what >= SESSION_ON_WATCHED) {
			struct session_watched *w = &s->watched[what - SESSION_ON_WATCHED];

			w->gone = true;
			epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, w->pidfd, NULL);
			if (session_watched_gone(s))
				s->bits |= PT_SESSION_OVER;
		}
	}
	/* its pidfd, or SIGCHLD; where both are missing, look_around() finds its end */
	if (n > 0)
		see_child(s);
	return 0;
}

/* Kept readings belong to the counters of their time, so CPUs are looked for only after all
 * readings are handed out. */
static SESSION_HOT int look_if_due(struct pt_session *s, uint64_t now_ns, struct pt_err *e)
{
	if (now_ns < s->look_at_ns || s->kept.nr)
		return 0;
	s->look_at_ns = now_ns + s->look_every_ns;
	return look_around(s, e);
}

SESSION_HOT int pt_session_wait(struct pt_session *s, struct pt_err *e)
{
	uint64_t now;
	int bits;

	s->kept.nr = s->kept.taken = 0;		/* they were of the old counters */
	do {
		uint64_t due = next_due(s), timeout_ns = 0;

		now = pt_session_clock_ns(s);
		if (look_if_due(s, now, e) < 0)
			return -1;
		if (due > now && !s->bits)
			timeout_ns = PT_MIN(due - now, rare_look_ns);
		if (take_events(s, timeout_ns, e) < 0)
			return -1;
		now = pt_session_clock_ns(s);
		if (see_clock(s, now, e) < 0)
			return -1;
	} while (!s->bits);
	if (s->tracering)
		session_tracefs_look(s, now);
	if (s->bits & PT_SESSION_DRAIN)
		pace(s, now);
	bits = (int)(s->bits | (s->kept.nr ? PT_SESSION_TICK : 0));
	s->bits = 0;
	return bits;
}

void pt_session_stop(struct pt_session *s)
{
	if (s->stopped)
		return;
	s->stopped = true;
	session_disable(s);
	if (s->tracering)
		session_tracefs_look(s, UINT64_MAX);
}

bool pt_session_interrupted(const struct pt_session *s)
{
	return s->interrupted;
}

int pt_session_status(const struct pt_session *s)
{
	/* Given up after a second signal, the command still runs; a later signal ends it. */
	return s->interrupted && !s->ended_by_us && command_runs(s) ? SIGTERM : s->work.status;
}

bool pt_session_not_run(const struct pt_session *s)
{
	return s->work.exec_failed;
}

uint64_t pt_session_tick(const struct pt_session *s, uint64_t *due_ns)
{
	if (due_ns)
		*due_ns = s->tick_due_ns;
	return s->tick;
}

int pt_session_wake_by(struct pt_session *s, int fd, struct pt_err *e)
{
	return session_listen(s, fd, SESSION_ON_RING, e);
}

pid_t pt_session_command_pid(const struct pt_session *s)
{
	return s->work.pid;
}
