#include "tracepoint/tp_tree_priv.h"

/* Evaluates numbers and bytes of the tree over a record. A value has 64 bits, sign-extended or not
 * as its type requires. Fields beyond a short record read as 0. */

bool pt_tp_is_data(const struct pt_tp_node *n)
{
	while (n->kind == PT_TP_CAST || (n->kind == PT_TP_BINARY && n->op == '+'))
		n = n->a;
	switch (n->kind) {
	case PT_TP_FIELD: return n->field->flags & PT_TP_ARRAY;
	case PT_TP_DYN: case PT_TP_ADDR: return true;
	}
	return false;
}

/* The size of what a pointer points at. */
static size_t tp_eval_step(const struct pt_tp_node *n)
{
	for (; n; n = n->a) {
		if (n->kind == PT_TP_CAST && n->type.pointer)
			return n->type.bits ? n->type.bits / 8u : 1;
		if (n->kind == PT_TP_FIELD || n->kind == PT_TP_DYN)
			return n->field->elem_bytes ? n->field->elem_bytes : 1;
	}
	return 1;
}

bool pt_tp_node_data(const struct pt_tp_node *n, const struct pt_tp_rec *r, const uint8_t **p,
		     size_t *len)
{
	uint64_t skip;
	size_t each;

	switch (n->kind) {
	case PT_TP_FIELD:		/* its op is 0 */
	case PT_TP_DYN:
		return pt_tp_bytes(n->field, n->op, r->raw, r->len, r->swap, p, len);
	case PT_TP_ADDR:
	case PT_TP_CAST:
		return pt_tp_node_data(n->a, r, p, len);
	case PT_TP_BINARY:
		if (n->op != '+' || !pt_tp_node_data(n->a, r, p, len))
			return false;
		skip = pt_tp_eval(n->b, r);
		each = tp_eval_step(n->a);
		if (skip > *len / each)
			return false;
		*p += skip * each;
		*len -= skip * each;
		return true;
	}
	return false;
}

static uint64_t tp_eval_element(const struct pt_tp_node *n, const struct pt_tp_rec *r)
{
	uint64_t at = pt_tp_eval(n->b, r);
	size_t len, size = n->bits / 8u;
	const uint8_t *p;

	if (!size || !pt_tp_node_data(n->a, r, &p, &len) || at >= len / size)
		return 0;
	return pt_load_number(p + at * size, size, !n->is_unsigned, r->swap);
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool rest)
{
	if (!b)
		return 0;
	if (is_unsigned)
		return rest ? a % b : a / b;
	if (b == (uint64_t)-1)		/* INT64_MIN / -1 traps */
		return rest ? 0 : 0 - a;
	return (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(const struct pt_tp_node *n, uint64_t a, uint64_t by)
{
	if (by >= n->bits)
		return n->op == PT_TP_SHR && !n->is_unsigned && (int64_t)a < 0 ? (uint64_t)-1 : 0;
	if (n->op == PT_TP_SHL)
		return a << by;
	return n->is_unsigned ? a >> by : (uint64_t)((int64_t)a >> by);
}

static uint64_t tp_eval_binary(const struct pt_tp_node *n, const struct pt_tp_rec *r)
{
	uint64_t a = pt_tp_eval(n->a, r), b;

	if (n->op == PT_TP_AND)
		return a && pt_tp_eval(n->b, r);
	if (n->op == PT_TP_OR)
		return a || pt_tp_eval(n->b, r);
	b = pt_tp_eval(n->b, r);
	a = pt_tp_cut(a, n->bits, n->is_unsigned);
	if (n->op == PT_TP_SHL || n->op == PT_TP_SHR)
		return pt_tp_cut(shift(n, a, b), n->bits, n->is_unsigned);
	b = pt_tp_cut(b, n->bits, n->is_unsigned);
	switch (n->op) {
	case '<': return n->is_unsigned ? a < b : (int64_t)a < (int64_t)b;
	case '>': return n->is_unsigned ? a > b : (int64_t)a > (int64_t)b;
	case PT_TP_LE: return n->is_unsigned ? a <= b : (int64_t)a <= (int64_t)b;
	case PT_TP_GE: return n->is_unsigned ? a >= b : (int64_t)a >= (int64_t)b;
	case PT_TP_EQ: return a == b;
	case PT_TP_NE: return a != b;
	case '+': a += b; break;
	case '-': a -= b; break;
	case '*': a *= b; break;
	case '/': a = divide(a, b, n->is_unsigned, false); break;
	case '%': a = divide(a, b, n->is_unsigned, true); break;
	case '&': a &= b; break;
	case '|': a |= b; break;
	case '^': a ^= b; break;
	}
	return pt_tp_cut(a, n->bits, n->is_unsigned);
}

static uint64_t tp_eval_unary(const struct pt_tp_node *n, const struct pt_tp_rec *r)
{
	uint64_t a = pt_tp_eval(n->a, r);

	switch (n->op) {
	case '!': return !a;
	case '~': return pt_tp_cut(~a, n->bits, n->is_unsigned);
	case '-': return pt_tp_cut(0 - a, n->bits, n->is_unsigned);
	}
	return a;
}

static uint64_t swabbed(const struct pt_tp_node *n, const struct pt_tp_rec *r)
{
	uint64_t v = pt_tp_eval(n->a, r);

	if (!n->op)
		return pt_tp_cut(v, n->bits, true);
	return n->bits == 16   ? bswap_16((uint16_t)v)
	       : n->bits == 32 ? bswap_32((uint32_t)v)
			       : bswap_64(v);
}

uint64_t pt_tp_eval(const struct pt_tp_node *n, const struct pt_tp_rec *r)
{
	const uint8_t *p;
	uint64_t v;
	size_t len;

	switch (n->kind) {
	case PT_TP_NUM:
		return n->value;
	case PT_TP_FIELD:
		if ((size_t)n->field->off + n->field->size_bytes > r->len)
			return 0;
		return pt_load_number(r->raw + n->field->off, n->field->size_bytes,
				      !n->is_unsigned, r->swap);
	case PT_TP_DYN_LEN:
		return pt_tp_bytes(n->field, n->op, r->raw, r->len, r->swap, &p, &len) ? len : 0;
	case PT_TP_INDEX:
		return tp_eval_element(n, r);
	case PT_TP_CAST:
		v = pt_tp_eval(n->a, r);
		return n->type.is_bool && !n->type.pointer ? v != 0
							   : pt_tp_cut(v, n->bits, n->is_unsigned);
	case PT_TP_UNARY:
		return tp_eval_unary(n, r);
	case PT_TP_BINARY:
		return tp_eval_binary(n, r);
	case PT_TP_COND:
		v = pt_tp_eval(n->a, r);
		if (v && n->b == n->a)		/* a ?: b evaluates a once */
			return v;
		return pt_tp_cut(pt_tp_eval(v ? n->b : n->c, r), n->bits, n->is_unsigned);
	case PT_TP_SWAB:
		return swabbed(n, r);
	}
	return 0;
}
