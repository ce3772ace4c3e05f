/* mapfile.h - a regular file mapped read-only, and the guard for one that shrinks while it is read.
 *
 * Reading a page behind the new end of a mapped file raises SIGBUS. The guard (the one mutable
 * thing of file scope in lib/) knows all mappings made here; its handler puts a page of zeros under
 * the address, notes it in the mapping, and the reader goes on over zeros until it asks
 * pt_mapfile_shrunk(). A SIGBUS elsewhere is passed on to what was there before (or kills, as it
 * should).
 *
 * The kernel limits the mappings of a process (sysctl vm.max_map_count, usually 65,530). Files
 * beyond seven eighths of that are refused with e->sys = ENOMEM, so that memory and threads can
 * still be had.
 *
 * pt_mapfile_open: the mapping and the fd are the struct's until pt_mapfile_close(). Empty files
 * give data "" and len 0. Pipes and devices are refused (e->sys = ESPIPE): read those as streams */
#ifndef PT_BASE_MAPFILE_H
#define PT_BASE_MAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_mapfile {
	const uint8_t *data;
	size_t len_bytes;	/* when it was opened */
	int slot;		/* in the guard's table; -1: nothing mapped */
	int fd;
};

int pt_mapfile_open(struct pt_mapfile *m, const char *path, struct pt_err *e);
/* The same over an open file; the fd becomes the struct's, also on failure. `name` is for
 * messages */
int pt_mapfile_open_fd(struct pt_mapfile *m, int fd, const char *name, struct pt_err *e);
void pt_mapfile_close(struct pt_mapfile *m);
/* True once a page of it was missing. What was read since the last look may be zeros. */
bool pt_mapfile_shrunk(const struct pt_mapfile *m);

#endif
