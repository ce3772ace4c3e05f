/* code/symtab.c and names.c: against nm(1) on real files, tables that are kept, packed ones, names of C++ and Rust. (Kernel symbols: t-ksyms.c.) */
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/keep.h"
#include "base/mem.h"
#include "code/elfsyms.h"
#include "code/names.h"
#include "code/symtab.h"
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

TEST(plt_entries_have_names)
{
	const struct pt_symtab *t;
	struct pt_symbol s;
	struct pt_object *o;
	size_t i, n = 0;

	if (pt_object_open(&o, "/bin/bash", NULL) < 0)
		SKIP("no /bin/bash");
	t = pt_symtab_of(o);
	for (i = 0; pt_symtab_at(t, i, &s); i++)
		n += strstr(s.name, "@plt") != NULL;
	pt_object_put(o);
	CHECK(n > 50 || n == 0);	/* built without a PLT, it has none */
}

static struct pt_object *object(const char *name, struct pt_keep *keep)
{
	struct pt_object *o;
	char path[300];
	struct pt_err e;

	snprintf(path, sizeof(path), "%s/%s", pt_test_dir(), name);
	if (pt_object_open(&o, path, &e) < 0)
		FAIL("%s", e.msg);
	o->keep = keep;
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

/* Kept, and mapped the second time; damaged, it is made again. What a kept table refers to may be anything: nothing but wrong names comes of it. */
TEST(many_symbols_are_kept)
{
	struct pt_keep *keep = pt_keep_open_in(pt_test_dir(), 64 << 20);
	struct pt_object *o;
	const struct pt_symtab *t;
	uint64_t f0, nr, junk[4000], seed = 1;
	char cmd[400], name[128];
	struct iovec part = { junk, sizeof(junk) };
	struct pt_symbol s;
	size_t i;

	if (!make_library(""))
		SKIP("no assembler");
	o = object("many.so", NULL);
	f0 = vaddr_of(pt_symtab_of(o), "f0");
	nr = pt_symtab_nr(pt_symtab_of(o));
	check_library(pt_symtab_of(o), f0, true);
	pt_object_put(o);
	for (i = 0; i < 4; i++) {
		o = object("many.so", keep);
		t = pt_symtab_of(o);
		CHECK_INT(pt_symtab_nr(t), nr);
		check_library(t, f0, true);
		snprintf(name, sizeof(name), "sym-");
		for (size_t k = 0; k < o->build_id.len; k++)
			sprintf(name + strlen(name), "%02x", o->build_id.bytes[k]);
		sprintf(name + strlen(name), "-%llx", (unsigned long long)o->file.len_bytes);
		pt_object_put(o);
		snprintf(cmd, sizeof(cmd), "cd %s && ls sym-* > list && [ $(wc -l < list) = 1 ] && %s", pt_test_dir(),
			 i == 1 ? "dd if=/dev/urandom of=$(cat list) bs=1 seek=9000 count=8 conv=notrunc 2>/dev/null" : "true");
		CHECK(system(cmd) == 0);
	}
	for (i = 0; i < PT_NR(junk); i++)
		junk[i] = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> (i % 2 ? 0 : 40);
	junk[0] = 1500;
	o = object("many.so", keep);
	CHECK(pt_keep_put(keep, name, 1, o->build_id.bytes, o->build_id.len, &part, 1));
	t = pt_symtab_of(o);
	CHECK_INT(pt_symtab_nr(t), 1500);
	for (i = 0; i < 1500; i++)
		CHECK(pt_symtab_at(t, i, &s) && strlen(s.name) < 1 << 14);
	for (seed = 0; seed < 1 << 24; seed += 4093)
		name_at(t, seed);
	pt_object_put(o);
	junk[0] = 4000;		/* more than there is room for: made again */
	o = object("many.so", keep);
	CHECK(pt_keep_put(keep, name, 1, o->build_id.bytes, o->build_id.len, &part, 1));
	check_library(pt_symtab_of(o), f0, true);
	pt_object_put(o);
	pt_keep_close(keep);
}

/* Packed by xz, as Fedora's programs have them; kept as well. */
TEST(packed_symbols)
{
	struct pt_keep *keep = pt_keep_open_in(pt_test_dir(), 64 << 20);
	struct pt_object *o;
	uint8_t *packed;
	size_t at = 0;
	uint64_t f0;
	char path[300], cmd[1200];
	FILE *f;
	int i;

	if (!make_library("&& strip many.so && objcopy --only-keep-debug full.so mini"))
		SKIP("no assembler");
	o = object("full.so", NULL);
	f0 = vaddr_of(pt_symtab_of(o), "f0");
	pt_object_put(o);
	o = object("mini", NULL);
	packed = pt_alloc(o->file.len_bytes + 4096);
	CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, o->file.data, o->file.len_bytes, packed, &at, o->file.len_bytes + 4096) == LZMA_OK);
	pt_object_put(o);
	snprintf(path, sizeof(path), "%s/mini.xz", pt_test_dir());
	f = fopen(path, "w");
	CHECK(fwrite(packed, 1, at, f) == at && fclose(f) == 0);
	free(packed);
	snprintf(cmd, sizeof(cmd), "cd %s && objcopy --add-section .gnu_debugdata=mini.xz many.so", pt_test_dir());
	CHECK(system(cmd) == 0);
	for (i = 0; i < 3; i++) {
		o = object("many.so", i ? keep : NULL);
		check_library(pt_symtab_of(o), f0, false);
		pt_object_put(o);
	}
	snprintf(cmd, sizeof(cmd), "cd %s && ls sym-* > list", pt_test_dir());
	CHECK(system(cmd) == 0);
	pt_keep_close(keep);
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

/* A string of 24 MB that holds the word everywhere: each byte is looked at once. */
TEST(words_everywhere)
{
	enum { LEN = 24 << 20 };
	char path[300], cmd[800], *name = pt_alloc(LEN + 1);
	struct pt_object *o;
	size_t nr = 0;
	FILE *f;

	memset(name, 'a', LEN);
	snprintf(path, sizeof(path), "%s/words.s", pt_test_dir());
	f = fopen(path, "w");
	fprintf(f, "\t.text\n\t.type ba, @function\nba:\n\t.skip 16\n\t.size ba, 16\n%s:\n", name);
	fclose(f);
	free(name);
	snprintf(cmd, sizeof(cmd), "cd %s && gcc -c -o words.o words.s 2>/dev/null", pt_test_dir());
	if (system(cmd))
		SKIP("no assembler");
	o = object("words.o", NULL);
	pt_elfsyms_each_with(o, "a", count, &nr);
	pt_object_put(o);
	CHECK_INT(nr, 1);
}
