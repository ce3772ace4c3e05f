#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void pt_json_key(struct pt_buf *b, const char *key)
{
	if (b->len && !strchr("{[:\n", b->data[b->len - 1]))
		pt_buf_putc(b, ',');
	if (!key)
		return;
	pt_buf_putc(b, '"');
	pt_text_json(b, key, strlen(key));
	pt_buf_puts(b, "\":");
}

void pt_json_open(struct pt_buf *b, const char *key, char bracket)
{
	pt_json_key(b, key);
	pt_buf_putc(b, bracket);
}

void pt_json_close(struct pt_buf *b, char bracket)
{
	pt_buf_putc(b, bracket);
}

void pt_json_end_line(struct pt_buf *b)
{
	pt_buf_puts(b, "}\n");
}

void pt_json_strn(struct pt_buf *b, const char *key, const char *s, size_t len)
{
	pt_json_key(b, key);
	pt_buf_putc(b, '"');
	pt_text_json(b, s, len);
	pt_buf_putc(b, '"');
}

void pt_json_str(struct pt_buf *b, const char *key, const char *s)
{
	if (s)
		pt_json_strn(b, key, s, strlen(s));
}

void pt_json_bool(struct pt_buf *b, const char *key, bool v)
{
	pt_json_key(b, key);
	pt_buf_puts(b, v ? "true" : "false");
}

void pt_json_null(struct pt_buf *b, const char *key)
{
	pt_json_key(b, key);
	pt_buf_puts(b, "null");
}

void pt_json_u64(struct pt_buf *b, const char *key, uint64_t v)
{
	pt_json_key(b, key);
	pt_buf_dec(b, v);
}

void pt_json_s64(struct pt_buf *b, const char *key, int64_t v)
{
	pt_json_key(b, key);
	pt_buf_dec_signed(b, v);
}

void pt_json_addr(struct pt_buf *b, const char *key, uint64_t v)
{
	pt_json_key(b, key);
	pt_buf_puts(b, "\"0x");
	pt_buf_hex(b, v);
	pt_buf_putc(b, '"');
}

void pt_json_number(struct pt_buf *b, const char *key, double v)
{
	char text[32], *comma;

	if (!isfinite(v))
		v = 0;
	snprintf(text, sizeof(text), "%.15g", v);
	if (strtod(text, NULL) != v)
		snprintf(text, sizeof(text), "%.17g", v);
	comma = strchr(text, ',');	/* the decimal point of some locales */
	if (comma)
		*comma = '.';
	pt_json_key(b, key);
	pt_buf_puts(b, text);
}

void pt_json_double(struct pt_buf *b, const char *key, double v, int decimals)
{
	pt_json_key(b, key);
	pt_buf_fixed(b, isfinite(v) ? v : 0, decimals);
}

void pt_json_us(struct pt_buf *b, const char *key, uint64_t ns)
{
	pt_json_key(b, key);
	pt_buf_scaled(b, ns, 3);
}

void pt_json_ms(struct pt_buf *b, const char *key, uint64_t ns)
{
	pt_json_key(b, key);
	pt_buf_scaled(b, ns, 6);
}

void pt_json_seconds(struct pt_buf *b, const char *key, uint64_t ns)
{
	pt_json_key(b, key);
	pt_buf_scaled(b, ns, 9);
}
