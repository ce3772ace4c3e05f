/* buf.h - a growing byte string, with number formatting that is fast enough for a million lines a
 * second.
 *
 *     struct pt_buf b = PT_BUF_INIT;
 *     pt_buf_puts(&b, "tid "); pt_buf_dec(&b, tid); pt_buf_putc(&b, '\n');
 *     pt_out_write(...b.data, b.len...); pt_buf_clear(&b); ... pt_buf_deinit(&b);
 *
 * Once anything was added, `data` ends in a NUL byte. pt_buf_str() returns "" for an empty
 * buffer. */
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
/* makes room for `more` bytes and a NUL */
__attribute__((noinline)) void pt_buf_grow(struct pt_buf *b, size_t more);
void pt_buf_printf(struct pt_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_buf_dec(struct pt_buf *b, uint64_t v);
void pt_buf_dec_signed(struct pt_buf *b, int64_t v);
/* with leading zeros, as %0*lu */
void pt_buf_dec_zero(struct pt_buf *b, uint64_t v, int digits);
void pt_buf_thousands(struct pt_buf *b, uint64_t v);	/* 1,234,567 */
void pt_buf_hex(struct pt_buf *b, uint64_t v);			/* lower case, no 0x, as %lx */
/* Two digits a byte. */
void pt_buf_hex_bytes(struct pt_buf *b, const void *p, size_t len, const char *between);
/* Same digits as printf's %.*f in the C locale: exact ties of the binary value round to even. */
void pt_buf_fixed(struct pt_buf *b, double v, int decimals);
void pt_buf_fill(struct pt_buf *b, char c, size_t n);	/* n times c */
/* Pads the text that starts at `from` with spaces to `width` bytes, on its left or right side. */
void pt_buf_pad_left(struct pt_buf *b, size_t from, size_t width);
void pt_buf_pad_right(struct pt_buf *b, size_t from, size_t width);
/* v / 10^decimals, with that many decimals (up to 9). */
void pt_buf_scaled(struct pt_buf *b, uint64_t v, int decimals);
/* The same, padded on the left to `width`. */
void pt_buf_scaled_wide(struct pt_buf *b, uint64_t v, int decimals, int width);
/* A time in nanoseconds as seconds with six decimals, as perf prints it: "12.000345". Truncated,
 * not rounded. */
void pt_buf_usec(struct pt_buf *b, uint64_t time_ns);
/* A time in nanoseconds as microseconds with three decimals, as in latency lines: "57.250". */
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
static inline void pt_buf_join(struct pt_buf *b, const struct pt_buf *more)
{
	pt_buf_add(b, pt_buf_str(more), more->len);
}

#endif
