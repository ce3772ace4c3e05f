#include "probe/value/loc_priv.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "probe/value/type.h"

struct value loc_unknown(const char *fmt, ...)
{
	struct value x = { .unknown = true };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x.why, sizeof(x.why), fmt, ap);
	va_end(ap);
	return x;
}

/* Unknown, without a better reason. */
static struct value computed(void)
{
	return loc_unknown("it is computed");
}

struct value loc_const(int64_t n)
{
	return (struct value){ .c = { .base = PT_BASE_NONE, .bits = 64, .off = { n } } };
}

int loc_push(struct eval *v, struct value x)
{
	if (v->nr == LOC_MAX_STACK)
		return loc_damaged(v);
	v->stack[v->nr++] = x;
	return 0;
}

int loc_pop(struct eval *v, struct value *x)
{
	if (!v->nr)
		return loc_damaged(v);
	*x = v->stack[--v->nr];
	return 0;
}

struct value loc_of_own_reg(const struct eval *v, uint64_t reg, int64_t off)
{
	struct value x = loc_const(off);
	char text[64];

	if (reg > 255 || !pt_loc_reg(v->s->machine, (unsigned)reg)) {
		pt_loc_reg_text(v->s->machine, (unsigned)reg, text, sizeof(text));
		return loc_unknown("it depends on %s, which the kernel cannot fetch", text);
	}
	x.c.base = PT_BASE_REG;
	x.c.reg = (uint8_t)reg;
	return x;
}

struct value loc_of_reg(struct eval *v, uint64_t reg, int64_t off)
{
	struct value x;

	if (!v->caller || reg > 255)
		return loc_of_own_reg(v, reg, off);
	x = loc_caller_reg(v, (unsigned)reg);
	loc_add(v, &x, off);
	return x;
}

void loc_add(struct eval *v, struct value *x, int64_t n)
{
	if (x->unknown || !n)
		return;
	x->fresh = false;
	if (loc_whole(v, x) || loc_constant(x))
		*loc_last(x) = (int64_t)((uint64_t)*loc_last(x) + (uint64_t)n);
	else
		*x = computed();
}

void loc_narrow(struct eval *v, struct value *x, unsigned bits, bool is_signed)
{
	if (x->unknown || bits >= loc_all_bits(v))
		return;
	if (loc_constant(x)) {
		uint64_t mask = ~0ull >> (64 - bits), n = (uint64_t)x->c.off[0] & mask;

		x->c.off[0] = (int64_t)(is_signed && n >> (bits - 1) ? n | ~mask : n);
		return;
	}
	if (bits > x->c.bits)
		return;
	/* on big-endian CPUs the low bytes come last; the chain begins at the first */
	if (v->s->big_endian && x->fresh && !(bits % 8))
		x->c.off[x->c.nr_reads - 1] += (PT_MIN(x->c.bits, loc_all_bits(v)) - (int)bits) / 8;
	if (*loc_last(x)) {
		*x = computed();
		return;
	}
	x->c.bits = (uint8_t)bits;
	x->c.sign_extended = is_signed;
}

void loc_read(struct eval *v, struct value *x, unsigned bytes)
{
	if (x->unknown)
		return;
	if (!loc_whole(v, x) && !loc_constant(x)) {
		*x = computed();
		return;
	}
	if (!pt_chain_read(&x->c)) {
		*x = loc_unknown("it lies behind too many pointers");
		return;
	}
	x->cfa = false;
	x->fresh = true;
	if (bytes && bytes < v->s->word_bytes)
		x->c.bits = (uint8_t)(bytes * 8);
}

static int64_t loc_math_fold(unsigned op, int64_t a, int64_t b, bool *ok)
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

/* The number of ones in a mask of ones from bit 0 on; 0: it is no such mask. */
static unsigned mask_bits(uint64_t m)
{
	return m && !(m & (m + 1)) ? (unsigned)__builtin_popcountll(m) : 0;
}

int loc_binary(struct eval *v, unsigned op)
{
	struct value a, b, x;
	bool ok, a_known, b_known;
	int64_t n;

	if (loc_pop(v, &b) < 0 || loc_pop(v, &a) < 0)
		return -1;
	a_known = loc_constant(&a);
	b_known = loc_constant(&b);
	x = a_known ? b : a;
	n = a_known ? a.c.off[0] : b.c.off[0];	/* the one that is known */
	if (a.unknown || b.unknown) {
		x = a.unknown ? a : b;
	} else if (a_known && b_known) {
		x = loc_const(loc_math_fold(op, a.c.off[0], b.c.off[0], &ok));
		if (!ok)
			return loc_damaged(v);
	} else if (op == DW_OP_plus && (a_known || b_known)) {
		loc_add(v, &x, n);
	} else if (op == DW_OP_minus && b_known) {
		loc_add(v, &x, (int64_t)(0 - (uint64_t)n));
	} else if (op == DW_OP_and && (a_known || b_known) && mask_bits((uint64_t)n) && !x.shift) {
		loc_narrow(v, &x, mask_bits((uint64_t)n), false);
	} else if (op == DW_OP_shl && b_known && loc_whole(v, &a) && n > 0 && n < loc_all_bits(v)) {
		x.shift = (uint8_t)n;
	} else if ((op == DW_OP_shr || op == DW_OP_shra) && b_known && a.shift && n == a.shift) {
		x.shift = 0;
		loc_narrow(v, &x, loc_all_bits(v) - a.shift, op == DW_OP_shra);
	} else {
		x = computed();
	}
	return loc_push(v, x);
}

int loc_unary(struct eval *v, unsigned op)
{
	struct value x;

	if (loc_pop(v, &x) < 0)
		return -1;
	if (loc_constant(&x)) {
		uint64_t u = (uint64_t)x.c.off[0];

		x = loc_const((int64_t)(op == DW_OP_neg   ? 0 - u
					: op == DW_OP_not ? ~u
					: x.c.off[0] < 0  ? 0 - u
							  : u));
	} else if (!x.unknown) {
		x = computed();
	}
	return loc_push(v, x);
}

int loc_typed(struct eval *v, const Dwarf_Op *op)
{
	bool converts = op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert,
	     reads = op->atom == DW_OP_deref_type || op->atom == DW_OP_GNU_deref_type,
	     constant = op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type;
	struct pt_type t = { .none = false };
	struct pt_type_info i = { .kind = PT_TYPE_INTEGER, .size_bytes = 8 };
	struct value x = computed();
	unsigned bits;

	if ((converts || reads) && loc_pop(v, &x) < 0)
		return -1;
	if (!converts || op->number) {	/* else to the CPU's word */
		if (dwarf_getlocation_die(v->attr, op, &t.die))
			return loc_damaged(v);
		pt_type_info(&t, &i);
	}
	if (constant)
		return loc_push(v, x);
	if (i.kind != PT_TYPE_INTEGER || !i.size_bytes ||
	    i.size_bytes > (converts ? 8 : v->s->word_bytes))
		return loc_push(v, loc_unknown("it is computed, in floating point"));
	bits = (unsigned)i.size_bytes * 8;
	if (reads) {
		loc_read(v, &x, bits / 8);
		x.c.sign_extended = i.is_signed && x.c.bits < loc_all_bits(v);
	} else {
		if (!converts)
			x = loc_of_reg(v, op->number, 0);
		if (bits <= x.c.bits)
			loc_narrow(v, &x, bits, i.is_signed);
	}
	return loc_push(v, x);
}

/* clang's sign extension of W bits: dup, W-1, shr, 0, not, mul, W, shl, or. */
unsigned loc_sign_idiom(const Dwarf_Op *op, size_t left)
{
	uint64_t w;

	if (left < 9 || op[0].atom != DW_OP_dup || op[2].atom != DW_OP_shr ||
	    op[3].atom != DW_OP_lit0 || op[4].atom != DW_OP_not || op[5].atom != DW_OP_mul ||
	    op[7].atom != DW_OP_shl || op[8].atom != DW_OP_or)
		return 0;
	w = op[6].atom == DW_OP_constu ? op[6].number
	    : op[6].atom >= DW_OP_lit0 && op[6].atom <= DW_OP_lit31
		    ? (uint64_t)(op[6].atom - DW_OP_lit0)
		    : 0;
	return w == 8 || w == 16 || w == 32 ? (unsigned)w : 0;
}

int loc_shuffle(struct eval *v, const Dwarf_Op *op)
{
	unsigned back = op->atom == DW_OP_over || op->atom == DW_OP_swap ? 1
			: op->atom == DW_OP_rot                          ? 2
			: op->atom == DW_OP_pick ? (unsigned)(op->number & 255)
						 : 0;
	struct value *top = &v->stack[v->nr], x;

	if (back >= v->nr)
		return loc_damaged(v);
	switch (op->atom) {
	case DW_OP_drop:
		v->nr--;
		return 0;
	case DW_OP_swap: case DW_OP_rot:	/* the top goes below the others */
		x = top[-1];
		for (unsigned i = 0; i < back; i++)
			top[-1 - (int)i] = top[-2 - (int)i];
		top[-1 - (int)back] = x;
		return 0;
	default:
		return loc_push(v, top[-1 - (int)back]);
	}
}
