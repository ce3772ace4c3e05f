/* Who uses an event that cannot be removed, as far as it is visible. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "base/text.h"
#include "probe/tracefs/dyn_priv.h"
#include "tracepoint/tracefs.h"

enum { MAX_SHOWN = 8 };

static bool is_enabled(struct tracefs_instance *fs, const char *group, const char *event)
{
	return tracefs_event_is_enabled(fs, group, event) > TRACEFS_ALL_DISABLED;
}

static void look_enabled(const struct pt_dyn *d, const char *group, const char *event,
			 struct pt_buf *b)
{
	const char *top = tracefs_instance_get_trace_dir(d->tracefs);
	char **names = tracefs_instances(NULL);

	if (is_enabled(d->tracefs, group, event))
		pt_buf_printf(b, ": enabled by `echo 1 > %s/events/%s/%s/enable`", top, group,
			      event);
	for (size_t i = 0; names && names[i]; i++) {
		struct tracefs_instance *fs = tracefs_instance_alloc(top, names[i]);

		if (fs && is_enabled(fs, group, event))
			pt_buf_printf(b, "%s enabled in %s/instances/%s/events/%s/%s",
				      b->len ? "," : ":", top, names[i], group, event);
		tracefs_instance_free(fs);
	}
	tracefs_list_free(names);
}

static bool has_perf_events(const char *pid)
{
	char *folder = pt_asprintf("/proc/%s/fd", pid), target[32];
	DIR *dir = opendir(folder);
	struct dirent *de;
	bool has = false;
	ssize_t n;

	while (dir && !has && (de = readdir(dir))) {
		n = readlinkat(dirfd(dir), de->d_name, target, sizeof(target));
		has = n == 23 && !memcmp(target, "anon_inode:[perf_event]", 23);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return has;
}

/* A perf descriptor does not show its event. */
static void look_perf(struct pt_buf *b)
{
	DIR *proc = opendir("/proc");
	struct dirent *de;
	size_t nr = 0;

	while (proc && (de = readdir(proc))) {
		char path[300], comm[64];

		if (!isdigit((unsigned char)de->d_name[0]) || atoi(de->d_name) == getpid() ||
		    !has_perf_events(de->d_name) || nr++ >= MAX_SHOWN)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", de->d_name);
		pt_file_text(path, comm, sizeof(comm));
		pt_buf_printf(b, "%s%s (", nr == 1 ? ": processes with perf events: " : ", ",
			      de->d_name);
		pt_text_puts(b, comm);
		pt_buf_putc(b, ')');
	}
	if (nr > MAX_SHOWN)
		pt_buf_printf(b, " and %zu more", nr - MAX_SHOWN);
	if (proc)
		closedir(proc);
}

void dyn_users(const struct pt_dyn *d, const char *group, const char *event, struct pt_buf *b)
{
	look_enabled(d, group, event, b);
	if (!b->len)
		look_perf(b);
}
