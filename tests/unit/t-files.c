/* elf/files.h: programs and their debug files below SYMFS, by build-id and by debug link, and none of another build. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/files.h"
#include "elf/symtab.h"
#include "rec.h"
#include "test.h"
#include "stack/frames.h"

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

/* The file that is found for a mapping of opt/app, whose inode was `ino`; the recorder found that build there when it ended. */
static const char *told_path_on(uint32_t maj, uint64_t ino, const struct pt_build_id *told)
{
	static char text[600];
	struct pt_file_query q = { .told = *told, .maj = maj, .ino = ino };
	struct pt_files *f = pt_files_new(&(struct pt_files_opts){ .live = false });
	char *path = pt_strdup(below("opt/app"));
	struct pt_object *o;

	q.path = path;
	o = pt_files_object(f, &q);
	snprintf(text, sizeof(text), "%s", o ? o->path + strlen(pt_test_dir()) : "-");
	pt_files_free(f);
	free(path);
	return text;
}

static const char *told_path(uint64_t ino, const struct pt_build_id *told)
{
	return told_path_on(0, ino, told);
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

/* A recording in which `path`, a file like `like`, is mapped, with this build-id in its table: what is at `vaddr` is named. */
static const char *recorded_name(const char *path, const char *like, const struct pt_build_id *id, const char *symfs, uint64_t vaddr)
{
	static const struct rec_event ev = { .attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(struct pt_attr), .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID } };
	static char name[300];
	struct rec d = REC(false), ids = REC(false), file = REC(false);
	struct rec_section sec = { 2, &ids.b };
	struct pt_frames *f = pt_frames_new(&(struct pt_frames_opts){ .symfs = symfs });
	const struct pt_named_frame *x;
	const struct pt_record *rec;
	struct pt_object *o;
	struct pt_source *s;
	struct pt_err e;
	size_t i;

	CHECK(!pt_object_open(&o, like, NULL));
	for (i = 0; !(o->segments[i].flags & PF_X); i++)
		;
	rec_begin(&d, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	rec_u32(&d, 7), rec_u32(&d, 7), rec_u64s(&d, 3, (const uint64_t[]){ 0x400000 + (o->segments[i].vaddr & ~0xfffull), 0x10000, o->segments[i].off & ~0xfffull });
	rec_u32(&d, 8), rec_u32(&d, 1), rec_u64s(&d, 2, (const uint64_t[]){ 123456789, 0 }), rec_u32(&d, PROT_READ | PROT_EXEC), rec_u32(&d, 2), rec_str(&d, path);
	rec_end(&d);
	rec_begin(&ids, 67, 0x8000 | 2), rec_u32(&ids, 0xffffffff), rec_bytes(&ids, id->bytes, 20), rec_u8(&ids, id->len), rec_u8(&ids, 0), rec_u16(&ids, 0);
	rec_str(&ids, path), rec_end(&ids);
	rec_file(&file, &ev, 1, &d, &sec, 1);
	s = rec_open(&file);
	while (pt_source_next(s, &rec, &e) > 0)
		pt_frames_feed(f, s, rec);
	CHECK_INT(pt_frames_name(f, pt_frames_place(f, 7, false, 0x400000 + vaddr, UINT64_MAX), &x), 1);
	snprintf(name, sizeof(name), "%s", x->name ? x->name : "-");
	pt_source_free(s);
	pt_frames_free(f);
	pt_object_put(o);
	rec_free(&d), rec_free(&ids), rec_free(&file);
	return name;
}

/* A recording of opt/app with this build-id in its table: what main() of `app` is named. */
static void check_recording(const struct pt_build_id *id, const char *want)
{
	char *path = pt_strdup(below("opt/app")), *like = pt_strdup(below("app"));
	struct pt_object *o;
	uint64_t main_at;

	CHECK(!pt_object_open(&o, like, NULL));
	CHECK(pt_symtab_named(pt_symtab_of(o), "main", &main_at));
	pt_object_put(o);
	CHECK_STR(recorded_name(path, like, id, NULL, main_at), want ? want : "-");
	free(path);
	free(like);
}

/* Stubs of the PLT have names, though the other names are in a debug file, which has no PLT. */
TEST(plt_beside_a_debug_file)
{
	char *symfs, *like;
	struct pt_build_id id;
	struct pt_symbol stub;
	struct pt_object *o;
	uint64_t main_at;
	size_t i;

	if (system("{ command -v gcc && command -v objcopy; } > /dev/null 2>&1"))
		SKIP("no compiler");
	run("echo 'void other(void); int main(void) { other(); return 0; }' > p.c && echo 'void other(void) { }' > o.c && gcc -shared -fPIC -o libo.so o.c &&"
	    " gcc -g -Wl,--build-id -Wl,-z,lazy -o full p.c libo.so && mkdir -p fs/opt && objcopy --only-keep-debug full fs/opt/called.debug &&"
	    " cd fs/opt && objcopy --strip-all --add-gnu-debuglink=called.debug ../../full called");
	like = pt_strdup(below("full"));
	symfs = pt_strdup(below("fs"));
	CHECK(!pt_object_open(&o, like, NULL));
	id = o->build_id;
	CHECK(pt_symtab_named(pt_symtab_of(o), "main", &main_at));
	for (i = 0; pt_symtab_at(pt_symtab_of(o), i, &stub) && strcmp(stub.name, "other@plt"); i++)
		;
	CHECK_STR(stub.name, "other@plt");
	CHECK_STR(recorded_name("/opt/called", like, &id, symfs, main_at), "main");
	CHECK_STR(recorded_name("/opt/called", like, &id, symfs, stub.vaddr + 4), "other@plt");
	pt_object_put(o);
	free(symfs);
	free(like);
}

/* Recordings that have build-ids by path alone, as perf writes them: the mapped file is known by its inode, else what was kept of that build is used. */
TEST(told_at_the_end)
{
	char *home = pt_strdup(getenv("HOME")), kept[300] = "/.debug/.build-id/", *cmd;
	const struct pt_build_id none = { .len = 0 };
	struct pt_build_id id, other;
	struct pt_object *o;
	struct stat st;
	size_t i;

	make_programs();
	run("echo 'int other; int main(void) { return other; }' > q.c && gcc -Wl,--build-id -o q q.c && mkdir -p opt && cp app opt/app");
	CHECK(!pt_object_open(&o, below("opt/app"), NULL));
	id = other = o->build_id;
	other.bytes[0] ^= 1;
	pt_object_put(o);
	setenv("HOME", pt_test_dir(), 1);
	CHECK(!stat(below("opt/app"), &st));
	CHECK_STR(told_path(st.st_ino, &id), "/opt/app");
	CHECK_STR(told_path(0, &id), "/opt/app");		/* not known which it was: the build must do */
	CHECK_STR(told_path(st.st_ino, &other), "-");		/* written over since the recorder ended, as far as one can tell */
	CHECK_STR(told_path(0, &other), "-");
	CHECK_STR(told_path(st.st_ino, &none), "/opt/app");
	CHECK_STR(told_path(st.st_ino + 1, &none), "-");
	if (major(st.st_dev))	/* the same inode number of another file system */
		CHECK_STR(told_path_on(major(st.st_dev) + 1, st.st_ino, &none), "-");

	for (i = 0; i < id.len; i++)
		snprintf(kept + strlen(kept), 4, i ? "%02x" : "%02x/", id.bytes[i]);
	strcat(kept, "/elf");
	cmd = pt_asprintf("mkdir -p $(dirname .%s) && cp app .%s", kept, kept);
	run(cmd);
	free(cmd);
	CHECK_STR(told_path(st.st_ino, &id), "/opt/app");
	CHECK_STR(told_path(st.st_ino + 1, &id), "-");		/* replaced before the recorder ended: what was mapped is not known */
	run("cp q opt/app");
	CHECK_STR(told_path(st.st_ino, &id), kept);		/* replaced since */
	run("rm opt/app");
	CHECK_STR(told_path(st.st_ino, &id), kept);
	CHECK_STR(told_path(st.st_ino, &other), "-");
	CHECK_STR(told_path(st.st_ino, &none), "-");
	run("mv .debug elsewhere");
	CHECK_STR(told_path(st.st_ino, &id), "-");
	setenv("PERF_BUILDID_DIR", below("elsewhere"), 1);
	check_recording(&id, "main");
	check_recording(&other, NULL);
	unsetenv("PERF_BUILDID_DIR");
	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	free(home);
}

/* A file that no descriptor is left for is not gone. */
TEST(no_more_descriptors)
{
	struct pt_files *f = pt_files_new(&(struct pt_files_opts){ .live = false });
	const struct pt_build_id no_id = { .len = 0 };
	int lowest = dup(STDERR_FILENO);
	struct rlimit was, none;

	CHECK(!object_of(f, "/no/such/file", &no_id));
	CHECK_INT(pt_files_counts(f).refused, 0);
	CHECK(lowest >= 0 && !getrlimit(RLIMIT_NOFILE, &was));
	close(lowest);
	none = (struct rlimit){ (rlim_t)lowest, was.rlim_max };
	CHECK(!setrlimit(RLIMIT_NOFILE, &none));
	CHECK(!object_of(f, "/proc/self/exe", &no_id));
	CHECK(!setrlimit(RLIMIT_NOFILE, &was));
	CHECK_INT(pt_files_counts(f).refused, 1);
	pt_files_free(f);
}

/* Two programs of one build-id and one size, in a/ and b/, whose functions have other names. */
static void make_forged(void)
{
	FILE *f = fopen(below("g.c"), "w");

	if (!f || fputs("void NAME(void);\nvoid NAME(void) { }\nint main(void) { NAME(); return 0; }\n", f) < 0 || fclose(f))
		FAIL("g.c");
	if (system("command -v gcc > /dev/null 2>&1"))
		SKIP("no compiler");
	run("mkdir -p a b && gcc -g -DNAME=genuine -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o a/app g.c");
	run("gcc -g -DNAME=forgery -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o b/app g.c && [ $(stat -c %s a/app) = $(stat -c %s b/app) ]");
}

static bool names(struct pt_object *o, const char *function)
{
	uint64_t vaddr;

	return o && pt_symtab_named(pt_symtab_of(o), function, &vaddr);
}

/* A build-id does not make two files one, whichever is asked for first; one file by two paths is one object. A file of
 * another user's does not stand in for one that is gone; root's or one's own does. */
TEST(forged_build_id)
{
	struct pt_build_id id;
	struct pt_object *o, *a, *b;
	struct pt_files *f;
	char *paths[2];
	int i;

	make_forged();
	CHECK(!pt_object_open(&o, below("a/app"), NULL));
	id = o->build_id;
	pt_object_put(o);
	paths[0] = pt_strdup(below("a/app"));
	paths[1] = pt_strdup(below("b/app"));
	for (i = 0; i < 4; i++) {
		f = pt_files_new(&(struct pt_files_opts){ .live = i / 2 });
		o = object_of(f, paths[i % 2], &id);
		b = object_of(f, paths[!(i % 2)], &id);
		a = i % 2 ? b : o;
		b = i % 2 ? o : b;
		CHECK(a != b);
		CHECK(names(a, "genuine") && !names(a, "forgery"));
		CHECK(names(b, "forgery") && !names(b, "genuine"));
		pt_files_free(f);
	}
	f = pt_files_new(&(struct pt_files_opts){ .live = false });
	run("ln -s ../a/app b/link");
	a = object_of(f, paths[0], &id);
	CHECK(a && object_of(f, below("b/link"), &id) == a);
	CHECK(object_of(f, "/gone/app", &id) == a);
	pt_files_free(f);
	if (!geteuid()) {
		f = pt_files_new(&(struct pt_files_opts){ .live = false });
		CHECK(!chown(paths[1], 60577, 60577));
		CHECK(names(object_of(f, paths[1], &id), "forgery"));
		CHECK(!object_of(f, "/gone/app", &id));
		pt_files_free(f);
	}
	free(paths[0]);
	free(paths[1]);
}

/* Live, two processes whose records say the same: each is asked what it maps itself. */
TEST(forged_build_id_live)
{
	struct pt_file_query q = { .path = "/usr/bin/app", .pid = (uint32_t)getpid() };
	struct pt_object *o[2], *twins[2];
	struct pt_files *f;
	size_t i;

	if (geteuid())
		SKIP("not root");
	make_forged();
	f = pt_files_new(&(struct pt_files_opts){ .live = true });
	for (i = 0; i < 2; i++) {
		CHECK(!pt_object_open(&o[i], below(i ? "a/app" : "b/app"), NULL));
		q.build_id = o[i]->build_id;
		q.start = (uint64_t)(uintptr_t)o[i]->file.data;
		q.end = q.start + ((o[i]->file.len_bytes + 4095) & ~(uint64_t)4095);
		twins[i] = pt_files_mapped(f, &q);
		if (!i && !twins[i])
			SKIP("no map_files here");
		CHECK(pt_files_mapped(f, &q) == twins[i]);
	}
	CHECK(names(twins[0], "forgery") && !names(twins[0], "genuine"));
	CHECK(names(twins[1], "genuine") && !names(twins[1], "forgery"));
	pt_files_free(f);
	pt_object_put(o[0]);
	pt_object_put(o[1]);
}

/* The copy that perf made of the recorded path comes before what its tree of build-ids leads to. */
TEST(forged_build_id_in_the_buildid_cache)
{
	char *home = pt_strdup(getenv("HOME"));
	struct pt_build_id id;
	struct pt_object *o;
	struct pt_files *f;

	make_forged();
	CHECK(!pt_object_open(&o, below("a/app"), NULL));
	id = o->build_id;
	pt_object_put(o);
	setenv("HOME", pt_test_dir(), 1);
	run("I=0123456789abcdef0123456789abcdef01234567; mkdir -p .debug/tmp/x/app/$I .debug/usr/bin/app/$I .debug/.build-id/01 &&"
	    " cp b/app .debug/tmp/x/app/$I/elf && cp a/app .debug/usr/bin/app/$I/elf && ln -s ../../tmp/x/app/$I .debug/.build-id/01/${I#01}");
	f = pt_files_new(&(struct pt_files_opts){ .live = false });
	CHECK(names(object_of(f, "/usr/bin/app", &id), "genuine"));
	CHECK(names(object_of(f, "/tmp/x/app", &id), "forgery"));
	pt_files_free(f);
	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	free(home);
}
