/* base/ksyms.c and sort16.c: lines of kallsyms by hand, hostile ones, and this kernel's own: the kept table says what /proc/kallsyms says. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diskcache.h"
#include "base/ksyms.h"
#include "base/mem.h"
#include "base/sort16.h"
#include "test.h"

static struct pt_ksyms *of(const char *text)
{
	return pt_ksyms_of_text(pt_memdup(text, strlen(text)), strlen(text));
}

/* "NAME", "NAME[module]" or "" of an address. */
static const char *name_at(struct pt_ksyms *k, uint64_t addr)
{
	static char text[256];
	struct pt_ksym s;

	if (!pt_ksyms_find(k, addr, &s))
		return "";
	snprintf(text, sizeof(text), "%s%s", s.name, s.module ? s.module : "");
	return text;
}

TEST(lines_are_read)
{
	struct pt_ksyms *k = of("ffffffff81000000 T _text\nffffffff81000000 T startup_64\nffffffff81000100 t local_one\r\nffffffff81000200 D data\n"
				"ffffffff81000300 W weak_one\nffffffff81000300 t strong_one\nffffffff81000400 T __x\nffffffff81000400 T _x\nffffffff81000400 T longer_x\n"
				"ffffffff81000500 r read_only\nffffffff81000600 t $x.1\nffffffff81000700 T _etext\n"
				"ffffffffc0000100 t later\t[ext4]\nffffffffc0000000 t init_it\t[ext4]\nffffffffc0000200 t other\t[xfs]\nffffffffc0008000 t bpf_prog_1\t[bpf]\n"
				"nonsense\n\nffffffffc0000010 t\nC0DE T short_upper\nzz T bad\nffffffff8100000g T bad\n 1 T bad\nffffffffc0009000 t last");

	CHECK(pt_ksyms_visible(k));
	CHECK_STR(name_at(k, 0xffffffff81000050), "startup_64");
	CHECK_STR(name_at(k, 0xffffffff81000150), "local_one");
	CHECK_STR(name_at(k, 0xffffffff81000250), "data");
	CHECK_STR(name_at(k, 0xffffffff81000300), "strong_one");
	CHECK_STR(name_at(k, 0xffffffff81000400), "longer_x");
	CHECK_STR(name_at(k, 0xffffffff81000650), "longer_x");	/* neither read-only data nor mapping symbols are names */
	CHECK_STR(name_at(k, 0xffffffffc0000004), "init_it[ext4]");
	CHECK_STR(name_at(k, 0xffffffffc0000150), "later[ext4]");
	CHECK_STR(name_at(k, 0xffffffffc0000200), "other[xfs]");
	CHECK_STR(name_at(k, 0xffffffffc0008010), "bpf_prog_1[bpf]");
	CHECK_STR(name_at(k, 0xffffffffc0009010), "last");
	CHECK_STR(name_at(k, 0xffffffffc0009fff), "last");
	CHECK_STR(name_at(k, 0xffffffffc000a000), "");
	CHECK_STR(name_at(k, 0xffffffffc0002000), "");		/* a page behind the last of a module it ends */
	CHECK_STR(name_at(k, 0xffffffff81003000), "");
	CHECK_STR(name_at(k, 0xffffffff8100000f), "startup_64");
	CHECK_STR(name_at(k, 0xc0df), "short_upper");
	CHECK_STR(name_at(k, 0xc0dd), "");
	CHECK(pt_ksyms_text(k, "_text") == 0xffffffff81000000 && pt_ksyms_text(k, "_etext") == 0xffffffff81000700 && !pt_ksyms_text(k, "_stext") &&
	      !pt_ksyms_text(k, "nobody"));
	CHECK(pt_ksyms_is_core(k, 0xffffffff81000000) && pt_ksyms_is_core(k, 0xffffffff810006ff) && !pt_ksyms_is_core(k, 0xffffffff81000700) &&
	      !pt_ksyms_is_core(k, 0xffffffffc0000000));
	pt_ksyms_free(k);
}

TEST(hidden_addresses_are_none)
{
	struct pt_ksyms *k = of("0000000000000000 T _text\n0000000000000000 t a\n"), *none = of(""), *garbage = of("\n\n\xff\xff\xff T\t[\n0 1 2\n");

	CHECK(!pt_ksyms_visible(k) && !pt_ksyms_visible(none) && !pt_ksyms_visible(garbage));
	CHECK_STR(name_at(k, 0), "");
	CHECK_STR(name_at(none, 1), "");
	pt_ksyms_free(k);
	pt_ksyms_free(none);
	pt_ksyms_free(garbage);
	CHECK(!pt_ksyms_of_file("/nowhere/kallsyms"));
}

TEST(sorts_as_the_c_library)
{
	enum { MANY = 5000 };
	uint64_t *v = pt_alloc_array(MANY, 16), seed = 1, nr, i, range;

	for (range = 0; range < 4; range++)
		for (nr = 0; nr < MANY; nr = nr * 3 + 1) {
			for (i = 0; i < nr; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				v[2 * i] = range == 0 ? seed : range == 1 ? seed >> 60 : range == 2 ? 0xffffffff81000000u + (seed >> 40) * 8 : nr - i;
				v[2 * i + 1] = i;
			}
			pt_sort16(v, nr);
			for (i = 1; i < nr; i++)
				if (v[2 * i - 2] > v[2 * i] || (v[2 * i - 2] == v[2 * i] && v[2 * i - 1] > v[2 * i + 1]))
					FAIL("%llu items of kind %llu: wrong at %llu", (unsigned long long)nr, (unsigned long long)range, (unsigned long long)i);
		}
	free(v);
}

/* ---- this kernel's ---- */

static struct pt_diskcache *scratch(void)
{
	struct pt_diskcache *keep = pt_diskcache_open_in(pt_test_dir(), 64 << 20);

	CHECK(keep);
	return keep;
}

/* The kept file, of which there is one. */
static bool kept_file(char path[512])
{
	char cmd[256], *end;
	FILE *p;
	bool good;

	snprintf(cmd, sizeof(cmd), "ls %s/kernel-* 2>/dev/null", pt_test_dir());
	p = popen(cmd, "r");
	good = fgets(path, 512, p);
	pclose(p);
	if (good && (end = strchr(path, '\n')))
		*end = '\0';
	return good;
}

static struct pt_ksyms *direct(void)
{
	struct pt_ksyms *k = pt_ksyms_of_file("/proc/kallsyms");

	if (!k || !pt_ksyms_visible(k) || !pt_ksyms_text(k, "_etext"))
		SKIP("kernel addresses cannot be seen here");
	return k;
}

/* At every 997th byte, and around the ends. */
static void same(struct pt_ksyms *a, struct pt_ksyms *b)
{
	uint64_t start = pt_ksyms_text(a, "_text"), end = pt_ksyms_text(a, "_einittext"), addr;
	struct pt_ksym x, y;

	for (addr = start - 2 * 997; addr < end + 2 * 997; addr += 997) {
		bool in_a = pt_ksyms_find(a, addr, &x), in_b = pt_ksyms_find(b, addr, &y);

		if (in_a != in_b || (in_a && (x.addr != y.addr || x.end != y.end || strcmp(x.name, y.name))))
			FAIL("%llx is %s and %s", (unsigned long long)addr, in_a ? x.name : "nothing", in_b ? y.name : "nothing");
	}
}

TEST(kept_says_what_kallsyms_says)
{
	struct pt_ksyms *all = direct(), *first, *second;
	struct pt_diskcache *keep = scratch();
	char path[512];
	struct stat st;

	first = pt_ksyms_local(keep);
	same(all, first);
	pt_ksyms_free(first);
	CHECK(kept_file(path) && stat(path, &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	second = pt_ksyms_local(keep);
	same(all, second);
	pt_ksyms_free(second);
	pt_diskcache_close(keep);
	pt_ksyms_free(all);
}

/* Amid a session what is there is used, and nothing is written. */
TEST(amid_a_session)
{
	struct pt_ksyms *all = direct(), *k;
	char path[512], cmd[600], *was = pt_strdup(getenv("XDG_CACHE_HOME"));
	struct pt_diskcache *keep;
	struct pt_ksym s;

	setenv("XDG_CACHE_HOME", pt_test_dir(), 1);
	k = pt_ksyms_local_amid();
	same(all, k);
	pt_ksyms_free(k);
	snprintf(cmd, sizeof(cmd), "ls %s/pt/* > %s/list 2>/dev/null", pt_test_dir(), pt_test_dir());
	CHECK(system(cmd) != 0);
	keep = pt_diskcache_open();
	k = pt_ksyms_local(keep);
	CHECK(pt_ksyms_find(k, pt_ksyms_text(all, "_text"), &s));
	pt_ksyms_free(k);
	pt_diskcache_close(keep);
	CHECK(system(cmd) == 0);
	k = pt_ksyms_local_amid();
	same(all, k);
	pt_ksyms_free(k);
	pt_ksyms_free(all);
	snprintf(path, sizeof(path), "%s", was ? was : "");
	if (was)
		setenv("XDG_CACHE_HOME", path, 1);
	else
		unsetenv("XDG_CACHE_HOME");
	free(was);
}

/* A module that was loaded since, a BPF program: the kept table knows nothing of what lies outside of the kernel itself. */
TEST(what_moves_is_read_as_it_is_now)
{
	struct pt_ksyms *all = direct(), *k;
	struct pt_diskcache *keep = scratch();
	struct pt_ksym x, y;
	char line[512], mod[128];
	unsigned long long addr = 0;
	FILE *f;

	pt_ksyms_find(k = pt_ksyms_local(keep), pt_ksyms_text(all, "_text"), &x);
	pt_ksyms_free(k);
	f = fopen("/proc/kallsyms", "r");
	while (!addr && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %*s %127s", &addr, mod) != 2)
			addr = 0;
	fclose(f);
	k = pt_ksyms_local(keep);
	CHECK(pt_ksyms_find(k, pt_ksyms_text(all, "_text"), &x));
	/* Otherwise a program came meanwhile. */
	if (addr && pt_ksyms_find(all, addr, &x)) {
		CHECK(x.module);
		CHECK(pt_ksyms_find(k, addr, &y) && y.module);
		CHECK_STR(y.name, x.name);
	}
	CHECK(!pt_ksyms_find(k, 0xffffffffffffffff, &x));
	pt_ksyms_free(k);
	pt_diskcache_close(keep);
	pt_ksyms_free(all);
}

/* Of another boot, cut, changed anywhere: read again, and replaced. */
TEST(stale_and_damaged_are_replaced)
{
	static const long at[] = { 70, 1000000, 0, -1 };
	struct pt_ksyms *all = direct(), *k;
	struct pt_diskcache *keep = scratch();
	char path[512];
	struct pt_ksym s;
	struct stat st, now;
	size_t i;
	char byte;
	int fd;

	k = pt_ksyms_local(keep);
	pt_ksyms_find(k, pt_ksyms_text(all, "_text"), &s);
	pt_ksyms_free(k);
	CHECK(kept_file(path) && stat(path, &st) == 0);
	for (i = 0; i < PT_NR(at); i++) {
		fd = open(path, O_RDWR);
		CHECK(fd >= 0);
		if (i == PT_NR(at) / 2) {
			CHECK(ftruncate(fd, 1000) == 0);
		} else {
			off_t off = at[i] < 0 ? st.st_size - 1 : at[i] % st.st_size;

			CHECK(pread(fd, &byte, 1, off) == 1);
			byte ^= 0x10;
			CHECK(pwrite(fd, &byte, 1, off) == 1);
		}
		fstat(fd, &st);
		close(fd);
		k = pt_ksyms_local(keep);
		CHECK(pt_ksyms_find(k, pt_ksyms_text(all, "_etext") - 1, &s));
		CHECK_STR(s.name, (pt_ksyms_find(all, pt_ksyms_text(all, "_etext") - 1, &s), s.name));
		pt_ksyms_free(k);
		CHECK(stat(path, &now) == 0);
		if (now.st_ino == st.st_ino)
			FAIL("damage at %ld was not seen", at[i]);
		st = now;
	}
	pt_diskcache_close(keep);
	pt_ksyms_free(all);
}

/* ---- another kernel, by files ---- */

static const char *root(void)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/root", pt_test_dir());
	return path;
}

static void put(const char *path, const char *text)
{
	char full[600], cmd[700];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root(), path);
	snprintf(cmd, sizeof(cmd), "mkdir -p $(dirname %s)", full);
	CHECK(system(cmd) == 0);
	f = fopen(full, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* The first page, which is compared, is all of the kernel itself. */
#define LINE "ffffffff81000010 t a_name_that_takes_some_room_in_the_first_page_of_this_file\n"
#define LINES LINE LINE LINE LINE LINE LINE LINE LINE
#define PAGE LINES LINES LINES LINES LINES LINES LINES LINES
#define CORE PAGE "0000000000000000 A fixed\n0000000000001000 D per_cpu\nffffffff81000000 T _text\nffffffff81000100 t inside\nffffffff81002000 T _etext\nffffffff81003000 T _einittext\n"
#define EXT4 "ffffffffc0000200 t ext4_last\t[ext4]\nffffffffc0000000 t ext4_init\t[ext4]\nffffffffc0000100 T ext4_read\t[ext4]\nffffffffc0008000 d ext4_data\t[ext4]\n"
#define BPF "ffffffffc0004000 t bpf_prog_1\t[bpf]\nffffffffc0004100 t bpf_prog_2\t[bpf]\nffffffffc0006000 t ftrace_trampoline\t[__builtin__ftrace]\n"
#define MODULES "ext4 65536 1 - Live 0xffffffffc0000000\n"

/* The name at an address as a new run sees it. */
static const char *now(struct pt_diskcache *keep, uint64_t addr)
{
	struct pt_ksyms *k = pt_ksyms_local_at(root(), keep);
	static char text[256];

	snprintf(text, sizeof(text), "%s", name_at(k, addr));
	pt_ksyms_free(k);
	return text;
}

static void booted(const char *boot)
{
	char text[64];

	snprintf(text, sizeof(text), "00000000-1111-2222-3333-44444444444%s\n", boot);
	put("/proc/sys/kernel/random/boot_id", text);
	put("/sys/kernel/notes", "notes of this build");
}

TEST(modules_come_and_go)
{
	struct pt_diskcache *keep = scratch();

	booted("4");
	put("/proc/kallsyms", CORE EXT4 BPF);
	put("/proc/modules", MODULES);
	put("/sys/module/ext4/notes/.note.gnu.build-id", "first build");
	CHECK_STR(now(keep, 0xffffffffc0000110), "ext4_read[ext4]");
	CHECK_STR(now(keep, 0xffffffff81000110), "inside");
	/* From now on kallsyms tells other names: where one comes from shows what was read. */
	put("/proc/kallsyms", CORE "ffffffffc0000000 t new_init\t[ext4]\nffffffffc0000100 t new_read\t[ext4]\nffffffffc0000200 t new_last\t[ext4]\n"
				   "ffffffffc0004000 t bpf_prog_3\t[bpf]\nffffffffc0006000 t kprobe_insn_page\t[__builtin__kprobes]\n");
	CHECK_STR(now(keep, 0xffffffffc0000110), "ext4_read[ext4]");
	put("/proc/modules", "ext4 65536 7 xfs, Live 0xffffffffc0000000\n");		/* a user more of the module changes nothing */
	CHECK_STR(now(keep, 0xffffffffc0000110), "ext4_read[ext4]");
	CHECK_STR(now(keep, 0xffffffffc0000210), "new_last[ext4]");		/* the module's last function: where it ends nobody knows */
	CHECK_STR(now(keep, 0xffffffffc0004110), "bpf_prog_3[bpf]");
	CHECK_STR(now(keep, 0xffffffffc0006010), "kprobe_insn_page[__builtin__kprobes]");
	CHECK_STR(now(NULL, 0xffffffffc0000110), "new_read[ext4]");
	/* Another module, another build, another boot: read again. */
	put("/proc/modules", MODULES "xfs 4096 0 - Live 0xffffffffc0100000\n");
	CHECK_STR(now(keep, 0xffffffffc0000110), "new_read[ext4]");
	put("/proc/kallsyms", CORE EXT4);
	CHECK_STR(now(keep, 0xffffffffc0000110), "new_read[ext4]");
	put("/sys/module/ext4/notes/.note.gnu.build-id", "second build");
	CHECK_STR(now(keep, 0xffffffffc0000110), "ext4_read[ext4]");
	put("/proc/kallsyms", CORE);
	put("/proc/modules", "");
	CHECK_STR(now(keep, 0xffffffffc0000110), "");
	booted("5");
	CHECK_STR(now(keep, 0xffffffffc0000110), "");
	put("/proc/modules", "ext4 65536 1 - Live 0x0000000000000000\n");
	CHECK_STR(now(keep, 0xffffffffc0000110), "");
	pt_diskcache_close(keep);
}

/* What one user may see is not given to who may not; another boot is another kernel. */
TEST(kept_core_is_of_this_boot)
{
	struct pt_diskcache *keep = scratch();

	booted("4");
	put("/proc/kallsyms", CORE);
	CHECK_STR(now(keep, 0xffffffff81000110), "inside");
	put("/proc/kallsyms", "0000000000000000 A fixed\n0000000000000000 T _text\n0000000000000000 t inside\n");
	CHECK_STR(now(keep, 0xffffffff81000110), "");
	put("/proc/kallsyms", CORE);
	CHECK_STR(now(keep, 0xffffffff81000110), "inside");
	/* The first page is compared, what follows it is the same kernel's by boot id and build-id. */
	put("/proc/kallsyms", CORE "ffffffff81000100 T another\n");
	CHECK_STR(now(keep, 0xffffffff81000110), "inside");
	booted("6");
	put("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81000100 t other\nffffffff81002000 T _etext\n");
	CHECK_STR(now(keep, 0xffffffff81000110), "other");
	put("/sys/kernel/notes", "notes of another build");
	put("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81000100 t third\nffffffff81002000 T _etext\n");
	CHECK_STR(now(keep, 0xffffffff81000110), "third");
	pt_diskcache_close(keep);
}

TEST(names_with_common_ends)
{
	struct pt_ksyms *k = of("0000000000001000 t __pfx_first\n0000000000001010 t first\n0000000000001020 t __pfx_second\n0000000000001030 t first\n"
				"0000000000001040 t second\n0000000000001050 t __pfx_\n0000000000001060 t third\n0000000000001070 t __pfx_third\n"
				"0000000000001080 t hird\n0000000000001090 T __pfx_last\t[m]\n00000000000010a0 T last\t[m]\n00000000000010b0 T m]\t[m]\n");
	static const char *const names[] = { "__pfx_first", "first", "__pfx_second", "first", "second", "__pfx_", "third", "__pfx_third", "hird", "__pfx_last[m]",
					     "last[m]", "m][m]" };
	uint64_t i;

	for (i = 0; i < PT_NR(names); i++)
		CHECK_STR(name_at(k, 0x1000 + 0x10 * i + 5), names[i]);
	pt_ksyms_free(k);
}

/* Pieces end amid lines, of all lengths, wherever that is; what is kept of it is the same. */
/* Longer than a piece: no symbol, and those behind it are read. */
TEST(a_line_without_end)
{
	struct pt_buf text = PT_BUF_INIT;
	struct pt_ksyms *k;
	char path[600];

	pt_buf_puts(&text, "ffffffff81000000 T _text\n");
	for (int i = 0; i < 200000; i++)
		pt_buf_putc(&text, 'x');
	pt_buf_puts(&text, "\nffffffff81000100 t behind\nffffffff82000000 T _etext\n");
	put("/proc/kallsyms", pt_buf_str(&text));
	snprintf(path, sizeof(path), "%s/proc/kallsyms", root());
	k = pt_ksyms_of_file(path);
	CHECK_STR(name_at(k, 0xffffffff81000110), "behind");
	CHECK_STR(name_at(k, 0xffffffff81000010), "_text");
	pt_ksyms_free(k);
	pt_buf_deinit(&text);
}

TEST(a_file_in_pieces)
{
	enum { LINES_OF_IT = 20000, BASE = 0x1000000 };
	struct pt_diskcache *keep = scratch();
	struct pt_ksyms *whole, *file, *kept;
	struct pt_buf text = PT_BUF_INIT;
	char path[600];
	uint64_t i;

	for (i = 0; i < LINES_OF_IT; i++) {
		const char *fixed = i == 0 ? "_text" : i == LINES_OF_IT - 10 ? "_etext" : NULL;

		if (i == 5000)
			pt_buf_printf(&text, "%016llx t alien\t[alien]\n", (unsigned long long)(BASE + 32 * i - 16));
		if (fixed)
			pt_buf_printf(&text, "%016llx T %s\n", (unsigned long long)(BASE + 32 * i), fixed);
		else
			pt_buf_printf(&text, "%016llx t %s%.*s_%llu\n", (unsigned long long)(BASE + 32 * i), i % 3 ? "" : "__pfx_", (int)(i % 61),
				      "a_name_of_any_length_from_none_to_as_many_letters_as_it_takes", (unsigned long long)(i / 3));
	}
	booted("7");
	put("/proc/modules", "");
	put("/proc/kallsyms", text.data);
	snprintf(path, sizeof(path), "%s/proc/kallsyms", root());
	file = pt_ksyms_of_file(path);
	whole = pt_ksyms_of_text(pt_memdup(text.data, text.len), text.len);
	now(keep, BASE);
	text.data[4096] = '\0';
	put("/proc/kallsyms", text.data);	/* as much as is compared */
	kept = pt_ksyms_local_at(root(), keep);
	for (i = 0; i < LINES_OF_IT; i++) {
		struct pt_ksym a, b, c;
		uint64_t at = BASE + 32 * i + 7;

		CHECK(pt_ksyms_find(whole, at, &a) && pt_ksyms_find(file, at, &b));
		CHECK(a.addr == BASE + 32 * i && a.addr == b.addr && a.end == b.end && !a.module && !b.module);
		CHECK_STR(a.name, b.name);
		if (i >= LINES_OF_IT - 10)
			continue;
		CHECK(pt_ksyms_find(kept, at, &c) && a.addr == c.addr && !c.module && (c.end == a.end || i == 4999));
		CHECK_STR(a.name, c.name);
	}
	CHECK_STR(name_at(whole, BASE + 32 * 5000 - 1), "alien[alien]");
	pt_ksyms_free(kept);
	pt_ksyms_free(file);
	pt_ksyms_free(whole);
	pt_buf_deinit(&text);
	pt_diskcache_close(keep);
}
