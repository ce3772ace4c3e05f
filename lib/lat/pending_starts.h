/* pending_starts.h - the starts that wait for their end, by a key of 128 bits. Starts of equal keys
 * form a chain, first in first out (pt_pending_add) or last in first out (pt_pending_push).
 *
 * A pool holds them; a map from the mixed key finds the first. Different keys that mix to the same
 * share a chain. All belongs to the table; pointers live until the next add or push, and until
 * their start is taken. */
#ifndef PT_LAT_PENDING_STARTS_H
#define PT_LAT_PENDING_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct pt_pending_start {
	uint64_t k0, k1;
	uint64_t start_ns;
	const char *comm;		/* NULL: not known */
	const void *began;		/* the caller's */
	uint32_t pid, tid;
	uint32_t nr;			/* block: sectors still to come; syscall: its number */
	uint32_t advanced;		/* block: sectors that are done */
	uint32_t depth;			/* pushed: how many are behind it */
	char op[8];			/* block: rwbs; a NUL behind it if it is shorter */
	uint16_t flags;			/* the caller's */
	bool used;
	/* of the chain: index in the pool plus 1; `tail` is valid in the first only */
	uint32_t next, tail;
};

struct pt_pending_starts {
	struct pt_map firsts;		/* mixed key -> index of the chain's first, plus 1 */
	struct pt_pending_start *pool;
	uint32_t pool_nr, pool_cap, pool_free;
	size_t nr;
};

void pt_pending_starts_deinit(struct pt_pending_starts *t);
void pt_pending_starts_clear(struct pt_pending_starts *t);

/* The first of the key, or NULL. */
struct pt_pending_start *pt_pending_find(const struct pt_pending_starts *t, uint64_t k0,
					 uint64_t k1);
/* Adds a start behind those of the key; only k0 and k1 are set, the rest is 0. */
struct pt_pending_start *pt_pending_add(struct pt_pending_starts *t, uint64_t k0, uint64_t k1);
/* Adds a start in front of those of the key. */
struct pt_pending_start *pt_pending_push(struct pt_pending_starts *t, uint64_t k0, uint64_t k1);
/* Removes a start. */
void pt_pending_take(struct pt_pending_starts *t, struct pt_pending_start *o);
/* Removes all starts of the key of *o; returns their number. */
size_t pt_pending_take_all(struct pt_pending_starts *t, struct pt_pending_start *o);
/* The next one of the same key, or NULL. */
struct pt_pending_start *pt_pending_behind(const struct pt_pending_starts *t,
					   const struct pt_pending_start *o);
/* for (i = 0; (o = pt_pending_each(t, &i)); ) */
struct pt_pending_start *pt_pending_each(const struct pt_pending_starts *t, size_t *i);

#endif
