/* Paths with bytes that the kernel's parser of definitions interprets. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "probe/tracefs/dyn_priv.h"

/* The kernel's isspace() is that of Latin-1: 0xa0, the second byte of many UTF-8 letters, is a
 * blank. */
bool pt_dyn_path_is_odd(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path <= ' ' || *path == '#' || (unsigned char)*path == 0xa0 ||
		    *path == 0x7f)
			return true;
	return false;
}

static void link_name(const char *path, struct pt_buf *b)
{
	size_t room = 64;

	pt_buf_puts(b, PT_DYN_LINKS "/");
	for (const char *base = basename(path); *base && room--; base++)
		pt_buf_putc(b,
			    isalnum((unsigned char)*base) || strchr("._-+", *base) ? *base : '_');
	pt_buf_printf(b, "-%016llx", (unsigned long long)pt_hash_bytes(path, strlen(path)));
}

/* The folder is ours alone: nobody else can replace a link's target. */
bool dyn_folder_is_ours(const char *folder)
{
	struct stat st;

	if (mkdir(folder, 0755) < 0 && errno != EEXIST)
		return false;
	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool leads_to(const char *link, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target));

	return n == (ssize_t)strlen(path) && !memcmp(target, path, (size_t)n);
}

int pt_dyn_path(struct pt_dyn *d, const char *path, struct pt_buf *told, struct pt_err *e)
{
	if (!pt_dyn_path_is_odd(path)) {
		pt_buf_puts(told, path);
		return 0;
	}
	link_name(path, told);
	if (!d || leads_to(told->data, path))
		return 0;
	if (dyn_folder_is_ours(PT_DYN_LINKS) && (!unlink(told->data) || errno == ENOENT) &&
	    (!symlink(path, told->data) || (errno == EEXIST && leads_to(told->data, path))))
		return 0;
	if (d->path_fd >= 0)
		close(d->path_fd);
	d->path_fd = open(path, O_PATH | O_CLOEXEC);
	if (d->path_fd < 0)
		return pt_err_sys(e, errno, "%s", path);
	pt_buf_clear(told);
	pt_buf_printf(told, "/proc/self/fd/%d", d->path_fd);
	return 0;
}

void pt_dyn_real_path(const char *told, struct pt_buf *path)
{
	char target[PATH_MAX];
	ssize_t n = strncmp(told, PT_DYN_LINKS "/", sizeof(PT_DYN_LINKS))
			    ? -1
			    : readlink(told, target, sizeof(target));

	if (n > 0 && n < (ssize_t)sizeof(target))
		pt_buf_add(path, target, (size_t)n);
	else
		pt_buf_puts(path, told);
}

void dyn_drop_link(const struct pt_dyn *d, const char *path)
{
	if (strncmp(path, PT_DYN_LINKS "/", sizeof(PT_DYN_LINKS)) ||
	    strchr(path + sizeof(PT_DYN_LINKS), '/') || !dyn_folder_is_ours(PT_DYN_LINKS))
		return;
	for (size_t i = 0; i < d->nr; i++)
		if (d->defs[i].user && !strcmp(d->defs[i].path, path))
			return;
	unlink(path);
}
