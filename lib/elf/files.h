/* files.h - finds the file behind a mapping, and its separate debug file.
 *
 * The places, in order. A recorded build-id is checked at each.
 *
 *     live        /proc/PID/map_files/START-END (also of deleted files); the path below the root of
 *                 the process's mount namespace
 *     both        SYMFS + path (also SYMFS/[vdso]); ARCHIVE/.build-id/xx/yyy.../elf; the path;
 *                 CACHE/.build-id/xx/yyy.../elf (for the vdso .../vdso), perf's cache;
 *                 /usr/lib/debug/.build-id/xx/yyy....debug, first below SYMFS
 *     recorded    with a build-id: the path below the roots of processes that run now
 *     debug file  ARCHIVE/.build-id/xx/yyy.../debug; the .build-id tree; .gnu_debuglink (CRC
 *                 checked) beside the object, in its .debug/ and below /usr/lib/debug, all of them
 *                 first below SYMFS; a server, if asked for
 *
 * A build-id proves nothing, since whoever wrote the file chose it:
 * - A file with another build-id than the recorded one is never used.
 * - Mappings share an object and its names only if they lead to the same file (struct pt_stamp:
 *   device, inode, owner, size, change time). The cache on disk has stamps in its keys.
 * - Live, each address space is asked for its own file (pt_files_mapped(), by map_files), so that
 *   no process speaks for another. Only after it has exited, its path below the root of its mount
 *   namespace is used.
 * - A recorded mapping gets the file at its path. A file at another path is accepted by its
 *   build-id alone only in a trusted place (SYMFS, CACHE, first the copy of the recorded path,
 *   /usr/lib/debug), or if it belongs to root or the user, as in archives.
 *
 * Only regular files are opened, without blocking. Mount namespaces and their root directories are
 * kept open from when they are first seen, for files of exited processes. pt_files owns all
 * objects. */
#ifndef PT_ELF_FILES_H
#define PT_ELF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/object.h"

struct pt_files_opts {
	const char *symfs;		/* --symfs DIR; NULL: none */
	/* archives beside recordings (stack/archive.h) */
	const char *const *archives;
	size_t nr_archives;
	bool live;			/* the processes run now: /proc may be used */
	/* fetch missing debug files from a server (elf/debuginfod.h) */
	bool debuginfod;
};

struct pt_file_query {
	const char *path;
	uint32_t pid;			/* a process that maps it */
	uint64_t start, end;		/* where, for map_files */
	struct pt_build_id build_id;	/* len 0: not known */
	/* Else the build-id of the file at the path when the recorder ended: the mapped file,
	 * unless that was replaced. len 0: unknown. */
	struct pt_build_id told;
	uint32_t maj, min;		/* ino 0: not known */
	uint64_t ino;
};

struct pt_files;
struct pt_files *pt_files_new(const struct pt_files_opts *o);
void pt_files_free(struct pt_files *f);

/* NULL: anonymous, gone, or another build. Answers are cached. */
struct pt_object *pt_files_object(struct pt_files *f, const struct pt_file_query *q);
/* The same for one live address space: asks the process what it maps at q->start. Once for each
 * mapping; the answer is for this address space only. */
struct pt_object *pt_files_mapped(struct pt_files *f, const struct pt_file_query *q);
/* The object with the debug information and full symbols of `o`: another, `o` itself, or NULL. */
struct pt_object *pt_files_debug(struct pt_files *f, struct pt_object *o);
/* All objects that were opened so far, in that order. */
size_t pt_files_nr(const struct pt_files *f);
struct pt_object *pt_files_at(const struct pt_files *f, size_t i);
/* A recorded process still runs: pt_files_open() then opens files as it sees them. */
void pt_files_see_running(struct pt_files *f, uint32_t pid);
/* Opens a file as a running process sees it; for others below SYMFS, then as we see it. The last
 * component is no symbolic link. -1: none. The caller closes and checks it. */
int pt_files_open(struct pt_files *f, uint32_t pid, const char *path);
/* Where pt_files_open() looks first; NULL: our own root, or none. pt_files owns it. */
struct pt_root *pt_files_root(struct pt_files *f, uint32_t pid);
/* Opens the root of a live process's mount namespace, once. */
void pt_files_see_process(struct pt_files *f, uint32_t pid);
/* A new process has its parent's mount namespace. */
void pt_files_see_fork(struct pt_files *f, uint32_t parent, uint32_t pid);
/* The process has executed a program or changed namespaces: look again. If it has exited, what is
 * known stays. */
void pt_files_see_change(struct pt_files *f, uint32_t pid);
/* No files: "[heap]", "//anon", "/dev/zero", "anon_inode:...", "/memfd:...", "/SYSV...". */
bool pt_files_is_anonymous(const char *path);

/* Of the process's mount namespace; 0: our own, or unknown. */
uint64_t pt_files_namespace(const struct pt_files *f, uint32_t pid);
/* The session's budgets, for other files that it reads. */
struct pt_budgets *pt_files_budgets(const struct pt_files *f);

struct pt_files_counts {
	uint64_t refused;		/* too many open files (EMFILE, ENFILE) */
	uint64_t unmapped;		/* too many mapped files (ENOMEM, see base/mapfile.h) */
};
struct pt_files_counts pt_files_counts(const struct pt_files *f);

#endif
