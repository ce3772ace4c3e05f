#include "base/untrusted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"

enum { RETRIES = 16 };

/* linux/magic.h lacks these. */
enum {
	CONFIGFS = 0x62656570,
	FUNCTIONFS = 0x0a647361,
	FUSECTL = 0x65735543,
	MQUEUE = 0x19800202,
	NFSD = 0x6e667364,
	RPC_PIPEFS = 0x67596969,
};

static const uint32_t kernel_file_systems[] = {
	PROC_SUPER_MAGIC,
	SYSFS_MAGIC,
	DEBUGFS_MAGIC,
	TRACEFS_MAGIC,
	SECURITYFS_MAGIC,
	BPF_FS_MAGIC,
	CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC,
	PSTOREFS_MAGIC,
	EFIVARFS_MAGIC,
	SELINUX_MAGIC,
	SMACK_MAGIC,
	AAFS_MAGIC,
	RDTGROUP_SUPER_MAGIC,
	BINFMTFS_MAGIC,
	BINDERFS_SUPER_MAGIC,
	XENFS_SUPER_MAGIC,
	NSFS_MAGIC,
	DEVPTS_SUPER_MAGIC,
	CONFIGFS,
	FUNCTIONFS,
	FUSECTL,
	MQUEUE,
	NFSD,
	RPC_PIPEFS,
};

struct pt_root *pt_root_new(int fd, const char *prefix)
{
	struct pt_root *r = pt_alloc(sizeof(*r));

	r->fd = fd;
	r->prefix = pt_strdup(prefix);
	r->refs = 1;
	return r;
}

struct pt_root *pt_root_new_chosen(const char *path)
{
	struct pt_root *r = pt_root_new(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), path);

	r->chosen = true;
	return r;
}

struct pt_root *pt_root_new_process(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? NULL : pt_root_new(fd, "");
}

struct pt_root *pt_root_get(struct pt_root *r)
{
	if (r)
		r->refs++;
	return r;
}

void pt_root_put(struct pt_root *r)
{
	if (!r || --r->refs)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->prefix);
	free(r);
}

struct pt_owner pt_owner_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return (struct pt_owner){ .uid = 0 };
	return (struct pt_owner){ st.st_uid, st.st_mode & S_IWOTH };
}

bool pt_owner_allows(const struct pt_owner *namer, const struct stat *st)
{
	if (!namer)
		return true;
	return (!st->st_uid || st->st_uid == geteuid() || st->st_uid == namer->uid) &&
	       (!(st->st_mode & S_IWOTH) || namer->writable_by_all);
}

/* A handle for the name without opening it. */
static int untrusted_look(const struct pt_root *root, const char *path, unsigned flags)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC };
	int dir = root ? root->fd : AT_FDCWD, fd, i;

	if (flags & PT_UNTRUSTED_NO_LINK)
		how.flags |= O_NOFOLLOW;
	if (!(flags & (PT_UNTRUSTED_KERNEL_LINK | PT_UNTRUSTED_USER)))
		how.resolve |= RESOLVE_NO_MAGICLINKS;
	if (root)
		how.resolve |= RESOLVE_IN_ROOT;
	/* EAGAIN: something was renamed while ".." was resolved. */
	for (i = 0, fd = -1; fd < 0 && i < RETRIES && (!i || errno == EAGAIN); i++)
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	/* Kernels before 5.6, and system call filters that do not know it. */
	if (fd < 0 && !root && (errno == ENOSYS || errno == EPERM))
		fd = open(path, (int)how.flags);
	return fd;
}

/* 0, or the errno why a file must not be read. */
static int untrusted_refused(int handle, struct stat *st)
{
	struct statfs fs;
	size_t i;

	if (fstat(handle, st) < 0 || fstatfs(handle, &fs) < 0)
		return errno;
	if (!S_ISREG(st->st_mode))
		return S_ISDIR(st->st_mode) ? EISDIR : ENXIO;
	for (i = 0; i < PT_NR(kernel_file_systems); i++)
		if ((uint32_t)fs.f_type == kernel_file_systems[i])
			return ENXIO;
	return 0;
}

/* The handle's own file; another one would be a kernel fault. */
static int reopen(int handle, const struct stat *st)
{
	struct stat now;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (fstat(fd, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

int pt_untrusted_open(const struct pt_root *root, const char *path, unsigned flags,
		      const struct pt_owner *namer)
{
	int handle, fd = -1, sys;
	struct stat st;

	if (path[0] != '/' && !(flags & PT_UNTRUSTED_USER)) {
		errno = EINVAL;
		return -1;
	}
	handle = untrusted_look(root, path, flags);
	if (handle < 0)
		return -1;
	sys = untrusted_refused(handle, &st);
	if (!sys && !(root && root->chosen) && !pt_owner_allows(namer, &st))
		sys = EACCES;
	if (!sys) {
		fd = reopen(handle, &st);
		sys = errno;
	}
	close(handle);
	errno = sys;
	return fd;
}

static bool read_link_of(int fd, char path[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return path[0] == '/';
}

char *pt_untrusted_real_path(const struct pt_root *root, int fd)
{
	char path[PATH_MAX], top[PATH_MAX] = "/";
	struct stat wanted, found;
	const char *inside = path;
	size_t len;
	int handle;
	bool same;

	if (!read_link_of(fd, path) || (root && !read_link_of(root->fd, top)))
		return NULL;
	len = strlen(top);
	/* The root of another mount namespace is shown as "/". */
	if (len > 1 && !strncmp(path, top, len) && path[len] == '/')
		inside = path + len;
	handle = untrusted_look(root, inside, PT_UNTRUSTED_NO_LINK);
	if (handle < 0)
		return NULL;
	same = fstat(fd, &wanted) == 0 && fstat(handle, &found) == 0 &&
	       wanted.st_dev == found.st_dev && wanted.st_ino == found.st_ino;
	close(handle);
	return same ? pt_strdup(inside) : NULL;
}
