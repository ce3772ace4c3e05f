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
static char *how_to_let_in(const struct pt_look *l, const char *tracefs)
{
	if (l->caps.user_namespace)
		return pt_strdup("run the tools on the host");
	return pt_asprintf("sudo mount -o remount,mode=0750,gid=%u %s", (unsigned)getegid(),
			   tracefs);
}

/* Only distribution kernels have a package of debug information. */
static char *kernel_debug_package(struct pt_look *l, const char *release)
{
	char *list = pt_asprintf("/var/lib/dpkg/info/linux-image-%s.list", release);
	char *image = pt_asprintf("/lib/modules/%s/vmlinuz", release);
	bool debian = !pt_look_access(l, list, F_OK),
	     fedora = !debian && !pt_look_access(l, image, F_OK);

	free(list);
	free(image);
	if (debian)
		return pt_asprintf("%sapt install linux-image-%s-dbg", l->sudo, release);
	if (fedora)
		return pt_asprintf("%sdnf debuginfo-install kernel", l->sudo);
	return pt_asprintf(
		"copy vmlinux of this kernel's build to /usr/lib/debug/boot/vmlinux-%s (no package here has it)",
		release);
}

/* The path of tracefs; NULL: not mounted. *hidden: unknown, this user may not look. */
static const char *tracefs(const struct pt_look *l, bool *hidden)
{
	static const char *const places[][2] = {
		{ "/sys/kernel/tracing", "/sys/kernel/tracing/events" },
		{ "/sys/kernel/debug/tracing", "/sys/kernel/debug/tracing/events" }
	};
	size_t i;

	*hidden = false;
	for (i = 0; i < PT_NR(places); i++) {
		int sys = pt_look_access(l, places[i][1], R_OK | X_OK);

		if (!sys)
			return places[i][0];
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
	const char *works = "tracepoints with their data";
	long long id;
	int sys = pt_look_number(l, path, &id), fd;

	free(path);
	if (sys == ENOENT) {
		pt_look_add(
			l, "tracepoints", PT_STATE_MISSING,
			pt_strdup(
				"this kernel has no sched:sched_switch: built without tracepoints"),
			NULL);
		return;
	}
	if (sys) {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING,
			    pt_asprintf("not for this user: %s (their ids cannot be read)", works),
			    how_to_let_in(l, place));
		return;
	}
	if (!l->real)
		return;
	a.config = (uint64_t)id;
	fd = pt_perf_open(&a, -1, 0, -1, 0);
	if (fd >= 0) {
		close(fd);
		pt_look_add(l, "tracepoints", PT_STATE_OK, pt_strdup(works), NULL);
	} else if (l->caps.perfmon) {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING,
			    pt_asprintf("%s: %s", works, strerror(-fd)), NULL);
	} else {
		pt_look_add(l, "tracepoints", PT_STATE_MISSING,
			    pt_asprintf("not for this user: %s", works),
			    pt_asprintf("%ssysctl kernel.perf_event_paranoid=-1", l->sudo));
	}
}

static void look_probes(struct pt_look *l, const char *place, const char *kind, const char *what,
			const char *config)
{
	char *path = pt_asprintf("%s/%s_events", place, kind);
	const char *key = *kind == 'k' ? "kprobes" : "uprobes";

	if (pt_look_access(l, path, F_OK) == ENOENT)
		pt_look_add(l, key, PT_STATE_MISSING,
			    pt_asprintf("this kernel was built without probes in %s", what),
			    pt_asprintf("a kernel with %s=y", config));
	else if (pt_look_access(l, path, W_OK))
		pt_look_add(
			l, key, PT_STATE_MISSING,
			pt_asprintf("not for this user: probes in %s (%s cannot be written)", what,
				    path),
			pt_asprintf(
				"%spt-probe ...; the probe then serves other users that may watch tracepoints",
				l->sudo));
	else
		pt_look_add(l, key, PT_STATE_OK, pt_asprintf("probes in %s", what), NULL);
	free(path);
}

static void look_tracefs(struct pt_look *l)
{
	bool hidden;
	const char *place = tracefs(l, &hidden);

	if (!place && hidden) {
		pt_look_add(
			l, "tracefs", PT_STATE_MISSING,
			pt_strdup(
				"this user may not read it: tracepoints and probes cannot be named"),
			how_to_let_in(l, "/sys/kernel/tracing"));
		return;
	}
	if (!place) {
		bool none = pt_look_access(l, "/sys/kernel/tracing", F_OK) == ENOENT &&
			    !pt_look_access(l, "/sys/kernel", F_OK);

		pt_look_add(l, "tracefs", PT_STATE_MISSING,
			    pt_strdup(none ? "this kernel has none: no tracepoints, no probes"
					   : "not mounted: tracepoints and probes cannot be named"),
			    none ? pt_strdup("a kernel with CONFIG_FTRACE=y")
				 : pt_asprintf("%smount -t tracefs tracefs /sys/kernel/tracing",
					       l->sudo));
		return;
	}
	pt_look_add(l, "tracefs", PT_STATE_OK, pt_asprintf("at %s", place), NULL);
	look_tracepoints(l, place);
	look_probes(l, place, "uprobe", "programs and libraries", "CONFIG_UPROBE_EVENTS");
	look_probes(l, place, "kprobe", "the kernel", "CONFIG_KPROBE_EVENTS");
}

static void look_symbols(struct pt_look *l)
{
	char text[256];
	long long restrict_level = -1;

	pt_look_number(l, "/proc/sys/kernel/kptr_restrict", &restrict_level);
	if (pt_look_text(l, "/proc/kallsyms", text, sizeof(text)))
		pt_look_add(l, "kernel-symbols", PT_STATE_MISSING,
			    pt_strdup("no /proc/kallsyms: kernel addresses stay numbers"),
			    pt_strdup("a kernel with CONFIG_KALLSYMS=y"));
	else if (strtoull(text, NULL, 16))
		pt_look_add(l, "kernel-symbols", PT_STATE_OK,
			    pt_strdup("names of kernel functions (/proc/kallsyms)"), NULL);
	else
		pt_look_add(
			l, "kernel-symbols", PT_STATE_MISSING,
			pt_asprintf(
				"the kernel hides its addresses (kernel.kptr_restrict is %lld, perf_event_paranoid %d)",
				restrict_level, l->caps.paranoid),
			restrict_level > 0 && !l->caps.perfmon
				? pt_asprintf(
					  "%ssysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1",
					  l->sudo)
				: pt_asprintf("%ssysctl %s", l->sudo,
					      restrict_level > 0 ? "kernel.kptr_restrict=0"
								 : "kernel.perf_event_paranoid=1"));
}

static void look_debug_info(struct pt_look *l)
{
	static const char *const places[] = { "/usr/lib/debug/boot/vmlinux-%s",
					      "/usr/lib/debug/lib/modules/%s/vmlinux",
					      "/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux" };
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct utsname u;
	size_t i;

	if (pt_look_access(l, "/sys/kernel/btf/vmlinux", R_OK))
		pt_look_add(l, "btf", PT_STATE_MISSING,
			    pt_strdup("no types of the kernel (/sys/kernel/btf/vmlinux)"),
			    pt_strdup("a kernel with CONFIG_DEBUG_INFO_BTF=y"));
	else
		pt_look_add(l, "btf", PT_STATE_OK,
			    pt_strdup("types of the kernel (/sys/kernel/btf/vmlinux)"), NULL);
	if (uname(&u) < 0)
		return;
	for (i = 0; i < PT_NR(places); i++) {
		const char *percent = strchr(places[i], '%');
		char *path = pt_asprintf("%.*s%s%s", (int)(percent - places[i]), places[i],
					 u.release, percent + 2);
		bool there = !pt_look_access(l, path, R_OK);

		if (there)
			pt_look_add(l, "kernel-debug", PT_STATE_OK,
				    pt_asprintf("lines and variables of the kernel (%s)", path),
				    NULL);
		free(path);
		if (there)
			break;
	}
	if (i == PT_NR(places))
		pt_look_add(
			l, "kernel-debug", PT_STATE_MISSING,
			pt_strdup(
				"no debug information of this kernel: no lines and variables in it"),
			kernel_debug_package(l, u.release));
	if (!pt_look_access(l, "/usr/lib/debug/.build-id", R_OK | X_OK))
		pt_look_add(l, "debug-files", PT_STATE_OK,
			    pt_asprintf("separate debug files below /usr/lib/debug%s",
					urls && *urls ? ", and DEBUGINFOD_URLS" : ""),
			    NULL);
	else if (urls && *urls)
		pt_look_add(l, "debug-files", PT_STATE_OK,
			    pt_strdup("from servers (DEBUGINFOD_URLS), with --debuginfod"), NULL);
	else
		pt_look_add(
			l, "debug-files", PT_STATE_LIMITED,
			pt_strdup(
				"no separate debug files (/usr/lib/debug/.build-id), no server: names only where programs carry them"),
			pt_strdup("export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/"));
}

static void look_cgroups(struct pt_look *l)
{
	/* Version 2 alone, or beside version 1 as in systemd's hybrid layout. */
	if (!pt_look_access(l, "/sys/fs/cgroup/cgroup.controllers", F_OK) ||
	    !pt_look_access(l, "/sys/fs/cgroup/unified/cgroup.controllers", F_OK))
		pt_look_add(l, "cgroups", PT_STATE_OK,
			    pt_strdup("control groups can be watched (-G)"), NULL);
	else if (!pt_look_access(l, "/sys/fs/cgroup/perf_event", F_OK))
		pt_look_add(l, "cgroups", PT_STATE_OK,
			    pt_strdup("control groups can be watched (-G, hierarchy perf_event)"),
			    NULL);
	else
		pt_look_add(l, "cgroups", PT_STATE_MISSING,
			    pt_strdup("no control groups mounted (-G)"),
			    pt_asprintf("%smount -t cgroup2 none /sys/fs/cgroup", l->sudo));
}

void pt_look_tracing(struct pt_look *l)
{
	look_tracefs(l);
	look_symbols(l);
	look_debug_info(l);
	look_cgroups(l);
}
