#include "probe/tracefs/watch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "tracepoint/tracefs.h"
#include "probe/tracefs/dyn.h"

enum { WAIT_SECONDS = 60, NAP_NS = 5000000, LOOKS = 40 };

void pt_probe_watch_group(const char *path, struct pt_buf *group)
{
	const char *base = path ? basename(path) : "kernel";
	size_t from;

	pt_buf_printf(group, "pt%d_", (int)getpid());
	from = group->len;
	for (; *base && group->len - from < 40; base++)
		pt_buf_putc(group, isalnum((unsigned char)*base) ? *base : '_');
}

/* One round; returns how many could not be removed. */
static int remove_once(const char *group, struct pt_err *e)
{
	struct pt_dyn d;
	int left;

	if (pt_dyn_open(&d, e) < 0)
		return -1;
	left = (int)pt_dyn_remove_group(&d, group);
	if (!left)
		pt_dyn_disown_group(&d, group);
	pt_dyn_close(&d);
	return left;
}

/* The kernel's list is read a page at a time: when another's probe in front is deleted meanwhile,
 * one is missing from what was read. The group's folder is there until its last event is gone. */
static bool group_is_there(const char *group)
{
	const char *tracefs;
	char *path;
	bool there;

	if (pt_tracefs_find(&tracefs, NULL) < 0)
		return false;
	path = pt_asprintf("%s/events/%s", tracefs, group);
	there = !access(path, F_OK);
	free(path);
	return there;
}

/* Removes all events of the group; retries for `seconds` those in use. Returns how many are left;
 * -1: the list cannot be read. */
static int remove_group(const char *group, unsigned seconds, struct pt_err *e)
{
	struct timespec nap = { .tv_nsec = NAP_NS };
	int left = remove_once(group, e), looks = 0;

	for (uint64_t tries = (uint64_t)seconds * 1000000000 / NAP_NS;
	     tries && (left || (looks++ < LOOKS && group_is_there(group))); tries--) {
		nanosleep(&nap, NULL);
		left = remove_once(group, e);
	}
	return left;
}

static void __attribute__((noreturn)) watcher(int fd, const char *group)
{
	int null = open("/dev/null", O_RDWR), held = fcntl(fd, F_DUPFD, 10);
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	sigset_t none;
	ssize_t n;
	char c;

	setsid();
	/* Whatever the tool had taken or ignored: a watcher dies by SIGKILL alone. */
	for (size_t i = 0; i < PT_NR(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* neither may be one of those that are replaced now */
	null = fcntl(null, F_DUPFD, 10);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	dup2(held, 3);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 4u, ~0u, 0) < 0)
#endif
		for (int i = 4; i < 4096; i++)
			close(i);
	if (chdir("/") < 0)
		_exit(1);
	do
		n = read(3, &c, 1);
	while (n > 0 || (n < 0 && errno == EINTR));
	_exit(remove_group(group, WAIT_SECONDS, NULL) ? 1 : 0);
}

int pt_probe_watch_start(struct pt_probe_watch *w, const char *group, struct pt_err *e)
{
	sigset_t all, was;
	int p[2], sys;

	*w = (struct pt_probe_watch){ .fd = -1 };
	if (pipe2(p, O_CLOEXEC) < 0)
		return pt_err_sys(e, errno, "pipe");
	/* No signal meets it before it is ready for that. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &was);
	w->pid = fork();
	sys = errno;
	if (!w->pid) {
		close(p[1]);
		watcher(p[0], group);
	}
	sigprocmask(SIG_SETMASK, &was, NULL);
	close(p[0]);
	w->fd = p[1];
	if (w->pid > 0)
		return 0;
	w->pid = 0;
	close(w->fd);
	return pt_err_sys(e, sys, "fork");
}

void pt_probe_watch_end(struct pt_probe_watch *w)
{
	if (w->pid <= 0)
		return;
	close(w->fd);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}
