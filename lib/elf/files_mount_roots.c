/* files_mount_roots.c - the mount namespaces of processes, and files as processes see them */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/files_priv.h"

static const uint64_t STALE = 1ull << 32;

static uint64_t mount_namespace(const char *pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_ino;
}

void pt_files_mount_roots_deinit(struct pt_files *f)
{
	for (size_t i = 0; i < f->nr_roots; i++) {
		pt_root_put(f->roots[i].dir);
		if (f->roots[i].ns_fd >= 0)
			close(f->roots[i].ns_fd);
	}
	pt_map_deinit(&f->root_of);
}

/* The root of a live process: 0 our own, else index + 1, or NOWHERE. -1: gone, or not accessible.
 */
static int64_t root_of(struct pt_files *f, uint32_t pid)
{
	char number[16];
	uint64_t ns, own_ns;
	struct stat own, its;
	char path[64];
	size_t i;
	int fd;

	snprintf(number, sizeof(number), "%u", pid);
	ns = mount_namespace(number);
	if (!ns)
		return -1;
	for (i = 0; i < f->nr_roots; i++)
		if (f->roots[i].ns == ns)
			return (int64_t)i + 1;
	own_ns = mount_namespace("self");
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	/* Own namespace and own root: plain paths work. A chroot within it has a root of its own.
	 */
	if (ns == own_ns && !stat("/", &own) && !stat(path, &its) && own.st_ino == its.st_ino &&
	    own.st_dev == its.st_dev)
		return 0;
	errno = 0;
	fd = f->nr_roots < MAX_ROOTS ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	/* A process that ends gives up its root a moment before its namespaces. */
	if (fd < 0)
		return errno == ENOENT && ns == own_ns ? -1 : NOWHERE;
	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	f->roots[f->nr_roots++] = (struct root){ ns == own_ns ? ~(uint64_t)pid : ns,
						 pt_root_new(fd, ""),
						 open(path, O_RDONLY | O_CLOEXEC) };
	return (int64_t)f->nr_roots;
}

uint64_t pt_files_namespace(const struct pt_files *f, uint32_t pid)
{
	const uint64_t *root = pt_map_get(&f->root_of, pid);

	return root ? *root & ~STALE : 0;
}

void pt_files_see_process(struct pt_files *f, uint32_t pid)
{
	uint64_t *known;
	int64_t root;

	if (!f->opts.live || ((known = pt_map_get(&f->root_of, pid)) && !(*known & STALE)))
		return;
	root = root_of(f, pid);
	known = pt_map_put(&f->root_of, pid);
	*known = root < 0 ? *known & ~STALE : (uint64_t)root;
}

void pt_files_see_fork(struct pt_files *f, uint32_t parent, uint32_t pid)
{
	const uint64_t *known = pt_map_get(&f->root_of, parent);
	uint64_t root = known ? *known : 0;

	if (known)
		*pt_map_put(&f->root_of, pid) = root;
	else
		pt_map_del(&f->root_of, pid);
}

void pt_files_see_change(struct pt_files *f, uint32_t pid)
{
	uint64_t *known = pt_map_get(&f->root_of, pid);

	if (known)
		*known |= STALE;
}

void pt_files_see_running(struct pt_files *f, uint32_t pid)
{
	int64_t root = f->opts.live ? 0 : root_of(f, pid);

	if (root > 0)
		*pt_map_put(&f->root_of, pid) = (uint64_t)root;
}

void pt_files_see_all(struct pt_files *f)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] > '0' && e->d_name[0] <= '9')
			root_of(f, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (d)
		closedir(d);
}

struct pt_root *pt_files_root_dir(const struct pt_files *f, uint64_t root)
{
	return root && root != NOWHERE ? f->roots[root - 1].dir : NULL;
}

/* The number of a process's root. */
static uint64_t root_now(struct pt_files *f, uint32_t pid)
{
	pt_files_see_process(f, pid);
	return pt_files_namespace(f, pid);
}

struct pt_root *pt_files_root(struct pt_files *f, uint32_t pid)
{
	uint64_t root = root_now(f, pid);

	return root ? pt_files_root_dir(f, root) : f->symfs;
}

int pt_files_open(struct pt_files *f, uint32_t pid, const char *path)
{
	uint64_t root = root_now(f, pid);
	int fd = -1;

	if (root)
		return root == NOWHERE ? -1
				       : pt_untrusted_open(pt_files_root_dir(f, root), path,
							   PT_UNTRUSTED_NO_LINK, NULL);
	if (f->symfs)
		fd = pt_untrusted_open(f->symfs, path, PT_UNTRUSTED_NO_LINK, NULL);
	return fd >= 0 ? fd : pt_untrusted_open(NULL, path, PT_UNTRUSTED_NO_LINK, NULL);
}
