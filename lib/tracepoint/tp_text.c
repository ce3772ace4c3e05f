#include "tracepoint/tp_tree_priv.h"

#include "base/mem.h"
#include "base/search.h"

/* Pieces of a record's text: numbers as by printf, tables of names, arrays, masks. */

static size_t digits_of(uint64_t v, unsigned base, bool upper, char *end)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char *p = end;

	if (base == 10)
		for (; v; v /= 10)
			*--p = (char)('0' + v % 10);
	else
		for (; v; v >>= base == 16 ? 4 : 3)
			*--p = set[v & (base - 1)];
	return (size_t)(end - p);
}

static void repeat(struct pt_buf *out, char c, size_t n)
{
	while (n--)
		pt_buf_putc(out, c);
}

static uint64_t cut(uint64_t v, int bits)
{
	return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static int64_t cut_signed(uint64_t v, int bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static void character(const struct pt_tp_spec *s, uint64_t v, int width, struct pt_buf *out)
{
	size_t from = out->len;

	pt_buf_putc(out, (char)v);
	if (s->left || width < 0)
		pt_buf_pad_right(out, from, (size_t)(width < 0 ? -width : width));
	else
		pt_buf_pad_left(out, from, (size_t)width);
}

void pt_tp_text_number(const struct pt_tp_spec *s, uint64_t v, int width, int prec,
		       struct pt_buf *out)
{
	char text[72], *end = text + sizeof(text);
	const char *prefix = "";
	size_t n, zeros, all, room;
	bool left = s->left || width < 0;

	room = (size_t)(width < 0 ? -width : width);
	if (s->conv == 'c') {
		character(s, v, width, out);
		return;
	}
	if (s->conv == 'd') {
		int64_t sv = cut_signed(v, s->bits);

		prefix = sv < 0 ? "-" : s->plus ? "+" : s->space ? " " : "";
		v = sv < 0 ? 0 - (uint64_t)sv : (uint64_t)sv;
	} else {
		v = cut(v, s->bits);
		if (s->alt && v)
			prefix = s->conv == 'x'   ? "0x"
				 : s->conv == 'X' ? "0X"
				 : s->conv == 'o' ? "0"
						  : "";
	}
	n = digits_of(v,
		      s->conv == 'd' || s->conv == 'u' ? 10
		      : s->conv == 'o'                 ? 8
						       : 16,
		      s->conv == 'X', end);
	zeros = prec >= 0 ? ((size_t)prec > n ? (size_t)prec - n : 0) : n ? 0 : 1;
	all = n + zeros + strlen(prefix);
	if (all < room && s->zero && !left && prec < 0)
		zeros += room - all, all = room;
	if (all < room && !left)
		repeat(out, ' ', room - all);
	pt_buf_puts(out, prefix);
	repeat(out, '0', zeros);
	pt_buf_add(out, end - n, n);
	if (all < room && left)
		repeat(out, ' ', room - all);
}

static void hex_number(uint64_t v, struct pt_buf *out)
{
	pt_buf_add(out, "0x", 2);
	pt_buf_hex(out, v);
}

/* Converts to the kernel's unsigned long. */
static uint64_t as_long(const struct pt_tp_node *n, uint64_t v, const struct pt_tp_rec *r)
{
	return n->is_u64 || r->long_bytes == 8 ? v : (uint32_t)v;
}

static void print_flags(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	/* The remaining bits are printed with the value's width, not sign-extended. */
	uint64_t v = cut(as_long(n, pt_tp_eval(n->a, r), r), n->a->bits), mask;
	bool first = true;
	size_t i;

	for (i = 0; i < n->table.nr && v; i++) {
		mask = cut(n->table.items[i].value, n->a->bits);
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
	hex_number(v, out);
}

static void print_symbolic(const struct pt_tp_node *n, const struct pt_tp_rec *r,
			   struct pt_buf *out)
{
	uint64_t v = as_long(n, pt_tp_eval(n->a, r), r);
	const struct pt_tp_value_name *items = n->table.items;
	size_t at = PT_LEADING(n->table.nr, i, items[i].value < v);

	if (at < n->table.nr && items[at].value == v)
		pt_buf_add(out, items[at].name, items[at].len);
	else
		hex_number(cut(v, n->a->bits), out);
}

void pt_tp_text_hex(const uint8_t *p, size_t n, const char *between, struct pt_buf *out)
{
	char two[2];
	size_t i;

	for (i = 0; i < n; i++) {
		if (i && *between)
			pt_buf_puts(out, between);
		two[0] = "0123456789abcdef"[p[i] >> 4];
		two[1] = "0123456789abcdef"[p[i] & 15];
		pt_buf_add(out, two, 2);
	}
}

static void print_hex(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	int64_t want = (int64_t)pt_tp_eval(n->b, r);
	const uint8_t *p;
	size_t len;

	if (want <= 0 || !pt_tp_node_data(n->a, r, &p, &len))
		return;
	pt_tp_text_hex(p, PT_MIN(len, (size_t)want), n->text, out);
}

static void print_array(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out)
{
	int64_t count = (int32_t)pt_tp_eval(n->b, r), i;
	uint64_t size = pt_tp_eval(n->c, r), v;
	const uint8_t *p;
	size_t len;

	pt_buf_putc(out, '{');
	if (!pt_tp_node_data(n->a, r, &p, &len))
		count = 0;
	for (i = 0; i < count && size && len >= size; i++, p += size, len -= size) {
		switch (size) {
		case 1: v = *p; break;
		case 2: v = pt_load16(p, r->swap); break;
		case 4: v = pt_load32(p, r->swap); break;
		case 8: v = pt_load64(p, r->swap); break;
		default: pt_buf_printf(out, "BAD SIZE:%d}", (int)size); return;
		}
		if (i)
			pt_buf_putc(out, ',');
		hex_number(v, out);
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
	case PT_TP_FLAGS: print_flags(n, r, out); break;
	case PT_TP_SYMBOLIC: print_symbolic(n, r, out); break;
	case PT_TP_HEX: print_hex(n, r, out); break;
	case PT_TP_ARRAY_OF: print_array(n, r, out); break;
	case PT_TP_BITMASK: case PT_TP_CPUMASK: print_mask(n, r, out); break;
	}
}
