/* Several of these programs at once: only one makes names at a time. Marks tell which process a
 * group of events belongs to: small files with its id, its start time, and the namespace that the
 * id is of. */
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

enum { WAIT_MS = 10000, NAP_MS = 5 };

static const char group_mark[] = "run:";

struct who { int pid; unsigned long long start, namespace; };

static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 ? 0 : st.st_ino;
}

static char *mark_path(const struct pt_dyn *d, const char *group)
{
	return pt_asprintf("%s/%s%s", d->marks, group_mark, group);
}

static int write_mark(const char *path, const struct who *w, struct pt_err *e)
{
	struct pt_buf text = PT_BUF_INIT;
	int rc;

	pt_buf_printf(&text, "%d %llu %llu\n", w->pid, w->start, w->namespace);
	rc = pt_newfile_put(path, 0644, text.data, text.len, e);
	pt_buf_deinit(&text);
	return rc;
}

/* A pid of another namespace means nothing here. */
static bool read_mark(const char *path, struct who *w)
{
	char text[80] = "";

	pt_file_text(path, text, sizeof(text));
	return sscanf(text, "%d %llu %llu", &w->pid, &w->start, &w->namespace) == 3 && w->pid > 1 &&
	       w->namespace == pid_namespace();
}

static bool is_gone(const struct who *w)
{
	struct pt_proc p;

	errno = 0;
	if (pt_proc_read(w->pid, w->pid, &p))
		return p.start_ticks != w->start || p.state == 'Z';
	return errno == ENOENT || errno == ESRCH;
}

static DIR *open_marks(const struct pt_dyn *d)
{
	return d->marks && dyn_folder_is_ours(d->marks) ? opendir(d->marks) : NULL;
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
	path = mark_path(d, group);
	rc = write_mark(path, &own, e);
	free(path);
	return rc;
}

void pt_dyn_disown_group(const struct pt_dyn *d, const char *group)
{
	char *path = d->marks ? mark_path(d, group) : NULL;

	if (path)
		unlink(path);
	free(path);
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
		char *path = pt_asprintf("%s/%s", d->marks, x->d_name);
		struct who w;
		bool dead = !strncmp(x->d_name, group_mark, len) && read_mark(path, &w) &&
			    is_gone(&w);

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
	return 0;
}

void pt_dyn_unlock(struct pt_dyn *d)
{
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	d->lock_fd = -1;
	d->locked = false;
}
