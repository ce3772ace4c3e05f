/* mapfile.h - a regular file mapped read-only, and the guard for one that shrinks while it is read.
 *
 * Reading a page behind the new end of a mapped file raises SIGBUS. The guard (the one mutable
 * file-scope variable in lib/) knows all mappings made here. Its handler maps a page of zeros at
 * the address and marks the mapping; the reader continues over zeros until it asks
 * pt_mapfile_shrunk(). Any other SIGBUS goes to the previous handler, or kills the process.
 *
 * The kernel limits the mappings of a process (sysctl vm.max_map_count, usually 65,530). Once seven
 * eighths are used, files are refused with e->sys = ENOMEM, so that memory and threads can still be
 * created.
 *
 * The struct owns the mapping and the fd until pt_mapfile_close(). An empty file has data "" and
 * length 0. Pipes and devices are refused (e->sys = ESPIPE): read those as streams */
#ifndef PT_BASE_MAPFILE_H
#define PT_BASE_MAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_mapfile {
	const uint8_t *data;
	size_t len_bytes;	/* at the time of opening */
	int slot;		/* in the guard's table; -1: nothing mapped */
	int fd;
	size_t soon;		/* pt_mapfile_soon() was told up to here */
};

int pt_mapfile_open(struct pt_mapfile *m, const char *path, struct pt_err *e);
/* The same over an open file; the fd becomes the struct's, also on failure. `name` is for
 * messages */
int pt_mapfile_open_fd(struct pt_mapfile *m, int fd, const char *name, struct pt_err *e);
void pt_mapfile_close(struct pt_mapfile *m);
/* Tells the kernel that the file is read on from `at`: it puts the next megabytes into the mapping
 * at once, not 64 KB at each fault. */
void pt_mapfile_soon(struct pt_mapfile *m, size_t at);
/* True once a page was missing. What was read since the last call may be zeros. */
bool pt_mapfile_shrunk(const struct pt_mapfile *m);

#endif
