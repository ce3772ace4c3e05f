/* files_priv.h - shared by files.c, files_mount_roots.c and files_debug.c */
#ifndef PT_ELF_FILES_PRIV_H
#define PT_ELF_FILES_PRIV_H

#include "base/map.h"
#include "elf/files.h"

/* NOWHERE: a root that could not be opened, so that the process's paths are useless */
enum { MAX_ROOTS = 256, NOWHERE = MAX_ROOTS + 1 };

/* ns_fd keeps the mounts after its processes are gone */
struct root { uint64_t ns; struct pt_root *dir; int ns_fd; };

struct known {				/* a cached answer */
	struct known *next;
	struct pt_file_query q;		/* its path is ours */
	uint64_t root;			/* live: of the path (pt_files.root_of) */
	struct pt_object *object;
};

struct pt_files {
	struct pt_files_opts opts;
	struct pt_root *symfs;		/* NULL: not requested */
	struct pt_root **archives;
	size_t nr_archives;
	char *cache;			/* ~/.debug */
	struct pt_map answers;		/* hash of the query -> struct known */
	struct pt_map by_stamp;		/* hash of a stamp -> struct pt_object, open */
	bool no_map_files;		/* this user may not read /proc/PID/map_files */
	struct pt_debuginfod *server;	/* NULL until needed */
	struct pt_object **all;
	size_t nr_all, cap_all;
	struct root roots[MAX_ROOTS];
	size_t nr_roots;
	/* pid -> index of its root + 1, 0: our own, NOWHERE; with STALE: look again. For
	 * recordings only of processes that still run, for pt_files_open(). */
	struct pt_map root_of;
	bool saw_all;			/* the roots of all processes of now are among these */
	struct pt_budgets *budgets;
	struct pt_files_counts counts;
};

/* files_mount_roots.c: the directory of a root by its number; NULL: our own, or NOWHERE */
struct pt_root *pt_files_root_dir(const struct pt_files *f, uint64_t root);
/* Opens all other file systems that processes of now see and that we may look into. */
void pt_files_see_all(struct pt_files *f);
void pt_files_mount_roots_deinit(struct pt_files *f);
/* Passes on an open's result; counts it if too many files are open. */
int pt_files_opened(struct pt_files *f, int fd);
/* pt_object_open_fd(), counted if too many files are mapped. */
int pt_files_map(struct pt_files *f, struct pt_object **o, int fd, const char *path);
/* Takes the object. Returns it, or the open one of the same file. `pid`: who sees it; 0: we do. */
struct pt_object *pt_files_keep(struct pt_files *f, struct pt_object *o, uint32_t pid);

#endif
