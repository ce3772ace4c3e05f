#include "tracepoint/tp_tree_priv.h"

#include <arpa/inet.h>

#include "base/mem.h"

/* %p with the kernel's letters (Documentation/core-api/printk-formats.rst). Pointers to bytes print
 * what the record has of them, otherwise the address. */

static void address(uint64_t v, struct pt_buf *out)
{
	if (v)
		pt_tp_text_address(v, out);
	else
		pt_buf_puts(out, "(nil)");
}

static void tp_pointer_symbol(const struct pt_tp_spec *s, uint64_t v, const struct pt_tp_rec *r,
			      struct pt_buf *out)
{
	struct pt_ksym sym;

	if (pt_tp_symbol_at(r->db, v, &sym)) {
		pt_buf_puts(out, sym.name);
		if (s->ext[0] == 's' || s->ext[0] == 'f')
			return;
		pt_buf_putc(out, '+');
		v -= sym.addr;
	}
	pt_tp_text_address(v, out);
}

/* %pM 00:01:.. %pMF 00-01-.. %pm 0001.., R: reversed */
static void mac(const char *ext, const uint8_t *p, struct pt_buf *out)
{
	bool back = strchr(ext, 'R') != NULL;
	const char *between = ext[0] == 'm' ? "" : strchr(ext, 'F') ? "-" : ":";
	int i;

	for (i = 0; i < 6; i++) {
		if (i)
			pt_buf_puts(out, between);
		pt_buf_hex_bytes(out, p + (back ? 5 - i : i), 1, "");
	}
}

/* %pI4 1.2.3.4, %pi4 001.002.003.004; h and l: reversed on little-endian machines, or everywhere */
static void ip4(const char *ext, const uint8_t *p, const struct pt_tp_rec *r, struct pt_buf *out)
{
	bool little = r->swap != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	bool back = strchr(ext, 'l') || (strchr(ext, 'h') && little);
	int i;

	for (i = 0; i < 4; i++)
		pt_buf_printf(out, ext[0] == 'i' ? "%s%03u" : "%s%u", i ? "." : "",
			      p[back ? 3 - i : i]);
}

/* %pI6 with colons, %pi6 without, %pI6c short */
static void ip6(const char *ext, const uint8_t *p, struct pt_buf *out)
{
	char text[INET6_ADDRSTRLEN];
	int i;

	if (ext[0] == 'I' && strchr(ext, 'c')) {
		pt_buf_puts(out, inet_ntop(AF_INET6, p, text, sizeof(text)));
		return;
	}
	for (i = 0; i < 16; i += 2) {
		if (i && ext[0] == 'I')
			pt_buf_putc(out, ':');
		pt_buf_hex_bytes(out, p + i, 2, "");
	}
}

/* %pIS[pfschnbl]: a struct sockaddr */
static void socket_address(const char *ext, const uint8_t *p, size_t len, const struct pt_tp_rec *r,
			   struct pt_buf *out)
{
	enum { INET = 2, INET6 = 10 };	/* Linux's numbers */
	bool port = strchr(ext, 'p') != NULL;
	unsigned family;

	if (len < 2)
		return;
	family = pt_load16(p, r->swap);
	if ((family == INET && len < 16) || (family == INET6 && len < 28)) {
		pt_buf_puts(out, family == INET ? "INVALIDIPv4" : "INVALIDIPv6");
	} else if (family == INET) {
		ip4(ext, p + 4, r, out);
		if (port)
			pt_buf_printf(out, ":%u", p[2] << 8 | p[3]);
	} else if (family == INET6) {
		if (port)
			pt_buf_putc(out, '[');
		ip6(ext, p + 8, out);
		if (port)
			pt_buf_printf(out, "]:%u", p[2] << 8 | p[3]);
	}
}

/* %pU: b (as it is), l (first three numbers little-endian); capitals print capitals */
static void uuid(const char *ext, const uint8_t *p, struct pt_buf *out)
{
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool is_little = ext[1] == 'l' || ext[1] == 'L', upper = ext[1] == 'L' || ext[1] == 'B';
	int i;

	for (i = 0; i < 16; i++) {
		pt_buf_printf(out, upper ? "%02X" : "%02x", p[is_little ? little[i] : i]);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			pt_buf_putc(out, '-');
	}
}

/* %*ph: up to 64 bytes; C colons, D dashes, N nothing between them */
static void small_dump(const char *ext, const uint8_t *p, size_t len, int width, struct pt_buf *out)
{
	const char *between = ext[1] == 'C' ? ":" : ext[1] == 'D' ? "-" : ext[1] == 'N' ? "" : " ";
	size_t n = width > 0 ? (size_t)width : 1;

	pt_buf_hex_bytes(out, p, PT_MIN(PT_MIN(n, len), 64), between);
}

/* Kinds of values of a fixed size: the first letters, bytes, what is printed for a shorter one. */
static const struct { const char *ext; size_t bytes; const char *invalid; } sized[] = {
	{ "M", 6, "INVALIDMAC" }, { "m", 6, "INVALIDMAC" }, { "U", 16, "INVALIDUUID" },
	{ "I4", 4, "INVALIDIPv4" }, { "i4", 4, "INVALIDIPv4" }, { "I6", 16, "INVALIDIPv6" },
	{ "i6", 16, "INVALIDIPv6" },
};

/* True: it was printed. */
static bool from_bytes(const struct pt_tp_spec *s, const uint8_t *p, size_t len, int width,
		       const struct pt_tp_rec *r, struct pt_buf *out)
{
	const char *ext = s->ext;
	size_t longs = r->long_bytes * 8u;

	for (size_t i = 0; i < PT_NR(sized); i++)
		if (!strncmp(ext, sized[i].ext, strlen(sized[i].ext)) && len < sized[i].bytes) {
			pt_buf_puts(out, sized[i].invalid);
			return true;
		}
	switch (ext[0]) {
	case 'M': case 'm': mac(ext, p, out); return true;
	case 'U': uuid(ext, p, out); return true;
	case 'h': small_dump(ext, p, len, width, out); return true;
	case 'b':
		len = len * 8 / longs * longs;
		pt_tp_text_mask(p, PT_MIN(width > 0 ? (size_t)width : 0, len), r, ext[1] == 'l',
				out);
		return true;
	case 'I': case 'i':
		if (ext[1] == '4')
			ip4(ext, p, r, out);
		else if (ext[1] == '6')
			ip6(ext, p, out);
		else if (ext[1] == 'S')
			socket_address(ext, p, len, r, out);
		else
			return false;
		return true;
	}
	return false;
}

void pt_tp_text_pointer(const struct pt_tp_spec *s, const struct pt_tp_node *n, int width,
			const struct pt_tp_rec *r, struct pt_buf *out)
{
	const uint8_t *p;
	size_t len;

	if (s->ext[0] && strchr(PT_TP_SYMBOL_LETTERS, s->ext[0])) {
		tp_pointer_symbol(s, pt_tp_eval(n, r), r, out);
		return;
	}
	if (s->ext[0] && strchr("MmIiUhb", s->ext[0]) && pt_tp_is_data(n)) {
		if (!pt_tp_node_data(n, r, &p, &len) || from_bytes(s, p, len, width, r, out))
			return;
	}
	address(pt_tp_eval(n, r), out);
}
