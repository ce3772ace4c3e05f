/* watch.h - a process that removes the probes of a private group when the tool that made them is
 * gone, however it went.
 *
 *     // early: before threads, while the process is small
 *     if (pt_probe_watch_start(&w, group, &e) < 0) ...
 *     ... pt_dyn_add() of definitions in that group ...
 *     pt_probe_watch_end(&w);         // removes what is left of the group, waits for the watcher
 *
 * It has a session of its own, so that neither Ctrl-C nor the end of a terminal reach it, and
 * waits for the end of a pipe, which comes with the end of the tool (close-on-exec: a command that
 * it runs does not hold it). A probe that is still in use, because the kernel has not yet closed a
 * killed tool's events, is tried again for a while. */
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
