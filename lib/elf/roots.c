#include "elf/roots.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_ROOTS = 256 };

struct seen { ino_t ns, ino; dev_t dev; };

struct pt_roots {
	bool looked;
	struct seen seen[MAX_ROOTS];
	struct pt_root *roots[MAX_ROOTS];
	size_t nr;
};

struct pt_roots *pt_roots_new(void)
{
	return pt_alloc(sizeof(struct pt_roots));
}

void pt_roots_free(struct pt_roots *r)
{
	size_t i;

	for (i = 0; r && i < r->nr; i++)
		pt_root_put(r->roots[i]);
	free(r);
}

static bool look_at(const char *process, struct seen *s)
{
	char path[300];
	struct stat ns, root;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &ns) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%s/root", process);
	if (stat(path, &root) < 0)
		return false;
	*s = (struct seen){ ns.st_ino, root.st_ino, root.st_dev };
	return true;
}

static bool is_same(const struct seen *a, const struct seen *b)
{
	return a->ns == b->ns && a->ino == b->ino && a->dev == b->dev;
}

static void take(struct pt_roots *r, const char *process, const struct seen *s)
{
	char path[300];
	size_t i;
	int fd;

	for (i = 0; i < r->nr; i++)
		if (is_same(&r->seen[i], s))
			return;
	snprintf(path, sizeof(path), "/proc/%s/root", process);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	r->roots[r->nr] = pt_root_new(fd, "");
	r->seen[r->nr++] = *s;
}

static void look(struct pt_roots *r)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;
	struct seen own, its;

	r->looked = true;
	if (d && look_at("self", &own))
		while (r->nr < MAX_ROOTS && (e = readdir(d)))
			if (e->d_name[0] > '0' && e->d_name[0] <= '9' && look_at(e->d_name, &its) &&
			    !is_same(&its, &own))
				take(r, e->d_name, &its);
	if (d)
		closedir(d);
}

struct pt_root *pt_roots_nr(struct pt_roots *r, size_t i)
{
	if (!r->looked)
		look(r);
	return i < r->nr ? r->roots[i] : NULL;
}
