#include "event/caps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

/* The file's start as a string; false when it cannot be read. */
static bool slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

static bool number(const char *path, long *v)
{
	char text[64], *end;

	if (!slurp(path, text, sizeof(text)))
		return false;
	*v = strtol(text, &end, 10);
	return end != text;
}

void pt_caps_get(struct pt_caps *c)
{
	char text[8192], *at;
	unsigned first, outside, len;
	long v;

	*c = (struct pt_caps){ .root = !geteuid(), .paranoid = PT_PARANOID_UNKNOWN };
	if (slurp("/proc/self/status", text, sizeof(text))) {
		if ((at = strstr(text, "\nCapEff:")))
			c->effective = strtoull(at + 8, NULL, 16);
		if ((at = strstr(text, "\nSeccomp:")))
			c->seccomp = atoi(at + 9) == 2;
	} else if (c->root) {
		c->effective = ~0ull;	/* no /proc: the kernel will tell */
	}
	c->perfmon = c->effective & (1ull << PT_CAP_PERFMON | 1ull << PT_CAP_SYS_ADMIN);
	if (slurp("/proc/self/uid_map", text, sizeof(text)) && sscanf(text, "%u %u %u", &first, &outside, &len) == 3)
		c->user_namespace = first || outside || len != 4294967295u;
	if (number("/proc/sys/kernel/perf_event_paranoid", &v))
		c->paranoid = (int)v;
	else
		c->no_perf_events = !access("/proc/sys/kernel/pid_max", F_OK) && access("/proc/sys/kernel/perf_event_paranoid", F_OK) < 0;
}

const char *pt_caps_sudo(void)
{
	return geteuid() ? "sudo " : "";
}

/* The level that an open like this needs; levels above 2 are of Debian and Ubuntu kernels. */
static int needed_level(const struct pt_attr *attr, pid_t pid, const char **what)
{
	if (attr && attr->type == PERF_TYPE_TRACEPOINT && (attr->sample_type & PERF_SAMPLE_RAW)) {
		*what = "tracepoint data may not be read";
		return -1;
	}
	if (pid < 0) {
		*what = "all CPUs and all tasks may not be watched";
		return 0;
	}
	if (!attr || !(attr->flags & PT_ATTR_EXCLUDE_KERNEL)) {
		*what = "the kernel's part may not be watched";
		return 1;
	}
	*what = "events may not be opened at all";
	return 2;
}

static int not_permitted(struct pt_err *e, const struct pt_caps *c, const char *what, const struct pt_attr *attr, pid_t pid)
{
	const char *cannot;
	int level = needed_level(attr, pid, &cannot);

	if (c->seccomp && (c->perfmon || c->paranoid <= level))
		return pt_err_set(e, "%s: a filter of system calls (seccomp) forbids perf_event_open here; run the container with "
				  "--cap-add PERFMON, or --security-opt seccomp=unconfined", what);
	if (c->user_namespace)
		return pt_err_set(e, "%s: %s from within this user namespace (kernel.perf_event_paranoid is %d); run it on the host, or there: "
				  "sudo sysctl kernel.perf_event_paranoid=%d", what, cannot, c->paranoid, level);
	if (c->perfmon || (c->paranoid != PT_PARANOID_UNKNOWN && c->paranoid <= level)) {
		if (pid > 0)
			return pt_err_set(e, "%s: process %d belongs to another user, or may not be traced; run as root", what, (int)pid);
		return pt_err_set(e, "%s: the kernel forbids it (a security module, or lockdown: see /sys/kernel/security/lockdown)", what);
	}
	if (c->paranoid == PT_PARANOID_UNKNOWN)
		return pt_err_set(e, "%s: %s by this user (no CAP_PERFMON); run as root, or: sudo sysctl kernel.perf_event_paranoid=%d", what, cannot, level);
	return pt_err_set(e, "%s: %s by this user (kernel.perf_event_paranoid is %d, and no CAP_PERFMON); run as root, or: "
			  "sudo sysctl kernel.perf_event_paranoid=%d", what, cannot, c->paranoid, level);
}

static int too_many(struct pt_err *e, int sys, const char *what)
{
	struct rlimit l = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &l);
	if (sys == ENFILE)
		return pt_err_set(e, "%s: the machine has too many open files; %ssysctl fs.file-max", what, pt_caps_sudo());
	return pt_err_set(e, "%s: more events and tasks than the limit of %llu open files allows; raise it: ulimit -n %llu%s", what,
			  (unsigned long long)l.rlim_cur, (unsigned long long)(l.rlim_max > l.rlim_cur ? l.rlim_max : 1048576),
			  l.rlim_max > l.rlim_cur ? "" : " (as root)");
}

static int not_supported(struct pt_err *e, int sys, const char *what, const struct pt_attr *attr)
{
	bool hardware = attr && attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_BREAKPOINT;

	if (hardware && sys == EOPNOTSUPP)
		return pt_err_set(e, "%s: the hardware counts it but cannot sample it (no interrupt); count it with pt-stat, or sample cpu-clock", what);
	if (hardware)
		return pt_err_set(e, "%s: this machine's hardware or hypervisor has no such counter (in a virtual machine: ask for a virtual PMU); "
				  "cpu-clock works everywhere", what);
	return pt_err_sys(e, sys, "%s: this kernel does not have it", what);
}

int pt_caps_explain_open(struct pt_err *e, int sys, const char *what, const struct pt_attr *attr, pid_t pid, int cpu)
{
	struct pt_caps c;
	long max;

	pt_caps_get(&c);
	switch (sys) {
	case EACCES:
	case EPERM:
		not_permitted(e, &c, what, attr, pid);
		break;
	case ENOSYS:
		pt_err_set(e, "%s: no perf_event_open here: a kernel without CONFIG_PERF_EVENTS, or an emulator", what);
		break;
	case EMFILE:
	case ENFILE:
		too_many(e, sys, what);
		break;
	case ENOENT:
	case EOPNOTSUPP:
		not_supported(e, sys, what, attr);
		break;
	case ENODEV:
		if (cpu >= 0)
			pt_err_set(e, "%s: CPU %d is not there or off line (or has no such counter)", what, cpu);
		else
			not_supported(e, sys, what, attr);
		break;
	case EBUSY:
		pt_err_set(e, "%s: the counter is in use by another (a watchdog or a profiler); %ssysctl kernel.nmi_watchdog=0", what, pt_caps_sudo());
		break;
	case ESRCH:
		pt_err_set(e, "%s: there is no process or thread %d", what, (int)pid);
		break;
	case EINVAL:
		if (attr && (attr->flags & PT_ATTR_FREQ) && number("/proc/sys/kernel/perf_event_max_sample_rate", &max) && attr->sample_period > (uint64_t)max) {
			pt_err_set(e, "%s: %llu Hz is more than kernel.perf_event_max_sample_rate, %ld; lower it, or: %ssysctl kernel.perf_event_max_sample_rate=%llu",
				   what, (unsigned long long)attr->sample_period, max, pt_caps_sudo(), (unsigned long long)attr->sample_period);
			break;
		}
		/* fall through */
	default:
		pt_err_sys(e, sys, "%s: the kernel does not open it", what);
	}
	if (e)
		e->sys = sys;
	return -1;
}

int pt_caps_explain_mmap(struct pt_err *e, int sys, uint64_t bytes)
{
	long kb = -1;

	if (sys == EPERM) {
		number("/proc/sys/kernel/perf_event_mlock_kb", &kb);
		pt_err_set(e, "rings of %llu KB are more than this user may lock (kernel.perf_event_mlock_kb is %ld for each CPU): a smaller -m, or: "
			   "sudo sysctl kernel.perf_event_mlock_kb=%llu, or run as root", (unsigned long long)bytes >> 10, kb, ((unsigned long long)bytes >> 10) + 4);
	} else {
		pt_err_sys(e, sys, "a ring of %llu KB", (unsigned long long)bytes >> 10);
		if (sys == ENOMEM)
			pt_err_advice(e, "; a smaller -m needs less");
	}
	if (e)
		e->sys = sys;
	return -1;
}

int pt_caps_explain_tracefs(struct pt_err *e, int sys, const char *path)
{
	if (!path)
		pt_err_set(e, "tracefs is not mounted, and names of tracepoints are found there: %smount -t tracefs tracefs /sys/kernel/tracing", pt_caps_sudo());
	else if ((sys == EACCES || sys == EPERM) && geteuid())
		pt_err_set(e, "%s: this user may not read tracefs: run as root, or: sudo mount -o remount,mode=755,gid=%u /sys/kernel/tracing", path,
			   (unsigned)getegid());
	else
		pt_err_sys(e, sys, "%s", path);
	if (e)
		e->sys = sys;
	return -1;
}
