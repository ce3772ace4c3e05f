/* dyn.h - the probes that this machine has: uprobe_events and kprobe_events of tracefs read, lines
 * added, events removed.
 *
 *     struct pt_dyn d;
 *     if (pt_dyn_open(&d, &e) < 0) ...                        // what is there: d.defs
 *     if (pt_dyn_add(&d, &def, &e) < 0) ...                   // with the kernel's own reason
 *     if (pt_dyn_remove(&d, "probe_prog", "work", &e) < 0 && e.sys == EBUSY) ...
 *     pt_dyn_close(&d);
 *
 * Each line is appended by one write(2), so that several of these programs do not disturb one
 * another. e->sys: EACCES or EPERM without rights, ENOENT if the kernel has no such kind of probe.
 *
 * The kernel splits lines at blanks and cuts them at '#'. A path with such bytes is replaced by a
 * symbolic link below /run/pt-probe, which the kernel follows when the probe is made and shows from
 * then on; if the link cannot be made, by /proc/self/fd/N. */
#ifndef PT_PROBE_TRACEFS_DYN_H
#define PT_PROBE_TRACEFS_DYN_H

#include "probe/tracefs/def.h"

#define PT_DYN_LINKS "/run/pt-probe"

struct pt_dyn {
	struct tracefs_instance *tracefs;
	struct pt_def *defs;
	size_t nr, cap;
	int path_fd;			/* held for /proc/self/fd/N; -1: none */
	/* the folder with the makers' marks; NULL: none (tests) */
	const char *marks;
	int lock_fd;			/* -1: not locked */
	bool locked;			/* the lock was obtained */
};

int pt_dyn_open(struct pt_dyn *d, struct pt_err *e);
/* For tests: a folder with files of those names. */
int pt_dyn_open_at(struct pt_dyn *d, const char *tracefs, struct pt_err *e);
int pt_dyn_read(struct pt_dyn *d, struct pt_err *e);
void pt_dyn_close(struct pt_dyn *d);

/* Also adds to d->defs. */
int pt_dyn_add(struct pt_dyn *d, const struct pt_def *def, struct pt_err *e);
/* All places under the name. If it is gone already: ENOENT, and it is removed from d->defs all the
 * same. */
int pt_dyn_remove(struct pt_dyn *d, const char *group, const char *event, struct pt_err *e);
/* Removes all events of the group; returns how many are in use. */
size_t pt_dyn_remove_group(struct pt_dyn *d, const char *group);
bool pt_dyn_taken(const struct pt_dyn *d, const char *group, const char *event);

/* Until pt_dyn_unlock() no other of these programs makes names; reads the existing ones again.
 * Waits at most 10 s, then goes on without the lock. On failure it is not locked. */
int pt_dyn_lock(struct pt_dyn *d, struct pt_err *e);
void pt_dyn_unlock(struct pt_dyn *d);

/* Marks the group's events as living no longer than this process. Between pt_dyn_lock() and making
 * them. */
int pt_dyn_own_group(const struct pt_dyn *d, const char *group, struct pt_err *e);
void pt_dyn_disown_group(const struct pt_dyn *d, const char *group);
/* Removes the events of marked groups whose process is gone: it and its watcher were killed. */
void pt_dyn_remove_dead(struct pt_dyn *d);

/* 0 if probes may be made; else -1 and why, without trying. */
int pt_dyn_allowed(const struct pt_dyn *d, bool user, struct pt_err *e);

/* The path for the kernel's parser: the same, unless it has odd bytes. `d` NULL: makes nothing,
 * only gives the name that would be used. */
int pt_dyn_path(struct pt_dyn *d, const char *path, struct pt_buf *told, struct pt_err *e);
bool pt_dyn_path_is_odd(const char *path);
/* The file of a definition's path: itself, or the target of our link. */
void pt_dyn_real_path(const char *told, struct pt_buf *path);

/* True: several places can share a name (kernel 5.5 and later); before, a second one replaces the
 * first. */
bool pt_dyn_shares_names(void);

#endif
