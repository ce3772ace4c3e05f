/* Lists of functions (probe/where/functions.h) of this very program: kept and found again, damaged, out of date; strings sorted. */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapfile.h"
#include "base/mem.h"
#include "probe/where/functions.h"

enum { LIMIT = 64 << 20, HEAD = 64 };

/* Two that read the same when they are shown, and one that has another name besides. */
int cxx_one(int a) __asm__("_ZN5outer5innerEi"), cxx_two(int a) __asm__("_ZN5outer5innerEl"), cxx_three(int a) __asm__("_ZN5outer5otherEv");
int cxx_one(int a) { return a; }
int cxx_two(int a) { return a + 1; }
int cxx_three(int a) { return a + 2; }

static uint32_t rnd = 1;

static uint32_t random_below(uint32_t n)
{
	rnd = rnd * 1664525 + 1013904223;
	return (rnd >> 8) % n;
}

/* A copy of this program, which may be changed. */
static char *copy_self(void)
{
	char *path = pt_asprintf("%s/self", pt_test_dir());
	struct pt_mapfile f;
	FILE *to = fopen(path, "we");

	CHECK(to && !pt_mapfile_open(&f, "/proc/self/exe", NULL));
	CHECK_INT(fwrite(f.data, 1, f.len_bytes, to), f.len_bytes);
	fclose(to);
	pt_mapfile_close(&f);
	return path;
}

/* All names (or those that match) in one text, a line each. `kept`: all of them were found kept. */
static char *list_of(const char *path, struct pt_diskcache *keep, const char *pattern, bool inlined,
		     bool *kept)
{
	struct pt_target_opts o = { .keep = keep };
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_functions l;
	struct pt_target t;
	struct pt_function f;
	const char *at = NULL, *line = NULL;

	if (pt_target_open(&t, path, &o, &e) < 0)
		FAIL("%s", e.msg);
	pt_functions_list(&l, &t, pattern, inlined);
	for (line = l.text; pt_functions_next(&l, &at, &f); line = at) {
		CHECK(f.name == line && at <= l.text + l.len);
		CHECK_INT(f.inlined, at > f.name + f.len + 1);
	}
	if (l.len)
		pt_buf_add(&b, l.text, l.len);
	if (kept)
		*kept = l.kept.data != NULL;
	pt_functions_deinit(&l);
	pt_target_deinit(&t);
	return b.data ? b.data : pt_strdup("");
}

static char *list(const char *path, struct pt_diskcache *keep, const char *pattern, bool *kept)
{
	return list_of(path, keep, pattern, true, kept);
}

static void same(const char *what, char *a, char *b)
{
	if (strcmp(a, b))
		FAIL("%s: %zu bytes, not the same %zu", what, strlen(a), strlen(b));
	free(a);
	free(b);
}

static void forget(void)
{
	DIR *d = opendir(pt_test_dir());
	struct dirent *e;

	while ((e = readdir(d)))
		if (!strncmp(e->d_name, "fn", 2))
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

/* The item whose name begins so. */
static char *item(const char *start)
{
	DIR *d = opendir(pt_test_dir());
	struct dirent *e;
	char *name = NULL;

	while ((e = readdir(d)))
		if (!strncmp(e->d_name, start, strlen(start)))
			name = pt_strdup(e->d_name);
	closedir(d);
	if (!name)
		FAIL("no item %s", start);
	return name;
}

TEST(own_functions)
{
	char *all = list("/proc/self/exe", NULL, NULL, NULL);

	CHECK_HAS(all, "\nmain\n");
	CHECK_HAS(all, "\nouter::inner\nouter::other\n");
	free(all);
}

/* The list is there, and a list of this file is not put again. */
static bool is_there(const char *start)
{
	DIR *d = opendir(pt_test_dir());
	struct dirent *e;
	bool is = false;

	while ((e = readdir(d)))
		is |= !strncmp(e->d_name, start, strlen(start));
	closedir(d);
	return is;
}

TEST(kept_lists_are_those_that_were_read)
{
	static const char *const patterns[] = { NULL, "main", "*map*", "pt_*", "*", "zzz*", "inner", "_ZN5outer5inner?l", "outer::*", "outer::inner(int)" };
	struct pt_diskcache *k = pt_diskcache_open_in(pt_test_dir(), LIMIT);
	bool kept = true;
	char *first;
	size_t i;

	free(list("/proc/self/exe", k, NULL, &kept));
	CHECK(!kept);
	for (i = 0; i < PT_NR(patterns); i++) {
		first = list("/proc/self/exe", NULL, patterns[i], &kept);
		CHECK(!kept);
		same("kept", first, list("/proc/self/exe", k, patterns[i], &kept));
		CHECK(kept || patterns[i]);
	}
	/* Those with code are a list of their own. */
	CHECK(!is_there("fns-"));
	first = list_of("/proc/self/exe", k, NULL, false, &kept);
	CHECK(!kept && is_there("fns-"));
	same("kept, with code", first, list_of("/proc/self/exe", k, NULL, false, &kept));
	CHECK(kept);
	first = list_of("/proc/self/exe", NULL, "pt_*", false, NULL);
	same("kept, with code", first, list_of("/proc/self/exe", k, "pt_*", false, NULL));
	pt_diskcache_close(k);
}

TEST(patterns_for_symbols)
{
	char *l = list("/proc/self/exe", NULL, "_ZN5outer5inner?l", NULL);

	CHECK_STR(l, "outer::inner\n");
	free(l);
	l = list("/proc/self/exe", NULL, "outer::inner(char)", NULL);
	CHECK_STR(l, "");
	free(l);
}

TEST(another_file_is_read_anew)
{
	struct pt_diskcache *k = pt_diskcache_open_in(pt_test_dir(), LIMIT);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1234567890 } };
	char *path = copy_self();
	bool kept;

	free(list(path, k, NULL, &kept));
	CHECK(!kept);
	free(list(path, k, NULL, &kept));
	CHECK(kept);
	CHECK_INT(utimensat(AT_FDCWD, path, times, 0), 0);
	free(list(path, k, NULL, &kept));
	CHECK(!kept);
	CHECK_INT(utimensat(AT_FDCWD, path, times, 0), 0);	/* its contents may have changed, and its times set to what they were */
	free(list(path, k, NULL, &kept));
	CHECK(!kept);
	free(path);
	pt_diskcache_close(k);
}

/* A byte of the file: the sum tells. */
TEST(damaged_lists_are_read_anew)
{
	struct pt_diskcache *k = pt_diskcache_open_in(pt_test_dir(), LIMIT);
	char *want = list("/proc/self/exe", k, NULL, NULL);
	int i;

	for (i = 0; i < 16; i++) {
		char *name = item("fni-"), *path = pt_asprintf("%s/%s", pt_test_dir(), name);
		int fd = open(path, O_RDWR | O_CLOEXEC);
		struct stat st;
		uint8_t c;
		off_t at;
		bool kept;

		CHECK(fd >= 0 && !fstat(fd, &st));
		at = i < 2 ? i : (off_t)random_below((uint32_t)st.st_size);
		CHECK_INT(pread(fd, &c, 1, at), 1);
		c ^= (uint8_t)(1 << random_below(8));
		CHECK_INT(pwrite(fd, &c, 1, at), 1);
		close(fd);
		same("damaged", pt_strdup(want), list("/proc/self/exe", k, NULL, &kept));
		CHECK(!kept);
		free(path);
		free(name);
	}
	free(want);
	pt_diskcache_close(k);
}

/* Content that lies, under a sum that is right: nothing is read outside of it, and one that does not end with a line is read anew. */
TEST(lists_that_lie_do_no_harm)
{
	struct pt_diskcache *k = pt_diskcache_open_in(pt_test_dir(), LIMIT);
	char *want = list("/proc/self/exe", k, "*", NULL);
	bool kept;
	int i;

	for (i = 0; i < 96; i++) {
		char *name = item("fni-"), *path = pt_asprintf("%s/%s", pt_test_dir(), name), *is, *text;
		struct pt_mapfile f;
		uint32_t head[HEAD / 4], at;
		struct iovec part;

		CHECK(!pt_mapfile_open(&f, path, NULL));
		memcpy(head, f.data, sizeof(head));	/* magic, byte order, version, length of the key */
		at = HEAD + (head[4] + 63) / 64 * 64;
		text = pt_memdup(f.data + at, f.len_bytes - at);
		part = (struct iovec){ text, f.len_bytes - at };
		if (i % 8 > 4)
			part.iov_len = random_below((uint32_t)part.iov_len);
		else if (i % 8 == 4)
			text[part.iov_len - 1] = 'x';
		for (int n = 0; n < i % 4 && part.iov_len > 1; n++)
			text[random_below((uint32_t)part.iov_len - 1)] = "\n\t\0x"[random_below(4)];
		CHECK(pt_diskcache_put(k, name, head[3], f.data + HEAD, head[4], &part, 1));
		is = list("/proc/self/exe", k, NULL, &kept);
		if (i % 8 == 4 || !kept)
			CHECK(!kept && !strcmp(is, want));
		free(is);
		free(text);
		pt_mapfile_close(&f);
		free(path);
		free(name);
		if (i % 16 == 15) {
			forget();
			free(list("/proc/self/exe", k, "*", NULL));
		}
	}
	free(want);
	pt_diskcache_close(k);
}
