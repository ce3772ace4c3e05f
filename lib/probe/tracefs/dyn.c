#include "probe/tracefs/dyn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "tracepoint/tracefs.h"
#include "probe/tracefs/dyn_priv.h"

static const char *dyn_file_of(bool user)
{
	return user ? "uprobe_events" : "kprobe_events";
}

static const char *dyn_path_of(const struct pt_dyn *d)
{
	return tracefs_instance_get_trace_dir(d->tracefs);
}

/* -- what is there -- */

enum { MAX_LOOKS = 8 };

static void dyn_clear(struct pt_dyn *d)
{
	for (size_t i = 0; i < d->nr; i++)
		pt_def_deinit(&d->defs[i]);
	d->nr = 0;
}

/* Lines of unknown kinds (probes of later kernels) are left out. */
static void take_lines(struct pt_dyn *d, const char *text, bool user)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		PT_GROW(d->defs, d->nr, d->cap);
		if (pt_def_parse(&d->defs[d->nr], text, (size_t)(end - text), user, NULL) == 0)
			d->nr++;
	}
}

/* The kernel gives a page at a time by the number of the line, so removing a probe meanwhile hides
 * another one. If two reads are equal, they are complete. */
static int read_twice(struct pt_dyn *d, bool user, struct pt_buf *b)
{
	struct pt_buf again = PT_BUF_INIT;
	int sys = pt_tracefs_read(d->tracefs, dyn_file_of(user), b);

	for (int i = 0; i < MAX_LOOKS && !sys; i++) {
		struct pt_buf other = *b;

		pt_buf_clear(&again);
		sys = pt_tracefs_read(d->tracefs, dyn_file_of(user), &again);
		if (!sys && again.len == b->len &&
		    !memcmp(pt_buf_str(&again), pt_buf_str(b), b->len))
			break;
		*b = again;
		again = other;
	}
	pt_buf_deinit(&again);
	return sys;
}

int pt_dyn_read(struct pt_dyn *d, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	int rc = 0;

	dyn_clear(d);
	for (int user = 1; user >= 0 && rc == 0; user--) {
		int sys;

		pt_buf_clear(&b);
		sys = read_twice(d, user, &b);
		if (!sys && b.len)
			take_lines(d, b.data, user);
		else if (sys && sys != ENOENT)
			rc = pt_err_sys(e, sys, "%s/%s", dyn_path_of(d), dyn_file_of(user));
	}
	pt_buf_deinit(&b);
	return rc;
}

int pt_dyn_open_at(struct pt_dyn *d, const char *tracefs, struct pt_err *e)
{
	*d = (struct pt_dyn){ .tracefs = tracefs_instance_alloc(tracefs, NULL),
			      .path_fd = -1,
			      .lock_fd = -1 };
	if (!d->tracefs)
		return pt_err_sys(e, ENOENT, "%s", tracefs);
	if (pt_dyn_read(d, e) == 0)
		return 0;
	pt_dyn_close(d);
	return -1;
}

int pt_dyn_open(struct pt_dyn *d, struct pt_err *e)
{
	const char *tracefs;

	*d = (struct pt_dyn){ .path_fd = -1, .lock_fd = -1 };
	if (pt_tracefs_find(&tracefs, e) < 0)
		return -1;
	if (pt_dyn_open_at(d, tracefs, e) < 0)
		return -1;
	d->marks = PT_DYN_LINKS;
	return 0;
}

void pt_dyn_close(struct pt_dyn *d)
{
	dyn_clear(d);
	free(d->defs);
	tracefs_instance_free(d->tracefs);
	pt_dyn_unlock(d);
	if (d->path_fd >= 0)
		close(d->path_fd);
	*d = (struct pt_dyn){ .path_fd = -1, .lock_fd = -1 };
}

bool pt_dyn_taken(const struct pt_dyn *d, const char *group, const char *event)
{
	for (size_t i = 0; i < d->nr; i++)
		if (pt_def_is(&d->defs[i], group, event))
			return true;
	return tracefs_event_file_exists(d->tracefs, group, event, "id");
}

bool pt_dyn_shares_names(void)
{
	struct utsname u;
	unsigned major, minor;

	return uname(&u) < 0 || sscanf(u.release, "%u.%u", &major, &minor) != 2 || major > 5 ||
	       (major == 5 && minor >= 5);
}

/* -- changed -- */

static int no_such_file(struct pt_err *e, bool user, int sys)
{
	if (user)
		pt_err_set(e,
			   "this kernel has no uprobes: it was built without CONFIG_UPROBE_EVENTS");
	else
		pt_err_set(
			e,
			"this kernel has no kprobes: it was built without CONFIG_KPROBES and CONFIG_KPROBE_EVENTS");
	if (e)
		e->sys = sys;
	return -1;
}

int pt_dyn_allowed(const struct pt_dyn *d, bool user, struct pt_err *e)
{
	char *path = tracefs_instance_get_file(d->tracefs, dyn_file_of(user));
	int sys = access(path, W_OK) < 0 ? errno : 0, rc = 0;

	if (sys == ENOENT)
		rc = no_such_file(e, user, sys);
	else if (sys)
		rc = pt_err_sys(e, sys, "%s", path);
	tracefs_put_tracing_file(path);
	return rc;
}

/* 0, or the errno. One write(2) for each line; libtracefs's calls for single probes have no
 * semaphores. */
static int write_line(const struct pt_dyn *d, bool user, const char *line)
{
	int fd, sys = 0;

	errno = 0;
	fd = tracefs_instance_file_open(d->tracefs, dyn_file_of(user),
					O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return errno ? errno : EIO;
	if (TEMP_FAILURE_RETRY(write(fd, line, strlen(line))) < 0)
		sys = errno;
	close(fd);
	return sys;
}

/* Finds "error: TEXT" above the last "Command: LINE" in error_log that is ours. */
static bool kernels_reason(const struct pt_dyn *d, const char *line, struct pt_buf *reason)
{
	char *log = tracefs_error_all(d->tracefs), *want = pt_asprintf("\n  Command: %s\n", line);
	const char *at = NULL, *next, *from;

	if (log)
		for (next = log; (next = strstr(next, want)); next++)
			at = next;
	if (at) {
		for (from = at; from > log && from[-1] != '\n'; from--)
			;
		next = strstr(from, "error: ");
		if (next && next < at)
			pt_buf_add(reason, next + 7, (size_t)(at - next - 7));
		while (reason->len && strchr(" \n\t", reason->data[reason->len - 1]))
			reason->data[--reason->len] = '\0';
	}
	free(want);
	free(log);
	return reason->len > 0;
}

static int dyn_refused(const struct pt_dyn *d, const char *line, int sys, struct pt_err *e)
{
	struct pt_buf reason = PT_BUF_INIT;

	if (kernels_reason(d, line, &reason)) {
		pt_err_set(e, "the kernel refuses '%s': %s", line, pt_buf_str(&reason));
		if (e)
			e->sys = sys;
	} else {
		pt_err_sys(e, sys, "the kernel refuses '%s'", line);
	}
	pt_buf_deinit(&reason);
	return -1;
}

int pt_dyn_add(struct pt_dyn *d, const struct pt_def *def, struct pt_err *e)
{
	struct pt_buf line = PT_BUF_INIT;
	int rc = 0, sys;

	pt_def_text(def, &line);
	if (line.len > PT_DEF_LINE_MAX - 1) {
		rc = pt_err_set(
			e,
			"the definition has %zu bytes, the kernel takes %d: fewer or shorter arguments",
			line.len, PT_DEF_LINE_MAX - 1);
	} else {
		pt_buf_putc(&line, '\n');
		sys = write_line(d, def->user, line.data);
		line.data[--line.len] = '\0';
		if (sys == ENOENT && pt_dyn_allowed(d, def->user, NULL) < 0)
			rc = no_such_file(e, def->user, sys);
		else if (sys == EACCES || sys == EPERM)
			rc = pt_err_sys(e, sys, "%s/%s", dyn_path_of(d), dyn_file_of(def->user));
		else if (sys)
			rc = dyn_refused(d, line.data, sys, e);
	}
	if (!rc) {
		PT_GROW(d->defs, d->nr, d->cap);
		pt_def_copy(&d->defs[d->nr++], def);
	}
	pt_buf_deinit(&line);
	return rc;
}

static void dyn_forget(struct pt_dyn *d, const char *group, const char *event)
{
	size_t left = 0;
	char *path = NULL;		/* all places of an event are in one file */

	for (size_t i = 0; i < d->nr; i++) {
		struct pt_def *def = &d->defs[i];

		if (!pt_def_is(def, group, event)) {
			d->defs[left++] = *def;
			continue;
		}
		free(path);
		path = pt_strdup(def->path);
		pt_def_deinit(def);
	}
	d->nr = left;
	if (path)
		dyn_drop_link(d, path);
	free(path);
}

int pt_dyn_remove(struct pt_dyn *d, const char *group, const char *event, struct pt_err *e)
{
	char *line = pt_asprintf("-:%s/%s\n", group, event);
	struct pt_buf users = PT_BUF_INIT;
	bool user = true;
	int sys, rc = 0;

	for (size_t i = 0; i < d->nr; i++)
		if (pt_def_is(&d->defs[i], group, event))
			user = d->defs[i].user;
	sys = write_line(d, user, line);
	free(line);
	if (!sys || sys == ENOENT)
		dyn_forget(d, group, event);
	if (!sys)
		return 0;
	if (sys == EBUSY) {
		if (e)
			dyn_users(d, group, event, &users);
		rc = pt_err_set(e, "%s:%s is in use%s", group, event, pt_buf_str(&users));
		if (e)
			e->sys = sys;
	} else {
		rc = pt_err_sys(e, sys, "%s:%s cannot be removed", group, event);
	}
	pt_buf_deinit(&users);
	return rc;
}
