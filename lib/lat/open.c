#include "lat/open.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Up to SMALL slots there is room to spare, so a key nearly always finds its own place free. */
enum { FIRST_SLOTS = 64, SMALL = 8192 };

void pt_opens_deinit(struct pt_opens *t)
{
	free(t->slots);
	free(t->pool);
	memset(t, 0, sizeof(*t));
}

void pt_opens_clear(struct pt_opens *t)
{
	if (t->nr_keys)
		memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
	t->nr_keys = t->nr = 0;
	t->pool_nr = t->pool_free = 0;
}

static void grow(struct pt_opens *t)
{
	struct pt_open *old = t->slots;
	size_t old_nr = old ? t->mask + 1 : 0;

	t->mask = (old_nr ? old_nr * 2 : FIRST_SLOTS) - 1;
	t->slots = pt_alloc_array(t->mask + 1, sizeof(*t->slots));
	t->shift = 64 - (unsigned)__builtin_ctzll(t->mask + 1);
	t->max_keys = (t->mask + 1) / (t->mask < SMALL ? 8 : 2);
	for (size_t i = 0; i < old_nr; i++) {
		size_t j = pt_open_home(t, old[i].k0, old[i].k1);

		if (!old[i].used)
			continue;
		while (t->slots[j].used)
			j = (j + 1) & t->mask;
		t->slots[j] = old[i];
	}
	free(old);
}

/* The key's slot; made if it did not exist (*made: zeroed but for the key). */
static struct pt_open *slot_of(struct pt_opens *t, uint64_t k0, uint64_t k1, bool *made)
{
	struct pt_open *o;
	size_t i;

	if (t->nr_keys >= t->max_keys)
		grow(t);
	for (i = pt_open_home(t, k0, k1);; i = (i + 1) & t->mask) {
		o = &t->slots[i];
		if (!o->used)
			break;
		if (o->k0 == k0 && o->k1 == k1) {
			*made = false;
			return o;
		}
	}
	*o = (struct pt_open){ .k0 = k0, .k1 = k1, .used = 1 };
	t->nr_keys++;
	t->nr++;
	*made = true;
	return o;
}

static uint32_t pool_take(struct pt_opens *t)
{
	uint32_t n = t->pool_free;

	if (n) {
		t->pool_free = t->pool[n - 1].next;
		return n;
	}
	PT_GROW(t->pool, t->pool_nr, t->pool_cap);
	return ++t->pool_nr;
}

static void pool_give(struct pt_opens *t, uint32_t n)
{
	t->pool[n - 1].next = t->pool_free;
	t->pool_free = n;
}

struct pt_open *pt_open_add_slowly(struct pt_opens *t, uint64_t k0, uint64_t k1)
{
	bool made;
	struct pt_open *first = slot_of(t, k0, k1, &made), *o;
	uint32_t n;

	if (made)
		return first;
	n = pool_take(t);
	o = &t->pool[n - 1];
	*o = (struct pt_open){ .k0 = k0, .k1 = k1, .used = 1 };
	if (first->next)
		t->pool[first->tail - 1].next = n;
	else
		first->next = n;
	first->tail = n;
	first->depth++;
	t->nr++;
	return o;
}

struct pt_open *pt_open_push(struct pt_opens *t, uint64_t k0, uint64_t k1)
{
	bool made;
	struct pt_open *first = slot_of(t, k0, k1, &made);
	uint32_t n, tail, depth;

	if (made)
		return first;
	n = pool_take(t);
	tail = first->next ? first->tail : n;
	depth = first->depth + 1;
	t->pool[n - 1] = *first;
	*first = (struct pt_open){
		.k0 = k0, .k1 = k1, .used = 1, .next = n, .tail = tail, .depth = depth
	};
	t->nr++;
	return first;
}

/* Closes the gap: moves later entries forward, but not in front of their home slots. */
static void close_up(struct pt_opens *t, size_t hole)
{
	for (size_t i = (hole + 1) & t->mask; t->slots[i].used; i = (i + 1) & t->mask) {
		size_t h = pt_open_home(t, t->slots[i].k0, t->slots[i].k1);

		if (((i - h) & t->mask) < ((i - hole) & t->mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole].used = 0;
}

void pt_open_take_slowly(struct pt_opens *t, struct pt_open *first)
{
	uint32_t n = first->next, tail = first->tail, depth = first->depth;

	t->nr--;
	if (!n) {
		t->nr_keys--;
		close_up(t, (size_t)(first - t->slots));
		return;
	}
	*first = t->pool[n - 1];
	first->tail = tail;
	first->depth = depth - 1;
	pool_give(t, n);
}

size_t pt_open_take_all(struct pt_opens *t, struct pt_open *first)
{
	size_t n = 1;

	while (first->next) {
		pt_open_take(t, first);
		n++;
	}
	pt_open_take(t, first);
	return n;
}

struct pt_open *pt_open_behind(const struct pt_opens *t, const struct pt_open *o)
{
	return o->next ? &t->pool[o->next - 1] : NULL;
}

struct pt_open *pt_open_last(const struct pt_opens *t, struct pt_open *first)
{
	return first->next ? &t->pool[first->tail - 1] : first;
}

struct pt_open *pt_open_each(const struct pt_opens *t, size_t *i)
{
	while (t->slots && *i <= t->mask) {
		struct pt_open *o = &t->slots[(*i)++];

		if (o->used)
			return o;
	}
	return NULL;
}
