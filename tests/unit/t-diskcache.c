/* base/diskcache.c: what is put comes back byte for byte; what is damaged, foreign, of another key does not; many writers at once; the bound; directories of others. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/diskcache.h"
#include "base/mem.h"
#include "test.h"

enum { LIMIT = 1 << 20, VERSION = 7 };

static struct pt_diskcache *scratch(void)
{
	struct pt_diskcache *k = pt_diskcache_open_in(pt_test_dir(), LIMIT);

	CHECK(k);
	return k;
}

static bool put(struct pt_diskcache *k, const char *name, const void *data, size_t len)
{
	struct iovec parts[2] = { { (void *)data, len / 3 },
				  { (char *)data + len / 3, len - len / 3 } };

	return pt_diskcache_put(k, name, VERSION, "key", 3, parts, 2);
}

static bool is_there(struct pt_diskcache *k, const char *name, const void *data, size_t len)
{
	struct pt_cached kept;
	bool good;

	if (!pt_diskcache_get(k, name, VERSION, "key", 3, &kept))
		return false;
	good = kept.len_bytes == len && !memcmp(kept.data, data, len);
	if ((uintptr_t)kept.data % 64)
		FAIL("%s is at %p", name, (const void *)kept.data);
	pt_cached_release(&kept);
	return good;
}

static size_t nr_files(const char *start)
{
	DIR *d = opendir(pt_test_dir());
	struct dirent *e;
	size_t n = 0;

	while ((e = readdir(d)))
		n += !strncmp(e->d_name, start, strlen(start)) && strcmp(e->d_name, ".") &&
		     strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

TEST(comes_back)
{
	struct pt_diskcache *k = scratch();
	uint8_t data[1000];
	struct pt_cached kept;
	size_t i, len;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (len = 0; len < sizeof(data); len += len < 100 ? 1 : 37) {
		CHECK(put(k, "item", data, len));
		CHECK(is_there(k, "item", data, len));
	}
	CHECK(!pt_diskcache_get(k, "other", VERSION, "key", 3, &kept));
	CHECK(!pt_diskcache_get(k, "item", VERSION + 1, "key", 3, &kept));
	CHECK(!pt_diskcache_get(k, "item", VERSION, "kez", 3, &kept));
	CHECK(!pt_diskcache_get(k, "item", VERSION, "ke", 2, &kept));
	CHECK(!pt_diskcache_get(NULL, "item", VERSION, "key", 3, &kept) &&
	      !put(NULL, "item", data, 1));
	CHECK(!put(k, "../item", data, 1) && !put(k, ".item", data, 1) && !put(k, "", data, 1) &&
	      !put(k, "a/b", data, 1));
	pt_diskcache_close(k);
	pt_diskcache_close(NULL);
	k = scratch();
	CHECK(is_there(k, "item", data, len - 37));
	pt_diskcache_close(k);
}

/* Each bit of a file, and each length that it may be cut to. */
TEST(damage_is_seen)
{
	struct pt_diskcache *k = scratch();
	uint8_t *file;
	char path[256];
	size_t i, len;
	struct stat st;
	int fd;

	CHECK(put(k, "item", "0123456789abcdefghijklmnopqrstuvwxyz", 37));
	snprintf(path, sizeof(path), "%s/item", pt_test_dir());
	fd = open(path, O_RDWR);
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	len = (size_t)st.st_size;
	file = pt_alloc(len);
	CHECK(pread(fd, file, len, 0) == (ssize_t)len);
	for (i = 0; i < len * 8; i++) {
		uint8_t byte = file[i / 8] ^ (uint8_t)(1 << i % 8);

		CHECK(pwrite(fd, &byte, 1, (off_t)(i / 8)) == 1);
		if (is_there(k, "item", "0123456789abcdefghijklmnopqrstuvwxyz", 37))
			FAIL("bit %zu of byte %zu is not missed", i % 8, i / 8);
		CHECK(pwrite(fd, file + i / 8, 1, (off_t)(i / 8)) == 1);
	}
	CHECK(is_there(k, "item", "0123456789abcdefghijklmnopqrstuvwxyz", 37));
	for (i = 0; i < len; i++) {
		CHECK(ftruncate(fd, (off_t)i) == 0);
		CHECK(!is_there(k, "item", "0123456789abcdefghijklmnopqrstuvwxyz", 37));
		CHECK(pwrite(fd, file, len, 0) == (ssize_t)len);
	}
	CHECK(pwrite(fd, "x", 1, (off_t)len) == 1);
	CHECK(!is_there(k, "item", "0123456789abcdefghijklmnopqrstuvwxyz", 37));
	close(fd);
	free(file);
	pt_diskcache_close(k);
}

/* Only whole items of one writer or another are ever seen. */
TEST(many_writers)
{
	enum { WRITERS = 8, TURNS = 60, LEN = 20000 };
	uint8_t *data = pt_alloc(LEN);
	struct pt_diskcache *k = scratch();
	struct pt_cached kept;
	int i, turn, status, bad = 0;
	size_t at;

	memset(data, 'z', LEN);
	CHECK(put(k, "item", data, LEN));
	for (i = 0; i < WRITERS; i++)
		if (!fork()) {
			struct pt_diskcache *own = pt_diskcache_open_in(pt_test_dir(), LIMIT);

			memset(data, 'a' + i, LEN);
			for (turn = 0, bad = 0; turn < TURNS; turn++) {
				bad |= !put(own, "item", data, LEN);
				if (!pt_diskcache_get(own, "item", VERSION, "key", 3, &kept)) {
					bad |= 2;
					continue;
				}
				for (at = 0; at < LEN && at < kept.len_bytes; at++)
					bad |= kept.data[at] != kept.data[0] ? 4 : 0;
				bad |= kept.len_bytes != LEN ? 8 : 0;
				pt_cached_release(&kept);
			}
			pt_diskcache_close(own);
			_exit(bad);
		}
	for (i = 0; i < WRITERS; i++)
		if (wait(&status) > 0)
			bad |= status;
	CHECK_INT(bad, 0);
	CHECK_INT(nr_files("item"), 1);
	CHECK_INT(nr_files(".tmp"), 0);
	pt_diskcache_close(k);
	free(data);
}

/* What was not used for longest goes first. */
TEST(size_is_bounded)
{
	enum { LEN = LIMIT / 8 };
	uint8_t *data = pt_alloc(LEN);
	struct pt_diskcache *k = scratch();
	char name[16], path[256];
	int i;

	for (i = 0; i < 12; i++) {
		struct timespec when[2] = { { .tv_sec = time(NULL) - 100000 + (i ^ 1) * 60 },
					    { .tv_sec = time(NULL) - 100000 + (i ^ 1) * 60 } };

		snprintf(name, sizeof(name), "item%d", i);
		CHECK(put(k, name, data, LEN - 256));
		snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
		CHECK(utimensat(AT_FDCWD, path, when, 0) == 0);
	}
	CHECK_INT(nr_files("item"), 12);
	CHECK(is_there(k, "item1", data, LEN - 256));		/* which makes it the latest */
	snprintf(path, sizeof(path), "%s/.tmp-1-2-3", pt_test_dir());
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(utimensat(AT_FDCWD, path,
			(struct timespec[2]){ { .tv_sec = 1000 }, { .tv_sec = 1000 } }, 0) == 0);
	pt_diskcache_close(k);
	k = scratch();
	CHECK_INT(nr_files("item"), 6);
	for (i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "item%d", i);
		if (is_there(k, name, data, LEN - 256) != (i == 1 || i == 6 || i >= 8))
			FAIL("%s is %s", name, i == 1 || i == 6 || i >= 8 ? "gone" : "there");
	}
	CHECK_INT(nr_files(".tmp"), 0);
	free(data);
	data = pt_alloc(LIMIT);
	CHECK(!put(k, "huge", data, LIMIT)); /* one item may not push out all others */
	free(data);
	pt_diskcache_close(k);
}

static void set_env(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* What a child process that sees this environment gets: 1, there is a directory. The environment of the test stays. */
static int opens(const char *home, const char *base, const char *off, uid_t uid)
{
	int status;

	if (!fork()) {
		struct pt_diskcache *k;

		set_env("HOME", home);
		set_env("XDG_CACHE_HOME", base);
		set_env("PT_CACHE", off);
		if (uid && (setgid(uid) < 0 || setuid(uid) < 0))
			_exit(9);
		k = pt_diskcache_open();
		status = k != NULL;
		pt_diskcache_close(k);
		_exit(status);
	}
	return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(only_own_directories)
{
	const char *dir = pt_test_dir();
	char path[300], other[300];
	struct stat st;

	CHECK(chmod(dir, 0755) == 0);
	CHECK_INT(opens(NULL, NULL, NULL, 0), 0);
	CHECK_INT(opens("", "", NULL, 0), 0);
	CHECK_INT(opens("relative", "relative", NULL, 0), 0);
	CHECK_INT(opens("/nowhere", "/nowhere/else", NULL, 0), 0);
	CHECK_INT(opens(dir, NULL, "off", 0), 0);
	CHECK_INT(opens(dir, NULL, NULL, 0), 1);
	snprintf(path, sizeof(path), "%s/.cache/pt", dir);
	CHECK(stat(path, &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0700);
	snprintf(other, sizeof(other), "%s/base", dir);
	CHECK_INT(opens(NULL, other, NULL, 0), 1);		/* made */
	CHECK(stat(other, &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0700);
	CHECK(chmod(path, 0777) == 0);				/* where others could write */
	CHECK_INT(opens(dir, NULL, NULL, 0), 0);
	CHECK(chmod(path, 0700) == 0);
	if (getuid())
		SKIP("who is not root cannot be somebody else");
	CHECK_INT(opens(dir, NULL, NULL, 65534), 0);
	CHECK(chown(path, 65534, 65534) == 0); /* root in somebody else's home: as under sudo */
	CHECK_INT(opens(dir, NULL, NULL, 0), 0);
	CHECK_INT(opens(dir, NULL, NULL, 65534), 0);		/* its parents are root's */
	CHECK(chown(dir, 65534, 65534) == 0);
	CHECK_INT(opens(dir, NULL, NULL, 0), 0);
	CHECK(chown(dir, 0, 0) == 0);
}

/* Neither a limit on the size of files nor a directory that is gone ends anything. */
TEST(no_room_is_no_trouble)
{
	struct pt_diskcache *k = scratch();
	uint8_t data[5000] = { 1 };
	char path[256];
	int status;

	if (!fork()) {
		struct rlimit l = { 4096, 4096 };

		setrlimit(RLIMIT_FSIZE, &l);
		_exit(put(k, "item", data, sizeof(data)) ? 1 : put(k, "item", data, 100) ? 0 : 2);
	}
	CHECK(wait(&status) > 0);
	CHECK_INT(status, 0);
	CHECK(is_there(k, "item", data, 100));
	snprintf(path, sizeof(path), "%s/item", pt_test_dir());
	CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
	CHECK(!put(k, "item", data, 100) && !is_there(k, "item", data, 100));
	CHECK_INT(nr_files(".tmp"), 0);
	CHECK(rmdir(path) == 0 && rmdir(pt_test_dir()) == 0);
	CHECK(!put(k, "item", data, 100) && !is_there(k, "item", data, 100));
	pt_diskcache_close(k);
}

static void write_file(const char *path, const char *start, size_t len)
{
	char *data = pt_alloc(len);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	memcpy(data, start, strlen(start));
	CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	CHECK(futimens(fd, (struct timespec[2]){ { .tv_sec = 1000 }, { .tv_sec = 1000 } }) == 0);
	close(fd);
	free(data);
}

/* What pt did not make stays, whatever its name, its age and the size of the directory. */
TEST(foreign_files_stay)
{
	static const char *const names[] = { "backup.tar", "sym-1234", ".tmp-letter", ".tmp-12ab",
					     "PTKEEP1 of another name" };
	enum { LEN = LIMIT / 8 };
	struct pt_diskcache *k = scratch();
	uint8_t *data = pt_alloc(LEN);
	char path[300], name[16];
	struct stat st;
	size_t i;

	for (i = 0; i < PT_NR(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), names[i]);
		write_file(path, strncmp(names[i], "PTKEEP1", 7) ? "some other file" : "PTKEEP1",
			   LIMIT);
	}
	for (i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "item%zu", i);
		CHECK(put(k, name, data, LEN - 256));
	}
	pt_diskcache_close(k);
	for (i = 0; i < PT_NR(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), names[i]);
		if (stat(path, &st) < 0)
			FAIL("%s was removed", names[i]);
	}
	CHECK_INT(nr_files("item"), 6);		/* the bound is of what pt keeps */
	free(data);
}

/* A directory that somebody else can turn into a link to another one is not used; nor is a link in
 * the place of the directory itself. */
TEST(links_lead_nowhere)
{
	char base[300], real[300], path[320];

	CHECK(chmod(pt_test_dir(), 0755) == 0);
	snprintf(real, sizeof(real), "%s/real", pt_test_dir());
	snprintf(path, sizeof(path), "%s/real/pt", pt_test_dir());
	snprintf(base, sizeof(base), "%s/base", pt_test_dir());
	CHECK(mkdir(real, 0700) == 0 && mkdir(path, 0700) == 0);
	CHECK(symlink(real, base) == 0);
	CHECK_INT(opens(NULL, base, NULL, 0), 1); /* one's own link to one's own directory */
	CHECK(rmdir(path) == 0);
	snprintf(base, sizeof(base), "%s/elsewhere", pt_test_dir());
	CHECK(mkdir(base, 0700) == 0 && symlink(base, path) == 0);
	CHECK_INT(opens(NULL, real, NULL, 0), 0);		/* pt is a link */
	CHECK(unlink(path) == 0);
	CHECK_INT(opens(NULL, real, NULL, 0), 1);
	if (getuid())
		SKIP("who is not root cannot be somebody else");
	snprintf(base, sizeof(base), "%s/base", pt_test_dir());
	CHECK(lchown(base, 65534, 65534) == 0);
	CHECK_INT(opens(NULL, base, NULL, 0), 0);		/* somebody else's link */
	CHECK(lchown(base, 0, 0) == 0);
	CHECK_INT(opens(NULL, base, NULL, 0), 1);
	CHECK(chown(pt_test_dir(), 65534, 65534) == 0);		/* who can swap it at any time */
	CHECK_INT(opens(NULL, real, NULL, 0), 0);
	CHECK(chown(pt_test_dir(), 0, 0) == 0);
}
