#include "syscall/collect.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "event/abi.h"
#include "event/caps.h"
#include "record/format/evtable.h"
#include "syscall/collect_priv.h"

static int watch(struct pt_collect *c, int tid, uint32_t flags, struct pt_err *e)
{
	struct pt_task_state *state = pt_alloc(sizeof(*state));
	int rc;

	state->flags = flags;
	rc = bpf_map_update_elem(c->p.maps.tasks, &tid, state, BPF_NOEXIST);
	free(state);
	return rc < 0 && errno != EEXIST ? pt_err_sys(e, errno, "watching task %d", tid) : 0;
}

/* All threads of a process. Forks are followed already, so that those born meanwhile are known. */
static int watch_process(struct pt_collect *c, int pid, struct pt_err *e)
{
	char path[64];
	struct dirent *ent;
	DIR *d;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)			/* ENOENT: it ended since the session began */
		return errno == ENOENT ? 0 : pt_err_sys(e, errno, "process %d", pid);
	while (rc == 0 && (ent = readdir(d)))
		if (ent->d_name[0] != '.')
			rc = watch(c, atoi(ent->d_name), 0, e);
	closedir(d);
	return rc;
}

static int collect_add_event(struct pt_stream *st, struct pt_err *e)
{
	struct pt_attr attr = { .type = PERF_TYPE_SOFTWARE,
				.size = sizeof(attr),
				.config = PERF_COUNT_SW_BPF_OUTPUT,
				.sample_period = 1,
				.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
					       PERF_SAMPLE_RAW };
	struct pt_event *ev = pt_evtable_add(st->events, &attr, PT_COLLECT_EVENT, NULL, e);

	if (!ev)
		return -1;
	pt_evtable_add_id(st->events, ev, PT_COLLECT_SAMPLE_ID);
	return 0;
}

/* Calls become samples of the session's event, which is on before the first one comes. */
static int join_session(struct pt_collect *c, const struct pt_session *s, struct pt_err *e)
{
	for (int cpu = 0; cpu < c->nr_cpus; cpu++) {
		int fd = pt_session_fd_on(s, 0, cpu);

		if (fd < 0)
			continue;		/* the CPU is off line */
		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ||
		    bpf_map_update_elem(c->p.maps.rings, &cpu, &fd, 0) < 0)
			return pt_err_sys(e, errno, "ring of CPU %d", cpu);
	}
	return 0;
}

static int attach(struct pt_collect *c, bool delayed, struct pt_err *e)
{
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++) {
		if (!pt_collect_needs(c, i) || pt_program_kinds[i].delayed != delayed)
			continue;
		c->links[i] = bpf_raw_tracepoint_open(NULL, c->programs[i]);
		if (c->links[i] < 0)
			return pt_err_sys(e, -c->links[i], "tracepoint %s",
					  pt_program_kinds[i].tracepoint);
	}
	return 0;
}

static uint64_t collect_now_ns(void)
{
	const struct pt_clock clock = { CLOCK_MONOTONIC, 0 };

	return pt_clock_now_ns(&clock);
}

static int collect_begin(struct pt_collector *collector, struct pt_stream *st,
			 const struct pt_session *s, struct pt_err *e)
{
	struct pt_collect *c = (struct pt_collect *)collector;
	pid_t command = pt_session_command_pid(s);

	if ((c->o.perf_rings ? join_session(c, s, e) : collect_add_event(st, e)) < 0)
		return -1;
	if (command && !c->o.all && !c->o.nr_pids && !c->o.nr_tids &&
	    watch(c, (int)command, c->o.delay_ns ? 0 : PT_TASK_AWAITS_EXEC, e) < 0)
		return -1;
	if (attach(c, false, e) < 0 || (!c->o.delay_ns && attach(c, true, e) < 0))
		return -1;
	if (c->o.delay_ns)
		c->attach_at_ns = collect_now_ns() + c->o.delay_ns;
	for (size_t i = 0; i < c->o.nr_pids; i++)
		if (watch_process(c, c->o.pids[i], e) < 0)
			return -1;
	for (size_t i = 0; i < c->o.nr_tids; i++)
		if (watch(c, c->o.tids[i], 0, e) < 0)
			return -1;
	return 0;
}

static uint64_t collect_take(struct pt_collector *collector, struct pt_stream *st)
{
	struct pt_collect *c = (struct pt_collect *)collector;

	if (c->attach_at_ns && collect_now_ns() >= c->attach_at_ns) {
		c->attach_at_ns = 0;
		c->failed = attach(c, true, &c->error) < 0;
	}
	return pt_collect_take_rings(c, st);
}

static bool busy(struct pt_collector *collector)
{
	struct pt_collect *c = (struct pt_collect *)collector;
	uint32_t tid;

	return bpf_map_get_next_key(c->p.maps.tasks, NULL, &tid) == 0;
}

uint64_t pt_collect_stat(struct pt_collect *c, enum pt_stat_row row)
{
	uint32_t key = (uint32_t)row;
	uint64_t *values, sum = 0;

	if (c->stopped)
		return c->stats[row];
	values = pt_alloc_array((size_t)c->nr_cpus, sizeof(*values));
	if (bpf_map_lookup_elem(c->p.maps.stats, &key, values) == 0)
		for (int i = 0; i < c->nr_cpus; i++)
			sum += values[i];
	free(values);
	return sum;
}

const struct pt_err *pt_collect_error(const struct pt_collect *c)
{
	return c->failed ? &c->error : NULL;
}

bool pt_collect_reads_kernel(const struct pt_collect *c)
{
	return !c->p.no_kernel_reads;
}

static void stop(struct pt_collector *collector)
{
	struct pt_collect *c = (struct pt_collect *)collector;

	if (c->stopped)
		return;
	for (size_t i = PT_PROGRAM_KINDS; i--; )
		if (c->links[i] >= 0) {
			close(c->links[i]);
			c->links[i] = -1;
		}
	for (size_t i = 0; i < PT_NR_STATS; i++)
		c->stats[i] = pt_collect_stat(c, (enum pt_stat_row)i);
	c->stopped = true;
}

/* Counts calls; signals and exits are told apart. */
static void tally(struct pt_collector *collector, struct pt_event_tally *t)
{
	struct pt_collect *c = (struct pt_collect *)collector;
	uint64_t lost = pt_collect_stat(c, PT_STAT_CALLS_LOST),
		 calls = pt_collect_stat(c, PT_STAT_CALLS) - lost,
		 others = pt_collect_stat(c, PT_STAT_OTHERS) -
			  pt_collect_stat(c, PT_STAT_OTHERS_LOST);

	t->lost += lost;
	if (!c->stopped)
		return;
	if (calls + others > t->samples)
		t->undelivered += calls + others - t->samples;
	t->samples -= PT_MIN(t->samples, others);
}

int pt_collect_sums(struct pt_collect *c,
		    void (*each)(void *arg, const struct pt_sum_key *key,
				 const struct pt_sum_value *value),
		    void *arg, struct pt_err *e)
{
	struct pt_sum_value *value = pt_alloc(sizeof(*value));
	struct pt_sum_key key, next;
	const void *from = NULL;
	int rc;

	while ((rc = bpf_map_get_next_key(c->p.maps.sums, from, &next)) == 0) {
		if (bpf_map_lookup_elem(c->p.maps.sums, &next, value) == 0)
			each(arg, &next, value);
		key = next;
		from = &key;
	}
	free(value);
	return rc == -ENOENT ? 0 : pt_err_sys(e, -rc, "reading the sums");
}

bool pt_collect_task(struct pt_collect *c, uint32_t *tid, struct pt_task_state *state)
{
	uint32_t next;

	while (bpf_map_get_next_key(c->p.maps.tasks, *tid ? tid : NULL, &next) == 0) {
		*tid = next;
		if (bpf_map_lookup_elem(c->p.maps.tasks, tid, state) == 0)
			return true;
	}
	return false;
}

/* Why BPF is refused: what is missing, or who refuses it. */
static void add_reason(struct pt_err *e)
{
	const uint64_t all = 1ull << PT_CAP_SYS_ADMIN,
		       two = 1ull << PT_CAP_BPF | 1ull << PT_CAP_PERFMON;
	struct pt_caps caps;

	if (e->sys != EPERM && e->sys != EACCES)
		return;
	pt_caps_get(&caps);
	if (!(caps.effective & all) && (caps.effective & two) != two)
		pt_err_advice(e, "; it takes root, or CAP_BPF and CAP_PERFMON");
	else if (caps.user_namespace)
		pt_err_advice(e, "; capabilities of a user namespace do not count");
	else if (caps.seccomp)
		pt_err_advice(e, "; a seccomp filter refuses bpf(2), as containers have it");
}

int pt_collect_open(struct pt_collect **out, const struct pt_collect_opts *o, struct pt_err *e)
{
	struct pt_collect *c = pt_alloc(sizeof(*c));

	c->collector = (struct pt_collector){ collect_begin, collect_take, busy, stop, tally, -1 };
	c->o = *o;
	c->page = (size_t)sysconf(_SC_PAGESIZE);
	c->epoll_fd = -1;
	c->p.o = &c->o;
	c->p.self = (uint32_t)getpid();
	c->p.sample_id = PT_COLLECT_SAMPLE_ID;
	memset(&c->p.maps, -1, sizeof(c->p.maps));
	memset(c->programs, -1, sizeof(c->programs));
	memset(c->links, -1, sizeof(c->links));
	for (size_t i = 0; i < PT_CALL_SLOTS; i++) {
		c->p.vectors |= o->plans[i].vector.kind != PT_FETCH_NONE;
		c->p.tallies |= o->plans[i].tally.kind != PT_FETCH_NONE;
		c->p.paths |= o->plans[i].files[0].kind || o->plans[i].files[1].kind;
	}
	if (pt_collect_load(c, e) < 0) {
		add_reason(e);
		pt_collect_free(c);
		return -1;
	}
	*out = c;
	return 0;
}

static void close_all(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void pt_collect_free(struct pt_collect *c)
{
	if (!c)
		return;
	close_all(c->links, PT_NR(c->links));
	close_all(c->programs, PT_NR(c->programs));
	pt_collect_free_rings(c);
	close_all(&c->p.maps.tasks, sizeof(c->p.maps) / sizeof(int));
	close_all(&c->epoll_fd, 1);
	btf__free(c->functions);
	free(c);
}

struct pt_collector *pt_collect_collector(struct pt_collect *c)
{
	return &c->collector;
}
