/* Files of kernel modules: addresses, relocations, packing, names that several functions have; damaged ones. And where a kernel's debug information is looked for. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "probe/target/image.h"
#include "probe/make.h"
#include "test.h"

static const char *data(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/module/%s", getenv("PT_DATA") ? getenv("PT_DATA") : "tests/data", name);
	return path;
}

/* The definitions of a point with one argument, or the error behind a '!'. */
static void makes(const char *path, const char *point, const char *arg, const char *want)
{
	struct pt_target_opts o = { .kernel = true };
	struct pt_made m = { .nr = 0 };
	struct pt_make_req r = { .args = &arg, .nr_args = arg ? 1 : 0 };
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_target t;

	if (pt_target_open(&t, path, &o, &e) < 0)
		FAIL("%s: %s", path, e.msg);
	CHECK_INT(pt_point_parse(&r.point, point, &e), 0);
	if (pt_make_user(&m, &r, &t, NULL, &e) < 0)
		pt_buf_printf(&b, "!%s", e.msg);
	for (size_t i = 0; i < m.nr; i++) {
		pt_buf_puts(&b, i ? " " : "");
		pt_def_place_text(&m.defs[i], &b);
		for (size_t k = 0; k < m.defs[i].nr_args; k++)
			pt_buf_printf(&b, " %s=%s:%s", m.defs[i].args[k].name, m.defs[i].args[k].fetch, m.defs[i].args[k].type);
	}
	if (*want == '!')
		CHECK_HAS(b.data, want + 1);
	else
		CHECK_STR(b.data, want);
	pt_buf_deinit(&b);
	pt_point_deinit(&r.point);
	pt_made_deinit(&m);
	pt_target_deinit(&t);
}

TEST(places)
{
	static const char *const files[] = { "step.ko", "sections.ko", "step.ko.xz", "step.ko.gz", "step.ko.zst" };

	for (size_t i = 0; i < PT_NR(files); i++) {
		const char *path = data(files[i]);

		makes(path, "work", "times", "step_it:work times=%si:s32");
		makes(path, "work:5", "p->name:string", "step_it:work+40 name=+0(+16(%r12)):string");
		makes(path, "step.c:12", "p", "step_it:work+55 p=%r12:x64");
		makes(path, "often", NULL, "step_it:work step_it:work+66");
		makes(path, "work+2", NULL, "step_it:work+2");
		makes(path, "work%return", "$retval", "step_it:work ret=$retval:s32");
		makes(path, "step_init", NULL, "step_it:step_init");
		makes(path, "nothing", NULL, "!no function nothing");
	}
}

/* Of two functions of one name that behind another one is told by it. */
TEST(twins)
{
	makes(data("step.ko"), "twin", NULL, "step_it:work+96");
	makes(data("step.ko"), "twin", "p", "!several functions of step_it have this name");
}

static char *copy(const void *p, size_t len, const char *name)
{
	char *path = pt_asprintf("%s/%s", pt_test_dir(), name);
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(p, 1, len, f) == len && !fclose(f));
	return path;
}

static struct pt_buf read_file(const char *path)
{
	struct pt_buf b = PT_BUF_INIT;
	FILE *f = fopen(path, "r");
	size_t n;

	CHECK(f != NULL);
	do {
		pt_buf_grow(&b, 4096);
		n = fread(b.data + b.len, 1, 4096, f);
		b.len += n;
	} while (n);
	fclose(f);
	return b;
}

/* Opens bytes as a module's file; whether they were. */
static bool opens(const void *p, size_t len)
{
	char *path = copy(p, len, "m.ko");
	char *name;
	struct pt_object *o;
	struct pt_section s;
	bool good;
	int fd = open(path, O_RDONLY);

	good = pt_module_is(fd) && pt_module_open(&o, &name, fd, path, NULL) == 0;
	if (good) {
		CHECK(*name);
		pt_object_section(o, ".debug_info", &s);
		pt_object_put(o);
		free(name);
	}
	free(path);
	return good;
}

TEST(damaged)
{
	static const char *const files[] = { "step.ko", "sections.ko", "step.ko.xz", "step.ko.gz", "step.ko.zst" };

	for (size_t i = 0; i < PT_NR(files); i++) {
		struct pt_buf b = read_file(data(files[i]));
		char *bytes = b.data;

		CHECK(opens(bytes, b.len));
		CHECK(!opens(bytes, b.len / 2));
		for (size_t at = 0; at < b.len; at += b.len / 40 + 1) {
			char was = bytes[at];

			bytes[at] ^= (char)(at | 0x80);
			opens(bytes, b.len);
			bytes[at] = was;
		}
		free(bytes);
	}
}

/* No fields of a section header lead out of the file. */
TEST(hostile_headers)
{
	struct pt_buf b = read_file(data("step.ko"));
	uint64_t shoff;

	memcpy(&shoff, b.data + 40, sizeof(shoff));
	for (size_t i = 1; i < (b.len - shoff) / 64; i++)
		for (size_t field = 8; field < 64; field += 8) {
			char was[8];

			memcpy(was, b.data + shoff + i * 64 + field, 8);
			memset(b.data + shoff + i * 64 + field, field % 16 ? 0xff : 0x7f, 8);
			opens(b.data, b.len);
			memcpy(b.data + shoff + i * 64 + field, was, 8);
		}
	free(b.data);
}

static void put(const char *name, const void *text, size_t len)
{
	char *path = pt_asprintf("%s/%s", pt_test_dir(), name);

	for (char *p = path + strlen(pt_test_dir()) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	free(path);
	free(copy(text, len, name));
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

/* A note with a build-id. */
static void put_id(const char *name, const char *id)
{
	uint32_t note[3 + 1 + 5] = { 4, 20, NT_GNU_BUILD_ID, 0 };

	memcpy(note + 3, "GNU", 4);
	memcpy(note + 4, id, 20);
	put(name, note, sizeof(note));
}

static void finds(const char *module, const char *symfs, const char *want)
{
	struct pt_image_where w = { .root = pt_test_dir(), .symfs = symfs };
	struct pt_err e = PT_ERR_INIT;
	char *path = pt_image_find(&w, module, &e);

	if (*want == '!')
		CHECK_HAS(path ? path : e.msg, want + 1);
	else
		CHECK_STR(path ? path + strlen(pt_test_dir()) : e.msg, want);
	free(path);
}

TEST(images)
{
	struct pt_buf b = read_file(data("step.ko"));
	char *symfs = pt_asprintf("%s/sym", pt_test_dir()), *list = pt_asprintf("%s/var/lib/dpkg/info/linux-image-6.1.0-x.list", pt_test_dir());

	finds(NULL, NULL, "!is not here; name a file that has it");
	put_text("proc/sys/kernel/osrelease", "6.1.0-x\n");
	put_text("var/lib/dpkg/info/linux-image-6.1.0-x.list", "");
	finds(NULL, NULL, "!; install linux-image-6.1.0-x-dbg (Ubuntu: -dbgsym), or name a file that has it (of a kernel built with CONFIG_DEBUG_INFO): -k VMLINUX");
	CHECK_INT(unlink(list), 0);
	put_text("lib/modules/6.1.0-x/vmlinuz", "");
	finds(NULL, NULL, "!; `dnf debuginfo-install kernel-6.1.0-x`, or name");
	put_text("boot/vmlinux-6.1.0-x", "no ELF file");
	finds(NULL, NULL, "!is not here");
	/* what has debug information and no build-id is believed */
	put("usr/lib/debug/boot/vmlinux-6.1.0-x", b.data, b.len);
	finds(NULL, NULL, "/usr/lib/debug/boot/vmlinux-6.1.0-x");
	put("sym/lib/modules/6.1.0-x/build/vmlinux", b.data, b.len);
	finds(NULL, symfs, "/sym/lib/modules/6.1.0-x/build/vmlinux");

	finds("step_it", NULL, "!the module step_it has no debug information here");
	finds("a/b", NULL, "!no name of a module");
	put("lib/modules/6.1.0-x/kernel/net/step-it.ko.xz", b.data, b.len);
	finds("step_it", NULL, "/lib/modules/6.1.0-x/kernel/net/step-it.ko.xz");
	finds("step", NULL, "!no debug information");
	put("usr/lib/debug/lib/modules/6.1.0-x/kernel/net/step-it.ko.debug", b.data, b.len);
	finds("step_it", NULL, "/usr/lib/debug/lib/modules/6.1.0-x/kernel/net/step-it.ko.debug");
	free(list);
	free(symfs);
	free(b.data);
}

/* The build-id decides. */
TEST(other_builds)
{
	struct pt_buf b = read_file("/proc/self/exe");
	struct pt_object *self;
	struct pt_section s;

	CHECK_INT(pt_object_open(&self, "/proc/self/exe", NULL), 0);
	if (self->build_id.len != 20 || !pt_object_section(self, ".debug_info", &s)) {
		pt_object_put(self);
		free(b.data);
		SKIP("this program has no build-id of 20 bytes, or no debug information");
	}
	put_text("proc/sys/kernel/osrelease", "6.1.0-x\n");
	put("boot/vmlinux-6.1.0-x", b.data, b.len);
	put_id("sys/kernel/notes", (const char *)self->build_id.bytes);
	finds(NULL, NULL, "/boot/vmlinux-6.1.0-x");
	put_id("sys/kernel/notes", "another build's ident");
	finds(NULL, NULL, "!boot/vmlinux-6.1.0-x is of another build)");
	pt_object_put(self);
	free(b.data);
}

TEST(files_and_names)
{
	CHECK(pt_image_is_file("./x"));
	CHECK(pt_image_is_file("dummy.ko"));
	CHECK(pt_image_is_file("dummy.ko.zst"));
	CHECK(!pt_image_is_file("dummy"));
	CHECK(!pt_image_is_file("a.kon"));
}
