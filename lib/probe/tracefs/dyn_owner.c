/* Several of these programs at once: only one makes names at a time, and none removes what another
 * script has just made and not used yet. Marks tell who an event or a group belongs to: small files
 * with a process id, the process's start time, and the namespace that the id is of. */
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

enum { MAX_SHELLS = 8, WAIT_MS = 10000, NAP_MS = 5 };

static const char event_mark[] = "by:", group_mark[] = "run:";

struct who { int pid; unsigned long long start, namespace; };

static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 ? 0 : st.st_ino;
}

static bool same_program(int a, int b)
{
	char of_a[4096] = "", of_b[4096] = "", path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", a);
	if (pt_file_text(path, of_a, sizeof(of_a)) || !*of_a)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", b);
	return !pt_file_text(path, of_b, sizeof(of_b)) && !memcmp(of_a, of_b, sizeof(of_a));
}

/* Who runs this program: its parent, and further ancestors as long as they are copies of one
 * another (a shell and its subshells, which may end sooner). Returns their number. */
static unsigned shells(struct who v[MAX_SHELLS])
{
	struct pt_proc p = { .parent = getppid() };
	unsigned nr = 0;

	while (nr < MAX_SHELLS && p.parent > 1 && (!nr || same_program(v[nr - 1].pid, p.parent))) {
		int pid = p.parent;

		if (!pt_proc_read(pid, pid, &p))
			break;
		v[nr++] = (struct who){ pid, p.start_ticks, pid_namespace() };
	}
	return nr;
}

static char *mark_path(const struct pt_dyn *d, const char *kind, const char *name)
{
	return pt_asprintf("%s/%s%s", d->marks, kind, name);
}

static char *event_path(const struct pt_dyn *d, const char *group, const char *event)
{
	return pt_asprintf("%s/%s%s:%s", d->marks, event_mark, group, event);
}

/* Takes the path. */
static void remove_mark(char *path)
{
	unlink(path);
	free(path);
}

static int write_mark(const char *path, const struct who *v, unsigned nr, struct pt_err *e)
{
	struct pt_buf text = PT_BUF_INIT;
	struct pt_newfile n;
	int rc = pt_newfile_open(&n, path, 0644, e);

	for (unsigned i = 0; i < nr; i++)
		pt_buf_printf(&text, "%d %llu %llu\n", v[i].pid, v[i].start, v[i].namespace);
	if (rc == 0 && pt_newfile_write(&n, pt_buf_str(&text), text.len, e) < 0) {
		pt_newfile_abandon(&n);
		rc = -1;
	} else if (rc == 0) {
		rc = pt_newfile_publish(&n, e);
	}
	pt_buf_deinit(&text);
	return rc;
}

/* Returns their number. Pids of another namespace mean nothing here. */
static unsigned read_mark(const char *path, struct who v[MAX_SHELLS])
{
	char text[80 * MAX_SHELLS] = "";
	const char *at = text;
	unsigned nr = 0;
	int len;

	pt_file_text(path, text, sizeof(text));
	for (; nr < MAX_SHELLS && sscanf(at, "%d %llu %llu%n", &v[nr].pid, &v[nr].start,
					 &v[nr].namespace, &len) == 3;
	     at += len)
		nr += v[nr].pid > 1 && v[nr].namespace == pid_namespace();
	return nr;
}

static bool is_gone(const struct who *w)
{
	struct pt_proc p;

	errno = 0;
	if (pt_proc_read(w->pid, w->pid, &p))
		return p.start_ticks != w->start || p.state == 'Z';
	return errno == ENOENT || errno == ESRCH;
}

/* -- events that a script made -- */

bool pt_dyn_is_others(const struct pt_dyn *d, const char *group, const char *event)
{
	struct who own[MAX_SHELLS], v[MAX_SHELLS];
	char *path = d->marks ? event_path(d, group, event) : NULL;
	unsigned nr = path ? read_mark(path, v) : 0, nr_own = nr ? shells(own) : 0, k;
	bool others = false;

	for (unsigned i = 0; i < nr && nr_own && !others; i++) {
		for (k = 0; k < nr_own && (own[k].pid != v[i].pid || own[k].start != v[i].start);
		     k++)
			;
		others = k == nr_own && !is_gone(&v[i]);
	}
	free(path);
	return others;
}

void pt_dyn_own(const struct pt_dyn *d, const char *group, const char *event)
{
	struct who own[MAX_SHELLS];
	char *path;

	if (!d->marks || !dyn_folder_is_ours(d->marks))
		return;
	path = event_path(d, group, event);
	write_mark(path, own, shells(own), NULL);
	free(path);
}

void dyn_disown(const struct pt_dyn *d, const char *group, const char *event)
{
	if (d->marks)
		remove_mark(event_path(d, group, event));
}

static DIR *open_marks(const struct pt_dyn *d)
{
	return d->marks && dyn_folder_is_ours(d->marks) ? opendir(d->marks) : NULL;
}

/* Removes marks of events that other programs removed. */
static void sweep(const struct pt_dyn *d)
{
	DIR *dir = open_marks(d);
	struct dirent *x;

	while (dir && (x = readdir(dir))) {
		bool there = strncmp(x->d_name, event_mark, strlen(event_mark)) != 0;

		for (size_t i = 0; i < d->nr && !there; i++) {
			char *path = event_path(d, d->defs[i].group, d->defs[i].event);

			there = !strcmp(x->d_name, basename(path));
			free(path);
		}
		if (!there)
			unlinkat(dirfd(dir), x->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/* -- groups that end with their process -- */

int pt_dyn_own_group(const struct pt_dyn *d, const char *group, struct pt_err *e)
{
	struct who own = { .pid = getpid(), .namespace = pid_namespace() };
	struct pt_proc p;
	char *path;
	int rc;

	/* without a mark only the watcher removes them */
	if (!d->marks || !dyn_folder_is_ours(d->marks) || !pt_proc_read(own.pid, own.pid, &p))
		return 0;
	own.start = p.start_ticks;
	path = mark_path(d, group_mark, group);
	rc = write_mark(path, &own, 1, e);
	free(path);
	return rc;
}

void pt_dyn_disown_group(const struct pt_dyn *d, const char *group)
{
	if (d->marks)
		remove_mark(mark_path(d, group_mark, group));
}

size_t pt_dyn_remove_group(struct pt_dyn *d, const char *group)
{
	struct pt_err e = PT_ERR_INIT;
	size_t left = 0;

	for (size_t i = 0; i < d->nr; ) {
		char *event;

		if (strcmp(d->defs[i].group, group)) {
			i++;
			continue;
		}
		event = pt_strdup(d->defs[i].event);
		/* pt_dyn_remove() shortens the list. */
		if (pt_dyn_remove(d, group, event, &e) < 0 && e.sys != ENOENT) {
			left++;
			i++;
		}
		free(event);
	}
	return left;
}

/* Returns the number of groups whose process is gone; removes those that can be removed. */
static unsigned each_dead(struct pt_dyn *d, bool remove)
{
	DIR *dir = open_marks(d);
	size_t len = strlen(group_mark);
	struct dirent *x;
	unsigned nr = 0;

	while (dir && (x = readdir(dir))) {
		char *path = mark_path(d, "", x->d_name);
		struct who v[MAX_SHELLS];
		bool dead = !strncmp(x->d_name, group_mark, len) && read_mark(path, v) &&
			    is_gone(v);

		free(path);
		nr += dead;
		if (dead && remove && !pt_dyn_remove_group(d, x->d_name + len))
			pt_dyn_disown_group(d, x->d_name + len);
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

	if (d->lock_fd < 0)
		d->lock_fd = open(tracefs_instance_get_trace_dir(d->tracefs),
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d->locked = false;
	for (int waited = 0; d->lock_fd >= 0 && waited < WAIT_MS; waited += NAP_MS) {
		d->locked = !flock(d->lock_fd, LOCK_EX | LOCK_NB);
		if (d->locked)
			break;
		nanosleep(&nap, NULL);
	}
	if (pt_dyn_read(d, e) < 0) {
		pt_dyn_unlock(d);
		return -1;
	}
	if (d->locked)
		sweep(d);
	return 0;
}

void pt_dyn_unlock(struct pt_dyn *d)
{
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	d->lock_fd = -1;
	d->locked = false;
}
