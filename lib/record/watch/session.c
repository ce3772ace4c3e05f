#include "record/watch/session.h"

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
#include "record/watch/control.h"
#include "record/watch/session_priv.h"

static const char unknown[] = "no such command: enable [EVENT], disable [EVENT], ping, stop";

int session_listen(struct pt_session *s, int fd, uint64_t what, struct pt_err *e)
{
	struct epoll_event ee = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ee) < 0 ? pt_err_sys(e, errno, "epoll")
								  : 0;
}

static int session_take_signals(struct pt_session *s, struct pt_err *e)
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

static int session_open_all(struct pt_session *s, struct pt_err *e)
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
	s->on_exec = session_of_tasks(s) && !tasks && !pt_watch_delay_ns(w) && !w->start_disabled;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0)
		return pt_err_sys(e, errno, "epoll");
	if (pt_kernel_probe(&s->kernel, e) < 0 || session_take_signals(s, e) < 0)
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
	s->signal_fd = s->epoll_fd = s->cgroup_fd = -1;
	s->work = (struct pt_workload){ .go_fd = -1, .failed_fd = -1, .pidfd = -1, .status = -1 };
	session_init_clock(s);
	if (session_open_all(s, e) < 0) {
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

int pt_session_start(struct pt_session *s, struct pt_err *e)
{
	const struct pt_watch *w = s->w;

	for (size_t i = 0; s->on_exec && i < s->nr_events; i++)
		s->events[i].on = true;
	if (!s->on_exec && !pt_watch_delay_ns(w) && !w->start_disabled)
		session_enable(s, NULL, true);
	session_start_clock(s);
	s->started = true;
	return s->work.pid ? pt_workload_go(&s->work, w->command, e) : 0;
}

/* Ctrl-C reaches the command, too, which may finish in its own way. A second Ctrl-C does not wait
 * for that. */
static void on_stop_signal(struct pt_session *s, const struct signalfd_siginfo *si, uint64_t now_ns)
{
	bool again = s->interrupted;

	s->interrupted = true;
	if (!session_command_runs(s) || again)
		s->bits |= PT_SESSION_OVER;
	else if (si->ssi_code != SI_KERNEL || si->ssi_signo != SIGINT)
		session_end_command(s, now_ns);
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
			if (!session_enable(s, event, verb == PT_CONTROL_ENABLE)) {
				pt_control_refuse(c, "no event of that name");
				continue;
			}
			s->switch_at_ns = 0;	/* -D has no effect any more */
		} else if (verb == PT_CONTROL_STOP) {
			session_end(s, now_ns);
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
	return epoll_wait(s->epoll_fd, ee, nr, (int)((timeout_ns + 999999) / 1000000));
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
		uint64_t timeout_ns;

		now = pt_session_clock_ns(s);
		timeout_ns = session_until_due_ns(s, now);
		if (look_if_due(s, now, e) < 0)
			return -1;
		if (take_events(s, s->bits ? 0 : timeout_ns, e) < 0)
			return -1;
		now = pt_session_clock_ns(s);
		if (session_see_clock(s, now, e) < 0)
			return -1;
	} while (!s->bits);
	if (s->tracering)
		session_tracefs_look(s, now);
	if (s->bits & PT_SESSION_DRAIN)
		session_pace(s, now);
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
	return s->interrupted && !s->ended_by_us && session_command_runs(s) ? SIGTERM
									    : s->work.status;
}

const struct rusage *pt_session_usage(const struct pt_session *s)
{
	return &s->work.usage;
}

bool pt_session_not_run(const struct pt_session *s)
{
	return s->work.exec_failed;
}

int pt_session_wake_by(struct pt_session *s, int fd, struct pt_err *e)
{
	return session_listen(s, fd, SESSION_ON_RING, e);
}

pid_t pt_session_command_pid(const struct pt_session *s)
{
	return s->work.pid;
}
