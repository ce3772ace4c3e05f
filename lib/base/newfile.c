#include "base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { TRIES = 8, PIECE_BYTES = 1 << 16 };

static int open_temporary(struct pt_newfile *n, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	uint64_t random[2];
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0 && (!i || errno == EEXIST); i++) {
		if (getrandom(random, sizeof(random), 0) != sizeof(random))
			break;
		snprintf(n->temporary, sizeof(n->temporary), PT_NEWFILE_TEMPORARY "%016llx%016llx",
			 (unsigned long long)random[0], (unsigned long long)random[1]);
		fd = openat(n->dir, n->temporary, flags, mode);
	}
	if (fd < 0)
		n->temporary[0] = '\0';
	return fd;
}

static void newfile_release(struct pt_newfile *n)
{
	if (n->fd >= 0)
		close(n->fd);
	if (n->dir >= 0)
		close(n->dir);
	free(n->path);
	free(n->name);
	*n = (struct pt_newfile){ .fd = -1, .dir = -1 };
}

/* Takes the strings. */
static int newfile_open_file(struct pt_newfile *n, int dir, char *path, char *name, mode_t mode,
			     struct pt_err *e)
{
	int rc = 0;

	*n = (struct pt_newfile){ .fd = -1, .dir = dir, .path = path, .name = name };
	if (n->dir >= 0 && *n->name)
		n->fd = open_temporary(n, mode);
	if (n->fd < 0) {
		rc = pt_err_sys(e, *n->name ? errno : EISDIR, "%s", path);
		newfile_release(n);
	}
	return rc;
}

int pt_newfile_open(struct pt_newfile *n, const char *path, mode_t mode, struct pt_err *e)
{
	const char *slash = strrchr(path, '/');
	char *above = pt_text_folder(path);
	int dir = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(above);
	return newfile_open_file(n, dir, pt_strdup(path), pt_strdup(slash ? slash + 1 : path), mode,
				 e);
}

int pt_newfile_open_in(struct pt_newfile *n, int dir, const char *name, mode_t mode,
		       struct pt_err *e)
{
	return newfile_open_file(n, openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC),
				 pt_strdup(name), pt_strdup(name), mode, e);
}

int pt_newfile_write(struct pt_newfile *n, const void *p, size_t len, struct pt_err *e)
{
	const char *at = p;
	ssize_t done;

	while (len) {
		done = write(n->fd, at, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return pt_err_sys(e, done ? errno : ENOSPC, "%s", n->path);
		at += done;
		len -= (size_t)done;
	}
	return 0;
}

int pt_newfile_publish(struct pt_newfile *n, struct pt_err *e)
{
	int rc = close(n->fd);	/* a quota or a network disk may report its failure only here */

	n->fd = -1;
	if (rc == 0)
		rc = renameat(n->dir, n->temporary, n->dir, n->name);
	if (rc < 0)
		pt_err_sys(e, errno, "%s", n->path);
	else
		n->temporary[0] = '\0';
	pt_newfile_abandon(n);
	return rc;
}

void pt_newfile_abandon(struct pt_newfile *n)
{
	if (*n->temporary)
		unlinkat(n->dir, n->temporary, 0);
	newfile_release(n);
}

/* rc: of what was written. */
static int end_file(struct pt_newfile *n, int rc, struct pt_err *e)
{
	if (rc == 0)
		return pt_newfile_publish(n, e);
	pt_newfile_abandon(n);
	return -1;
}

int pt_newfile_put(const char *path, mode_t mode, const void *p, size_t len, struct pt_err *e)
{
	struct pt_newfile n;

	if (pt_newfile_open(&n, path, mode, e) < 0)
		return -1;
	return end_file(&n, pt_newfile_write(&n, p, len, e), e);
}

int pt_newfile_copy(const char *path, mode_t mode, int from_fd, struct pt_err *e)
{
	struct pt_newfile n;
	char piece[PIECE_BYTES];
	ssize_t len;
	int rc = 0;

	if (pt_newfile_open(&n, path, mode, e) < 0)
		return -1;
	while (rc == 0 && (len = read(from_fd, piece, sizeof(piece))) != 0)
		rc = len < 0 ? pt_err_sys(e, errno, "%s", path)
			     : pt_newfile_write(&n, piece, (size_t)len, e);
	return end_file(&n, rc, e);
}

int pt_newfile_replaced(const char *name, char **path, struct pt_err *e)
{
	struct stat st;
	bool there = !stat(name, &st);

	*path = NULL;
	if (there && !S_ISREG(st.st_mode))
		return 0;
	*path = there ? realpath(name, NULL) : pt_strdup(name);
	return *path ? 0 : pt_err_sys(e, errno, "%s", name);
}

int pt_newfile_folders(char *path, struct pt_err *e)
{
	int rc = 0;

	for (char *p = strchr(path + 1, '/'); p && rc == 0; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			rc = pt_err_sys(e, errno, "%s", path);
		*p = '/';
	}
	return rc;
}
