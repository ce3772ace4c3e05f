/* elf/gotable.c and its rows (unwind/cfi_go.c) on tables made by hand: the four forms, inlined functions, damage at each byte, cuts at each length. */
#include "test.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/gotable.h"
#include "elf/insn.h"
#include "elf/symtab.h"
#include "unwind/cfi.h"

enum {
	TEXT = 0x1000, NAMES = 0x2000, SHDRS = 0x2100, MODULE = 0x2260, CALLS = 0x23b0, TABLE = 0x2400, ROOM = 0x2900,
	OUTER = TEXT, GOEXIT = TEXT + 0x40, MCALL = TEXT + 0x50, SIGRETURN = TEXT + 0x60, END = TEXT + 0x70,
	RSP = 7, RIP = 16,
	/* within the table */
	STRINGS = 0x100, UNITS = 0x180, FILES = 0x190, NUMBERS = 0x1c0, FUNCTIONS = 0x200, INFO = 0x300, TABLE_BYTES = 0x500,
};

static const uint32_t magic[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };
enum form { GO_1_2, GO_1_16, GO_1_18, GO_1_20, NR_FORMS };

struct image { uint8_t b[ROOM]; size_t at; };

static void u8(struct image *m, unsigned v) { m->b[m->at++] = (uint8_t)v; }
static void u16(struct image *m, unsigned v) { u8(m, v & 255), u8(m, v >> 8); }
static void u32(struct image *m, uint64_t v) { u16(m, v & 0xffff), u16(m, v >> 16 & 0xffff); }
static void u64(struct image *m, uint64_t v) { u32(m, v), u32(m, v >> 32); }
static void bytes(struct image *m, const char *p, size_t n) { memcpy(m->b + m->at, p, n), m->at += n; }

static void section(struct image *m, unsigned name, uint64_t at, uint64_t len)
{
	u32(m, name), u32(m, SHT_PROGBITS), u64(m, SHF_ALLOC), u64(m, at), u64(m, at), u64(m, len), u32(m, 0), u32(m, 0), u64(m, 8), u64(m, 0);
}

/* One of struct _func; its words by their offsets from NUMBERS. */
static void function(struct image *m, enum form form, uint64_t entry, unsigned name, unsigned depths, unsigned files, unsigned lines, unsigned calls)
{
	uint64_t base = form == GO_1_2 ? NUMBERS : 0;

	if (form >= GO_1_18)
		u32(m, entry - TEXT);
	else
		u64(m, entry);
	u32(m, name + (form == GO_1_2 ? STRINGS : 0)), u32(m, 0), u32(m, 0);
	u32(m, depths ? base + depths : 0), u32(m, files ? base + files : 0), u32(m, lines ? base + lines : 0);
	u32(m, 3), u32(m, 0), u32(m, 0);
	if (form >= GO_1_20)
		u32(m, 0);
	u32(m, 0), u32(m, 0), u32(m, calls), u32(m, UINT32_MAX), u32(m, UINT32_MAX), u32(m, UINT32_MAX), u32(m, calls ? 0 : UINT32_MAX);
}

/* Of the runtime: where functions have their data; and there, the one call that is inlined: at byte 4 of main.outer. */
static void module(struct image *m, enum form form)
{
	m->at = MODULE, u64(m, TABLE);
	m->at = MODULE + (form >= GO_1_20 ? 40 : 38) * 8, u64(m, CALLS);
	m->at = CALLS;
	for (int i = 0; i < (form >= GO_1_20 ? 1 : 3); i++)
		u32(m, 0);
	u32(m, 12), u32(m, 4);
}

static void word(struct image *m, enum form form, uint64_t v)
{
	if (form >= GO_1_18)
		u32(m, v);
	else
		u64(m, v);
}

/* main.outer calls at its byte 0x20; its frame is 24 bytes from its byte 4 to 0x38. */
static void table(struct image *m, enum form form, bool text_known)
{
	static const uint64_t entries[] = { OUTER, GOEXIT, MCALL, SIGRETURN };
	static const unsigned names[] = { 1, 12, 27, 41 };
	size_t base = form == GO_1_2 ? 0 : FUNCTIONS, i;

	m->at = TABLE;
	u32(m, magic[form]), u16(m, 0), u8(m, 1), u8(m, 8), u64(m, PT_NR(entries));
	if (form != GO_1_2) {
		u64(m, 2);
		if (form >= GO_1_18)
			u64(m, text_known ? TEXT : 0);
		u64(m, STRINGS), u64(m, UNITS), u64(m, FILES), u64(m, NUMBERS), u64(m, FUNCTIONS);
		m->at = TABLE + FUNCTIONS;
	}
	for (i = 0; i <= PT_NR(entries); i++) {
		word(m, form, (i < PT_NR(entries) ? entries[i] : END) - (form >= GO_1_18 ? TEXT : 0));
		if (i < PT_NR(entries))
			word(m, form, INFO + i * 0x60 - base);
	}
	if (form == GO_1_2)
		u32(m, UNITS);
	for (i = 0; i < PT_NR(entries); i++) {
		m->at = TABLE + INFO + i * 0x60;
		function(m, form, entries[i], names[i], i ? 0x12 : 1, i ? 0 : 8, i ? 0 : 12, i ? 0 : 0x20);
	}
	m->at = TABLE + STRINGS;
	bytes(m, "\0main.outer\0runtime.goexit\0runtime.mcall\0runtime.sigreturn", 59);
	m->at = TABLE + UNITS;
	u32(m, form == GO_1_2 ? FILES + 1 : 1), u32(m, form == GO_1_2 ? FILES + 1 : 1);
	m->at = TABLE + FILES;
	bytes(m, "\0/src/main.go", 14);
	m->at = TABLE + NUMBERS + 1;
	bytes(m, "\x02\x04\x30\x34\x2f\x08\0", 7);		/* 0 up to 4, 24 up to 0x38, 0 up to 0x40 */
	bytes(m, form == GO_1_2 ? "\x04\x40\0\0" : "\x02\x40\0\0", 4);	/* file 1, or 0 of the unit */
	bytes(m, "\x10\x10\x04\x30\0\0", 6);			/* line 7 up to 0x10, 9 up to 0x40 */
	bytes(m, "\x02\x70\0", 3);				/* no frame */
	m->at = TABLE + NUMBERS + 0x20;
	bytes(m, "\0\x10\x02\x30\0", 5);			/* -1 up to 0x10, 0 up to 0x40 */
	m->at = MCALL + 8 - 3;
	bytes(m, "\x41\xff\xd4", 3);				/* call *%r12 */
}

/* Of as many bytes as there are, for the sanitizer. The table is last. */
static struct pt_object *open_image(uint8_t **room, const struct image *m, size_t table_bytes)
{
	struct pt_object *o = NULL;
	struct pt_err e;

	*room = malloc(TABLE + table_bytes);
	memcpy(*room, m->b, TABLE + table_bytes);
	if (pt_object_open_memory(&o, *room, TABLE + table_bytes, "image", &e) < 0)
		FAIL("%s", e.msg);
	return o;
}

static void image(struct image *m, enum form form, bool text_known, size_t table_bytes)
{
	static const char names[] = "\0.text\0.gopclntab\0.names\0.noptrdata";

	memset(m, 0, sizeof(*m));
	bytes(m, "\x7f" "ELF\x02\x01\x01", 7), m->at = 16;
	u16(m, ET_DYN), u16(m, EM_X86_64), u32(m, 1), u64(m, 0), u64(m, 64), u64(m, SHDRS), u32(m, 0);
	u16(m, 64), u16(m, 56), u16(m, 1), u16(m, 64), u16(m, 5), u16(m, 3);
	u32(m, PT_LOAD), u32(m, PF_R | PF_X), u64(m, 0), u64(m, 0), u64(m, 0), u64(m, TABLE + table_bytes), u64(m, ROOM), u64(m, 4096);
	memcpy(m->b + NAMES, names, sizeof(names));
	m->at = SHDRS + 64;
	section(m, 1, TEXT, END - TEXT), section(m, 7, TABLE, table_bytes), section(m, 18, NAMES, sizeof(names)), section(m, 25, MODULE, CALLS - MODULE);
	table(m, form, text_known);
	module(m, form);
}

static int cfa_off(struct pt_object *o, uint64_t vaddr)
{
	const struct pt_row *r = pt_cfi_row(o, vaddr);

	return r && r->cfa_reg == RSP && r->nr_rules == 1 && r->rules[0].reg == RIP ? r->cfa_off : -1;
}

static bool is_top(struct pt_object *o, uint64_t vaddr)
{
	const struct pt_row *r = pt_cfi_row(o, vaddr);

	return r && r->nr_rules == 1 && r->rules[0].rule == PT_RULE_UNDEFINED;
}

static void check_whole(struct pt_object *o, enum form form)
{
	const struct pt_gotable *t = pt_gotable_of(o);
	struct pt_gofunction f;
	struct pt_symbol s;
	uint64_t start, end;
	struct pt_goframe x[4];

	if (!t)
		FAIL("no table");
	CHECK_INT(pt_gotable_nr(t), 4);
	CHECK(!pt_gotable_find(t, OUTER - 1, &f) && !pt_gotable_find(t, END, &f));
	CHECK(pt_gotable_find(t, GOEXIT - 1, &f));
	CHECK_STR(f.name, "main.outer");
	CHECK(f.entry == OUTER && f.end == GOEXIT);
	CHECK_INT(pt_gotable_frames(t, &f, OUTER + 0xf, x, 4), 1);
	CHECK_STR(x[0].name, "main.outer");
	CHECK_STR(x[0].file, "/src/main.go");
	CHECK_INT(x[0].line, 7);
	if (form < GO_1_18) {
		CHECK_INT(pt_gotable_frames(t, &f, OUTER + 0x10, x, 4), 1);
	} else {
		CHECK_INT(pt_gotable_frames(t, &f, OUTER + 0x10, x, 4), 2);
		CHECK_STR(x[0].name, "runtime.goexit");
		CHECK_STR(x[1].name, "main.outer");
		CHECK_STR(x[1].file, "/src/main.go");
		CHECK_INT(x[1].line, 7);
		CHECK_INT(pt_gotable_frames(t, &f, OUTER + 0x10, x, 1), 1);
		CHECK_STR(x[0].name, "main.outer");
	}
	CHECK_INT(x[0].line, 9);
	CHECK(pt_symtab_find(pt_symtab_of(o), GOEXIT + 1, &s));
	CHECK_STR(s.name, "runtime.goexit");
	CHECK(pt_gotable_find(t, GOEXIT, &f) && pt_gotable_frames(t, &f, GOEXIT, x, 4) == 1 && !*x[0].file);
	CHECK_INT(cfa_off(o, OUTER + 3), 8);
	CHECK_INT(cfa_off(o, OUTER + 4), 32);
	CHECK_INT(cfa_off(o, OUTER + 0x37), 32);
	CHECK_INT(cfa_off(o, OUTER + 0x38), 8);
	CHECK(pt_cfi_range(o, OUTER + 9, &start, &end) && start == OUTER && end == GOEXIT);
	CHECK(is_top(o, GOEXIT + 1));
	CHECK(!is_top(o, MCALL + 2) && cfa_off(o, MCALL + 2) == 8);
	CHECK(is_top(o, MCALL + 7));		/* behind its call */
	CHECK(!pt_cfi_row(o, SIGRETURN));	/* the registers are where the kernel put them */
}

TEST(all_forms)
{
	for (enum form form = 0; form < NR_FORMS; form++)
		for (int text_known = 0; text_known < 2; text_known++) {
			struct image *m = calloc(1, sizeof(*m));
			struct pt_object *o;
			uint8_t *room;

			image(m, form, text_known, TABLE_BYTES);
			o = open_image(&room, m, TABLE_BYTES);
			check_whole(o, form);
			pt_object_put(o);
			free(room);
			free(m);
		}
}

/* The table has no depth of a C function: its instructions tell. */
TEST(c_function)
{
	static const char code[] = "\x55\x53\x48\x83\xec\x18\xe8\0\0\0\0\xc3";	/* push %rbp; push %rbx; sub $24, %rsp; call; ret */
	struct image m;
	uint8_t *room;
	struct pt_object *o;
	const struct pt_row *r;

	if (!pt_insn_len(EM_X86_64, (const uint8_t *)"\xc3", 1))
		SKIP("without Zydis");
	image(&m, GO_1_20, true, TABLE_BYTES);
	memcpy(m.b + OUTER, code, sizeof(code));
	memset(m.b + TABLE + INFO + 4 + 3 * 4, 0, 4);
	o = open_image(&room, &m, TABLE_BYTES);
	CHECK_INT(cfa_off(o, OUTER), 8);
	r = pt_cfi_row(o, OUTER + 6);
	CHECK(r && r->cfa_reg == RSP && r->cfa_off == 8 + 16 + 24 && r->nr_rules == 3);
	CHECK(r->rules[0].reg == 3 && r->rules[0].off == -24);	/* rbx */
	CHECK(r->rules[1].reg == 6 && r->rules[1].off == -16);	/* rbp */
	CHECK(r->rules[2].reg == RIP && r->rules[2].off == -8);
	CHECK(!pt_cfi_row(o, OUTER + 12));	/* nothing leads behind the ret */
	pt_object_put(o);
	free(room);
}

/* Anything may come out, from within the file. */
static void use(const struct image *m, size_t table_bytes)
{
	uint8_t *room;
	struct pt_object *o = open_image(&room, m, table_bytes);
	const struct pt_gotable *t = pt_gotable_of(o);
	struct pt_gofunction f;
	struct pt_goframe x[8];
	size_t bytes_used = 0, nr;

	for (uint64_t at = TEXT; at < END; at += 3) {
		pt_cfi_row(o, at);
		if (!t || !pt_gotable_find(t, at, &f))
			continue;
		CHECK(f.entry <= at && at < f.end);
		bytes_used += strlen(f.name);
		nr = pt_gotable_frames(t, &f, at, x, PT_NR(x));
		CHECK(nr >= 1 && nr <= PT_NR(x) && x[nr - 1].name == f.name);
		for (size_t i = 0; i < nr; i++)
			bytes_used += strlen(x[i].name) + strlen(x[i].file);
	}
	for (struct pt_symbol s = { 0 }; pt_symtab_at(pt_symtab_of(o), bytes_used % 4, &s) && bytes_used % 4; bytes_used--)
		CHECK(strlen(s.name) < ROOM);
	pt_object_put(o);
	free(room);
}

TEST(damaged)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (enum form form = 0; form < NR_FORMS; form++)
		for (size_t at = TABLE + 5; at < TABLE + TABLE_BYTES; at++)
			for (size_t k = 0; k < PT_NR(values); k++) {
				struct image m;

				image(&m, form, true, TABLE_BYTES);
				if (m.b[at] == values[k] || (at > TABLE + 0x80 && !m.b[at] && k % 3))
					continue;
				m.b[at] = values[k];
				use(&m, TABLE_BYTES);
			}
}

TEST(cut_short)
{
	for (enum form form = 0; form < NR_FORMS; form++)
		for (size_t len = 0; len < TABLE_BYTES; len++) {
			struct image m;

			image(&m, form, true, len);
			use(&m, len);
		}
}

/* A section full of what begins as a table does, each in need of a search through many relocations. */
TEST(costly)
{
	enum { HEAD = 0x40 + 0x38, NR = 1 << 17, DATA = 0x10000, RELOCATIONS = DATA + NR * 32, NAMES_AT = RELOCATIONS + NR * 24, SIZE = NAMES_AT + 0x1000 };
	static const char names[] = "\0.go.buildinfo\0.data.rel.ro\0.rela.dyn\0.names";
	struct image m = { .at = 0 };
	struct pt_object *o = NULL;
	uint8_t *room = calloc(1, SIZE);
	struct pt_err e;

	bytes(&m, "\x7f" "ELF\x02\x01\x01", 7), m.at = 16;
	u16(&m, ET_DYN), u16(&m, EM_X86_64), u32(&m, 1), u64(&m, 0), u64(&m, 64), u64(&m, NAMES_AT + 0x100), u32(&m, 0);
	u16(&m, 64), u16(&m, 56), u16(&m, 1), u16(&m, 64), u16(&m, 5), u16(&m, 4);
	u32(&m, PT_LOAD), u32(&m, PF_R), u64(&m, 0), u64(&m, 0), u64(&m, 0), u64(&m, SIZE), u64(&m, SIZE), u64(&m, 4096);
	memcpy(room, m.b, HEAD);
	m.at = 64;
	section(&m, 1, 0x1000, 32), section(&m, 15, DATA, NR * 32), section(&m, 28, RELOCATIONS, NR * 24), section(&m, 38, NAMES_AT, sizeof(names));
	memcpy(room + NAMES_AT + 0x100, m.b, 5 * 64);
	memset(room + NAMES_AT + 0x100, 0, 64);
	memcpy(room + NAMES_AT, names, sizeof(names));
	for (size_t at = DATA; at < RELOCATIONS; at += 32)
		memcpy(room + at, "\xf1\xff\xff\xff\0\0\x01\x08", 8);
	alarm(60);
	if (pt_object_open_memory(&o, room, SIZE, "image", &e) < 0)
		FAIL("%s", e.msg);
	CHECK(!pt_gotable_of(o));
	pt_object_put(o);
	free(room);
}

TEST(no_table)
{
	static const struct { size_t at; uint8_t v; } wrong[] = { { 0, 0xf2 }, { 4, 1 }, { 6, 0 }, { 6, 8 }, { 7, 4 } };
	struct pt_object *o;
	struct image m;
	uint8_t *room;

	for (size_t i = 0; i < PT_NR(wrong); i++) {
		image(&m, GO_1_20, true, TABLE_BYTES);
		m.b[TABLE + wrong[i].at] = wrong[i].v;
		o = open_image(&room, &m, TABLE_BYTES);
		CHECK(!pt_gotable_of(o) && !pt_cfi_row(o, OUTER + 4));
		pt_object_put(o);
		free(room);
	}
}
