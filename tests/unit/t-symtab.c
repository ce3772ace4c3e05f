/* elf/symtab.c and names.c: against nm(1) on real files, tables that are kept, packed ones, names of C++ and Rust. (Kernel symbols: t-ksyms.c.) */
#include <elf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/choice.h"
#include "base/mem.h"
#include "elf/elfsyms.h"
#include "elf/names.h"
#include "elf/symtab.h"
#include "test.h"

static const char *name_at(const struct pt_symtab *t, uint64_t vaddr)
{
	struct pt_symbol s;

	return pt_symtab_find(t, vaddr, &s) ? s.name : NULL;
}

/* Every function that nm lists with a size is found at its start and at its last byte, under one of the names that nm gives that address. */
static void check_nm(const char *path, const char *options)
{
	char cmd[512], line[8192], type, name[8000];
	unsigned long vaddr, size, n = 0;
	const struct pt_symtab *t;
	struct pt_object *o;
	struct pt_err e;
	FILE *p;

	if (pt_object_open(&o, path, &e) < 0)
		FAIL("%s", e.msg);
	t = pt_symtab_of(o);
	snprintf(cmd, sizeof(cmd), "nm %s -S --defined-only '%s' 2>/dev/null", options, path);
	p = popen(cmd, "r");
	while (fgets(line, sizeof(line), p)) {
		struct pt_symbol a = { .name = NULL }, b;

		if (sscanf(line, "%lx %lx %c %7999s", &vaddr, &size, &type, name) != 4 || !strchr("tTwWi", type) || !size)
			continue;
		if (!vaddr)	/* a weak variable of threads: W as well, at an offset */
			continue;
		if (!pt_symtab_find(t, vaddr, &a) || a.vaddr != vaddr)
			FAIL("%s: %s at %lx: found %s", path, name, vaddr, a.name ? a.name : "nothing");
		if (!pt_symtab_find(t, vaddr + size - 1, &b))
			FAIL("%s: nothing at the end of %s", path, name);
		n++;
	}
	pclose(p);
	pt_object_put(o);
	if (n < 100)
		SKIP("%s has %lu functions only", path, n);
}

TEST(own_symbols_are_nms)
{
	char path[256];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n < 0 ? 0 : n] = '\0';
	check_nm(path, "");
}

TEST(c_library_symbols_are_nms)
{
	const char *path = "/lib/x86_64-linux-gnu/libc.so.6";

	if (access(path, R_OK))
		SKIP("no %s", path);
	check_nm(path, "-D --without-symbol-versions");
}

/* Every stub that objdump names has that name, at its start and at its last byte. Returns how many there are. */
static unsigned check_plt(const char *path, const char *objdump)
{
	char cmd[700], line[8192], name[8000];
	const struct pt_symtab *t;
	struct pt_object *o;
	unsigned long vaddr;
	unsigned n = 0;
	FILE *p;

	if (pt_object_open(&o, path, NULL) < 0)
		return 0;
	t = pt_symtab_of(o);
	snprintf(cmd, sizeof(cmd), "%s -d -j .plt -j .plt.sec -j .plt.got -j .iplt '%s' 2>/dev/null", objdump, path);
	p = popen(cmd, "r");
	while (fgets(line, sizeof(line), p)) {
		size_t len;

		if (sscanf(line, "%lx <%7999[^>]>:", &vaddr, name) != 2 || (len = strlen(name)) < 5 || strcmp(name + len - 4, "@plt"))
			continue;
		if (!name_at(t, vaddr) || strcmp(name_at(t, vaddr), name) || strcmp(name_at(t, vaddr + 7), name))
			FAIL("%s: %lx is %s to objdump, and %s here", path, vaddr, name, name_at(t, vaddr) ? name_at(t, vaddr) : "nothing");
		n++;
	}
	pclose(p);
	pt_object_put(o);
	return n;
}

TEST(plt_of_this_system)
{
	static const char *const paths[] = { "/bin/bash", "/usr/bin/perf", "/usr/bin/gdb", "/usr/bin/git", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
					     "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/clang" };
	unsigned n = 0;
	size_t i;

	if (system("command -v objdump > /dev/null"))
		SKIP("no objdump");
	for (i = 0; i < PT_NR(paths); i++)
		n += check_plt(paths[i], "objdump");
	if (!n)
		SKIP("no program here has a PLT");
}

/* Stubs of every kind: those that linkers make lazily or for full RELRO, with and without marks for branch targets. */
TEST(plt_of_every_kind)
{
	static const struct { const char *how; unsigned least; bool arm64; } kinds[] = {
		{ "gcc -shared -Wl,-z,lazy", 2, false },
		{ "gcc -shared -Wl,-z,now", 2, false },
		{ "gcc -shared -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt", 2, false },
		{ "gcc -shared -Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt", 2, false },
		{ "gcc -no-pie -Wl,-z,now -Wl,-e,f -Wl,--no-as-needed dep.so", 2, false },
		{ "clang -shared -fuse-ld=lld -Wl,-z,now", 2, false },
		{ "clang -shared -fuse-ld=lld -Wl,-z,lazy -fcf-protection=full -Wl,-z,force-ibt", 2, false },
		{ "clang --target=aarch64-linux-gnu -nostdlib -shared -fuse-ld=lld", 2, true },
		{ "clang --target=aarch64-linux-gnu -nostdlib -shared -fuse-ld=lld -mbranch-protection=bti -Wl,-z,force-bti", 2, true },
		{ "clang --target=aarch64-linux-gnu -nostdlib -shared -fuse-ld=lld -mbranch-protection=pac-ret -Wl,-z,pac-plt", 2, true },
	};
	char path[300], cmd[1200];
	unsigned made = 0, n;
	size_t i;
	FILE *f;

	if (system("command -v objdump > /dev/null"))
		SKIP("no objdump");
	snprintf(path, sizeof(path), "%s/plt.c", pt_test_dir());
	f = fopen(path, "w");
	fputs("void alpha(void); void beta(void); void *both(void); extern void *kept; void *kept;\n"
	      "void f(void); void f(void) { alpha(); beta(); both(); kept = (void *)both; both(); }\n"
	      "#ifdef STATIC\nvoid alpha(void) { } void beta(void) { } void *both(void) { return 0; }\n#endif\n", f);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cd %s && gcc -shared -fPIC -nostdlib -DSTATIC -o dep.so plt.c 2>/dev/null", pt_test_dir());
	if (system(cmd))
		SKIP("no compiler");
	snprintf(path, sizeof(path), "%s/plt.so", pt_test_dir());
	for (i = 0; i < PT_NR(kinds); i++) {
		snprintf(cmd, sizeof(cmd), "cd %s && rm -f plt.so && %s -O1 -fPIC -fno-lto -o plt.so plt.c 2>err", pt_test_dir(), kinds[i].how);
		if (system(cmd) || (kinds[i].arm64 && system("command -v llvm-objdump > /dev/null || ls /usr/bin/llvm-objdump-* > /dev/null 2>&1")))
			continue;
		n = check_plt(path, kinds[i].arm64 ? "$(ls /usr/bin/llvm-objdump /usr/bin/llvm-objdump-* 2>/dev/null | head -1)" : "objdump");
		if (n < kinds[i].least)
			FAIL("%s: %u stubs", kinds[i].how, n);
		made++;
	}
	if (!made)
		SKIP("no linker");
}

/* Its stubs call IFUNCs only, are of 8 bytes, and have no name in objdump: named as those of shared files are. */
TEST(plt_of_a_static_program)
{
	const struct pt_symtab *t;
	struct pt_section plt;
	struct pt_object *o;
	char path[300], cmd[800];
	const char *name;
	uint64_t at;

	snprintf(cmd, sizeof(cmd), "cd %s && echo 'unsigned long strlen(const char *); int main(int n, char **v) { return n + (int)strlen(v[0]); }' > s.c && gcc -O1 -static -o static s.c 2>/dev/null",
		 pt_test_dir());
	snprintf(path, sizeof(path), "%s/static", pt_test_dir());
	if (system(cmd) || pt_object_open(&o, path, NULL) < 0)
		SKIP("no static C library");
	if (o->machine != EM_X86_64 || !pt_object_section(o, ".plt", &plt))
		SKIP("no PLT in it");
	t = pt_symtab_of(o);
	for (at = 0; at + 8 <= plt.len_bytes; at += 8) {
		name = name_at(t, plt.vaddr + at + 7);
		if (!name || strncmp(name, "*ABS*+0x", 8) || strcmp(name + strlen(name) - 4, "@plt"))
			FAIL("%lx: %s", plt.vaddr + at, name ? name : "nothing");
	}
	pt_object_put(o);
}

static struct pt_object *object(const char *name)
{
	struct pt_object *o;
	char path[300];
	struct pt_err e;

	snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
	if (pt_object_open(&o, path, &e) < 0)
		FAIL("%s", e.msg);
	return o;
}

/* A library of 60,000 functions, f0 at 16 bytes, two names at f7's address, with its build-id. */
static bool make_library(const char *strip)
{
	char path[300], cmd[1600];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/many.s", pt_test_dir());
	f = fopen(path, "w");
	fprintf(f, "\t.text\n");
	for (i = 0; i < 60000; i++)
		fprintf(f, "\t%s f%d\n\t.type f%d, @function\nf%d:\n%s\t.skip 16\n\t.size f%d, 16\n", i == 77 ? ".globl" : "#", i, i, i,
			i == 7 ? "\t.globl best_of_7\n\t.type best_of_7, @function\nbest_of_7:\n\t.size best_of_7, 16\n" : "", i);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cd %s && gcc -shared -nostdlib -Wl,--build-id -o many.so many.s 2>/dev/null && cp many.so full.so %s", pt_test_dir(), strip);
	return system(cmd) == 0;
}

static uint64_t vaddr_of(const struct pt_symtab *t, const char *name)
{
	uint64_t vaddr = 0;

	if (!pt_symtab_named(t, name, &vaddr))
		FAIL("%s is not there", name);
	return vaddr;
}

static void check_library(const struct pt_symtab *t, uint64_t f0, bool full)
{
	CHECK(pt_symtab_full(t) == full);
	CHECK_STR(name_at(t, f0), "f0");
	CHECK_STR(name_at(t, f0 + 15), "f0");
	CHECK_STR(name_at(t, f0 + 7 * 16), "best_of_7");
	CHECK_STR(name_at(t, f0 + 77 * 16), "f77");
	CHECK_STR(name_at(t, f0 + 59999 * 16 + 15), "f59999");
	CHECK(!name_at(t, f0 + 60000 * 16) && !name_at(t, f0 - 1));
}

/* Packed by xz, as Fedora's programs have them. */
TEST(packed_symbols)
{
	struct pt_object *o;
	uint8_t *packed;
	size_t at = 0;
	uint64_t f0;
	char path[300], cmd[1200];
	FILE *f;

	if (!make_library("&& strip many.so && objcopy --only-keep-debug full.so mini"))
		SKIP("no assembler");
	o = object("full.so");
	f0 = vaddr_of(pt_symtab_of(o), "f0");
	pt_object_put(o);
	o = object("mini");
	packed = pt_alloc(o->file.len_bytes + 4096);
	CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, o->file.data, o->file.len_bytes, packed, &at, o->file.len_bytes + 4096) == LZMA_OK);
	pt_object_put(o);
	snprintf(path, sizeof(path), "%s/mini.xz", pt_test_dir());
	f = fopen(path, "w");
	CHECK(fwrite(packed, 1, at, f) == at && fclose(f) == 0);
	free(packed);
	snprintf(cmd, sizeof(cmd), "cd %s && objcopy --add-section .gnu_debugdata=mini.xz many.so", pt_test_dir());
	CHECK(system(cmd) == 0);
	o = object("many.so");
	check_library(pt_symtab_of(o), f0, false);
	pt_object_put(o);
}

TEST(names_are_demangled)
{
	static const struct { const char *in, *out; } cases[] = {
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_Z3foov.cold", "foo" }, { "_Z3foov@plt", "foo@plt" }, { "_Znwm@@GLIBCXX_3.4", "operator new@@GLIBCXX_3.4" },
		{ "main", NULL }, { "_Z", NULL }, { "", NULL }, { "_ZZZZZ", NULL },
	};
	struct pt_buf b = PT_BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		pt_buf_clear(&b);
		pt_buf_puts(&b, ">");
		if (pt_demangle(cases[i].in, &b) != !!cases[i].out)
			FAIL("%s: %s", cases[i].in, pt_buf_str(&b));
		CHECK_STR(pt_buf_str(&b) + 1, cases[i].out ? cases[i].out : "");
	}
	pt_buf_deinit(&b);
}

TEST(hostile_names_end)
{
	struct pt_buf b = PT_BUF_INIT;
	char name[9000];
	size_t i;

	strcpy(name, "_Z1f");
	for (i = 4; i + 1 < sizeof(name); i++)
		name[i] = 'P';
	name[i] = '\0';
	pt_demangle(name, &b);
	pt_buf_deinit(&b);
}

static void add_substitution(char *s, unsigned nr)
{
	if (nr)
		sprintf(s + strlen(s), "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[nr - 1]);
	else
		strcat(s, "S_");
}

/* A<int>, then A<X, X> of the type before, so many times. A is the substitution `nr`. */
static void add_doubling(char *s, unsigned nr, unsigned times)
{
	unsigned i;

	strcat(s, "1AIiE");
	for (i = 0; i < times; i++) {
		add_substitution(s, nr);
		strcat(s, "I");
		add_substitution(s, nr + 1 + i);
		add_substitution(s, nr + 1 + i);
		strcat(s, "E");
	}
}

/* A reference of Rust to a place in the name, counted from behind _R. */
static void add_back(char *s, unsigned at)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *to = s + strlen(s);

	*to++ = 'B';
	at--;
	if (at >= 62)
		*to++ = digits[at / 62];
	*to++ = digits[at % 62];
	strcpy(to, "_");
}

static void add_times(char *s, const char *what, unsigned times)
{
	while (times--)
		strcat(s, what);
}

static void check_refused(const char *name)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_buf_puts(&b, ">");
	CHECK(!pt_demangle_params(name, &b));
	CHECK_STR(pt_buf_str(&b), ">");
	pt_demangle(name, &b);
	CHECK(b.len <= 65536 + 1);
	pt_buf_deinit(&b);
}

/* Text that doubles with each substitution, of C++ and of Rust: a bound on the text ends it. */
TEST(names_that_double_end)
{
	struct pt_buf b = PT_BUF_INIT;
	unsigned before = 8, i;
	char name[4000];

	strcpy(name, "_Z1f");
	add_doubling(name, 0, 9);
	CHECK(pt_demangle_params(name, &b));
	CHECK(b.len > 4000);
	strcpy(name, "_Z1f");
	add_doubling(name, 0, 33);
	check_refused(name);
	strcpy(name, "_RINvC1a1fh");	/* each tuple holds the one before twice */
	for (i = 0; i < 40; i++) {
		unsigned here = (unsigned)strlen(name) - 2;

		strcat(name, "T");
		add_back(name, before);
		add_back(name, before);
		strcat(name, "E");
		before = here;
	}
	strcat(name, "E");
	check_refused(name);
	pt_buf_deinit(&b);
}

/* Work that doubles with each substitution and prints nothing: the search for an expansion's pack. */
TEST(packs_that_double_end)
{
	char name[4000];

	strcpy(name, "_Z1fIJEEvM1XI");
	add_doubling(name, 2, 32);
	strcat(name, "E1YIDpSX_E");
	check_refused(name);
}

/* Arguments of template parameters that are parsed twice each, within a conversion operator. */
TEST(conversions_that_double_end)
{
	char name[4000];

	strcpy(name, "_ZN1Acv");
	add_times(name, "T_I", 100);
	strcat(name, "i");
	add_times(name, "E", 100);
	strcat(name, "Ev");
	check_refused(name);
}

static bool count(void *arg, const struct pt_elfsym *s)
{
	CHECK_STR(s->name, "ba");
	(*(size_t *)arg)++;
	return true;
}

/* A string of 24 MB that holds the word everywhere: each byte is looked at once. The sanitizer's
 * memmem() looks at all of the range in each call. */
TEST(words_everywhere)
{
	size_t len = pt_test_sanitized() ? 64 << 10 : 24 << 20;
	char path[300], cmd[800], *name = pt_alloc(len + 1);
	struct pt_object *o;
	size_t nr = 0;
	FILE *f;

	memset(name, 'a', len);
	snprintf(path, sizeof(path), "%s/words.s", pt_test_dir());
	f = fopen(path, "w");
	fprintf(f, "\t.text\n\t.type ba, @function\nba:\n\t.skip 16\n\t.size ba, 16\n%s:\n", name);
	fclose(f);
	free(name);
	snprintf(cmd, sizeof(cmd), "cd %s && gcc -c -o words.o words.s 2>/dev/null", pt_test_dir());
	if (system(cmd))
		SKIP("no assembler");
	o = object("words.o");
	pt_elfsyms_each(o, "a", count, &nr);
	pt_object_put(o);
	CHECK_INT(nr, 1);
}

/* base/choice.h */
TEST(names_of_one_address)
{
	static const struct { struct pt_choice better, worse; } pairs[] = {
		{ { "a", true, true, false }, { "a_longer_name", false, false, true } },
		{ { "a", true, false, false }, { "a_longer_name", true, true, false } },
		{ { "__a", true, false, true }, { "a_longer_name", true, false, false } },
		{ { "__x64_sys_read", true, false, true }, { "__ia32_sys_read", true, false, true } },
		{ { "memcpy", true, false, true }, { "__pi_memcpy", true, false, true } },
		{ { "__x86_indirect_thunk_rax", true, false, true }, { "__pi___x86_indirect_thunk_rax", true, false, true } },
		{ { "read", true, false, true }, { "__libc_read", true, false, true } },
		{ { "longer", true, false, true }, { "short", true, false, true } },
		{ { "aa", true, false, true }, { "ab", true, false, true } },
	};
	size_t i;

	for (i = 0; i < PT_NR(pairs); i++)
		if (!pt_choice_better(&pairs[i].better, &pairs[i].worse) || pt_choice_better(&pairs[i].worse, &pairs[i].better))
			FAIL("%s and %s", pairs[i].better.name, pairs[i].worse.name);
	CHECK(!pt_choice_better(&pairs[0].better, &pairs[0].better));
}
