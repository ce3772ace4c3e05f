/* counter.c - a session's events: attributes, enabling and disabling, closing, the final count. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "event/build_ids.h"
#include "record/watch/session_priv.h"
#include "unwind/arch.h"

enum { FEW_TRACEPOINTS = 16 };

static const uint64_t always_sampled = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

static void common_attr(const struct pt_session *s, struct pt_attr *a, uint32_t ring_pages)
{
	a->size = sizeof(*a);
	a->sample_type |= s->w->tracefs ? PT_PAGE_FIELDS & ~(uint64_t)PERF_SAMPLE_RAW
					: always_sampled;
	a->read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			 PERF_FORMAT_TOTAL_TIME_RUNNING | (s->kernel.lost ? PT_FORMAT_LOST : 0);
	a->flags |= PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_USE_CLOCKID | PT_ATTR_WATERMARK;
	a->clockid = s->w->clockid;
	a->wakeup_events = (uint32_t)((uint64_t)ring_pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4);
	if (session_of_tasks(s) && !s->w->no_inherit)
		a->flags |= PT_ATTR_INHERIT;
}

/* Events that get a sample each time they happen, unless a frequency is asked for. */
static bool counts_one_by_one(const struct pt_attr *a)
{
	return a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT ||
	       a->type > PERF_TYPE_BREAKPOINT ||
	       (a->type == PERF_TYPE_SOFTWARE &&
		(a->config == PERF_COUNT_SW_BPF_OUTPUT || a->config == PERF_COUNT_SW_DUMMY));
}

/* call-graph= and similar terms in the event's name override what the tool asked for. */
static void counter_set_chain(const struct pt_watch *w, const struct pt_event_spec *spec,
			      struct pt_attr *a)
{
	const bool wants_branches = w->branch_sample_type &&	/* of pt-record -b, no call chain */
				    !(w->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	const uint64_t user = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		       lbr = wants_branches ? 0 : PERF_SAMPLE_BRANCH_STACK,
		       all = PERF_SAMPLE_CALLCHAIN | lbr | user;
	const struct pt_arch *cpu = pt_arch_here();
	enum pt_chain chain = spec->chain;

	if (chain == PT_CHAIN_UNSET && !(a->sample_type & all))
		chain = spec->implied;
	if (chain != PT_CHAIN_UNSET) {
		a->sample_type &= ~all;
		a->sample_type |= chain == PT_CHAIN_NO ? 0 : PERF_SAMPLE_CALLCHAIN;
		a->sample_type |= chain == PT_CHAIN_DWARF ? user : 0;
		a->sample_type |= chain == PT_CHAIN_LBR ? PERF_SAMPLE_BRANCH_STACK : 0;
	}
	if (a->sample_type & PERF_SAMPLE_STACK_USER) {
		a->sample_stack_user = spec->stack_bytes ? spec->stack_bytes
				       : w->stack_bytes  ? w->stack_bytes
							 : 16 << 10;
		/* the user part is unwound from the stack copy */
		if (!w->user_chain)
			a->flags |= PT_ATTR_EXCLUDE_CALLCHAIN_USER;
	}
	if (a->sample_type & PERF_SAMPLE_REGS_USER) {
		a->sample_regs_user = cpu ? cpu->sample_regs : 0;
	} else if ((a->sample_type & PERF_SAMPLE_CALLCHAIN) &&
		   !(a->flags & PT_ATTR_EXCLUDE_CALLCHAIN_USER) && cpu && cpu->chain_regs) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user = cpu->chain_regs;
	}
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		a->branch_sample_type = w->branch_sample_type
						? w->branch_sample_type
						: PERF_SAMPLE_BRANCH_USER |
							  PERF_SAMPLE_BRANCH_CALL_STACK |
							  PERF_SAMPLE_BRANCH_NO_CYCLES |
							  PERF_SAMPLE_BRANCH_NO_FLAGS;
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN)
		a->sample_max_stack = spec->max_stack ? spec->max_stack : w->max_stack;
}

/* Those that were asked for, beside what call chains need. */
static void set_regs(const struct pt_watch *w, struct pt_attr *a)
{
	a->sample_type |= (w->user_regs ? PERF_SAMPLE_REGS_USER : 0) |
			  (w->intr_regs ? PERF_SAMPLE_REGS_INTR : 0);
	a->sample_regs_user |= w->user_regs;
	a->sample_regs_intr = w->intr_regs;
}

void session_own_flags(const struct pt_session *s, const struct pt_event_spec *spec, size_t index,
		       struct pt_attr *a)
{
	a->flags &= ~PT_ATTR_INHERIT;
	if (session_of_tasks(s) && !spec->no_inherit && (spec->inherit || !s->w->no_inherit))
		a->flags |= PT_ATTR_INHERIT;
	if (spec->leader == (int)index)
		a->flags |= PT_ATTR_DISABLED | (s->on_exec ? PT_ATTR_ENABLE_ON_EXEC : 0);
	else
		a->flags &= ~(PT_ATTR_PINNED | PT_ATTR_EXCLUSIVE);
}

/* :S: the leader is sampled, and members whose name gives a period; each sample of the leader holds
 * the counts of all. Children are not followed: before 6.12 the kernel could not read their counts
 * in such samples, and perf reads what it writes since then rightly only from 6.13 on. */
static void set_reading(struct pt_session *s, size_t index)
{
	const struct session_event *lead = &s->events[s->events[index].spec.leader];
	struct pt_attr *a = &s->events[index].info.attr;

	s->events[index].spec.weak = false;
	if (lead->in_group)
		a->read_format |= PERF_FORMAT_GROUP;
	a->flags &= ~PT_ATTR_INHERIT;
	if (lead == &s->events[index]) {
		a->sample_type |= PERF_SAMPLE_READ;
		return;
	}
	if (!s->events[index].spec.attr.sample_period) {
		a->sample_period = 0;
		a->flags &= ~PT_ATTR_FREQ;
	}
	/* perf synthesizes samples from the leader's */
	a->sample_type = lead->info.attr.sample_type;
}

/* A tracepoint whose samples come from tracefs' ring: the kernel opens no event for it. */
static void tracefs_event(const struct pt_session *s, struct session_event *ev)
{
	struct pt_attr *a = &ev->info.attr;

	*a = ev->spec.attr;
	common_attr(s, a, 0);
	a->sample_type = PT_PAGE_FIELDS;
	a->sample_period = 1;
	a->flags |= PT_ATTR_DISABLED;
	PT_GROW(ev->ids, ev->info.nr_ids, ev->cap_ids);
	ev->ids[ev->info.nr_ids++] = PT_PAGE_ID_BASE + (uint64_t)ev->spec.tp->id;
	ev->info.ids = ev->ids;
}

static int check_freq(const struct pt_session *s, uint64_t hz, struct pt_err *e)
{
	uint64_t most = s->kernel.max_rate_hz;

	if (hz <= most)
		return 0;
	return pt_err_set(
		e,
		"-F %llu: the kernel allows %llu samples a second; as root: `sysctl kernel.perf_event_max_sample_rate=%llu`",
		(unsigned long long)hz, (unsigned long long)most, (unsigned long long)hz);
}

static int data_attr(const struct pt_session *s, const struct pt_event_spec *spec, size_t index,
		     struct pt_attr *a, struct pt_err *e)
{
	const struct pt_watch *w = s->w;

	*a = spec->attr;
	common_attr(s, a, s->data_pages);
	a->sample_type |= w->sample_type | (a->type == PERF_TYPE_TRACEPOINT ? PERF_SAMPLE_RAW : 0);
	if (spec->tool)
		return pt_err_set(e, "only pt-stat counts it: it has no samples");
	if (a->sample_period) {
		;				/* the name says so */
	} else if (spec->trigger) {
		a->sample_period = 1;
	} else if (w->period) {
		a->sample_period = w->period;
	} else if (w->freq) {
		if (check_freq(s, w->freq, e) < 0)
			return -1;
		a->sample_period = w->freq;
		a->flags |= PT_ATTR_FREQ;
	} else if (counts_one_by_one(a) || !w->default_freq) {
		a->sample_period = 1;
	} else {
		a->sample_period = PT_MIN(w->default_freq, s->kernel.max_rate_hz);
		a->flags |= PT_ATTR_FREQ;
	}
	/* If a software event's samples carry a period, the kernel makes a sample of each event,
	 * whatever the period. */
	if (!(a->flags & PT_ATTR_FREQ) && a->sample_period > 1 &&
	    (a->type == PERF_TYPE_SOFTWARE || a->type == PERF_TYPE_TRACEPOINT ||
	     a->type == PERF_TYPE_BREAKPOINT))
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	counter_set_chain(w, spec, a);
	set_regs(w, a);
	session_own_flags(s, spec, index, a);
	if (spec->trigger) {		/* wakes the reader at each sample */
		a->flags &= ~PT_ATTR_WATERMARK;
		a->wakeup_events = 1;
	} else if (w->overwrites) {
		a->flags |= PT_ATTR_WRITE_BACKWARD;
	}
	if (w->no_samples)
		a->sample_period = 0;
	if (w->want_switches && !index)
		a->flags |= PT_ATTR_CONTEXT_SWITCH;
	return 0;
}

/* call-graph=dwarf in an event's name: unwinding readers need the mappings of data, too. */
static bool unwinds_by_name(const struct pt_watch *w)
{
	for (size_t i = 0; i < w->events.nr; i++)
		if (w->events.specs[i].chain == PT_CHAIN_DWARF ||
		    w->events.specs[i].implied == PT_CHAIN_DWARF)
			return true;
	return false;
}

static void side_attr(const struct pt_session *s, struct pt_attr *a)
{
	const struct pt_watch *w = s->w;
	uint64_t want = PT_ATTR_COMM_EXEC | PT_ATTR_NAMESPACES | PT_ATTR_CGROUP;

	*a = pt_dummy_attr(0);
	a->sample_period = 1;
	common_attr(s, a, s->side_pages);
	/* all records have the same trailer */
	a->sample_type |= w->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
	/* When it switches between similar threads, the kernel may swap their counters instead. A
	 * thread to which that happens while the session attaches is sometimes not counted at all.
	 * An inherited event that is read with each sample prevents the swap (this one has no
	 * samples). */
	if (s->kernel.inherit_read && a->flags & PT_ATTR_INHERIT && (w->nr_pids || w->nr_tids))
		a->sample_type |= PERF_SAMPLE_READ;
	if (w->want_maps)
		want |= PT_ATTR_MMAP2 | PT_ATTR_KSYMBOL | PT_ATTR_BPF_EVENT | PT_ATTR_TEXT_POKE;
	if (w->want_maps && w->want_build_ids && s->kernel.side_band & PT_ATTR_BUILD_ID &&
	    pt_build_ids_are(NULL) == PT_BUILD_IDS_HARMLESS)
		want |= PT_ATTR_BUILD_ID;
	a->flags |= PT_ATTR_COMM | PT_ATTR_TASK |
		    (w->want_switches && w->tracefs ? PT_ATTR_CONTEXT_SWITCH : 0) |
		    (w->want_maps ? PT_ATTR_MMAP : 0) |
		    (w->want_maps && (w->want_data_maps || unwinds_by_name(w)) ? PT_ATTR_MMAP_DATA
									       : 0) |
		    (want & s->kernel.side_band);
	if (s->on_exec)
		a->flags |= PT_ATTR_DISABLED | PT_ATTR_ENABLE_ON_EXEC;
}

/* Excludes the tool itself, except from the events of the scheduler, whose state machine needs all
 * tasks. What an interrupt does while the tool runs is not the tool's: common_flags tells
 * (TRACE_FLAG_HARDIRQ, _SOFTIRQ in linux/trace_events.h). */
static char *filter_text(const struct pt_session *s, const struct pt_event_spec *spec)
{
	bool self = s->w->exclude_self && !session_of_tasks(s) &&
		    spec->attr.type == PERF_TYPE_TRACEPOINT && strncmp(spec->name, "sched:", 6);

	if (!self)
		return pt_strdup(spec->filter);
	return pt_asprintf("(common_pid != %d || common_flags & 0x18)%s%s%s", (int)getpid(),
			   spec->filter ? " && (" : "", spec->filter ? spec->filter : "",
			   spec->filter ? ")" : "");
}

int session_events_init(struct pt_session *s, struct pt_err *e)
{
	const struct pt_event_list *l = &s->w->events;

	s->events = pt_alloc_array(l->nr + 1, sizeof(*s->events));
	s->nr_events = l->nr + 1;
	for (size_t i = 0; i < l->nr; i++) {
		struct session_event *ev = &s->events[i];

		ev->spec = l->specs[i];
		ev->spec.name = pt_strdup(l->specs[i].name);
		if (ev->spec.leader < 0 || (size_t)ev->spec.leader >= l->nr)
			ev->spec.leader = (int)i;
		ev->filter = filter_text(s, &l->specs[i]);
		ev->info.spec = &ev->spec;
		ev->cgroup_fd = -1;
		ev->in_group = ev->spec.leader != (int)i;
		if (ev->in_group)
			s->events[ev->spec.leader].in_group = true;
	}
	/* a control may enable one without the others */
	if (s->w->counting && !s->w->control)
		session_group_software(s);
	for (size_t i = 0; i < l->nr; i++) {
		struct session_event *ev = &s->events[i];

		if (s->w->counting)
			session_count_attr(s, i, &ev->info.attr);
		else if (s->w->tracefs)
			tracefs_event(s, ev);
		else if (data_attr(s, &ev->spec, i, &ev->info.attr, e) < 0)
			return pt_err_context(e, "%s", ev->spec.name);
		if (!s->w->counting && s->events[ev->spec.leader].spec.sample_read)
			set_reading(s, i);
		ev->on = session_opens_on(ev);
	}
	s->events[l->nr].info.side_band = true;
	s->events[l->nr].cgroup_fd = -1;
	side_attr(s, &s->events[l->nr].info.attr);
	return 0;
}

/* Lists the open tracepoints. True: so many that closing them takes long. */
static bool add_open_tracepoints(const struct pt_session *s, int **fds, size_t *nr)
{
	size_t cap = 0;

	for (size_t i = 0; i < s->nr_events; i++)
		for (size_t k = 0; s->events[i].info.attr.type == PERF_TYPE_TRACEPOINT &&
				   k < s->events[i].nr_counters;
		     k++) {
			PT_GROW(*fds, *nr, cap);
			(*fds)[(*nr)++] = s->events[i].counters[k].fd;
		}
	return *nr >= FEW_TRACEPOINTS;
}

/* Closes all descriptors but these. */
static void keep_only(const int *fds, size_t nr)
{
#ifdef SYS_close_range /* 5.9; on older kernels the rest stays open, which does no harm */
	int from = 0;

	for (size_t i = 0; i < nr; from = fds[i++] + 1)
		if (fds[i] > from)
			syscall(SYS_close_range, from, fds[i] - 1, 0);
	syscall(SYS_close_range, from, ~0u, 0);
#else
	(void)fds, (void)nr;
#endif
}

/* When the last event of a tracepoint is closed, the kernel waits a grace period of 30 ms: for all
 * system calls that is 15 seconds. A child process that shares the descriptors waits in our place.
 */
static void close_behind(struct pt_session *s)
{
	int *fds = NULL;
	size_t nr = 0;
	pid_t pid;

	if (add_open_tracepoints(s, &fds, &nr)) {
		qsort(fds, nr, sizeof(*fds), pt_num_compare);
		pid = fork();
		if (!pid && !fork()) {		/* orphaned, so that nobody has to wait for it */
			setsid();
			(void)!chdir("/");
			keep_only(fds, nr);
		}
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	free(fds);
}

void session_events_deinit(struct pt_session *s)
{
	if (s->events)
		close_behind(s);
	for (size_t i = 0; i < s->nr_events; i++) {
		struct session_event *ev = &s->events[i];

		for (size_t k = 0; k < ev->nr_counters; k++)
			if (ev->counters[k].fd >= 0)
				close(ev->counters[k].fd);
		if (ev->owns_cgroup_fd)
			close(ev->cgroup_fd);
		free(ev->counters);
		free(ev->readings);
		free(ev->ids);
		free(ev->filter);
		free(ev->spec.name);
	}
	free(s->events);
}

void session_close_target(struct pt_session *s, uint32_t target, enum session_part part)
{
	size_t side = s->nr_events - 1;

	s->kept.stale = true;
	for (size_t i = part == SESSION_SIDE ? side : 0;
	     i < (part == SESSION_SIDE ? s->nr_events : side); i++) {
		struct session_event *ev = &s->events[i];
		size_t kept = 0;

		for (size_t k = 0; k < ev->nr_counters; k++) {
			if (ev->counters[k].target == target) {
				close(ev->counters[k].fd);
				continue;
			}
			ev->counters[kept] = ev->counters[k];
			if (ev->readings)
				ev->readings[kept] = ev->readings[k];
			ev->ids[kept++] = ev->ids[k];
		}
		ev->nr_counters = ev->info.nr_ids = kept;
	}
}

static void counter_tell(struct pt_session *s, struct session_event *ev, bool on)
{
	for (size_t k = 0; k < ev->nr_counters; k++)
		ioctl(ev->counters[k].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	if (s->tracering && !ev->info.side_band && on != ev->on)
		pt_tracering_enable(s->tracering, ev->spec.tp, on);
	ev->on = on;
}

bool session_switch(struct pt_session *s, const char *name, bool on)
{
	bool any = false;

	for (size_t i = 0; i + 1 < s->nr_events; i++) {
		struct session_event *ev = &s->events[i];

		if (name && strcmp(name, ev->spec.name) && strcmp(name, s->w->events.specs[i].name))
			continue;
		any = true;
		if (name || !session_opens_on(ev))
			counter_tell(s, ev, on);
	}
	if (s->tracering && on)
		pt_tracering_run(s->tracering, true);
	return any;
}

int pt_session_set_freq(struct pt_session *s, uint64_t hz, struct pt_err *e)
{
	bool any = false;

	if (check_freq(s, hz, e) < 0)
		return -1;
	for (size_t i = 0; i + 1 < s->nr_events; i++) {
		struct session_event *ev = &s->events[i];
		/* perf_swevent_init_hrtimer() of the kernel makes a clock's frequency a period */
		uint64_t value = pt_event_is_clock(&ev->info.attr) ? 1000000000 / hz : hz;

		if (!(ev->info.attr.flags & PT_ATTR_FREQ))
			continue;
		any = true;
		for (size_t k = 0; k < ev->nr_counters; k++)
			if (ioctl(ev->counters[k].fd, PERF_EVENT_IOC_PERIOD, &value) < 0)
				return pt_err_sys(e, errno, "%s: a new frequency",
						  session_event_name(ev));
		ev->info.attr.sample_period = hz;		/* for threads and CPUs to come */
	}
	return any ? 0 : pt_err_set(e, "no event is sampled by frequency");
}

int pt_session_fd_on(const struct pt_session *s, size_t event, int cpu)
{
	const struct session_event *ev = &s->events[event];

	for (size_t k = 0; k < ev->nr_counters; k++)
		if (ev->counters[k].cpu == cpu)
			return ev->counters[k].fd;
	return -1;
}

void session_switch_again(struct pt_session *s)
{
	for (size_t i = 0; i + 1 < s->nr_events; i++)
		if (s->events[i].on != session_opens_on(&s->events[i]))
			counter_tell(s, &s->events[i], s->events[i].on);
}

/* Samples first, so that the side-band explains even the last one. */
void session_disable(struct pt_session *s)
{
	if (s->tracering)		/* closing the instance disables its events */
		pt_tracering_run(s->tracering, false);
	for (size_t i = s->tracering ? s->nr_events - 1 : 0; i < s->nr_events; i++)
		counter_tell(s, &s->events[i], false);
}

size_t pt_session_nr_events(const struct pt_session *s)
{
	return s->nr_events;
}

const struct pt_session_event_info *pt_session_event(const struct pt_session *s, size_t i)
{
	return &s->events[i].info;
}
