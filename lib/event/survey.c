#include "event/survey.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "event/survey_priv.h"

static char *format(const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	return pt_strdup(text);
}

void pt_look_add(struct pt_look *l, const char *key, enum pt_state state, const char *fmt, ...)
{
	struct pt_survey *s = l->s;
	va_list ap;

	PT_GROW(s->v, s->nr, s->cap);
	va_start(ap, fmt);
	s->v[s->nr++] = (struct pt_finding){ key, state, format(fmt, ap), NULL };
	va_end(ap);
}

void pt_look_cure(struct pt_look *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	l->s->v[l->s->nr - 1].cure = format(fmt, ap);
	va_end(ap);
}

void pt_look_sysctl(struct pt_look *l, const char *setting)
{
	pt_look_cure(l, "%ssysctl %s", l->sudo, setting);
}

int pt_look_text(const struct pt_look *l, const char *path, char *text, size_t size)
{
	char *full = pt_asprintf("%s%s", l->root, path);
	int sys = pt_file_text(full, text, size);

	free(full);
	return sys;
}

int pt_look_number(const struct pt_look *l, const char *path, long long *v)
{
	char text[64], *end;
	int sys = pt_look_text(l, path, text, sizeof(text));

	if (sys)
		return sys;
	*v = strtoll(text, &end, 10);
	return end == text ? EINVAL : 0;
}

int pt_look_access(const struct pt_look *l, const char *path, int mode)
{
	char *full = pt_asprintf("%s%s", l->root, path);
	int sys = access(full, mode) < 0 ? errno : 0;

	free(full);
	return sys;
}

static void survey_look_kernel(struct pt_look *l)
{
	struct utsname u;

	if (uname(&u) == 0)
		pt_look_add(l, "kernel", PT_STATE_OK, "%s %s on %s", u.sysname, u.release,
			    u.machine);
}

static void look_user(struct pt_look *l)
{
	const struct pt_caps *c = &l->caps;
	unsigned user = (unsigned)geteuid();

	if (c->user_namespace) {
		pt_look_add(l, "user", PT_STATE_LIMITED,
			    "user %u of a user namespace, whose rights do not count for perf events",
			    user);
		pt_look_cure(l, "run the tools on the host");
	} else if (c->perfmon) {
		pt_look_add(l, "user", PT_STATE_OK, "user %u, with %s", user,
			    c->effective >> PT_CAP_SYS_ADMIN & 1
				    ? "all that tracing needs (CAP_SYS_ADMIN)"
				    : "CAP_PERFMON");
	} else {
		pt_look_add(l, "user", PT_STATE_LIMITED,
			    "user %u, without CAP_PERFMON: the levels below decide", user);
		pt_look_cure(l, "run the tools with sudo");
	}
}

static void look_container(struct pt_look *l)
{
	if (l->caps.user_namespace) {
		pt_look_add(l, "container", PT_STATE_LIMITED,
			    "within a user namespace: its root is an ordinary user to perf events");
		pt_look_cure(l, "run the tools on the host");
	} else if (l->caps.seccomp) {
		pt_look_add(l, "container", PT_STATE_LIMITED,
			    "system calls are filtered (seccomp), as in containers: perf events may be among them");
		pt_look_cure(l, "start the container with --cap-add PERFMON, or --security-opt seccomp=unconfined");
	} else {
		pt_look_add(l, "container", PT_STATE_OK,
			    "no user namespace, no filter of system calls");
	}
}

static void look_paranoid(struct pt_look *l)
{
	static const char *const meanings[] = {
		"everybody may watch everything",
		"ordinary users: whole CPUs and the kernel, no tracepoint data",
		"ordinary users: their own processes, in the kernel too",
		"ordinary users: their own processes, outside the kernel only",
		"ordinary users: nothing at all",
	};
	int level = l->caps.paranoid;
	bool limited = !l->caps.perfmon && level >= 0;

	if (l->caps.no_perf_events) {
		pt_look_add(l, "paranoid", PT_STATE_MISSING, "this kernel has no perf events");
		pt_look_cure(l, "a kernel with CONFIG_PERF_EVENTS=y");
		return;
	}
	if (level == PT_PARANOID_UNKNOWN) {
		pt_look_add(l, "paranoid", PT_STATE_UNKNOWN,
			    "kernel.perf_event_paranoid cannot be read (no /proc/sys)");
		pt_look_cure(l, "%smount -t proc proc /proc", l->sudo);
		return;
	}
	pt_look_add(l, "paranoid",
		    !limited    ? PT_STATE_OK
		    : level > 2 ? PT_STATE_MISSING
				: PT_STATE_LIMITED,
		    "kernel.perf_event_paranoid is %d: %s%s", level,
		    meanings[level < 0 ? 0 : PT_MIN(level, 3) + 1],
		    !limited && level >= 0 ? "; not this user's limit" : "");
	if (limited)
		pt_look_sysctl(l, "kernel.perf_event_paranoid=-1");
}

static void look_lockdown(struct pt_look *l)
{
	char text[128];
	bool all;

	if (pt_look_text(l, "/sys/kernel/security/lockdown", text, sizeof(text)) ||
	    strstr(text, "[none]"))
		return;
	all = strstr(text, "[confidentiality]");
	pt_look_add(l, "lockdown", all ? PT_STATE_MISSING : PT_STATE_LIMITED,
		    "the kernel is locked down (%s): it refuses kernel probes%s", text,
		    all ? ", and tracing, to root too" : " at odd places");
	pt_look_cure(l, "boot without lockdown= (and without Secure Boot, where that brings it)");
}

static void look_mlock(struct pt_look *l)
{
	bool free_of_it = l->caps.effective >> PT_CAP_IPC_LOCK & 1 || l->caps.perfmon ||
			  l->caps.paranoid == -1;
	struct rlimit r = { 0, 0 };
	long long kb;

	if (pt_look_number(l, "/proc/sys/kernel/perf_event_mlock_kb", &kb))
		return;
	getrlimit(RLIMIT_MEMLOCK, &r);
	if (free_of_it || r.rlim_cur == RLIM_INFINITY) {
		pt_look_add(l, "memory", PT_STATE_OK,
			    "rings of any size (kernel.perf_event_mlock_kb is %lld, not this user's limit)",
			    kb);
		return;
	}
	pt_look_add(l, "memory", PT_STATE_LIMITED,
		    "rings of %lld KB a CPU (kernel.perf_event_mlock_kb), and %llu KB more in all (ulimit -l): floods of events may be lost",
		    kb, (unsigned long long)r.rlim_cur >> 10);
	pt_look_sysctl(l, "kernel.perf_event_mlock_kb=8196");
}

/* Values of /proc/sys/kernel that are large enough from `enough` on; `free`: also that one. */
static const struct {
	const char *key, *file;
	long long enough, free;
	const char *text, *cure;
} limits[] = {
	{ "rate", "perf_event_max_sample_rate", 10000, -1,
	  "up to %lld samples a second (kernel.perf_event_max_sample_rate; the kernel lowers it by itself)",
	  "kernel.perf_event_max_sample_rate=100000" },
	{ "cpu-time", "perf_cpu_time_max_percent", 25, 0,
	  "sampling may take %lld%% of the CPU before it is slowed down (kernel.perf_cpu_time_max_percent; 0 and 100: never)",
	  "kernel.perf_cpu_time_max_percent=25" },
	{ "stack-depth", "perf_event_max_stack", 127, -1,
	  "call chains of up to %lld frames (kernel.perf_event_max_stack)",
	  "kernel.perf_event_max_stack=127" },
};

static void look_limits(struct pt_look *l)
{
	long long v;

	for (size_t i = 0; i < PT_NR(limits); i++) {
		char *path = pt_asprintf("/proc/sys/kernel/%s", limits[i].file);
		int sys = pt_look_number(l, path, &v);
		bool good;

		free(path);
		if (sys)
			continue;
		good = v >= limits[i].enough || v == limits[i].free;
		pt_look_add(l, limits[i].key, good ? PT_STATE_OK : PT_STATE_LIMITED, limits[i].text,
			    v);
		if (!good)
			pt_look_sysctl(l, limits[i].cure);
	}
	if (!pt_look_number(l, "/proc/sys/kernel/nmi_watchdog", &v) && v &&
	    !pt_look_access(l, "/sys/bus/event_source/devices/cpu", F_OK)) {
		pt_look_add(l, "watchdog", PT_STATE_LIMITED,
			    "the NMI watchdog holds one hardware counter (kernel.nmi_watchdog is 1)");
		pt_look_sysctl(l, "kernel.nmi_watchdog=0");
	}
}

static void look_files(struct pt_look *l)
{
	bool more = l->caps.effective >> PT_CAP_SYS_RESOURCE & 1, enough;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return;
	enough = more || r.rlim_max >= 65536;
	pt_look_add(l, "files", enough ? PT_STATE_OK : PT_STATE_LIMITED,
		    "%llu open files%s: one an event and CPU, or thread, is needed",
		    (unsigned long long)r.rlim_max, more ? " (and more, as root)" : "");
	if (!enough)
		pt_look_cure(l, "%sprlimit --pid $$ --nofile=1048576%s", l->sudo,
			     l->caps.user_namespace ? ", and start from that shell" : "");
}

static void look_idle(struct pt_look *l)
{
	static const char not_tested[] = "not tested whether events of idle CPUs arrive";
	struct pt_idle_test t;
	const char *why = pt_idle_test_run(&t);

	if (why) {
		pt_look_add(l, "idle-cpus", PT_STATE_UNKNOWN, "%s: %s", not_tested, why);
	} else if (t.delivered + t.lost < t.counted) {
		pt_look_add(l, "idle-cpus", PT_STATE_LIMITED,
			    "this kernel counts events of idle CPUs, but does not deliver all of them (CPU %d: %llu of %llu arrived): "
			    "interrupts, completions of disks, switches from idle",
			    t.cpu, t.delivered, t.counted);
		pt_look_cure(l, "tracepoints of the whole machine are taken from tracefs' own ring, which has all but switches away from idle (--ring tracefs); for other sessions keep each CPU but 0 out of idle: chrt --idle 0 taskset -c 1 sh -c 'while :; do :; done'");
	} else if (t.was_idle) {
		pt_look_add(l, "idle-cpus", PT_STATE_OK,
			    "events of idle CPUs arrive (%llu of %llu, CPU %d)", t.delivered,
			    t.counted, t.cpu);
	} else {
		pt_look_add(l, "idle-cpus", PT_STATE_UNKNOWN, "%s: CPU %d is busy", not_tested,
			    t.cpu);
	}
}

void pt_survey_run(struct pt_survey *s, const struct pt_survey_opts *o)
{
	struct pt_look l = { .s = s,
			     .root = o->root ? o->root : "",
			     .real = !o->root && o->events };
	const struct pt_finding *tracefs;

	pt_caps_get_at(&l.caps, l.root);
	l.sudo = geteuid() || !l.caps.perfmon ? "sudo " : "";
	if (l.caps.user_namespace) {	/* the kernel wants rights in the initial user namespace */
		l.caps.effective = 0;
		l.caps.perfmon = false;
		l.sudo = "on the host: sudo ";
	}
	survey_look_kernel(&l);
	look_user(&l);
	look_container(&l);
	look_paranoid(&l);
	look_lockdown(&l);
	if (l.real)
		pt_look_events(&l);
	pt_look_tracing(&l);
	look_mlock(&l);
	look_files(&l);
	look_limits(&l);
	tracefs = pt_survey_find(s, "tracefs");
	/* (the test would mount it, as root) */
	if (l.real && o->idle && tracefs->state == PT_STATE_OK)
		look_idle(&l);
}

void pt_survey_deinit(struct pt_survey *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		free(s->v[i].text);
		free(s->v[i].cure);
	}
	free(s->v);
	*s = (struct pt_survey){ 0 };
}

const char *pt_state_name(enum pt_state state)
{
	static const char *const names[] = { [PT_STATE_OK] = "ok",
					     [PT_STATE_LIMITED] = "limited",
					     [PT_STATE_MISSING] = "missing",
					     [PT_STATE_UNKNOWN] = "unknown" };

	return names[state];
}

const struct pt_finding *pt_survey_find(const struct pt_survey *s, const char *key)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->v[i].key, key))
			return &s->v[i];
	return NULL;
}
