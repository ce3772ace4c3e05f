/* base/untrusted.h: names of others open regular files below the root that is meant, and nothing
 * else; what is refused is not even opened. And what the readers of programs make of such names. */
#include "base/untrusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/files.h"
#include "test.h"

static const char *path_of(const char *name)
{
	static char text[4][300];
	static unsigned turn;
	char *t = text[turn++ % 4];

	snprintf(t, sizeof(text[0]), "%s/%s", pt_test_dir(), name);
	return t;
}

static void make_file(const char *name, const char *content)
{
	FILE *f = fopen(path_of(name), "w");

	CHECK(f && fputs(content, f) >= 0 && !fclose(f));
}

/* 0, or why it was refused. */
static int tried(const struct pt_root *root, const char *path, unsigned flags, const struct pt_owner *namer)
{
	int fd = pt_untrusted_open(root, path, flags, namer), sys = errno;

	if (fd < 0)
		return sys;
	close(fd);
	return 0;
}

/* Opening something for reading is an event, having a handle of it is none. */
struct watch { int fd; };

static struct watch watch_opens(const char *path)
{
	struct watch w = { inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };

	CHECK(inotify_add_watch(w.fd, path, IN_OPEN) >= 0);
	return w;
}

static bool was_opened(struct watch *w)
{
	char events[4096];

	return read(w->fd, events, sizeof(events)) > 0;
}

TEST(only_regular_files)
{
	static const char *const kernel[] = { "/proc/self/maps", "/proc/kmsg", "/sys/kernel/notes", "/sys/kernel/tracing/trace_pipe" };
	char fifo[300];
	struct watch w;
	struct stat st;
	size_t i;

	make_file("regular", "x");
	CHECK(mkfifo(path_of("fifo"), 0600) == 0);
	snprintf(fifo, sizeof(fifo), "%s", path_of("fifo"));
	CHECK(symlink("fifo", path_of("link")) == 0 && symlink("regular", path_of("good")) == 0);
	CHECK(symlink("/proc/self/fd/0", path_of("magic")) == 0);
	w = watch_opens(fifo);
	CHECK_INT(tried(NULL, path_of("regular"), 0, NULL), 0);
	CHECK_INT(tried(NULL, path_of("good"), 0, NULL), 0);
	CHECK_INT(tried(NULL, path_of("good"), PT_UNTRUSTED_NO_LINK, NULL), ENXIO);
	CHECK_INT(tried(NULL, fifo, 0, NULL), ENXIO);
	CHECK_INT(tried(NULL, fifo, PT_UNTRUSTED_USER, NULL), ENXIO);
	CHECK_INT(tried(NULL, path_of("link"), 0, NULL), ENXIO);
	CHECK(!was_opened(&w));
	close(open(fifo, O_RDONLY | O_NONBLOCK));
	CHECK(was_opened(&w));				/* it would have been seen */
	close(w.fd);
	CHECK_INT(tried(NULL, pt_test_dir(), 0, NULL), EISDIR);
	CHECK_INT(tried(NULL, path_of("magic"), 0, NULL), ELOOP);
	CHECK_INT(tried(NULL, "/dev/null", 0, NULL), ENXIO);
	CHECK_INT(tried(NULL, "//dev/./ptmx", 0, NULL), ENXIO);
	for (i = 0; i < PT_NR(kernel); i++)
		if (!stat(kernel[i], &st))
			CHECK_INT(tried(NULL, kernel[i], 0, NULL), ENXIO);
	CHECK(chdir(pt_test_dir()) == 0);
	CHECK_INT(tried(NULL, "regular", 0, NULL), EINVAL);
	CHECK_INT(tried(NULL, "regular", PT_UNTRUSTED_USER, NULL), 0);
}

TEST(below_a_root)
{
	struct pt_root *root, *gone;
	char *real;
	int fd;

	CHECK(mkdir(path_of("root"), 0700) == 0 && mkdir(path_of("root/sub"), 0700) == 0);
	make_file("outside", "x");
	make_file("root/sub/target", "x");
	CHECK(symlink("/sub/target", path_of("root/link")) == 0);
	CHECK(symlink(path_of("outside"), path_of("root/away")) == 0);
	root = pt_root_new(open(path_of("root"), O_PATH | O_CLOEXEC), "");
	CHECK_INT(tried(root, "/sub/target", 0, NULL), 0);
	CHECK_INT(tried(root, "/link", 0, NULL), 0);
	CHECK_INT(tried(root, "/away", 0, NULL), ENOENT);
	CHECK_INT(tried(root, "/../outside", 0, NULL), ENOENT);
	CHECK_INT(tried(root, path_of("outside"), 0, NULL), ENOENT);
	fd = pt_untrusted_open(root, "/link", 0, NULL);
	real = pt_untrusted_real_path(root, fd);
	CHECK_STR(real, "/sub/target");
	free(real);
	real = pt_untrusted_real_path(NULL, fd);
	CHECK_STR(real, path_of("root/sub/target"));
	free(real);
	CHECK(unlink(path_of("root/sub/target")) == 0);
	CHECK(!pt_untrusted_real_path(root, fd));
	close(fd);
	pt_root_put(root);
	gone = pt_root_new_chosen(path_of("no/such/directory"));
	CHECK_INT(tried(gone, path_of("outside"), 0, NULL), EBADF);
	pt_root_put(gone);
}

TEST(owners)
{
	const struct pt_owner root = { .uid = 0 }, nobody = { .uid = 65534 }, open_to_all = { .uid = 65534, .writable_by_all = true };
	char path[300];

	if (getuid())
		SKIP("who is not root cannot give files away");
	make_file("f", "x");
	snprintf(path, sizeof(path), "%s", path_of("f"));
	CHECK_INT(tried(NULL, path, 0, &root), 0);
	CHECK_INT(tried(NULL, path, 0, &nobody), 0);
	CHECK(chmod(path, 0666) == 0);
	CHECK_INT(tried(NULL, path, 0, &nobody), EACCES);
	CHECK_INT(tried(NULL, path, 0, &open_to_all), 0);
	CHECK(chmod(path, 0644) == 0 && chown(path, 65534, 65534) == 0);
	CHECK_INT(tried(NULL, path, 0, &root), EACCES);
	CHECK_INT(tried(NULL, path, 0, &nobody), 0);
	CHECK_INT(tried(NULL, path, 0, NULL), 0);
}

/* A recording's names, in all spellings. */
TEST(mapped_names)
{
	static const char *const forms[] = { "%s", "/%s", "/.%s", "/..%s" };
	struct pt_files *f = pt_files_new(&(struct pt_files_opts){ .live = false });
	char fifo[300], path[320];
	struct watch w;
	size_t i;

	CHECK(mkfifo(path_of("prog"), 0600) == 0);
	snprintf(fifo, sizeof(fifo), "%s", path_of("prog"));
	w = watch_opens(fifo);
	for (i = 0; i < PT_NR(forms); i++) {
		snprintf(path, sizeof(path), forms[i], fifo);
		CHECK(!pt_files_object(f, &(struct pt_file_query){ .path = path }));
	}
	CHECK(pt_files_open(f, 1, fifo) < 0);
	CHECK(!was_opened(&w));
	close(w.fd);
	pt_files_free(f);
}
