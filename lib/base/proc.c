#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pt_proc_read(int pid, int tid, struct pt_proc *p)
{
	char path[64], line[1024], *first, *last;
	unsigned long long start;
	ssize_t n;
	int fd, sys;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, line, sizeof(line) - 1);
	sys = n < 0 ? errno : ESRCH;
	close(fd);
	errno = sys;
	if (n <= 0)
		return false;
	line[n] = '\0';
	first = strchr(line, '(');
	last = strrchr(line, ')');		/* the name may hold any, too */
	if (!first || !last || last < first ||
	    sscanf(last + 1,
		   " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &p->state, &p->parent, &start) != 3)
		return false;
	snprintf(p->comm, sizeof(p->comm), "%.*s", (int)(last - first - 1), first + 1);
	p->start_ticks = start;
	return true;
}
