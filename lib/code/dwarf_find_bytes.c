#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stage.h"
#include "code/dwarf_find_priv.h"

enum { FEW_VALUES = 12, BLOCK = 32 << 10, THREAD_BYTES = 2 << 20, MAX_HITS = 1 << 22 };

void pt_find_add(struct find_values *v, uint64_t x)
{
	PT_GROW(v->v, v->nr, v->cap);
	v->v[v->nr++] = (uint32_t)x;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void pt_find_ready(struct find_values *v)
{
	size_t i, nr = 0;

	if (v->nr)
		qsort(v->v, v->nr, sizeof(*v->v), by_value);
	for (i = 0; i < v->nr; i++)
		if (!nr || v->v[i] != v->v[nr - 1])
			v->v[nr++] = v->v[i];
	v->nr = nr;
	if (nr <= FEW_VALUES)
		return;
	v->bits = pt_alloc_array(v->v[nr - 1] / 64 + 1, sizeof(*v->bits));
	for (i = 0; i < nr; i++)
		v->bits[v->v[i] / 64] |= 1ull << v->v[i] % 64;
}

void pt_find_drop(struct find_values *v)
{
	free(v->v);
	free(v->bits);
	*v = (struct find_values){ .v = NULL };
}

static void put32(uint8_t out[4], uint32_t v, bool swap)
{
	v = swap ? bswap_32(v) : v;
	memcpy(out, &v, 4);
}

struct job { const struct find_values *values; bool swap; const uint8_t *data; uint64_t from, to, end; struct find_hits hits; bool full; };

static void add_hit(struct job *j, uint64_t off)
{
	if (j->hits.nr >= MAX_HITS) {
		j->full = true;
		return;
	}
	PT_GROW(j->hits.v, j->hits.nr, j->hits.cap);
	j->hits.v[j->hits.nr++] = off;
}

static void search_many(struct job *j)
{
	const uint64_t *bits = j->values->bits;
	uint32_t top = j->values->v[j->values->nr - 1];
	uint64_t i;

	for (i = j->from; i < j->to && i + 4 <= j->end; i++) {
		uint32_t v = pt_load32(j->data + i, j->swap);

		if (v <= top && bits[v / 64] >> v % 64 & 1)
			add_hit(j, i);
	}
}

static int by_off(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void pt_find_sort(struct find_hits *h)
{
	if (h->nr)
		qsort(h->v, h->nr, sizeof(*h->v), by_off);
}

static void *search(void *arg)
{
	struct job *j = arg;
	const struct find_values *v = j->values;
	struct pt_scan scans[FEW_VALUES];
	uint8_t what[FEW_VALUES][4];
	uint64_t block;
	size_t i;

	if (v->nr > FEW_VALUES) {
		search_many(j);
		return NULL;
	}
	for (i = 0; i < v->nr; i++) {
		put32(what[i], v->v[i], j->swap);
		scans[i] = pt_scan(what[i], 4);
	}
	/* A block for all of them, while it is at hand. */
	for (block = j->from; block < j->to; block += BLOCK) {
		const uint8_t *end = j->data + PT_MIN(PT_MIN(block + BLOCK, j->to) + 3, j->end), *at;

		for (i = 0; i < v->nr; i++)
			for (at = j->data + block; (at = pt_scan_next(&scans[i], at, end)); at++)
				add_hit(j, (uint64_t)(at - j->data));
	}
	pt_find_sort(&j->hits);
	return NULL;
}

bool pt_find_search(const struct find_values *v, const uint8_t *data, uint64_t len, bool swap, struct find_hits *hits)
{
	uint64_t half = len > THREAD_BYTES ? len / 2 : len;
	struct job lower = { .values = v, .swap = swap, .data = data, .to = half, .end = len }, upper = lower;
	pthread_t thread;
	bool second;
	size_t i;

	upper.from = half;
	upper.to = len;
	second = half < len && pt_stage_wanted() && pt_stage_thread(&thread, search, &upper);
	search(&lower);
	if (second)
		pthread_join(thread, NULL);
	else if (half < len)
		search(&upper);
	for (i = 0; i < upper.hits.nr; i++)
		add_hit(&lower, upper.hits.v[i]);
	free(upper.hits.v);
	*hits = lower.hits;
	return !lower.full && !upper.full;
}
