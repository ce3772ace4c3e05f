/* newfile.h - writing a file that appears under its name when it is whole, or never.
 *
 *     if (pt_newfile_open(&n, "out.prom", 0666, &e) < 0) ...
 *     if (pt_newfile_write(&n, text, len, &e) < 0) ...
 *     rc = pt_newfile_publish(&n, &e);         // or pt_newfile_abandon(&n)
 *
 * Until then it has a random name that nobody else has made (O_EXCL), so that nobody can put a
 * link where it will be written to. The directory is held by its descriptor. The file replaces what
 * has its name: also a symbolic link, not what that leads to. */
#ifndef PT_BASE_NEWFILE_H
#define PT_BASE_NEWFILE_H

#include <sys/types.h>

#include "base/err.h"

struct pt_newfile {
	int fd, dir;
	char *path, *name;		/* name: the last part of path */
	char temporary[64];		/* its name until then; "": there is no such file */
};

#define PT_NEWFILE_TEMPORARY ".tmp-"	/* names of unfinished files; hexadecimal digits follow */

/* mode: less the umask. */
int pt_newfile_open(struct pt_newfile *n, const char *path, mode_t mode, struct pt_err *e);
/* The same in an open directory, which stays the caller's. */
int pt_newfile_open_in(struct pt_newfile *n, int dir, const char *name, mode_t mode,
		       struct pt_err *e);
/* Writes all of it; a full disk is ENOSPC. */
int pt_newfile_write(struct pt_newfile *n, const void *p, size_t len, struct pt_err *e);
/* Both release all, in any case. */
int pt_newfile_publish(struct pt_newfile *n, struct pt_err *e);
void pt_newfile_abandon(struct pt_newfile *n);

/* All of that, with these bytes, or with what can be read from the descriptor. */
int pt_newfile_put(const char *path, mode_t mode, const void *p, size_t len, struct pt_err *e);
int pt_newfile_copy(const char *path, mode_t mode, int from_fd, struct pt_err *e);
/* *path: the file that a new one of that name is to replace, for the caller to free; behind links,
 * the one that they lead to. NULL: what is there is no file, but a pipe or a device, to be written
 * to. */
int pt_newfile_replaced(const char *name, char **path, struct pt_err *e);
/* Makes the folders that the path leads through, as mkdir -p does. It is changed meanwhile. */
int pt_newfile_folders(char *path, struct pt_err *e);

#endif
