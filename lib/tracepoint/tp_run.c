#include "tracepoint/tp_tree_priv.h"

#include "base/mem.h"

/* Runs the flat program over one record. */

static uint64_t load(const struct pt_tp_op *op, const struct pt_tp_rec *r)
{
	const uint8_t *p = r->raw + op->off;
	uint64_t v;

	if ((size_t)op->off + op->size > r->len)
		return 0;
	switch (op->size) {
	case 1: v = *p; return op->is_signed ? (uint64_t)(int64_t)(int8_t)v : v;
	case 2: v = pt_load16(p, r->swap); return op->is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
	case 4: v = pt_load32(p, r->swap); return op->is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
	}
	return pt_load64(p, r->swap);
}

/* Copies whole blocks of 16 bytes: literals are padded, and `out` has room. */
static inline void literal(const struct pt_tp_op *op, struct pt_buf *out)
{
	const char *from = op->text;
	char *to;
	size_t i;

	if (out->cap - out->len < op->len + 32)
		pt_buf_grow(out, op->len + 32);
	to = out->data + out->len;
	for (i = 0; i < op->len; i += 16)
		memcpy(to + i, from + i, 16);
	out->len += op->len;
	out->data[out->len] = '\0';
}

/* Most numbers are short. */
static inline void decimal(uint64_t v, struct pt_buf *out)
{
	char *to;

	if (v >= 1000 || out->cap - out->len < 8) {
		pt_buf_dec(out, v);
		return;
	}
	to = out->data + out->len;
	if (v >= 100)
		*to++ = (char)('0' + v / 100);
	if (v >= 10)
		*to++ = (char)('0' + v / 10 % 10);
	*to++ = (char)('0' + v % 10);
	*to = '\0';
	out->len = (size_t)(to - out->data);
}

static inline void decimal_signed(int64_t v, struct pt_buf *out)
{
	if (v < 0)
		pt_buf_putc(out, '-');
	decimal(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, out);
}

static void chars(const struct pt_tp_op *op, const struct pt_tp_rec *r, struct pt_buf *out)
{
	size_t room = op->off < r->len ? PT_MIN(op->len, r->len - op->off) : 0;
	const char *s = (const char *)r->raw + op->off;

	if (room)
		pt_buf_add(out, s, strnlen(s, room));
}

static void bytes(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	const uint8_t *p;
	size_t len;

	if (pt_tp_node_data(n, r, &p, &len) && len)
		pt_buf_add(out, p, strnlen((const char *)p, len));
}

/* %s of a pointer prints the kernel's string if the recording's printk formats have it. */
static void address_text(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	uint64_t v = pt_tp_eval(n, r), *text = pt_map_get(&r->db->printk, v);

	if (text)
		pt_buf_puts(out, (const char *)(uintptr_t)*text);
	else
		pt_buf_hex(out, v);
}

static int bounded(int64_t v)
{
	return (int)(v > PT_TP_MAX_WIDTH    ? PT_TP_MAX_WIDTH
		     : v < -PT_TP_MAX_WIDTH ? -PT_TP_MAX_WIDTH
					    : v);
}

static int width_of(const struct pt_tp_spec *s, const struct pt_tp_rec *r)
{
	return s->width_arg ? bounded((int32_t)pt_tp_eval(s->width_arg, r)) : s->width;
}

static int prec_of(const struct pt_tp_spec *s, const struct pt_tp_rec *r)
{
	int32_t v;

	if (!s->prec_arg)
		return s->prec;
	v = (int32_t)pt_tp_eval(s->prec_arg, r);
	return v < 0 ? -1 : v;
}

/* Truncates what was added since `mark` to the precision and pads it to the width. */
static void fit(const struct pt_tp_spec *s, const struct pt_tp_rec *r, size_t mark,
		struct pt_buf *out)
{
	int width = width_of(s, r), prec = prec_of(s, r);

	if (prec >= 0 && out->len - mark > (size_t)prec) {
		out->len = mark + (size_t)prec;
		out->data[out->len] = '\0';
	}
	if (s->left || width < 0)
		pt_buf_pad_right(out, mark, (size_t)(width < 0 ? -width : width));
	else
		pt_buf_pad_left(out, mark, (size_t)width);
}

static void run(const struct pt_tp_prog *g, const struct pt_tp_rec *r, struct pt_buf *out)
{
	const struct pt_tp_op *op = g->ops, *end = g->nr ? g->ops + g->nr : op;
	size_t mark = out->len, limit = out->len + PT_TP_MAX_OUT;

	pt_buf_grow(out, 512);		/* enough for most records */
	/* Jumps only lead forward, so this ends. */
	for (; op < end && out->len < limit; op++) {
		switch ((enum pt_tp_op_code)op->code) {
		case PT_TP_OP_LITERAL: literal(op, out); break;
		case PT_TP_OP_CHARS: chars(op, r, out); break;
		case PT_TP_OP_BYTES: bytes(op->node, r, out); break;
		case PT_TP_OP_DEC: decimal(load(op, r), out); break;
		case PT_TP_OP_DEC_SIGNED: decimal_signed((int64_t)load(op, r), out); break;
		case PT_TP_OP_HEX_FIELD: pt_buf_hex(out, load(op, r)); break;
		case PT_TP_OP_NUMBER:
			pt_tp_text_number(op->spec, pt_tp_eval(op->node, r), width_of(op->spec, r),
				PT_MIN(prec_of(op->spec, r), PT_TP_MAX_WIDTH), out);
			break;
		case PT_TP_OP_POINTER:
			pt_tp_text_pointer(op->spec, op->node, width_of(op->spec, r), r, out);
			break;
		case PT_TP_OP_ADDRESS_TEXT: address_text(op->node, r, out); break;
		case PT_TP_OP_STRING_NODE: pt_tp_text_node(op->node, r, out); break;
		case PT_TP_OP_JUMP_IF_ZERO:
			if (!pt_tp_eval(op->node, r))
				op = g->ops + op->len - 1;
			break;
		case PT_TP_OP_UNLESS_FAULT:
			if (pt_tp_faulted(op->field, r->raw, r->len, r->swap)) {
				pt_buf_puts(out, PT_TP_FAULT);
				op = g->ops + op->len - 1;
			}
			break;
		case PT_TP_OP_JUMP: op = g->ops + op->len - 1; break;
		case PT_TP_OP_MARK: mark = out->len; break;
		case PT_TP_OP_FIT: fit(op->spec, r, mark, out); break;
		}
	}
}

void pt_tp_print(const struct pt_tp *tp, const void *raw, size_t len, struct pt_buf *out)
{
	const struct pt_tp_rec r = {
		.raw = raw,
		.len = len,
		.swap = tp->db->swap,
		.long_bytes = (uint8_t)tp->db->long_bytes,
		.db = tp->db,
	};
	const struct pt_tp_prog *prog = pt_tp_prog_of(tp);

	if (prog) {
		run(prog, &r, out);
		return;
	}
	pt_buf_puts(out, "[FAILED TO PARSE]");
	pt_tp_print_fields(tp, raw, len, out);
}
