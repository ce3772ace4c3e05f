/* files.h - finding the file behind a mapping, and its detached debug file: by build-id wherever
 * one is known, never a wrong one.
 *
 * Looked for in this order, the build-id checked at each step where the recording has one (a file
 * that was replaced since is not used): live:  /proc/PID/map_files/START-END (deleted files too),
 * the path below the root of the process's mount namespace both:  SYMFS + path (SYMFS/[vdso] too),
 * path, ~/.debug/.build-id/xx/yyy.../elf (of the vdso: .../vdso),
 * /usr/lib/debug/.build-id/xx/yyy....debug, that below SYMFS first recorded, with a build-id: the
 * path below the roots of processes that run now (roots.h) Debug files: the .build-id tree,
 * .gnu_debuglink (CRC checked) beside the object, in its .debug/ and below /usr/lib/debug, those
 * below SYMFS first; a server, when that was asked for.
 *
 * Identity. A build-id is a claim of whoever wrote the file, not a proof:
 * - It rejects. A file whose build-id is not the recorded one is never used.
 * - It does not make two files one. Two mappings share an object, and all names, only where they
 *   lead to the same file (struct pt_stamp: device, inode, owner, size, time of change). Everything
 *   kept on disk has the stamp in its key.
 * - Live, each address space is asked for its own file (pt_files_mapped(): map_files), so no
 *   process answers for another one. Only when it has exited, its path below the root of its mount
 *   namespace is used.
 * - A recording has paths and build-ids only. A mapping gets the file at its own path. A file found
 *   under another path answers for it by build-id alone only where its place or its owner vouches
 *   for it: SYMFS, ~/.debug (the copy made of the recorded path first), /usr/lib/debug; elsewhere
 *   (another path, another container) a file of root's or of the user's own.
 *
 * Only regular files are opened, without blocking. The root directory of each mount namespace, and
 * the namespace, are held when first seen, so that processes that are gone by the time still
 * resolve. Objects are shared and owned by pt_files. */
#ifndef PT_ELF_FILES_H
#define PT_ELF_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/keep.h"
#include "elf/object.h"

struct pt_files_opts {
	const char *symfs;		/* --symfs DIR; NULL: none */
	bool live;			/* processes of now: /proc may be asked */
	/* debug files that are not here may be asked for (elf/debuginfod.h) */
	bool debuginfod;
};

struct pt_file_query {
	const char *path;
	uint32_t pid;			/* a process that maps it */
	uint64_t start, end;		/* where, for map_files */
	struct pt_build_id build_id;	/* len 0: not known */
	/* then: of what was at the path later, when the recorder ended; the mapped file, unless
	 * that was replaced meanwhile. len 0: not known */
	struct pt_build_id told;
	uint32_t maj, min;		/* ino 0: not known */
	uint64_t ino;
};

struct pt_files;
struct pt_files *pt_files_new(const struct pt_files_opts *o);
void pt_files_free(struct pt_files *f);

/* From now on objects keep what is costly there (object.h), those that are open too. */
void pt_files_use(struct pt_files *f, struct pt_keep *keep);

/* The object, shared; NULL: there is none (anonymous, vanished, of another build). Answers are
 * kept, the bad ones too. */
struct pt_object *pt_files_object(struct pt_files *f, const struct pt_file_query *q);
/* The same live, for one address space: asks the process what it maps at q->start, then
 * pt_files_object(). To be asked once for each mapping; the answer holds for this address space
 * alone. */
struct pt_object *pt_files_mapped(struct pt_files *f, const struct pt_file_query *q);
/* Where the object's debug information and full symbols are: another object, or `o` itself when it
 * holds them, or NULL. */
struct pt_object *pt_files_debug(struct pt_files *f, struct pt_object *o);
/* A recorded process still runs, the caller is sure: files that pt_files_open() opens are as it
 * sees them. */
void pt_files_see_running(struct pt_files *f, uint32_t pid);
/* A file as the process sees it (one that runs; else below SYMFS, then as we do), the last name no
 * symbolic link; -1: there is none. The caller's to close and to check. */
int pt_files_open(struct pt_files *f, uint32_t pid, const char *path);
/* Notes the mount namespace of a live process (its root is kept open). Cheap when known. */
void pt_files_see_process(struct pt_files *f, uint32_t pid);
/* A new process sees what its parent sees. */
void pt_files_see_fork(struct pt_files *f, uint32_t parent, uint32_t pid);
/* Another program, or other namespaces: to be looked at again; what is known stays good for a
 * process that is gone by then. */
void pt_files_see_change(struct pt_files *f, uint32_t pid);
/* Paths that look like files and are none: "[heap]", "//anon", "/dev/zero", "anon_inode:...",
 * "/memfd:...", "/SYSV...". */
bool pt_files_is_anonymous(const char *path);

/* Files that met a limit (base/budget.h): what they say beyond it is missing. The number of them */
size_t pt_files_limits(struct pt_files *f, void (*each)(void *arg, const struct pt_object *o),
		       void *arg);
/* 0: ours, or not known; else a number for its mount namespace */
uint64_t pt_files_namespace(const struct pt_files *f, uint32_t pid);
/* the session's, for what else it reads */
struct pt_budgets *pt_files_budgets(struct pt_files *f);

struct pt_files_counts {
	uint64_t opened, missing, other_build;
	uint64_t refused;		/* no more files may be open (EMFILE, ENFILE) */
	uint64_t unmapped;		/* no more files may be mapped (ENOMEM: base/mapfile.h) */
};
struct pt_files_counts pt_files_counts(const struct pt_files *f);

#endif
