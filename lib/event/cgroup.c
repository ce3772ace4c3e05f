#include "event/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_DEPTH = 64, MAX_NAMES = 65536, SHOWN = 5 };

char *pt_cgroup_root(struct pt_err *e)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char *root = NULL;
	struct mntent *m;

	while (f && (m = getmntent(f))) {
		bool v1 = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");

		if (v1 || (!strcmp(m->mnt_type, "cgroup2") && !root)) {
			free(root);
			root = pt_strdup(m->mnt_dir);
		}
		if (v1)
			break;
	}
	if (f)
		endmntent(f);
	if (!root) {
		pt_err_set(
			e,
			"no cgroup file system is mounted; as root: `mount -t cgroup2 none /sys/fs/cgroup`");
		if (e)
			e->sys = ENODEV;
	}
	return root;
}

bool pt_cgroup_is_pattern(const char *text)
{
	return strpbrk(text, "{}[]()|*+?^$");
}

static void add(struct pt_cgroups *c, const char *name, size_t len)
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
		add(c, p, len);
		if (!p[len])
			return 0;
	}
}


/* Adds all names below the directory, which it closes. Directories that cannot be read, or are
 * gone, are skipped. */
static void walk(struct pt_cgroups *c, int dir_fd, const char *name, unsigned depth)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *d;

	add(c, name, strlen(name));
	while (dir && (d = readdir(dir)) && c->nr < MAX_NAMES) {
		struct stat st;
		char *path;
		int fd;

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    (d->d_type != DT_DIR && d->d_type != DT_UNKNOWN) || depth == MAX_DEPTH)
			continue;
		if (d->d_type == DT_UNKNOWN &&
		    (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		     !S_ISDIR(st.st_mode)))
			continue;
		fd = openat(dirfd(dir), d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		path = *name ? pt_asprintf("%s/%s", name, d->d_name) : pt_strdup(d->d_name);
		walk(c, fd, path, depth + 1);
		free(path);
	}
	if (dir)
		closedir(dir);
	else
		close(dir_fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Marks the names that match one pattern. */
static int find(const struct pt_cgroups *all, bool *found, const char *pattern, size_t len,
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

static int match(struct pt_cgroups *c, struct pt_cgroups *all, bool *found, const char *patterns,
		 struct pt_err *e)
{
	const char *p = patterns;
	size_t len, i;

	for (;; p += len + 1) {
		len = strcspn(p, ",");
		if (len && find(all, found, p, len, e) < 0)
			return -1;
		if (!p[len])
			break;
	}
	for (i = 0; i < all->nr; i++) {
		if (!found[i])
			continue;
		PT_GROW(c->names, c->nr, c->cap);
		c->names[c->nr++] = all->names[i];
		all->names[i] = NULL;
	}
	return c->nr ? 0 : none_found(all, patterns, e);
}

int pt_cgroups_match(struct pt_cgroups *c, const char *root, const char *patterns, struct pt_err *e)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	struct pt_cgroups all = { 0 };
	bool *found;

	if (fd < 0)
		return pt_err_sys(e, errno, "%s", root);
	walk(&all, fd, "", 0);
	qsort(all.names, all.nr, sizeof(*all.names), by_name);
	found = pt_alloc_array(all.nr, sizeof(*found));
	rc = match(c, &all, found, patterns, e);
	free(found);
	pt_cgroups_deinit(&all);
	return rc;
}
