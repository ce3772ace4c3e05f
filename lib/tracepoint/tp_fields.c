#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>

/* Prints a record's fields by their types alone, as libtraceevent does for an event whose print
 * format it does not understand. */

static bool printable(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i]; i++)
		if (!isprint((unsigned char)p[i]) && !isspace((unsigned char)p[i]))
			return false;
	return true;
}

static void tp_fields_print_array(const struct pt_tp_field *f, const uint8_t *p, size_t n,
				  struct pt_buf *out)
{
	/* libtraceevent takes any array of bytes as text if they are printable. */
	if ((strstr(f->type, "char") || strstr(f->type, "u8") || strstr(f->type, "s8")) &&
	    printable((const char *)p, n)) {
		pt_buf_add(out, p, strnlen((const char *)p, n));
		return;
	}
	pt_buf_puts(out, "ARRAY[");
	pt_buf_hex_bytes(out, p, n, ", ");
	pt_buf_putc(out, ']');
}

static void print_field(const struct pt_tp *tp, const struct pt_tp_field *f, const void *raw,
			size_t len, struct pt_buf *out)
{
	bool swap = tp->db->swap, is_signed;
	const void *p;
	uint64_t v;
	size_t n;

	if (pt_tp_faulted(f, raw, len, swap)) {
		pt_buf_puts(out, PT_TP_FAULT);
		return;
	}
	if (f->flags & PT_TP_ARRAY) {
		if (pt_tp_data(f, raw, len, swap, &p, &n))
			tp_fields_print_array(f, p, n, out);
		return;
	}
	if (!pt_tp_value(f, raw, len, swap, &v))
		return;
	is_signed = f->flags & PT_TP_SIGNED;
	if (f->flags & PT_TP_POINTER ||
	    (f->flags & PT_TP_LONG && (!is_signed || f->size_bytes == 4))) {
		pt_tp_text_address(f->size_bytes == 4 ? (uint32_t)v : v, out);
	} else if (is_signed) {
		pt_buf_printf(out, f->size_bytes == 2 ? "%2lld" : "%lld", (long long)v);
	} else {
		pt_buf_dec(out, v);
	}
}

void pt_tp_print_fields(const struct pt_tp *tp, const void *raw, size_t len, struct pt_buf *out)
{
	size_t i;

	for (i = tp->nr_common; i < tp->nr_fields; i++) {
		pt_buf_putc(out, ' ');
		pt_buf_puts(out, tp->fields[i].name);
		pt_buf_putc(out, '=');
		print_field(tp, &tp->fields[i], raw, len, out);
	}
}
