/* code/symtab.c and names.c: against nm(1) on real files, kallsyms and perf maps by hand, names of C++ and Rust. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

TEST(kallsyms_keeps_functions)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000000 T startup_64\nffffffff81000100 t local_one\nffffffff81000200 D data\n"
				   "ffffffff81000300 W weak_one\nffffffffc0000000 t init_it\t[ext4]\nnonsense\n\nffffffffc0000010 t";
	struct pt_symtab *t = pt_symtab_of_kallsyms(pt_test_guarded(text, sizeof(text) - 1), sizeof(text) - 1);

	CHECK_INT(pt_symtab_nr(t), 4);
	CHECK_STR(name_at(t, 0xffffffff81000050), "startup_64");
	CHECK_STR(name_at(t, 0xffffffff81000250), "local_one");
	CHECK_STR(name_at(t, 0xffffffff81000300), "weak_one");
	CHECK_STR(name_at(t, 0xffffffffc0000004), "init_it");
	CHECK(!name_at(t, 0xffffffff80000000));
	pt_symtab_free(t);
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
	/* doubles with each substitution */
	strcpy(name, "_Z1fIiE");
	for (i = 0; i < 40; i++)
		strcat(name, "S_IS_S_E");
	pt_demangle(name, &b);
	CHECK(b.len <= 65536);
	pt_buf_deinit(&b);
}
