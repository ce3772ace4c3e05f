#include "event/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "event/survey_priv.h"

void pt_look_add(struct pt_look *l, const char *key, enum pt_state state, char *text, char *cure)
{
	struct pt_survey *s = l->s;

	PT_GROW(s->v, s->nr, s->cap);
	s->v[s->nr++] = (struct pt_finding){ key, state, text, cure };
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

static void look_kernel(struct pt_look *l)
{
	struct utsname u;

	if (uname(&u) < 0)
		return;
	pt_look_add(l, "kernel", PT_STATE_OK,
		    pt_asprintf("%s %s on %s", u.sysname, u.release, u.machine), NULL);
}

static void look_user(struct pt_look *l)
{
	const struct pt_caps *c = &l->caps;

	if (c->user_namespace)
		pt_look_add(
			l, "user", PT_STATE_LIMITED,
			pt_asprintf(
				"user %u of a user namespace, whose rights do not count for perf events",
				(unsigned)geteuid()),
			pt_strdup("run the tools on the host"));
	else if (c->perfmon)
		pt_look_add(l, "user", PT_STATE_OK,
			    pt_asprintf("user %u, with %s", (unsigned)geteuid(),
					c->effective >> PT_CAP_SYS_ADMIN & 1
						? "all that tracing needs (CAP_SYS_ADMIN)"
						: "CAP_PERFMON"),
			    NULL);
	else
		pt_look_add(l, "user", PT_STATE_LIMITED,
			    pt_asprintf("user %u, without CAP_PERFMON: the levels below decide",
					(unsigned)geteuid()),
			    pt_strdup("run the tools with sudo"));
}

static void look_container(struct pt_look *l)
{
	const struct pt_caps *c = &l->caps;

	if (c->user_namespace)
		pt_look_add(
			l, "container", PT_STATE_LIMITED,
			pt_strdup(
				"within a user namespace: its root is an ordinary user to perf events"),
			pt_strdup("run the tools on the host"));
	else if (c->seccomp)
		pt_look_add(
			l, "container", PT_STATE_LIMITED,
			pt_strdup(
				"system calls are filtered (seccomp), as in containers: perf events may be among them"),
			pt_strdup(
				"start the container with --cap-add PERFMON, or --security-opt seccomp=unconfined"));
	else
		pt_look_add(l, "container", PT_STATE_OK,
			    pt_strdup("no user namespace, no filter of system calls"), NULL);
}

static const char *paranoid_meaning(int level)
{
	if (level < 0)
		return "everybody may watch everything";
	if (level == 0)
		return "ordinary users: whole CPUs and the kernel, no tracepoint data";
	if (level == 1)
		return "ordinary users: their own processes, in the kernel too";
	if (level == 2)
		return "ordinary users: their own processes, outside the kernel only";
	return "ordinary users: nothing at all";
}

static void look_paranoid(struct pt_look *l)
{
	int level = l->caps.paranoid;

	if (l->caps.no_perf_events) {
		pt_look_add(l, "paranoid", PT_STATE_MISSING,
			    pt_strdup("this kernel has no perf events"),
			    pt_strdup("a kernel with CONFIG_PERF_EVENTS=y"));
		return;
	}
	if (level == PT_PARANOID_UNKNOWN) {
		pt_look_add(l, "paranoid", PT_STATE_UNKNOWN,
			    pt_strdup("kernel.perf_event_paranoid cannot be read (no /proc/sys)"),
			    pt_asprintf("%smount -t proc proc /proc", l->sudo));
		return;
	}
	pt_look_add(l, "paranoid",
		    l->caps.perfmon || level < 0 ? PT_STATE_OK
		    : level > 2                  ? PT_STATE_MISSING
						 : PT_STATE_LIMITED,
		    pt_asprintf("kernel.perf_event_paranoid is %d: %s%s", level,
				paranoid_meaning(level),
				l->caps.perfmon && level >= 0 ? "; not this user's limit" : ""),
		    l->caps.perfmon || level < 0
			    ? NULL
			    : pt_asprintf("%ssysctl kernel.perf_event_paranoid=-1", l->sudo));
}

static void look_lockdown(struct pt_look *l)
{
	char text[128];

	if (pt_look_text(l, "/sys/kernel/security/lockdown", text, sizeof(text)))
		return;
	if (strstr(text, "[none]"))
		return;
	pt_look_add(
		l, "lockdown",
		strstr(text, "[confidentiality]") ? PT_STATE_MISSING : PT_STATE_LIMITED,
		pt_asprintf("the kernel is locked down (%s): it refuses kernel probes%s", text,
			    strstr(text, "[confidentiality]") ? ", and tracing, to root too"
							      : " at odd places"),
		pt_strdup(
			"boot without lockdown= (and without Secure Boot, where that brings it)"));
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
	if (free_of_it || r.rlim_cur == RLIM_INFINITY)
		pt_look_add(
			l, "memory", PT_STATE_OK,
			pt_asprintf(
				"rings of any size (kernel.perf_event_mlock_kb is %lld, not this user's limit)",
				kb),
			NULL);
	else
		pt_look_add(
			l, "memory", PT_STATE_LIMITED,
			pt_asprintf(
				"rings of %lld KB a CPU (kernel.perf_event_mlock_kb), and %llu KB more in all (ulimit -l): floods of events may be lost",
				kb, (unsigned long long)r.rlim_cur >> 10),
			pt_asprintf("%ssysctl kernel.perf_event_mlock_kb=8196", l->sudo));
}

static void look_rates(struct pt_look *l)
{
	long long v;

	if (!pt_look_number(l, "/proc/sys/kernel/perf_event_max_sample_rate", &v))
		pt_look_add(
			l, "rate", v >= 10000 ? PT_STATE_OK : PT_STATE_LIMITED,
			pt_asprintf(
				"up to %lld samples a second (kernel.perf_event_max_sample_rate; the kernel lowers it by itself)",
				v),
			v >= 10000
				? NULL
				: pt_asprintf("%ssysctl kernel.perf_event_max_sample_rate=100000",
					      l->sudo));
	if (!pt_look_number(l, "/proc/sys/kernel/perf_cpu_time_max_percent", &v))
		pt_look_add(
			l, "cpu-time", v == 0 || v >= 25 ? PT_STATE_OK : PT_STATE_LIMITED,
			v && v < 100
				? pt_asprintf(
					  "sampling may take %lld%% of the CPU before it is slowed down (kernel.perf_cpu_time_max_percent)",
					  v)
				: pt_strdup("sampling is never slowed down for the time it takes"),
			v == 0 || v >= 25
				? NULL
				: pt_asprintf("%ssysctl kernel.perf_cpu_time_max_percent=25",
					      l->sudo));
	if (!pt_look_number(l, "/proc/sys/kernel/perf_event_max_stack", &v))
		pt_look_add(
			l, "stack-depth", v >= 127 ? PT_STATE_OK : PT_STATE_LIMITED,
			pt_asprintf(
				"call chains of up to %lld frames (kernel.perf_event_max_stack)",
				v),
			v >= 127
				? NULL
				: pt_asprintf("%ssysctl kernel.perf_event_max_stack=127", l->sudo));
	if (!pt_look_number(l, "/proc/sys/kernel/nmi_watchdog", &v) && v &&
	    !pt_look_access(l, "/sys/bus/event_source/devices/cpu", F_OK))
		pt_look_add(
			l, "watchdog", PT_STATE_LIMITED,
			pt_strdup(
				"the NMI watchdog holds one hardware counter (kernel.nmi_watchdog is 1)"),
			pt_asprintf("%ssysctl kernel.nmi_watchdog=0", l->sudo));
}

static void look_files(struct pt_look *l)
{
	bool more = l->caps.effective >> PT_CAP_SYS_RESOURCE & 1;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return;
	if (more || r.rlim_max >= 65536)
		pt_look_add(
			l, "files", PT_STATE_OK,
			pt_asprintf("%llu open files%s: one an event and CPU, or thread, is needed",
				    (unsigned long long)r.rlim_max,
				    more ? " (and more, as root)" : ""),
			NULL);
	else
		pt_look_add(
			l, "files", PT_STATE_LIMITED,
			pt_asprintf("%llu open files: one an event and CPU, or thread, is needed",
				    (unsigned long long)r.rlim_max),
			pt_asprintf("%sprlimit --pid $$ --nofile=1048576%s", l->sudo,
				    l->caps.user_namespace ? ", and start from that shell" : ""));
}

static void look_idle(struct pt_look *l)
{
	struct pt_idle_test t;
	const char *why;

	if (pt_idle_test_run(&t, &why) < 0) {
		pt_look_add(l, "idle-cpus", PT_STATE_UNKNOWN,
			    pt_asprintf("not tested whether events of idle CPUs arrive: %s", why),
			    NULL);
		return;
	}
	if (t.delivered + t.lost >= t.counted && !t.was_idle)
		pt_look_add(
			l, "idle-cpus", PT_STATE_UNKNOWN,
			pt_asprintf("not tested whether events of idle CPUs arrive: CPU %d is busy",
				    t.cpu),
			NULL);
	else if (t.delivered + t.lost >= t.counted)
		pt_look_add(l, "idle-cpus", PT_STATE_OK,
			    pt_asprintf("events of idle CPUs arrive (%llu of %llu, CPU %d)",
					t.delivered, t.counted, t.cpu),
			    NULL);
	else
		pt_look_add(
			l, "idle-cpus", PT_STATE_LIMITED,
			pt_asprintf(
				"this kernel counts events of idle CPUs, but does not deliver all of them (CPU %d: %llu of %llu arrived): "
				"interrupts, completions of disks, switches from idle",
				t.cpu, t.delivered, t.counted),
			pt_strdup(
				"tracepoints of the whole machine are taken from tracefs' own ring, which has them (--ring tracefs); for other sessions keep each CPU but 0 out of idle: chrt --idle 0 taskset -c 1 sh -c 'while :; do :; done'"));
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
	look_kernel(&l);
	look_user(&l);
	look_container(&l);
	look_paranoid(&l);
	look_lockdown(&l);
	if (l.real)
		pt_look_events(&l);
	pt_look_tracing(&l);
	look_mlock(&l);
	look_files(&l);
	look_rates(&l);
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
