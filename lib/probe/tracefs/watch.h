/* watch.h - a process that removes the probes of a private group when the tool that made them is
 * gone, however it went.
 *
 *     // early: before threads, while the process is small
 *     if (pt_probe_watch_start(&w, group, &e) < 0) ...
 *     ... pt_dyn_add() of definitions in that group ...
 *     pt_probe_watch_end(&w);         // removes what is left of the group, waits for the watcher
 *
 * The watcher has a session of its own, so that neither Ctrl-C nor a terminal's hang-up reaches it.
 * It waits until the tool's end of a pipe is closed (it is close-on-exec: commands that the tool
 * runs do not hold it open). Removing a probe that is still in use is retried for a while: the
 * kernel may not have closed a killed tool's events yet. */
#ifndef PT_PROBE_TRACEFS_WATCH_H
#define PT_PROBE_TRACEFS_WATCH_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct pt_probe_watch {
	pid_t pid;			/* 0: none */
	int fd;
};

/* A group name for this process only. */
void pt_probe_watch_group(const char *path, struct pt_buf *group);
int pt_probe_watch_start(struct pt_probe_watch *w, const char *group, struct pt_err *e);
void pt_probe_watch_end(struct pt_probe_watch *w);

#endif
