#include "lat/pending_starts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint64_t mix(uint64_t k0, uint64_t k1)
{
	return k0 ^ (k1 << 32 | k1 >> 32);
}

static struct pt_pending_start *at(const struct pt_pending_starts *t, uint64_t index)
{
	return index ? &t->pool[index - 1] : NULL;
}

void pt_pending_starts_deinit(struct pt_pending_starts *t)
{
	pt_map_deinit(&t->firsts);
	free(t->pool);
	memset(t, 0, sizeof(*t));
}

void pt_pending_starts_clear(struct pt_pending_starts *t)
{
	pt_map_clear(&t->firsts);
	t->pool_nr = t->pool_free = 0;
	t->nr = 0;
}

/* *o or the next in its chain that has the key. */
static struct pt_pending_start *with_key(const struct pt_pending_starts *t,
					 struct pt_pending_start *o, uint64_t k0, uint64_t k1)
{
	while (o && (o->k0 != k0 || o->k1 != k1))
		o = at(t, o->next);
	return o;
}

struct pt_pending_start *pt_pending_find(const struct pt_pending_starts *t, uint64_t k0,
					 uint64_t k1)
{
	uint64_t *first = pt_map_get(&t->firsts, mix(k0, k1));

	return first ? with_key(t, at(t, *first), k0, k1) : NULL;
}

/* A start in no chain yet; returns its index plus 1. */
static uint32_t pool_take(struct pt_pending_starts *t, uint64_t k0, uint64_t k1)
{
	uint32_t n = t->pool_free;

	if (n) {
		t->pool_free = t->pool[n - 1].next;
	} else {
		PT_GROW(t->pool, t->pool_nr, t->pool_cap);
		n = ++t->pool_nr;
	}
	t->pool[n - 1] = (struct pt_pending_start){ .k0 = k0, .k1 = k1, .used = true, .tail = n };
	t->nr++;
	return n;
}

struct pt_pending_start *pt_pending_add(struct pt_pending_starts *t, uint64_t k0, uint64_t k1)
{
	uint64_t *first = pt_map_put(&t->firsts, mix(k0, k1));
	uint32_t n = pool_take(t, k0, k1);

	if (*first) {
		at(t, at(t, *first)->tail)->next = n;
		at(t, *first)->tail = n;
	} else {
		*first = n;
	}
	return at(t, n);
}

struct pt_pending_start *pt_pending_push(struct pt_pending_starts *t, uint64_t k0, uint64_t k1)
{
	uint64_t *first = pt_map_put(&t->firsts, mix(k0, k1));
	uint32_t n = pool_take(t, k0, k1);
	struct pt_pending_start *o = at(t, n);

	if (*first) {
		o->next = (uint32_t)*first;
		o->tail = at(t, *first)->tail;
		o->depth = at(t, *first)->depth + 1;
	}
	*first = n;
	return o;
}

void pt_pending_take(struct pt_pending_starts *t, struct pt_pending_start *o)
{
	uint64_t key = mix(o->k0, o->k1), *first = pt_map_get(&t->firsts, key);
	uint32_t n = (uint32_t)(o - t->pool) + 1;

	if (*first != n) {
		struct pt_pending_start *before = at(t, *first);

		while (before->next != n)
			before = at(t, before->next);
		before->next = o->next;
		if (!o->next)
			at(t, *first)->tail = (uint32_t)(before - t->pool) + 1;
	} else if (o->next) {
		*first = o->next;
		at(t, o->next)->tail = o->tail;
	} else {
		pt_map_del(&t->firsts, key);
	}
	o->used = false;
	o->next = t->pool_free;
	t->pool_free = n;
	t->nr--;
}

size_t pt_pending_take_all(struct pt_pending_starts *t, struct pt_pending_start *o)
{
	uint64_t k0 = o->k0, k1 = o->k1;
	size_t n = 0;

	for (; (o = pt_pending_find(t, k0, k1)); n++)
		pt_pending_take(t, o);
	return n;
}

struct pt_pending_start *pt_pending_behind(const struct pt_pending_starts *t,
					   const struct pt_pending_start *o)
{
	return with_key(t, at(t, o->next), o->k0, o->k1);
}

struct pt_pending_start *pt_pending_each(const struct pt_pending_starts *t, size_t *i)
{
	while (*i < t->pool_nr) {
		struct pt_pending_start *o = &t->pool[(*i)++];

		if (o->used)
			return o;
	}
	return NULL;
}
