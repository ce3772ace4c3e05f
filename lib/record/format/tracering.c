#include "record/format/tracering.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "tracepoint/tracefs.h"

enum { WAKE_AT_PERCENT = 25, MOST_OF_A_PROCESS = 1000 };

static const struct { const char *name; int id; } clocks[] = {
	{ "mono", CLOCK_MONOTONIC }, { "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "boot", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
};

const char *pt_tracering_clock(int clockid)
{
	for (size_t i = 0; i < PT_NR(clocks); i++)
		if (clocks[i].id == clockid)
			return clocks[i].name;
	return NULL;
}

int pt_tracering_clockid(const char *clock)
{
	for (size_t i = 0; i < PT_NR(clocks); i++)
		if (!strcmp(clocks[i].name, clock))
			return clocks[i].id;
	return -1;
}

static bool is_alive(int pid, unsigned long long start)
{
	struct pt_proc p;

	return pt_proc_read(pid, pid, &p) && p.start_ticks == start;
}

/* An instance in use is safe, even if its owner cannot be seen from here: the kernel refuses to
 * remove it. */
static void remove_orphans(void)
{
	char **names = tracefs_instances(NULL);	/* with a pattern, libtracefs 1.6 leaks it */

	for (size_t i = 0; names && names[i]; i++) {
		struct tracefs_instance *orphan;
		unsigned long long start;
		int pid, n, end = 0;

		if (sscanf(names[i], "pt-%d-%llu-%d%n", &pid, &start, &n, &end) != 3 ||
		    names[i][end] || is_alive(pid, start))
			continue;
		orphan = tracefs_instance_alloc(NULL, names[i]);
		tracefs_instance_destroy(orphan);
		tracefs_instance_free(orphan);
	}
	tracefs_list_free(names);
}

bool pt_tracering_allowed(void)
{
	struct pt_err ignored = PT_ERR_INIT;
	const char *tracefs;
	char *path;
	bool yes;

	if (pt_tracefs_find(&tracefs, &ignored) < 0)
		return false;
	path = pt_asprintf("%s/instances", tracefs);
	yes = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
	free(path);
	return yes;
}

static struct tracefs_instance *create(struct pt_err *e)
{
	struct pt_proc self;
	int pid = (int)getpid();

	if (!pt_proc_read(pid, pid, &self)) {
		pt_err_sys(e, errno, "/proc/%d/stat", pid);
		return NULL;
	}
	for (int n = 0; n < MOST_OF_A_PROCESS; n++) {
		char *name = pt_asprintf("pt-%d-%llu-%d", pid,
					 (unsigned long long)self.start_ticks, n);
		struct tracefs_instance *instance = tracefs_instance_create(name);
		int sys = errno;

		free(name);
		if (!instance) {
			pt_err_sys(e, sys, "an instance of tracefs");
			return NULL;
		}
		if (tracefs_instance_is_new(instance))
			return instance;
		tracefs_instance_free(instance);
	}
	pt_err_set(e, "this process has %d instances of tracefs", MOST_OF_A_PROCESS);
	return NULL;
}

static int tracering_write_file(struct tracefs_instance *t, const char *file, const char *text,
				struct pt_err *e)
{
	errno = 0;
	if (tracefs_instance_file_write(t, file, text) >= 0)
		return 0;
	return pt_err_sys(e, errno ? errno : EIO, "tracefs: %s", file);
}

static int tracering_prepare(struct tracefs_instance *t, int clockid, uint64_t bytes,
			     struct pt_err *e)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)(bytes + 1023) / 1024);
	if (tracering_write_file(t, "tracing_on", "0", e) < 0 ||
	    tracering_write_file(t, "trace_clock", pt_tracering_clock(clockid), e) < 0 ||
	    tracering_write_file(t, "buffer_size_kb", number, e) < 0)
		return -1;
	snprintf(number, sizeof(number), "%d", WAKE_AT_PERCENT);
	tracering_write_file(t, "buffer_percent", number, NULL); /* 4.20; before, any page wakes */
	return 0;
}

int pt_tracering_open(struct tracefs_instance **out, int clockid, uint64_t bytes, struct pt_err *e)
{
	const char *tracefs;

	if (pt_tracefs_find(&tracefs, e) < 0)
		return -1;
	remove_orphans();
	*out = create(e);
	if (*out && tracering_prepare(*out, clockid, bytes, e) == 0)
		return 0;
	pt_tracering_close(*out);
	*out = NULL;
	return -1;
}

void pt_tracering_close(struct tracefs_instance *t)
{
	if (!t)
		return;
	tracefs_instance_destroy(t);
	tracefs_instance_free(t);
}

void pt_tracering_cpus(struct tracefs_instance *t, const int *cpus, size_t nr)
{
	struct pt_buf b = PT_BUF_INIT;

	for (size_t i = 0; i < nr; i++)
		pt_buf_printf(&b, "%s%d", i ? "," : "", cpus[i]);
	tracefs_instance_set_affinity(t, pt_buf_str(&b));
	pt_buf_deinit(&b);
}

static int write_event(struct tracefs_instance *t, const struct pt_tp *tp, const char *file,
		       const char *text)
{
	char *path = pt_asprintf("events/%s/%s/%s", tp->system, tp->name, file);
	struct pt_err e = PT_ERR_INIT;

	tracering_write_file(t, path, text, &e);
	free(path);
	return e.sys;
}

int pt_tracering_filter(struct tracefs_instance *t, const struct pt_tp *tp, const char *filter)
{
	return write_event(t, tp, "filter", filter);
}

int pt_tracering_enable(struct tracefs_instance *t, const struct pt_tp *tp, bool on)
{
	return write_event(t, tp, "enable", on ? "1" : "0");
}

void pt_tracering_run(struct tracefs_instance *t, bool on)
{
	tracering_write_file(t, "tracing_on", on ? "1" : "0", NULL);
}

int pt_tracering_cpu(struct tracefs_instance *t, int cpu, struct pt_err *e)
{
	char *file = pt_asprintf("per_cpu/cpu%d/trace_pipe_raw", cpu);
	int fd = tracefs_instance_file_open(t, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		pt_err_sys(e, errno, "tracefs: %s", file);
	free(file);
	return fd;
}

static uint64_t tracering_figure(const char *stats, const char *name)
{
	const char *at = strstr(stats, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

uint64_t pt_tracering_lost(struct tracefs_instance *t, int cpu)
{
	char *file = pt_asprintf("per_cpu/cpu%d/stats", cpu);
	struct pt_buf b = PT_BUF_INIT;
	uint64_t lost = 0;

	if (!pt_tracefs_read(t, file, &b))
		lost = tracering_figure(pt_buf_str(&b), "\noverrun: ") +
		       tracering_figure(pt_buf_str(&b), "\ncommit overrun: ") +
		       tracering_figure(pt_buf_str(&b), "\ndropped events: ");
	pt_buf_deinit(&b);
	free(file);
	return lost;
}
