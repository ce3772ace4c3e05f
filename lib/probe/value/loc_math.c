#include "probe/value/loc_priv.h"

#include <dwarf.h>
#include <stdio.h>

#include "probe/value/type.h"

struct value loc_unknown(const char *why)
{
	struct value x = { .unknown = true };

	snprintf(x.why, sizeof(x.why), "%s", why);
	return x;
}

struct value loc_const(int64_t n)
{
	struct value x = { .c = { .base = PT_BASE_NONE, .bits = 64 } };

	x.c.off[0] = n;
	return x;
}

int loc_push(struct eval *v, const struct value *x)
{
	if (v->nr == LOC_MAX_STACK)
		return loc_fail(v, "its location is damaged: too deep a stack");
	v->stack[v->nr++] = *x;
	return 0;
}

int loc_pop(struct eval *v, struct value *x)
{
	if (!v->nr)
		return loc_fail(v, "its location is damaged: an empty stack");
	*x = v->stack[--v->nr];
	return 0;
}

struct value loc_of_own_reg(const struct eval *v, uint64_t reg, int64_t off)
{
	struct value x = loc_const(off);
	char text[64], why[LOC_WHY_BYTES];

	if (reg > 255 || !pt_loc_reg(v->s->machine, (unsigned)reg)) {
		pt_loc_reg_text(v->s->machine, (unsigned)reg, text, sizeof(text));
		snprintf(why, sizeof(why), "it depends on %s, which the kernel cannot fetch", text);
		return loc_unknown(why);
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
	if (!loc_whole(v, x) && !loc_constant(x)) {
		*x = loc_unknown("it is computed");
		return;
	}
	*loc_last(x) = (int64_t)((uint64_t)*loc_last(x) + (uint64_t)n);
}

/* From here on only the low `bits` are valid. */
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
	/* the low bytes come last; the chain begins at the first */
	if (v->s->big_endian && x->fresh && !(bits % 8)) {
		x->c.off[x->c.nr_reads - 1] +=
			(x->c.bits < loc_all_bits(v) ? x->c.bits : loc_all_bits(v)) / 8 -
			(int)bits / 8;
		if (*loc_last(x))
			*x = loc_unknown("it is computed");
	} else if (*loc_last(x) && (x->c.nr_reads || x->c.base != PT_BASE_NONE)) {
		*x = loc_unknown("it is computed");
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
		*x = loc_unknown("it is computed");
		return;
	}
	if (!pt_chain_read(&x->c)) {
		*x = loc_unknown("it lies behind too many pointers");
		return;
	}
	x->cfa = false;
	x->fresh = true;
	/* so many bytes at that address, whatever the byte order */
	if (bytes && bytes < v->s->word_bytes) {
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

/* The number of ones in a mask of ones from bit 0 on; 0: it is no such mask. */
static unsigned mask_bits(uint64_t m)
{
	return m && !(m & (m + 1)) ? (unsigned)__builtin_popcountll(m) : 0;
}

int loc_binary(struct eval *v, unsigned op)
{
	struct value a, b, x;
	bool ok;

	if (loc_pop(v, &b) < 0 || loc_pop(v, &a) < 0)
		return -1;
	if (a.unknown || b.unknown) {
		x = a.unknown ? a : b;
	} else if (loc_constant(&a) && loc_constant(&b)) {
		x = loc_const(fold(op, a.c.off[0], b.c.off[0], &ok));
		if (!ok)
			x = loc_unknown("its location is damaged: a division by zero");
	} else if (op == DW_OP_plus && (loc_constant(&a) || loc_constant(&b))) {
		x = loc_constant(&a) ? b : a;
		loc_add(v, &x, loc_constant(&a) ? a.c.off[0] : b.c.off[0]);
	} else if (op == DW_OP_minus && loc_constant(&b)) {
		x = a;
		loc_add(v, &x, (int64_t)(0 - (uint64_t)b.c.off[0]));
	} else if (op == DW_OP_and && (loc_constant(&a) || loc_constant(&b)) &&
		   mask_bits((uint64_t)(loc_constant(&a) ? a : b).c.off[0])) {
		x = loc_constant(&a) ? b : a;
		if (x.shift)
			x = loc_unknown("it is computed");
		loc_narrow(v, &x, mask_bits((uint64_t)(loc_constant(&a) ? a : b).c.off[0]), false);
	} else if (op == DW_OP_shl && loc_constant(&b) && loc_whole(v, &a) && b.c.off[0] > 0 &&
		   b.c.off[0] < loc_all_bits(v)) {
		x = a;
		x.shift = (uint8_t)b.c.off[0];
	} else if ((op == DW_OP_shr || op == DW_OP_shra) && loc_constant(&b) && a.shift &&
		   b.c.off[0] == a.shift) {
		x = a;
		x.shift = 0;
		loc_narrow(v, &x, loc_all_bits(v) - a.shift, op == DW_OP_shra);
	} else {
		x = loc_unknown("it is computed");
	}
	return loc_push(v, &x);
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
		x = loc_unknown("it is computed");
	}
	return loc_push(v, &x);
}

int loc_convert(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Die die;
	struct pt_type t = { .none = false };
	struct pt_type_info i;
	struct value x;

	if (loc_pop(v, &x) < 0)
		return -1;
	if (op->number) {
		if (dwarf_getlocation_die(v->attr, op, &die))
			return loc_fail(v, "its location is damaged: a conversion to nothing");
		t.die = die;
		pt_type_info(&t, &i);
		if (i.kind != PT_TYPE_INTEGER || !i.size_bytes || i.size_bytes > 8)
			x = loc_unknown("it is computed, in floating point");
		else if (!x.unknown && i.size_bytes * 8 <= x.c.bits)
			loc_narrow(v, &x, (unsigned)i.size_bytes * 8, i.is_signed);
	}
	return loc_push(v, &x);
}

/* A typed constant, register or read. */
int loc_typed(struct eval *v, const Dwarf_Op *op, unsigned atom)
{
	Dwarf_Die die;
	struct pt_type t = { .none = false };
	struct pt_type_info i;
	struct value x;

	if (dwarf_getlocation_die(v->attr, op, &die))
		return loc_fail(v, "its location is damaged: a value of no type");
	t.die = die;
	pt_type_info(&t, &i);
	if (atom == DW_OP_const_type || atom == DW_OP_GNU_const_type) {
		x = loc_unknown("it is computed");
	} else if (i.kind != PT_TYPE_INTEGER || !i.size_bytes || i.size_bytes > v->s->word_bytes) {
		if ((atom == DW_OP_deref_type || atom == DW_OP_GNU_deref_type) &&
		    loc_pop(v, &x) < 0)
			return -1;
		x = loc_unknown("it is computed, in floating point");
	} else if (atom == DW_OP_regval_type || atom == DW_OP_GNU_regval_type) {
		x = loc_of_reg(v, op->number, 0);
		loc_narrow(v, &x, (unsigned)i.size_bytes * 8, i.is_signed);
	} else {
		if (loc_pop(v, &x) < 0)
			return -1;
		loc_read(v, &x, (unsigned)i.size_bytes);
		if (!x.unknown && x.c.bits < loc_all_bits(v))
			x.c.sign_extended = i.is_signed;
	}
	return loc_push(v, &x);
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
	struct value a, b, c;
	unsigned back = op->atom == DW_OP_over   ? 1
			: op->atom == DW_OP_pick ? (unsigned)(op->number & 255)
						 : 0;

	switch (op->atom) {
	case DW_OP_drop:
		return loc_pop(v, &a);
	case DW_OP_swap:
		return loc_pop(v, &a) < 0 || loc_pop(v, &b) < 0 || loc_push(v, &a) < 0 ||
				       loc_push(v, &b) < 0
			       ? -1
			       : 0;
	case DW_OP_rot:
		return loc_pop(v, &a) < 0 || loc_pop(v, &b) < 0 || loc_pop(v, &c) < 0 ||
				       loc_push(v, &a) < 0 || loc_push(v, &c) < 0 ||
				       loc_push(v, &b) < 0
			       ? -1
			       : 0;
	default:
		if (back >= v->nr)
			return loc_fail(v, "its location is damaged: an empty stack");
		a = v->stack[v->nr - 1 - back];
		return loc_push(v, &a);
	}
}
