/* Debian packages of files without symbols. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "elf/debugpackage.h"

static const char *package_of(const char *path)
{
	static struct pt_buf b;

	pt_buf_clear(&b);
	return pt_debug_package(pt_test_dir(), path, &b) ? pt_buf_str(&b) : "none";
}

static void list(const char *name, const char *paths)
{
	char *file = pt_asprintf("%s/var/lib/dpkg/info/%s", pt_test_dir(), name);
	FILE *f = fopen(file, "w");

	CHECK(f != NULL);
	fputs(paths, f);
	fclose(f);
	free(file);
}

TEST(the_package_that_has_the_file)
{
	char *folders = pt_asprintf("mkdir -p %s/var/lib/dpkg/info", pt_test_dir());

	CHECK_STR(package_of("/usr/bin/gzip"), "none");		/* no dpkg */
	CHECK_INT(system(folders), 0);
	free(folders);
	list("gzip.list", "/.\n/bin\n/bin/gzip\n/usr/bin/zcat.real\n");
	list("gzip.md5sums", "/usr/bin/zcat\n");
	list("libc6:amd64.list", "/.\n/lib/libc.so.6\n");
	list("python3.11-minimal.list", "/.\n/usr/bin/python3.11\n/opt/usr/bin/tool\n");
	CHECK_STR(package_of("/usr/bin/gzip"), "gzip-dbgsym");
	CHECK_STR(package_of("/bin/gzip"), "gzip-dbgsym");
	CHECK_STR(package_of("/usr/lib/libc.so.6"), "libc6-dbg");
	CHECK_STR(package_of("/bin/python3.11"), "python3.11-minimal-dbgsym");
	CHECK_STR(package_of("/usr/bin/zcat"), "none");		/* the start of a name; no list */
	CHECK_STR(package_of("/usr/bin/tool"), "none");		/* the end of a path */
	CHECK_STR(package_of("/bin/python3.1"), "none");
	CHECK_STR(package_of("./prog"), "none");
}

TEST(a_list_of_many_pieces)
{
	char *folders = pt_asprintf("mkdir -p %s/var/lib/dpkg/info", pt_test_dir());
	struct pt_buf paths = PT_BUF_INIT;

	CHECK_INT(system(folders), 0);
	free(folders);
	for (int i = 0; i < 20000; i++)
		pt_buf_printf(&paths, "%s/bin/%d\n", i % 2 ? "/usr" : "", i);
	list("many.list", pt_buf_str(&paths));
	pt_buf_deinit(&paths);
	for (int i = 0; i < 20000; i += 40) {
		char path[32];

		snprintf(path, sizeof(path), "/usr/bin/%d", i + i / 40 % 2);
		CHECK_STR(package_of(path), "many-dbgsym");
	}
	CHECK_STR(package_of("/bin/20000"), "none");
}
