/* The guard of mapped files: one that shrinks while it is read does not kill the reader. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mapfile.h"
#include "base/mem.h"
#include "test.h"

static const char *make_file(const char *name, size_t len)
{
	static char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (size_t i = 0; i < len; i++)
		if (write(fd, "x", 1) != 1)
			FAIL("cannot write");
	close(fd);
	return path;
}

TEST(maps_a_file)
{
	struct pt_mapfile m;
	struct pt_err e;

	if (pt_mapfile_open(&m, make_file("a", 5000), &e) < 0)
		FAIL("%s", e.msg);
	CHECK_INT(m.len_bytes, 5000);
	CHECK_INT(m.data[4999], 'x');
	CHECK(!pt_mapfile_shrunk(&m));
	pt_mapfile_close(&m);
	pt_mapfile_close(&m);
}

TEST(empty_file_is_no_error)
{
	struct pt_mapfile m;

	CHECK_INT(pt_mapfile_open(&m, make_file("empty", 0), NULL), 0);
	CHECK_INT(m.len_bytes, 0);
	CHECK(m.data != NULL);
	pt_mapfile_close(&m);
}

TEST(what_is_no_file_is_refused)
{
	struct pt_mapfile m;
	struct pt_err e;
	int p[2];

	CHECK_INT(pt_mapfile_open(&m, "/nowhere/at/all", &e), -1);
	CHECK_INT(e.sys, ENOENT);
	CHECK_INT(pt_mapfile_open(&m, "/", &e), -1);
	CHECK_INT(e.sys, EISDIR);
	CHECK_INT(pipe(p), 0);
	CHECK_INT(pt_mapfile_open_fd(&m, p[0], "pipe", &e), -1);
	CHECK_INT(e.sys, ESPIPE);
	close(p[1]);
}

TEST(shrinking_gives_zeros_and_is_noticed)
{
	const char *path = make_file("b", 3 * 65536);
	struct pt_mapfile m;

	CHECK_INT(pt_mapfile_open(&m, path, NULL), 0);
	CHECK_INT(m.data[100000], 'x');
	CHECK_INT(truncate(path, 10), 0);
	CHECK(!pt_mapfile_shrunk(&m));
	CHECK_INT(m.data[100000], 0);
	CHECK(pt_mapfile_shrunk(&m));
	CHECK_INT(m.data[5], 'x');
	CHECK_INT(m.data[3 * 65536 - 1], 0);
	pt_mapfile_close(&m);
}

/* A SIGBUS that is none of ours still kills. */
TEST(other_sigbus_kills)
{
	const char *path = make_file("c", 65536);
	struct pt_mapfile m;
	int status;
	pid_t pid;

	if (pt_test_sanitized())
		SKIP("the sanitizer has a handler of its own");
	CHECK_INT(pt_mapfile_open(&m, path, NULL), 0);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		volatile char *p = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fd, 0);

		if (truncate(path, 0) < 0)
			_exit(1);
		_exit(p[40000]);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status));
	CHECK_INT(WTERMSIG(status), SIGBUS);
	pt_mapfile_close(&m);
}

/* More files than one block of the guard's table holds: each is mapped and guarded. */
TEST(ten_thousand_files)
{
	enum { NR = 10000 };
	static struct pt_mapfile m[NR];
	struct rlimit files;
	struct pt_err e;
	char path[128];
	int i, fd;

	CHECK(!getrlimit(RLIMIT_NOFILE, &files));
	if (files.rlim_max < NR + 100)
		SKIP("%llu files may be open at most", (unsigned long long)files.rlim_max);
	files.rlim_cur = PT_MAX(files.rlim_cur, (rlim_t)NR + 100);
	CHECK(!setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < NR; i++) {
		snprintf(path, sizeof(path), "%s/%d", pt_test_dir(), i);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK(write(fd, &i, sizeof(i)) == sizeof(i));
		if (pt_mapfile_open_fd(&m[i], fd, path, &e) < 0)
			FAIL("%s", e.msg);
	}
	CHECK_INT(truncate(path, 0), 0);
	CHECK_INT(m[NR - 1].data[0], 0);
	for (i = 0; i < NR; i++) {
		CHECK(i == NR - 1 || !memcmp(m[i].data, &i, sizeof(i)));
		CHECK(pt_mapfile_shrunk(&m[i]) == (i == NR - 1));
	}
	for (i = 0; i < NR; i++)
		pt_mapfile_close(&m[i]);
	CHECK_INT(pt_mapfile_open(&m[0], make_file("again", 5000), NULL), 0);
	CHECK(!pt_mapfile_shrunk(&m[0]));
	pt_mapfile_close(&m[0]);
}

/* When the kernel maps no more, the message and `sys` say so. */
TEST(no_more_mappings)
{
	struct rlimit was, none;
	struct pt_mapfile m;
	const char *path = make_file("d", 5000);
	struct pt_err e = PT_ERR_INIT;
	int got;

	if (pt_test_sanitized())
		SKIP("the sanitizer needs address space");
	CHECK(!getrlimit(RLIMIT_AS, &was));
	none = (struct rlimit){ 4096, was.rlim_max };
	CHECK(!setrlimit(RLIMIT_AS, &none));
	got = pt_mapfile_open(&m, path, &e);
	CHECK(!setrlimit(RLIMIT_AS, &was));
	CHECK_INT(got, -1);
	CHECK_INT(e.sys, ENOMEM);
	CHECK_HAS(e.msg, "cannot map");
}
