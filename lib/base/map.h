/* map.h - a hash table u64 -> u64 (for ids, pids, sectors), and a pool of interned strings. Both
 * use open addressing and power-of-two sizes. Hashes are mixed so that regular keys spread evenly.
 * Pointers to values are valid until the next put or delete. */
#ifndef PT_BASE_MAP_H
#define PT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pt_map_slot {
	uint64_t key;		/* 0: free, but in pt_map.zero */
	uint64_t value;
};

struct pt_map {
	struct pt_map_slot *slots;
	size_t cap;		/* 0 or a power of two */
	size_t nr;		/* entries */
	struct pt_map_slot zero;	/* of key 0 */
	bool has_zero;
};

#define PT_MAP_INIT { .slots = NULL }

static inline uint64_t pt_hash64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* Pointers as keys and values of maps. */
static inline uint64_t pt_word_of(const void *p) { return (uint64_t)(uintptr_t)p; }
static inline void *pt_pointer(uint64_t word) { return (void *)(uintptr_t)word; }

/* stable between versions: pictures derive colours from it */
uint64_t pt_hash_bytes(const void *p, size_t len);

/* For tables in memory only: mixes less well, and takes a third of the time. */
static inline uint64_t pt_hash_quick(const void *p, size_t len)
{
	const unsigned char *s = (const unsigned char *)p;
	uint64_t h = len * 0x9e3779b97f4a7c15u, w;

	for (; len >= 8; len -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0xd6e8feb86659fd93u;
		h ^= h >> 32;
	}
	for (w = 0; len; len--)
		w = w << 8 | s[len - 1];
	h = (h ^ w) * 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

void pt_map_deinit(struct pt_map *m);			/* the caller owns what values stand for */
/* The same, of one whose values are pointers: each is freed. */
void pt_map_deinit_each(struct pt_map *m, void (*free_value)(void *value));
void pt_map_clear(struct pt_map *m);
uint64_t *pt_map_get(const struct pt_map *m, uint64_t key);	/* NULL: no such key */
void *pt_map_get_pointer(const struct pt_map *m, uint64_t key);	/* of a map of pointers */
uint64_t *pt_map_put(struct pt_map *m, uint64_t key);	/* a new entry has value 0 */
bool pt_map_del(struct pt_map *m, uint64_t key);
/* for (i = 0; (slot = pt_map_each(m, &i)); ) ... The loop may delete the current slot; it must not
 * put or delete others. */
struct pt_map_slot *pt_map_each(const struct pt_map *m, size_t *i);

/* Interned strings: equal strings have one pointer, which is valid until pt_names_free(). */
struct pt_names;
struct pt_names *pt_names_new(void);
void pt_names_free(struct pt_names *n);
/* ends at a NUL within len */
const char *pt_names_add(struct pt_names *n, const char *s, size_t len);
/* NULL: it was never added */
const char *pt_names_find(const struct pt_names *n, const char *s, size_t len);

#endif
