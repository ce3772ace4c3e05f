/* Finds the files that describe code made at run time, decides if they can be trusted, and reads
 * them on as they grow. A jitdump is found by its writer's mapping of it (perf's jitdump
 * specification); it has times and unwinding rules, and a child inherits its parent's. perf-PID.map
 * has names only; it is asked for addresses that no jitdump knows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mapfile.h"
#include "base/mem.h"
#include "base/proc.h"
#include "stack/frames_jit_priv.h"
#include "stack/jvm.h"

#define NS 1000000000ull
#define MAX_JVM_NS (15 * NS)
enum { CHUNK = 1 << 20, MAX_FILE = 1 << 30 };

void pt_jit_free(struct pt_jit *j)
{
	if (!j)
		return;
	pt_jitcodes_free(j->map);
	pt_jitdump_free(j->dump);
	pt_mapfile_close(&j->file);
	free(j->dump_path);
	free(j);
}

/* A jitdump's file name: jit-PID.dump. */
static bool is_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	if (!slash || path[0] != '/' || strncmp(slash, "/jit-", 5))
		return false;
	n = strspn(slash + 5, "0123456789");
	return n && !strcmp(slash + 5 + n, ".dump");
}

static bool frames_jit_is_jvm(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strcmp(slash, "/libjvm.so");
}

static void see_jvm(struct pt_frames *f, struct pt_jit *j, const char *path)
{
	if (j->is_jvm || !frames_jit_is_jvm(path))
		return;
	j->is_jvm = true;
	f->counts.jvms++;
}

/* Finds the process's pid in its own namespace, and its user. */
static void look_at_process(struct pt_jit *j)
{
	char value[256], *last;

	if (pt_proc_status(j->pid, "Uid", value, sizeof(value)))
		sscanf(value, "%*u %u", &j->owner);
	if (pt_proc_status(j->pid, "NSpid", value, sizeof(value))) {
		last = strrchr(value, '\t');
		j->inner_pid = (uint32_t)strtoul(last ? last : value, NULL, 10);
	}
	j->clock_offset_ns = pt_clock_offset_ns((int)j->pid, CLOCK_MONOTONIC);
}

/* No two programs have the same generation. */
static uint64_t frames_jit_key_of(uint32_t pid, uint64_t generation)
{
	return generation ? generation : 1ull << 63 | pid;
}

struct pt_jit *pt_jit_of(struct pt_frames *f, uint32_t pid, uint64_t generation)
{
	uint64_t *slot = pt_map_put(&f->jits, frames_jit_key_of(pid, generation)), *born;
	const struct pt_mapping *m;
	struct pt_jit *j = pt_pointer(*slot);
	size_t nr, i;

	if (j)
		return j;
	j = pt_alloc(sizeof(*j));
	*slot = pt_word_of(j);
	j->pid = j->inner_pid = pid;
	j->live = f->opts.live;
	j->owner = UINT32_MAX;
	j->map = pt_jitcodes_new();
	j->file.slot = j->file.fd = -1;
	born = pt_map_get(&f->born, pid);
	j->born_ns = born ? *born : 0;
	if (j->live)
		look_at_process(j);
	m = pt_spaces_of(f->spaces, pid, &nr);		/* also a parent's */
	for (i = 0; i < nr; i++) {
		if (!j->dump_path && (m[i].prot & PROT_EXEC) && is_dump(m[i].file->path))
			j->dump_path = pt_strdup(m[i].file->path);
		see_jvm(f, j, m[i].file->path);
	}
	f->has_dumps |= j->dump_path != NULL;
	return j;
}

uint64_t pt_frames_wall(const struct pt_frames *f, uint64_t time_ns)
{
	return time_ns && time_ns != UINT64_MAX && f->clock.has_wall
		       ? f->clock.wall_ns + (time_ns - f->clock.clock_ns)
		       : 0;
}

/* When a process of now began, in nanoseconds since 1970; 0: there is none. */
static uint64_t frames_jit_began(uint32_t pid)
{
	struct timespec boot, wall;
	struct pt_proc p;

	if (!pt_proc_read((int)pid, (int)pid, &p) || !p.start_ticks ||
	    clock_gettime(CLOCK_BOOTTIME, &boot) < 0 || clock_gettime(CLOCK_REALTIME, &wall) < 0)
		return 0;
	return (uint64_t)(wall.tv_sec - boot.tv_sec) * NS + (uint64_t)wall.tv_nsec -
	       (uint64_t)boot.tv_nsec + p.start_ticks * (NS / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* A recorded process may still run in a container with its own /tmp: it has that pid and began
 * before the sample. */
static void look_for_process(struct pt_frames *f, struct pt_jit *j)
{
	uint64_t now = pt_frames_wall(f, f->time_ns), start;

	if (j->live || j->looked)
		return;
	j->looked = true;
	start = f->clock.here && now ? frames_jit_began(j->pid) : 0;
	if (!start || start > now)
		return;
	look_at_process(j);
	pt_files_see_running(f->files, j->pid);
}

static void frames_jit_refuse(struct pt_frames *f, struct pt_jit *j)
{
	f->counts.jit_refused += !j->refused;
	j->refused = true;
}

/* Anybody can write to /tmp. Accepted is a plain file that not everybody may write, owned by the
 * process's user, root or us. The user of a recorded process is unknown: then a file last written
 * before the program began is refused, other oddities are reported. */
static bool believe(struct pt_frames *f, struct pt_jit *j, const struct stat *st)
{
	uint64_t written = (uint64_t)st->st_mtim.tv_sec * NS + (uint64_t)st->st_mtim.tv_nsec, born,
		 *ended;
	bool ours = !st->st_uid || st->st_uid == geteuid(),
	     runs = j->live || j->owner != UINT32_MAX, good;

	/* it may have changed its user since */
	if (j->live && !ours && st->st_uid != j->owner)
		look_at_process(j);
	good = pt_owner_allows(&(struct pt_owner){ .uid = runs ? j->owner : st->st_uid }, st);
	if (good && !j->live) {
		born = pt_frames_wall(f, j->born_ns);
		good = !born || written + NS >= born;
		ended = pt_map_get(&f->ended, j->pid);
		f->counts.jit_doubtful +=
			good && ((!ours && !runs) || (ended && pt_frames_wall(f, *ended) &&
						      written > pt_frames_wall(f, *ended) + NS));
	}
	if (!good)
		frames_jit_refuse(f, j);
	return good;
}

/* Opens the path as the process sees it, else `own` (may be NULL) as we see it. */
static int frames_jit_open_file(struct pt_frames *f, struct pt_jit *j, const char *path,
				const char *own, struct stat *st)
{
	int fd = pt_files_open(f->files, j->pid, path);
	bool irregular = fd < 0 && errno == ENXIO;

	/* (pt_files_open() tried that already where the process has no other root.) */
	if (fd < 0 && own && (strcmp(own, path) || pt_files_namespace(f->files, j->pid))) {
		fd = pt_untrusted_open(NULL, own, PT_UNTRUSTED_NO_LINK, NULL);
		irregular |= fd < 0 && errno == ENXIO;
	}
	if (irregular)
		frames_jit_refuse(f, j);
	if (fd < 0)
		return -1;
	if (fstat(fd, st) < 0 || !believe(f, j, st)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The budget for a file's codes grows with the file. */
static struct pt_budget *budget_of(struct pt_frames *f, const struct pt_jit *j, struct pt_budget *b,
				   const char *path, const struct stat *st)
{
	if (!b->all) {
		pt_budget_of_file(b, pt_budget_real_bytes(st));
		pt_budgets_join(pt_files_budgets(f->files), b,
				pt_names_add(f->names, path, SIZE_MAX), st->st_uid,
				pt_files_namespace(f->files, j->pid), st->st_dev, st->st_ino);
	}
	pt_budget_grow(b, pt_budget_real_bytes(st));
	return b;
}

static void forget_map(struct pt_jit *j)
{
	pt_jitcodes_free(j->map);
	j->map = pt_jitcodes_new();
	j->read_bytes = 0;
}

/* Reads whole lines from where the last reading ended. The file may change meanwhile. */
static bool frames_jit_read_lines(struct pt_jit *j, int fd, off_t size)
{
	char *text = pt_alloc(CHUNK);
	off_t from = j->read_bytes;
	size_t len = 0, used;
	ssize_t n;

	if (size > MAX_FILE)
		size = MAX_FILE;
	while ((n = pread(fd, text + len,
			  PT_MIN((size_t)(CHUNK - len), (size_t)(size - j->read_bytes) - len),
			  j->read_bytes + (off_t)len)) > 0) {
		len += (size_t)n;
		used = pt_jitcodes_read_map(j->map, text, len, false);
		if (!used && len == CHUNK)		/* no line is that long: skip it */
			used = len;
		j->read_bytes += (off_t)used;
		len -= used;
		memmove(text, text + used, len);
		if ((off_t)len >= size - j->read_bytes)
			break;
	}
	if (!j->live && len)			/* the line will never be completed */
		j->read_bytes += (off_t)pt_jitcodes_read_map(j->map, text, len, true);
	free(text);
	return j->read_bytes > from;
}

static int ask_in_time(struct pt_frames *f, uint32_t pid, struct pt_err *e)
{
	struct pt_clock clock = pt_clock(CLOCK_MONOTONIC);
	uint64_t begin_ns = pt_clock_now_ns(&clock);
	int rc = pt_jvm_write_map(pid, e);

	if (rc < 0)
		f->jvm_ns += pt_clock_now_ns(&clock) - begin_ns;
	return rc;
}

/* --jvm: its map is written now, once. */
static void ask_jvm(struct pt_frames *f, struct pt_jit *j)
{
	struct pt_err e = PT_ERR_INIT;

	if (!f->opts.jvm || !j->is_jvm || j->asked)
		return;
	j->asked = true;
	if (!j->live && j->owner == UINT32_MAX)		/* look_for_process() did not find it */
		pt_err_set(&e, "%s", PT_JVM_ENDED);
	else if (f->jvm_ns > MAX_JVM_NS)
		pt_err_set(&e, "others took too long to answer");
	else if (ask_in_time(f, j->pid, &e) == 0)
		return;
	if (!f->counts.jvm_silent++)
		f->counts.jvm_why = pt_names_add(f->names, e.msg, SIZE_MAX);
}

bool pt_jit_read_map(struct pt_frames *f, struct pt_jit *j)
{
	char path[64], own[64];
	struct stat st;
	bool more = false;
	int fd;

	if (j->map_done)
		return false;
	j->map_done = !j->live;
	look_for_process(f, j);
	ask_jvm(f, j);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", j->inner_pid);
	snprintf(own, sizeof(own), "/tmp/perf-%u.map", j->pid);
	fd = frames_jit_open_file(f, j, path, own, &st);
	if (fd < 0) {
		f->counts.jvm_unasked += j->is_jvm && !j->asked;
		j->asked = true;
		return false;
	}
	if (st.st_size < j->read_bytes || (j->read_bytes && st.st_ino != j->map_ino))
		forget_map(j);
	j->map_ino = st.st_ino;
	pt_jitcodes_limit(j->map, budget_of(f, j, &j->map_budget, path, &st));
	if (st.st_size > j->read_bytes)
		more = frames_jit_read_lines(j, fd, st.st_size);
	close(fd);
	j->readings += more;
	return more;
}

static bool map_dump(struct pt_frames *f, struct pt_jit *j)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_mapfile now;
	struct stat st;
	int fd;

	if (j->file.fd >= 0) {
		if (fstat(j->file.fd, &st) < 0 || (size_t)st.st_size == j->file.len_bytes)
			return false;
		fd = fcntl(j->file.fd, F_DUPFD_CLOEXEC, 0);
	} else {
		fd = frames_jit_open_file(f, j, j->dump_path, NULL, &st);
	}
	if (fd < 0 || st.st_size > MAX_FILE) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (pt_mapfile_open_fd(&now, fd, j->dump_path, &e) < 0)
		return false;
	pt_mapfile_close(&j->file);
	j->file = now;
	return true;
}

bool pt_jit_read_dump(struct pt_frames *f, struct pt_jit *j)
{
	struct pt_err e = PT_ERR_INIT;
	struct stat st;
	int rc;

	if (!j->dump_path || j->dump_done)
		return false;
	j->dump_done = !j->live;
	look_for_process(f, j);
	if (!map_dump(f, j))
		return false;
	if (!j->dump)
		j->dump = pt_jitdump_new();
	if (!fstat(j->file.fd, &st))
		pt_jitdump_limit(j->dump,
				 budget_of(f, j, &j->dump_budget, j->dump_path, &st));
	pt_jitdump_offset(j->dump, j->clock_offset_ns);
	rc = pt_jitdump_read(j->dump, j->file.data, j->file.len_bytes, &e);
	j->dump_done |= rc < 0;
	j->readings += rc > 0;
	return rc > 0;
}

void pt_jit_see_mapping(struct pt_frames *f, const struct pt_record *rec)
{
	struct pt_jit *j;

	if ((rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    !(rec->u.mmap.prot & PROT_EXEC) ||
	    (!is_dump(rec->u.mmap.path) && !frames_jit_is_jvm(rec->u.mmap.path)))
		return;
	j = pt_jit_of(f, rec->u.mmap.pid, pt_spaces_generation(f->spaces, rec->u.mmap.pid));
	see_jvm(f, j, rec->u.mmap.path);
	if (frames_jit_is_jvm(rec->u.mmap.path))
		return;
	f->has_dumps = true;
	if (!j->dump_path)
		j->dump_path = pt_strdup(rec->u.mmap.path);
}

/* Before a live pid is reused its files are read once more. */
static void read_last(struct pt_frames *f, uint32_t pid)
{
	const uint64_t *slot =
		pt_map_get(&f->jits, frames_jit_key_of(pid, pt_spaces_generation(f->spaces, pid)));

	if (slot) {
		pt_jit_read_dump(f, pt_pointer(*slot));
		pt_jit_read_map(f, pt_pointer(*slot));
	}
}

void pt_jit_feed(struct pt_frames *f, const struct pt_record *rec)
{
	bool timed = !f->opts.live && (rec->has & PERF_SAMPLE_TIME);

	switch (rec->type) {
	case PERF_RECORD_COMM:
		if (!(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
			break;
		if (f->opts.live)
			read_last(f, rec->u.comm.pid);
		if (timed)
			*pt_map_put(&f->born, rec->u.comm.pid) = rec->time_ns;
		break;
	case PERF_RECORD_FORK:
		if (timed && rec->u.task.pid != rec->u.task.ppid) {
			*pt_map_put(&f->born, rec->u.task.pid) = rec->time_ns;
			pt_map_del(&f->ended, rec->u.task.pid);
		}
		break;
	case PERF_RECORD_EXIT:
		if (timed && rec->u.task.pid == rec->u.task.tid)
			*pt_map_put(&f->ended, rec->u.task.pid) = rec->time_ns;
		break;
	}
}
