#include "elf/debugpackage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { PIECE_BYTES = 32 << 10 };

/* `line`: a path with its newline and without /usr in front: packages may have been made before
 * /bin and /lib became links to folders of /usr. */
static bool debugpackage_has_line(const char *text, const char *line)
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

/* Reads the list in pieces of whole lines: some have megabytes. */
static bool lists(const char *path, const char *line)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char piece[PIECE_BYTES + 1], *end;
	bool found = false, more = fd >= 0;
	size_t len = 0;
	ssize_t n;

	while (more && !found && (n = read(fd, piece + len, PIECE_BYTES - len)) > 0) {
		len += (size_t)n;
		more = len == PIECE_BYTES;
		piece[len] = '\0';
		found = debugpackage_has_line(piece, line);
		end = memrchr(piece, '\n', len);
		end = end ? end : piece + len;
		len = (size_t)(piece + len - end);
		memmove(piece, end, len);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* `list`: "libc6:amd64.list". The C library's package has kept its old name. */
static void debugpackage_put_name(const char *list, struct pt_buf *name)
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
	struct dirent *ent;
	DIR *d = opendir(folder);
	bool found = false;

	while (d && !found && (ent = readdir(d))) {
		const char *end = strrchr(ent->d_name, '.');

		if (!end || strcmp(end, ".list"))
			continue;
		file = pt_asprintf("%s/%s", folder, ent->d_name);
		found = lists(file, line);
		if (found)
			debugpackage_put_name(ent->d_name, name);
		free(file);
	}
	if (d)
		closedir(d);
	free(line);
	free(folder);
	return found;
}
