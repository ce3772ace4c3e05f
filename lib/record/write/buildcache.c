#include "record/write/buildcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/newfile.h"
#include "base/untrusted.h"

static const char kernel[] = "[kernel.kallsyms]";

static int link_or_copy(int fd, char *to, struct pt_err *e)
{
	char open_file[32];

	if (pt_newfile_folders(to, e) < 0)
		return -1;
	if (!access(to, F_OK))
		return 0;
	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, open_file, AT_FDCWD, to, AT_SYMLINK_FOLLOW))
		return 0;
	return pt_newfile_copy(to, 0644, fd, e);
}

/* DIR/.build-id/xx/yyy -> ../../PATH/BUILDID */
static int point_to(const char *dir, const struct pt_build_id *id, const char *path,
		    struct pt_err *e)
{
	char *link = pt_build_id_path(dir, id, ""), text[PT_BUILD_ID_TEXT], *to;
	int rc = 0;

	if (!link)
		return 0;
	to = pt_asprintf("../../%s/%s", path + (*path == '/'), pt_build_id_text(id, text));
	rc = pt_newfile_folders(link, e);
	if (rc == 0 && symlink(to, link) < 0 && errno != EEXIST)
		rc = pt_err_sys(e, errno, "%s", link);
	free(to);
	free(link);
	return rc;
}

/* The file that is to be kept: the kernel's symbols, or the program if it still has its id. */
static int open_original(const char *path, const struct pt_build_id *id)
{
	struct pt_build_id now = { 0 };
	int fd;

	if (!strcmp(path, kernel))
		return open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (*path != '/' || strstr(path, "/../"))
		return -1;
	fd = pt_untrusted_open(NULL, path, 0, NULL);
	if (fd < 0 || (pt_build_id_file(fd, &now) && pt_build_id_equal(&now, id)))
		return fd;
	close(fd);
	return -1;
}

static int add_one(const char *dir, const struct pt_build_id *id, const char *path,
		   struct pt_err *e)
{
	int fd = open_original(path, id), rc;
	char text[PT_BUILD_ID_TEXT], *to;

	if (fd < 0)
		return 0;
	to = pt_asprintf("%s/%s/%s/%s", dir, path + (*path == '/'), pt_build_id_text(id, text),
			 *path == '/' ? "elf" : "kallsyms");
	rc = link_or_copy(fd, to, e);
	if (rc == 0)
		rc = point_to(dir, id, path, e);
	free(to);
	close(fd);
	return rc;
}

int pt_build_cache_add(const char *dir, const struct pt_build_ids *l, struct pt_err *e)
{
	struct pt_build_id id;
	const char *path;
	size_t at = 0;

	while (pt_build_ids_next(l, &at, &id, &path))
		if (add_one(dir, &id, path, e) < 0)
			return -1;
	return 0;
}
