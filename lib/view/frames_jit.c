/* JIT symbols for frames.c: /tmp/perf-PID.map. The format is perf's (tools/perf/Documentation/jit-interface.txt): "START SIZE NAME", hexadecimal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "view/frames_priv.h"

enum { MAX_MAP = 256 << 20 };

struct pt_jit {
	uint32_t pid;
	bool live;
	uint64_t generation;		/* of the program that wrote it */
	off_t read_bytes;		/* of the file so far */
	struct pt_symtab **parts;	/* one a reading: later parts win */
	size_t nr_parts, cap_parts;
};

struct pt_jit *pt_jit_new(uint32_t pid, bool live)
{
	struct pt_jit *j = pt_alloc(sizeof(*j));

	j->pid = pid;
	j->live = live;
	return j;
}

static void forget(struct pt_jit *j)
{
	while (j->nr_parts)
		pt_symtab_free(j->parts[--j->nr_parts]);
	j->read_bytes = 0;
}

void pt_jit_free(struct pt_jit *j)
{
	if (!j)
		return;
	forget(j);
	free(j->parts);
	free(j);
}

/* The pid that the process has in its own pid namespace, which names the file. */
static uint32_t inner_pid(uint32_t pid)
{
	char path[64], line[256];
	uint32_t inner = pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "NSpid:", 6)) {
			char *last = strrchr(line, '\t');

			if (last)
				inner = (uint32_t)strtoul(last, NULL, 10);
		}
	if (f)
		fclose(f);
	return inner;
}

static int open_map(const struct pt_jit *j)
{
	char path[128];
	struct stat st, proc;
	int fd = -1;

	if (j->live) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", j->pid, inner_pid(j->pid));
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", j->pid);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	/* Anybody can write to /tmp: a map is the process owner's own, root's, or ours, and a plain file. */
	snprintf(path, sizeof(path), "/proc/%u", j->pid);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (st.st_uid && st.st_uid != geteuid() && (stat(path, &proc) < 0 || proc.st_uid != st.st_uid))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads on from where the last reading ended, whole lines. */
static bool read_on(struct pt_jit *j)
{
	int fd = open_map(j);
	struct stat st;
	size_t want, len = 0;
	char *text;
	ssize_t n;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0 || st.st_size == j->read_bytes) {
		close(fd);
		return false;
	}
	if (st.st_size < j->read_bytes)
		forget(j);
	want = (size_t)PT_MIN(st.st_size - j->read_bytes, (off_t)MAX_MAP);
	text = pt_alloc(want);
	while (len < want && (n = pread(fd, text + len, want - len, j->read_bytes + (off_t)len)) > 0)
		len += (size_t)n;
	close(fd);
	while (len && text[len - 1] != '\n')
		len--;
	if (len) {
		PT_GROW(j->parts, j->nr_parts, j->cap_parts);
		j->parts[j->nr_parts++] = pt_symtab_of_perf_map(text, len);
		j->read_bytes += (off_t)len;
	}
	free(text);
	return len > 0;
}

bool pt_jit_find(struct pt_jit *j, uint64_t addr, uint64_t generation, struct pt_symbol *s)
{
	bool again = true;
	size_t i;

	if (generation != j->generation)
		forget(j);
	j->generation = generation;
	for (;;) {
		for (i = j->nr_parts; i-- > 0; )
			if (pt_symtab_find(j->parts[i], addr, s))
				return true;
		if (!again || !read_on(j))
			return false;
		again = false;
	}
}
