/* Evaluates DWARF expressions of CFI. */
#include <dwarf.h>

#include "base/bytes.h"
#include "unwind/unwind.h"

enum { STACK = 64, STEPS = 1000 };

struct eval {
	const struct pt_arch *a;
	const struct pt_unwind_ops *ops;
	void *ctx;
	const struct pt_regs *regs;
	uint64_t stack[STACK];
	unsigned nr;
	bool bad;
};

static void expr_push(struct eval *x, uint64_t v)
{
	if (x->nr < STACK)
		x->stack[x->nr++] = x->a->word_bytes == 4 ? (uint32_t)v : v;
	else
		x->bad = true;
}

static uint64_t pop(struct eval *x)
{
	if (x->nr)
		return x->stack[--x->nr];
	x->bad = true;
	return 0;
}

static uint64_t reg(struct eval *x, uint64_t n)
{
	if (n < PT_CFI_REGS && (x->regs->valid >> n & 1))
		return x->regs->r[n];
	x->bad = true;
	return 0;
}

static void deref(struct eval *x, size_t len)
{
	uint64_t addr = pop(x), v = 0;
	uint8_t raw[8];

	if (len < 1 || len > 8 || x->bad || !x->ops->read(x->ctx, addr, raw, len)) {
		x->bad = true;
		return;
	}
	memcpy(&v, raw, len);		/* all supported CPUs are little-endian */
	expr_push(x, v);
}

static void pick(struct eval *x, unsigned n)
{
	if (n < x->nr)
		expr_push(x, x->stack[x->nr - 1 - n]);
	else
		x->bad = true;
}

static void expr_binary(struct eval *x, uint8_t op)
{
	uint64_t b = pop(x), a = pop(x);

	switch (op) {
	case DW_OP_and: expr_push(x, a & b); break;
	case DW_OP_div:
		x->bad |= !b || (a == 1ull << 63 && b == ~0ull);
		expr_push(x, x->bad ? 0 : (uint64_t)((int64_t)a / (int64_t)b));
		break;
	case DW_OP_minus: expr_push(x, a - b); break;
	case DW_OP_mod: x->bad |= !b; expr_push(x, b ? a % b : 0); break;
	case DW_OP_mul: expr_push(x, a * b); break;
	case DW_OP_or: expr_push(x, a | b); break;
	case DW_OP_plus: expr_push(x, a + b); break;
	case DW_OP_shl: expr_push(x, b < 64 ? a << b : 0); break;
	case DW_OP_shr: expr_push(x, b < 64 ? a >> b : 0); break;
	case DW_OP_shra: expr_push(x, (uint64_t)((int64_t)a >> (b < 64 ? b : 63))); break;
	case DW_OP_xor: expr_push(x, a ^ b); break;
	case DW_OP_eq: expr_push(x, a == b); break;
	case DW_OP_ge: expr_push(x, (int64_t)a >= (int64_t)b); break;
	case DW_OP_gt: expr_push(x, (int64_t)a > (int64_t)b); break;
	case DW_OP_le: expr_push(x, (int64_t)a <= (int64_t)b); break;
	case DW_OP_lt: expr_push(x, (int64_t)a < (int64_t)b); break;
	case DW_OP_ne: expr_push(x, a != b); break;
	default: x->bad = true;
	}
}

static void expr_jump(struct eval *x, struct pt_bytes *b, const uint8_t *start, bool conditional)
{
	int16_t by = (int16_t)pt_bytes_u16(b);
	const uint8_t *to = b->at;

	if (conditional && !pop(x))
		return;
	if (by < start - to || by > b->end - to)
		x->bad = true;
	else
		b->at += by;
}

static void expr_step(struct eval *x, struct pt_bytes *b, const uint8_t *start)
{
	uint8_t op = pt_bytes_u8(b);
	uint64_t n, v;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		expr_push(x, op - DW_OP_lit0);
		return;
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		v = reg(x, op - DW_OP_breg0);
		expr_push(x, v + (uint64_t)pt_bytes_sleb(b));
		return;
	}
	switch (op) {
	case DW_OP_addr: expr_push(x, pt_bytes_number(b, x->a->word_bytes)); break;
	case DW_OP_const1u: expr_push(x, pt_bytes_u8(b)); break;
	case DW_OP_const1s: expr_push(x, (uint64_t)(int64_t)(int8_t)pt_bytes_u8(b)); break;
	case DW_OP_const2u: expr_push(x, pt_bytes_u16(b)); break;
	case DW_OP_const2s: expr_push(x, (uint64_t)(int64_t)(int16_t)pt_bytes_u16(b)); break;
	case DW_OP_const4u: expr_push(x, pt_bytes_u32(b)); break;
	case DW_OP_const4s: expr_push(x, (uint64_t)(int64_t)(int32_t)pt_bytes_u32(b)); break;
	case DW_OP_const8u: case DW_OP_const8s: expr_push(x, pt_bytes_u64(b)); break;
	case DW_OP_constu: expr_push(x, pt_bytes_uleb(b)); break;
	case DW_OP_consts: expr_push(x, (uint64_t)pt_bytes_sleb(b)); break;
	case DW_OP_bregx:
		n = pt_bytes_uleb(b);
		v = reg(x, n);
		expr_push(x, v + (uint64_t)pt_bytes_sleb(b));
		break;
	case DW_OP_dup: pick(x, 0); break;
	case DW_OP_drop: pop(x); break;
	case DW_OP_over: pick(x, 1); break;
	case DW_OP_pick: pick(x, pt_bytes_u8(b)); break;
	case DW_OP_swap: v = pop(x); n = pop(x); expr_push(x, v); expr_push(x, n); break;
	case DW_OP_rot: {
		uint64_t top = pop(x), second = pop(x), third = pop(x);

		expr_push(x, top);
		expr_push(x, third);
		expr_push(x, second);
		break;
	}
	case DW_OP_deref: deref(x, x->a->word_bytes); break;
	case DW_OP_deref_size: deref(x, pt_bytes_u8(b)); break;
	case DW_OP_abs: v = pop(x); expr_push(x, (int64_t)v < 0 ? 0 - v : v); break;
	case DW_OP_neg: expr_push(x, 0 - pop(x)); break;
	case DW_OP_not: expr_push(x, ~pop(x)); break;
	case DW_OP_plus_uconst: v = pop(x); expr_push(x, v + pt_bytes_uleb(b)); break;
	case DW_OP_skip: expr_jump(x, b, start, false); break;
	case DW_OP_bra: expr_jump(x, b, start, true); break;
	case DW_OP_nop: break;
	default: expr_binary(x, op);
	}
}

bool pt_expr_eval(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx,
		  const struct pt_regs *regs, struct pt_expr expr, bool push_cfa, uint64_t cfa,
		  uint64_t *v)
{
	struct eval x = { .a = a, .ops = ops, .ctx = ctx, .regs = regs };
	struct pt_bytes b = pt_bytes(expr.bytes, expr.len_bytes, false);
	unsigned steps = 0;

	if (!expr.bytes)
		return false;
	if (push_cfa)
		expr_push(&x, cfa);
	while (pt_bytes_left(&b) && !b.bad && !x.bad)
		if (++steps > STEPS)
			return false;
		else
			expr_step(&x, &b, expr.bytes);
	*v = pop(&x);
	return !x.bad && !b.bad;
}
