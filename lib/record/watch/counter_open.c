/* counter_open.c - opens a session's counters, one for each target and CPU; what else is tried when
 * the kernel refuses, and the messages. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/caps.h"
#include "record/watch/session_priv.h"
#include "tracepoint/tp_filter.h"

/* `sys`: the errno of setting the filter. */
static int filter_error(const struct session_event *ev, int sys, struct pt_err *e)
{
	if (!sys)
		return 0;
	if (ev->spec.filter && (sys == EINVAL || sys == ENOENT)) {
		pt_err_set(e, "%s: the kernel does not take the filter \"%s\"", ev->spec.name,
			   ev->spec.filter);
		if (ev->spec.tp)
			pt_tp_filter_explain(ev->spec.tp, ev->spec.filter, e);
		return -1;
	}
	return pt_err_sys(e, sys, "%s: filter \"%s\"", ev->spec.name, ev->filter);
}

static int set_filter(const struct session_event *ev, int fd, struct pt_err *e)
{
	if (!ev->filter || ev->info.side_band)
		return 0;
	return filter_error(ev, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, ev->filter) ? errno : 0, e);
}

int session_tracefs_filters(struct pt_session *s, struct pt_err *e)
{
	for (size_t i = 0; i + 1 < s->nr_events; i++) {
		const struct session_event *ev = &s->events[i];
		int sys = ev->filter ? pt_tracering_filter(s->tracering, ev->spec.tp, ev->filter)
				     : 0;

		if (filter_error(ev, sys, e) < 0)
			return -1;
	}
	return 0;
}

/* Users who may not see the kernel can still see their own code. */
static bool user_only(struct pt_session *s, struct session_event *ev)
{
	struct pt_attr *a = &ev->info.attr;
	char *name;

	if (ev->nr_counters || s->kernel.paranoid < 2 || a->type == PERF_TYPE_TRACEPOINT ||
	    pt_event_is_kernels(a) || a->flags & (PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_USER))
		return false;
	a->flags |= PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV;
	name = pt_asprintf(strchr(ev->spec.name, ':') ? "%su" : "%s:u", ev->spec.name);
	free(ev->spec.name);
	ev->spec.name = name;
	return true;
}

/* The modifier P asks for the highest precision that the machine has. */
static bool less_precise(struct session_event *ev, int sys)
{
	struct pt_attr *a = &ev->info.attr;

	if (ev->nr_counters || !(a->flags & PT_ATTR_PRECISE_IP) ||
	    (sys != EOPNOTSUPP && sys != EINVAL && sys != ENOENT) ||
	    (ev->spec.attr.flags & PT_ATTR_PRECISE_IP) != PT_ATTR_PRECISE_IP)
		return false;
	a->flags -= 1ull << PT_ATTR_PRECISE_IP_SHIFT;
	return true;
}

/* Report the event that needs the most privilege, so that one fix is enough: tracepoints need the
 * most, the side-band needs none of its own. */
static struct session_event *most_demanding(struct pt_session *s, struct session_event *refused)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (s->events[i].info.attr.type == PERF_TYPE_TRACEPOINT)
			return &s->events[i];
	return refused->info.side_band ? &s->events[0] : refused;
}

static void leave_group(struct pt_session *s, struct session_event *ev)
{
	ev->spec.leader = (int)(ev - s->events);
	ev->info.attr.flags |= PT_ATTR_DISABLED | (s->on_exec ? PT_ATTR_ENABLE_ON_EXEC : 0) |
			       (ev->spec.attr.flags & (PT_ATTR_PINNED | PT_ATTR_EXCLUSIVE));
	ev->on = false;
}

/* A member of a weak group (:W) that finds no room is opened alone. */
static bool leaves_group(struct pt_session *s, struct session_event *ev, int sys, int group_fd)
{
	if (sys != EINVAL || group_fd < 0 || !ev->spec.weak || ev->nr_counters)
		return false;
	leave_group(s, ev);
	return true;
}

/* An event that the machine does not have, or of which this user may see nothing, is marked as not
 * counted. */
static int not_counted(struct session_event *ev, int sys)
{
	ev->unsupported = ev->nr_counters ? 0 : sys;
	return -EOPNOTSUPP;
}

static int open_fd(struct pt_session *s, struct session_event *ev, int pid, int cpu, int group_fd,
		   struct pt_err *e)
{
	/* it would always count 0 */
	if (!ev->info.side_band && ev->info.attr.flags & PT_ATTR_EXCLUDE_KERNEL &&
	    pt_event_is_kernels(&ev->info.attr))
		return s->w->counting
			       ? not_counted(ev, EACCES)
			       : pt_err_set(
					 e,
					 "%s: it happens within the kernel, which :u leaves out: nothing would come",
					 session_event_name(ev));
	for (;;) {
		bool apart = ev->cgroup_fd >= 0;	/* in a control group of its own */
		int fd = pt_perf_open(&ev->info.attr, apart ? ev->cgroup_fd : pid, cpu, group_fd,
				      apart ? PERF_FLAG_PID_CGROUP : s->open_flags),
		    sys = -fd;
		bool refused = pt_is_refusal(sys);

		if (fd >= 0 || sys == ESRCH)
			return fd;
		if (sys == EMFILE && s->marks && s->marks->nr) {
			/* marks are useful, but not at the cost of an event */
			session_marks_close(s, s->marks);
			continue;
		}
		if ((refused && user_only(s, ev)) || less_precise(ev, sys))
			continue;
		if (leaves_group(s, ev, sys, group_fd))
			return fd;
		if (s->w->counting && !ev->info.side_band && session_not_supported(sys))
			return not_counted(ev, sys);
		if (refused && s->w->counting && pt_event_is_kernels(&ev->info.attr) &&
		    s->w->events.nr > 1)
			return not_counted(ev, EACCES);
		if (sys == ENODEV && !session_of_tasks(s) &&
		    access("/sys/devices/system/cpu/online", R_OK) == 0 && ev->nr_counters)
			return fd;		/* the CPU went off line */
		if (refused) {
			ev = most_demanding(s, ev);
			/* A task's event excluded the kernel already, so that was not refused. */
			if (session_of_tasks(s) && ev->info.attr.type != PERF_TYPE_TRACEPOINT)
				ev->info.attr.flags |= PT_ATTR_EXCLUDE_KERNEL;
		}
		pt_open_error(e, sys, session_event_name(ev), &ev->info.attr, s->kind);
		return -1;
	}
}

static bool runs_on(const struct pt_pmu *pmu, int cpu)
{
	for (size_t i = 0; pmu && i < pmu->nr_cpus; i++)
		if (cpu < 0 || pmu->cpus[i] == cpu)
			return true;
	return !pmu || !pmu->nr_cpus;
}

/* Sets ring and filter of an open counter and asks for its id. */
static int counter_open_prepare(struct pt_session *s, const struct session_event *ev,
				const struct session_cpu *c, int fd, uint64_t *id, struct pt_err *e)
{
	if ((ev->info.side_band || !s->w->counting) &&
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT,
		  ev->info.side_band || ev->spec.trigger ? c->side->ring.fd
							 : c->data->ring.fd) < 0)
		return pt_err_sys(e, errno, "%s: output to the ring of CPU %d",
				  session_event_name(ev), c->cpu);
	if (ioctl(fd, PERF_EVENT_IOC_ID, id) < 0)
		return pt_err_sys(e, errno, "%s: id", session_event_name(ev));
	return set_filter(ev, fd, e);
}

static int open_counter(struct pt_session *s, struct session_event *ev, uint32_t target,
			struct session_cpu *c, struct pt_err *e)
{
	struct session_event *lead = ev->info.side_band ? ev : &s->events[ev->spec.leader];
	struct session_counter *first =
		lead->nr_counters ? &lead->counters[lead->nr_counters - 1] : NULL;
	int group_fd = -1, fd;
	uint64_t id;

	if (!ev->info.side_band && !runs_on(ev->spec.pmu, c->cpu))
		return 0;
	if (lead != ev && first && first->target == target && first->cpu == c->cpu)
		group_fd = first->fd;
	if (lead->unsupported && (lead == ev || !ev->spec.weak)) {
		ev->unsupported = lead->unsupported;
		return 0;
	}
	if (lead->unsupported)
		leave_group(s, ev);
	fd = open_fd(s, ev, s->targets[target].pid, c->cpu, group_fd, e);
	if (fd == -EINVAL && group_fd >= 0 && lead->spec.sample_read && !s->w->counting)
		return pt_err_set(
			e,
			"%s: the kernel does not take it into a group led by %s: without :S, or in a group of its kind",
			session_event_name(ev), session_event_name(lead));
	if (fd == -EINVAL)
		fd = open_fd(s, ev, s->targets[target].pid, c->cpu, -1, e);
	if (fd == -EOPNOTSUPP)
		return 0;
	if (fd < 0)
		return fd == -ESRCH || fd == -ENODEV ? 1 : -1;
	if (counter_open_prepare(s, ev, c, fd, &id, e) < 0) {
		close(fd);
		return -1;
	}
	PT_GROW(ev->counters, ev->nr_counters, ev->cap_counters);
	if (s->w->counting && !ev->info.side_band) {
		PT_GROW(ev->readings, ev->nr_counters, ev->cap_readings);
		ev->readings[ev->nr_counters] = (struct pt_session_reading){
			.cpu = c->cpu, .tid = session_of_tasks(s) ? s->targets[target].pid : -1
		};
		ev->unsupported = 0;
	}
	s->kept.stale = true;
	ev->counters[ev->nr_counters++] =
		(struct session_counter){ .fd = fd, .cpu = c->cpu, .target = target };
	PT_GROW(ev->ids, ev->info.nr_ids, ev->cap_ids);
	ev->ids[ev->info.nr_ids++] = id;
	ev->info.ids = ev->ids;
	/* A counter that is opened later joins the running ones. */
	if (ev->on != session_opens_on(ev) && s->started)
		ioctl(fd, ev->on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	return 0;
}

/* Opening hundreds of tracepoints can take 15 seconds; Ctrl-C ends it. */
static bool asked_to_end(struct pt_session *s)
{
	struct signalfd_siginfo si;

	if (!s->w->counting || s->started)
		return false;
	while (read(s->signal_fd, &si, sizeof(si)) == sizeof(si))
		s->interrupted |= si.ssi_signo != SIGCHLD;
	return s->interrupted;
}

int session_open_counters(struct pt_session *s, uint32_t target, struct session_cpu *c,
			  enum session_part part, struct pt_err *e)
{
	size_t side = s->nr_events - 1;

	if (part == SESSION_DATA && (c->side_only || s->tracering))
		return 0;
	for (size_t i = part == SESSION_SIDE ? side : 0;
	     i < (part == SESSION_SIDE ? s->nr_events : side); i++) {
		int rc = asked_to_end(s) ? pt_err_set(e, "interrupted")
					 : open_counter(s, &s->events[i], target, c, e);

		if (rc)
			return rc;
	}
	return 0;
}
