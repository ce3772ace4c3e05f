#include "base/proc.h"
#include "base/smallfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
