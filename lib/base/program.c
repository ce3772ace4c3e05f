#include "base/program.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int runnable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return access(path, X_OK) < 0 ? errno : 0;
}

int pt_program_find(const char *name, struct pt_buf *path)
{
	struct pt_buf b = PT_BUF_INIT;
	const char *dirs = getenv("PATH"), *end;
	int sys = ENOENT, got = ENOENT;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/')) {
		got = sys = runnable(name);
		pt_buf_puts(&b, name);
	} else {
		for (dirs = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; got && dirs;
		     dirs = *end ? end + 1 : NULL) {
			end = dirs + strcspn(dirs, ":");
			pt_buf_clear(&b);
			pt_buf_add(&b, dirs, (size_t)(end - dirs));
			pt_buf_puts(&b, end == dirs ? "./" : "/");
			pt_buf_puts(&b, name);
			got = runnable(b.data);
			/* Reports a file that may not be executed, but not a directory that may not
			 * be searched. */
			if (!got || (got == EACCES && !access(b.data, F_OK)))
				sys = got;
		}
	}
	if (!got && path)
		pt_buf_join(path, &b);
	pt_buf_deinit(&b);
	return got ? sys : 0;
}

struct library { const char *name; struct pt_buf path; };

static bool in_folder(struct library *l, const char *dir, size_t len)
{
	struct stat st;

	pt_buf_clear(&l->path);
	pt_buf_add(&l->path, dir, len);
	pt_buf_putc(&l->path, '/');
	pt_buf_puts(&l->path, l->name);
	return !stat(pt_buf_str(&l->path), &st) && S_ISREG(st.st_mode);
}

static int beside_ours(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	return slash && in_folder(arg, info->dlpi_name, (size_t)(slash - info->dlpi_name));
}

bool pt_library_find(const char *name, struct pt_buf *path)
{
	static const char *const usual[] = { "/lib64",   "/usr/lib64",       "/lib",
					     "/usr/lib", "/usr/local/lib64", "/usr/local/lib" };
	struct library l = { .name = name, .path = PT_BUF_INIT };
	bool found = false;

	if (!strstr(name, ".so") || strchr(name, '/'))
		return false;
	found = dl_iterate_phdr(beside_ours, &l);
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && !found; i++)
		found = in_folder(&l, usual[i], strlen(usual[i]));
	if (found && path)
		pt_buf_join(path, &l.path);
	pt_buf_deinit(&l.path);
	return found;
}
