#include "event/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "event/caps.h"
#include "test.h"

/* A made-up /proc and /sys. */
static void put(const char *path, const char *text)
{
	char full[512], *p;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", pt_test_dir(), path);
	for (p = strchr(full + strlen(pt_test_dir()) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

static struct pt_survey s;

static void look(void)
{
	pt_survey_deinit(&s);
	pt_survey_run(&s, &(struct pt_survey_opts){ .root = pt_test_dir(), .events = true, .idle = true });
}

static const struct pt_finding *found(const char *key)
{
	const struct pt_finding *f = pt_survey_find(&s, key);

	if (!f)
		FAIL("nothing on %s", key);
	return f;
}

#define IS(key, want_state, part)                                         \
	do {                                                              \
		const struct pt_finding *f_ = found(key);                 \
		CHECK_STR(pt_state_name(f_->state), want_state);          \
		CHECK_HAS(f_->text, part);                                \
	} while (0)

static const char ordinary[] = "Name:\tx\nCapEff:\t0000000000000000\nSeccomp:\t0\n";

TEST(nothing_there)
{
	look();
	IS("paranoid", "unknown", "cannot be read");
	IS("tracefs", "missing", "not mounted");
	IS("kernel-symbols", "missing", "no /proc/kallsyms");
	IS("btf", "missing", "");
	CHECK(!pt_survey_find(&s, "rate"));
	pt_survey_deinit(&s);
}

TEST(levels_of_an_ordinary_user)
{
	static const struct { const char *level, *state, *part; } t[] = {
		{ "-1", "ok", "everybody" }, { "0", "limited", "no tracepoint data" }, { "1", "limited", "in the kernel too" },
		{ "2", "limited", "outside the kernel only" }, { "3", "missing", "nothing at all" }, { "4", "missing", "nothing at all" },
	};
	size_t i;

	put("/proc/self/status", ordinary);
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		put("/proc/sys/kernel/perf_event_paranoid", t[i].level);
		look();
		IS("paranoid", t[i].state, t[i].part);
		IS("user", "limited", "without CAP_PERFMON");
		if (i)
			CHECK_STR(found("paranoid")->cure, "sudo sysctl kernel.perf_event_paranoid=-1");
	}
	put("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	look();
	IS("user", "ok", "with CAP_PERFMON");
	IS("paranoid", "ok", "not this user's limit");
	CHECK(!found("paranoid")->cure);
	pt_survey_deinit(&s);
}

TEST(containers)
{
	put("/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\nSeccomp:\t2\n");
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	look();
	IS("container", "limited", "seccomp");
	CHECK_HAS(found("container")->cure, "--cap-add PERFMON");
	put("/proc/self/uid_map", "         0     100000      65536\n");
	look();
	IS("container", "limited", "user namespace");
	pt_survey_deinit(&s);
}

/* The kernel asks for rights in the first user namespace: a full set of another one counts for nothing. */
TEST(rights_within_a_user_namespace_do_not_count)
{
	put("/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n");
	put("/proc/self/uid_map", "         0     100000      65536\n");
	put("/proc/sys/kernel/perf_event_paranoid", "2\n");
	put("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put("/sys/kernel/tracing/events/sched/sched_switch/enable", "0\n");
	look();
	IS("user", "limited", "of a user namespace");
	IS("paranoid", "limited", "outside the kernel only");
	CHECK(!strstr(found("paranoid")->text, "not this user's limit"));
	CHECK_STR(found("paranoid")->cure, "on the host: sudo sysctl kernel.perf_event_paranoid=-1");
	CHECK(!strstr(found("files")->text, "as root"));
	for (size_t i = 0; i < s.nr; i++)
		CHECK(!s.v[i].cure || (!strstr(s.v[i].cure, "gid=") && strncmp(s.v[i].cure, "sudo", 4) && strncmp(s.v[i].cure, "sysctl", 6)));
	pt_survey_deinit(&s);
}

/* The package is suggested where the distribution has one: where it has installed the kernel that runs. */
TEST(debug_package_of_the_kernel)
{
	struct utsname u;
	char path[512];

	CHECK_INT(uname(&u), 0);
	look();
	CHECK_HAS(found("kernel-debug")->cure, "copy vmlinux of this kernel's build");
	pt_survey_deinit(&s);
	snprintf(path, sizeof(path), "/var/lib/dpkg/info/linux-image-%s.list", u.release);
	put(path, "/boot\n");
	look();
	CHECK_HAS(found("kernel-debug")->cure, "apt install linux-image-");
	pt_survey_deinit(&s);
}

TEST(limits)
{
	put("/proc/self/status", ordinary);
	put("/proc/sys/kernel/perf_event_paranoid", "2\n");
	put("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put("/proc/sys/kernel/perf_event_max_sample_rate", "1000\n");
	put("/proc/sys/kernel/perf_cpu_time_max_percent", "5\n");
	put("/proc/sys/kernel/perf_event_max_stack", "64\n");
	put("/proc/sys/kernel/nmi_watchdog", "1\n");
	put("/sys/bus/event_source/devices/cpu/type", "4\n");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	look();
	IS("rate", "limited", "up to 1000 samples");
	CHECK_HAS(found("rate")->cure, "sysctl kernel.perf_event_max_sample_rate=100000");
	IS("cpu-time", "limited", "5%");
	IS("stack-depth", "limited", "64 frames");
	IS("watchdog", "limited", "NMI");
	IS("lockdown", "limited", "[integrity]");
	put("/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/proc/sys/kernel/perf_cpu_time_max_percent", "0\n");
	look();
	IS("rate", "ok", "100000");
	IS("cpu-time", "ok", "0 and 100: never");
	CHECK(!pt_survey_find(&s, "lockdown"));
	pt_survey_deinit(&s);
}

TEST(tracing)
{
	put("/sys/kernel/tracing/events/sched/sched_switch/id", "316\n");
	put("/sys/kernel/tracing/uprobe_events", "");
	put("/proc/kallsyms", "ffffffff81000000 T _text\n");
	put("/sys/kernel/btf/vmlinux", "x");
	look();
	IS("tracefs", "ok", "at /sys/kernel/tracing");
	IS("uprobes", "ok", "programs");
	IS("kprobes", "missing", "built without");
	IS("kernel-symbols", "ok", "names");
	IS("btf", "ok", "types");
	put("/proc/kallsyms", "0000000000000000 T _text\n");
	put("/proc/sys/kernel/kptr_restrict", "1\n");
	look();
	IS("kernel-symbols", "missing", "kernel.kptr_restrict is 1");
	CHECK_HAS(found("kernel-symbols")->cure, "kernel.kptr_restrict=0");
	pt_survey_deinit(&s);
}

/* Version 2 may lie beside hierarchies of version 1. */
TEST(control_groups)
{
	look();
	IS("cgroups", "missing", "-G");
	put("/sys/fs/cgroup/unified/cgroup.controllers", "");
	look();
	IS("cgroups", "ok", "-G");
	pt_survey_deinit(&s);
}

TEST(refusals)
{
	struct pt_attr tracepoint = { .type = PERF_TYPE_TRACEPOINT }, clock = { .type = PERF_TYPE_SOFTWARE },
		       own = { .type = PERF_TYPE_SOFTWARE, .flags = PT_ATTR_EXCLUDE_KERNEL };
	struct pt_err e;
	const char *what;

	CHECK_INT(pt_caps_level(&tracepoint, true, &what), -1);
	CHECK_INT(pt_caps_level(&clock, false, &what), 0);
	CHECK_INT(pt_caps_level(&clock, true, &what), 1);
	CHECK_INT(pt_caps_level(&own, true, &what), 2);
	CHECK_INT(pt_caps_refused(&e, EACCES, "cs", &clock, false), -1);
	CHECK_INT(e.sys, EACCES);
	CHECK_INT(strncmp(e.msg, "cs: ", 4), 0);
}
