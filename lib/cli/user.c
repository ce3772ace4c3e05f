#include "cli/user.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/proc.h"

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
	size_t nr_all, found = 0;
	struct stat st;
	uint32_t uid = 0, *all;
	char path[32];

	if (pt_user_id(text, &uid, e) < 0 || pt_proc_list(0, &all, &nr_all, e) < 0)
		return -1;
	for (size_t i = 0; i < nr_all; i++) {
		snprintf(path, sizeof(path), "/proc/%u", all[i]);
		if ((pid_t)all[i] != getpid() && !stat(path, &st) && st.st_uid == uid)
			all[found++] = all[i];
	}
	pt_num_list_join(pids, nr, (int *)all, found);
	free(all);
	return found ? 0 : pt_err_set(e, "user '%s' runs nothing", text);
}
