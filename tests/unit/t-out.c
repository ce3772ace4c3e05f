#include "cli/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/newfile.h"
#include "test.h"

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
	return path;
}

/* A named pipe whose reading end is open here. */
static int reader(const char *path)
{
	int fd;

	CHECK(!mkfifo(path, 0600));
	fd = open(path, O_RDONLY | O_NONBLOCK);
	CHECK(fd >= 0);
	return fd;
}

/* Up to `size` bytes: the end may never show, where another process holds the writing end, too. */
static size_t read_all(int fd, char *text, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	while (len < size && poll(&p, 1, 60000) > 0 && (n = read(fd, text + len, size - len)) > 0)
		len += (size_t)n;
	return len;
}

TEST(file)
{
	const char *path = path_of("f");
	static char want[200000], got[200001];
	struct pt_out *o;
	struct pt_err e;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(want); i++)
		want[i] = (char)('a' + i % 23);
	CHECK_INT(pt_out_open(&o, path, &e), 0);
	CHECK_INT(pt_out_write(o, want, 10, &e), 0);		/* into the buffer */
	CHECK_INT(pt_out_write(o, want + 10, 100000, &e), 0);	/* past it */
	for (i = 100010; i < sizeof(want); i += 10)
		CHECK_INT(pt_out_write(o, want + i, 10, &e), 0);
	CHECK_INT(pt_out_close(o, &e), 0);
	fd = open(path, O_RDONLY);
	CHECK_INT(read(fd, got, sizeof(got)), sizeof(want));
	CHECK_MEM(got, want, sizeof(want));
	close(fd);
}

/* What is gathered record by record goes out when it is much and, live, when a while has passed by the records' time. */
TEST(paced)
{
	const char *path = path_of("p");
	struct pt_record rec = { .has = PERF_SAMPLE_TIME, .time_ns = 5000000000 };
	static char line[1000];
	struct pt_buf b = PT_BUF_INIT;
	struct pt_out *o;
	struct stat st;
	struct pt_err e;
	size_t i;

	memset(line, 'x', sizeof(line));
	CHECK_INT(pt_out_open(&o, path, &e), 0);
	for (i = 0; i < 59; i++) {
		pt_buf_add(&b, line, sizeof(line));
		rec.time_ns += PT_OUT_PACE_NS;
		CHECK_INT(pt_out_paced(o, &b, &rec, &e), 0);
	}
	CHECK_INT(b.len, 59 * sizeof(line));
	pt_buf_add(&b, line, sizeof(line));
	CHECK_INT(pt_out_paced(o, &b, &rec, &e), 0);
	CHECK_INT(b.len, 0);
	pt_out_live(o, 0);
	CHECK_INT(pt_out_paced(o, &b, &rec, &e), 0);	/* from here on */
	pt_buf_add(&b, line, sizeof(line));
	rec.time_ns += PT_OUT_PACE_NS - 1;
	CHECK_INT(pt_out_paced(o, &b, &rec, &e), 0);
	CHECK_INT(b.len, sizeof(line));
	rec.time_ns++;
	rec.has = 0;
	CHECK_INT(pt_out_paced(o, &b, &rec, &e), 0);
	CHECK_INT(b.len, sizeof(line));
	rec.has = PERF_SAMPLE_TIME;
	CHECK_INT(pt_out_paced(o, &b, &rec, &e), 0);
	CHECK_INT(b.len, 0);
	CHECK_INT(pt_out_buf(o, &b, &e), 0);
	CHECK_INT(pt_out_close(o, &e), 0);
	CHECK(!stat(path, &st));
	CHECK_INT(st.st_size, 61 * sizeof(line));
	pt_buf_deinit(&b);
}

TEST(cannot_open)
{
	struct pt_out *o;
	struct pt_err e;

	CHECK_INT(pt_out_open(&o, path_of("no/such/file"), &e), -1);
	CHECK_INT(e.sys, ENOENT);
	CHECK_HAS(e.msg, "no/such/file: No such file");
}

TEST(full_disk)
{
	char block[4096] = "";
	struct pt_out *o;
	struct pt_err e;
	int i, bad = 0;

	CHECK_INT(pt_out_open(&o, "/dev/full", &e), 0);
	CHECK_INT(pt_out_write(o, "x", 1, &e), 0);	/* buffered: not known yet */
	CHECK_INT(pt_out_close(o, &e), -1);
	CHECK_INT(e.sys, ENOSPC);
	CHECK_HAS(e.msg, "/dev/full: No space left");

	CHECK_INT(pt_out_open(&o, "/dev/full", &e), 0);
	for (i = 0; i < 100; i++)
		bad += pt_out_write(o, block, sizeof(block), &e) < 0;
	CHECK(bad > 0 && bad < 100);
	CHECK_INT(pt_out_close(o, &e), -1);

	CHECK_INT(pt_out_open(&o, "/dev/full", &e), 0);
	pt_out_live(o, 0);
	CHECK_INT(pt_out_write(o, "x", 1, &e), 0);
	CHECK_INT(pt_out_close(o, &e), -1);
	CHECK_INT(e.sys, ENOSPC);
}

TEST(live_never_waits)
{
	const char *path = path_of("pipe");
	static char line[1000], got[4 << 20];
	int fd = reader(path), i;
	struct pt_out *o;
	struct pt_err e;
	uint64_t dropped;
	size_t len;

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	CHECK_INT(pt_out_open(&o, path, &e), 0);
	pt_out_live(o, 1 << 20);
	for (i = 0; i < 3000; i++)	/* 3 MB into a pipe that nobody reads */
		CHECK_INT(pt_out_write(o, line, sizeof(line), &e), 0);
	dropped = pt_out_dropped(o);
	CHECK(dropped >= 3000 - ((1 << 20) + (1 << 20)) / 1000 && dropped < 3000);
	if (!fork()) {
		/* close waits for the reader: here, in a process of its own */
		len = read_all(fd, got, (3000 - dropped) * sizeof(line));
		_exit(len == (3000 - dropped) * sizeof(line) ? 0 : 1);
	}
	close(fd);
	CHECK_INT(pt_out_close(o, &e), 0);
	wait(&i);
	CHECK_INT(i, 0);
}

TEST(live_comes_out_without_a_flush)
{
	const char *path = path_of("pipe");
	int fd = reader(path);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct pt_out *o;
	struct pt_err e;
	char got[64];

	CHECK_INT(pt_out_open(&o, path, &e), 0);
	pt_out_live(o, 0);
	CHECK_INT(pt_out_write(o, "line\n", 5, &e), 0);
	CHECK_INT(poll(&p, 1, 60000), 1);
	CHECK_INT(read(fd, got, sizeof(got)), 5);
	CHECK_INT(pt_out_write(o, "two\n", 4, &e), 0);
	CHECK_INT(pt_out_flush(o, &e), 0);
	CHECK_INT(poll(&p, 1, 60000), 1);
	CHECK_INT(read(fd, got, sizeof(got)), 4);
	CHECK_INT(pt_out_write(o, "end\n", 4, &e), 0);
	CHECK_INT(pt_out_close(o, &e), 0);
	CHECK_INT(read(fd, got, sizeof(got)), 4);
	close(fd);
}

TEST(live_reader_gone)
{
	const char *path = path_of("pipe");
	int fd = reader(path), i, rc = 0;
	struct pt_out *o;
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_out_open(&o, path, &e), 0);
	pt_out_live(o, 0);
	close(fd);
	for (i = 0; i < 6000 && !rc; i++) {	/* the thread has to meet it first */
		rc = pt_out_write(o, "line\n", 5, &e);
		usleep(10000);
	}
	CHECK_INT(rc, -1);
	CHECK_INT(e.sys, EPIPE);
	CHECK_INT(pt_out_close(o, &e), -1);
}

TEST(reader_gone_ends_by_sigpipe)
{
	const char *path = path_of("pipe");
	struct pt_out *o;
	struct pt_err e;
	int status;

	if (!fork()) {
		int fd = reader(path);

		signal(SIGPIPE, SIG_DFL);
		if (pt_out_open(&o, path, &e) < 0)
			_exit(1);
		close(fd);
		pt_out_write(o, "x", 1, &e);
		pt_out_close(o, &e);
		_exit(2);
	}
	wait(&status);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

static size_t nr_names(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* Links at every name that the process may have been expected to use lead nowhere; what was there
 * stays until the new file is whole; nothing is left behind. */
TEST(a_new_file_follows_no_link)
{
	const char *dir = pt_test_dir();
	char path[300], name[400], got[16];
	struct pt_newfile n;
	struct pt_err e;
	struct stat st;
	int turn, fd;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(name, sizeof(name), "%s/victim", dir);
	fd = open(name, O_CREAT | O_WRONLY, 0600);
	CHECK(write(fd, "precious", 8) == 8);
	close(fd);
	snprintf(name, sizeof(name), "%s.%d.tmp", path, (int)getpid());
	CHECK(symlink("victim", name) == 0 && symlink("victim", path) == 0);
	for (turn = 0; turn < 2; turn++) {
		CHECK_INT(pt_newfile_open(&n, path, 0666, &e), 0);
		CHECK_INT(write(n.fd, turn ? "second" : "first", turn ? 6 : 5), turn ? 6 : 5);
		CHECK(lstat(path, &st) == 0 && S_ISLNK(st.st_mode) == !turn);
		CHECK_INT(pt_newfile_publish(&n, &e), 0);
		CHECK(lstat(path, &st) == 0 && S_ISREG(st.st_mode));
		CHECK_INT(st.st_size, turn ? 6 : 5);
	}
	CHECK_INT(pt_newfile_open(&n, path, 0666, &e), 0);
	CHECK_INT(write(n.fd, "third", 5), 5);
	pt_newfile_abandon(&n);
	CHECK(stat(path, &st) == 0);
	CHECK_INT(st.st_size, 6);
	snprintf(name, sizeof(name), "%s/victim", dir);
	fd = open(name, O_RDONLY);
	CHECK_INT(read(fd, got, sizeof(got)), 8);
	close(fd);
	CHECK_INT(nr_names(dir), 3);
	CHECK_INT(pt_newfile_open(&n, "no/such/file", 0666, &e), -1);
	CHECK_INT(e.sys, ENOENT);
	CHECK_INT(pt_newfile_open(&n, "/", 0666, &e), -1);
}
