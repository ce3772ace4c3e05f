/* stack/frames_kernel.c: names of kernel addresses by hand-made recordings: of the recorded kernel, wherever it lay, and of no other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/ksyms.h"
#include "base/mem.h"
#include "elf/object.h"
#include "rec.h"
#include "test.h"
#include "stack/frames.h"

enum { BUILD_ID = 2, HOSTNAME = 3, OS_RELEASE = 4 };

static const char symbols[] =
	"ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000000 T startup\nffffffff81000100 T schedule\nffffffff81200000 T _etext\n"
	"ffffffff81300000 T _sinittext\nffffffff81310000 T _einittext\n"
	"ffffffffc0000000 t ext4_init\t[snd_ext4]\nffffffffc0000100 t ext4_read\t[snd_ext4]\nffffffffc0010000 t xfs_read\t[xfs]\n"
	"ffffffffc0020000 t bpf_prog_0123456789abcdef_old\t[bpf]\n";

struct recording {
	struct rec d;
	struct rec sec[3];
	size_t nr_sec;
	unsigned numbers[3];
};

static void map(struct recording *r, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
{
	rec_begin(&r->d, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	rec_u32(&r->d, ~0u), rec_u32(&r->d, 0), rec_u64s(&r->d, 3, (const uint64_t[]){ addr, len, pgoff }), rec_str(&r->d, name);
	rec_end(&r->d);
}

static void ksymbol(struct recording *r, uint64_t addr, uint32_t len, uint16_t flags, const char *name)
{
	rec_begin(&r->d, PERF_RECORD_KSYMBOL, 0);
	rec_u64(&r->d, addr), rec_u32(&r->d, len), rec_u16(&r->d, 1), rec_u16(&r->d, flags), rec_str(&r->d, name);
	rec_end(&r->d);
}

static void text_section(struct recording *r, unsigned number, const char *s)
{
	r->numbers[r->nr_sec] = number;
	rec_section_str(&r->sec[r->nr_sec++], s);
}

static void build_id(struct recording *r, const void *id, size_t len, const char *path)
{
	size_t i;

	for (i = 0; i < r->nr_sec && r->numbers[i] != BUILD_ID; i++)
		;
	if (i == r->nr_sec)
		r->numbers[r->nr_sec++] = BUILD_ID;
	rec_begin(&r->sec[i], 67, 0x8000 | 1), rec_u32(&r->sec[i], 0xffffffff), rec_bytes(&r->sec[i], id, len), rec_bytes(&r->sec[i], "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20 - len);
	rec_u8(&r->sec[i], (uint8_t)len), rec_u8(&r->sec[i], 0), rec_u16(&r->sec[i], 0), rec_str(&r->sec[i], path), rec_end(&r->sec[i]);
}

static void sample(struct recording *r, uint64_t addr)
{
	rec_begin(&r->d, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	rec_u64(&r->d, addr), rec_u32(&r->d, 1), rec_u32(&r->d, 1);
	rec_end(&r->d);
}

/* All that was recorded, fed; the places of its samples go to `places`. */
static struct pt_frames *fed_places(struct recording *r, const struct pt_frames_opts *o, const struct pt_place_at **places, size_t *nr)
{
	static const struct rec_event ev = { .attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(struct pt_attr), .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID } };
	struct pt_frames *f = pt_frames_new(o);
	struct rec_section sec[3];
	struct rec file = REC(false);
	const struct pt_record *rec;
	struct pt_source *s;
	struct pt_err e;
	size_t i;
	int rc;

	for (i = 0; i < r->nr_sec; i++)
		sec[i] = (struct rec_section){ r->numbers[i], &r->sec[i].b };
	rec_file(&file, &ev, 1, &r->d, sec, r->nr_sec);
	s = rec_open(&file);
	while ((rc = pt_source_next(s, &rec, &e)) > 0) {
		pt_frames_feed(f, s, rec);
		if (places && rec->type == PERF_RECORD_SAMPLE)
			places[(*nr)++] = pt_frames_place(f, 1, true, rec->sample.ip, UINT64_MAX);
	}
	if (rc < 0)
		FAIL("%s", e.msg);
	pt_source_free(s);
	rec_free(&file);
	rec_free(&r->d);
	for (i = 0; i < r->nr_sec; i++)
		rec_free(&r->sec[i]);
	*r = (struct recording){ .nr_sec = 0 };
	return f;
}

static struct pt_frames *fed(struct recording *r, const struct pt_frames_opts *o)
{
	return fed_places(r, o, NULL, NULL);
}

/* "NAME+0xOFF (MODULE)", "-" without a name. */
static const char *name_of(struct pt_frames *f, const struct pt_place_at *at)
{
	static char text[300];
	const struct pt_named_frame *x;

	if (pt_frames_name(f, at, &x) != 1 || !x->name)
		return "-";
	snprintf(text, sizeof(text), "%s+0x%llx (%s)", x->name, (unsigned long long)x->offset, x->module);
	return text;
}

static const char *name_at(struct pt_frames *f, uint64_t addr)
{
	return name_of(f, pt_frames_place(f, 1, true, addr, UINT64_MAX));
}

static const char *file(const char *name, const char *text)
{
	static char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	return path;
}

TEST(kallsyms_of_the_recorded_boot)
{
	struct recording r = { .nr_sec = 0 };
	struct pt_frames *f;

	map(&r, 0xffffffff81000000, 0x200000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	map(&r, 0xffffffffc0000000, 0x8000, 0, "/lib/modules/6.1/kernel/sound/snd-ext4.ko.xz");
	map(&r, 0xffffffffc0010000, 0x8000, 0, "[ceph]");
	ksymbol(&r, 0xffffffffc0030000, 0x100, 0, "bpf_prog_aaaaaaaaaaaaaaaa_gone");
	ksymbol(&r, 0xffffffffc0030000, 0x100, 1, "bpf_prog_aaaaaaaaaaaaaaaa_gone");
	ksymbol(&r, 0xffffffffc0020000, 0x100, 0, "bpf_prog_dddddddddddddddd_before");
	ksymbol(&r, 0xffffffffc0020000, 0x100, 1, "bpf_prog_dddddddddddddddd_before");
	ksymbol(&r, 0xffffffffc0040000, 0x100, 0, "bpf_prog_bbbbbbbbbbbbbbbb_first");
	ksymbol(&r, 0xffffffffc0040080, 0x100, 0, "bpf_prog_cccccccccccccccc_second");
	f = fed(&r, &(struct pt_frames_opts){ .kallsyms = file("kallsyms", symbols) });
	CHECK_STR(name_at(f, 0xffffffff81000150), "schedule+0x50 ([kernel.kallsyms])");
	CHECK_STR(name_at(f, 0xffffffff81000010), "startup+0x10 ([kernel.kallsyms])");
	CHECK_STR(name_at(f, 0xffffffffc0000110), "ext4_read+0x10 ([snd_ext4])");
	CHECK_STR(name_at(f, 0xffffffffc0010010), "-");		/* another module was there when it was recorded */
	CHECK_STR(name_at(f, 0xffffffffc0020010), "bpf_prog_0123456789abcdef_old+0x10 ([bpf])");
	CHECK_STR(name_at(f, 0xffffffffc0030010), "bpf_prog_aaaaaaaaaaaaaaaa_gone+0x10 (bpf_prog_aaaaaaaaaaaaaaaa_gone)");	/* there when it was recorded */
	CHECK_STR(name_at(f, 0xffffffffc0020050), "bpf_prog_0123456789abcdef_old+0x50 ([bpf])");	/* gone, and something else came */
	CHECK_STR(name_at(f, 0xffffffffc0040010), "-");		/* what is laid over it takes all of its place */
	CHECK_STR(name_at(f, 0xffffffffc0040090), "bpf_prog_cccccccccccccccc_second+0x10 (bpf_prog_cccccccccccccccc_second)");
	CHECK(!pt_frames_counts(f).no_kernel_names);
	pt_frames_free(f);
}

/* What is loaded where another program was unloaded has its address, and names no sample of that one's; asked for at the end, too. */
TEST(programs_by_time)
{
	static const struct { uint64_t addr; uint32_t len; bool gone; const char *name; } told[] = {	/* len 0: a sample, and what it is named by the end */
		{ 0xffffffffc0050010, 0, false, "old+0x10 (old)" },		/* was there already, as is told when it goes */
		{ 0xffffffffc0050000, 0x100, true, "old" },
		{ 0xffffffffc0050010, 0, false, "old+0x10 (old)" },		/* a CPU was in it still */
		{ 0xffffffffc0050000, 0x100, false, "a" },
		{ 0xffffffffc0050010, 0, false, "a+0x10 (a)" },
		{ 0xffffffffc0050000, 0x100, true, "a" },
		{ 0xffffffffc0050010, 0, false, "a+0x10 (a)" },
		{ 0xffffffffc0050000, 0x200, false, "b" },
		{ 0xffffffffc0050010, 0, false, "b+0x10 (b)" },
		{ 0xffffffffc0050200, 0x100, false, "c" },
		{ 0xffffffffc0050210, 0, false, "c+0x10 (c)" },
		{ 0xffffffffc0050080, 0x20, false, "d" },
		{ 0xffffffffc0050090, 0, false, "d+0x10 (d)" },
		{ 0xffffffffc0050110, 0, false, "-" },				/* of `b` nothing is left */
		{ 0xffffffffc0050210, 0, false, "c+0x10 (c)" },
		{ 0xffffffffc0020010, 0, false, "bpf_prog_0123456789abcdef_old+0x10 ([bpf])" },
	};
	struct recording r = { .nr_sec = 0 };
	const struct pt_place_at *places[PT_NR(told)];
	struct pt_frames *f;
	size_t i, nr, k;

	map(&r, 0xffffffff81000000, 0x200000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	for (i = 0; i < PT_NR(told); i++) {
		if (told[i].len)
			ksymbol(&r, told[i].addr, told[i].len, told[i].gone, told[i].name);
		else
			sample(&r, told[i].addr);
	}
	nr = k = 0;
	f = fed_places(&r, &(struct pt_frames_opts){ .kallsyms = file("kallsyms", symbols) }, places, &nr);
	for (i = 0; i < PT_NR(told); i++)
		if (!told[i].len)
			CHECK_STR(name_of(f, places[k++]), told[i].name);
	CHECK_INT(k, nr);
	pt_frames_free(f);
}

/* Of another boot: the kernel as a whole lay elsewhere; where modules lay nobody knows. */
TEST(kallsyms_of_another_boot)
{
	struct recording r = { .nr_sec = 0 };
	struct pt_frames *f;

	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_stext");
	map(&r, 0xffffffffc0000000, 0x8000, 0, "[snd_ext4]");
	f = fed(&r, &(struct pt_frames_opts){ .kallsyms = file("kallsyms", symbols) });
	CHECK_STR(name_at(f, 0xffffffff9b000150), "schedule+0x50 ([kernel.kallsyms])");
	CHECK_STR(name_at(f, 0xffffffff81000150), "-");
	CHECK_STR(name_at(f, 0xffffffffc0000110), "-");
	CHECK_STR(name_at(f, 0xffffffffc0000110 + 0x1a000000), "-");
	pt_frames_free(f);

	map(&r, 0xffffffff81000000, 0x200000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	f = fed(&r, &(struct pt_frames_opts){ .kallsyms = file("hidden", "0000000000000000 T _text\n0000000000000000 T schedule\n") });
	CHECK_STR(name_at(f, 0xffffffff81000150), "-");
	CHECK_HAS(pt_frames_counts(f).no_kernel_names, "--kallsyms given has no symbols");
	pt_frames_free(f);
}

static const char *module_at(struct pt_frames *f, uint64_t addr)
{
	const struct pt_named_frame *x;

	CHECK_INT(pt_frames_name(f, pt_frames_place(f, 1, true, addr, UINT64_MAX), &x), 1);
	CHECK(!x->name);
	return x->module;
}

/* Of another machine: no symbols, but the recording says which module is where. */
TEST(modules_of_a_foreign_kernel)
{
	struct recording r = { .nr_sec = 0 };
	struct pt_frames *f;

	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	map(&r, 0xffffffffc0400000, 0x8000, 0, "/lib/modules/5.4.0/kernel/drivers/net/wireless/ath/ath9k/ath9k.ko");
	map(&r, 0xffffffffc0500000, 0x8000, 0, "[i915]");
	build_id(&r, "a kernel of elsewhere", 20, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .live = false });
	CHECK_STR(module_at(f, 0xffffffffc0400010), "[ath9k]");
	CHECK_STR(module_at(f, 0xffffffffc0507fff), "[i915]");
	CHECK_STR(module_at(f, 0xffffffffc0508000), "[kernel.kallsyms]");
	CHECK_STR(module_at(f, 0xffffffff9b000150), "[kernel.kallsyms]");
	pt_frames_free(f);
}

/* A kernel's ELF file; _text is the lesser of two names at its address. */
static const char *make_vmlinux(struct pt_build_id *id)
{
	static char path[300];
	char cmd[900];
	struct pt_object *o;
	FILE *f;

	snprintf(path, sizeof(path), "%s/v.s", pt_test_dir());
	f = fopen(path, "w");
	fputs("\t.text\n\t.globl _text, startup_long\n_text:\nstartup_long:\n\t.skip 64\n\t.type schedule, @function\nschedule:\n\t.skip 64\n\t.size schedule, 64\n", f);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cd %s && gcc -nostdlib -static -no-pie -Wl,--build-id,-Ttext=0x1000000,-e,_text -o vmlinux v.s 2>/dev/null", pt_test_dir());
	if (system(cmd))
		SKIP("no assembler");
	snprintf(path, sizeof(path), "%s/vmlinux", pt_test_dir());
	CHECK(pt_object_open(&o, path, NULL) == 0);
	*id = o->build_id;
	pt_object_put(o);
	return path;
}

TEST(vmlinux_lies_where_it_was_recorded)
{
	struct recording r = { .nr_sec = 0 };
	struct pt_build_id id;
	const char *path = make_vmlinux(&id);
	struct pt_frames *f;

	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	build_id(&r, id.bytes, id.len, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .vmlinux = path });
	CHECK_STR(name_at(f, 0xffffffff9b000000 + 80), "schedule+0x10 ([kernel.kallsyms])");
	CHECK_STR(name_at(f, 0xffffffff9b000004), "startup_long+0x4 ([kernel.kallsyms])");
	CHECK_STR(name_at(f, 0xffffffffc0000110), "-");
	pt_frames_free(f);

	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	build_id(&r, "another build of it.", 20, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .vmlinux = path });
	CHECK_STR(name_at(f, 0xffffffff9b000000 + 80), "-");
	CHECK_HAS(pt_frames_counts(f).no_kernel_names, "--vmlinux given is of another build");
	pt_frames_free(f);
}

/* perf's copies of kallsyms, by build-id. */
TEST(kept_by_perf)
{
	struct recording r = { .nr_sec = 0 };
	char dir[300], cmd[700], path[400], *was = pt_strdup(getenv("HOME"));
	struct pt_frames *f;

	snprintf(dir, sizeof(dir), "%s/home", pt_test_dir());
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/.debug/.build-id/61/62636465666768", dir);
	CHECK(system(cmd) == 0);
	snprintf(path, sizeof(path), "home/.debug/.build-id/61/62636465666768/kallsyms");
	file(path, symbols);
	setenv("HOME", dir, 1);
	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	build_id(&r, "abcdefgh", 8, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .live = false });
	CHECK_STR(name_at(f, 0xffffffff9b000150), "schedule+0x50 ([kernel.kallsyms])");
	CHECK(!pt_frames_counts(f).no_kernel_names);
	pt_frames_free(f);

	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	build_id(&r, "abcdefgx", 8, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .live = false });
	CHECK_STR(name_at(f, 0xffffffff9b000150), "-");
	CHECK_HAS(pt_frames_counts(f).no_kernel_names, "not the one that runs here");
	pt_frames_free(f);

	strcat(dir, "/.debug");
	setenv("HOME", "/nowhere", 1);
	setenv("PERF_BUILDID_DIR", dir, 1);
	map(&r, 0xffffffff9b000000, 0x200000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	build_id(&r, "abcdefgh", 8, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .live = false });
	CHECK_STR(name_at(f, 0xffffffff9b000150), "schedule+0x50 ([kernel.kallsyms])");
	pt_frames_free(f);
	unsetenv("PERF_BUILDID_DIR");
	if (was)
		setenv("HOME", was, 1);
	else
		unsetenv("HOME");
	free(was);
}

/* ---- the kernel that runs ---- */

static struct pt_ksyms *local(struct pt_ksym *some)
{
	struct pt_ksyms *k = pt_ksyms_local(NULL);

	if (!pt_ksyms_visible(k) || !pt_ksyms_text(k, "_text") || !pt_ksyms_find(k, pt_ksyms_text(k, "_text") + 0x100000, some) || some->end - some->addr < 2)
		SKIP("kernel addresses cannot be seen here");
	return k;
}

TEST(this_kernel)
{
	struct recording r = { .nr_sec = 0 };
	struct pt_ksym some;
	struct pt_ksyms *k = local(&some);
	uint64_t text = pt_ksyms_text(k, "_text");
	struct pt_build_id id;
	char want[300];
	struct utsname u;
	struct pt_frames *f;
	int moved;

	snprintf(want, sizeof(want), "%s+0x1 ([kernel.kallsyms])", some.name);
	if (!pt_build_id_of_kernel("", NULL, &id))
		SKIP("this kernel has no build-id");
	for (moved = 0; moved < 2; moved++) {	/* this boot, and another one */
		uint64_t by = moved ? 0x1200000 : 0;

		map(&r, text + by, 0x1000000, text + by, "[kernel.kallsyms]_text");
		build_id(&r, id.bytes, id.len, "[kernel.kallsyms]");
		f = fed(&r, &(struct pt_frames_opts){ .live = false });
		CHECK_STR(name_at(f, some.addr + by + 1), want);
		CHECK(!pt_frames_counts(f).no_kernel_names);
		pt_frames_free(f);
	}
	map(&r, text, 0x1000000, text, "[kernel.kallsyms]_text");
	id.bytes[3] ^= 1;
	build_id(&r, id.bytes, id.len, "[kernel.kallsyms]");
	f = fed(&r, &(struct pt_frames_opts){ .live = false });
	CHECK_STR(name_at(f, some.addr + 1), "-");
	CHECK_HAS(pt_frames_counts(f).no_kernel_names, "not the one that runs here");
	pt_frames_free(f);

	/* Without a build-id: this machine, this release, this place, or nothing. */
	uname(&u);
	for (moved = 0; moved < 3; moved++) {
		uint64_t by = moved == 1 ? 0x1200000 : 0;

		map(&r, text + by, 0x1000000, text + by, "[kernel.kallsyms]_text");
		text_section(&r, HOSTNAME, moved == 2 ? "elsewhere.example" : u.nodename);
		text_section(&r, OS_RELEASE, u.release);
		f = fed(&r, &(struct pt_frames_opts){ .live = false });
		CHECK_STR(name_at(f, some.addr + by + 1), moved ? "-" : want);
		if (moved)
			CHECK_HAS(pt_frames_counts(f).no_kernel_names, moved == 1 ? "rebooted" : "not the one that runs here");
		pt_frames_free(f);
	}

	/* Nothing is said at all. */
	f = fed(&r, &(struct pt_frames_opts){ .live = false });
	CHECK_STR(name_at(f, some.addr + 1), "-");
	CHECK_HAS(pt_frames_counts(f).no_kernel_names, "does not say which kernel");
	pt_frames_free(f);

	/* A live session needs no proof. */
	f = pt_frames_new(&(struct pt_frames_opts){ .live = true });
	CHECK_STR(name_at(f, some.addr + 1), want);
	pt_frames_free(f);
	pt_ksyms_free(k);
}
