#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void proc_path(char path[64], int pid, const char *name)
{
	if (pid)
		snprintf(path, 64, "/proc/%d/%s", pid, name);
	else
		snprintf(path, 64, "/proc/self/%s", name);
}

/* /proc/PID/timens_offsets shows the namespace of the process's future children. Its own differs
 * between unshare(2) and the next exec or fork. */
static bool has_own_offsets(int pid)
{
	char own[64], children[64];
	struct stat a, b;

	proc_path(own, pid, "ns/time");
	proc_path(children, pid, "ns/time_for_children");
	return !stat(own, &a) && !stat(children, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

int64_t pt_clock_offset_ns(int pid, int id)
{
	const char *wanted = id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ? "monotonic"
			     : id == CLOCK_BOOTTIME			     ? "boottime"
									     : NULL;
	char path[64], name[32];
	long long s, ns, offset_ns = 0;
	FILE *f = NULL;

	proc_path(path, pid, "timens_offsets");
	if (wanted && has_own_offsets(pid))
		f = fopen(path, "re");
	while (f && fscanf(f, "%31s %lld %lld", name, &s, &ns) == 3)
		if (!strcmp(name, wanted))
			offset_ns = s * 1000000000 + ns;
	if (f)
		fclose(f);
	return offset_ns;
}

struct pt_clock pt_clock(int id)
{
	return (struct pt_clock){ id, pt_clock_offset_ns(0, id) };
}

uint64_t pt_clock_now_ns(const struct pt_clock *c)
{
	struct timespec ts;

	if (clock_gettime(c->id, &ts) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec - (uint64_t)c->offset_ns;
}
