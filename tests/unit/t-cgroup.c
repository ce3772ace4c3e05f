/* Patterns of control groups, on folders that stand for a hierarchy. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/cgroup.h"

static struct pt_err e;
static char root[] = "cgroups-XXXXXX";
static const char *const folders[] = { "a", "a/one", "a/one2", "a/two", "a/two/deep", "b", "b/a(b)", ".hidden", "web,db" };

static void in_root(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", root, name);
}

static void make(void)
{
	char path[256];
	int fd;

	strcpy(root, "cgroups-XXXXXX");
	CHECK(mkdtemp(root));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		in_root(folders[i], path);
		CHECK_INT(mkdir(path, 0700), 0);
	}
	in_root("a/cgroup.procs", path);	/* files are none, nor links */
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	CHECK(fd >= 0);
	close(fd);
	in_root("a/link", path);
	CHECK_INT(symlink("..", path), 0);
}

static void unmake(void)
{
	char path[256];

	in_root("a/link", path);
	unlink(path);
	in_root("a/cgroup.procs", path);
	unlink(path);
	for (size_t i = sizeof(folders) / sizeof(*folders); i--; ) {
		in_root(folders[i], path);
		rmdir(path);
	}
	CHECK_INT(rmdir(root), 0);
}

TEST(patterns)
{
	/* as perf 6.1 chooses; the root has an empty name */
	static const struct { const char *patterns, *found; } want[] = {
		{ "^a", "a a/one a/one2 a/two a/two/deep " },
		{ "a/.*", "a/one a/one2 a/two a/two/deep " },
		{ "^a/one$", "a/one " },
		{ "[ab]$", "a b web,db " },
		{ "a/\\(one\\|two\\)$", "a/one a/two " },
		{ "^b$,^a/two", "a/two a/two/deep b " },
		{ "two$,one,", "a/one a/one2 a/two " },		/* all are patterns when one is; an empty one is skipped */
		{ "a/one*", "a/one a/one2 " },
		{ "a(b)", "b/a(b) " },
		{ ".*", " .hidden a a/one a/one2 a/two a/two/deep b b/a(b) web,db " },
		{ "web.db$", "web,db " },
	};

	make();
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct pt_cgroups c = { 0 };
		char got[256] = "";

		CHECK(pt_cgroup_is_pattern(want[i].patterns));
		CHECK_INT(pt_cgroups_match(&c, root, want[i].patterns, &e), 0);
		for (size_t k = 0; k < c.nr; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ", c.names[k]);
		CHECK_STR(got, want[i].found);
		pt_cgroups_deinit(&c);
	}
	unmake();
}

TEST(none)
{
	struct pt_cgroups c = { 0 };

	make();
	e = (struct pt_err)PT_ERR_INIT;
	CHECK_INT(pt_cgroups_match(&c, root, "^x$", &e), -1);
	CHECK_STR(e.msg, "no control group matches '^x$'; there are .hidden, a, a/one, a/one2, a/two and 4 more");
	CHECK(e.sys);
	CHECK_INT(pt_cgroups_match(&c, root, "a/(one|two)", &e), -1);
	CHECK_HAS(e.msg, "\"or\" is \\|");
	e = (struct pt_err)PT_ERR_INIT;
	CHECK_INT(pt_cgroups_match(&c, root, "a,[", &e), -1);
	CHECK_HAS(e.msg, "'[': no regular expression");
	CHECK_INT(e.sys, 0);
	CHECK_INT(c.nr, 0);
	unmake();
	CHECK_INT(pt_cgroups_match(&c, root, ".*", &e), -1);
	CHECK(!pt_cgroup_is_pattern("system.slice/a-b@c.service,x"));
}
