/* proc.h - a task that runs, as /proc/PID/task/TID/stat tells of it (proc_pid_stat(5)), and its
 * mappings. */
#ifndef PT_BASE_PROC_H
#define PT_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* the kernel shows up to 64 characters, of its own threads */
enum { PT_PROC_COMM = 80 };

struct pt_proc {
	char comm[PT_PROC_COMM];	/* as it stands there, with any characters */
	char state;			/* R, S, D, Z ... */
	int parent;
	/* since the machine started, in clock ticks (_SC_CLK_TCK): with the pid it tells a process
	 * from others */
	uint64_t start_ticks;
};

/* False: there is none (errno ENOENT, ESRCH), or it cannot be read. */
bool pt_proc_read(int pid, int tid, struct pt_proc *p);
/* The tasks that there are, ascending; the caller frees the list. pid 0: all processes; else the
 * threads of that one. */
int pt_proc_list(uint32_t pid, uint32_t **ids, size_t *nr, struct pt_err *e);
/* The value of a line of /proc/TID/status, "Tgid" for example. False: there is none. */
bool pt_proc_status(uint32_t tid, const char *key, char *value, size_t size);
/* The process of a thread; 0: there is no such thread. */
uint32_t pt_proc_of_thread(uint32_t tid);

struct pt_proc_mapping {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min;
	uint32_t prot, flags;		/* PROT_*, MAP_* */
	const char *path;		/* within the line; "//anon": of no file */
};
/* A line of /proc/PID/maps (proc_pid_maps(5)), whose newline is cut off. False: it is none. */
bool pt_proc_mapping(char *line, struct pt_proc_mapping *m);

#endif
