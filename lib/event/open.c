#include "event/open.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "event/caps.h"
#include "event/pmu.h"

bool pt_event_is_kernels(const struct pt_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* Raises the soft limit of open files to the hard one, and as root that. True: it has grown. */
static bool raise_file_limit(void)
{
	struct rlimit was, more;
	int64_t most = pt_file_number("/proc/sys/fs/nr_open", 1 << 20);

	if (getrlimit(RLIMIT_NOFILE, &was) < 0)
		return false;
	more = was;
	if (was.rlim_cur < was.rlim_max) {
		more.rlim_cur = was.rlim_max;
		return setrlimit(RLIMIT_NOFILE, &more) == 0;
	}
	if (was.rlim_max >= (rlim_t)most)
		return false;
	more.rlim_cur = more.rlim_max = (rlim_t)most;	/* needs CAP_SYS_RESOURCE */
	return setrlimit(RLIMIT_NOFILE, &more) == 0;
}

int pt_perf_open(const struct pt_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	long fd;
	int sys;

	do {
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			     flags | PERF_FLAG_FD_CLOEXEC);
		sys = fd < 0 ? errno : 0;
	} while (sys == EMFILE && raise_file_limit());
	return fd < 0 ? -sys : (int)fd;
}

int pt_perf_try(const struct pt_attr *attr, pid_t pid, int cpu)
{
	int fd = pt_perf_open(attr, pid, cpu, -1, 0);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

bool pt_event_is_clock(const struct pt_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

struct pt_attr pt_dummy_attr(uint64_t flags)
{
	return (struct pt_attr){ .type = PERF_TYPE_SOFTWARE,
				 .size = sizeof(struct pt_attr),
				 .config = PERF_COUNT_SW_DUMMY,
				 .flags = flags | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV };
}

/* Newest first: flags are dropped one by one until the kernel accepts the rest. */
static const uint64_t side_band_flags[] = {
	PT_ATTR_BUILD_ID,			/* 5.12 */
	PT_ATTR_TEXT_POKE,			/* 5.9 */
	PT_ATTR_CGROUP,				/* 5.7 */
	PT_ATTR_KSYMBOL | PT_ATTR_BPF_EVENT,	/* 5.1 */
	PT_ATTR_NAMESPACES,			/* 4.12; needs CAP_PERFMON */
	PT_ATTR_COMM_EXEC | PT_ATTR_MMAP2,	/* 3.16 */
};

/* Several flags may be unknown at once: tries without all of them, then with each alone. Returns
 * the errno. */
static int probe_dummy(struct pt_kernel *k)
{
	struct pt_attr a = pt_dummy_attr(PT_ATTR_DISABLED | PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_MMAP |
					 PT_ATTR_COMM | PT_ATTR_TASK | PT_ATTR_USE_CLOCKID);
	uint64_t plain = a.flags;
	int sys;

	a.clockid = CLOCK_MONOTONIC;
	sys = pt_perf_try(&a, 0, -1);
	if (sys)
		return sys;
	for (size_t i = 0; i < PT_NR(side_band_flags); i++) {
		a.flags = plain | side_band_flags[i];
		if (!pt_perf_try(&a, 0, -1))
			k->side_band |= side_band_flags[i];
	}
	a.flags = plain;
	a.read_format = PERF_FORMAT_ID | PT_FORMAT_LOST;
	k->lost = !pt_perf_try(&a, 0, -1);
	a.read_format = PERF_FORMAT_ID;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	a.flags |= PT_ATTR_INHERIT;
	k->inherit_read = !pt_perf_try(&a, 0, -1);
	return 0;
}

int pt_kernel_probe(struct pt_kernel *k, struct pt_err *e)
{
	struct pt_attr a = pt_dummy_attr(0);
	int sys;

	memset(k, 0, sizeof(*k));
	k->paranoid = (int)pt_file_number("/proc/sys/kernel/perf_event_paranoid", 2);
	k->max_rate_hz =
		(uint64_t)pt_file_number("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
	sys = probe_dummy(k);
	if (sys == EINVAL && !pt_perf_try(&a, 0, -1))
		return pt_err_set(
			e,
			"this kernel cannot stamp events with a clock of ours (Linux 4.1 is the oldest that can)");
	return sys ? pt_open_error(e, sys, "dummy", &a, PT_OPEN_TASK) : 0;
}

void pt_want_open_files(uint64_t nr)
{
	struct rlimit now;

	while (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur < nr && raise_file_limit())
		;
}

static bool has_core_pmu(void)
{
	struct pt_pmus *p = pt_pmus_new(NULL);
	bool has = p->nr_core;

	pt_pmus_free(p);
	return has;
}

/* A message that comes with its errno. */
static int refusal(struct pt_err *e, int sys, const char *name, const char *why)
{
	pt_err_set(e, "%s: %s", name, why);
	if (e)
		e->sys = sys;
	return -1;
}

static int no_such_event(struct pt_err *e, int sys, const char *name, const struct pt_attr *attr)
{
	bool hardware = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
			attr->type == PERF_TYPE_RAW;

	if (sys == EOPNOTSUPP && attr->flags & PT_ATTR_PRECISE_IP)
		return refusal(e, 0, name,
			       "this machine has no precise sampling of it: leave out the modifier p");
	if (sys == EOPNOTSUPP && attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return refusal(e, sys, name,
			       "this machine has no branch records of it, which -b, -j and `--call-graph lbr` need; `--call-graph dwarf` and fp do without");
	if (hardware && !has_core_pmu())
		return refusal(e, sys, name,
			       "this machine shows no hardware counters (no PMU, as in most virtual machines); `-e cpu-clock` samples by time instead");
	return refusal(e, sys, name,
		       hardware ? "this machine's hardware counters do not have this event"
				: "this kernel does not have this event");
}

/* EINVAL: what of the attribute may be wrong. */
static int invalid(struct pt_err *e, const char *name, const struct pt_attr *attr)
{
	uint64_t rate =
		(uint64_t)pt_file_number("/proc/sys/kernel/perf_event_max_sample_rate", 0);

	if (attr->flags & PT_ATTR_FREQ && rate && attr->sample_period > rate)
		return pt_err_set(
			e,
			"%s: %llu samples a second are more than the kernel allows (%llu); as root: "
			"`sysctl kernel.perf_event_max_sample_rate=%llu`",
			name, (unsigned long long)attr->sample_period, (unsigned long long)rate,
			(unsigned long long)attr->sample_period);
	if (attr->clockid != CLOCK_MONOTONIC && attr->clockid != CLOCK_MONOTONIC_RAW &&
	    attr->type != PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_SOFTWARE)
		return pt_err_sys(
			e, EINVAL,
			"%s: hardware events take the clocks monotonic and monotonic_raw only",
			name);
	if (attr->type > PERF_TYPE_BREAKPOINT && attr->sample_period)
		return pt_err_sys(
			e, EINVAL,
			"%s: the kernel does not take it so; many PMUs can be counted (pt-stat), not sampled",
			name);
	return pt_err_sys(e, EINVAL, "%s: the kernel does not take this event with these options",
			  name);
}

int pt_open_error(struct pt_err *e, int sys, const char *name, const struct pt_attr *attr,
		  enum pt_open_target target)
{
	static const struct { int sys; const char *what; } others[] = {
		{ ENFILE, "the system's table of open files is full (fs.file-max)" },
		{ EBUSY, "another user of the counters holds it alone" },
		{ ENOSPC, "all breakpoint or counter slots are taken" },
		{ ENOSYS, "this kernel is built without perf events (CONFIG_PERF_EVENTS)" },
		{ E2BIG, "this kernel is too old for these options" },
	};
	struct rlimit files = { 0, 0 };

	switch (sys) {
	case EACCES:
	case EPERM:
		return pt_caps_refused(e, sys, name, attr, target == PT_OPEN_TASK);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case ENXIO:
		return no_such_event(e, sys, name, attr);
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &files);
		pt_err_sys(e, sys,
			   "%s: one file an event, thread and CPU is needed, and %llu may be open",
			   name, (unsigned long long)files.rlim_cur);
		return pt_err_advice(
			e,
			"; raise the limit (`ulimit -Hn`, nofile of limits.conf), or watch the machine with -a");
	case EINVAL:
		return invalid(e, name, attr);
	}
	for (size_t i = 0; i < PT_NR(others); i++)
		if (others[i].sys == sys)
			return pt_err_sys(e, sys, "%s: %s", name, others[i].what);
	return pt_err_sys(e, sys, "%s", name);
}

int pt_mmap_error(struct pt_err *e, int sys, uint32_t pages)
{
	uint64_t kb = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	struct rlimit lock = { 0, 0 };

	if (sys != EPERM)
		return pt_err_sys(e, sys, "a ring of %llu KB for events", (unsigned long long)kb);
	getrlimit(RLIMIT_MEMLOCK, &lock);
	pt_err_sys(
		e, sys,
		"a ring of %llu KB a CPU is more than this user may lock (kernel.perf_event_mlock_kb is %lld, `ulimit -l` %llu KB)",
		(unsigned long long)kb,
		(long long)pt_file_number("/proc/sys/kernel/perf_event_mlock_kb", 516),
		lock.rlim_cur == RLIM_INFINITY ? 0ull : (unsigned long long)lock.rlim_cur / 1024);
	return pt_err_advice(
		e, "; give a smaller -m, or as root: `sysctl kernel.perf_event_mlock_kb=%llu`",
		(unsigned long long)kb * 2 + 64);
}

const char *pt_sampling_default_event(void)
{
	struct pt_attr a = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = PT_ATTR_DISABLED | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV,
	};

	return pt_perf_try(&a, 0, -1) ? "cpu-clock" : "cycles";
}
