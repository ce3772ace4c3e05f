/* idle.c - tests if the kernel delivers the events of idle CPUs. Some kernels count them and
 * deliver none. */
#include "event/survey.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "base/bootanswer.h"
#include "base/mem.h"
#include "base/smallfile.h"
#include "event/open.h"
#include "event/ring.h"
#include "tracepoint/tracefs.h"

enum { WAKE_UPS = 100, RING_PAGES = 64 };

/* Another CPU than 0 that this process may use. */
static int other_cpu(const cpu_set_t *mine)
{
	int cpu;

	for (cpu = 1; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, mine))
			return cpu;
	return -1;
}

static int open_waking(int cpu, bool *has_lost, struct pt_err *e)
{
	struct pt_attr a = { .type = PERF_TYPE_TRACEPOINT,
			     .size = sizeof(a),
			     .sample_period = 1,
			     .sample_type = PERF_SAMPLE_TIME,
			     .read_format = PT_FORMAT_LOST,
			     .flags = PT_ATTR_DISABLED };
	const char *tracefs;
	char *path;
	int fd;

	if (pt_tracefs_find(&tracefs, e) < 0)
		return -1;
	path = pt_asprintf("%s/events/sched/sched_waking/id", tracefs);
	a.config = (uint64_t)pt_file_number(path, -1);
	free(path);
	fd = pt_perf_open(&a, -1, cpu, -1, 0);
	*has_lost = fd >= 0;
	if (fd == -EINVAL) {
		a.read_format = 0;
		fd = pt_perf_open(&a, -1, cpu, -1, 0);
	}
	return fd;
}

/* The timer of a sleeping thread wakes its CPU: the interrupt comes upon the idle task. */
static void wake_often(void)
{
	struct timespec t = { 0, 1500000 };
	int i;

	for (i = 0; i < WAKE_UPS; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* USER_HZ ticks that the CPU was idle; 0 if it cannot be read. */
static unsigned long long idle_ticks(int cpu)
{
	struct pt_buf text = PT_BUF_INIT;
	unsigned long long idle = 0;
	char line[32];
	const char *at;

	snprintf(line, sizeof(line), "\ncpu%d ", cpu);
	pt_file_add("/proc/stat", 1 << 20, &text);
	at = strstr(pt_buf_str(&text), line);
	if (at)
		sscanf(at + strlen(line), "%*u %*u %*u %llu", &idle);
	pt_buf_deinit(&text);
	return idle;
}

const char *pt_idle_test_run(struct pt_idle_test *t)
{
	struct pt_ring ring = { .fd = -1 };
	const struct perf_event_header *h;
	uint64_t values[2] = { 0, 0 }, head;
	unsigned long long ticks;
	cpu_set_t mine, one;
	bool has_lost;
	struct pt_err e;
	ssize_t n;
	int fd;

	if (sched_getaffinity(0, sizeof(mine), &mine) < 0 || (t->cpu = other_cpu(&mine)) < 0)
		return "there is no other CPU than 0";
	fd = open_waking(t->cpu, &has_lost, &e);
	if (fd < 0)
		return "this user may not watch whole CPUs";
	CPU_ZERO(&one);
	CPU_SET(t->cpu, &one);
	if (pt_ring_open(&ring, fd, RING_PAGES, &e) < 0 ||
	    sched_setaffinity(0, sizeof(one), &one) < 0) {
		pt_ring_close(&ring);
		close(fd);
		return "no ring, or the CPU cannot be chosen";
	}
	ticks = idle_ticks(t->cpu);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	wake_often();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	sched_setaffinity(0, sizeof(mine), &mine);
	t->was_idle = idle_ticks(t->cpu) - ticks >= 5;	/* of about 17 */
	n = read(fd, values, sizeof(values));
	t->counted = n > 0 ? values[0] : 0;
	t->lost = has_lost ? values[1] : 0;
	t->delivered = 0;
	head = pt_ring_head(&ring);
	while ((h = (const void *)pt_ring_peek(&ring, head))) {
		t->delivered += h->type == PERF_RECORD_SAMPLE;
		pt_ring_skip(&ring, h->size);
	}
	pt_ring_close(&ring);
	close(fd);
	return t->counted ? NULL : "nothing happened on the other CPU";
}

static int idle_test(void)
{
	struct pt_idle_test t;

	if (pt_idle_test_run(&t))
		return PT_IDLE_UNTESTED;
	if (t.delivered + t.lost < t.counted)
		return PT_IDLE_LOST;
	return t.was_idle ? PT_IDLE_DELIVERED : PT_IDLE_UNTESTED;
}

enum pt_idle_events pt_idle_events(void)
{
	return (enum pt_idle_events)pt_bootanswer("pt-idle-events", idle_test);
}
