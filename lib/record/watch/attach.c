/* attach.c - what a session watches: the machine, a cgroup, a command, threads (also those that are
 * born while it attaches), and CPUs that go on and off line. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "record/watch/session_priv.h"

enum { MAX_CPU = 65535 };

int session_read_online(int **cpus, size_t *nr, struct pt_err *e)
{
	return pt_num_list_file("/sys/devices/system/cpu/online", MAX_CPU, cpus, nr, e);
}

static void note_cpu(struct pt_session *s, int cpu, bool online)
{
	PT_GROW(s->cpus, s->nr_cpus, s->cap_cpus);
	s->cpus[s->nr_cpus++] = (struct session_cpu){ .cpu = cpu, .online = online };
}

/* Refuses a -C list that names CPUs which do not exist. */
static int refuse_cpus(const struct pt_watch *w, const int *online, size_t nr_online,
		       struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	size_t i, missing = 0, first;

	for (i = 0; i < w->nr_cpus; i++) {
		if (pt_num_list_has(online, nr_online, w->cpus[i]))
			continue;
		for (first = i; i + 1 < w->nr_cpus && w->cpus[i + 1] == w->cpus[i] + 1 &&
				!pt_num_list_has(online, nr_online, w->cpus[i + 1]);)
			i++;
		pt_buf_printf(&b, "%s%d", b.len ? "," : "", w->cpus[first]);
		if (i > first)
			pt_buf_printf(&b, "-%d", w->cpus[i]);
		missing += i - first + 1;
	}
	if (missing)
		pt_err_set(e,
			   missing == 1 ? "-C: CPU %s is not on line"
					: "-C: CPUs %s are not on line",
			   pt_buf_str(&b));
	pt_buf_deinit(&b);
	return missing ? -1 : 0;
}

/* Events of a task may wait on a CPU that is off line, events of a CPU may not. */
static int choose_cpus(struct pt_session *s, struct pt_err *e)
{
	const struct pt_watch *w = s->w;
	int *online, *present = NULL;
	size_t nr_online, nr_present = 0;
	int rc = -1;

	if (session_read_online(&online, &nr_online, e) < 0)
		return -1;
	if (!session_of_tasks(s) && refuse_cpus(w, online, nr_online, e) < 0)
		goto out;
	rc = 0;
	if (session_of_tasks(s) &&
	    pt_num_list_file("/sys/devices/system/cpu/present", MAX_CPU, &present, &nr_present,
			     NULL) < 0)
		nr_present = 0;
	for (size_t i = 0; i < w->nr_cpus; i++)
		note_cpu(s, w->cpus[i], true);
	/* A task can get its name and mappings on any CPU before it moves to one of these. */
	for (size_t i = 0; w->nr_cpus && !w->counting && i < nr_online; i++)
		if (!pt_num_list_has(w->cpus, w->nr_cpus, online[i])) {
			note_cpu(s, online[i], true);
			s->cpus[s->nr_cpus - 1].side_only = true;
		}
	if (!w->nr_cpus && session_of_tasks(s) && nr_present >= nr_online)
		for (size_t i = 0; i < nr_present; i++)
			note_cpu(s, present[i], pt_num_list_has(online, nr_online, present[i]));
	else if (!w->nr_cpus)
		for (size_t i = 0; i < nr_online; i++)
			note_cpu(s, online[i], true);
out:
	free(online);
	free(present);
	return s->nr_cpus ? rc : -1;
}

void session_add_target(struct pt_session *s, int pid, int owner)
{
	PT_GROW(s->targets, s->nr_targets, s->cap_targets);
	s->targets[s->nr_targets] = (struct session_target){ .pid = pid, .owner = owner };
	*pt_map_put(&s->known, (uint64_t)(uint32_t)pid) = s->nr_targets;
	s->nr_targets++;
}

int session_open_target(struct pt_session *s, uint32_t target, enum session_part part,
			struct pt_err *e)
{
	struct session_cpu any = { .cpu = -1, .online = true };
	bool once = s->w->counting && session_of_tasks(s) && part == SESSION_DATA;

	if (part == SESSION_DATA)
		s->targets[target].from_ns = pt_session_clock_ns(s);
	for (size_t i = 0; i < (once ? 1 : s->nr_cpus); i++) {
		int rc = session_open_counters(s, target, once ? &any : &s->cpus[i], part, e);

		if (rc < 0)
			return -1;
		if (rc && session_of_tasks(s)) {
			s->targets[target].gone = true;
			break;
		}
	}
	if (part == SESSION_DATA)
		s->targets[target].to_ns = pt_session_clock_ns(s);
	return 0;
}

static int watch_task(struct pt_session *s, int pid, bool whole, struct pt_err *e)
{
	struct session_watched *w = &s->watched[s->nr_watched];

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return s->w->pids_may_end ? 0
					  : pt_err_set(e, "%s %d: no such %s", whole ? "-p" : "-t",
						       pid, whole ? "process" : "thread");
	*w = (struct session_watched){ .pid = pid, .whole = whole };
	/* PIDFD_THREAD, 6.9 */
	w->pidfd = (int)syscall(SYS_pidfd_open, pid, whole ? 0 : O_EXCL);
	if (w->pidfd >= 0)
		session_listen(s, w->pidfd, SESSION_ON_WATCHED + s->nr_watched, NULL);
	s->nr_watched++;
	if (!whole && session_of_tasks(s) && !pt_map_get(&s->known, (uint64_t)pid))
		session_add_target(s, pid, (int)s->nr_watched - 1);
	return 0;
}

bool session_watched_gone(struct pt_session *s)
{
	size_t gone = 0;

	for (size_t i = 0; i < s->nr_watched; i++) {
		struct session_watched *w = &s->watched[i];

		if (!w->gone && w->pidfd < 0)
			w->gone = kill(w->pid, 0) < 0 && errno == ESRCH;
		gone += w->gone;
	}
	return gone && gone == s->nr_watched;
}

/* One descriptor for each name. */
static int open_cgroups(struct pt_session *s, struct pt_err *e)
{
	for (size_t i = 0; i + 1 < s->nr_events; i++) {
		struct session_event *ev = &s->events[i];

		if (!ev->spec.cgroup)
			continue;
		for (size_t k = i; k-- && ev->cgroup_fd < 0; )
			if (s->events[k].spec.cgroup &&
			    !strcmp(s->events[k].spec.cgroup, ev->spec.cgroup))
				ev->cgroup_fd = s->events[k].cgroup_fd;
		if (ev->cgroup_fd >= 0)
			continue;
		ev->cgroup_fd = pt_cgroup_open(ev->spec.cgroup, false, e);
		if (ev->cgroup_fd < 0)
			return -1;
		ev->owns_cgroup_fd = true;
	}
	if (s->w->cgroup)
		s->cgroup_fd = pt_cgroup_open(s->w->cgroup, false, e);
	return s->w->cgroup && s->cgroup_fd < 0 ? -1 : 0;
}

int session_attach(struct pt_session *s, struct pt_err *e)
{
	const struct pt_watch *w = s->w;

	if (open_cgroups(s, e) < 0)
		return -1;
	if (choose_cpus(s, e) < 0 ||
	    ((!w->counting || w->nr_pids || w->nr_tids) && session_rings_init(s, e) < 0))
		return -1;
	if (!session_of_tasks(s) || (!w->nr_pids && !w->nr_tids)) {
		session_add_target(s, session_of_tasks(s) ? s->work.pid : s->cgroup_fd, -1);
		if (!w->counting && session_open_target(s, 0, SESSION_SIDE, e) < 0)
			return -1;
		if (session_open_target(s, 0, SESSION_DATA, e) < 0)
			return -1;
	}
	s->watched = pt_alloc_array(w->nr_pids + w->nr_tids, sizeof(*s->watched));
	for (size_t i = 0; i < w->nr_pids; i++)
		if (watch_task(s, w->pids[i], true, e) < 0)
			return -1;
	for (size_t i = 0; i < w->nr_tids; i++)
		if (watch_task(s, w->tids[i], false, e) < 0)
			return -1;
	if (!session_of_tasks(s) || !s->nr_watched)
		return 0;
	if (session_attach_threads(s, e) < 0)
		return -1;
	/* from now on children inherit the counters */
	if (w->counting) {
		for (size_t i = 0; i < s->nr_targets; i++)
			session_close_target(s, (uint32_t)i, SESSION_SIDE);
		session_rings_close(s);
	}
	return 0;
}

static int cpu_came(struct pt_session *s, struct session_cpu *c, struct pt_err *e)
{
	c->online = true;
	for (size_t t = 0; t < s->nr_targets; t++) {
		if (s->targets[t].gone)
			continue;
		if ((!s->w->counting &&
		     session_open_counters(s, (uint32_t)t, c, SESSION_SIDE, e) < 0) ||
		    session_open_counters(s, (uint32_t)t, c, SESSION_DATA, e) < 0)
			return -1;
	}
	return 0;
}

int session_cpus_now(struct pt_session *s, const int *cpus, size_t nr, struct pt_err *e)
{
	size_t had = s->nr_cpus;

	for (size_t i = 0; i < had; i++) {
		struct session_cpu *c = &s->cpus[i];
		bool now = pt_num_list_has(cpus, nr, c->cpu);

		if (now && !c->online && session_of_tasks(s))
			c->online = true;	/* the tasks' events were only waiting */
		else if (now && !c->online && cpu_came(s, c, e) < 0)
			return -1;		/* the CPU's own events are gone: open new ones */
		else if (!now)
			c->online = false;	/* keep the ring and read what it holds */
	}
	for (size_t i = 0; i < nr && !(s->w->nr_cpus && s->w->counting); i++) {
		bool known = false;

		for (size_t k = 0; k < had && !known; k++)
			known = s->cpus[k].cpu == cpus[i];
		if (!known && (session_add_cpu(s, cpus[i], e) < 0 ||
			       cpu_came(s, &s->cpus[s->nr_cpus - 1], e) < 0))
			return -1;
	}
	return 0;
}
