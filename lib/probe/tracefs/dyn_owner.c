/* Several of these programs at once: only one makes names at a time, and none removes what another
 * script has just made and not used yet. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/newfile.h"
#include "base/proc.h"
#include "base/smallfile.h"
#include "probe/tracefs/dyn_priv.h"
#include "tracepoint/tracefs.h"

enum { MAX_CHAIN = 8, WAIT_MS = 10000, NAP_MS = 5 };

struct who { int pid; unsigned long long start; };

static bool same_program(int a, int b)
{
	struct pt_buf x = PT_BUF_INIT, y = PT_BUF_INIT;
	char path[64];
	bool same;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", a);
	same = !pt_file_add(path, SIZE_MAX, &x) && x.len;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", b);
	same = same && !pt_file_add(path, SIZE_MAX, &y) && x.len == y.len &&
	       !memcmp(x.data, y.data, x.len);
	pt_buf_deinit(&x);
	pt_buf_deinit(&y);
	return same;
}

/* Finds who runs this program: its parent, and further ancestors as long as they are copies of one
 * another (a shell and its subshells). */
static unsigned chain(struct who *v)
{
	int pid = getppid();
	struct pt_proc p;
	unsigned nr = 0;

	while (nr < MAX_CHAIN && pid > 1 && pt_proc_read(pid, pid, &p)) {
		v[nr++] = (struct who){ pid, p.start_ticks };
		if (p.parent <= 1 || !same_program(pid, p.parent))
			break;
		pid = p.parent;
	}
	return nr;
}

static char *mark_of(const struct pt_dyn *d, const char *group, const char *event)
{
	return pt_asprintf("%s/by:%s:%s", d->marks, group, event);
}

bool pt_dyn_is_others(const struct pt_dyn *d, const char *group, const char *event)
{
	struct pt_buf b = PT_BUF_INIT;
	struct who own[MAX_CHAIN], w;
	unsigned nr, i, len = 0, lines = 0;
	bool others = false;
	const char *at;
	struct pt_proc p;
	char *path;

	if (!d->marks)
		return false;
	path = mark_of(d, group, event);
	nr = pt_file_add(path, SIZE_MAX, &b) ? 0 : chain(own);
	for (at = pt_buf_str(&b); nr && !others && lines < MAX_CHAIN &&
				  sscanf(at, "%d %llu\n%n", &w.pid, &w.start, (int *)&len) == 2;
	     at += len, lines++) {
		for (i = 0; i < nr && (own[i].pid != w.pid || own[i].start != w.start); i++)
			;
		others = i == nr && w.pid > 1 && pt_proc_read(w.pid, w.pid, &p) &&
			 p.start_ticks == w.start;
	}
	pt_buf_deinit(&b);
	free(path);
	return others;
}

void pt_dyn_own(const struct pt_dyn *d, const char *group, const char *event)
{
	struct who own[MAX_CHAIN];
	struct pt_newfile n;
	unsigned nr, i;
	char *path;

	if (!d->marks || !dyn_folder_is_ours(d->marks))
		return;
	path = mark_of(d, group, event);
	if (!pt_newfile_open(&n, path, 0644, NULL)) {
		nr = chain(own);
		for (i = 0; i < nr; i++)
			dprintf(n.fd, "%d %llu\n", own[i].pid, own[i].start);
		pt_newfile_publish(&n, NULL);
	}
	free(path);
}

void dyn_disown(const struct pt_dyn *d, const char *group, const char *event)
{
	char *path;

	if (!d->marks)
		return;
	path = mark_of(d, group, event);
	unlink(path);
	free(path);
}

/* Removes marks of events that other programs removed. */
static void sweep(const struct pt_dyn *d)
{
	DIR *dir = d->marks && dyn_folder_is_ours(d->marks) ? opendir(d->marks) : NULL;
	struct dirent *x;

	while (dir && (x = readdir(dir))) {
		bool there = strncmp(x->d_name, "by:", 3) != 0;

		for (size_t i = 0; i < d->nr && !there; i++) {
			size_t len = strlen(d->defs[i].group);

			there = !strncmp(x->d_name + 3, d->defs[i].group, len) &&
				x->d_name[3 + len] == ':' &&
				!strcmp(x->d_name + 4 + len, d->defs[i].event);
		}
		if (!there)
			unlinkat(dirfd(dir), x->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/* -- groups that end with their process -- */

static const char group_mark[] = "run:";

/* pids of another namespace mean nothing here */
static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 ? 0 : st.st_ino;
}

int pt_dyn_own_group(const struct pt_dyn *d, const char *group, struct pt_err *e)
{
	char *path, text[64];
	struct pt_newfile n;
	struct pt_proc p;
	int pid = getpid(), len, rc;

	if (!d->marks)
		return 0;
	if (!dyn_folder_is_ours(d->marks) || !pt_proc_read(pid, pid, &p))
		return 0;		/* without a mark only the watcher removes them */
	path = pt_asprintf("%s/%s%s", d->marks, group_mark, group);
	len = snprintf(text, sizeof(text), "%d %llu %llu\n", pid,
		       (unsigned long long)p.start_ticks, pid_namespace());
	rc = pt_newfile_open(&n, path, 0644, e);
	if (rc == 0) {
		rc = pt_newfile_write(&n, text, (size_t)len, e);
		if (rc == 0)
			rc = pt_newfile_publish(&n, e);
		else
			pt_newfile_abandon(&n);
	}
	free(path);
	return rc;
}

void pt_dyn_disown_group(const struct pt_dyn *d, const char *group)
{
	char *path = pt_asprintf("%s/%s%s", d->marks ? d->marks : "", group_mark, group);

	if (d->marks)
		unlink(path);
	free(path);
}

/* Is the process that marked the group gone? */
static bool is_dead(const struct pt_dyn *d, const char *mark)
{
	char *path = pt_asprintf("%s/%s", d->marks, mark);
	unsigned long long start, namespace;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_proc p;
	bool dead = false;
	int pid;

	if (!pt_file_add(path, SIZE_MAX, &b) &&
	    sscanf(pt_buf_str(&b), "%d %llu %llu", &pid, &start, &namespace) == 3 &&
	    namespace == pid_namespace() && pid > 1) {
		errno = 0;
		if (pt_proc_read(pid, pid, &p))
			dead = p.start_ticks != start || p.state == 'Z';
		else
			dead = errno == ENOENT || errno == ESRCH;
	}
	pt_buf_deinit(&b);
	free(path);
	return dead;
}

size_t pt_dyn_remove_group(struct pt_dyn *d, const char *group)
{
	struct pt_err e = PT_ERR_INIT;
	size_t left = 0;

	for (size_t i = 0; i < d->nr; ) {
		char *event = strcmp(d->defs[i].group, group) ? NULL : pt_strdup(d->defs[i].event);

		/* pt_dyn_remove() shortens the list. */
		if (event && (pt_dyn_remove(d, group, event, &e) == 0 || e.sys == ENOENT)) {
			free(event);
			continue;
		}
		left += event != NULL;
		free(event);
		i++;
	}
	return left;
}

/* Returns the number of dead groups; removes those that can be removed. */
static unsigned each_dead(struct pt_dyn *d, bool remove)
{
	DIR *dir = d->marks && dyn_folder_is_ours(d->marks) ? opendir(d->marks) : NULL;
	size_t len = sizeof(group_mark) - 1;
	struct dirent *x;
	unsigned nr = 0;

	while (dir && (x = readdir(dir))) {
		if (strncmp(x->d_name, group_mark, len) || !is_dead(d, x->d_name))
			continue;
		nr++;
		if (remove && !pt_dyn_remove_group(d, x->d_name + len))
			unlinkat(dirfd(dir), x->d_name, 0);
	}
	if (dir)
		closedir(dir);
	return nr;
}

void pt_dyn_remove_dead(struct pt_dyn *d)
{
	if (!each_dead(d, false) || pt_dyn_lock(d, NULL) < 0)
		return;
	/* a process that reuses the pid makes its group under the lock */
	if (d->locked)
		each_dead(d, true);
	pt_dyn_unlock(d);
}

int pt_dyn_lock(struct pt_dyn *d, struct pt_err *e)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000 };
	bool locked = false;
	int rc;

	if (d->lock_fd < 0)
		d->lock_fd = open(tracefs_instance_get_trace_dir(d->tracefs),
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int waited = 0; d->lock_fd >= 0 && !(locked = !flock(d->lock_fd, LOCK_EX | LOCK_NB)) &&
			     waited < WAIT_MS;
	     waited += NAP_MS)
		nanosleep(&nap, NULL);
	d->locked = locked;
	rc = pt_dyn_read(d, e);
	if (rc == 0 && locked)
		sweep(d);
	if (rc < 0)
		pt_dyn_unlock(d);
	return rc;
}

void pt_dyn_unlock(struct pt_dyn *d)
{
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	d->lock_fd = -1;
	d->locked = false;
}
