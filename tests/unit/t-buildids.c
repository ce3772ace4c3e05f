/* Whether the kernel's build-ids harm other recorders, and who may say so. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diskcache.h"
#include "base/smallfile.h"
#include "event/build_ids.h"

static char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
	return path;
}

static enum pt_build_ids_are tested(void)
{
	enum pt_build_ids_are are = (enum pt_build_ids_are)pt_build_ids_test();

	if (are == PT_BUILD_IDS_UNTESTED)
		SKIP("this kernel has no build-ids with mappings for this user");
	return are;
}

/* An answer that is not true, of this boot unless another one is given. */
static void write_lie(const char *boot, enum pt_build_ids_are truth)
{
	struct pt_diskcache *keep = pt_diskcache_open_in(pt_test_dir(), 1 << 20);
	int lie = (int)(PT_BUILD_IDS_HARMLESS + PT_BUILD_IDS_HARMFUL - truth);
	struct iovec part = { &lie, sizeof(lie) };
	char now[64];

	CHECK_INT(pt_file_text("/proc/sys/kernel/random/boot_id", now, sizeof(now)), 0);
	boot = boot ? boot : now;
	CHECK(pt_diskcache_put(keep, "pt-build-ids", 1, boot, strlen(boot), &part, 1));
	pt_diskcache_close(keep);
}

TEST(test_repeats_and_leaves_nothing_open)
{
	enum pt_build_ids_are are = tested();
	int fd = dup(0);

	for (int i = 0; i < 20; i++)
		CHECK_INT(pt_build_ids_test(), are);
	close(fd);
	CHECK_INT(dup(0), fd);
	close(fd);
}

TEST(answer_is_kept_for_this_boot)
{
	enum pt_build_ids_are are = tested();

	CHECK_INT(chmod(pt_test_dir(), 0755), 0);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
	CHECK_INT(access(path_of("pt-build-ids"), R_OK), 0);
	write_lie(NULL, are);	/* only what is read can lie */
	CHECK(pt_build_ids_are(pt_test_dir()) != are);
	write_lie("00000000-0000-0000-0000-000000000000", are);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
	CHECK_INT(pt_build_ids_are("/nonexistent"), are);
}

/* A file that somebody else can write does not decide. */
TEST(answer_of_others_does_not_count)
{
	enum pt_build_ids_are are = tested();
	char path[512], elsewhere[512];

	snprintf(path, sizeof(path), "%s", path_of("pt-build-ids"));
	snprintf(elsewhere, sizeof(elsewhere), "%s", path_of("elsewhere"));
	CHECK_INT(chmod(pt_test_dir(), 0755), 0);
	write_lie(NULL, are);
	CHECK_INT(chmod(path, 0620), 0);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
	write_lie(NULL, are);
	CHECK_INT(chmod(pt_test_dir(), 0777), 0);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
	CHECK_INT(chmod(pt_test_dir(), 0755), 0);
	CHECK_INT(rename(path, elsewhere), 0);
	CHECK_INT(symlink("elsewhere", path), 0);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
	if (getuid())
		SKIP("not root: no file of another user");
	write_lie(NULL, are);
	CHECK_INT(chown(path, 65534, 65534), 0);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
	write_lie(NULL, are);
	CHECK_INT(chown(pt_test_dir(), 65534, 65534), 0);
	CHECK_INT(pt_build_ids_are(pt_test_dir()), are);
}
