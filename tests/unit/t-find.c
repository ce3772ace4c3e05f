/* code/dwarf_find.c: which units may have a function of a name, and where in them, told without reading them; what it must not miss. base/scan.c.
 * The debug information is made here, entry by entry; what a walk over all entries finds must be among what was told. */
#include "test.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/scan.h"
#include "code/dwarf_find.h"

enum { INFO, ABBREV, STR, STR_OFFSETS, NR };
enum { MAX_UNITS = 8 };

struct made {
	struct pt_buf s[NR];
	size_t unit;			/* where the open one begins */
	struct pt_object *o;
	struct pt_dwarf *d;
};

static void put8(struct pt_buf *b, unsigned v) { pt_buf_putc(b, (char)v); }
static void put16(struct pt_buf *b, uint16_t v) { pt_buf_add(b, (const char *)&v, 2); }
static void put32(struct pt_buf *b, uint32_t v) { pt_buf_add(b, (const char *)&v, 4); }
static void put64(struct pt_buf *b, uint64_t v) { pt_buf_add(b, (const char *)&v, 8); }

static void put_uleb(struct pt_buf *b, uint64_t v)
{
	do {
		put8(b, (unsigned)(v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

/* An abbreviation: attributes and forms in turns, up to 0. */
static void abbrev(struct made *m, unsigned code, unsigned tag, int children, ...)
{
	va_list ap;
	unsigned v;

	put_uleb(&m->s[ABBREV], code);
	put_uleb(&m->s[ABBREV], tag);
	put8(&m->s[ABBREV], children);
	va_start(ap, children);
	while ((v = va_arg(ap, unsigned))) {
		put_uleb(&m->s[ABBREV], v);
		put_uleb(&m->s[ABBREV], va_arg(ap, unsigned));
	}
	va_end(ap);
	put16(&m->s[ABBREV], 0);
}

static uint32_t str(struct made *m, const char *text)
{
	uint32_t at = (uint32_t)m->s[STR].len;

	pt_buf_add(&m->s[STR], text, strlen(text) + 1);
	return at;
}

static void unit_begin(struct made *m, uint16_t version, uint32_t abbrevs)
{
	struct pt_buf *b = &m->s[INFO];

	m->unit = b->len;
	put32(b, 0);
	put16(b, version);
	if (version >= 5) {
		put8(b, DW_UT_compile);
		put8(b, 8);
	}
	put32(b, abbrevs);
	if (version < 5)
		put8(b, 8);
}

/* The offset of what comes next: in the section, in the unit. */
static uint32_t at(const struct made *m) { return (uint32_t)m->s[INFO].len; }
static uint32_t in_unit(const struct made *m) { return (uint32_t)(m->s[INFO].len - m->unit); }

static void unit_end(struct made *m)
{
	uint32_t len;

	put8(&m->s[INFO], 0);
	len = (uint32_t)(m->s[INFO].len - m->unit - 4);
	memcpy(m->s[INFO].data + m->unit, &len, 4);
}

static void open_made(struct made *m)
{
	static const char names[] = "\0.debug_info\0.debug_abbrev\0.debug_str\0.debug_str_offsets\0.names";
	static const unsigned name_at[NR] = { 1, 13, 27, 38 };
	Elf64_Shdr s[NR + 2] = { { .sh_name = 0 } };
	Elf64_Ehdr h = { .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = 1, .e_ehsize = sizeof(h), .e_shentsize = sizeof(*s), .e_shnum = NR + 2, .e_shstrndx = NR + 1 };
	struct pt_buf b = PT_BUF_INIT;
	struct pt_err e;
	size_t i;

	memcpy(h.e_ident, ELFMAG "\2\1\1", 7);
	pt_buf_add(&b, (const char *)&h, sizeof(h));
	for (i = 0; i < NR; i++) {
		s[i + 1] = (Elf64_Shdr){ .sh_name = name_at[i], .sh_type = SHT_PROGBITS, .sh_offset = b.len, .sh_size = m->s[i].len, .sh_addralign = 1 };
		if (m->s[i].len)
			pt_buf_add(&b, m->s[i].data, m->s[i].len);
	}
	s[NR + 1] = (Elf64_Shdr){ .sh_name = 57, .sh_type = SHT_STRTAB, .sh_offset = b.len, .sh_size = sizeof(names), .sh_addralign = 1 };
	pt_buf_add(&b, names, sizeof(names));
	h.e_shoff = b.len;
	pt_buf_add(&b, (const char *)s, sizeof(s));
	memcpy(b.data, &h, sizeof(h));
	if (pt_object_open_memory(&m->o, pt_test_guarded(b.data, b.len), b.len, "made", &e) < 0)
		FAIL("%s", e.msg);
	m->d = pt_dwarf_new(m->o);
	CHECK(m->d);
	pt_buf_deinit(&b);
}

static void drop(struct made *m)
{
	size_t i;

	pt_dwarf_free(m->d);
	pt_object_put(m->o);
	for (i = 0; i < NR; i++)
		pt_buf_deinit(&m->s[i]);
}

static bool is_name(const char *name, const char *want)
{
	return !strcmp(name, want) || !strcmp(name, "_Z6targetv");
}

static bool is(void *arg, const char *name)
{
	return is_name(name, arg);
}

struct walk { const uint64_t *places; size_t nr, seen; bool all; };

static bool see(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around)
{
	struct walk *w = arg;
	struct pt_dw_name n = pt_dw_name(die);
	const char *plain = pt_dw_plain_name(die);
	bool there = false;
	size_t i;

	(void)around;
	if ((!n.name || !is_name(n.name, "target")) && (!plain || !is_name(plain, "target")))
		return true;
	w->seen++;
	for (i = 0; i < w->nr; i++)
		there |= w->places[i] == die->off;
	w->all &= there;
	return true;
}

/* "may" of each unit, a letter each: - no, y yes and the places told, ? yes and all of it. What a whole walk finds must have been told. */
static void check(struct made *m, const char *want, const char *may)
{
	const char *last = strrchr(want, ':') ? strrchr(want, ':') + 1 : want;
	struct pt_dw_find_opts o = { .want = want, .also = last == want ? NULL : last, .word = last, .is = is, .arg = (void *)(uintptr_t)want };
	struct pt_dw_find *f;
	struct pt_dw_unit *u;
	char got[MAX_UNITS + 1] = "";
	size_t i;

	open_made(m);
	f = pt_dw_find_new(&o);
	for (i = 0; i < MAX_UNITS && (u = pt_dw_unit_nr(m->d->main, i)); i++) {
		struct walk w = { .all = true }, near = { .all = true };
		uint64_t *places;
		size_t nr;

		got[i] = !pt_dw_find_may(f, u) ? '-' : pt_dw_find_places(f, u, &places, &nr) ? 'y' : '?';
		if (got[i] == 'y') {
			w.places = near.places = places;
			w.nr = near.nr = nr;
		}
		pt_dw_functions(u, see, &w);
		if (got[i] == 'y')
			pt_dw_functions_near(u, places, nr, see, &near);
		if ((got[i] == '-' && w.seen) || (got[i] == 'y' && (!w.all || near.seen != w.seen)))
			FAIL("unit %zu: %c, with %zu functions, %zu of them near the places", i, got[i], w.seen, near.seen);
		if (got[i] == 'y')
			free(places);
	}
	CHECK_STR(got, may);
	pt_dw_find_free(f);
	drop(m);
}

/* 1 unit, 2 a function's declaration, 3 a variable, 5 a function that stems from one, 7 one inlined, 9 a call, 300 a function with code. */
static void abbrevs(struct made *m)
{
	abbrev(m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, 0);
	abbrev(m, 2, DW_TAG_subprogram, false, DW_AT_external, DW_FORM_flag_present, DW_AT_name, DW_FORM_strp, 0);
	abbrev(m, 3, DW_TAG_variable, false, DW_AT_name, DW_FORM_strp, 0);
	abbrev(m, 5, DW_TAG_subprogram, false, DW_AT_specification, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(m, 300, DW_TAG_subprogram, true, DW_AT_name, DW_FORM_strp, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(m, 7, DW_TAG_inlined_subroutine, false, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(m, 9, DW_TAG_call_site, false, DW_AT_call_return_pc, DW_FORM_addr, DW_AT_call_origin, DW_FORM_ref4, 0);
}

static void root(struct made *m)
{
	unit_begin(m, 5, 0);
	put8(&m->s[INFO], 1);
	put8(&m->s[INFO], DW_LANG_C_plus_plus_14);
}

static void named(struct made *m, unsigned code, uint32_t name)
{
	put_uleb(&m->s[INFO], code);
	put32(&m->s[INFO], name);
}

TEST(by_offset)
{
	struct made m = { .unit = 0 };
	uint32_t other, target;

	abbrevs(&m);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	other = str(&m, "targets");
	target = str(&m, "target");
	root(&m);
	named(&m, 2, other);
	unit_end(&m);
	root(&m);
	named(&m, 2, target);
	unit_end(&m);
	root(&m);
	named(&m, 3, target);		/* a variable: no function, but that takes a look */
	unit_end(&m);
	root(&m);
	named(&m, 300, target);
	put64(&m.s[INFO], 0x1000);
	put32(&m.s[INFO], 0x80);
	put8(&m.s[INFO], 0);
	unit_end(&m);
	check(&m, "target", "-yyy");
}

/* Names that begin within others: of linkers that keep one of two strings. */
TEST(ends_of_strings)
{
	struct made m = { .unit = 0 };
	uint32_t in;

	abbrevs(&m);
	put8(&m.s[ABBREV], 0);
	str(&m, "no");
	in = str(&m, "a_target");
	root(&m);
	named(&m, 2, in);
	unit_end(&m);
	root(&m);
	named(&m, 2, in + 2);
	unit_end(&m);
	check(&m, "target", "-y");
}

/* What a function is in may be told by where its entry stands alone (Fortran's modules). */
TEST(behind_a_scope)
{
	struct made m = { .unit = 0 };
	uint32_t target, other;

	abbrevs(&m);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	target = str(&m, "target");
	other = str(&m, "targets");
	root(&m);
	named(&m, 2, target);
	unit_end(&m);
	root(&m);
	named(&m, 2, other);
	unit_end(&m);
	check(&m, "ns::target", "y-");
}

/* Mangled names, and several strings: more values than are looked for one by one. */
TEST(many_strings)
{
	struct made m = { .unit = 0 };
	uint32_t last = 0, mangled;
	int i;

	abbrevs(&m);
	put8(&m.s[ABBREV], 0);
	for (i = 0; i < 600; i++)	/* small offsets stand everywhere */
		str(&m, "nothing of all this");
	for (i = 0; i < 40; i++)
		last = str(&m, "target");
	mangled = str(&m, "_Z6targetv");
	str(&m, "_Z7targetsv");
	root(&m);
	named(&m, 2, mangled);
	unit_end(&m);
	root(&m);
	named(&m, 2, last);
	unit_end(&m);
	root(&m);
	named(&m, 2, mangled + 11);
	unit_end(&m);
	check(&m, "target", "yy-");
}

/* Short names stand in the entry itself, linkage names behind them. */
TEST(in_place)
{
	struct made m = { .unit = 0 };
	uint32_t mangled;

	abbrevs(&m);
	abbrev(&m, 4, DW_TAG_subprogram, false, DW_AT_external, DW_FORM_flag, DW_AT_name, DW_FORM_string, DW_AT_decl_line, DW_FORM_data1, DW_AT_linkage_name, DW_FORM_strp, 0);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	mangled = str(&m, "_Z6targetv");
	root(&m);
	put8(&m.s[INFO], 4);
	put8(&m.s[INFO], 1);
	pt_buf_add(&m.s[INFO], "target\0\7", 8);
	put32(&m.s[INFO], 0);
	unit_end(&m);
	root(&m);
	put8(&m.s[INFO], 4);
	put8(&m.s[INFO], 1);
	pt_buf_add(&m.s[INFO], "tgt\0\7", 5);
	put32(&m.s[INFO], mangled);
	unit_end(&m);
	root(&m);
	put8(&m.s[INFO], 4);
	put8(&m.s[INFO], 1);
	pt_buf_add(&m.s[INFO], "tgt\0\7", 5);
	put32(&m.s[INFO], 0);
	unit_end(&m);
	check(&m, "target", "yy-");
}

/* Numbers of two bytes, chains, what is inlined; calls are not. */
TEST(within_a_unit)
{
	struct made m = { .unit = 0 };
	struct pt_dw_find_opts o = { .want = "target", .word = "target", .is = is, .arg = (void *)(uintptr_t)"target" };
	uint32_t target, other, declared, of, inlined = 0;
	struct pt_dw_find *f;
	uint64_t *v;
	size_t nr;
	int i;

	abbrevs(&m);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	target = str(&m, "target");
	other = str(&m, "other");
	root(&m);
	named(&m, 3, other);
	declared = in_unit(&m);
	named(&m, 2, target);
	for (i = 0; i < 3; i++) {	/* functions with code; the second has it inlined, the third calls it */
		named(&m, 300, other);
		put64(&m.s[INFO], 0x1000 + 0x100 * (uint64_t)i);
		put32(&m.s[INFO], 0x80);
		if (i == 1)
			inlined = at(&m);
		if (i)
			put8(&m.s[INFO], i == 1 ? 7 : 9);
		if (i == 2)
			put64(&m.s[INFO], 0x1220);
		if (i)
			put32(&m.s[INFO], declared);
		if (i == 1) {
			put64(&m.s[INFO], 0x1110);
			put32(&m.s[INFO], 8);
		}
		put8(&m.s[INFO], 0);
	}
	of = at(&m);
	put8(&m.s[INFO], 5);
	put32(&m.s[INFO], declared);
	put64(&m.s[INFO], 0x2000);
	put32(&m.s[INFO], 0x80);
	unit_end(&m);
	open_made(&m);
	f = pt_dw_find_new(&o);
	CHECK(pt_dw_find_places(f, pt_dw_unit_nr(m.d->main, 0), &v, &nr));
	CHECK_INT(nr, 3);
	CHECK_INT(v[0], declared);
	CHECK_INT(v[1], inlined);
	CHECK_INT(v[2], of);
	free(v);
	pt_dw_find_free(f);
	drop(&m);
}

/* Functions that stem from entries of other units, or have their names from another file: nothing is known of these units without reading them. */
TEST(across_units)
{
	static const unsigned forms[] = { DW_FORM_ref_addr, DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sig8 };
	size_t i;

	for (i = 0; i < PT_NR(forms); i++) {
		struct made m = { .unit = 0 };
		uint32_t other, target, of, second;

		abbrevs(&m);
		put8(&m.s[ABBREV], 0);
		second = (uint32_t)m.s[ABBREV].len;
		abbrev(&m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, 0);
		abbrev(&m, 2, i & 1 ? DW_TAG_inlined_subroutine : DW_TAG_subprogram, false, DW_AT_abstract_origin, forms[i], 0);
		put8(&m.s[ABBREV], 0);
		str(&m, "");
		other = str(&m, "other");
		target = str(&m, "target");
		root(&m);
		named(&m, 2, other);
		of = at(&m);
		named(&m, 2, target);
		unit_end(&m);
		unit_begin(&m, 5, second);
		put16(&m.s[INFO], 1 | DW_LANG_C_plus_plus_14 << 8);
		put8(&m.s[INFO], 2);
		put32(&m.s[INFO], forms[i] == DW_FORM_ref_addr ? of : 0);
		if (forms[i] == DW_FORM_ref_sig8)
			put32(&m.s[INFO], 0);
		unit_end(&m);
		check(&m, "target", "y?");
	}
}

TEST(names_of_elsewhere)
{
	static const unsigned forms[] = { DW_FORM_GNU_strp_alt, DW_FORM_strp_sup, DW_FORM_line_strp, DW_FORM_indirect };
	size_t i;

	for (i = 0; i < PT_NR(forms); i++) {
		struct made m = { .unit = 0 };

		abbrev(&m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, 0);
		abbrev(&m, 2, DW_TAG_subprogram, false, DW_AT_name, forms[i], 0);
		put8(&m.s[ABBREV], 0);
		str(&m, "");
		root(&m);
		put8(&m.s[INFO], 2);
		put32(&m.s[INFO], 0);
		unit_end(&m);
		check(&m, "target", "?");
	}
}

/* Through tables of offsets, each unit's own. */
TEST(by_index)
{
	struct made m = { .unit = 0 };
	uint32_t other, target, base[2];
	int i;

	abbrev(&m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, DW_AT_str_offsets_base, DW_FORM_sec_offset, 0);
	abbrev(&m, 2, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_strx1, 0);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	other = str(&m, "other");
	target = str(&m, "target");
	for (i = 0; i < 2; i++) {
		put32(&m.s[STR_OFFSETS], 4 + 4 * 3);
		put32(&m.s[STR_OFFSETS], 5);
		base[i] = (uint32_t)m.s[STR_OFFSETS].len;
		put32(&m.s[STR_OFFSETS], 0);
		put32(&m.s[STR_OFFSETS], other);
		put32(&m.s[STR_OFFSETS], i ? target : other);
	}
	for (i = 0; i < 2; i++) {
		root(&m);
		put32(&m.s[INFO], base[i]);
		put8(&m.s[INFO], 2);
		put8(&m.s[INFO], 2);
		unit_end(&m);
	}
	check(&m, "target", "-?");
}

/* The name stands behind something of another size each time. */
TEST(behind_a_block)
{
	struct made m = { .unit = 0 };
	uint32_t target, other;

	abbrev(&m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, 0);
	abbrev(&m, 2, DW_TAG_subprogram, false, DW_AT_frame_base, DW_FORM_exprloc, DW_AT_name, DW_FORM_strp, 0);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	target = str(&m, "target");
	other = str(&m, "other");
	root(&m);
	pt_buf_add(&m.s[INFO], "\2\2\1\2", 4);
	put32(&m.s[INFO], target);
	unit_end(&m);
	root(&m);
	pt_buf_add(&m.s[INFO], "\2\1\1", 3);
	put32(&m.s[INFO], other);
	unit_end(&m);
	check(&m, "target", "?-");
}

/* Of a hostile unit: each place of the name would be tried with each kind of entry. To read it is faster. */
TEST(many_kinds_of_entries)
{
	struct made m = { .unit = 0 };
	uint32_t target;
	unsigned i;

	abbrev(&m, 1, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1, 0);
	for (i = 2; i < 102; i++)
		abbrev(&m, i, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_strp, 0);
	put8(&m.s[ABBREV], 0);
	str(&m, "");
	target = str(&m, "target");
	root(&m);
	for (i = 0; i < 1000; i++)
		named(&m, 2, target);
	unit_end(&m);
	root(&m);
	for (i = 0; i < 1000; i++)
		named(&m, 2, i % 100 ? 0 : target);
	unit_end(&m);
	check(&m, "target", "?y");
}

TEST(scan)
{
	static const char *const words[] = { "x", "ab", "\0\0\1", "target", "0123456789abcdefghij" };
	uint8_t *p = pt_alloc(300), *g = pt_test_guarded(p, 300);
	size_t w, i, len, from;

	for (w = 0; w < PT_NR(words); w++) {
		len = w == 2 ? 3 : strlen(words[w]);
		for (i = 0; i + len <= 300; i++) {
			struct pt_scan s = pt_scan(words[w], len);

			memset(g, 'a', 300);
			memcpy(g + i, words[w], len);
			for (from = 0; from < 300; from += 37)
				CHECK(pt_scan_next(&s, g + from, g + 300) == (from <= i ? g + i : NULL));
			CHECK(!pt_scan_next(&s, g, g + i + len - 1));
		}
	}
	free(p);
}
