#include "code/roots.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_ROOTS = 256 };

struct seen { ino_t ns, ino; dev_t dev; };

struct pt_roots {
	bool looked;
	struct seen seen[MAX_ROOTS];
	int fds[MAX_ROOTS];
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
		close(r->fds[i]);
	free(r);
}

int pt_roots_open_below(int dir, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags), .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
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

	for (i = 0; i < r->nr; i++)
		if (is_same(&r->seen[i], s))
			return;
	snprintf(path, sizeof(path), "/proc/%s/root", process);
	r->fds[r->nr] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fds[r->nr] >= 0)
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
			if (e->d_name[0] > '0' && e->d_name[0] <= '9' && look_at(e->d_name, &its) && !is_same(&its, &own))
				take(r, e->d_name, &its);
	if (d)
		closedir(d);
}

int pt_roots_open(struct pt_roots *r, size_t i, const char *path)
{
	if (!r->looked)
		look(r);
	return i < r->nr ? pt_roots_open_below(r->fds[i], path, 0) : PT_ROOTS_END;
}
