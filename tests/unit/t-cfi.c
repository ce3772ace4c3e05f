/* unwind/cfi.c on sections made by hand: CIE versions, augmentations, encodings, remember and restore, overlapping FDEs, tables that say nothing. */
#include "test.h"

#include <elf.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "unwind/cfi.h"

enum { TEXT = 0x1000, FRAMES = 0x2000, HDR = 0x4000, ROOM = 0x6000, NAMES = 0x5000, SHDRS = 0x5800 };

struct image { uint8_t b[ROOM]; size_t at; size_t len_at; bool debug; uint64_t flags; };

static void u8(struct image *m, unsigned v) { m->b[m->at++] = (uint8_t)v; }
static void u16(struct image *m, unsigned v) { u8(m, v & 255), u8(m, v >> 8); }
static void u32(struct image *m, uint64_t v) { u16(m, v & 0xffff), u16(m, v >> 16 & 0xffff); }
static void u64(struct image *m, uint64_t v) { u32(m, v), u32(m, v >> 32); }
static void bytes(struct image *m, const char *p, size_t n) { memcpy(m->b + m->at, p, n), m->at += n; }
#define CODE(m, s) bytes(m, s, sizeof(s) - 1)

static void begin(struct image *m)
{
	m->len_at = m->at;
	u32(m, 0);
}

static void end(struct image *m)
{
	size_t at = m->at;

	while ((at - m->len_at) % 8)
		m->b[at++] = 0;
	m->at = m->len_at;
	u32(m, at - m->len_at - 4);
	m->at = at;
}

/* A CIE whose CFA is rsp + 8, the return address at -8; its place in the section. */
static size_t cie(struct image *m, unsigned version, const char *augmentation, const char *data, size_t data_len)
{
	size_t at = m->at;

	begin(m);
	u32(m, m->debug ? 0xffffffff : 0);
	u8(m, version);
	bytes(m, augmentation, strlen(augmentation) + 1);
	if (version == 4)
		u8(m, 8), u8(m, 0);
	CODE(m, "\x01\x78");		/* code 1, data -8 */
	u8(m, 16);
	if (*augmentation == 'z')
		u8(m, (unsigned)data_len), bytes(m, data, data_len);
	CODE(m, "\x0c\x07\x08\x90\x01");	/* def_cfa rsp 8; offset rip 1 */
	end(m);
	return at - FRAMES;
}

/* With pointers of 8 bytes, or of 4 counted from where they stand. */
static size_t fde(struct image *m, size_t of, bool pcrel, uint64_t start, uint64_t len, bool z, const char *code, size_t code_len)
{
	size_t at = m->at;

	begin(m);
	u32(m, m->debug ? of : m->at - FRAMES - of);
	if (pcrel)
		u32(m, start - m->at), u32(m, len);
	else
		u64(m, start), u64(m, len);
	if (z)
		u8(m, 0);
	bytes(m, code, code_len);
	end(m);
	return at;
}
#define FDE(m, of, pcrel, start, len, z, code) fde(m, of, pcrel, start, len, z, code, sizeof(code) - 1)

static void section(struct image *m, unsigned name, unsigned type, uint64_t at, uint64_t len)
{
	u32(m, name), u32(m, type), u64(m, SHF_ALLOC | m->flags), u64(m, at), u64(m, at), u64(m, len), u32(m, 0), u32(m, 0), u64(m, 8), u64(m, 0);
}

static struct image *new_image(bool debug)
{
	struct image *m = calloc(1, sizeof(*m));

	m->at = FRAMES;
	m->debug = debug;
	return m;
}

/* Headers around the frames: all of the file is one segment at 0. `hdr`: entries of a search table behind it, -1: there is none. */
static struct pt_object *object_of(struct image *m, int hdr)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.names";
	size_t frames_end = m->at;
	struct pt_object *o = NULL;
	struct pt_err e;

	m->at = 0;
	CODE(m, "\x7f" "ELF\x02\x01\x01"), m->at = 16;
	u16(m, ET_DYN), u16(m, EM_X86_64), u32(m, 1), u64(m, TEXT), u64(m, 64), u64(m, SHDRS), u32(m, 0);
	u16(m, 64), u16(m, 56), u16(m, 2), u16(m, 64), u16(m, 3), u16(m, 2);
	u32(m, PT_LOAD), u32(m, PF_R | PF_X), u64(m, 0), u64(m, 0), u64(m, 0), u64(m, ROOM), u64(m, ROOM), u64(m, 4096);
	u32(m, hdr < 0 ? PT_NULL : PT_GNU_EH_FRAME), u32(m, PF_R), u64(m, HDR), u64(m, HDR), u64(m, HDR), u64(m, 0x400), u64(m, 0x400), u64(m, 4);
	memcpy(m->b + NAMES, names, sizeof(names));
	m->at = SHDRS + 64;
	section(m, m->debug ? 11 : 1, SHT_PROGBITS, FRAMES, frames_end - FRAMES);
	section(m, 24, SHT_STRTAB, NAMES, sizeof(names));
	if (hdr >= 0) {
		m->at = HDR;
		CODE(m, "\x01\x1b\x03\x3b");	/* frames pcrel sdata4, count udata4, table datarel sdata4 */
		u32(m, FRAMES - m->at), u32(m, (uint64_t)hdr);
	}
	if (pt_object_open_memory(&o, pt_test_guarded(m->b, ROOM), ROOM, "image", &e) < 0)
		FAIL("%s", e.msg);
	free(m);
	return o;
}

static void check_cfa(struct pt_object *o, uint64_t vaddr, int off)
{
	const struct pt_row *r = pt_cfi_row(o, vaddr);

	if (!r)
		FAIL("no row at %#llx", (unsigned long long)vaddr);
	CHECK_INT(r->cfa_kind, PT_CFA_REG);
	CHECK_INT(r->cfa_off, off);
	CHECK_INT(r->ra_reg, 16);
}

#define PUSH "\x41\x0e\x10\x86\x02"	/* one byte on: CFA offset 16, rbp at -16 */

static void check_versions(bool debug, unsigned version)
{
	struct image *m = new_image(debug);
	size_t c = cie(m, version, "", NULL, 0);
	struct pt_object *o;

	FDE(m, c, false, TEXT, 0x20, false, PUSH);
	o = object_of(m, -1);
	CHECK(!pt_cfi_row(o, TEXT - 1));
	check_cfa(o, TEXT, 8);
	check_cfa(o, TEXT + 1, 16);
	check_cfa(o, TEXT + 0x1f, 16);
	CHECK(!pt_cfi_row(o, TEXT + 0x20));
	CHECK_INT(pt_cfi_row(o, TEXT + 1)->nr_rules, 2);
	CHECK_INT(pt_cfi_row(o, TEXT + 1)->rules[0].reg, 6);
	CHECK_INT(pt_cfi_row(o, TEXT + 1)->rules[0].off, -16);
	pt_object_put(o);
}

TEST(versions_in_eh_frame) { check_versions(false, 1); check_versions(false, 3); check_versions(false, 4); }
TEST(versions_in_debug_frame_alone) { check_versions(true, 1); check_versions(true, 3); check_versions(true, 4); }

/* As Go's linker leaves it. `damage`: of its content; `size`: what it claims to hold, 0: the truth. */
static void check_packed(uint32_t type, bool damage, uint64_t size)
{
	struct image *m = new_image(true);
	size_t c = cie(m, 3, "", NULL, 0), len;
	uint8_t packed[4096];
	uLongf n = sizeof(packed);
	struct pt_object *o;

	FDE(m, c, false, TEXT, 0x20, false, PUSH);
	len = m->at - FRAMES;
	if (type == ELFCOMPRESS_ZLIB)
		CHECK_INT(compress(packed, &n, m->b + FRAMES, len), Z_OK);
	else
		n = ZSTD_compress(packed, n, m->b + FRAMES, len, 1);
	packed[n / 2] ^= damage ? 0x55 : 0;
	m->at = FRAMES;
	u32(m, type), u32(m, 0), u64(m, size ? size : len), u64(m, 8), bytes(m, (const char *)packed, n);
	m->flags = SHF_COMPRESSED;
	o = object_of(m, -1);
	if (damage || size)
		CHECK(!pt_cfi_row(o, TEXT));
	else
		check_cfa(o, TEXT, 8), check_cfa(o, TEXT + 1, 16);
	pt_object_put(o);
}

TEST(compressed_debug_frame)
{
	check_packed(ELFCOMPRESS_ZLIB, false, 0);
	check_packed(2, false, 0);	/* zstd */
	check_packed(ELFCOMPRESS_ZLIB, true, 0);
	check_packed(ELFCOMPRESS_ZLIB, false, 8);
	check_packed(ELFCOMPRESS_ZLIB, false, 4096);
	check_packed(ELFCOMPRESS_ZLIB, false, 1ull << 60);
}

TEST(unknown_version_has_no_rows)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 9, "", NULL, 0);
	struct pt_object *o;

	FDE(m, c, false, TEXT, 0x20, false, PUSH);
	o = object_of(m, -1);
	CHECK(!pt_cfi_row(o, TEXT));
	pt_object_put(o);
}

TEST(augmentations)
{
	struct image *m = new_image(false);
	size_t plain = cie(m, 1, "zR", "\x1b", 1), signal = cie(m, 1, "zRS", "\x1b", 1);
	size_t all = cie(m, 3, "zPLR", "\x03\x00\x10\x00\x00\x1b\x1b", 7), later = cie(m, 1, "zRq", "\x1b\x55", 2), none = cie(m, 1, "q", NULL, 0);
	struct pt_object *o;

	FDE(m, plain, true, TEXT, 0x10, true, PUSH);
	FDE(m, signal, true, TEXT + 0x10, 0x10, true, PUSH);
	FDE(m, all, true, TEXT + 0x20, 0x10, true, PUSH);
	FDE(m, later, true, TEXT + 0x30, 0x10, true, PUSH);
	FDE(m, none, true, TEXT + 0x40, 0x10, true, PUSH);
	o = object_of(m, -1);
	check_cfa(o, TEXT + 1, 16);
	CHECK(!pt_cfi_row(o, TEXT + 1)->signal);
	check_cfa(o, TEXT + 0x11, 16);
	CHECK(pt_cfi_row(o, TEXT + 0x11)->signal);
	check_cfa(o, TEXT + 0x21, 16);
	check_cfa(o, TEXT + 0x31, 16);
	CHECK(!pt_cfi_row(o, TEXT + 0x41));	/* letters that are not known, without the length of what they stand for */
	pt_object_put(o);
}

TEST(remember_and_restore)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "", NULL, 0);
	struct pt_object *o;

	/* push; remember; pop and return; restore: as behind an early return */
	FDE(m, c, false, TEXT, 0x20, false, PUSH "\x44\x0a\x41\x0e\x08\xc6\x41\x0b\x44\x0a\x0a\x0e\x20\x42\x0b\x0b");
	FDE(m, c, false, TEXT + 0x20, 0x10, false, "\x44\x0b");	/* restore without remember: rows up to there */
	o = object_of(m, -1);
	check_cfa(o, TEXT + 5, 16);
	check_cfa(o, TEXT + 6, 8);
	CHECK_INT(pt_cfi_row(o, TEXT + 6)->nr_rules, 1);
	check_cfa(o, TEXT + 7, 16);
	CHECK_INT(pt_cfi_row(o, TEXT + 7)->nr_rules, 2);
	check_cfa(o, TEXT + 11, 32);
	check_cfa(o, TEXT + 13, 16);
	check_cfa(o, TEXT + 0x23, 8);
	CHECK(!pt_cfi_row(o, TEXT + 0x24));
	pt_object_put(o);
}

TEST(overlapping_functions)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "", NULL, 0);
	struct pt_object *o;

	FDE(m, c, false, TEXT, 0x40, false, "\x0e\x20");
	FDE(m, c, false, TEXT + 0x10, 0x08, false, "\x0e\x30");
	o = object_of(m, -1);
	check_cfa(o, TEXT + 0x0f, 32);
	check_cfa(o, TEXT + 0x10, 48);
	check_cfa(o, TEXT + 0x17, 48);
	check_cfa(o, TEXT + 0x18, 32);		/* the one around */
	check_cfa(o, TEXT + 0x3f, 32);
	pt_object_put(o);
}

TEST(search_table)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "zR", "\x1b", 1), first, second, frames_end;
	struct pt_object *o;

	first = FDE(m, c, true, TEXT, 0x10, true, PUSH);
	second = FDE(m, c, true, TEXT + 0x10, 0x10, true, "\x0e\x30");
	frames_end = m->at;
	m->at = HDR + 12;
	u32(m, TEXT - (uint64_t)HDR), u32(m, first - (uint64_t)HDR), u32(m, TEXT + 0x10 - (uint64_t)HDR), u32(m, second - (uint64_t)HDR);
	m->at = frames_end;
	o = object_of(m, 2);
	CHECK(!pt_cfi_row(o, TEXT - 1));
	check_cfa(o, TEXT + 1, 16);
	check_cfa(o, TEXT + 0x10, 48);
	CHECK(!pt_cfi_row(o, TEXT + 0x20));
	pt_object_put(o);
}

/* Rows end where an instruction cannot be understood. */
TEST(many_instructions)
{
	enum { UP_DOWN = 6, LONG = 100, SHORT = 80 };
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "zR", "\x1b", 1);
	char code[UP_DOWN * LONG + 2];
	struct pt_object *o;
	uint64_t at;
	int i;

	for (i = 0; i < LONG; i++)
		memcpy(code + i * UP_DOWN, "\x41\x0e\x10\x41\x0e\x08", UP_DOWN);	/* one byte on: 16; one byte on: 8 */
	fde(m, c, true, TEXT, 0x100, true, code, UP_DOWN * SHORT);
	fde(m, c, true, TEXT + 0x100, 0x100, true, code, UP_DOWN * LONG);
	memcpy(code + UP_DOWN * SHORT, "\x41\x3f", 2);			/* one byte on: nobody knows 0x3f */
	fde(m, c, true, TEXT + 0x200, 0x100, true, code, UP_DOWN * SHORT + 2);
	memcpy(code + UP_DOWN * SHORT, "\x41\x0e\x10\x41\x0e\x08", UP_DOWN);
	memcpy(code + UP_DOWN * LONG, "\x41\x3f", 2);
	fde(m, c, true, TEXT + 0x300, 0x100, true, code, sizeof(code));
	o = object_of(m, -1);
	for (at = 0; at < 2 * LONG; at++) {
		check_cfa(o, TEXT + at, at < 2 * SHORT && at % 2 ? 16 : 8);
		check_cfa(o, TEXT + 0x100 + at, at % 2 ? 16 : 8);
		CHECK(at <= 2 * SHORT || !pt_cfi_row(o, TEXT + 0x200 + at));
		check_cfa(o, TEXT + 0x300 + at, at % 2 ? 16 : 8);
	}
	check_cfa(o, TEXT + 0xff, 8);
	check_cfa(o, TEXT + 0x200 + 2 * SHORT, 8);
	check_cfa(o, TEXT + 0x300 + 2 * LONG, 8);
	CHECK(!pt_cfi_row(o, TEXT + 0x300 + 2 * LONG + 1));
	/* equal rows are one */
	CHECK(pt_cfi_row(o, TEXT + 1) == pt_cfi_row(o, TEXT + 0x103));
	pt_object_put(o);
}

TEST(search_table_of_none_is_no_table)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "zR", "\x1b", 1);
	struct pt_object *o;

	FDE(m, c, true, TEXT, 0x10, true, PUSH);
	o = object_of(m, 0);
	check_cfa(o, TEXT + 1, 16);
	pt_object_put(o);
}

TEST(expressions_and_other_rules)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "", NULL, 0);
	const struct pt_row *r;
	struct pt_object *o;

	FDE(m, c, false, TEXT, 0x10, false, "\x0f\x03\x76\x78\x06");		/* CFA = *(rbp - 8), of a realigned frame */
	FDE(m, c, false, TEXT + 0x10, 0x10, false, "\x0f\x04\x77\x08\x31\x22");	/* CFA = rsp + 8 + 1 */
	FDE(m, c, false, TEXT + 0x20, 0x10, false, "\x07\x10\x09\x03\x0c\x08\x06\x14\x0c\x02");	/* rip undefined, rbx in r12, rbp same, r12 = CFA - 16 */
	o = object_of(m, -1);
	r = pt_cfi_row(o, TEXT);
	CHECK(r && r->cfa_kind == PT_CFA_DEREF && r->cfa_reg == 6 && r->cfa_off == -8);
	r = pt_cfi_row(o, TEXT + 0x10);
	CHECK(r && r->cfa_kind == PT_CFA_EXPR);
	CHECK_INT(pt_cfi_expr(o, r->cfa_off).len_bytes, 4);
	r = pt_cfi_row(o, TEXT + 0x20);
	CHECK(r && r->nr_rules == 3);
	CHECK(r->rules[0].reg == 3 && r->rules[0].rule == PT_RULE_REGISTER && r->rules[0].off == 12);
	CHECK(r->rules[1].reg == 12 && r->rules[1].rule == PT_RULE_VAL_OFFSET && r->rules[1].off == -16);
	CHECK(r->rules[2].reg == 16 && r->rules[2].rule == PT_RULE_UNDEFINED);
	pt_object_put(o);
}

/* Offsets whose product with the alignment does not fit in 64 bits: no row, and above all no small one. */
TEST(factored_offsets_past_64_bits)
{
#define MOST "\xff\xff\xff\xff\xff\xff\xff\xff\x3f"	/* 2^62 - 1 and more as LEB128, both kinds */
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "", NULL, 0);
	struct pt_object *o;
	unsigned i;

	FDE(m, c, false, TEXT, 0x10, false, "\x12\x07" MOST);		/* def_cfa_sf */
	FDE(m, c, false, TEXT + 0x10, 0x10, false, "\x13" MOST);	/* def_cfa_offset_sf */
	FDE(m, c, false, TEXT + 0x20, 0x10, false, "\x11\x03" MOST);	/* offset_extended_sf */
	FDE(m, c, false, TEXT + 0x30, 0x10, false, "\x05\x03" MOST);	/* offset_extended */
	FDE(m, c, false, TEXT + 0x40, 0x10, false, "\x15\x03" MOST);	/* val_offset_sf */
	FDE(m, c, false, TEXT + 0x50, 0x10, false, "\x14\x03" MOST);	/* val_offset */
	FDE(m, c, false, TEXT + 0x60, 0x10, false, "\x2f\x03" MOST);	/* GNU_negative_offset_extended */
	FDE(m, c, false, TEXT + 0x70, 0x10, false, "\x83" MOST);		/* offset */
	FDE(m, c, false, TEXT + 0x80, 0x10, false, "\x11\x03\x02");	/* a good one: rbx at CFA - 16 */
	o = object_of(m, -1);
	for (i = 0; i < 8; i++)
		if (pt_cfi_row(o, TEXT + 0x10 * i))
			FAIL("function %u has a row", i);
	CHECK_INT(pt_cfi_row(o, TEXT + 0x80)->rules[0].off, -16);
	pt_object_put(o);
#undef MOST
}

/* What says nothing of registers is passed over; arm64's signed return addresses are a state like the others. */
TEST(arguments_and_signatures)
{
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "", NULL, 0);
	struct pt_object *o;

	FDE(m, c, false, TEXT, 0x20, false, "\x2e\x10\x41\x0e\x10\x2e\x81\x01\x41\x2d\x41\x0a\x2d\x41\x0b\x41\x0e\x20");
	o = object_of(m, -1);
	check_cfa(o, TEXT, 8);
	check_cfa(o, TEXT + 1, 16);
	CHECK(!pt_cfi_row(o, TEXT + 1)->ra_signed);
	CHECK(pt_cfi_row(o, TEXT + 2)->ra_signed);
	CHECK(!pt_cfi_row(o, TEXT + 3)->ra_signed);
	CHECK(pt_cfi_row(o, TEXT + 4)->ra_signed);
	check_cfa(o, TEXT + 5, 32);
	pt_object_put(o);
}

static bool remembers(unsigned deep)
{
	static char program[0x3000];
	struct image *m = new_image(false);
	size_t c = cie(m, 1, "", NULL, 0), n = 0;
	struct pt_object *o;
	bool good;

	memset(program, '\x0a', deep), n = deep;
	memcpy(program + n, "\x0e\x30\x41", 3), n += 3;
	memset(program + n, '\x0b', deep), n += deep;
	fde(m, c, false, TEXT, 0x20, false, program, n);
	o = object_of(m, -1);
	good = pt_cfi_row(o, TEXT + 1) && pt_cfi_row(o, TEXT + 1)->cfa_off == 8;
	if (pt_cfi_row(o, TEXT) && good)
		CHECK_INT(pt_cfi_row(o, TEXT)->cfa_off, 48);
	pt_object_put(o);
	return good;
}

TEST(states_remembered_deep)
{
	CHECK(remembers(1));
	CHECK(remembers(1000));
	CHECK(!remembers(3000));	/* more than any compiler's: refused */
}

/* Each byte of the frames damaged in turn, and the file cut at each length: an answer or none, nothing else. */
TEST(damaged)
{
	size_t i;

	for (i = 0; i < 200; i++) {
		struct image *m = new_image(false);
		size_t c = cie(m, 3, "zR", "\x1b", 1);
		struct pt_object *o;
		uint64_t at;

		FDE(m, c, true, TEXT, 0x20, true, PUSH "\x44\x0a\x41\x0e\x08\xc6\x41\x0b");
		m->b[FRAMES + i % 100] ^= i < 100 ? 0xff : 0x80;
		o = object_of(m, (int)(i % 3) - 1);
		for (at = TEXT - 1; at < TEXT + 0x22; at++)
			pt_cfi_row(o, at);
		pt_object_put(o);
	}
}
