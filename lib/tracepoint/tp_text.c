#include "tracepoint/tp_tree_priv.h"

#include "base/mem.h"
#include "base/search.h"

/* Pieces of a record's text: tables of names, arrays, masks. */

void pt_tp_text_address(uint64_t v, struct pt_buf *out)
{
	pt_buf_add(out, "0x", 2);
	pt_buf_hex(out, v);
}

/* Converts to the kernel's unsigned long. */
static uint64_t as_long(const struct pt_tp_node *n, uint64_t v, const struct pt_tp_rec *r)
{
	return n->is_u64 || r->long_bytes == 8 ? v : (uint32_t)v;
}

static void tp_text_print_flags(const struct pt_tp_node *n, const struct pt_tp_rec *r,
				struct pt_buf *out)
{
	/* The remaining bits are printed with the value's width, not sign-extended. */
	uint64_t v = pt_tp_cut(as_long(n, pt_tp_eval(n->a, r), r), n->a->bits, true), mask;
	bool first = true;
	size_t i;

	for (i = 0; i < n->table.nr && v; i++) {
		mask = pt_tp_cut(n->table.items[i].value, n->a->bits, true);
		if (!mask || (v & mask) != mask)
			continue;
		if (!first)
			pt_buf_add(out, n->text, n->len);
		first = false;
		pt_buf_add(out, n->table.items[i].name, n->table.items[i].len);
		v &= ~mask;
	}
	if (!v)
		return;
	if (!first)
		pt_buf_add(out, n->text, n->len);
	pt_tp_text_address(v, out);
}

static void tp_text_print_symbolic(const struct pt_tp_node *n, const struct pt_tp_rec *r,
				   struct pt_buf *out)
{
	uint64_t v = as_long(n, pt_tp_eval(n->a, r), r);
	const struct pt_tp_value_name *items = n->table.items;
	size_t at = PT_LEADING(n->table.nr, i, items[i].value < v);

	if (at < n->table.nr && items[at].value == v)
		pt_buf_add(out, items[at].name, items[at].len);
	else
		pt_tp_text_address(pt_tp_cut(v, n->a->bits, true), out);
}

static void tp_text_print_hex(const struct pt_tp_node *n, const struct pt_tp_rec *r,
			      struct pt_buf *out)
{
	int64_t want = (int64_t)pt_tp_eval(n->b, r);
	const uint8_t *p;
	size_t len;

	if (want <= 0 || !pt_tp_node_data(n->a, r, &p, &len))
		return;
	pt_buf_hex_bytes(out, p, PT_MIN(len, (size_t)want), n->text);
}

static void tp_text_print_array(const struct pt_tp_node *n, const struct pt_tp_rec *r,
				struct pt_buf *out)
{
	int64_t count = (int32_t)pt_tp_eval(n->b, r), i;
	uint64_t size = pt_tp_eval(n->c, r);
	const uint8_t *p;
	size_t len;

	pt_buf_putc(out, '{');
	if (!pt_tp_node_data(n->a, r, &p, &len))
		count = 0;
	for (i = 0; i < count && size && len >= size; i++, p += size, len -= size) {
		if (!pt_is_number_size(size)) {
			pt_buf_printf(out, "BAD SIZE:%d}", (int)size);
			return;
		}
		if (i)
			pt_buf_putc(out, ',');
		pt_tp_text_address(pt_load_number(p, size, false, r->swap), out);
	}
	pt_buf_putc(out, '}');
}

/* A mask is an array of longs: the place of bit `at` depends on the recorded machine's byte order.
 */
static bool bit(const uint8_t *p, size_t at, const struct pt_tp_rec *r)
{
	size_t long_bits = r->long_bytes * 8u;
	bool little = r->swap != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	size_t byte =
		little ? at / 8
		       : at / long_bits * r->long_bytes + (long_bits - 1 - at % long_bits) / 8;

	return p[byte] >> at % 8 & 1;
}

static void mask_list(const uint8_t *p, size_t bits, const struct pt_tp_rec *r, struct pt_buf *out)
{
	bool first = true;
	size_t i, last;

	for (i = 0; i < bits; i++) {
		if (!bit(p, i, r))
			continue;
		for (last = i; last + 1 < bits && bit(p, last + 1, r); )
			last++;
		if (!first)
			pt_buf_putc(out, ',');
		first = false;
		pt_buf_dec(out, i);
		if (last > i) {
			pt_buf_putc(out, '-');
			pt_buf_dec(out, last);
		}
		i = last;
	}
}

/* In groups of 32 bits from the highest; the first without leading zeros. */
static void mask_hex(const uint8_t *p, size_t bits, const struct pt_tp_rec *r, struct pt_buf *out)
{
	size_t at = (bits + 3) / 4, i;
	unsigned v;

	for (; at--; ) {
		for (v = 0, i = 4; i--; )
			v = v << 1 | (at * 4 + i < bits && bit(p, at * 4 + i, r));
		pt_buf_putc(out, "0123456789abcdef"[v]);
		if (at && at % 8 == 0)
			pt_buf_putc(out, ',');
	}
}

void pt_tp_text_mask(const uint8_t *p, size_t bits, const struct pt_tp_rec *r, bool list,
		     struct pt_buf *out)
{
	if (list)
		mask_list(p, bits, r, out);
	else
		mask_hex(p, bits, r, out);
}

static void print_mask(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	const struct pt_tp_node of = { .kind = PT_TP_DYN, .field = n->field };
	const uint8_t *p;
	size_t len;

	if (!pt_tp_node_data(&of, r, &p, &len))
		return;
	/* only whole longs, else a bit would be behind the end */
	pt_tp_text_mask(p, len / r->long_bytes * r->long_bytes * 8, r, n->kind == PT_TP_CPUMASK,
			out);
}

void pt_tp_text_node(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	switch (n->kind) {
	case PT_TP_FLAGS: tp_text_print_flags(n, r, out); break;
	case PT_TP_SYMBOLIC: tp_text_print_symbolic(n, r, out); break;
	case PT_TP_HEX: tp_text_print_hex(n, r, out); break;
	case PT_TP_ARRAY_OF: tp_text_print_array(n, r, out); break;
	case PT_TP_BITMASK: case PT_TP_CPUMASK: print_mask(n, r, out); break;
	}
}
