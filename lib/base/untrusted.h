/* untrusted.h - opening files whose names come from somebody else: from a recording, from another
 * process's memory map, from a program's debug information.
 *
 * Whoever runs a program chooses these names. Opening one must therefore do nothing: no device is
 * armed, no FIFO's writer is woken, no terminal becomes ours, nothing is consumed from a log of the
 * kernel. So a file is looked at by a handle (O_PATH) first. It is opened for reading only if it is
 * a regular file outside the kernel's own file systems (procfs, sysfs, tracefs, ...), through that
 * handle, without blocking.
 *
 * A name is resolved below the root directory of the process that it concerns, and links in there
 * stay in there. It is always absolute: nothing is looked for in the tool's working directory.
 *
 * Owners. A file that another file names must not be less trusted than the file that names it:
 *
 *     kind of file                        who may own it
 *     mapped file (program, library)      anybody: it is what runs; build-id or inode identify it
 *     .dwo, .dwp, debug link, alternate   root, we, or the owner of the file that names it
 *     tree by build-id (/usr/lib/debug,   root, we, or the owner of the program; for the mapped
 *         ~/.debug)                       file itself: root or we
 *     jitdump, perf-PID.map               root, we, or the user that the process runs as
 *     source text                         anybody: it is shown, and decides nothing
 *     all of them below --symfs           anybody: the user has chosen that directory
 *
 * Where an owner is asked for, the file must not be writable by everybody either, unless the file
 * that names it is, too. (stack/frames_jit.c has more rules for recorded processes.) */
#ifndef PT_BASE_UNTRUSTED_H
#define PT_BASE_UNTRUSTED_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* A directory that names are resolved below, shared by what was opened there. NULL: our own root */
struct pt_root {
	int fd;				/* -1: there is no such directory; nothing can be opened */
	bool chosen;			/* by the user (--symfs): owners do not matter */
	char *prefix;			/* put before paths in messages; "" if it needs none */
	_Atomic unsigned refs;
};

/* Takes the fd (O_PATH is enough). */
struct pt_root *pt_root_new(int fd, const char *prefix);
/* The directory that the user named. */
struct pt_root *pt_root_new_chosen(const char *path);
/* The root of a process; NULL: it is gone, or we may not look. */
struct pt_root *pt_root_new_process(pid_t pid);
struct pt_root *pt_root_get(struct pt_root *r);	/* NULL is fine for both */
void pt_root_put(struct pt_root *r);

/* The file that names another one. */
struct pt_owner {
	uid_t uid;
	bool writable_by_all;
};

struct pt_owner pt_owner_of(int fd);
/* A file may be used by the rule above. */
bool pt_owner_allows(const struct pt_owner *namer, const struct stat *st);

enum pt_untrusted_flags {
	PT_UNTRUSTED_NO_LINK = 1, /* the last name must not be a symbolic link */
	PT_UNTRUSTED_KERNEL_LINK = 2, /* the path is ours and leads through a link of /proc, such as
					 /proc/PID/map_files/START-END */
	PT_UNTRUSTED_USER = 4, /* the user named it: relative to the working directory */
};

/* The file for reading; the caller's to close. namer NULL: any owner will do. -1: errno; EACCES
 * also for a wrong owner, ENXIO if it is no regular file or one of the kernel's. */
int pt_untrusted_open(const struct pt_root *root, const char *path, unsigned flags,
		      const struct pt_owner *namer);
/* Where the open file is below that root, all links resolved; NULL: not there (any more). */
char *pt_untrusted_real_path(const struct pt_root *root, int fd);

#endif
