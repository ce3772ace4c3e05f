/* buf.h - a growing string of bytes, with the fast number printing that a million lines a second
 * need.
 *
 *     struct pt_buf b = PT_BUF_INIT;
 *     pt_buf_puts(&b, "tid "); pt_buf_dec(&b, tid); pt_buf_putc(&b, '\n');
 *     pt_out_write(...b.data, b.len...); pt_buf_clear(&b); ... pt_buf_deinit(&b);
 *
 * `data` is always followed by a NUL byte once anything was added; pt_buf_str() gives "" for an
 * empty one. */
#ifndef PT_BASE_BUF_H
#define PT_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pt_buf {
	char *data;
	size_t len;		/* bytes in use, without the NUL */
	size_t cap;
};

#define PT_BUF_INIT { NULL, 0, 0 }

void pt_buf_deinit(struct pt_buf *b);
void pt_buf_grow(struct pt_buf *b, size_t more);	/* room for `more` bytes and a NUL */
void pt_buf_printf(struct pt_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_buf_dec(struct pt_buf *b, uint64_t v);
void pt_buf_dec_signed(struct pt_buf *b, int64_t v);
/* padded with zeros in front, as %0*lu */
void pt_buf_dec_zero(struct pt_buf *b, uint64_t v, int digits);
void pt_buf_thousands(struct pt_buf *b, uint64_t v);	/* 1,234,567 */
void pt_buf_hex(struct pt_buf *b, uint64_t v);			/* lower case, no 0x, as %lx */
/* As printf's %.*f in the C locale, to the last digit: ties of the binary value go to even. */
void pt_buf_fixed(struct pt_buf *b, double v, int decimals);
/* What was added since `from` gets spaces in front (right aligned) or behind until it is `width`
 * bytes. */
void pt_buf_pad_left(struct pt_buf *b, size_t from, size_t width);
void pt_buf_pad_right(struct pt_buf *b, size_t from, size_t width);
/* Seconds and microseconds of a time in nanoseconds, as perf prints it: "12.000345" (cut, not
 * rounded). */
void pt_buf_usec(struct pt_buf *b, uint64_t time_ns);
/* Microseconds with three decimals of a time in nanoseconds: "57.250"; latency lines. */
void pt_buf_ns_as_us(struct pt_buf *b, uint64_t time_ns);

static inline void pt_buf_clear(struct pt_buf *b) { b->len = 0; }

static inline void pt_buf_add(struct pt_buf *b, const void *p, size_t len)
{
	if (b->cap - b->len <= len)
		pt_buf_grow(b, len);
	memcpy(b->data + b->len, p, len);
	b->len += len;
	b->data[b->len] = '\0';
}

static inline void pt_buf_puts(struct pt_buf *b, const char *s) { pt_buf_add(b, s, strlen(s)); }
static inline void pt_buf_putc(struct pt_buf *b, char c) { pt_buf_add(b, &c, 1); }
static inline const char *pt_buf_str(const struct pt_buf *b) { return b->len ? b->data : ""; }

#endif
