/* sorttext.h - sorts many strings by their bytes, as strcmp() compares them: eight bytes at a time
 * as one number, by sort16.h; only where those are equal the next eight. Names of C++ begin alike
 * for long, so that to compare them two by two takes three times as long. No order of strings makes
 * it slow. */
#ifndef PT_BASE_SORTTEXT_H
#define PT_BASE_SORTTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The string begins at a multiple of eight bytes, and zeros follow it up to the next one (one at
 * least): a few bytes more are read than it has. */
struct pt_text_item {
	uint64_t key;			/* pt_text_key() of its beginning; afterwards anything */
	const char *s;
} __attribute__((aligned(8)));

/* The room of a string of so many bytes. */
static inline size_t pt_text_room(size_t len) { return len / 8 * 8 + 8; }

/* Copies a string to where it has such room. */
static inline void pt_text_put(char *to, const char *s, size_t len)
{
	memset(to + len / 8 * 8, 0, 8);
	memcpy(to, s, len);
}

/* Eight bytes, the first one on top. */
static inline uint64_t pt_text_key(const char *s)
{
	uint64_t key;

	memcpy(&key, s, sizeof(key));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	key = __builtin_bswap64(key);
#endif
	return key;
}

/* Equal ones stay in no particular order. `spare`: room for as many, or NULL. */
void pt_sort_texts(struct pt_text_item *v, size_t nr, struct pt_text_item *spare);

#endif
