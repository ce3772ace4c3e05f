#include "cli/user.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"

/* Without a library the C library's name services are not there: /etc/passwd alone is read then. */
static const struct passwd *find_user(const char *name)
{
#ifdef PT_STATIC
	const struct passwd *user = NULL;
	FILE *f = fopen("/etc/passwd", "re");

	while (f && (user = fgetpwent(f)) && strcmp(user->pw_name, name))
		;
	if (f)
		fclose(f);
	return user;
#else
	return getpwnam(name);
#endif
}

int pt_user_id(const char *text, uint32_t *uid, struct pt_err *e)
{
	const struct passwd *user = find_user(text);
	uint64_t number = user ? user->pw_uid : 0;

	if (!user && pt_num_u64(text, 0, UINT32_MAX, &number, NULL) < 0)
		return pt_err_set(e, "there is no user '%s'", text);
	*uid = (uint32_t)number;
	return 0;
}

int pt_user_processes(const char *text, int **pids, size_t *nr, struct pt_err *e)
{
	int *found = NULL;
	size_t nr_found = 0, cap = 0;
	const struct dirent *de;
	struct stat st;
	uint32_t uid = 0;
	DIR *d;

	if (pt_user_id(text, &uid, e) < 0)
		return -1;
	d = opendir("/proc");
	if (!d)
		return pt_err_sys(e, errno, "/proc");
	while ((de = readdir(d))) {
		int pid = atoi(de->d_name);

		if (pid <= 0 || pid == (int)getpid() ||
		    fstatat(dirfd(d), de->d_name, &st, 0) < 0 || st.st_uid != uid)
			continue;
		PT_GROW(found, nr_found, cap);
		found[nr_found++] = pid;
	}
	closedir(d);
	if (!nr_found)
		return pt_err_set(e, "user '%s' runs nothing", text);
	pt_num_list_join(pids, nr, found, nr_found);
	free(found);
	return 0;
}
