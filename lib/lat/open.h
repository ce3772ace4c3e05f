/* open.h - the starts that wait for their end: a small hash table of 64-byte slots by a key of 128
 * bits.
 *
 * Open addressing, at most half full; a taken slot is closed up at once, so nothing piles up.
 * Starts of equal keys form a chain behind the first, first in first out (pt_open_add) or last in
 * first out (pt_open_push). The table owns all; pointers live until the next add, push or take. */
#ifndef PT_LAT_OPEN_H
#define PT_LAT_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_open {
	uint64_t k0, k1;
	uint64_t start_ns;
	const char *comm;		/* NULL: not known */
	uint32_t pid, tid;
	uint32_t nr;			/* block: sectors still to come; syscall: its number */
	uint32_t advanced;		/* block: sectors that are done */
	/* of the chain: index in the pool plus 1; `tail` is valid in the first only */
	uint32_t next, tail;
	uint32_t depth;			/* in the first: length of the chain behind it */
	uint16_t flags;			/* the caller's */
	uint16_t used;
};
_Static_assert(sizeof(struct pt_open) == 64, "a slot is a cache line");

struct pt_opens {
	struct pt_open *slots;
	size_t mask;
	unsigned shift;			/* 64 - log2 of the number of slots */
	size_t nr_keys;			/* slots in use */
	size_t max_keys;		/* before the table grows; 0: none allocated */
	size_t nr;			/* with the chained ones */
	struct pt_open *pool;		/* of the chained ones */
	uint32_t pool_nr, pool_cap, pool_free;
};

void pt_opens_deinit(struct pt_opens *t);
void pt_opens_clear(struct pt_opens *t);

static inline size_t pt_open_home(const struct pt_opens *t, uint64_t k0, uint64_t k1)
{
	/* the product's upper bits depend on all bits of the key */
	return (size_t)((k0 ^ (k1 << 32 | k1 >> 32)) * 0x9e3779b97f4a7c15u >> t->shift);
}

/* The first of the key, or NULL. */
static inline struct pt_open *pt_open_find(const struct pt_opens *t, uint64_t k0, uint64_t k1)
{
	if (!t->nr_keys)
		return NULL;
	for (size_t i = pt_open_home(t, k0, k1);; i = (i + 1) & t->mask) {
		struct pt_open *o = &t->slots[i];

		if (!o->used)
			return NULL;
		if (o->k0 == k0 && o->k1 == k1)
			return o;
	}
}

/* Adds a start behind those of the key; only k0 and k1 are set, the rest is 0. */
struct pt_open *pt_open_add_slowly(struct pt_opens *t, uint64_t k0, uint64_t k1);
static inline struct pt_open *pt_open_add(struct pt_opens *t, uint64_t k0, uint64_t k1)
{
	struct pt_open *o;

	if (__builtin_expect(t->nr_keys >= t->max_keys, 0))
		return pt_open_add_slowly(t, k0, k1);
	o = &t->slots[pt_open_home(t, k0, k1)];
	if (__builtin_expect(o->used, 0))
		return pt_open_add_slowly(t, k0, k1);
	*o = (struct pt_open){ .k0 = k0, .k1 = k1, .used = 1 };
	t->nr_keys++;
	t->nr++;
	return o;
}

/* Adds a start in front of those of the key. */
struct pt_open *pt_open_push(struct pt_opens *t, uint64_t k0, uint64_t k1);
/* Removes the first of a key; the next of its chain takes its place. */
void pt_open_take_slowly(struct pt_opens *t, struct pt_open *first);
static inline void pt_open_take(struct pt_opens *t, struct pt_open *first)
{
	if (__builtin_expect(first->next ||
				     t->slots[((size_t)(first - t->slots) + 1) & t->mask].used,
			     0)) {
		pt_open_take_slowly(t, first);
		return;
	}
	first->used = 0;
	t->nr_keys--;
	t->nr--;
}
/* Removes all of a key; returns their number. */
size_t pt_open_take_all(struct pt_opens *t, struct pt_open *first);
/* The next one in its chain, or NULL. */
struct pt_open *pt_open_behind(const struct pt_opens *t, const struct pt_open *o);
/* The last of the chain that begins with `first`. */
struct pt_open *pt_open_last(const struct pt_opens *t, struct pt_open *first);
/* for (i = 0; (o = pt_open_each(t, &i)); ): the first of each key. */
struct pt_open *pt_open_each(const struct pt_opens *t, size_t *i);

#endif
