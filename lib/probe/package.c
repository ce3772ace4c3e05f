#include "probe/package.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mapfile.h"
#include "base/mem.h"

/* Whole lines of the list. */
static bool has_line(const struct pt_mapfile *m, const char *line, size_t len)
{
	const char *at = (const char *)m->data, *end = at + m->len_bytes;

	while ((size_t)(end - at) > len && (at = memmem(at, (size_t)(end - at), line, len))) {
		if ((at == (const char *)m->data || at[-1] == '\n') && at + len < end && at[len] == '\n')
			return true;
		at++;
	}
	return false;
}

bool pt_package_of(const char *lists, const char *path, struct pt_buf *name)
{
	const char *dir = lists ? lists : "/var/lib/dpkg/info", *dot;
	size_t len = strlen(path), cut = strncmp(path, "/usr/", 5) ? 0 : 4;	/* packages may know /bin/sh where the file is /usr/bin/sh */
	DIR *d = opendir(dir);
	struct pt_mapfile m;
	struct dirent *x;
	bool found = false;

	while (d && !found && (x = readdir(d))) {
		char *list;

		dot = strrchr(x->d_name, '.');
		if (!dot || strcmp(dot, ".list"))
			continue;
		list = pt_asprintf("%s/%s", dir, x->d_name);
		if (!pt_mapfile_open(&m, list, NULL)) {
			found = has_line(&m, path, len) || (cut && has_line(&m, path + cut, len - cut));
			pt_mapfile_close(&m);
		}
		free(list);
		if (found)
			pt_buf_add(name, x->d_name, PT_MIN((size_t)(dot - x->d_name), strcspn(x->d_name, ":")));
	}
	if (d)
		closedir(d);
	return found;
}
