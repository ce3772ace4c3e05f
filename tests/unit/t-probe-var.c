#include "test.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>

#include "vars.h"

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static char said[2300];

/* What an argument comes to with the options: its definition, or "no: REASON". */
static const char *with(const struct vars_image_opts *o, const char *arg, void (*change)(struct pt_var_scope *s))
{
	struct vars_image i;
	struct pt_vars vars = PT_VARS_INIT;
	struct pt_err e = PT_ERR_INIT;

	if (!vars_image(&i, o))
		FAIL("no image");
	if (change)
		change(&i.place.scope);
	if (pt_vars_add(&vars, &i.place.scope, arg, NULL, &e) < 0)
		snprintf(said, sizeof(said), "no: %s", e.msg);
	else
		snprintf(said, sizeof(said), "%s", vars.v[0].fetch);
	pt_vars_deinit(&vars);
	vars_image_free(&i);
	return said;
}

static const char *at(unsigned type, const char *arg, const uint8_t *expr, size_t len)
{
	return with(&(struct vars_image_opts){ .type = type, .expr = expr, .expr_len = len }, arg, NULL);
}

enum { INT, UCHAR, LONG, DOUBLE, STRUCT, STRUCT_PTR, CHAR_PTR, ULONG, INTS, UINT, SHORT };

TEST(registers_and_memory)
{
	CHECK_STR(at(INT, "v", BYTES(DW_OP_reg5)), "%di:s32");
	CHECK_STR(at(UCHAR, "v", BYTES(DW_OP_regx, 14)), "%r14:u8");
	CHECK_STR(at(LONG, "v", BYTES(DW_OP_breg7, 8)), "+8(%sp):s64");
	CHECK_STR(at(SHORT, "v", BYTES(DW_OP_breg6, 0x70)), "-16(%bp):s16");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_breg6, 0x70, DW_OP_deref, DW_OP_plus_uconst, 4)), "+4(-16(%bp)):s32");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_bregx, 3, 0)), "+0(%bx):s32");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_breg3, 0, DW_OP_lit8, DW_OP_plus, DW_OP_const1u, 200, DW_OP_minus)), "-192(%bx):s32");
	CHECK_STR(at(INT, "v:x16", BYTES(DW_OP_reg5)), "%di:x16");
	CHECK_HAS(at(INT, "v:u64", BYTES(DW_OP_reg5)), "it has 4 bytes only");
	CHECK_STR(at(LONG, "v:b4@8/16", BYTES(DW_OP_reg5)), "%di:b4@8/64");
	CHECK_STR(at(DOUBLE, "v", BYTES(DW_OP_breg7, 8)), "+8(%sp):x64");
	CHECK_HAS(at(DOUBLE, "v", BYTES(DW_OP_reg17)), "%xmm0");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_reg17)), "%xmm0, which the kernel cannot fetch");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg17, 0)), "depends on %xmm0");
	CHECK_STR(at(DOUBLE, "v:x64", BYTES(DW_OP_breg7, 8)), "+8(%sp):x64");
}

TEST(nothing_but_names_of_what_is_there)
{
	CHECK_HAS(at(INT, "w", BYTES(DW_OP_reg5)), "w: there is no such variable here\n    w\n    ^");
	CHECK_HAS(with(&(struct vars_image_opts){ .type = INT }, "v", NULL), "v: it is optimised out");
	CHECK_HAS(at(INT, "v", NULL, 0), "v: it is optimised out");
	CHECK_HAS(at(INT, "v.x", BYTES(DW_OP_reg5)), "v: it is no structure (int)");
	CHECK_HAS(at(INT, "*v", BYTES(DW_OP_reg5)), "it is no pointer");
	CHECK_HAS(at(STRUCT_PTR, "v->q", BYTES(DW_OP_reg5)), "it has no member q; there are a, b, f, g, h, name, p, wide");
	CHECK_HAS(at(STRUCT, "v->a", BYTES(DW_OP_breg7, 0)), "take .a");
	CHECK_HAS(at(STRUCT, "v", BYTES(DW_OP_breg7, 0)), "it is a structure: name a member (a, b,");
}

/* A value that is not kept anywhere: to fetch the memory at that address would be wrong. */
TEST(computed_values_are_refused)
{
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 1, DW_OP_stack_value)), "computed (%di +1)");
	CHECK_STR(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_stack_value)), "%di:s64");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_breg4, 0, DW_OP_plus, DW_OP_stack_value)), "it is computed");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_breg4, 0, DW_OP_plus)), "it is computed");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_neg, DW_OP_stack_value)), "it is computed");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_lit2, DW_OP_mul, DW_OP_stack_value)), "it is computed");
	CHECK_STR(at(LONG, "v", BYTES(DW_OP_breg7, 8, DW_OP_deref, DW_OP_stack_value)), "+8(%sp):s64");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg7, 8, DW_OP_deref, DW_OP_lit1, DW_OP_plus, DW_OP_stack_value)), "computed (a value in memory +1)");
	/* Through it, as a pointer, all is well. */
	CHECK_STR(at(STRUCT_PTR, "v->b", BYTES(DW_OP_breg5, 16, DW_OP_stack_value)), "+20(%di):s16");
	CHECK_STR(at(CHAR_PTR, "v:string", BYTES(DW_OP_breg5, 16, DW_OP_stack_value)), "+16(%di):string");
	CHECK_HAS(at(STRUCT_PTR, "v", BYTES(DW_OP_breg5, 16, DW_OP_stack_value)), "computed");
	CHECK_HAS(at(STRUCT, "&v", BYTES(DW_OP_breg7, 16)), "computed (%sp +16)");
	CHECK_STR(at(STRUCT, "&v", BYTES(DW_OP_breg7, 0)), "%sp:x64");
	CHECK_STR(at(STRUCT_PTR, "&v->a", BYTES(DW_OP_reg5)), "%di:x64");
	CHECK_HAS(at(STRUCT_PTR, "&v->f", BYTES(DW_OP_reg5)), "a bit field has no address");
	CHECK_HAS(at(INT, "&v", BYTES(DW_OP_reg5)), "not in memory");
}

TEST(narrow_values_are_fetched_as_wide_as_they_are)
{
	/* the low half of a register, zeros or the sign above it */
	CHECK_STR(at(UINT, "v", BYTES(DW_OP_breg5, 0, DW_OP_const4u, 255, 255, 255, 255, DW_OP_and, DW_OP_stack_value)), "%di:u32");
	CHECK_STR(at(ULONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_const4u, 255, 255, 255, 255, DW_OP_and, DW_OP_stack_value)), "%di:u32");
	CHECK_STR(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_const1u, 48, DW_OP_shl, DW_OP_const1u, 48, DW_OP_shra, DW_OP_stack_value)), "%di:s16");
	CHECK_STR(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_dup, DW_OP_lit31, DW_OP_shr, DW_OP_lit0, DW_OP_not, DW_OP_mul, DW_OP_constu, 32, DW_OP_shl, DW_OP_or, DW_OP_stack_value)), "%di:s32");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_const1u, 0x7e, DW_OP_and, DW_OP_stack_value)), "it is computed");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 1, DW_OP_const1u, 255, DW_OP_and, DW_OP_stack_value)), "it is computed");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_const1u, 48, DW_OP_shl, DW_OP_stack_value)), "it is computed");
	CHECK_STR(at(LONG, "v", BYTES(DW_OP_breg7, 8, DW_OP_deref_size, 2, DW_OP_stack_value)), "+8(%sp):u16");
	/* an address of 32 bits is none */
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_breg5, 0, DW_OP_const4u, 255, 255, 255, 255, DW_OP_and)), "address that is computed");
	CHECK_HAS(at(STRUCT_PTR, "v->a", BYTES(DW_OP_breg5, 0, DW_OP_const4u, 255, 255, 255, 255, DW_OP_and, DW_OP_stack_value)), "part of a register");
}

TEST(constants)
{
	CHECK_STR(at(INT, "v", BYTES(DW_OP_lit7, DW_OP_stack_value)), "\\7:s32");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_const1s, 0xfb, DW_OP_stack_value)), "\\-5:s32");
	CHECK_STR(at(UCHAR, "v", BYTES(DW_OP_const1s, 0xfb, DW_OP_stack_value)), "\\251:u8");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_implicit_value, 4, 0xfe, 0xff, 0xff, 0xff)), "\\-2:s32");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_implicit_value, 4, 1, 2, 3, 4)), "optimised out");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_lit3, DW_OP_lit4, DW_OP_mul, DW_OP_lit2, DW_OP_shl, DW_OP_stack_value)), "\\48:s32");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_lit3, DW_OP_lit0, DW_OP_div, DW_OP_stack_value)), "is damaged");
	CHECK_STR(with(&(struct vars_image_opts){ .type = SHORT, .constant = true, .value = -9 }, "v", NULL), "\\-9:s16");
	CHECK_STR(with(&(struct vars_image_opts){ .type = ULONG, .constant = true, .value = -1 }, "v", NULL), "\\18446744073709551615:u64");
	CHECK_STR(at(STRUCT, "v.b", BYTES(DW_OP_implicit_value, 8, 1, 0, 0, 0, 0xff, 0xff, 0xcd, 0xb7)), "\\-1:s16");
	CHECK_STR(at(STRUCT, "v.g", BYTES(DW_OP_implicit_value, 8, 1, 0, 0, 0, 0xff, 0xff, 0xcd, 0xb7)), "\\249:u32");
	CHECK_STR(at(STRUCT, "v.h", BYTES(DW_OP_implicit_value, 8, 1, 0, 0, 0, 0xff, 0xff, 0xcd, 0xb7)), "\\-5:s32");
}

TEST(members_bit_fields_arrays_strings)
{
	CHECK_STR(at(STRUCT_PTR, "v->wide", BYTES(DW_OP_reg5)), "+24(%di):u64");
	CHECK_STR(at(STRUCT_PTR, "*v->p", BYTES(DW_OP_reg5)), "+0(+16(%di)):s64");
	CHECK_STR(at(STRUCT_PTR, "v->p[-2]", BYTES(DW_OP_breg7, 8)), "-16(+16(+8(%sp))):s64");
	CHECK_STR(at(STRUCT_PTR, "(*v).a", BYTES(DW_OP_reg5)), "+0(%di):s32");
	CHECK_STR(at(STRUCT_PTR, "v[2].a", BYTES(DW_OP_reg5)), "+64(%di):s32");
	CHECK_STR(at(STRUCT_PTR, "v->f", BYTES(DW_OP_reg5)), "+6(%di):b3@0/8");
	CHECK_STR(at(STRUCT_PTR, "v->g", BYTES(DW_OP_reg5)), "+6(%di):b9@3/16");
	CHECK_HAS(at(STRUCT_PTR, "v->h", BYTES(DW_OP_reg5)), "without sign");
	CHECK_STR(at(STRUCT_PTR, "v->h:u8", BYTES(DW_OP_reg5)), "+7(%di):b4@4/8");
	CHECK_HAS(at(STRUCT_PTR, "v->g:u8", BYTES(DW_OP_reg5)), "it has 9 bits");
	CHECK_STR(at(STRUCT_PTR, "v->name", BYTES(DW_OP_reg5)), "+8(%di):u8[8]");
	CHECK_STR(at(STRUCT_PTR, "v->name:string", BYTES(DW_OP_reg5)), "+8(%di):string");
	CHECK_STR(at(STRUCT_PTR, "v->name[7]", BYTES(DW_OP_reg5)), "+15(%di):u8");
	CHECK_HAS(at(STRUCT_PTR, "v->name[8]", BYTES(DW_OP_reg5)), "elements 0 to 7");
	CHECK_HAS(at(STRUCT_PTR, "v->name:x32[3]", BYTES(DW_OP_reg5)), "8 bytes only");
	CHECK_STR(at(STRUCT_PTR, "v->p:x32[3]", BYTES(DW_OP_reg5)), "+0(+16(%di)):x32[3]");
	CHECK_STR(at(CHAR_PTR, "v", BYTES(DW_OP_reg5)), "%di:x64");	/* unsigned char: bytes */
	CHECK_STR(at(CHAR_PTR, "v:ustring", BYTES(DW_OP_breg7, 8)), "+0(+8(%sp)):ustring");
	CHECK_HAS(at(LONG, "v:string[2]", BYTES(DW_OP_reg5)), "array of pointers");
	CHECK_HAS(at(INT, "v:string", BYTES(DW_OP_reg5)), "pointer to characters");
	CHECK_STR(at(INTS, "v", BYTES(DW_OP_breg7, 8)), "+8(%sp):s32[3]");
	CHECK_STR(at(INTS, "v[2]", BYTES(DW_OP_breg7, 8)), "+16(%sp):s32");
	CHECK_HAS(at(INTS, "v[3]", BYTES(DW_OP_breg7, 8)), "elements 0 to 2");
}

TEST(pieces)
{
	/* a in a register, the rest of the first word gone, name in memory, p in a register */
	static const uint8_t e[] = { DW_OP_reg3, DW_OP_piece, 4, DW_OP_piece, 4, DW_OP_breg7, 16, DW_OP_piece, 8, DW_OP_breg5, 1, DW_OP_stack_value, DW_OP_piece, 8, DW_OP_reg12, DW_OP_piece, 8 };

	CHECK_STR(at(STRUCT, "v.a", e, sizeof(e)), "%bx:s32");
	CHECK_HAS(at(STRUCT, "v.b", e, sizeof(e)), "optimised out here");
	CHECK_STR(at(STRUCT, "v.name[3]", e, sizeof(e)), "+19(%sp):u8");
	CHECK_STR(at(STRUCT, "v.name", e, sizeof(e)), "+16(%sp):u8[8]");
	CHECK_HAS(at(STRUCT, "v.p", e, sizeof(e)), "computed");
	CHECK_STR(at(STRUCT, "*v.p", e, sizeof(e)), "+1(%di):s64");
	CHECK_STR(at(STRUCT, "v.wide", e, sizeof(e)), "%r12:u64");
	CHECK_HAS(at(LONG, "v", BYTES(DW_OP_reg3, DW_OP_piece, 4, DW_OP_reg1, DW_OP_piece, 4)), "in pieces");
	CHECK_STR(at(INT, "v", BYTES(DW_OP_reg3, DW_OP_piece, 4)), "%bx:s32");
	/* two members in one register */
	CHECK_STR(at(STRUCT, "v.a", BYTES(DW_OP_reg3, DW_OP_piece, 8)), "%bx:s32");
	CHECK_HAS(at(STRUCT, "v.b", BYTES(DW_OP_reg3, DW_OP_piece, 8)), "without sign");
	CHECK_STR(at(STRUCT, "v.b:x16", BYTES(DW_OP_reg3, DW_OP_piece, 8)), "%bx:b16@32/64");
	CHECK_STR(at(STRUCT, "v.g", BYTES(DW_OP_reg3, DW_OP_piece, 8)), "%bx:b9@51/64");
	CHECK_HAS(at(STRUCT, "v.a", BYTES(DW_OP_reg3)), "wider than %bx");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_reg3, DW_OP_piece, 0)), "is damaged");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_reg3, DW_OP_piece, 4, DW_OP_lit0)), "is damaged");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_reg3, DW_OP_bit_piece, 12, 0)), "pieces of bits");
}

static void at_entry(struct pt_var_scope *s) { s->vaddr = 0x1000; s->file_off = 0x200; s->entry = true; }
static void early(struct pt_var_scope *s) { s->vaddr = 0x1004; s->file_off = 0x204; }
static void returning(struct pt_var_scope *s) { at_entry(s); s->ret = true; }
static void of_kernel(struct pt_var_scope *s) { s->kernel = true; }

TEST(what_a_register_held_at_the_entry)
{
	struct vars_image_opts o = { .type = LONG, .expr = BYTES(DW_OP_entry_value, 1, DW_OP_reg5, DW_OP_stack_value) };

	CHECK_HAS(with(&o, "v", NULL), "what %di held when the function was entered");
	CHECK_STR(with(&o, "v", at_entry), "%di:s64");
	o = (struct vars_image_opts){ .type = LONG, .expr = BYTES(DW_OP_GNU_entry_value, 2, DW_OP_breg5, 0, DW_OP_stack_value) };
	CHECK_HAS(with(&o, "v", NULL), "gone by now");
}

TEST(the_frame)
{
	struct vars_image_opts o = { .type = INT, .expr = BYTES(DW_OP_fbreg, 0x68) };
	struct vars_image_opts base = { .type = INT, .expr = BYTES(DW_OP_fbreg, 0x68), .frame_base = BYTES(DW_OP_reg6) };

	CHECK_HAS(with(&o, "v", NULL), "no call frame information");
	CHECK_STR(with(&o, "v", at_entry), "-16(%sp):s32");	/* the CFA is known there: 8 above the stack pointer */
	o.param = true;
	CHECK_HAS(with(&o, "v", at_entry), "not stored yet");
	o.expr = (const uint8_t[]){ DW_OP_fbreg, 8 };		/* the caller stored it */
	CHECK_STR(with(&o, "v", at_entry), "+16(%sp):s32");
	/* A frame pointer as the base: not before it is set up. */
	CHECK_STR(with(&base, "v", NULL), "-24(%bp):s32");
	CHECK_HAS(with(&base, "v", at_entry), "frame is not set up");
	CHECK_HAS(with(&base, "v", early), "frame is not set up");
	base.frame_base = (const uint8_t[]){ DW_OP_fbreg, 0 };
	base.frame_base_len = 2;
	CHECK_HAS(with(&base, "v", NULL), "is damaged");
}

TEST(global_variables_by_their_distance_from_the_probe)
{
	struct vars_image_opts o = { .type = INT, .expr = BYTES(DW_OP_addr, 0x20, 0x40, 0, 0, 0, 0, 0, 0) };

	CHECK_STR(with(&o, "v", NULL), "@+12832:s32");		/* 0x4020 - 0x1010 + 0x210 */
	CHECK_STR(with(&o, "v", returning), "@+12832:s32");
	CHECK_HAS(with(&o, "v", of_kernel), "_text");
	o.expr = (const uint8_t[]){ DW_OP_addr, 0x20, 0, 0, 0, 0, 0, 0, 0 };
	CHECK_STR(with(&o, "v", NULL), "@+-3552:s32");
	o.type = STRUCT_PTR;
	CHECK_STR(with(&o, "v->p[1]", NULL), "+8(+16(@+-3552)):s64");
	CHECK_HAS(with(&o, "&v", NULL), "when the program runs only");
	o = (struct vars_image_opts){ .type = INT, .expr = BYTES(DW_OP_const1u, 8, DW_OP_form_tls_address) };
	CHECK_HAS(with(&o, "v", NULL), "thread-local");
}

TEST(a_pointer_to_what_has_no_address)
{
	struct vars_image_opts o = { .type = 5 };
	uint32_t other = vars_other_off(&o);
	uint8_t e[] = { DW_OP_implicit_pointer, (uint8_t)other, (uint8_t)(other >> 8), 0, 0, 0 };

	o.expr = e;
	o.expr_len = sizeof(e);
	o.other_expr = (const uint8_t[]){ DW_OP_reg12 };
	o.other_expr_len = 1;
	CHECK_STR(with(&o, "v->a", NULL), "%r12:s32");
	CHECK_HAS(with(&o, "v", NULL), "optimised out of memory");
	CHECK_HAS(with(&o, "v->wide", NULL), "one register");
	e[5] = 100;
	CHECK_HAS(with(&o, "v->a", NULL), "outside");
}

TEST(return_values)
{
	struct vars_image_opts o = { .type = INT, .expr = BYTES(DW_OP_reg5) };

	CHECK_STR(with(&o, "$retval", returning), "$retval:s32");
	CHECK_STR(with(&o, "$retval:x16", returning), "$retval:x16");
	CHECK_HAS(with(&o, "$retval", NULL), "return probe only");
	CHECK_HAS(with(&o, "v", returning), "gone when the function has returned");
}

TEST(registers_and_arguments_by_the_calling_convention)
{
	struct vars_image_opts o = { .type = INT, .expr = BYTES(DW_OP_reg5) };

	CHECK_STR(with(&o, "$arg2", at_entry), "%si:x64");
	CHECK_STR(with(&o, "$arg7:s32", at_entry), "+8(%sp):s32");
	CHECK_STR(with(&o, "$arg1:string", at_entry), "+0(%di):string");
	CHECK_HAS(with(&o, "$arg1", NULL), "first instruction only");
	CHECK_STR(with(&o, "%edi", NULL), "%di:x32");
	CHECK_STR(with(&o, "%r8d:u32", NULL), "%r8:u32");
	CHECK_STR(with(&o, "%RAX", NULL), "%ax:x64");
	CHECK_HAS(with(&o, "%xmm0", NULL), "no such register");
	CHECK_STR(with(&o, "+8(%sp):u32", NULL), "+8(%sp):u32");
	o.machine = EM_AARCH64;
	o.expr = (const uint8_t[]){ DW_OP_reg19 };
	CHECK_STR(with(&o, "v", NULL), "%x19:s32");
	CHECK_STR(with(&o, "$arg9", at_entry), "+0(%sp):x64");
	CHECK_STR(with(&o, "%w3", NULL), "%x3:x32");
	CHECK_STR(with(&o, "%lr", NULL), "%x30:x64");
}

TEST(big_endian)
{
	struct vars_image_opts o = { .type = INT, .machine = EM_S390, .big_endian = true, .expr = BYTES(DW_OP_reg2) };

	CHECK_STR(with(&o, "v", NULL), "%r2:s32");
	CHECK_STR(with(&o, "v:u8", NULL), "%r2:u8");
	o.expr = (const uint8_t[]){ DW_OP_breg15, 0 };
	o.expr_len = 2;
	CHECK_STR(with(&o, "v:u8", NULL), "+3(%r15):u8");
	CHECK_STR(with(&o, "v:b4@0/16", NULL), "+3(%r15):b4@0/8");
	o.type = STRUCT;
	CHECK_STR(with(&o, "v.f", NULL), "+6(%r15):b3@5/8");
	CHECK_STR(with(&o, "v.g", NULL), "+6(%r15):b9@4/16");
	o.expr = (const uint8_t[]){ DW_OP_reg2, DW_OP_piece, 8 };
	o.expr_len = 3;
	CHECK_STR(with(&o, "v.a:x32", NULL), "%r2:b32@32/64");
	CHECK_STR(with(&o, "v.f", NULL), "%r2:b3@13/64");
	o.type = INT;
	o.expr = (const uint8_t[]){ DW_OP_breg15, 8, DW_OP_deref, DW_OP_stack_value };
	o.expr_len = 4;
	CHECK_STR(with(&o, "v", NULL), "+12(%r15):s32");	/* the low half of the word */
	o.expr = (const uint8_t[]){ DW_OP_implicit_value, 4, 0, 0, 1, 2 };
	o.expr_len = 6;
	CHECK_STR(with(&o, "v", NULL), "\\258:s32");
	CHECK_STR(with(&o, "$arg6", at_entry), "+160(%r15):x64");
}

TEST(programs_of_32_bits)
{
	struct vars_image_opts o = { .type = STRUCT_PTR, .machine = EM_386, .word_bytes = 4, .expr = BYTES(DW_OP_reg6) };

	CHECK_STR(with(&o, "v", NULL), "%si:x32");
	CHECK_STR(with(&o, "v->b", NULL), "+4(%si):s16");
	CHECK_HAS(with(&o, "*v->p", NULL), "this kernel would read 8 bytes");
	o.expr = (const uint8_t[]){ DW_OP_breg5, 8 };
	o.expr_len = 2;
	CHECK_STR(with(&o, "v", NULL), "+8(%bp):x32");
	CHECK_HAS(with(&o, "v->b", NULL), "this kernel would read 8 bytes");
	o.type = LONG;
	o.expr = (const uint8_t[]){ DW_OP_reg3 };
	o.expr_len = 1;
	CHECK_HAS(with(&o, "v", NULL), "wider than %bx");
}

TEST(damaged_locations_are_said_to_be)
{
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_plus)), "damaged");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_reg3, DW_OP_reg4)), "damaged");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_stack_value)), "damaged");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_addr, 1, 2)), "no:");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_lit0, DW_OP_bra, 0, 0)), "branches");
	CHECK_HAS(at(INT, "v", BYTES(0xff)), "no:");
	CHECK_HAS(at(INT, "v", BYTES(DW_OP_pick, 9)), "damaged");
}

TEST(names_that_the_kernel_takes)
{
	struct vars_image i;
	struct pt_vars vars = PT_VARS_INIT;
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;

	CHECK(vars_image(&i, &(struct vars_image_opts){ .type = STRUCT_PTR, .expr = BYTES(DW_OP_reg5) }));
	CHECK_INT(pt_vars_add(&vars, &i.place.scope, "v->a", NULL, &e), 0);
	CHECK_INT(pt_vars_add(&vars, &i.place.scope, "v[1].a", NULL, &e), 0);
	CHECK_INT(pt_vars_add(&vars, &i.place.scope, "common_pid=v", NULL, &e), -1);
	CHECK_INT(pt_vars_add(&vars, &i.place.scope, "a=v", NULL, &e), -1);
	CHECK_INT(pt_vars_add(&vars, &i.place.scope, "$vars", NULL, &e), 0);
	for (size_t k = 0; k < vars.nr; k++)
		pt_buf_printf(&b, " %s=%s", vars.v[k].name, vars.v[k].fetch);
	CHECK_STR(pt_buf_str(&b), " a=+0(%di):s32 a_2=+32(%di):s32 v=%di:x64");
	CHECK_STR(vars.v[2].type_name, "struct s *");
	pt_buf_deinit(&b);
	pt_vars_deinit(&vars);
	vars_image_free(&i);
}
