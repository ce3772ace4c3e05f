#include "event/caps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"

/* Reads the file's start as a string; false, and errno, if it cannot be read. */
static bool slurp(const char *root, const char *path, char *text, size_t size)
{
	char *full = pt_asprintf("%s%s", root, path);
	int sys = pt_file_text(full, text, size);

	free(full);
	errno = sys;
	return !sys;
}

void pt_caps_get(struct pt_caps *c)
{
	pt_caps_get_at(c, "");
}

void pt_caps_get_at(struct pt_caps *c, const char *root)
{
	char text[8192], *at;
	unsigned first, outside, len;

	*c = (struct pt_caps){ .root = !geteuid(), .paranoid = PT_PARANOID_UNKNOWN };
	if (slurp(root, "/proc/self/status", text, sizeof(text))) {
		if ((at = strstr(text, "\nCapEff:")))
			c->effective = strtoull(at + 8, NULL, 16);
		if ((at = strstr(text, "\nSeccomp:")))
			c->seccomp = atoi(at + 9) == 2;
	} else if (c->root) {
		c->effective = ~0ull;	/* no /proc: the kernel will decide */
	}
	c->perfmon = c->effective & (1ull << PT_CAP_PERFMON | 1ull << PT_CAP_SYS_ADMIN);
	if (slurp(root, "/proc/self/uid_map", text, sizeof(text)) &&
	    sscanf(text, "%u %u %u", &first, &outside, &len) == 3)
		c->user_namespace = first || outside || len != 4294967295u;
	if (slurp(root, "/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)))
		c->paranoid = atoi(text);
	else	/* it is the only one that is not there */
		c->no_perf_events = errno == ENOENT && slurp(root, "/proc/sys/kernel/pid_max", text,
							     sizeof(text));
}

int pt_caps_level(const struct pt_attr *attr, bool task, const char **what)
{
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		*what = "tracepoints";
		return -1;
	}
	if (!task) {
		*what = "events of whole CPUs (-a, -C, -G)";
		return 0;
	}
	if (!(attr->flags & PT_ATTR_EXCLUDE_KERNEL)) {
		*what = "events within the kernel";
		return 1;
	}
	*what = "events";	/* only kernels of Debian and Ubuntu refuse it above 2 */
	return 2;
}

int pt_caps_refused(struct pt_err *e, int sys, const char *what, const struct pt_attr *attr,
		    bool task)
{
	const char *which;
	int level = pt_caps_level(attr, task, &which);
	bool low = true;	/* the level is not the obstacle */
	struct pt_caps c;

	pt_caps_get(&c);
	if (!c.perfmon || c.user_namespace)
		low = c.paranoid != PT_PARANOID_UNKNOWN && c.paranoid <= level;
	if (low && c.seccomp)
		pt_err_set(
			e,
			"%s: a filter of system calls (seccomp) forbids it: start the container with `--cap-add PERFMON`, or with "
			"`--security-opt seccomp=unconfined`",
			what);
	else if (low)
		pt_err_set(
			e,
			"%s: the kernel refuses it (%s): the task may be another user's, or a container or security module forbids perf events",
			what, strerror(sys));
	else if (c.paranoid == PT_PARANOID_UNKNOWN)
		pt_err_set(
			e,
			"%s: this user may not watch %s; as root: `sysctl kernel.perf_event_paranoid=%d`, or give the tool CAP_PERFMON",
			what, which, level);
	else
		pt_err_set(
			e,
			"%s: this user may not watch %s (kernel.perf_event_paranoid is %d%s); as root%s: `sysctl kernel.perf_event_paranoid=%d`, "
			"or give the tool CAP_PERFMON",
			what, which, c.paranoid,
			c.user_namespace ? ", and rights within a user namespace do not count" : "",
			c.user_namespace ? " of the host" : "", level);
	if (e)
		e->sys = sys;
	return -1;
}
