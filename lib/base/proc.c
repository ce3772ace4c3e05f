#include "base/proc.h"
#include "base/smallfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
