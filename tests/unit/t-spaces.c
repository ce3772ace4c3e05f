/* task/spaces.c: maps of processes over time. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "task/spaces.h"
#include "test.h"

static void map(struct pt_spaces *s, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
	struct pt_record r = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER };

	r.u.mmap.pid = r.u.mmap.tid = pid;
	r.u.mmap.addr = start;
	r.u.mmap.len_bytes = len;
	r.u.mmap.pgoff = pgoff;
	r.u.mmap.path = path;
	r.u.mmap.prot = PROT_EXEC | PROT_READ;
	pt_spaces_feed(s, &r);
}

static void task(struct pt_spaces *s, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid)
{
	struct pt_record r = { .type = type };

	r.u.task.pid = pid;
	r.u.task.ppid = ppid;
	r.u.task.tid = tid;
	r.u.task.ptid = ppid;
	pt_spaces_feed(s, &r);
}

static void exec(struct pt_spaces *s, uint32_t pid)
{
	struct pt_record r = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC };

	r.u.comm.pid = r.u.comm.tid = pid;
	r.u.comm.comm = "x";
	pt_spaces_feed(s, &r);
}

static void check_at(struct pt_spaces *s, uint32_t pid, uint64_t addr, const char *path, uint64_t off)
{
	const struct pt_mapping *m = pt_spaces_find(s, pid, addr);

	if (!path) {
		if (m)
			FAIL("%lx of %u is in %s", addr, pid, m->file->path);
		return;
	}
	if (!m)
		FAIL("%lx of %u is in nothing, not %s", addr, pid, path);
	CHECK_STR(m->file->path, path);
	CHECK_INT(addr - m->start + m->pgoff, off);
}

TEST(new_maps_cut_old_ones)
{
	struct pt_spaces *s = pt_spaces_new();
	size_t nr;

	map(s, 1, 0x1000, 0x9000, 0, "/a");
	map(s, 1, 0x3000, 0x1000, 0x7000, "/b");	/* in the middle */
	check_at(s, 1, 0x2fff, "/a", 0x1fff);
	check_at(s, 1, 0x3000, "/b", 0x7000);
	check_at(s, 1, 0x4000, "/a", 0x3000);
	check_at(s, 1, 0xa000, NULL, 0);
	check_at(s, 1, 0xfff, NULL, 0);
	map(s, 1, 0x0, 0x3800, 0, "/c");		/* over the start, into /b */
	check_at(s, 1, 0x37ff, "/c", 0x37ff);
	check_at(s, 1, 0x3800, "/b", 0x7800);
	map(s, 1, 0x0, 0x20000, 0, "/d");		/* over all */
	check_at(s, 1, 0x5000, "/d", 0x5000);
	pt_spaces_of(s, 1, &nr);
	CHECK_INT(nr, 1);
	map(s, 1, UINT64_MAX - 10, 100, 0, "/overflow");
	pt_spaces_of(s, 1, &nr);
	CHECK_INT(nr, 1);
	pt_spaces_free(s);
}

TEST(forks_share_until_they_change)
{
	struct pt_spaces *s = pt_spaces_new();

	map(s, 1, 0x1000, 0x1000, 0, "/a");
	task(s, PERF_RECORD_FORK, 2, 1, 2);
	check_at(s, 2, 0x1000, "/a", 0);
	map(s, 2, 0x1000, 0x1000, 0, "/child");
	check_at(s, 2, 0x1000, "/child", 0);
	check_at(s, 1, 0x1000, "/a", 0);
	task(s, PERF_RECORD_FORK, 3, 1, 3);
	map(s, 1, 0x5000, 0x1000, 0, "/parent");
	check_at(s, 3, 0x5000, NULL, 0);
	check_at(s, 1, 0x1000, "/a", 0);
	pt_spaces_free(s);
}

TEST(exec_begins_anew)
{
	struct pt_spaces *s = pt_spaces_new();
	uint64_t before;

	map(s, 1, 0x1000, 0x1000, 0, "/sh");
	before = pt_spaces_generation(s, 1);
	exec(s, 1);
	pt_spaces_runs(s, 1);
	check_at(s, 1, 0x1000, NULL, 0);
	CHECK(pt_spaces_generation(s, 1) != before);
	map(s, 1, 0x1000, 0x1000, 0, "/prog");
	check_at(s, 1, 0x1000, "/prog", 0);
	pt_spaces_free(s);
}

/* The kernel has replaced the program, and the task has not returned from execve() yet: its user frame is the call. */
TEST(a_user_frame_within_exec)
{
	struct pt_spaces *s = pt_spaces_new();

	map(s, 1, 0x1000, 0x3000, 0, "/libc.so.6");
	task(s, PERF_RECORD_FORK, 2, 1, 2);
	exec(s, 2);
	check_at(s, 2, 0x3000, "/libc.so.6", 0x2000);
	map(s, 2, 0x2000, 0x1000, 0, "/prog");
	check_at(s, 2, 0x2000, "/prog", 0);		/* what the new program maps comes first */
	check_at(s, 2, 0x3000, "/libc.so.6", 0x2000);
	exec(s, 2);					/* again, before anything ran */
	check_at(s, 2, 0x2000, "/prog", 0);
	check_at(s, 2, 0x3000, NULL, 0);
	pt_spaces_runs(s, 2);
	check_at(s, 2, 0x2000, NULL, 0);
	check_at(s, 1, 0x3000, "/libc.so.6", 0x2000);
	exec(s, 1);
	pt_spaces_free(s);
}

TEST(maps_outlive_the_exit_for_a_while)
{
	struct pt_spaces *s = pt_spaces_new();
	uint32_t pid;

	map(s, 1, 0x1000, 0x1000, 0, "/old");
	task(s, PERF_RECORD_FORK, 1, 1, 7);		/* a thread of one that was there before */
	task(s, PERF_RECORD_EXIT, 1, 1, 7);
	for (pid = 10; pid < 5000; pid++) {
		task(s, PERF_RECORD_FORK, pid, 1, pid);
		task(s, PERF_RECORD_FORK, pid, pid, pid + 100000);
		task(s, PERF_RECORD_EXIT, pid, 1, pid);	/* the main thread goes first */
		check_at(s, pid, 0x1000, "/old", 0);
		task(s, PERF_RECORD_EXIT, pid, 1, pid + 100000);
		check_at(s, pid, 0x1000, "/old", 0);
	}
	check_at(s, 10, 0x1000, NULL, 0);
	check_at(s, 4999, 0x1000, "/old", 0);
	check_at(s, 1, 0x1000, "/old", 0);
	pt_spaces_free(s);
}

TEST(exits_of_a_pid_that_is_used_again)
{
	struct pt_spaces *s = pt_spaces_new();
	uint32_t pid;

	map(s, 1, 0x1000, 0x1000, 0, "/prog");
	task(s, PERF_RECORD_FORK, 7, 1, 7);
	task(s, PERF_RECORD_EXIT, 7, 1, 7);
	for (pid = 1000; pid < 1000 + 1023; pid++) {	/* all but one of the exits that are remembered */
		task(s, PERF_RECORD_FORK, pid, 1, pid);
		task(s, PERF_RECORD_EXIT, pid, 1, pid);
	}
	task(s, PERF_RECORD_FORK, 7, 1, 7);
	task(s, PERF_RECORD_EXIT, 7, 1, 7);
	check_at(s, 7, 0x1000, "/prog", 0);		/* its own exit does not end it at once */
	for (pid = 1000; pid < 1000 + 1023; pid++) {
		task(s, PERF_RECORD_FORK, pid, 1, pid);
		task(s, PERF_RECORD_EXIT, pid, 1, pid);
		check_at(s, 7, 0x1000, "/prog", 0);
	}
	task(s, PERF_RECORD_FORK, 8, 1, 8);
	task(s, PERF_RECORD_EXIT, 8, 1, 8);
	check_at(s, 7, 0x1000, NULL, 0);
	pt_spaces_free(s);
}

TEST(a_program_after_an_exit_whose_fork_was_not_seen_stays)
{
	struct pt_spaces *s = pt_spaces_new();
	uint32_t pid;

	map(s, 1, 0x1000, 0x1000, 0, "/parent");
	task(s, PERF_RECORD_FORK, 7, 1, 7);
	task(s, PERF_RECORD_EXIT, 7, 1, 7);
	exec(s, 7);
	map(s, 7, 0x1000, 0x1000, 0, "/prog");
	for (pid = 1000; pid < 3000; pid++) {
		task(s, PERF_RECORD_FORK, pid, 1, pid);
		task(s, PERF_RECORD_EXIT, pid, 1, pid);
	}
	check_at(s, 7, 0x1000, "/prog", 0);
	pt_spaces_free(s);
}

TEST(files_are_interned)
{
	struct pt_spaces *s = pt_spaces_new();

	map(s, 1, 0x1000, 0x1000, 0, "/a");
	map(s, 2, 0x2000, 0x1000, 0, "/a");
	CHECK(pt_spaces_find(s, 1, 0x1000)->file == pt_spaces_find(s, 2, 0x2000)->file);
	CHECK_INT(pt_spaces_find(s, 2, 0x2000)->file->pid, 1);
	pt_spaces_free(s);
}

TEST(reads_the_maps_of_a_live_process)
{
	struct pt_spaces *s = pt_spaces_new();
	const struct pt_mapping *m;

	CHECK(pt_spaces_reread(s, (uint32_t)getpid()));
	m = pt_spaces_find(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)&map);
	CHECK(m != NULL);
	CHECK(m->prot & PROT_EXEC);
	CHECK_HAS(m->file->path, "t-spaces");
	CHECK(!pt_spaces_reread(s, 0x7fffffff));
	pt_spaces_free(s);
}
