#include "probe/loc.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "code/cfi.h"
#include "probe/type.h"

enum { MAX_OPS = 4096, MAX_STACK = 64, MAX_NESTED = 4, WHY_BYTES = 200 };

struct value {				/* on the stack */
	struct pt_chain c;
	uint8_t shift;			/* it was shifted left by so many bits: half of an extension of the sign */
	bool cfa;			/* counted from the frame's CFA */
	bool fresh;			/* the last thing done was a read of a word */
	bool is_signed;			/* by its last conversion */
	bool unknown;
	char why[WHY_BYTES];		/* of an unknown one */
};

struct eval {
	const struct pt_var_scope *s;
	struct pt_loc *l;
	struct value stack[MAX_STACK];
	unsigned nr;
	unsigned nested;
	unsigned left;			/* operations that may still be done */
	Dwarf_Attribute *attr;
	enum pt_loc_kind kind;		/* of what is on top */
	struct pt_loc_piece special;	/* bytes, pointer, nowhere */
	struct pt_err *e;
};

static int eval_attr(struct eval *v, Dwarf_Attribute *attr);

bool pt_chain_read(struct pt_chain *c)
{
	if (c->nr_reads == PT_CHAIN_MAX)
		return false;
	c->off[++c->nr_reads] = 0;
	c->bits = 64;
	c->sign_extended = false;
	return true;
}

static int fail(struct eval *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct eval *v, const char *fmt, ...)
{
	char msg[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return pt_err_set(v->e, "%s", msg);
}

/* Reads work over whole words of the CPU. */
static uint8_t all_bits(const struct eval *v) { return v->s->word_bytes == 4 ? 32 : 64; }

static bool whole(const struct eval *v, const struct value *x) { return !x->unknown && !x->shift && x->c.bits >= all_bits(v); }
static bool constant(const struct value *x) { return !x->unknown && !x->shift && x->c.base == PT_BASE_NONE && !x->c.nr_reads; }
static int64_t *last(struct value *x) { return &x->c.off[x->c.nr_reads]; }

static struct value unknown(const char *why)
{
	struct value x = { .unknown = true };

	snprintf(x.why, sizeof(x.why), "%s", why);
	return x;
}

static struct value of_const(int64_t n)
{
	struct value x = { .c = { .base = PT_BASE_NONE, .bits = 64 } };

	x.c.off[0] = n;
	return x;
}

static int push(struct eval *v, const struct value *x)
{
	if (v->nr == MAX_STACK)
		return fail(v, "its location is damaged: too deep a stack");
	v->stack[v->nr++] = *x;
	return 0;
}

static int pop(struct eval *v, struct value *x)
{
	if (!v->nr)
		return fail(v, "its location is damaged: an empty stack");
	*x = v->stack[--v->nr];
	return 0;
}

static struct value of_reg(const struct eval *v, uint64_t reg, int64_t off)
{
	struct value x = of_const(off);
	char text[64], why[WHY_BYTES];

	if (reg > 255 || !pt_loc_reg(v->s->machine, (unsigned)reg)) {
		pt_loc_reg_text(v->s->machine, (unsigned)reg, text, sizeof(text));
		snprintf(why, sizeof(why), "it depends on %s, which the kernel cannot fetch", text);
		return unknown(why);
	}
	x.c.base = PT_BASE_REG;
	x.c.reg = (uint8_t)reg;
	return x;
}

static void add(struct eval *v, struct value *x, int64_t n)
{
	if (x->unknown || !n)
		return;
	x->fresh = false;
	if (!whole(v, x) && !constant(x)) {
		*x = unknown("it is computed");
		return;
	}
	*last(x) = (int64_t)((uint64_t)*last(x) + (uint64_t)n);
}

/* Only the low `bits` count from here on. */
static void narrow(struct eval *v, struct value *x, unsigned bits, bool is_signed)
{
	if (x->unknown || bits >= all_bits(v))
		return;
	if (constant(x)) {
		uint64_t mask = ~0ull >> (64 - bits), n = (uint64_t)x->c.off[0] & mask;

		x->c.off[0] = (int64_t)(is_signed && n >> (bits - 1) ? n | ~mask : n);
		return;
	}
	if (bits > x->c.bits)
		return;
	if (v->s->big_endian && x->fresh && !(bits % 8)) {	/* the low bytes are the last ones; the chain itself begins at the first */
		x->c.off[x->c.nr_reads - 1] += (x->c.bits < all_bits(v) ? x->c.bits : all_bits(v)) / 8 - (int)bits / 8;
		if (*last(x))
			*x = unknown("it is computed");
	} else if (*last(x) && (x->c.nr_reads || x->c.base != PT_BASE_NONE)) {
		*x = unknown("it is computed");
		return;
	}
	x->c.bits = (uint8_t)bits;
	x->c.sign_extended = is_signed;
}

static void read_at(struct eval *v, struct value *x, unsigned bytes)
{
	if (x->unknown)
		return;
	if (!whole(v, x) && !constant(x)) {
		*x = unknown("it is computed");
		return;
	}
	if (!pt_chain_read(&x->c)) {
		*x = unknown("it lies behind too many pointers");
		return;
	}
	x->cfa = false;
	x->fresh = true;
	if (bytes && bytes < v->s->word_bytes) {	/* so many bytes at that address, whatever the byte order */
		x->c.bits = (uint8_t)(bytes * 8);
		x->c.sign_extended = false;
	}
}

static int64_t fold(unsigned op, int64_t a, int64_t b, bool *ok)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	*ok = true;
	switch (op) {
	case DW_OP_plus: return (int64_t)(x + y);
	case DW_OP_minus: return (int64_t)(x - y);
	case DW_OP_mul: return (int64_t)(x * y);
	case DW_OP_and: return (int64_t)(x & y);
	case DW_OP_or: return (int64_t)(x | y);
	case DW_OP_xor: return (int64_t)(x ^ y);
	case DW_OP_shl: return y < 64 ? (int64_t)(x << y) : 0;
	case DW_OP_shr: return y < 64 ? (int64_t)(x >> y) : 0;
	case DW_OP_shra: return y < 64 ? a >> y : a < 0 ? -1 : 0;
	case DW_OP_eq: return a == b;
	case DW_OP_ne: return a != b;
	case DW_OP_lt: return a < b;
	case DW_OP_le: return a <= b;
	case DW_OP_gt: return a > b;
	case DW_OP_ge: return a >= b;
	case DW_OP_div:
		*ok = b && !(b == -1 && a == INT64_MIN);
		return *ok ? a / b : 0;
	case DW_OP_mod:
		*ok = b != 0;
		return *ok ? (int64_t)(x % y) : 0;
	}
	*ok = false;
	return 0;
}

/* bits in a mask of ones from bit 0 on; 0: it is no such mask. */
static unsigned mask_bits(uint64_t m) { return m && !(m & (m + 1)) ? (unsigned)__builtin_popcountll(m) : 0; }

static int binary(struct eval *v, unsigned op)
{
	struct value a, b, x;
	bool ok;

	if (pop(v, &b) < 0 || pop(v, &a) < 0)
		return -1;
	if (a.unknown || b.unknown) {
		x = a.unknown ? a : b;
	} else if (constant(&a) && constant(&b)) {
		x = of_const(fold(op, a.c.off[0], b.c.off[0], &ok));
		if (!ok)
			x = unknown("its location is damaged: a division by zero");
	} else if (op == DW_OP_plus && (constant(&a) || constant(&b))) {
		x = constant(&a) ? b : a;
		add(v, &x, constant(&a) ? a.c.off[0] : b.c.off[0]);
	} else if (op == DW_OP_minus && constant(&b)) {
		x = a;
		add(v, &x, (int64_t)(0 - (uint64_t)b.c.off[0]));
	} else if (op == DW_OP_and && (constant(&a) || constant(&b)) && mask_bits((uint64_t)(constant(&a) ? a : b).c.off[0])) {
		x = constant(&a) ? b : a;
		if (x.shift)
			x = unknown("it is computed");
		narrow(v, &x, mask_bits((uint64_t)(constant(&a) ? a : b).c.off[0]), false);
	} else if (op == DW_OP_shl && constant(&b) && whole(v, &a) && b.c.off[0] > 0 && b.c.off[0] < all_bits(v)) {
		x = a;
		x.shift = (uint8_t)b.c.off[0];
	} else if ((op == DW_OP_shr || op == DW_OP_shra) && constant(&b) && a.shift && b.c.off[0] == a.shift) {
		x = a;
		x.shift = 0;
		narrow(v, &x, all_bits(v) - a.shift, op == DW_OP_shra);
	} else {
		x = unknown("it is computed");
	}
	return push(v, &x);
}

static int unary_op(struct eval *v, unsigned op)
{
	struct value x;

	if (pop(v, &x) < 0)
		return -1;
	if (constant(&x)) {
		uint64_t u = (uint64_t)x.c.off[0];

		x = of_const((int64_t)(op == DW_OP_neg ? 0 - u : op == DW_OP_not ? ~u : x.c.off[0] < 0 ? 0 - u : u));
	} else if (!x.unknown) {
		x = unknown("it is computed");
	}
	return push(v, &x);
}

/* The row of call frame information at an address, of whichever file has it. */
static const struct pt_row *row_at(const struct pt_var_scope *s, uint64_t vaddr, struct pt_object **of)
{
	const struct pt_row *r = s->object ? pt_cfi_row(s->object, vaddr) : NULL;

	*of = s->object;
	if (!r && s->debug && s->debug != s->object) {
		r = pt_cfi_row(s->debug, vaddr);
		*of = s->debug;
	}
	return r;
}

/* Without call frame information: what the CPU's calls leave is known at a function's first instruction. */
static bool entry_cfa(const struct pt_var_scope *s, struct pt_chain *c)
{
	static const struct { uint16_t machine; uint8_t reg; int64_t off; } at_entry[] = {
		{ EM_X86_64, 7, 8 }, { EM_386, 4, 4 }, { EM_AARCH64, 31, 0 }, { EM_S390, 15, 160 },
	};
	size_t i;

	for (i = 0; s->entry && i < PT_NR(at_entry); i++)
		if (at_entry[i].machine == s->machine) {
			c->reg = at_entry[i].reg;
			c->off[0] = at_entry[i].off;
			return true;
		}
	return false;
}

int pt_loc_cfa(const struct pt_var_scope *s, struct pt_chain *c, struct pt_err *e)
{
	struct pt_object *o;
	const struct pt_row *r = row_at(s, s->vaddr, &o);

	*c = (struct pt_chain){ .base = PT_BASE_REG, .bits = 64 };
	if (!r)
		return entry_cfa(s, c) ? 0 : pt_err_set(e, "it lies in the frame, and no call frame information tells where that is here");
	if (r->cfa_kind == PT_CFA_EXPR)
		return pt_err_set(e, "it lies in the frame, whose place is computed here");
	c->reg = r->cfa_reg;
	if (!pt_loc_reg(s->machine, c->reg))
		return pt_err_set(e, "it lies in the frame, which hangs on a register that the kernel cannot fetch");
	c->off[0] = r->cfa_off;
	if (r->cfa_kind == PT_CFA_DEREF)
		pt_chain_read(c);
	return 0;
}

static int push_cfa(struct eval *v)
{
	struct value x = of_const(0);
	struct pt_err e = PT_ERR_INIT;

	if (pt_loc_cfa(v->s, &x.c, &e) < 0)
		x = unknown(e.msg);
	x.cfa = true;
	return push(v, &x);
}

static unsigned cpu_sp(uint16_t machine) { return machine == EM_X86_64 ? 7 : machine == EM_386 ? 4 : machine == EM_AARCH64 ? 31 : 15; }

static bool same_cfa(const struct pt_row *a, const struct pt_row *b)
{
	return a->cfa_kind == b->cfa_kind && a->cfa_reg == b->cfa_reg && a->cfa_off == b->cfa_off;
}

/* A frame base that is a register (clang's) holds from the end of the prologue to the start of the epilogue only; no list says so. Call frame
 * information does: behind the prologue, and where the CFA hangs on that register as it does there. */
static const char *base_not_set(const struct pt_var_scope *s, unsigned reg)
{
	struct pt_object *o;
	const struct pt_row *r = row_at(s, s->vaddr, &o), *body = s->body_vaddr ? row_at(s, s->body_vaddr, &o) : NULL;
	const char *why = "the function's frame is not set up here (in its first or last instructions)";

	if (s->entry)
		return why;
	if (!r)
		return s->body_vaddr && s->vaddr < s->body_vaddr ? why : NULL;
	if (reg == cpu_sp(s->machine))
		return body && r->cfa_reg == reg && !same_cfa(r, body) ? why : NULL;
	return r->cfa_reg != reg ? why : NULL;
}

/* The scope's function out of line. */
static bool frame_base(struct eval *v, Dwarf_Attribute *a)
{
	Dwarf_Die f;

	if (!v->s->nr_scopes)
		return false;
	f = v->s->scopes[0];
	return dwarf_attr_integrate(&f, DW_AT_frame_base, a) != NULL;
}

static int fbreg(struct eval *v, int64_t off)
{
	Dwarf_Attribute a;
	struct eval sub = { .s = v->s, .l = NULL, .nested = v->nested + 1, .left = v->left, .e = v->e };
	struct value x;
	const char *why;

	if (v->nested == MAX_NESTED)
		return fail(v, "its location is damaged: it needs itself");
	if (!frame_base(v, &a))
		return fail(v, "it lies in the frame, and the debug information does not tell where that is");
	if (eval_attr(&sub, &a) < 0)
		return -1;
	v->left = sub.left;
	if (sub.kind == PT_LOC_REGISTER) {
		why = base_not_set(v->s, sub.special.chain.reg);
		x = why ? unknown(why) : of_reg(v, sub.special.chain.reg, 0);
	} else if (sub.kind == PT_LOC_MEMORY && sub.nr) {	/* the expression's result is the base */
		x = sub.stack[sub.nr - 1];
		if (x.c.base == PT_BASE_REG && !x.c.nr_reads && !x.cfa) {
			why = base_not_set(v->s, x.c.reg);
			if (why)
				x = unknown(why);
		}
	} else {
		x = unknown("it lies in the frame, whose place is computed here");
	}
	add(v, &x, off);
	return push(v, &x);
}

/* What a register held when the function was entered: known at its first instruction only. */
static int entry_value(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t nr;
	struct value x;
	char reg[64], why[WHY_BYTES];
	uint64_t n;

	if (dwarf_getlocation_attr(v->attr, op, &a) || dwarf_getlocation(&a, &ops, &nr) || nr != 1 ||
	    !((ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) || ops[0].atom == DW_OP_regx)) {
		x = unknown("it is what an expression gave when the function was entered, which is gone by now");
		return push(v, &x);
	}
	n = ops[0].atom == DW_OP_regx ? ops[0].number : (uint64_t)(ops[0].atom - DW_OP_reg0);
	if (v->s->entry) {
		x = of_reg(v, n, 0);
	} else {
		pt_loc_reg_text(v->s->machine, (unsigned)n, reg, sizeof(reg));
		snprintf(why, sizeof(why), "it is what %s held when the function was entered, which is gone by now", reg);
		x = unknown(why);
	}
	return push(v, &x);
}

static int address(struct eval *v, uint64_t vaddr)
{
	struct value x = of_const((int64_t)vaddr);

	x.c.base = PT_BASE_OBJECT;
	return push(v, &x);
}

static int convert(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Die die;
	struct pt_type t = { .none = false };
	struct pt_type_info i;
	struct value x;

	if (pop(v, &x) < 0)
		return -1;
	if (op->number) {
		if (dwarf_getlocation_die(v->attr, op, &die))
			return fail(v, "its location is damaged: a conversion to nothing");
		t.die = die;
		pt_type_info(&t, &i);
		if (i.kind != PT_TYPE_INTEGER || !i.size_bytes || i.size_bytes > 8)
			x = unknown("it is computed, in floating point");
		else if (!x.unknown && i.size_bytes * 8 <= x.c.bits)
			narrow(v, &x, (unsigned)i.size_bytes * 8, i.is_signed);
	}
	return push(v, &x);
}

/* A typed constant, register or read. */
static int typed(struct eval *v, const Dwarf_Op *op, unsigned atom)
{
	Dwarf_Die die;
	struct pt_type t = { .none = false };
	struct pt_type_info i;
	struct value x;

	if (dwarf_getlocation_die(v->attr, op, &die))
		return fail(v, "its location is damaged: a value of no type");
	t.die = die;
	pt_type_info(&t, &i);
	if (atom == DW_OP_const_type || atom == DW_OP_GNU_const_type) {
		x = unknown("it is computed");
	} else if (i.kind != PT_TYPE_INTEGER || !i.size_bytes || i.size_bytes > v->s->word_bytes) {
		if ((atom == DW_OP_deref_type || atom == DW_OP_GNU_deref_type) && pop(v, &x) < 0)
			return -1;
		x = unknown("it is computed, in floating point");
	} else if (atom == DW_OP_regval_type || atom == DW_OP_GNU_regval_type) {
		x = of_reg(v, op->number, 0);
		narrow(v, &x, (unsigned)i.size_bytes * 8, i.is_signed);
	} else {
		if (pop(v, &x) < 0)
			return -1;
		read_at(v, &x, (unsigned)i.size_bytes);
		if (!x.unknown && x.c.bits < all_bits(v))
			x.c.sign_extended = i.is_signed;
	}
	return push(v, &x);
}

/* clang's way to extend the sign of W bits: dup, W-1, shr, 0, not, mul, W, shl, or. */
static unsigned sign_idiom(const Dwarf_Op *op, size_t left)
{
	uint64_t w;

	if (left < 9 || op[0].atom != DW_OP_dup || op[2].atom != DW_OP_shr || op[3].atom != DW_OP_lit0 || op[4].atom != DW_OP_not || op[5].atom != DW_OP_mul ||
	    op[7].atom != DW_OP_shl || op[8].atom != DW_OP_or)
		return 0;
	w = op[6].atom == DW_OP_constu ? op[6].number : op[6].atom >= DW_OP_lit0 && op[6].atom <= DW_OP_lit31 ? (uint64_t)(op[6].atom - DW_OP_lit0) : 0;
	return w == 8 || w == 16 || w == 32 ? (unsigned)w : 0;
}

static int shuffle(struct eval *v, const Dwarf_Op *op)
{
	struct value a, b, c;
	unsigned back = op->atom == DW_OP_over ? 1 : op->atom == DW_OP_pick ? (unsigned)(op->number & 255) : 0;

	switch (op->atom) {
	case DW_OP_drop:
		return pop(v, &a);
	case DW_OP_swap:
		return pop(v, &a) < 0 || pop(v, &b) < 0 || push(v, &a) < 0 || push(v, &b) < 0 ? -1 : 0;
	case DW_OP_rot:
		return pop(v, &a) < 0 || pop(v, &b) < 0 || pop(v, &c) < 0 || push(v, &a) < 0 || push(v, &c) < 0 || push(v, &b) < 0 ? -1 : 0;
	default:
		if (back >= v->nr)
			return fail(v, "its location is damaged: an empty stack");
		a = v->stack[v->nr - 1 - back];
		return push(v, &a);
	}
}

static int indexed(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Attribute a;
	Dwarf_Addr addr;
	Dwarf_Word n;
	struct value x;

	if (dwarf_getlocation_attr(v->attr, op, &a))
		return fail(v, "its address is not in the debug information that is at hand");
	if (op->atom == DW_OP_constx || op->atom == DW_OP_GNU_const_index) {
		if (dwarf_formudata(&a, &n) && dwarf_formaddr(&a, &n))
			return fail(v, "its location is damaged: a constant that is not there");
		x = of_const((int64_t)n);
		return push(v, &x);
	}
	return dwarf_formaddr(&a, &addr) ? fail(v, "its location is damaged: an address that is not there") : address(v, addr);
}

static int simple(struct eval *v, const Dwarf_Op *op)
{
	struct value x;

	switch (op->atom) {
	case DW_OP_lit0 ... DW_OP_lit31:
		x = of_const(op->atom - DW_OP_lit0);
		return push(v, &x);
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s: case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		x = of_const((int64_t)op->number);
		return push(v, &x);
	case DW_OP_breg0 ... DW_OP_breg31:
		x = of_reg(v, op->atom - DW_OP_breg0, (int64_t)op->number);
		return push(v, &x);
	case DW_OP_bregx:
		x = of_reg(v, op->number, (int64_t)op->number2);
		return push(v, &x);
	case DW_OP_fbreg:
		return fbreg(v, (int64_t)op->number);
	case DW_OP_call_frame_cfa:
		return push_cfa(v);
	case DW_OP_addr:
		return address(v, op->number);
	case DW_OP_addrx: case DW_OP_GNU_addr_index: case DW_OP_constx: case DW_OP_GNU_const_index:
		return indexed(v, op);
	case DW_OP_plus_uconst:
		if (pop(v, &x) < 0)
			return -1;
		add(v, &x, (int64_t)op->number);
		return push(v, &x);
	case DW_OP_deref: case DW_OP_deref_size:
		if (pop(v, &x) < 0)
			return -1;
		read_at(v, &x, op->atom == DW_OP_deref_size ? (unsigned)op->number : 0);
		return push(v, &x);
	case DW_OP_plus: case DW_OP_minus: case DW_OP_mul: case DW_OP_div: case DW_OP_mod: case DW_OP_and: case DW_OP_or: case DW_OP_xor:
	case DW_OP_shl: case DW_OP_shr: case DW_OP_shra: case DW_OP_eq: case DW_OP_ne: case DW_OP_lt: case DW_OP_le: case DW_OP_gt: case DW_OP_ge:
		return binary(v, op->atom);
	case DW_OP_neg: case DW_OP_not: case DW_OP_abs:
		return unary_op(v, op->atom);
	case DW_OP_dup: case DW_OP_drop: case DW_OP_over: case DW_OP_pick: case DW_OP_swap: case DW_OP_rot:
		return shuffle(v, op);
	case DW_OP_nop:
		return 0;
	case DW_OP_entry_value: case DW_OP_GNU_entry_value:
		return entry_value(v, op);
	case DW_OP_convert: case DW_OP_GNU_convert:
		return convert(v, op);
	case DW_OP_const_type: case DW_OP_GNU_const_type: case DW_OP_regval_type: case DW_OP_GNU_regval_type: case DW_OP_deref_type: case DW_OP_GNU_deref_type:
		return typed(v, op, op->atom);
	case DW_OP_form_tls_address: case DW_OP_GNU_push_tls_address:
		return fail(v, "it is thread-local, and the kernel cannot tell where a thread's variables are");
	case DW_OP_bra: case DW_OP_skip:
		return fail(v, "it is computed by a program of branches");
	case DW_OP_GNU_parameter_ref:
		return fail(v, "it is computed from a parameter that is optimised out");
	default:
		return fail(v, "it is computed (DWARF operation 0x%x)", op->atom);
	}
}

/* Operations that say what kind of place it is. 1: done, 0: it is none of these. */
static int place(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Block block;
	unsigned reg;

	switch (op->atom) {
	case DW_OP_reg0 ... DW_OP_reg31:
	case DW_OP_regx:
		reg = op->atom == DW_OP_regx ? (unsigned)PT_MIN(op->number, 255u) : (unsigned)(op->atom - DW_OP_reg0);
		v->kind = PT_LOC_REGISTER;
		v->special = (struct pt_loc_piece){ .chain = { .base = PT_BASE_REG, .reg = (uint8_t)reg, .bits = 64 } };
		return 1;
	case DW_OP_stack_value:
		v->kind = PT_LOC_VALUE;
		return v->nr ? 1 : fail(v, "its location is damaged: an empty stack");
	case DW_OP_implicit_value:
		if (dwarf_getlocation_implicit_value(v->attr, op, &block))
			return fail(v, "its location is damaged: a constant that is not there");
		v->kind = PT_LOC_BYTES;
		v->special = (struct pt_loc_piece){ .bytes = block.data, .nr_bytes = block.length };
		return 1;
	case DW_OP_implicit_pointer: case DW_OP_GNU_implicit_pointer:
		v->kind = PT_LOC_POINTER;
		v->special = (struct pt_loc_piece){ .target_off = (int64_t)op->number2 };
		if (dwarf_getlocation_die(v->attr, op, &v->special.target))
			return fail(v, "its location is damaged: a pointer to nothing");
		return 1;
	default:
		return 0;
	}
}

/* What the operations so far came to. */
static int piece(struct eval *v, uint64_t size_bytes)
{
	struct pt_loc_piece *p;
	struct value x;

	if (v->l->nr == PT_LOC_PIECES)
		return fail(v, "it is in too many pieces");
	p = &v->l->v[v->l->nr++];
	*p = v->special;
	p->kind = v->kind;
	if (v->kind == PT_LOC_MEMORY && !v->nr) {
		p->kind = PT_LOC_NOWHERE;
	} else if (v->kind == PT_LOC_MEMORY || v->kind == PT_LOC_VALUE) {
		x = v->stack[v->nr - 1];
		p->chain = x.c;
		p->on_frame = v->kind == PT_LOC_MEMORY && x.cfa && *last(&x) < 0;
		if (x.shift && !x.unknown)
			x = unknown("it is computed");
		if (x.unknown) {
			p->kind = PT_LOC_COMPUTED;
			p->why = pt_strdup(x.why);
		}
	} else if (v->kind == PT_LOC_REGISTER && !pt_loc_reg(v->s->machine, p->chain.reg)) {
		char text[64];

		pt_loc_reg_text(v->s->machine, p->chain.reg, text, sizeof(text));
		p->kind = PT_LOC_COMPUTED;
		p->why = pt_asprintf("it is in %s, which the kernel cannot fetch", text);
	}
	p->size_bytes = size_bytes;
	v->nr = 0;
	v->kind = PT_LOC_MEMORY;
	v->special = (struct pt_loc_piece){ .kind = PT_LOC_NOWHERE };
	return 0;
}

static int run(struct eval *v, const Dwarf_Op *ops, size_t nr)
{
	size_t i;
	unsigned bits;
	int r;

	v->kind = PT_LOC_MEMORY;
	v->special = (struct pt_loc_piece){ .kind = PT_LOC_NOWHERE };
	for (i = 0; i < nr; i++) {
		if (!v->left || !v->left--)
			return fail(v, "its location is damaged: too many operations");
		if (v->l && ops[i].atom == DW_OP_piece) {
			if (!ops[i].number || piece(v, ops[i].number) < 0)
				return ops[i].number ? -1 : fail(v, "its location is damaged: an empty piece");
			continue;
		}
		if (v->l && ops[i].atom == DW_OP_bit_piece) {
			if (ops[i].number % 8 || ops[i].number2 || !ops[i].number)
				return fail(v, "it is in pieces of bits");
			if (piece(v, ops[i].number / 8) < 0)
				return -1;
			continue;
		}
		if (v->kind != PT_LOC_MEMORY)
			return fail(v, "its location is damaged: it goes on behind its end");
		bits = sign_idiom(ops + i, nr - i);
		if (bits && v->nr) {
			narrow(v, &v->stack[v->nr - 1], bits, true);
			i += 8;
			continue;
		}
		r = place(v, &ops[i]);
		if (r < 0 || (!r && simple(v, &ops[i]) < 0))
			return -1;
	}
	return 0;
}

/* The nearest address from here on where a list has something. */
static bool known_from(Dwarf_Attribute *attr, uint64_t vaddr, uint64_t *from)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t nr;
	ptrdiff_t off = 0;
	unsigned budget = 4096;
	bool found = false;

	while (budget-- && (off = dwarf_getlocations(attr, off, &base, &start, &end, &ops, &nr)) > 0)
		if (start > vaddr && nr && (!found || start < *from)) {
			*from = start;
			found = true;
		}
	return found;
}

static int nowhere(struct eval *v, Dwarf_Attribute *attr)
{
	uint64_t from = 0;

	if (known_from(attr, v->s->vaddr, &from) && from - v->s->vaddr < 1 << 20)
		return fail(v, "it has no value here (optimised out; it has one %llu bytes further on)", (unsigned long long)(from - v->s->vaddr));
	return fail(v, "it is optimised out here");
}

/* The stack pointer moves within a frame; a list's entry that counts from it is good only where it stands as it did where the entry begins. */
static bool moved_sp(const struct eval *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *at;
	size_t n, i;
	ptrdiff_t off = 0;
	unsigned budget = 4096, sp = cpu_sp(v->s->machine);
	struct pt_object *o;
	const struct pt_row *a, *b;

	for (i = 0; i < nr && ops[i].atom != DW_OP_breg0 + sp; i++)
		;
	if (i == nr)
		return false;
	while (budget-- && (off = dwarf_getlocations(attr, off, &base, &start, &end, &at, &n)) > 0)
		if (at == ops && start <= v->s->vaddr && v->s->vaddr < end && end - start < 1 << 30) {
			a = row_at(v->s, start, &o);
			b = row_at(v->s, v->s->vaddr, &o);
			return a && b && a->cfa_reg == sp && b->cfa_reg == sp && !same_cfa(a, b);
		}
	return false;
}

static int eval_attr(struct eval *v, Dwarf_Attribute *attr)
{
	Dwarf_Op *ops[4];
	size_t lens[4];
	int n = dwarf_getlocation_addr(attr, v->s->vaddr, ops, lens, 4);

	v->attr = attr;
	if (n < 0)
		return fail(v, "its location cannot be read");
	if (!n || !lens[0])
		return nowhere(v, attr);
	if (moved_sp(v, attr, ops[0], lens[0]))
		return fail(v, "it lies at a distance from the stack pointer, which has moved since");
	return run(v, ops[0], lens[0]);
}

int pt_loc_of(struct pt_loc *l, const struct pt_var_scope *s, Dwarf_Attribute *attr, struct pt_err *e)
{
	struct eval v = { .s = s, .l = l, .left = MAX_OPS, .e = e };

	l->nr = 0;
	if (eval_attr(&v, attr) < 0 || ((v.nr || v.kind != PT_LOC_MEMORY || !l->nr) && (l->nr ? fail(&v, "its location is damaged: something behind its last piece") : piece(&v, 0)) < 0)) {
		pt_loc_deinit(l);
		return -1;
	}
	return 0;
}

void pt_loc_deinit(struct pt_loc *l)
{
	unsigned i;

	for (i = 0; i < l->nr; i++)
		free(l->v[i].why);
	l->nr = 0;
}
