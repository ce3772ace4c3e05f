#include "tracepoint/tp_tree_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* Runs the flat program over one record. */

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
		pt_buf_puts(out, pt_pointer(*text));
	else
		pt_buf_hex(out, v);
}

static int width_of(const struct pt_tp_spec *s, const struct pt_tp_rec *r)
{
	return s->width_arg ? pt_tp_width((int32_t)pt_tp_eval(s->width_arg, r)) : s->width;
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
static void tp_run_fit(const struct pt_tp_spec *s, const struct pt_tp_rec *r, size_t mark,
		       struct pt_buf *out)
{
	int width = width_of(s, r), prec = prec_of(s, r);

	if (prec >= 0 && out->len - mark > (size_t)prec) {
		out->len = mark + (size_t)prec;
		out->data[out->len] = '\0';
	}
	if (width < 0 || strchr(s->flags, '-'))
		pt_buf_pad_right(out, mark, (size_t)abs(width));
	else
		pt_buf_pad_left(out, mark, (size_t)width);
}

static void tp_run_number(const struct pt_tp_spec *s, uint64_t v, const struct pt_tp_rec *r,
			  struct pt_buf *out)
{
	bool decimal = s->conv == 'd' || s->conv == 'u';
	char fmt[16];

	v = pt_tp_cut(v, s->bits, s->conv != 'd');
	if (s->simple && decimal && (s->conv == 'u' || (int64_t)v >= 0)) {
		if (s->flags[0])
			pt_buf_dec_zero(out, v, s->width);
		else
			pt_buf_scaled_wide(out, v, 0, s->width);
	} else if (s->plain && s->conv == 'x') {
		pt_buf_hex(out, v);
	} else if (s->conv == 'c') {
		pt_buf_printf(out, strchr(s->flags, '-') ? "%-*c" : "%*c", width_of(s, r), (char)v);
	} else {
		snprintf(fmt, sizeof(fmt), "%%%s*.*ll%c", s->flags, s->conv);
		pt_buf_printf(out, fmt, width_of(s, r), PT_MIN(prec_of(s, r), PT_TP_MAX_WIDTH), v);
	}
}

static void field_value(const struct pt_tp_field *f, const struct pt_tp_rec *r, struct pt_buf *out)
{
	const void *p;
	uint64_t v;
	size_t n;

	if (f->flags & PT_TP_FLOAT) {
		if (pt_tp_value(f, r->raw, r->len, r->swap, &v))
			pt_buf_printf(out, f->size_bytes == 4 ? "%.7g" : "%.15g",
				      pt_tp_float(f, v));
	} else if (pt_tp_data(f, r->raw, r->len, r->swap, &p, &n)) {
		pt_buf_putc(out, '"');
		pt_buf_add(out, p, n);
		pt_buf_putc(out, '"');
	}
}

static void tp_run_run(const struct pt_tp_prog *g, const struct pt_tp_rec *r, struct pt_buf *out)
{
	const struct pt_tp_op *op = g->ops, *end = g->nr ? g->ops + g->nr : op;
	size_t mark = out->len, limit = out->len + PT_TP_MAX_OUT;

	pt_buf_grow(out, 512);		/* enough for most records */
	/* Jumps only lead forward, so this ends. */
	for (; op < end && out->len < limit; op++) {
		switch ((enum pt_tp_op_code)op->code) {
		case PT_TP_OP_LITERAL: pt_buf_add(out, op->text, op->len); break;
		case PT_TP_OP_BYTES: bytes(op->node, r, out); break;
		case PT_TP_OP_NUMBER:
			tp_run_number(op->spec, pt_tp_eval(op->node, r), r, out);
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
		case PT_TP_OP_VALUE: field_value(op->field, r, out); break;
		case PT_TP_OP_JUMP: op = g->ops + op->len - 1; break;
		case PT_TP_OP_MARK: mark = out->len; break;
		case PT_TP_OP_FIT: tp_run_fit(op->spec, r, mark, out); break;
		}
	}
}

void pt_tp_print(const struct pt_tp *tp, const void *raw, size_t len, struct pt_buf *out)
{
	const struct pt_tp_rec r = pt_tp_rec_of(tp, raw, len);
	const struct pt_tp_prog *prog;

	if (((const struct pt_tp_entry *)tp)->is_ftrace && pt_tp_ftrace_print(tp, &r, out))
		return;
	prog = pt_tp_prog_of(tp);
	if (prog) {
		tp_run_run(prog, &r, out);
		return;
	}
	pt_buf_puts(out, "[FAILED TO PARSE]");
	pt_tp_print_fields(tp, raw, len, out);
}
