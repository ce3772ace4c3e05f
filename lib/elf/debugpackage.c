#include "elf/debugpackage.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"

enum { MAX_LIST_BYTES = 16 << 20 };

/* `line`: a path with its newline and without /usr in front: packages may have been made before
 * /bin and /lib became links to folders of /usr. */
static bool lists(const char *text, const char *line)
{
	static const char usr[] = "\n/usr";
	const size_t len = sizeof(usr) - 1;

	for (const char *at = text; (at = strstr(at, line)); at++) {
		size_t before = (size_t)(at - text);

		if (!before || at[-1] == '\n' || (before >= len && !memcmp(at - len, usr, len)))
			return true;
	}
	return false;
}

/* `list`: "libc6:amd64.list". The C library's package has kept its old name. */
static void put_name(const char *list, struct pt_buf *name)
{
	size_t len = strlen(list) - strlen(".list"), until = strcspn(list, ":");
	bool libc = !strncmp(list, "libc6:", strlen("libc6:"));

	pt_buf_add(name, list, PT_MIN(len, until));
	pt_buf_puts(name, libc ? "-dbg" : "-dbgsym");
}

bool pt_debug_package(const char *root, const char *path, struct pt_buf *name)
{
	char *folder = pt_asprintf("%s/var/lib/dpkg/info", root), *file;
	char *line = pt_asprintf("%s\n", path + (strncmp(path, "/usr/", 5) ? 0 : 4));
	struct pt_buf text = PT_BUF_INIT;
	struct dirent *ent;
	DIR *d = opendir(folder);
	bool found = false;

	while (d && !found && (ent = readdir(d))) {
		const char *end = strrchr(ent->d_name, '.');

		if (!end || strcmp(end, ".list"))
			continue;
		file = pt_asprintf("%s/%s", folder, ent->d_name);
		pt_buf_clear(&text);
		found = pt_file_add(file, MAX_LIST_BYTES, &text) == 0 &&
			lists(pt_buf_str(&text), line);
		if (found)
			put_name(ent->d_name, name);
		free(file);
	}
	if (d)
		closedir(d);
	pt_buf_deinit(&text);
	free(line);
	free(folder);
	return found;
}
