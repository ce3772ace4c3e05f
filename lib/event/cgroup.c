#include "event/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <mntent.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_DEPTH = 64, MAX_NAMES = 65536, SHOWN = 5 };

/* The mount point of v1's perf_event, if it is wanted and there, else of v2. */
static char *mount_point(bool v1)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char *root = NULL;
	struct mntent *m;

	while (f && (m = getmntent(f))) {
		bool is_v1 = v1 && !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");

		if (is_v1 || (!strcmp(m->mnt_type, "cgroup2") && !root)) {
			free(root);
			root = pt_strdup(m->mnt_dir);
		}
		if (is_v1)
			break;
	}
	if (f)
		endmntent(f);
	return root;
}

char *pt_cgroup_root(struct pt_err *e)
{
	char *root = mount_point(true);

	if (!root) {
		pt_err_set(
			e,
			"no cgroup file system is mounted; as root: `mount -t cgroup2 none /sys/fs/cgroup`");
		if (e)
			e->sys = ENODEV;
	}
	return root;
}

int pt_cgroup_open(const char *name, bool v2, struct pt_err *e)
{
	char *root = v2 ? mount_point(false) : pt_cgroup_root(e), *path;
	int fd;

	if (!root)
		return v2 ? pt_err_set(e, "control group %s: cgroup v2 is not mounted", name)
			  : pt_err_context(e, "control group %s", name);
	path = pt_asprintf("%s/%s", root, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		pt_err_sys(e, errno, "control group %s: %s", name, path);
	free(path);
	free(root);
	return fd;
}

char *pt_cgroup_path(uint64_t id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} h = { .handle = { .handle_bytes = sizeof(id), .handle_type = 0xfe } };
	char *root = mount_point(false), link[64], path[PATH_MAX], *name = NULL;
	int root_fd = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, fd = -1;
	ssize_t len;

	memcpy(h.handle.f_handle, &id, sizeof(id));
	if (root_fd >= 0)
		fd = open_by_handle_at(root_fd, &h.handle, O_PATH | O_CLOEXEC);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = fd < 0 ? -1 : readlink(link, path, sizeof(path));
	if (len >= (ssize_t)strlen(root) && len < (ssize_t)sizeof(path))
		name = len == (ssize_t)strlen(root)
			       ? pt_strdup("/")
			       : pt_strndup(path + strlen(root), (size_t)len - strlen(root));
	if (fd >= 0)
		close(fd);
	if (root_fd >= 0)
		close(root_fd);
	free(root);
	return name;
}

uint64_t pt_cgroup_id(const char *folder)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} h = { .handle = { .handle_bytes = sizeof(uint64_t) } };
	uint64_t id = 0;
	int mount;

	if (name_to_handle_at(AT_FDCWD, folder, &h.handle, &mount, 0) == 0 &&
	    h.handle.handle_bytes == sizeof(id))
		memcpy(&id, h.handle.f_handle, sizeof(id));
	return id;
}

bool pt_cgroup_is_pattern(const char *text)
{
	return strpbrk(text, "{}[]()|*+?^$");
}

static void cgroup_add(struct pt_cgroups *c, const char *name, size_t len)
{
	PT_GROW(c->names, c->nr, c->cap);
	c->names[c->nr++] = pt_strndup(name, len);
}

void pt_cgroups_deinit(struct pt_cgroups *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->names[i]);
	free(c->names);
	*c = (struct pt_cgroups){ 0 };
}

int pt_cgroups_split(struct pt_cgroups *c, const char *names, struct pt_err *e)
{
	const char *p = names;
	size_t len;

	if (!*p || *p == ',' || strstr(p, ",,") || p[strlen(p) - 1] == ',')
		return pt_err_set(e, "'%s': a name is empty", names);
	for (;; p += len + 1) {
		len = strcspn(p, ",");
		cgroup_add(c, p, len);
		if (!p[len])
			return 0;
	}
}

/* Directories that cannot be read, or are gone, are skipped. */
int pt_cgroups_all(struct pt_cgroups *c, const char *root, struct pt_err *e)
{
	char *const roots[] = { (char *)(uintptr_t)root, NULL };
	size_t len = strlen(root);
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *f;

	while (fts && (f = fts_read(fts)) && c->nr < MAX_NAMES) {
		const char *name = f->fts_path + len + (f->fts_level > 0);

		if (!f->fts_level && f->fts_info != FTS_D && f->fts_info != FTS_DP) {
			pt_err_sys(e, f->fts_errno ? f->fts_errno : ENOTDIR, "%s", root);
			fts_close(fts);
			return -1;
		}
		if (f->fts_info == FTS_D)
			cgroup_add(c, name, strlen(name));
		if (f->fts_level == MAX_DEPTH)
			fts_set(fts, f, FTS_SKIP);
	}
	if (fts)
		fts_close(fts);
	return 0;
}

void pt_cgroups_each(void (*got)(void *ctx, uint64_t id, const char *path), void *ctx)
{
	char *root = pt_cgroup_root(NULL);
	struct pt_cgroups groups = { 0 };

	if (root)
		pt_cgroups_all(&groups, root, NULL);
	for (size_t i = 0; i < groups.nr; i++) {
		char *folder = pt_asprintf("%s/%s", root, groups.names[i]);
		uint64_t id = pt_cgroup_id(folder);

		if (id)
			got(ctx, id, folder + strlen(root));
		free(folder);
	}
	pt_cgroups_deinit(&groups);
	free(root);
}

static int cgroup_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Marks the names that match one pattern. */
static int cgroup_find(const struct pt_cgroups *all, bool *found, const char *pattern, size_t len,
		       struct pt_err *e)
{
	char *text = pt_strndup(pattern, len), why[128];
	regex_t re;
	int rc = regcomp(&re, text, REG_NOSUB);

	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		pt_err_set(e, "'%s': no regular expression: %s", text, why);
		free(text);
		return -1;
	}
	for (size_t i = 0; i < all->nr; i++)
		found[i] = found[i] || !regexec(&re, all->names[i], 0, NULL, 0);
	regfree(&re);
	free(text);
	return 0;
}

static int none_found(const struct pt_cgroups *all, const char *patterns, struct pt_err *e)
{
	size_t from = all->nr && !*all->names[0], i;

	pt_err_set(e, "no control group matches '%s'", patterns);
	if (strpbrk(patterns, "{}()|+?"))
		pt_err_advice(e,
			      " (a basic regular expression: \"or\" is \\|, groups are \\( \\))");
	for (i = from; i < all->nr && i < from + SHOWN; i++)
		pt_err_advice(e, "%s %s", i == from ? "; there are" : ",", all->names[i]);
	if (i < all->nr)
		pt_err_advice(e, " and %zu more", all->nr - i);
	if (e)
		e->sys = ENOENT;
	return -1;
}

int pt_cgroups_match(struct pt_cgroups *c, const char *root, const char *patterns, struct pt_err *e)
{
	struct pt_cgroups all = { 0 };
	const char *p = patterns;
	int rc = pt_cgroups_all(&all, root, e);
	bool *found;
	size_t len;

	if (rc < 0)
		return -1;
	qsort(all.names, all.nr, sizeof(*all.names), cgroup_by_name);
	found = pt_alloc_array(all.nr, sizeof(*found));
	for (; rc == 0; p += len + 1) {
		len = strcspn(p, ",");
		if (len)
			rc = cgroup_find(&all, found, p, len, e);
		if (!p[len])
			break;
	}
	for (size_t i = 0; rc == 0 && i < all.nr; i++)
		if (found[i])
			cgroup_add(c, all.names[i], strlen(all.names[i]));
	if (rc == 0 && !c->nr)
		rc = none_found(&all, patterns, e);
	free(found);
	pt_cgroups_deinit(&all);
	return rc;
}
