#include "syscall/collect.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "event/abi.h"
#include "event/caps.h"
#include "event/cgroup.h"
#include "record/evtable.h"

enum {
	TASKS = 262144,			/* room; memory is taken for those that are there */
	SUM_ROWS = 65536,
	SAMPLE_ID = 0x7074,		/* perf's own ids are counted from 1 */
	RINGS_BYTES = 64 << 20,		/* all CPUs together */
	RING_MIN = 1 << 20, RING_MAX = 16 << 20,
	PT_FUNCTION_TYPE = 3,		/* see know_functions() */
};

static const char first_pid_namespace[] = "pid:[4026531836]";

/* One CPU's ring buffer: a page with the reader's position, one with the writer's, then the bytes,
 * mapped twice. Source: kernel/bpf/ringbuf.c. Each record has 8 bytes in front: its length with two
 * flags. */
struct ring {
	struct pt_run run;
	int fd;
	uint64_t *read_at;
	const uint64_t *written_to;
	const uint8_t *data;
	size_t mask;
	uint64_t at;			/* of the record that the run is */
};

struct pt_collect {
	struct pt_collector collector;
	struct pt_collect_opts o;
	struct pt_programs p;
	struct btf *btf;		/* the kernel's */
	struct btf *functions;		/* of the programs, which have loops */
	int programs[PT_PROGRAM_KINDS], links[PT_PROGRAM_KINDS];
	struct ring *rings;
	int nr_cpus;
	size_t page;
	int epoll_fd;
	uint64_t delivered;
	uint64_t stats[PT_NR_STATS];	/* once stopped */
	bool stopped;
	uint64_t attach_at_ns;		/* the delayed programs; 0: they are */
	bool failed;			/* error says why */
	struct pt_err error;
};

static int new_map(int *fd, enum bpf_map_type type, const char *name, uint32_t key, uint32_t value,
		   uint32_t entries, uint32_t flags, struct pt_err *e)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);

	*fd = bpf_map_create(type, name, key, value, entries, &opts);
	return *fd < 0 ? pt_err_sys(e, -*fd, "BPF map %s", name) : 0;
}

static uint32_t ring_bytes(const struct pt_collect *c)
{
	uint32_t bytes = RING_MAX;

	if (c->o.ring_bytes)
		return PT_MAX(c->o.ring_bytes, (uint32_t)c->page);
	while (bytes > RING_MIN && (uint64_t)bytes * (uint64_t)c->nr_cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

static int new_ring(struct pt_collect *c, uint32_t cpu, struct pt_err *e)
{
	struct ring *r = &c->rings[cpu];
	struct epoll_event ee = { .events = EPOLLIN | EPOLLET };
	size_t bytes = r->mask + 1;
	void *p;

	if (new_map(&r->fd, BPF_MAP_TYPE_RINGBUF, "pt_ring", 0, 0, (uint32_t)bytes, 0, e) < 0)
		return -1;
	p = mmap(NULL, c->page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (p == MAP_FAILED)
		return pt_err_sys(e, errno, "mapping a BPF ring");
	r->read_at = p;
	p = mmap(NULL, c->page + 2 * bytes, PROT_READ, MAP_SHARED, r->fd, (off_t)c->page);
	if (p == MAP_FAILED)
		return pt_err_sys(e, errno, "mapping a BPF ring");
	r->written_to = p;
	r->data = (const uint8_t *)p + c->page;
	epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, r->fd, &ee);
	return bpf_map_update_elem(c->p.rings, &cpu, &r->fd, 0) < 0
		       ? pt_err_sys(e, errno, "BPF ring")
		       : 0;
}

static int new_rings(struct pt_collect *c, struct pt_err *e)
{
	uint32_t bytes = ring_bytes(c);
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	c->p.wake_bytes = bytes / 8;
	c->rings = pt_alloc_array((size_t)c->nr_cpus, sizeof(*c->rings));
	for (int cpu = 0; cpu < c->nr_cpus; cpu++)
		c->rings[cpu] = (struct ring){ .fd = -1, .mask = bytes - 1 };
	/* A ring like those that will be in it tells the map's type. */
	opts.inner_map_fd = (uint32_t)bpf_map_create(BPF_MAP_TYPE_RINGBUF, "pt_ring", 0, 0, bytes,
						     NULL);
	c->p.rings = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "pt_rings", 4, 4,
				    (uint32_t)c->nr_cpus, &opts);
	close((int)opts.inner_map_fd);
	if (c->p.rings < 0)
		return pt_err_sys(e, -c->p.rings, "BPF rings");
	for (int cpu = 0; cpu < c->nr_cpus; cpu++)
		if (new_ring(c, (uint32_t)cpu, e) < 0)
			return -1;
	return 0;
}

/* The map for the session's events, see join_session(). */
static int new_perf_map(struct pt_collect *c, struct pt_err *e)
{
	return new_map(&c->p.rings, BPF_MAP_TYPE_PERF_EVENT_ARRAY, "pt_rings", 4, 4,
		       (uint32_t)c->nr_cpus, 0, e);
}

static int new_cgroup_map(struct pt_collect *c, struct pt_err *e)
{
	int fd = pt_cgroup_open(c->o.cgroup, true, e);
	uint32_t key = 0;
	int rc = -1;

	if (fd < 0)
		return -1;
	if (new_map(&c->p.cgroup, BPF_MAP_TYPE_CGROUP_ARRAY, "pt_cgroup", 4, 4, 1, 0, e) == 0)
		rc = bpf_map_update_elem(c->p.cgroup, &key, &fd, 0) < 0
			     ? pt_err_sys(e, errno, "-G %s", c->o.cgroup)
			     : 0;
	close(fd);
	return rc;
}

static int new_maps(struct pt_collect *c, struct pt_err *e)
{
	struct pt_programs *p = &c->p;
	struct pt_task_state *state = pt_alloc(sizeof(*state));
	uint32_t key = 0;

	if (new_map(&p->tasks, BPF_MAP_TYPE_HASH, "pt_tasks", 4, sizeof(*state), TASKS,
		    BPF_F_NO_PREALLOC, e) < 0 ||
	    new_map(&p->blank, BPF_MAP_TYPE_ARRAY, "pt_blank", 4, sizeof(*state), 2, 0, e) < 0 ||
	    new_map(&p->plans, BPF_MAP_TYPE_ARRAY, "pt_plans", 4, sizeof(struct pt_plan), PT_CALLS,
		    0, e) < 0 ||
	    new_map(&p->stats, BPF_MAP_TYPE_PERCPU_ARRAY, "pt_stats", 4, 8, PT_NR_STATS, 0, e) <
		    0 ||
	    new_map(&p->scratch, BPF_MAP_TYPE_PERCPU_ARRAY, "pt_scratch", 4,
		    (sizeof(struct pt_signal_state) + 7) & ~7u, 1, 0, e) < 0 ||
	    new_map(&p->sums, BPF_MAP_TYPE_HASH, "pt_sums", sizeof(struct pt_sum_key),
		    sizeof(struct pt_sum_value), SUM_ROWS, BPF_F_NO_PREALLOC, e) < 0 ||
	    new_map(&p->blank_sum, BPF_MAP_TYPE_ARRAY, "pt_blank_sum", 4,
		    sizeof(struct pt_sum_value), 1, 0, e) < 0) {
		free(state);
		return -1;
	}
	key = 1;
	state->flags = PT_TASK_NEWBORN;
	bpf_map_update_elem(p->blank, &key, state, 0);
	free(state);
	for (key = 0; key < PT_CALLS; key++)
		if (bpf_map_update_elem(p->plans, &key, &c->o.plans[key], 0) < 0)
			return pt_err_sys(e, errno, "BPF map pt_plans");
	if (c->o.cgroup && new_cgroup_map(c, e) < 0)
		return -1;
	return c->p.perf_rings ? new_perf_map(c, e) : new_rings(c, e);
}

/* Types of the functions of a program, which the kernel wants to have where there are loops. */
static int know_functions(struct pt_collect *c, struct pt_err *e)
{
	int number, function;

	c->functions = btf__new_empty();
	if (!c->functions)
		return pt_err_sys(e, errno, "BTF");
	number = btf__add_int(c->functions, "int", 4, BTF_INT_SIGNED);
	function = btf__add_func_proto(c->functions, number);
	if (btf__add_func(c->functions, "pt", BTF_FUNC_STATIC, function) != PT_FUNCTION_TYPE ||
	    btf__load_into_kernel(c->functions) < 0)
		return pt_err_sys(e, errno, "types of functions (BTF)");
	return 0;
}

static int load(struct pt_collect *c, size_t i, struct pt_asm *a, struct pt_err *e)
{
	const struct pt_program_kind *kind = &pt_program_kinds[i];
	char name[64], log[4096] = "";
	struct bpf_func_info functions[1 + PT_ASM_FUNCTIONS] = { { 0, PT_FUNCTION_TYPE } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int id, fd;

	*a = (struct pt_asm){ .nr = 0 };
	kind->write(a, &c->p);
	if (pt_asm_finish(a, e) < 0)
		return pt_err_context(e, "%s", kind->tracepoint);
	snprintf(name, sizeof(name), "btf_trace_%s", kind->tracepoint);
	id = btf__find_by_name_kind(c->btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return pt_err_set(e, "the kernel has no tracepoint %s", kind->tracepoint);
	opts.attach_btf_id = (uint32_t)id;
	for (size_t f = 0; f < a->nr_functions; f++)
		functions[1 + f] = (struct bpf_func_info){ a->functions[f], PT_FUNCTION_TYPE };
	if (a->nr_functions) {
		opts.prog_btf_fd = (uint32_t)btf__fd(c->functions);
		opts.func_info = functions;
		opts.func_info_cnt = (uint32_t)a->nr_functions + 1;
		opts.func_info_rec_size = sizeof(functions[0]);
	}
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, kind->tracepoint, "GPL", a->insns, a->nr, &opts);
	if (fd < 0 && fd != -EPERM) {
		size_t len;

		/* Once more, for the verifier's reason: its last lines. */
		opts.log_buf = log;
		opts.log_size = sizeof(log);
		opts.log_level = 1;
		bpf_prog_load(BPF_PROG_TYPE_TRACING, kind->tracepoint, "GPL", a->insns, a->nr,
			      &opts);
		len = strlen(log);
		return pt_err_sys(e, -fd, "BPF program %s: %s", kind->tracepoint,
				  len > 300 ? log + len - 300 : log);
	}
	if (fd < 0)
		return pt_err_sys(e, -fd, "BPF program %s", kind->tracepoint);
	c->programs[i] = fd;
	return 0;
}

static bool needed(const struct pt_collect *c, size_t i)
{
	return !pt_program_kinds[i].needed || pt_program_kinds[i].needed(&c->p);
}

static int load_all(struct pt_collect *c, struct pt_err *e)
{
	struct pt_asm *a = pt_alloc(sizeof(*a));
	int rc = 0;

	for (size_t i = 0; i < PT_PROGRAM_KINDS && rc == 0; i++)
		if (needed(c, i))
			rc = load(c, i, a, e);
	free(a);
	return rc;
}

static int watch(struct pt_collect *c, int tid, uint32_t flags, struct pt_err *e)
{
	struct pt_task_state *state = pt_alloc(sizeof(*state));
	int rc;

	state->flags = flags;
	rc = bpf_map_update_elem(c->p.tasks, &tid, state, BPF_NOEXIST);
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
	if (!d)
		return pt_err_sys(e, errno == ENOENT ? ESRCH : errno, "process %d", pid);
	while (rc == 0 && (ent = readdir(d)))
		if (ent->d_name[0] != '.')
			rc = watch(c, atoi(ent->d_name), 0, e);
	closedir(d);
	return rc;
}

static int add_event(struct pt_stream *st, struct pt_err *e)
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
	pt_evtable_add_id(st->events, ev, SAMPLE_ID);
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
		    bpf_map_update_elem(c->p.rings, &cpu, &fd, 0) < 0)
			return pt_err_sys(e, errno, "ring of CPU %d", cpu);
	}
	return 0;
}

static int attach(struct pt_collect *c, bool delayed, struct pt_err *e)
{
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++) {
		if (!needed(c, i) || pt_program_kinds[i].delayed != delayed)
			continue;
		c->links[i] = bpf_raw_tracepoint_open(NULL, c->programs[i]);
		if (c->links[i] < 0)
			return pt_err_sys(e, -c->links[i], "tracepoint %s",
					  pt_program_kinds[i].tracepoint);
	}
	return 0;
}

static uint64_t now_ns(void)
{
	const struct pt_clock clock = { CLOCK_MONOTONIC, 0 };

	return pt_clock_now_ns(&clock);
}

static int begin(struct pt_collector *collector, struct pt_stream *st,
		 const struct pt_session *s, struct pt_err *e)
{
	struct pt_collect *c = (struct pt_collect *)collector;
	pid_t command = pt_session_command_pid(s);

	if ((c->p.perf_rings ? join_session(c, s, e) : add_event(st, e)) < 0)
		return -1;
	if (command && !c->o.all && !c->o.nr_pids && !c->o.nr_tids &&
	    watch(c, (int)command, c->o.delay_ns ? 0 : PT_TASK_AWAITS_EXEC, e) < 0)
		return -1;
	if (attach(c, false, e) < 0 || (!c->o.delay_ns && attach(c, true, e) < 0))
		return -1;
	if (c->o.delay_ns)
		c->attach_at_ns = now_ns() + c->o.delay_ns;
	for (size_t i = 0; i < c->o.nr_pids; i++)
		if (watch_process(c, c->o.pids[i], e) < 0)
			return -1;
	for (size_t i = 0; i < c->o.nr_tids; i++)
		if (watch(c, c->o.tids[i], 0, e) < 0)
			return -1;
	return 0;
}

/* The run is the next record that is complete, if there is one. */
static bool next_record(struct ring *r)
{
	uint64_t end = __atomic_load_n(r->written_to, __ATOMIC_ACQUIRE);

	while (r->at < end) {
		const uint32_t *header = (const uint32_t *)(r->data + (r->at & r->mask));
		uint32_t len = __atomic_load_n(header, __ATOMIC_ACQUIRE);

		if (len & BPF_RINGBUF_BUSY_BIT)
			return false;
		if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
			r->run.at = (const uint8_t *)header + BPF_RINGBUF_HDR_SZ;
			r->run.end = r->run.at + len;
			return true;
		}
		r->at += ((len & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
	}
	return false;
}

static bool ring_more(struct pt_run *run)
{
	struct ring *r = (struct ring *)run;
	const uint32_t *header = (const uint32_t *)(r->data + (r->at & r->mask));

	r->at += (*header + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
	__atomic_store_n(r->read_at, r->at, __ATOMIC_RELEASE);
	return next_record(r);
}

static uint64_t take(struct pt_collector *collector, struct pt_stream *st)
{
	struct pt_collect *c = (struct pt_collect *)collector;
	struct epoll_event ee[16];
	uint64_t most = 0;

	if (c->attach_at_ns && now_ns() >= c->attach_at_ns) {
		c->attach_at_ns = 0;
		c->failed = attach(c, true, &c->error) < 0;
	}
	epoll_wait(c->epoll_fd, ee, PT_NR(ee), 0);
	for (int cpu = 0; c->rings && cpu < c->nr_cpus; cpu++) {
		struct ring *r = &c->rings[cpu];
		uint64_t used = __atomic_load_n(r->written_to, __ATOMIC_ACQUIRE) - r->at;

		most = PT_MAX(most, used * 256 / (r->mask + 1));
		if (!r->run.queued && next_record(r)) {
			r->run.more = ring_more;
			r->run.seq = (uint64_t)cpu;
			pt_order_add(st->order, &r->run);
		}
	}
	return most;
}

uint64_t pt_collect_stat(struct pt_collect *c, enum pt_stat_row row)
{
	int nr = libbpf_num_possible_cpus();
	uint32_t key = (uint32_t)row;
	uint64_t *values, sum = 0;

	if (c->stopped)
		return c->stats[row];
	values = pt_alloc_array((size_t)nr, sizeof(*values));
	if (bpf_map_lookup_elem(c->p.stats, &key, values) == 0)
		for (int i = 0; i < nr; i++)
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

static void tally(struct pt_collector *collector, struct pt_event_tally *t)
{
	struct pt_collect *c = (struct pt_collect *)collector;
	uint64_t all = pt_collect_stat(c, PT_STAT_RECORDS), lost = pt_collect_stat(c, PT_STAT_LOST);

	t->lost += lost;
	if (c->stopped && all > t->samples + lost)
		t->undelivered += all - t->samples - lost;
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

	while ((rc = bpf_map_get_next_key(c->p.sums, from, &next)) == 0) {
		if (bpf_map_lookup_elem(c->p.sums, &next, value) == 0)
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

	while (bpf_map_get_next_key(c->p.tasks, *tid ? tid : NULL, &next) == 0) {
		*tid = next;
		if (bpf_map_lookup_elem(c->p.tasks, tid, state) == 0)
			return true;
	}
	return false;
}

static int open_all(struct pt_collect *c, struct pt_err *e)
{
	char namespace[64] = "";
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	if (readlink("/proc/self/ns/pid", namespace, sizeof(namespace) - 1) > 0 &&
	    strcmp(namespace, first_pid_namespace))
		return pt_err_set(e, "process numbers here are those of a container");
	/* kernels before 5.11 count maps as locked memory */
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	c->epoll_fd = c->collector.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	c->nr_cpus = libbpf_num_possible_cpus();
	if (c->nr_cpus <= 0 || c->epoll_fd < 0)
		return pt_err_sys(e, errno, "CPUs");
	libbpf_set_print(NULL);
	c->btf = btf__load_vmlinux_btf();
	if (!c->btf)
		return pt_err_sys(e, errno, "the kernel's type information (BTF)");
	return pt_programs_know_kernel(&c->p, c->btf, e) < 0 || know_functions(c, e) < 0 ||
			       new_maps(c, e) < 0
		       ? -1
		       : load_all(c, e);
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

	c->collector = (struct pt_collector){ begin, take, stop, tally, -1 };
	c->o = *o;
	c->page = (size_t)sysconf(_SC_PAGESIZE);
	c->epoll_fd = -1;
	c->p = (struct pt_programs){
		.tasks = -1, .plans = -1, .blank = -1, .stats = -1, .rings = -1, .sums = -1,
		.blank_sum = -1, .scratch = -1, .cgroup = -1,
		.of_user = o->of_user, .uid = o->uid, .perf_rings = o->perf_rings,
		.all = o->all, .self = (uint32_t)getpid(), .lines = o->lines, .sum = o->sum,
		.by = o->by, .failed = o->failed, .succeeded = o->succeeded, .errnos = o->errnos,
		.nr_errnos = o->nr_errnos, .longer_ns = o->longer_ns, .signals = o->signals,
		.exits = o->exits, .sample_id = SAMPLE_ID, .text_max = o->text_max,
	};
	for (size_t i = 0; i < PT_CALLS; i++) {
		c->p.vectors |= o->plans[i].vector.kind != PT_FETCH_NONE;
		c->p.tallies |= o->plans[i].tally.kind != PT_FETCH_NONE;
		c->p.paths |= o->plans[i].files[0].kind != PT_FILE_NONE;
	}
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++)
		c->programs[i] = c->links[i] = -1;
	if (open_all(c, e) < 0) {
		add_reason(e);
		pt_collect_free(c);
		return -1;
	}
	btf__free(c->btf);
	c->btf = NULL;
	*out = c;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void pt_collect_free(struct pt_collect *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++) {
		close_fd(c->links[i]);
		close_fd(c->programs[i]);
	}
	for (int cpu = 0; c->rings && cpu < c->nr_cpus; cpu++) {
		struct ring *r = &c->rings[cpu];

		if (r->read_at)
			munmap(r->read_at, c->page);
		if (r->written_to)
			munmap((void *)r->written_to, c->page + 2 * (r->mask + 1));
		close_fd(r->fd);
	}
	free(c->rings);
	close_fd(c->p.tasks);
	close_fd(c->p.plans);
	close_fd(c->p.blank);
	close_fd(c->p.stats);
	close_fd(c->p.rings);
	close_fd(c->p.sums);
	close_fd(c->p.blank_sum);
	close_fd(c->p.scratch);
	close_fd(c->p.cgroup);
	close_fd(c->epoll_fd);
	btf__free(c->btf);
	btf__free(c->functions);
	free(c);
}

struct pt_collector *pt_collect_collector(struct pt_collect *c)
{
	return &c->collector;
}
