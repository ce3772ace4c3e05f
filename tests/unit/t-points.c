/* Points of probes: their text, names that agree, places in this very program (whose addresses it knows itself), listings; files that have no debug information. */
#include "test.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "probe/make_priv.h"
#include "elf/insn.h"
#include "probe/where/functions.h"
#include "probe/where/listing.h"
#include "probe/spec/match.h"
#include "probe/target/source.h"
#include "elf/sourcetext.h"

/* ---- functions to be found ---- */

static volatile int sink, calls;
#define ADD sink += calls;
#define TEN ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD

__attribute__((noinline)) int points_plain(int x);
__attribute__((noinline)) int points_plain(int x)
{
	int y = x + sink;

	TEN TEN TEN TEN TEN
	return y;
}

static __attribute__((noinline)) int points_static(int x)
{
	return x + sink * 3;
}

static inline __attribute__((always_inline)) int points_inline(int x)
{
	calls++;
	return x ^ sink;
}

__attribute__((noinline)) int points_first(int x);
__attribute__((noinline)) int points_first(int x)
{
	return points_inline(x) + 1;
}

__attribute__((noinline)) int points_second(int x);
__attribute__((noinline)) int points_second(int x)
{
	sink = points_inline(x);
	return points_inline(x + sink) + 2;
}

static inline __attribute__((always_inline)) int scaled_line(int x, int y) { volatile int z = x * y; return z; }

__attribute__((noinline)) int scaled_sum(int x);
__attribute__((noinline)) int scaled_sum(int x)
{
	int i, sum = 0;

	for (i = 0; i < calls; i++)
		sum += points_static(x) + scaled_line(i, x) + scaled_line(i, 2);
	return sum;
}

int points_alias(int x) __attribute__((alias("points_plain")));

static int (*const volatile keep[])(int) = { points_plain, points_static, points_first, points_second, scaled_sum, points_alias };

static int own(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uint64_t *)arg = info->dlpi_addr;
	return 1;
}

static uint64_t vaddr_of(int (*f)(int))
{
	uint64_t bias = 0;

	dl_iterate_phdr(own, &bias);
	return (uint64_t)(uintptr_t)f - bias;
}

static void open_self(struct pt_target *t)
{
	struct pt_err e = PT_ERR_INIT;

	if (pt_target_open(t, "/proc/self/exe", &(struct pt_target_opts){ .debuginfod = false }, &e) < 0)
		FAIL("%s", e.msg);
}

struct found {
	struct pt_places ps;
	struct pt_err e;
	int rc;
};

static struct found find(struct pt_target *t, const char *text, bool all, bool variables)
{
	struct found f = { .e = PT_ERR_INIT };
	struct pt_point p;

	f.rc = pt_point_parse(&p, text, &f.e);
	if (f.rc < 0)
		return f;
	f.rc = pt_places_find(&f.ps, t, &p, &(struct pt_place_opts){ .all = all, .variables = variables }, &f.e);
	pt_point_deinit(&p);
	return f;
}

/* ---- text ---- */

TEST(parse)
{
	static const struct { const char *text, *group, *name, *func, *file, *pattern, *versioned; long long off, line, addr; bool ret; } good[] = {
		{ "main", .func = "main", .off = -1, .line = -1, .addr = -1 },
		{ "ev=main", .name = "ev", .func = "main", .off = -1, .line = -1, .addr = -1 },
		{ "grp:ev=main:3", .group = "grp", .name = "ev", .func = "main", .off = -1, .line = 3, .addr = -1 },
		{ "f[abi:cxx11]", .func = "f[abi:cxx11]", .off = -1, .line = -1, .addr = -1 },
		{ "f[abi:cxx11]:3", .func = "f[abi:cxx11]", .off = -1, .line = 3, .addr = -1 },
		{ "main+0x1f", .func = "main", .off = 0x1f, .line = -1, .addr = -1 },
		{ "main+12", .func = "main", .off = 12, .line = -1, .addr = -1 },
		{ "main%return", .func = "main", .off = -1, .line = -1, .addr = -1, .ret = true },
		{ "f@dir/a.c", .func = "f", .file = "dir/a.c", .versioned = "f@dir/a.c", .off = -1, .line = -1, .addr = -1 },
		{ "f@a.c:7", .func = "f", .file = "a.c", .versioned = "f@a.c", .off = -1, .line = 7, .addr = -1 },
		{ "src/a.c:7", .file = "src/a.c", .off = -1, .line = 7, .addr = -1 },
		{ "a.c:7", .func = "a.c", .off = -1, .line = 7, .addr = -1 },
		{ "memcpy@GLIBC_2.14", .func = "memcpy", .file = "GLIBC_2.14", .versioned = "memcpy@GLIBC_2.14", .off = -1, .line = -1, .addr = -1 },
		{ "memcpy@@GLIBC_2.14", .func = "memcpy@@GLIBC_2.14", .versioned = "memcpy@@GLIBC_2.14", .off = -1, .line = -1, .addr = -1 },
		{ "read@plt", .func = "read@plt", .versioned = "read@plt", .off = -1, .line = -1, .addr = -1 },
		{ "0x1234", .off = -1, .line = -1, .addr = 0x1234 },
		{ "f;if (x*", .func = "f", .pattern = "if (x*", .off = -1, .line = -1, .addr = -1 },
		{ "./a.c;*y*", .file = "./a.c", .pattern = "*y*", .off = -1, .line = -1, .addr = -1 },
		{ "ns::C::f(int, char*):2", .func = "ns::C::f(int, char*)", .off = -1, .line = 2, .addr = -1 },
		{ "C::operator==", .func = "C::operator==", .off = -1, .line = -1, .addr = -1 },
		{ "e=C::operator+", .name = "e", .func = "C::operator+", .off = -1, .line = -1, .addr = -1 },
		{ "operator+(A, B)+4", .func = "operator+(A, B)", .off = 4, .line = -1, .addr = -1 },
		{ "<a::B as c::D>::e:0", .func = "<a::B as c::D>::e", .off = -1, .line = 0, .addr = -1 },
	};
	struct pt_err e = PT_ERR_INIT;
	struct pt_point p;
	size_t i;

	for (i = 0; i < PT_NR(good); i++) {
		if (pt_point_parse(&p, good[i].text, &e) < 0)
			FAIL("%s: %s", good[i].text, e.msg);
#define SAME(field) if ((p.field == NULL) != (good[i].field == NULL) || (p.field && strcmp(p.field, good[i].field))) FAIL("%s: " #field " is %s", good[i].text, p.field ? p.field : "not there")
		SAME(group);
		SAME(name);
		SAME(func);
		SAME(file);
		SAME(pattern);
		SAME(versioned);
		if ((p.has_off ? (long long)p.off : -1) != good[i].off || (p.has_line ? (long long)p.line : -1) != good[i].line ||
		    (p.has_addr ? (long long)p.addr : -1) != good[i].addr || p.ret != good[i].ret)
			FAIL("%s: offset %llu, line %u, address %llx", good[i].text, (unsigned long long)p.off, p.line, (unsigned long long)p.addr);
		pt_point_deinit(&p);
	}
}

/* '|' stands where the point ends. */
TEST(point_and_arguments)
{
	static const char *const v[] = {
		"work", "work| a b", "work:3|\tp->x", "e=work| a=b", "two<int, long>| a b", "M<int, N<a, b> >::get%return| $retval", "f(int, char)| a", "f(int) const| a",
		"f(int) const:3| a", "f(int)| constant", "(anonymous namespace)::f| a", "<a::B as c::D>::e:0| x", "main::{lambda(int, long)#1}::operator()| q",
		"operator new| n", "x=operator new[]| n", "operator new(unsigned long)| n", "operator new:2| n", "C::operator unsigned long| this->a", "C::operator long| this->a",
		"C::operator char const*| a", "C::operator T<a, b>| c", "operator<| a->b", "operator<<| a", "operator->| a", "operator->*| x", "operator<=>| a", "operator()| k",
		"operator,| x", "cooperator| new", "operators| new", "f<int| a b", "f)| a", "f;if| (x<* a b", "f| a<b, c>", "sdt_a:b| c", "0x12| %ax", "|",
	};

	for (size_t i = 0; i < PT_NR(v); i++) {
		size_t want = strcspn(v[i], "|");
		char *text = pt_asprintf("%.*s%s", (int)want, v[i], v[i][want] ? v[i] + want + 1 : "");

		if (pt_point_len(text) != want)
			FAIL("%s: ends at %zu", v[i], pt_point_len(text));
		free(text);
	}
}

TEST(parse_errors)
{
	static const struct { const char *text, *error, *caret; } bad[] = {
		{ "", "name is missing", "" },
		{ "f:x", "line number", "\n    f:x\n      ^" },
		{ "f:12x", "line number", "\n    f:12x\n      ^" },
		{ "f:99999999999", "line number", "" },
		{ "f+0xg", "number of bytes", "\n    f+0xg\n      ^" },
		{ "f+12%return", "whole function's", "" },
		{ "f:3%return", "whole function's", "" },
		{ "f@", "source file", "\n    f@\n      ^" },
		{ "f;", "pattern", "\n    f;\n      ^" },
		{ "e=", "name is missing", "\n    e=\n      ^" },
		{ "a/b.c", "needs a line", "" },
		{ "@f", "name is missing", "" },
		{ "f\\@V_1", "no backslash", "\n    f\\@V_1\n     ^" },
	};
	char *longer = pt_alloc(10000);
	struct pt_point p;
	size_t i;

	for (i = 0; i < PT_NR(bad); i++) {
		struct pt_err e = PT_ERR_INIT;

		if (!pt_point_parse(&p, bad[i].text, &e))
			FAIL("%s is taken", bad[i].text);
		CHECK_HAS(e.msg, bad[i].error);
		CHECK_HAS(e.msg, bad[i].caret);
	}
	memset(longer, 'x', 9999);
	CHECK_INT(pt_point_parse(&p, longer, NULL), -1);
	free(longer);
}

TEST(names)
{
	static const struct { const char *want, *name; bool is; } rows[] = {
		{ "f", "f", true }, { "f", "ff", false }, { "f*", "ff", true }, { "f?", "f", false },
		{ "area", "_ZN3geo4areaEii", true }, { "geo::area", "_ZN3geo4areaEii", true }, { "eo::area", "_ZN3geo4areaEii", false },
		{ "geo::area(int,int)", "_ZN3geo4areaEii", true }, { "area(int, int)", "_ZN3geo4areaEii", true }, { "area(double, double)", "_ZN3geo4areaEii", false },
		{ "_ZN3geo4areaEii", "_ZN3geo4areaEii", true }, { "geo::*", "_ZN3geo4areaEii", true },
		{ "get", "_ZNK3geo3BoxIiE3getEv", true }, { "Box::get", "_ZNK3geo3BoxIiE3getEv", true }, { "Box<int>::get", "_ZNK3geo3BoxIiE3getEv", true },
		{ "Box<long>::get", "_ZNK3geo3BoxIiE3getEv", false }, { "Box<int>::get() const", "_ZNK3geo3BoxIiE3getEv", true },
		{ "operator()", "_ZN3geo3BoxIiEclEi", true }, { "operator+", "_ZNK3geo3BoxIiEplEi", true }, { "operator<<", "_ZN1AlsEi", true }, { "operator<", "_ZN1AlsEi", false },
		{ "~Box", "_ZN3geo3BoxIdED1Ev", true }, { "std::vector<int>::push_back", "_ZNSt6vectorIiSaIiEE9push_backERKi", true },
		{ "vector<int>::push_back", "_ZNSt6vectorIiSaIiEE9push_backERKi", true }, { "vector<char>::push_back", "_ZNSt6vectorIiSaIiEE9push_backERKi", false },
		{ "geo::hidden", "_ZN3geo12_GLOBAL__N_16hiddenEi", true }, { "(anonymous namespace)::hidden", "_ZN3geo12_GLOBAL__N_16hiddenEi", true },
		{ "shapes::Circle::new", "_ZN1r6shapes6Circle3new17h95af09671aa5efbbE", true }, { "Circle::new", "_ZN1r6shapes6Circle3new17h95af09671aa5efbbE", true },
		{ "main.main", "main.main", true }, { "main", "main.main", false },
		/* patterns: of what is behind namespaces and classes, too */
		{ "Foo::*", "_ZN2ns4deep3Foo3barEi", true }, { "*::bar", "_ZN2ns4deep3Foo3barEi", true }, { "deep::Foo::b?r", "_ZN2ns4deep3Foo3barEi", true }, { "oo::*", "_ZN2ns4deep3Foo3barEi", false },
		{ "Foo::bar(*)", "_ZN2ns4deep3Foo3barEi", true }, { "bar(*, *)", "_ZN2ns4deep3Foo3barEi", false }, { "b*", "_ZN2ns4deep3Foo3barEi", true },
		{ "two<*, char>", "_ZN2ns4deep3Foo3twoIlcEEiT_T0_", true }, { "Foo::two< * >", "_ZN2ns4deep3Foo3twoIlcEEiT_T0_", true }, { "two<*, int>", "_ZN2ns4deep3Foo3twoIlcEEiT_T0_", false },
		{ "Foo::t*", "_ZN2ns4deep3Foo3twoIlcEEiT_T0_", true }, { "f(char*)", "_Z1fPc", true }, { "f(char*)", "_Z1fPi", false }, { "f<char*>", "_Z1fIPcEvT_", true },
		/* what stands among arguments is no namespace around the name */
		{ "B::*", "_Z1fIN1A1BEEvT_", false }, { "f<*>", "_Z1fIN1A1BEEvT_", true },
		/* tags are not in the source; they may be given, as they are shown */
		{ "name", "_ZNK3geo3Box4nameB5cxx11Ev", true }, { "geo::Box::name", "_ZNK3geo3Box4nameB5cxx11Ev", true }, { "Box::name[abi:cxx11]", "_ZNK3geo3Box4nameB5cxx11Ev", true },
		{ "Box::name() const", "_ZNK3geo3Box4nameB5cxx11Ev", true }, { "Box::n?me", "_ZNK3geo3Box4nameB5cxx11Ev", true }, { "nam", "_ZNK3geo3Box4nameB5cxx11Ev", false },
	};
	struct pt_match m;
	size_t i;

	for (i = 0; i < PT_NR(rows); i++) {
		pt_match_init(&m, rows[i].want);
		if (pt_match_name(&m, rows[i].name, true) != rows[i].is)
			FAIL("%s and %s", rows[i].want, rows[i].name);
		pt_match_deinit(&m);
	}
}

TEST(files)
{
	static const struct { const char *path, *want; bool is; } rows[] = {
		{ "/x/a/b.c", "b.c", true }, { "/x/a/b.c", "a/b.c", true }, { "/x/a/b.c", "/x/a/b.c", true }, { "/x/a/b.c", "x/b.c", false }, { "/x/a/b.c", "/a/b.c", false },
		{ "/x/a/ab.c", "b.c", false }, { "/x/y/../a/./b.c", "x/a/b.c", true }, { "b.c", "./b.c", true }, { "/x/a/b.c", "", false }, { "../b.c", "b.c", true },
	};
	size_t i;

	for (i = 0; i < PT_NR(rows); i++)
		if (pt_source_is(rows[i].path, rows[i].want) != rows[i].is)
			FAIL("%s and %s", rows[i].path, rows[i].want);
}

/* ---- places ---- */

TEST(functions_of_this_program)
{
	struct pt_target t;
	struct found f;
	char text[64];
	uint64_t back;
	size_t i;

	open_self(&t);
	CHECK(t.dwarf);
	for (i = 0; i < 5; i++)
		keep[i]((int)i);
	f = find(&t, "points_plain", false, false);
	CHECK_INT(f.rc, 0);
	CHECK_INT(f.ps.nr, 1);
	CHECK_INT(f.ps.v[0].vaddr, vaddr_of(points_plain));
	CHECK(f.ps.v[0].entry && !f.ps.v[0].inlined && f.ps.v[0].unit && f.ps.v[0].nr_scopes == 1);
	CHECK_STR(f.ps.v[0].func, "points_plain");
	CHECK_HAS(f.ps.v[0].file, "t-points.c");
	CHECK(pt_target_vaddr(&t, f.ps.v[0].off, &back));
	CHECK_INT(back, f.ps.v[0].vaddr);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_static", false, false);
	CHECK_INT(f.ps.nr, 1);
	CHECK_INT(f.ps.v[0].vaddr, vaddr_of(points_static));
	pt_places_deinit(&f.ps);
	f = find(&t, "points_alias", false, false);
	CHECK_INT(f.ps.nr, 1);
	CHECK_INT(f.ps.v[0].vaddr, vaddr_of(points_plain));
	pt_places_deinit(&f.ps);
	i = pt_insn_len(t.object->machine, (const uint8_t *)(uintptr_t)points_plain, 15);
	CHECK(i);
	snprintf(text, sizeof(text), "points_plain+%zu", i);
	f = find(&t, text, false, false);
	CHECK_INT(f.rc, 0);
	CHECK_INT(f.ps.v[0].vaddr, vaddr_of(points_plain) + i);
	CHECK(!f.ps.v[0].entry);
	pt_places_deinit(&f.ps);
	/* Within some instruction of the first ones. */
	for (back = 0; back < 60; back += i) {
		i = pt_insn_len(t.object->machine, (const uint8_t *)(uintptr_t)points_plain + back, 15);
		if (i < 2)
			continue;
		snprintf(text, sizeof(text), "points_plain+%llu", (unsigned long long)back + 1);
		f = find(&t, text, false, false);
		CHECK_INT(f.rc, -1);
		CHECK_HAS(f.e.msg, "in the middle of an instruction: they begin at +");
		snprintf(text, sizeof(text), "%#llx", (unsigned long long)(vaddr_of(points_plain) + back + 1));
		f = find(&t, text, false, false);
		CHECK_INT(f.rc, -1);
		break;
	}
	f = find(&t, "points_plain%return", false, false);
	CHECK_INT(f.ps.nr, 1);
	CHECK(f.ps.v[0].ret);
	CHECK_INT(f.ps.v[0].vaddr, vaddr_of(points_plain));
	pt_places_deinit(&f.ps);
	f = find(&t, "points_*", false, false);
	CHECK(f.ps.nr >= 7);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_plain@t-points.c", false, false);
	CHECK_INT(f.ps.nr, 1);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_plain+0x100000", false, false);
	CHECK_INT(f.rc, -1);
	CHECK_HAS(f.e.msg, "beyond the end of the function\n    points_plain+0x100000\n                 ^");
	f = find(&t, "points_nowhere", false, false);
	CHECK_HAS(f.e.msg, "no function points_nowhere");
	f = find(&t, "points_plian", false, false);
	CHECK_HAS(f.e.msg, "; did you mean points_plain?");
	f = find(&t, "points_plain@other.c", false, false);
	CHECK_HAS(f.e.msg, "no function points_plain@other.c");
	pt_target_deinit(&t);
}

TEST(inlined_everywhere)
{
	struct pt_target t;
	struct found f;
	size_t i, first = 0, second = 0;

	open_self(&t);
	f = find(&t, "points_inline", false, false);
	CHECK_INT(f.rc, 0);
	for (i = 0; i < f.ps.nr; i++) {
		CHECK(f.ps.v[i].inlined);
		CHECK_STR(f.ps.v[i].func, "points_inline");
		CHECK(f.ps.v[i].nr_scopes >= 2);
		first += !strcmp(f.ps.v[i].outer, "points_first");
		second += !strcmp(f.ps.v[i].outer, "points_second");
	}
	CHECK_INT(first, 1);
	CHECK_INT(second, 2);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_inline%return", false, false);
	CHECK_HAS(f.e.msg, "inlined wherever it is called: it does not return");
	f = find(&t, "points_inline+1", false, false);
	CHECK_HAS(f.e.msg, "an offset means nothing");
	f = find(&t, "points_inline:2", false, false);
	CHECK_INT(f.rc, 0);
	CHECK_INT(f.ps.nr, 3);
	pt_places_deinit(&f.ps);
	pt_target_deinit(&t);
}

/* A macro that repeats itself fifty times is one place, or many when each row is wanted. */
/* Its code is in pieces, each of the line where it is declared: not each is an entry. */
TEST(inlined_functions_of_one_line)
{
	struct pt_target t;
	struct found f;

	open_self(&t);
	f = find(&t, "scaled_line", false, false);
	CHECK_INT(f.rc, 0);
	CHECK_INT(f.ps.nr, 2);
	pt_places_deinit(&f.ps);
	pt_target_deinit(&t);
}

TEST(one_line_is_one_place)
{
	struct pt_target t;
	struct found f;
	char text[64];
	uint32_t line;
	size_t i;

	open_self(&t);
	f = find(&t, "points_plain", false, false);
	line = f.ps.v[0].line;		/* of the name, or of the brace */
	pt_places_deinit(&f.ps);
	f = find(&t, "points_plain:4", false, false);
	if (f.rc < 0)
		FAIL("%s", f.e.msg);
	CHECK_INT(f.ps.nr, 1);
	CHECK(f.ps.v[0].line >= line + 3 && f.ps.v[0].line <= line + 4);
	snprintf(text, sizeof(text), "t-points.c:%u", f.ps.v[0].line);
	pt_places_deinit(&f.ps);
	f = find(&t, text, false, false);
	CHECK_INT(f.ps.nr, 1);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_plain:4", true, false);
#ifndef __clang__
	CHECK(f.ps.nr >= 10);
#else
	CHECK(f.ps.nr >= 1);		/* clang writes one row for code that stays on a line */
#endif
	for (i = 1; i < f.ps.nr; i++)
		CHECK(f.ps.v[i].vaddr > f.ps.v[i - 1].vaddr);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_plain;*TEN TEN*", false, false);
	if (f.rc < 0)
		FAIL("%s", f.e.msg);
	CHECK_INT(f.ps.nr, 1);
	pt_places_deinit(&f.ps);
	f = find(&t, "points_plain:3", false, false);
	CHECK_HAS(f.e.msg, "has no code; the nearest lines that have: ");
	CHECK_HAS(f.e.msg, "\n    points_plain:3\n                 ^");
	f = find(&t, "t-points.c:1", false, false);
	CHECK_HAS(f.e.msg, "has no code");
	f = find(&t, "t-points.c:0", false, false);
	CHECK_HAS(f.e.msg, "t-points.c");
	f = find(&t, "nofile.c:3", false, false);
	CHECK_HAS(f.e.msg, "no function and no source file nofile.c");
	f = find(&t, "points_plain;*no such text*", false, false);
	CHECK_HAS(f.e.msg, "no line with code agrees");
	pt_target_deinit(&t);
}

TEST(addresses)
{
	struct pt_target t;
	struct found f;
	char text[32];

	open_self(&t);
	snprintf(text, sizeof(text), "%#llx", (unsigned long long)vaddr_of(points_static));
	f = find(&t, text, false, false);
	CHECK_INT(f.ps.nr, 1);
	CHECK_STR(f.ps.v[0].func, "points_static");
	CHECK(f.ps.v[0].entry && f.ps.v[0].unit);
	pt_places_deinit(&f.ps);
	f = find(&t, "0x1", false, false);
	CHECK_HAS(f.e.msg, "no code at 0x1");
	pt_target_deinit(&t);
}

TEST(scopes_for_libdw)
{
	struct pt_err e = PT_ERR_INIT;
	Dwarf_Die dies[PT_PLACE_SCOPES];
	struct pt_var_scope s;
	struct pt_target t;
	struct found f;

	open_self(&t);
	f = find(&t, "points_inline", false, true);
	CHECK_INT(f.rc, 0);
	if (make_scope(&t, &f.ps.v[0], dies, &s, &e) < 0)
		FAIL("%s", e.msg);
	CHECK_INT(s.nr_scopes, f.ps.v[0].nr_scopes);
	CHECK_INT(dwarf_tag(&dies[0]), 0x2e);
	CHECK_STR(dwarf_diename(&dies[0]), f.ps.v[0].outer);
	CHECK_STR(dwarf_diename(&dies[s.nr_scopes - 1]), "points_inline");
	pt_places_deinit(&f.ps);
	pt_target_deinit(&t);
}

TEST(instructions)
{
	static const struct { uint16_t machine; uint8_t len, b[15]; } rows[] = {
		{ EM_X86_64, 1, { 0x55 } }, { EM_X86_64, 3, { 0x48, 0x89, 0xe5 } }, { EM_X86_64, 4, { 0xf3, 0x0f, 0x1e, 0xfa } }, { EM_X86_64, 5, { 0xe8, 1, 2, 3, 4 } },
		{ EM_X86_64, 7, { 0x48, 0x8b, 0x05, 1, 2, 3, 4 } }, { EM_X86_64, 5, { 0x48, 0x8b, 0x44, 0x24, 8 } }, { EM_X86_64, 10, { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ EM_X86_64, 4, { 0x66, 0xb8, 1, 2 } }, { EM_X86_64, 2, { 0xf6, 0xd0 } }, { EM_X86_64, 3, { 0xf6, 0xc0, 1 } }, { EM_X86_64, 6, { 0xf7, 0xc0, 1, 2, 3, 4 } },
		{ EM_X86_64, 6, { 0x0f, 0x84, 1, 2, 3, 4 } }, { EM_X86_64, 5, { 0xc5, 0xf8, 0x28, 0x44, 0x24 } }, { EM_X86_64, 6, { 0xc4, 0xe3, 0x79, 0x14, 0xc0, 1 } },
		{ EM_X86_64, 6, { 0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc0 } }, { EM_X86_64, 9, { 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } }, { EM_X86_64, 0, { 0x06 } },
		{ EM_X86_64, 4, { 0xc8, 1, 2, 3 } }, { EM_X86_64, 9, { 0xa1, 1, 2, 3, 4, 5, 6, 7, 8 } }, { EM_X86_64, 0, { 0xe8, 1 } }, { EM_X86_64, 0, { 0x66 } },
		{ EM_386, 1, { 0x40 } }, { EM_386, 5, { 0xa1, 1, 2, 3, 4 } }, { EM_386, 2, { 0xc5, 0x00 } }, { EM_386, 7, { 0x9a, 1, 2, 3, 4, 5, 6 } }, { EM_386, 1, { 0x06 } },
		{ EM_386, 4, { 0x67, 0x8b, 0x46, 1 } }, { EM_AARCH64, 4, { 1, 2, 3, 4 } }, { EM_AARCH64, 0, { 1, 2 } }, { EM_S390, 0, { 1, 2, 3, 4 } },
	};
	size_t i, len;

	for (i = 0; i < PT_NR(rows); i++) {
		len = rows[i].len ? rows[i].len : 2;
		len -= !rows[i].len && rows[i].machine == EM_X86_64 && rows[i].b[0] == 0x66;
		if (i == 12)		/* its displacement is missing */
			CHECK_INT(pt_insn_len(rows[i].machine, pt_test_guarded(rows[i].b, 5), 5), 0);
		else if (pt_insn_len(rows[i].machine, pt_test_guarded(rows[i].b, len), len) != rows[i].len)
			FAIL("row %zu: %zu", i, pt_insn_len(rows[i].machine, rows[i].b, len));
	}
}

/* ---- lists ---- */

static size_t nr_functions(struct pt_target *t, const char *pattern, size_t *inlined)
{
	struct pt_functions l;
	struct pt_function f;
	const char *at = NULL;
	size_t nr = 0;

	*inlined = 0;
	pt_functions_list(&l, t, pattern, false);
	for (; pt_functions_next(&l, &at, &f); nr++)
		*inlined += f.inlined;
	pt_functions_deinit(&l);
	return nr;
}

TEST(functions_list)
{
	struct pt_functions l;
	struct pt_function f;
	struct pt_target t;
	const char *at = NULL;
	size_t plain = 0, inlined = 0;
	char name[256], before[256] = "";

	open_self(&t);
	pt_functions_list(&l, &t, NULL, true);
	while (pt_functions_next(&l, &at, &f)) {
		snprintf(name, sizeof(name), "%.*s", (int)f.len, f.name);
		if (*before && strcmp(before, name) >= 0)
			FAIL("%s before %s", before, name);
		strcpy(before, name);
		plain += !strcmp(name, "points_plain") && !f.inlined;
		inlined += !strcmp(name, "points_inline") && f.inlined;
	}
	CHECK_INT(plain, 1);
	CHECK_INT(inlined, 1);
	pt_functions_deinit(&l);
	CHECK_INT(nr_functions(&t, "points_*", &inlined), 5);
	/* What has no code, where nothing else is meant. */
	CHECK_INT(nr_functions(&t, "points_inlin*", &inlined), 1);
	CHECK_INT(inlined, 1);
	CHECK_INT(nr_functions(&t, "points_no_such", &inlined), 0);
	CHECK(nr_functions(&t, NULL, &inlined) > 5);
	CHECK_INT(inlined, 0);
	pt_target_deinit(&t);
}

TEST(listing)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_listing l;
	struct pt_target t;
	size_t i;

	open_self(&t);
	if (pt_listing_make(&l, &t, "points_static", &e) < 0)
		FAIL("%s", e.msg);
	CHECK_STR(l.func, "points_static");
	CHECK_HAS(l.file, "t-points.c");
	pt_listing_print(&l, &b);
	CHECK_HAS(b.data, "<points_static@");
	if (l.path)			/* the sources are where they were */
		CHECK_HAS(b.data, "      2  \treturn x + sink * 3;\n");
	pt_listing_deinit(&l);
	if (pt_listing_make(&l, &t, "t-points.c:1-3", &e) < 0)
		FAIL("%s", e.msg);
	for (i = 0; i < l.nr; i++)
		CHECK(!l.v[i].probeable);
	pt_listing_deinit(&l);
	CHECK_INT(pt_listing_make(&l, &t, "points_static:5-3", &e), -1);
	CHECK_INT(pt_listing_make(&l, &t, "points_nowhere", &e), -1);
	CHECK_HAS(e.msg, "no function and no source file points_nowhere");
	pt_buf_deinit(&b);
	pt_target_deinit(&t);
}

/* Text of sources: found below a directory, by less and less of its folders; blanks do not count. */
TEST(source_text)
{
	struct pt_target t = { .source_dir = pt_strdup(pt_test_dir()), .dw_fd = -1, .alt_fd = -1 };
	struct pt_source_text *s;
	char path[256];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/prog.c", pt_test_dir());
	f = fopen(path, "w");
	fputs("one\r\n\tif ( x == 2 )\nlast", f);
	fclose(f);
	s = pt_source_text_open(t.object, t.source_dir, "/not/there/prog.c");
	CHECK(s);
	CHECK_STR(pt_source_text_path(s), path);
	CHECK(pt_source_text_line(s, 1, &len) && len == 3);
	CHECK(pt_source_text_line(s, 3, &len) && len == 4);
	CHECK(!pt_source_text_line(s, 4, &len) && !pt_source_text_line(s, 0, &len));
	CHECK(pt_source_text_agrees(s, 2, "if(x==2)"));
	CHECK(pt_source_text_agrees(s, 2, "if (*"));
	CHECK(!pt_source_text_agrees(s, 2, "x"));
	pt_source_text_free(s);
	CHECK(!pt_source_text_open(t.object, t.source_dir, "/not/there/other.c"));
	free(t.source_dir);
}

/* Debug information may name any file: one of a terabyte, of newlines alone, many. */
TEST(source_text_of_strangers)
{
	struct pt_object o = { .inside = NULL };
	char path[256], want[16];
	struct pt_source_text *s;
	unsigned opened = 0;
	size_t len;
	FILE *f;

	alarm(60);
	snprintf(path, sizeof(path), "%s/prog.c", pt_test_dir());
	f = fopen(path, "w");
	for (int i = 1; i <= 100; i++)
		fprintf(f, "%d\n", i);
	fclose(f);
	s = pt_source_text_open(NULL, NULL, path);
	for (uint32_t i = 1; i <= 100; i++) {
		snprintf(want, sizeof(want), "%u\n", i);
		CHECK(!strncmp(pt_source_text_line(s, i, &len), want, strlen(want)) && len == strlen(want) - 1);
	}
	CHECK(!pt_source_text_line(s, 101, &len));
	pt_source_text_free(s);
	CHECK_INT(truncate(path, 1 << 20), 0);
	pt_budget_of_file(&o.budget, 1000);
	while (opened < 1000 && (s = pt_source_text_open(&o, NULL, path))) {
		pt_source_text_free(s);
		opened++;
	}
	CHECK(opened > 10 && opened < 1000);
	if (truncate(path, 1ll << 40) < 0)
		SKIP("no file of a terabyte here");
	CHECK(!pt_source_text_open(NULL, NULL, path));
}

/* ---- files ---- */

/* A program of which only the first page arrived has sections no more, as one that is stripped. */
TEST(cut_short)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_target t;
	char path[256], bytes[4096];
	FILE *f = fopen("/proc/self/exe", "r");
	size_t len = fread(bytes, 1, sizeof(bytes), f);

	fclose(f);
	snprintf(path, sizeof(path), "%s/cut", pt_test_dir());
	f = fopen(path, "w");
	fwrite(bytes, 1, len, f);
	fclose(f);
	CHECK_INT(pt_target_open(&t, path, &(struct pt_target_opts){ .debuginfod = false }, &e), -1);
	CHECK_HAS(e.msg, "cut short: 4096 bytes");
}

TEST(targets)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_target t;
	struct found f;

	CHECK_INT(pt_target_open(&t, "no-such-file-anywhere", &(struct pt_target_opts){ .debuginfod = false }, &e), -1);
	CHECK_HAS(e.msg, "no such file here");
	CHECK_INT(pt_target_open(&t, "/", &(struct pt_target_opts){ .debuginfod = false }, &e), -1);
	CHECK_HAS(e.msg, "a directory");
	CHECK_INT(pt_target_open(&t, "/etc/passwd", &(struct pt_target_opts){ .debuginfod = false }, &e), -1);
	CHECK_INT(pt_target_open(&t, "sh", &(struct pt_target_opts){ .debuginfod = false }, &e), 0);
	CHECK_STR(t.how, "on PATH");
	CHECK(t.path[0] == '/');
	if (!t.debug) {
		f = find(&t, "main:3", false, false);
		CHECK_HAS(f.e.msg, "no debug information");
	}
	pt_target_deinit(&t);
	CHECK_INT(pt_target_open(&t, "libc.so.6", &(struct pt_target_opts){ .debuginfod = false }, &e), 0);
	CHECK_STR(t.how, "a library");
	f = find(&t, "getpid", false, false);
	CHECK_INT(f.rc, 0);
	CHECK(f.ps.nr >= 1);
	pt_places_deinit(&f.ps);
#ifdef __x86_64__
	f = find(&t, "memcpy@GLIBC_2.2.5", false, false);
	CHECK_INT(f.ps.nr, 1);
	pt_places_deinit(&f.ps);
	f = find(&t, "memcpy@@GLIBC_2.2.5", false, false);
	CHECK_INT(f.rc, -1);		/* it is not the default */
	f = find(&t, "memcpy@@GLIBC_2.14", false, false);
	CHECK_INT(f.ps.nr, 1);
	CHECK_HAS(f.ps.note, "IFUNC");
	pt_places_deinit(&f.ps);
	f = find(&t, "memcpy", false, false);		/* both: one of them is a function like others */
	CHECK_INT(f.ps.nr, 2);
	CHECK_HAS(f.ps.note, "IFUNC");
	pt_places_deinit(&f.ps);
	f = find(&t, "memcpy@GLIBC_9", false, false);
	CHECK_HAS(f.e.msg, "no function memcpy@GLIBC_9");
#endif
	pt_target_deinit(&t);
}
