#include "base/sorttext.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort16.h"

enum { FEW = 12 };

struct item { uint64_t key, number; };

struct run { size_t from, nr, depth; };

struct runs { struct run *v; size_t nr, cap; };

/* The next eight bytes, the first one on top; behind the end of the string zeros. */
static uint64_t key_at(const char *s)
{
	uint64_t key = 0;
	int i;

	for (i = 56; i >= 0 && *s; i -= 8)
		key |= (uint64_t)(unsigned char)*s++ << i;
	return key;
}

/* A few, which are alike in their first `depth` bytes. */
static void insertion(const char *const *s, struct item *v, const struct run *r)
{
	size_t i, k;

	for (i = 1; i < r->nr; i++) {
		struct item x = v[i];
		const char *is = s[x.number] + r->depth;

		for (k = i; k && strcmp(s[v[k - 1].number] + r->depth, is) > 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* By the next eight bytes; what is alike in those is left to do. */
static void step(const char *const *s, struct item *v, const struct run *r, struct runs *left)
{
	size_t i, from = 0;

	for (i = 0; i < r->nr; i++)
		v[i].key = key_at(s[v[i].number] + r->depth);
	pt_sort16(v, r->nr);
	for (i = 1; i <= r->nr; i++) {
		if (i < r->nr && v[i].key == v[from].key)
			continue;
		if (i - from > 1 && v[from].key & 255) {	/* else the strings end here: they are equal */
			PT_GROW(left->v, left->nr, left->cap);
			left->v[left->nr++] = (struct run){ r->from + from, i - from, r->depth + 8 };
		}
		from = i;
	}
}

void pt_sort_texts(const char *const *s, size_t nr, uint32_t *order)
{
	struct item *v = pt_alloc_array(nr, sizeof(*v));
	struct runs left = { .nr = 0 };
	struct run r = { 0, nr, 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		v[i].number = i;
	for (;;) {
		if (r.nr <= FEW)
			insertion(s, v + r.from, &r);
		else
			step(s, v + r.from, &r, &left);
		if (!left.nr)
			break;
		r = left.v[--left.nr];
	}
	for (i = 0; i < nr; i++)
		order[i] = (uint32_t)v[i].number;
	free(left.v);
	free(v);
}
