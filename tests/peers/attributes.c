/* attributes.c - preloaded by attributes.py: writes each event that a tool opens to the file
 * $PEERS_ATTRIBUTES, a section of "name=value" lines each, as perf writes them for its own tests.
 *
 * A hardware event that this machine does not have is opened as a dummy, and written as it was
 * asked for: its attribute is what is looked at. An event that is closed before the next one is
 * opened is left out, since the tool only asked whether the kernel knows it. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_EVENTS = 4096 };

struct event {
	struct perf_event_attr attr;
	int fd, pid, cpu, group_fd;
	unsigned long flags;
	bool closed;
};

static struct event events[MAX_EVENTS];
static int nr_events;

static long (*real_syscall(void))(long, ...)
{
	static long (*real)(long, ...);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real;
}

static bool needs_hardware(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
	       a->type == PERF_TYPE_RAW || a->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

static struct perf_event_attr dummy_of(const struct perf_event_attr *a)
{
	struct perf_event_attr d = *a;

	d.type = PERF_TYPE_SOFTWARE;
	d.config = PERF_COUNT_SW_DUMMY;
	d.config1 = d.config2 = 0;
	d.sample_type &= ~(__u64)PERF_SAMPLE_BRANCH_STACK;
	d.branch_sample_type = d.precise_ip = 0;
	return d;
}

static void forget_closed(void)
{
	int k = 0;

	for (int i = 0; i < nr_events; i++)
		if (!events[i].closed)
			events[k++] = events[i];
	nr_events = k;
}

static long open_event(const struct perf_event_attr *a, long pid, long cpu, long group_fd,
		       unsigned long flags)
{
	long fd = real_syscall()(SYS_perf_event_open, a, pid, cpu, group_fd, flags);

	if (fd < 0 && errno != EFAULT && errno != E2BIG && needs_hardware(a)) {
		struct perf_event_attr d = dummy_of(a);

		fd = real_syscall()(SYS_perf_event_open, &d, pid, cpu, group_fd, flags);
	}
	if (fd < 0)
		return fd;
	forget_closed();
	if (nr_events < MAX_EVENTS)
		events[nr_events++] = (struct event){ *a, (int)fd, (int)pid, (int)cpu,
						      (int)group_fd, flags, false };
	return fd;
}

long syscall(long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)a[0], (int)a[1], (int)a[2],
				  (int)a[3], (unsigned long)a[4]);
	return real_syscall()(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int close(int fd)
{
	for (int i = 0; i < nr_events; i++)
		if (events[i].fd == fd)
			events[i].closed = true;
	return (int)real_syscall()(SYS_close, fd);
}

static void write_event(FILE *f, int nr, const struct event *e)
{
	const struct perf_event_attr *a = &e->attr;

	fprintf(f, "[event%d]\nfd=%d\ngroup_fd=%d\npid=%d\ncpu=%d\nflags=%lu\n", nr, e->fd,
		e->group_fd, e->pid, e->cpu, e->flags);
#define MEMBER(name) fprintf(f, #name "=%llu\n", (unsigned long long)a->name);
	MEMBER(type) MEMBER(size) MEMBER(config) MEMBER(sample_period) MEMBER(sample_type)
	MEMBER(read_format) MEMBER(disabled) MEMBER(inherit) MEMBER(pinned) MEMBER(exclusive)
	MEMBER(exclude_user) MEMBER(exclude_kernel) MEMBER(exclude_hv) MEMBER(exclude_idle)
	MEMBER(mmap) MEMBER(comm) MEMBER(freq) MEMBER(inherit_stat) MEMBER(enable_on_exec)
	MEMBER(task) MEMBER(watermark) MEMBER(precise_ip) MEMBER(mmap_data) MEMBER(sample_id_all)
	MEMBER(exclude_host) MEMBER(exclude_guest) MEMBER(exclude_callchain_kernel)
	MEMBER(exclude_callchain_user) MEMBER(wakeup_events) MEMBER(bp_type) MEMBER(config1)
	MEMBER(config2) MEMBER(branch_sample_type) MEMBER(sample_regs_user)
	MEMBER(sample_stack_user)
#undef MEMBER
}

static void __attribute__((destructor)) write_all(void)
{
	const char *path = getenv("PEERS_ATTRIBUTES");
	FILE *f = path && nr_events ? fopen(path, "w") : NULL;

	for (int i = 0; f && i < nr_events; i++)
		write_event(f, i, &events[i]);
	if (f)
		fclose(f);
}
