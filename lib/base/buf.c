#include "base/buf.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void pt_buf_deinit(struct pt_buf *b)
{
	free(b->data);
	*b = (struct pt_buf)PT_BUF_INIT;
}

void pt_buf_grow(struct pt_buf *b, size_t more)
{
	size_t need = b->len + more + 1;
	size_t cap = b->cap ? b->cap : 64;

	if (need <= b->cap)
		return;
	while (cap < need)
		cap *= 2;
	b->data = pt_realloc(b->data, cap, 1);
	b->cap = cap;
}

void pt_buf_printf(struct pt_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	pt_buf_grow(b, 64);
	va_start(ap, fmt);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= b->cap - b->len) {
		pt_buf_grow(b, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

static const char pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869"
	"707172737475767778798081828384858687888990919293949596979899";

static int nr_digits(uint64_t v)
{
	static const uint64_t powers_of_ten[] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
		10000000000000000000u
	};
	/* log10(2) is about 1233 / 4096, so this is the number of digits, or one less. */
	int n = ((64 - __builtin_clzll(v | 1)) * 1233) >> 12;

	return n + (v >= powers_of_ten[n]);
}

/* Writes the last `nr` digits of *v in front of `end`, and takes them off. Returns the first. */
static inline char *buf_digits(char *end, uint64_t *v, int nr)
{
	for (; nr > 1; nr -= 2) {
		uint64_t rest = *v / 100;

		end = memcpy(end - 2, pairs + 2 * (*v - rest * 100), 2);
		*v = rest;
	}
	if (nr) {
		*--end = (char)('0' + *v % 10);
		*v /= 10;
	}
	return end;
}

/* v / 10^decimals, at the right of `width` characters that begin with `fill`. */
static inline __attribute__((always_inline)) void buf_number(struct pt_buf *b, uint64_t v,
							    int decimals, int width, char fill)
{
	int digits = PT_MAX(nr_digits(v) - decimals, 1);
	int len = PT_MAX(digits + decimals + (decimals > 0), width);
	char *first, *p;

	if (b->cap - b->len <= (size_t)len)
		pt_buf_grow(b, (size_t)len);
	first = b->data + b->len;
	b->len += (size_t)len;
	p = first + len;
	*p = '\0';
	p = buf_digits(p, &v, decimals);
	if (decimals)
		*--p = '.';
	p = buf_digits(p, &v, digits);
	while (p > first)
		*--p = fill;
}

void pt_buf_dec(struct pt_buf *b, uint64_t v)
{
	buf_number(b, v, 0, 0, ' ');
}

void pt_buf_dec_signed(struct pt_buf *b, int64_t v)
{
	if (v < 0)
		pt_buf_putc(b, '-');
	pt_buf_dec(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void pt_buf_dec_zero(struct pt_buf *b, uint64_t v, int want)
{
	buf_number(b, v, 0, want, '0');
}

void pt_buf_thousands(struct pt_buf *b, uint64_t n)
{
	if (n >= 1000) {
		pt_buf_thousands(b, n / 1000);
		pt_buf_putc(b, ',');
		pt_buf_dec_zero(b, n % 1000, 3);
	} else {
		pt_buf_dec(b, n);
	}
}

static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
				   1000000000 };

void pt_buf_scaled(struct pt_buf *b, uint64_t v, int decimals)
{
	pt_buf_scaled_wide(b, v, decimals, 0);
}

void pt_buf_scaled_wide(struct pt_buf *b, uint64_t v, int decimals, int width)
{
	buf_number(b, v, decimals, width, ' ');
}

void pt_buf_fixed(struct pt_buf *b, double v, int decimals)
{
	/* A 53-bit double times a thousand is exact in 64 bits, so only the last digit is rounded.
	 */
	if (LDBL_MANT_DIG >= 64 && (unsigned)decimals <= 3 && fabs(v) < 9e15) {
		if (signbit(v))
			pt_buf_putc(b, '-');
		pt_buf_scaled(b, (uint64_t)rintl(fabsl((long double)v) * powers[decimals]),
			      decimals);
	} else {
		size_t from = b->len;

		pt_buf_printf(b, "%.*f", decimals, v);
		for (; from < b->len; from++)
			if (b->data[from] == ',')	/* the user's locale */
				b->data[from] = '.';
	}
}

void pt_buf_hex(struct pt_buf *b, uint64_t v)
{
	char text[16], *end = text + sizeof(text), *p = end;

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	pt_buf_add(b, p, (size_t)(end - p));
}

void pt_buf_hex_bytes(struct pt_buf *b, const void *p, size_t len, const char *between)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *byte = p;

	for (size_t i = 0; i < len; i++) {
		pt_buf_puts(b, i ? between : "");
		pt_buf_add(b, (char[]){ digits[byte[i] >> 4], digits[byte[i] & 15] }, 2);
	}
}

void pt_buf_fill(struct pt_buf *b, char c, size_t n)
{
	pt_buf_grow(b, n);
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void pt_buf_pad_left(struct pt_buf *b, size_t from, size_t width)
{
	size_t have = b->len - from;

	if (have >= width)
		return;
	pt_buf_fill(b, ' ', width - have);
	memmove(b->data + b->len - have, b->data + from, have);
	memset(b->data + from, ' ', width - have);
}

void pt_buf_pad_right(struct pt_buf *b, size_t from, size_t width)
{
	size_t have = b->len - from;

	if (have < width)
		pt_buf_fill(b, ' ', width - have);
}

void pt_buf_usec(struct pt_buf *b, uint64_t time_ns)
{
	pt_buf_scaled(b, time_ns / 1000, 6);
}

void pt_buf_ns_as_us(struct pt_buf *b, uint64_t time_ns)
{
	pt_buf_scaled(b, time_ns, 3);
}
