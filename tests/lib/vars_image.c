/* Debug information by hand (DWARF 5, 32-bit offsets), for locations that no compiler would write. */
#include "vars.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct out {
	uint8_t *p;
	size_t len;
	bool big;
};

enum { ROOM = 1 << 17 };

static void u(struct out *o, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes && o->len < ROOM; i++)
		o->p[o->len++] = (uint8_t)(v >> 8 * (o->big ? bytes - 1 - i : i));
}

static void uleb(struct out *o, uint64_t v)
{
	do {
		u(o, (v & 127) | (v > 127 ? 128 : 0), 1);
		v >>= 7;
	} while (v);
}

static void str(struct out *o, const char *s)
{
	do
		u(o, (uint8_t)*s, 1);
	while (*s++);
}

static void block(struct out *o, const void *p, size_t len)
{
	uleb(o, len);
	if (o->len + len < ROOM && len)
		memcpy(o->p + o->len, p, len);
	o->len += o->len + len < ROOM ? len : 0;
}

enum { A_CU = 1, A_BASE, A_PTR, A_STRUCT, A_MEMBER, A_BITS, A_ARRAY, A_RANGE, A_FUNC, A_VAR, A_PARAM, A_VAR_NONE, A_CONST };

static void abbrev(struct out *o, unsigned code, unsigned tag, bool children, const uint16_t *attrs)
{
	uleb(o, code);
	uleb(o, tag);
	u(o, children, 1);
	for (; *attrs; attrs += 2) {
		uleb(o, attrs[0]);
		uleb(o, attrs[1]);
	}
	u(o, 0, 2);
}

static void abbrevs(struct out *o)
{
	abbrev(o, A_CU, DW_TAG_compile_unit, true, (const uint16_t[]){ DW_AT_language, DW_FORM_data1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0 });
	abbrev(o, A_BASE, DW_TAG_base_type, false, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_byte_size, DW_FORM_data1, DW_AT_encoding, DW_FORM_data1, 0 });
	abbrev(o, A_PTR, DW_TAG_pointer_type, false, (const uint16_t[]){ DW_AT_type, DW_FORM_ref4, DW_AT_byte_size, DW_FORM_data1, 0 });
	abbrev(o, A_STRUCT, DW_TAG_structure_type, true, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_byte_size, DW_FORM_data1, 0 });
	abbrev(o, A_MEMBER, DW_TAG_member, false, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_data_member_location, DW_FORM_data1, 0 });
	abbrev(o, A_BITS, DW_TAG_member, false,
	       (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_data_bit_offset, DW_FORM_data1, DW_AT_bit_size, DW_FORM_data1, 0 });
	abbrev(o, A_ARRAY, DW_TAG_array_type, true, (const uint16_t[]){ DW_AT_type, DW_FORM_ref4, 0 });
	abbrev(o, A_RANGE, DW_TAG_subrange_type, false, (const uint16_t[]){ DW_AT_count, DW_FORM_data1, 0 });
	abbrev(o, A_FUNC, DW_TAG_subprogram, true,
	       (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_frame_base, DW_FORM_exprloc, DW_AT_type, DW_FORM_ref4, 0 });
	abbrev(o, A_VAR, DW_TAG_variable, false, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_location, DW_FORM_exprloc, 0 });
	abbrev(o, A_PARAM, DW_TAG_formal_parameter, false, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_location, DW_FORM_exprloc, 0 });
	abbrev(o, A_VAR_NONE, DW_TAG_variable, false, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, 0 });
	abbrev(o, A_CONST, DW_TAG_variable, false, (const uint16_t[]){ DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_const_value, DW_FORM_data8, 0 });
	u(o, 0, 1);
}

static void base(struct out *o, uint32_t *at, const char *name, unsigned bytes, unsigned enc)
{
	*at = (uint32_t)o->len;
	uleb(o, A_BASE);
	str(o, name);
	u(o, bytes, 1);
	u(o, enc, 1);
}

static void pointer(struct out *o, uint32_t *at, uint32_t to, unsigned word)
{
	*at = (uint32_t)o->len;
	uleb(o, A_PTR);
	u(o, to, 4);
	u(o, word, 1);
}

static void array(struct out *o, uint32_t *at, uint32_t of, unsigned nr)
{
	*at = (uint32_t)o->len;
	uleb(o, A_ARRAY);
	u(o, of, 4);
	uleb(o, A_RANGE);
	u(o, nr, 1);
	u(o, 0, 1);
}

static void member(struct out *o, const char *name, uint32_t type, unsigned off)
{
	uleb(o, A_MEMBER);
	str(o, name);
	u(o, type, 4);
	u(o, off, 1);
}

static void bits(struct out *o, const char *name, uint32_t type, unsigned first, unsigned nr)
{
	uleb(o, A_BITS);
	str(o, name);
	u(o, type, 4);
	u(o, first, 1);
	u(o, nr, 1);
}

static void variable(struct out *o, unsigned code, const char *name, uint32_t type)
{
	uleb(o, code);
	str(o, name);
	u(o, type, 4);
}

/* .debug_info: types, `other`, then main with v; *types: where they are. */
static void info(struct out *o, const struct vars_image_opts *opts, uint32_t *types, uint32_t *other)
{
	static const uint8_t cfa = DW_OP_call_frame_cfa;
	unsigned word = opts->word_bytes ? opts->word_bytes : 8;
	uint32_t name8, long_ptr;

	u(o, 0, 4);
	u(o, 5, 2);
	u(o, DW_UT_compile, 1);
	u(o, word, 1);
	u(o, 0, 4);
	uleb(o, A_CU);
	u(o, DW_LANG_C99, 1);
	u(o, 0x1000, word);
	u(o, 0x100, 4);
	base(o, &types[0], "int", 4, DW_ATE_signed);
	base(o, &types[1], "unsigned char", 1, DW_ATE_unsigned_char);
	base(o, &types[2], "long", 8, DW_ATE_signed);
	base(o, &types[3], "double", 8, DW_ATE_float);
	base(o, &types[7], "unsigned long", 8, DW_ATE_unsigned);
	base(o, &types[9], "unsigned int", 4, DW_ATE_unsigned);
	base(o, &types[10], "short", 2, DW_ATE_signed);
	array(o, &types[8], types[0], 3);
	array(o, &name8, types[1], 8);
	pointer(o, &long_ptr, types[2], word);
	pointer(o, &types[6], types[1], word);
	types[4] = (uint32_t)o->len;
	uleb(o, A_STRUCT);
	str(o, "s");
	u(o, 32, 1);
	member(o, "a", types[0], 0);
	member(o, "b", types[10], 4);
	bits(o, "f", types[9], 48, 3);
	bits(o, "g", types[9], 51, 9);
	bits(o, "h", types[0], 60, 4);
	member(o, "name", name8, 8);
	member(o, "p", long_ptr, 16);
	member(o, "wide", types[7], 24);
	u(o, 0, 1);
	pointer(o, &types[5], types[4], word);
	uleb(o, A_FUNC);
	str(o, "main");
	u(o, 0x1000, word);
	u(o, 0x100, 4);
	block(o, opts->frame_base ? opts->frame_base : &cfa, opts->frame_base ? opts->frame_base_len : 1);
	u(o, types[0], 4);
	*other = (uint32_t)o->len;
	variable(o, opts->other_expr ? A_VAR : A_VAR_NONE, "other", types[2]);
	if (opts->other_expr)
		block(o, opts->other_expr, opts->other_expr_len);
	variable(o, opts->constant ? A_CONST : !opts->expr ? A_VAR_NONE : opts->param ? A_PARAM : A_VAR, "v", types[opts->type % 11]);
	if (opts->constant)
		u(o, (uint64_t)opts->value, 8);
	else if (opts->expr)
		block(o, opts->expr, opts->expr_len);
	u(o, 0, 2);
	for (unsigned i = 0; i < 4; i++)
		o->p[i] = (uint8_t)((o->len - 4) >> 8 * (o->big ? 3 - i : i));
}

uint32_t vars_type_off(const struct vars_image_opts *opts, unsigned type)
{
	struct out o = { .p = malloc(ROOM), .big = opts->big_endian };
	uint32_t types[VARS_MAX_TYPES] = { 0 }, other;

	info(&o, opts, types, &other);
	free(o.p);
	return types[type];
}

uint32_t vars_other_off(const struct vars_image_opts *opts)
{
	struct out o = { .p = malloc(ROOM), .big = opts->big_endian };
	uint32_t types[VARS_MAX_TYPES], other;

	info(&o, opts, types, &other);
	free(o.p);
	return other;
}

static void section(struct out *o, unsigned name, unsigned type, uint64_t flags, uint64_t vaddr, uint64_t off, uint64_t len)
{
	u(o, name, 4);
	u(o, type, 4);
	u(o, flags, 8);
	u(o, vaddr, 8);
	u(o, off, 8);
	u(o, len, 8);
	u(o, 0, 8);
	u(o, 1, 8);
	u(o, 0, 8);
}

bool vars_image(struct vars_image *i, const struct vars_image_opts *opts)
{
	static const char names[] = "\0.shstrtab\0.text\0.debug_info\0.debug_abbrev";
	struct out o = { .p = calloc(2, ROOM), .big = opts->big_endian };
	uint32_t types[VARS_MAX_TYPES], other;
	size_t info_at, abbrev_at, names_at, sections_at, info_len, abbrev_len;
	struct out part;

	*i = (struct vars_image){ .data = o.p };
	u(&o, 0x7f, 1);
	str(&o, "ELF");
	o.len = 4;
	u(&o, ELFCLASS64, 1);
	u(&o, opts->big_endian ? ELFDATA2MSB : ELFDATA2LSB, 1);
	u(&o, EV_CURRENT, 1);
	o.len = 16;
	u(&o, ET_DYN, 2);
	u(&o, opts->machine ? opts->machine : EM_X86_64, 2);
	u(&o, 1, 4);
	u(&o, 0, 8);
	u(&o, 64, 8);				/* program headers */
	o.len = 48;
	u(&o, 0, 4);
	u(&o, 64, 2);
	u(&o, 56, 2);
	u(&o, 1, 2);
	u(&o, 64, 2);
	u(&o, 5, 2);
	u(&o, 1, 2);
	u(&o, PT_LOAD, 4);			/* at 64: 0x1000 is at 0x200 of the file */
	u(&o, PF_R | PF_X, 4);
	u(&o, 0x200, 8);
	u(&o, 0x1000, 8);
	u(&o, 0x1000, 8);
	u(&o, 0x100, 8);
	u(&o, 0x100, 8);
	u(&o, 0x100, 8);
	o.len = 0x300;
	info_at = o.len;
	part = (struct out){ .p = o.p + info_at, .big = o.big };
	info(&part, opts, types, &other);
	info_len = part.len;
	abbrev_at = info_at + info_len;
	part = (struct out){ .p = o.p + abbrev_at, .big = o.big };
	abbrevs(&part);
	abbrev_len = part.len;
	names_at = abbrev_at + abbrev_len;
	memcpy(o.p + names_at, names, sizeof(names));
	sections_at = (names_at + sizeof(names) + 7) & ~7ul;
	o.len = sections_at;
	section(&o, 0, SHT_NULL, 0, 0, 0, 0);
	section(&o, 1, SHT_STRTAB, 0, 0, names_at, sizeof(names));
	section(&o, 11, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0x200, 0x100);
	section(&o, 17, SHT_PROGBITS, 0, 0, info_at, info_len);
	section(&o, 29, SHT_PROGBITS, 0, 0, abbrev_at, abbrev_len);
	i->len = o.len;
	o.len = 40;
	u(&o, sections_at, 8);
	elf_version(EV_CURRENT);
	i->elf = elf_memory((char *)i->data, i->len);
	i->dw = i->elf ? dwarf_begin_elf(i->elf, DWARF_C_READ, NULL) : NULL;
	if (!i->dw || pt_object_open_memory(&i->object, i->data, i->len, "image", NULL) < 0 || !vars_at(&i->place, i->dw, i->object, 0x1010, NULL)) {
		vars_image_free(i);
		return false;
	}
	i->place.scope.body_vaddr = 0x1008;
	if (opts->word_bytes)
		i->place.scope.word_bytes = opts->word_bytes;
	return true;
}

void vars_image_free(struct vars_image *i)
{
	dwarf_end(i->dw);
	if (i->elf)
		elf_end(i->elf);
	pt_object_put(i->object);
	free(i->data);
	*i = (struct vars_image){ .data = NULL };
}
