/* files_priv.h - shared by files.c (objects by mapping) and files_debug.c (their debug information). */
#ifndef PT_CODE_FILES_PRIV_H
#define PT_CODE_FILES_PRIV_H

#include <pthread.h>

#include "base/map.h"
#include "code/files.h"

enum { MAX_ROOTS = 256 };

struct root { uint64_t ns; int fd, ns_fd; };	/* ns_fd keeps its mounts when its processes are gone */

struct known {				/* an answer by query */
	struct known *next;
	char *path;
	struct pt_build_id build_id, told;
	uint32_t maj, min;
	uint64_t ino;
	struct pt_object *object;
};

struct pt_files {
	struct pt_files_opts opts;
	char *symfs, *cache;		/* ~/.debug */
	struct pt_map answers;		/* hash of the query: struct known */
	struct pt_map by_build_id;	/* hash: struct pt_object */
	struct pt_map debug;		/* object: debug object, 0: none */
	struct pt_debuginfod *server;	/* NULL until asked for */
	struct pt_object **all;
	size_t nr_all, cap_all;
	struct root roots[MAX_ROOTS];
	size_t nr_roots;
	struct pt_map ns_of;		/* pid: index of its root + 1, 0: our own; with STALE: look again */
	struct pt_roots *others;	/* a recording's: NULL until asked for */
	struct pt_map running;		/* of a recording: the same, for pt_files_open() alone */
	struct pt_budgets *budgets;
	uint64_t own_ns;
	struct pt_keep *keep;
	struct pt_files_counts counts;
	pthread_mutex_t lock;		/* while objects are looked for */
};

int pt_files_open_plain(const char *path);	/* whatever it is: does not wait; -1 */
/* What an open gave, errno as it left it: counted where no more files may be open. */
int pt_files_opened(struct pt_files *f, int fd);
/* The object is `f`'s from now on, and comes back. */
struct pt_object *pt_files_keep(struct pt_files *f, struct pt_object *o, uint32_t pid);	/* pid: who sees it; 0: we do */

#endif
