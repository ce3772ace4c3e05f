/* survey_trace.c - tracefs, probes, symbols of the kernel, debug information. */
#include "event/survey_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/open.h"

/* Groups of a user namespace are not those of the mount, which is the host's. */
static void cure_by_remount(struct pt_look *l, const char *tracefs)
{
	if (l->caps.user_namespace)
		pt_look_cure(l, "run the tools on the host");
	else
		pt_look_cure(l, "sudo mount -o remount,mode=0750,gid=%u %s", (unsigned)getegid(),
			     tracefs);
}

/* Only distribution kernels have a package of debug information. */
static void cure_by_debug_package(struct pt_look *l, const char *release)
{
	char *list = pt_asprintf("/var/lib/dpkg/info/linux-image-%s.list", release);
	char *image = pt_asprintf("/lib/modules/%s/vmlinuz", release);

	if (!pt_look_access(l, list, F_OK))
		pt_look_cure(l, "%sapt install linux-image-%s-dbg", l->sudo, release);
	else if (!pt_look_access(l, image, F_OK))
		pt_look_cure(l, "%sdnf debuginfo-install kernel", l->sudo);
	else
		pt_look_cure(l, "copy vmlinux of this kernel's build to /usr/lib/debug/boot/vmlinux-%s (no package here has it)",
			     release);
	free(list);
	free(image);
}

/* The path of tracefs; NULL: not mounted. *hidden: unknown, this user may not look. */
static const char *tracefs(const struct pt_look *l, bool *hidden)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	*hidden = false;
	for (size_t i = 0; i < PT_NR(places); i++) {
		char *events = pt_asprintf("%s/events", places[i]);
		int sys = pt_look_access(l, events, R_OK | X_OK);

		free(events);
		if (!sys)
			return places[i];
		*hidden |= sys == EACCES;
	}
	return NULL;
}

/* Opens sched:sched_switch with its data, as a tool would. */
static void look_tracepoints(struct pt_look *l, const char *place)
{
	struct pt_attr a = { .type = PERF_TYPE_TRACEPOINT,
			     .size = sizeof(a),
			     .sample_period = 1,
			     .sample_type = PERF_SAMPLE_RAW,
			     .flags = PT_ATTR_DISABLED };
	char *path = pt_asprintf("%s/events/sched/sched_switch/id", place);
	static const char works[] = "tracepoints with their data";
	long long id;
	int sys = pt_look_number(l, path, &id);

	free(path);
	if (sys == ENOENT) {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING,
			    "this kernel has no sched:sched_switch: built without tracepoints");
		return;
	}
	if (sys) {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING,
			    "not for this user: %s (their ids cannot be read)", works);
		cure_by_remount(l, place);
		return;
	}
	if (!l->real)
		return;
	a.config = (uint64_t)id;
	sys = pt_perf_try(&a, -1, 0);
	if (!sys) {
		pt_look_add(l, "tracepoints", PT_STATE_OK, "%s", works);
	} else if (l->caps.perfmon) {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING, "%s: %s", works, strerror(sys));
	} else {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING, "not for this user: %s", works);
		pt_look_sysctl(l, "kernel.perf_event_paranoid=-1");
	}
}

static void look_probes(struct pt_look *l, const char *place, const char *kind, const char *what,
			const char *config)
{
	char *path = pt_asprintf("%s/%s_events", place, kind);
	const char *key = *kind == 'k' ? "kprobes" : "uprobes";

	if (pt_look_access(l, path, F_OK) == ENOENT) {
		pt_look_add(l, key, PT_STATE_MISSING,
			    "this kernel was built without probes in %s", what);
		pt_look_cure(l, "a kernel with %s=y", config);
	} else if (pt_look_access(l, path, W_OK)) {
		pt_look_add(l, key, PT_STATE_MISSING,
			    "not for this user: probes in %s (%s cannot be written)", what, path);
		pt_look_cure(l, "%spt-probe ...; the probe then serves other users that may watch tracepoints",
			     l->sudo);
	} else {
		pt_look_add(l, key, PT_STATE_OK, "probes in %s", what);
	}
	free(path);
}

static void look_tracefs(struct pt_look *l)
{
	bool hidden;
	const char *place = tracefs(l, &hidden);

	if (place) {
		pt_look_add(l, "tracefs", PT_STATE_OK, "at %s", place);
		look_tracepoints(l, place);
		look_probes(l, place, "uprobe", "programs and libraries", "CONFIG_UPROBE_EVENTS");
		look_probes(l, place, "kprobe", "the kernel", "CONFIG_KPROBE_EVENTS");
	} else if (hidden) {
		pt_look_add(l, "tracefs", PT_STATE_MISSING,
			    "this user may not read it: tracepoints and probes cannot be named");
		cure_by_remount(l, "/sys/kernel/tracing");
	} else if (pt_look_access(l, "/sys/kernel/tracing", F_OK) == ENOENT &&
		   !pt_look_access(l, "/sys/kernel", F_OK)) {
		pt_look_add(l, "tracefs", PT_STATE_MISSING,
			    "this kernel has none: no tracepoints, no probes");
		pt_look_cure(l, "a kernel with CONFIG_FTRACE=y");
	} else {
		pt_look_add(l, "tracefs", PT_STATE_MISSING,
			    "not mounted: tracepoints and probes cannot be named");
		pt_look_cure(l, "%smount -t tracefs tracefs /sys/kernel/tracing", l->sudo);
	}
}

static void look_symbols(struct pt_look *l)
{
	long long restricts = -1;
	char text[256];

	pt_look_number(l, "/proc/sys/kernel/kptr_restrict", &restricts);
	if (pt_look_text(l, "/proc/kallsyms", text, sizeof(text))) {
		pt_look_add(l, "kernel-symbols", PT_STATE_MISSING,
			    "no /proc/kallsyms: kernel addresses stay numbers");
		pt_look_cure(l, "a kernel with CONFIG_KALLSYMS=y");
	} else if (strtoull(text, NULL, 16)) {
		pt_look_add(l, "kernel-symbols", PT_STATE_OK,
			    "names of kernel functions (/proc/kallsyms)");
	} else {
		pt_look_add(l, "kernel-symbols", PT_STATE_MISSING,
			    "the kernel hides its addresses (kernel.kptr_restrict is %lld, perf_event_paranoid %d)",
			    restricts, l->caps.paranoid);
		pt_look_cure(l, "%ssysctl%s%s", l->sudo,
			     restricts > 0 ? " kernel.kptr_restrict=0" : "",
			     restricts <= 0 || !l->caps.perfmon ? " kernel.perf_event_paranoid=1"
								: "");
	}
}

static void look_kernel_debug(struct pt_look *l)
{
	static const char *const places[][2] = { { "/usr/lib/debug/boot/vmlinux-", "" },
						 { "/usr/lib/debug/lib/modules/", "/vmlinux" },
						 { "/boot/vmlinux-", "" },
						 { "/lib/modules/", "/build/vmlinux" } };
	struct utsname u;

	if (uname(&u) < 0)
		return;
	for (size_t i = 0; i < PT_NR(places); i++) {
		char *path = pt_asprintf("%s%s%s", places[i][0], u.release, places[i][1]);
		bool there = !pt_look_access(l, path, R_OK);

		if (there)
			pt_look_add(l, "kernel-debug", PT_STATE_OK,
				    "lines and variables of the kernel (%s)", path);
		free(path);
		if (there)
			return;
	}
	pt_look_add(l, "kernel-debug", PT_STATE_MISSING,
		    "no debug information of this kernel: no lines and variables in it");
	cure_by_debug_package(l, u.release);
}

static void look_debug_info(struct pt_look *l)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool served = urls && *urls;

	if (pt_look_access(l, "/sys/kernel/btf/vmlinux", R_OK)) {
		pt_look_add(l, "btf", PT_STATE_MISSING,
			    "no types of the kernel (/sys/kernel/btf/vmlinux)");
		pt_look_cure(l, "a kernel with CONFIG_DEBUG_INFO_BTF=y");
	} else {
		pt_look_add(l, "btf", PT_STATE_OK,
			    "types of the kernel (/sys/kernel/btf/vmlinux)");
	}
	look_kernel_debug(l);
	if (!pt_look_access(l, "/usr/lib/debug/.build-id", R_OK | X_OK)) {
		pt_look_add(l, "debug-files", PT_STATE_OK,
			    "separate debug files below /usr/lib/debug%s",
			    served ? ", and DEBUGINFOD_URLS" : "");
	} else if (served) {
		pt_look_add(l, "debug-files", PT_STATE_OK,
			    "from servers (DEBUGINFOD_URLS), with --debuginfod");
	} else {
		pt_look_add(l, "debug-files", PT_STATE_LIMITED,
			    "no separate debug files (/usr/lib/debug/.build-id), no server: names only where programs carry them");
		pt_look_cure(l, "export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/");
	}
}

static void look_cgroups(struct pt_look *l)
{
	/* Version 2 alone, or beside version 1 as in systemd's hybrid layout; version 1. */
	static const char *const places[] = { "/sys/fs/cgroup/cgroup.controllers",
					      "/sys/fs/cgroup/unified/cgroup.controllers",
					      "/sys/fs/cgroup/perf_event" };

	for (size_t i = 0; i < PT_NR(places); i++)
		if (!pt_look_access(l, places[i], F_OK)) {
			pt_look_add(l, "cgroups", PT_STATE_OK,
				    "control groups can be watched (-G%s)",
				    i == 2 ? ", hierarchy perf_event" : "");
			return;
		}
	pt_look_add(l, "cgroups", PT_STATE_MISSING, "no control groups mounted (-G)");
	pt_look_cure(l, "%smount -t cgroup2 none /sys/fs/cgroup", l->sudo);
}

void pt_look_tracing(struct pt_look *l)
{
	look_tracefs(l);
	look_symbols(l);
	look_debug_info(l);
	look_cgroups(l);
}
