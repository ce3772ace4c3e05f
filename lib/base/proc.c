#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/smallfile.h"

enum { MAX_STATUS = 64 << 10 };

bool pt_proc_read(int pid, int tid, struct pt_proc *p)
{
	char path[64], line[1024], *first, *last;
	unsigned long long start;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	errno = pt_file_text(path, line, sizeof(line));
	if (errno || !*line)
		return false;
	first = strchr(line, '(');
	last = strrchr(line, ')');		/* the name may contain parentheses */
	if (!first || !last || last < first ||
	    sscanf(last + 1,
		   " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &p->state, &p->parent, &start) != 3)
		return false;
	snprintf(p->comm, sizeof(p->comm), "%.*s", (int)(last - first - 1), first + 1);
	p->start_ticks = start;
	return true;
}

int pt_proc_list(uint32_t pid, uint32_t **ids, size_t *nr, struct pt_err *e)
{
	char path[64] = "/proc";
	const struct dirent *d;
	uint32_t id;
	size_t cap = 0;
	DIR *dir;

	*ids = NULL;
	*nr = 0;
	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return pt_err_sys(e, errno, "%s", path);
	while ((d = readdir(dir))) {
		id = (uint32_t)strtoul(d->d_name, NULL, 10);
		if (id) {
			PT_GROW(*ids, *nr, cap);
			(*ids)[(*nr)++] = id;
		}
	}
	closedir(dir);
	if (*nr)
		qsort(*ids, *nr, sizeof(**ids), pt_num_compare);
	return 0;
}

bool pt_proc_mapping(char *line, struct pt_proc_mapping *m)
{
	char perms[8];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n",
		   &m->start, &m->end, perms, &m->pgoff, &m->maj, &m->min, &m->ino, &at) < 7 ||
	    !at)
		return false;
	m->prot = (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
		  (perms[2] == 'x' ? PROT_EXEC : 0);
	m->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	m->path = line[at] ? line + at : "//anon";
	return m->end > m->start;
}

bool pt_proc_status(uint32_t tid, const char *key, char *value, size_t size)
{
	struct pt_buf text = PT_BUF_INIT;
	size_t len = strlen(key);
	const char *line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	pt_file_add(path, MAX_STATUS, &text);
	for (line = pt_buf_str(&text); strncmp(line, key, len) || line[len] != ':'; line++) {
		line = strchr(line, '\n');
		if (!line)
			break;
	}
	if (line) {
		line += len + 1;
		line += strspn(line, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
	}
	pt_buf_deinit(&text);
	return line;
}

uint32_t pt_proc_of_thread(uint32_t tid)
{
	char pid[32];

	return pt_proc_status(tid, "Tgid", pid, sizeof(pid)) ? (uint32_t)strtoul(pid, NULL, 10) : 0;
}
