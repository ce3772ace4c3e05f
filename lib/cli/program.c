#include "cli/program.h"

#include <errno.h>
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
		for (dirs = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; got && dirs; dirs = *end ? end + 1 : NULL) {
			end = dirs + strcspn(dirs, ":");
			pt_buf_clear(&b);
			pt_buf_add(&b, dirs, (size_t)(end - dirs));
			pt_buf_puts(&b, end == dirs ? "./" : "/");
			pt_buf_puts(&b, name);
			got = runnable(b.data);
			/* One that may not be run is worth telling; a directory that may not be searched is not. */
			if (!got || (got == EACCES && !access(b.data, F_OK)))
				sys = got;
		}
	}
	if (!got && path)
		pt_buf_add(path, b.data, b.len);
	pt_buf_deinit(&b);
	return got ? sys : 0;
}
