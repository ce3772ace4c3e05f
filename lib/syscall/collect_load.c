/* Makes the maps, and loads the programs. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "event/cgroup.h"
#include "syscall/collect_priv.h"

enum {
	/* Tasks at once. A map takes 16 bytes for each, and a task's state when it is there. */
	TASKS_OF_MACHINE = 262144,
	TASKS_WATCHED = 32768,
	SUM_ROWS = 65536,
	FUNCTION_TYPE = 3,		/* see know_functions() */
};

static const char first_pid_namespace[] = "pid:[4026531836]";

static int fill_cgroup(struct pt_collect *c, struct pt_err *e)
{
	int fd = pt_cgroup_open(c->o.cgroup, true, e), rc;
	uint32_t key = 0;

	if (fd < 0)
		return -1;
	rc = bpf_map_update_elem(c->p.maps.cgroup, &key, &fd, 0) < 0
		     ? pt_err_sys(e, errno, "-G %s", c->o.cgroup)
		     : 0;
	close(fd);
	return rc;
}

/* No more than there can be. */
static uint32_t task_rows(const struct pt_collect *c)
{
	uint32_t rows = c->o.all ? TASKS_OF_MACHINE : TASKS_WATCHED;

	return (uint32_t)PT_MIN(pt_file_number("/proc/sys/kernel/pid_max", rows), (int64_t)rows);
}

static uint32_t sum_rows(const struct pt_collect *c)
{
	uint32_t of_calls = PT_CALL_SLOTS * (uint32_t)c->nr_cpus;

	if (!c->o.sum)
		return 0;
	return c->o.by == PT_SUM_TOTAL ? PT_MIN(of_calls, SUM_ROWS) : SUM_ROWS;
}

static int new_maps(struct pt_collect *c, struct pt_err *e)
{
	struct pt_programs_maps *m = &c->p.maps;
	const uint32_t state = sizeof(struct pt_task_state), sum = sizeof(struct pt_sum_value),
		       signal = (sizeof(struct pt_signal_state) + 7) & ~7u;
	const struct {
		int *fd;
		enum bpf_map_type type;
		const char *name;
		uint32_t key, value, entries, flags;
	} rows[] = {
		{ &m->tasks, BPF_MAP_TYPE_HASH, "pt_tasks", 4, state, task_rows(c),
		  BPF_F_NO_PREALLOC },
		{ &m->blank, BPF_MAP_TYPE_ARRAY, "pt_blank", 4, state, 2, 0 },
		{ &m->plans, BPF_MAP_TYPE_ARRAY, "pt_plans", 4, sizeof(struct pt_plan),
		  PT_CALL_SLOTS, 0 },
		{ &m->stats, BPF_MAP_TYPE_PERCPU_ARRAY, "pt_stats", 4, 8, PT_NR_STATS, 0 },
		{ &m->scratch, BPF_MAP_TYPE_PERCPU_ARRAY, "pt_scratch", 4, signal, 1, 0 },
		{ &m->sums, BPF_MAP_TYPE_HASH, "pt_sums", sizeof(struct pt_sum_key), sum,
		  sum_rows(c), BPF_F_NO_PREALLOC },
		{ &m->blank_sum, BPF_MAP_TYPE_ARRAY, "pt_blank_sum", 4, sum, c->o.sum, 0 },
		{ &m->cgroup, BPF_MAP_TYPE_CGROUP_ARRAY, "pt_cgroup", 4, 4, !!c->o.cgroup, 0 },
		/* for the session's events, which join later */
		{ &m->rings, BPF_MAP_TYPE_PERF_EVENT_ARRAY, "pt_rings", 4, 4,
		  c->o.perf_rings ? (uint32_t)c->nr_cpus : 0, 0 },
	};

	for (size_t i = 0; i < PT_NR(rows); i++) {
		LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = rows[i].flags);

		if (!rows[i].entries)
			continue;
		*rows[i].fd = bpf_map_create(rows[i].type, rows[i].name, rows[i].key,
					     rows[i].value, rows[i].entries, &opts);
		if (*rows[i].fd < 0)
			return pt_err_sys(e, -*rows[i].fd, "BPF map %s", rows[i].name);
	}
	return 0;
}

static int fill_plans(struct pt_collect *c, struct pt_err *e)
{
	uint32_t slots[PT_CALL_SLOTS], nr = PT_CALL_SLOTS;

	for (uint32_t i = 0; i < nr; i++)
		slots[i] = i;
	if (bpf_map_update_batch(c->p.maps.plans, slots, c->o.plans, &nr, NULL) < 0)
		return pt_err_sys(e, errno, "BPF map pt_plans");
	return 0;
}

static int fill_maps(struct pt_collect *c, struct pt_err *e)
{
	struct pt_task_state *state = pt_alloc(sizeof(*state));
	uint32_t key = 1;

	state->flags = PT_TASK_NEWBORN;
	bpf_map_update_elem(c->p.maps.blank, &key, state, 0);
	free(state);
	if (fill_plans(c, e) < 0)
		return -1;
	return c->o.cgroup ? fill_cgroup(c, e) : 0;
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
	if (btf__add_func(c->functions, "pt", BTF_FUNC_STATIC, function) != FUNCTION_TYPE ||
	    btf__load_into_kernel(c->functions) < 0)
		return pt_err_sys(e, errno, "types of functions (BTF)");
	return 0;
}

static int load_program(struct pt_collect *c, size_t i, struct pt_asm *a, struct pt_err *e)
{
	const struct pt_program_kind *kind = &pt_program_kinds[i];
	char log[4096] = "";
	struct bpf_func_info functions[1 + PT_ASM_FUNCTIONS] = { { 0, FUNCTION_TYPE } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int fd;

	*a = (struct pt_asm){ .nr = 0 };
	kind->write(a, &c->p);
	if (pt_asm_finish(a, e) < 0)
		return pt_err_context(e, "%s", kind->tracepoint);
	if (c->p.kernel.tracepoints[i] < 0)
		return pt_err_set(e, "the kernel has no tracepoint %s", kind->tracepoint);
	opts.attach_btf_id = (uint32_t)c->p.kernel.tracepoints[i];
	for (size_t f = 0; f < a->nr_functions; f++)
		functions[1 + f] = (struct bpf_func_info){ a->functions[f], FUNCTION_TYPE };
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

static int load_all(struct pt_collect *c, struct pt_err *e)
{
	struct pt_asm *a = pt_alloc(sizeof(*a));
	int rc = 0;

	for (size_t i = 0; i < PT_PROGRAM_KINDS && rc == 0; i++)
		if (pt_collect_needs(c, i))
			rc = load_program(c, i, a, e);
	free(a);
	return rc;
}

int pt_collect_load(struct pt_collect *c, struct pt_err *e)
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
	if (pt_programs_know_kernel(&c->p, e) < 0 || know_functions(c, e) < 0 ||
	    new_maps(c, e) < 0 || fill_maps(c, e) < 0)
		return -1;
	if (c->o.lines && !c->o.perf_rings && pt_collect_new_rings(c, e) < 0)
		return -1;
	return load_all(c, e);
}
