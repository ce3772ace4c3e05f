/* bytes.h - a bounds-checked reader for untrusted bytes, with a sticky error.
 *
 * A read past the end returns 0, sets `bad` and moves to the end, so it is enough to check `bad`
 * once after several reads:
 *
 *     struct pt_bytes b = pt_bytes(data, len, swap);
 *     id = pt_bytes_u64(&b); name = pt_bytes_str(&b, 256);
 *     if (b.bad) return pt_err_set(e, "cut short");
 *
 * The caller owns the bytes. `swap`: numbers are stored in the other byte order than this
 * machine's. */
#ifndef PT_BASE_BYTES_H
#define PT_BASE_BYTES_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Unaligned loads, for code that has checked the bounds. */
static inline uint16_t pt_load16(const void *p, bool swap)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return swap ? bswap_16(v) : v;
}
static inline uint32_t pt_load32(const void *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return swap ? bswap_32(v) : v;
}
static inline uint64_t pt_load64(const void *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return swap ? bswap_64(v) : v;
}

struct pt_bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool swap;
	bool bad;
};

/* `p` may be NULL if there are none. */
static inline struct pt_bytes pt_bytes(const void *p, size_t len, bool swap)
{
	const uint8_t *at = p ? p : (const void *)"";

	return (struct pt_bytes){ .at = at, .end = at + len, .swap = swap };
}

static inline size_t pt_bytes_left(const struct pt_bytes *b) { return (size_t)(b->end - b->at); }

/* Takes the next `len` bytes. NULL, and `bad` is set, if fewer are left. */
static inline const void *pt_bytes_take(struct pt_bytes *b, size_t len)
{
	const void *p = b->at;

	if (len > pt_bytes_left(b)) {
		b->bad = true;
		b->at = b->end;
		return NULL;
	}
	b->at += len;
	return p;
}

static inline uint8_t pt_bytes_u8(struct pt_bytes *b)
{
	const uint8_t *p = pt_bytes_take(b, 1);

	return p ? *p : 0;
}

static inline uint16_t pt_bytes_u16(struct pt_bytes *b)
{
	const void *p = pt_bytes_take(b, 2);

	return p ? pt_load16(p, b->swap) : 0;
}

static inline uint32_t pt_bytes_u32(struct pt_bytes *b)
{
	const void *p = pt_bytes_take(b, 4);

	return p ? pt_load32(p, b->swap) : 0;
}

static inline uint64_t pt_bytes_u64(struct pt_bytes *b)
{
	const void *p = pt_bytes_take(b, 8);

	return p ? pt_load64(p, b->swap) : 0;
}

/* Takes a string that ends in a NUL within the next `max` bytes. "", and `bad` is set, if there is
 * no NUL. */
static inline const char *pt_bytes_str(struct pt_bytes *b, size_t max)
{
	size_t left = pt_bytes_left(b);
	const char *s = (const char *)b->at;
	const void *nul = left ? memchr(s, 0, left < max ? left : max) : NULL;

	if (!nul) {
		b->bad = true;
		b->at = b->end;
		return "";
	}
	b->at = (const uint8_t *)nul + 1;
	return s;
}

/* Takes the next `len` bytes as a reader of their own. It is empty and bad if fewer are left. */
static inline struct pt_bytes pt_bytes_sub(struct pt_bytes *b, size_t len)
{
	const void *p = pt_bytes_take(b, len);
	struct pt_bytes sub = pt_bytes(p ? p : b->end, p ? len : 0, b->swap);

	sub.bad = !p;
	return sub;
}

static inline bool pt_is_number_size(size_t size_bytes)
{
	return size_bytes == 1 || size_bytes == 2 || size_bytes == 4 || size_bytes == 8;
}
/* A number of 1, 2, 4 or 8 bytes, sign-extended if signed; 0 for other sizes. */
static inline uint64_t pt_load_number(const void *p, size_t size_bytes, bool is_signed, bool swap)
{
	uint64_t v;

	switch (size_bytes) {
	case 1:
		v = *(const uint8_t *)p;
		return is_signed ? (uint64_t)(int64_t)(int8_t)v : v;
	case 2:
		v = pt_load16(p, swap);
		return is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
	case 4:
		v = pt_load32(p, swap);
		return is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
	case 8: return pt_load64(p, swap);
	}
	return 0;
}

/* Takes a number of 1, 2, 4 or 8 bytes. */
static inline uint64_t pt_bytes_number(struct pt_bytes *b, size_t size_bytes)
{
	const void *p = pt_bytes_take(b, size_bytes);

	return p ? pt_load_number(p, size_bytes, false, b->swap) : 0;
}

static inline void pt_store16(void *p, uint16_t v, bool swap)
{
	v = swap ? bswap_16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void pt_store32(void *p, uint32_t v, bool swap)
{
	v = swap ? bswap_32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void pt_store64(void *p, uint64_t v, bool swap)
{
	v = swap ? bswap_64(v) : v;
	memcpy(p, &v, sizeof(v));
}

/* Reads a LEB128 number (DWARF 5, section 7.6). Bits above 64 are dropped. False: it is
 * incomplete. */
static inline bool pt_uleb_next(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	unsigned shift = 0;

	if (*at < end && **at < 128) {		/* the usual case */
		*v = *(*at)++;
		return true;
	}
	for (*v = 0; *at < end; shift += 7) {
		uint8_t c = *(*at)++;

		if (shift < 64)
			*v |= (uint64_t)(c & 127) << shift;
		if (!(c & 128))
			return true;
	}
	return false;
}

/* Writes one; returns its length, at most 10. */
static inline size_t pt_uleb_write(uint8_t *to, uint64_t v)
{
	size_t n = 0;

	for (; v > 127; v >>= 7)
		to[n++] = (uint8_t)(v | 128);
	to[n++] = (uint8_t)v;
	return n;
}

/* As pt_uleb_next(). 0, and `bad` is set, if it is incomplete. */
static inline uint64_t pt_bytes_uleb(struct pt_bytes *b)
{
	uint64_t v;

	if (pt_uleb_next(&b->at, b->end, &v))
		return v;
	b->bad = true;
	return 0;
}

static inline int64_t pt_bytes_sleb(struct pt_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (b->at < b->end) {
		uint8_t c = *b->at++;

		if (shift < 64)
			v |= (uint64_t)(c & 127) << shift;
		shift += 7;
		if (c & 128)
			continue;
		if (c & 64 && shift < 64)
			v |= ~0ull << shift;
		return (int64_t)v;
	}
	b->bad = true;
	return 0;
}

#endif
