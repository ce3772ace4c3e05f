/* code/files.h: programs and their debug files below SYMFS, by build-id and by debug link, and none of another build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/files.h"
#include "test.h"

static void run(const char *cmd)
{
	char text[1200];

	snprintf(text, sizeof(text), "cd %s && { %s; } 2> /dev/null", pt_test_dir(), cmd);
	if (system(text))
		FAIL("%s", cmd);
}

static const char *below(const char *path)
{
	static char text[600];

	snprintf(text, sizeof(text), "%s/%s", pt_test_dir(), path);
	return text;
}

/* Two programs without debug information, that is in files of their own; `plain` has no build-id, only a debug link. */
static void make_programs(void)
{
	FILE *f = fopen(below("p.c"), "w");

	if (!f || fputs("int main(void) { return 0; }\n", f) < 0 || fclose(f))
		FAIL("p.c");
	if (system("{ command -v gcc && command -v objcopy; } > /dev/null 2>&1"))
		SKIP("no compiler");
	run("mkdir -p fs/opt/app/bin fs/usr/lib/debug/opt/app/bin && gcc -g -Wl,--build-id -o app p.c && gcc -g -Wl,--build-id=none -o plain p.c");
	run("for p in app plain; do objcopy --only-keep-debug $p $p.debug && objcopy --strip-debug --add-gnu-debuglink=$p.debug $p fs/opt/app/bin/$p || exit 1; done");
}

static struct pt_object *object_of(struct pt_files *f, const char *path, const struct pt_build_id *id)
{
	return pt_files_object(f, &(struct pt_file_query){ .path = path, .build_id = *id, .ino = 1 });
}

static const char *debug_path(const char *path, const char *symfs)
{
	static char text[600];
	struct pt_files *f = pt_files_new(&(struct pt_files_opts){ .symfs = symfs });
	struct pt_object *o = object_of(f, path, &(struct pt_build_id){ .len = 0 }), *d = o ? pt_files_debug(f, o) : NULL;

	snprintf(text, sizeof(text), "%s", d && d != o ? d->path : "-");
	pt_files_free(f);
	return text;
}

TEST(below_a_directory)
{
	const struct pt_build_id no_id = { .len = 0 };
	char fs[600], link[800], rest[2 * PT_BUILD_ID_MAX + 1] = "", *cmd;
	struct pt_build_id id;
	struct pt_object *o;
	struct pt_files *f;
	size_t i;

	make_programs();
	snprintf(fs, sizeof(fs), "%s", below("fs"));
	f = pt_files_new(&(struct pt_files_opts){ .symfs = fs });
	o = object_of(f, "/opt/app/bin/app", &no_id);		/* a copy's inode is any */
	CHECK(o && o->build_id.len);
	id = o->build_id;
	CHECK(object_of(f, "/opt/app/bin/app", &id) == o);
	id.bytes[0] ^= 1;
	CHECK(!object_of(f, "/opt/app/bin/app", &id));
	id.bytes[0] ^= 1;
	CHECK_INT(pt_files_counts(f).other_build, 1);
	CHECK_INT(pt_files_counts(f).missing, 1);
	CHECK(!pt_files_debug(f, o));
	pt_files_free(f);

	snprintf(link, sizeof(link), "%s/usr/lib/debug/opt/app/bin/plain.debug", fs);
	run("cp plain.debug fs/usr/lib/debug/opt/app/bin/");
	CHECK_STR(debug_path("/opt/app/bin/plain", fs), link);
	run("cp app.debug fs/usr/lib/debug/opt/app/bin/plain.debug");		/* another one: its sum differs */
	CHECK_STR(debug_path("/opt/app/bin/plain", fs), "-");
	snprintf(link, sizeof(link), "%s/opt/app/bin/plain.debug", fs);
	run("cp plain.debug fs/opt/app/bin/");
	CHECK_STR(debug_path("/opt/app/bin/plain", fs), link);

	for (i = 1; i < id.len; i++)
		snprintf(rest + 2 * (i - 1), 3, "%02x", id.bytes[i]);
	cmd = pt_asprintf("mkdir -p fs/usr/lib/debug/.build-id/%02x && cp app.debug fs/usr/lib/debug/.build-id/%02x/%s.debug", id.bytes[0], id.bytes[0], rest);
	snprintf(link, sizeof(link), "%s/usr/lib/debug/.build-id/%02x/%s.debug", fs, id.bytes[0], rest);
	run(cmd);
	CHECK_STR(debug_path("/opt/app/bin/app", fs), link);
	free(cmd);
}
