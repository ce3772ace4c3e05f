#include "base/sorttext.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort16.h"

enum { FEW = 24 };
_Static_assert(sizeof(struct pt_text_item) == 16, "as sort16.h has them");

struct run { size_t from, nr, depth; };

struct runs { struct run *v; size_t nr, cap; };

static void insertion(struct pt_text_item *v, size_t nr)
{
	size_t i, k;

	for (i = 1; i < nr; i++) {
		struct pt_text_item x = v[i];

		for (k = i; k && v[k - 1].key > x.key; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* Sorts by keys. Items with equal keys are left for later; their strings are prefetched. */
static void step(struct pt_text_item *all, const struct run *r, struct runs *left,
		 struct pt_text_item *spare)
{
	struct pt_text_item *v = all + r->from;
	size_t i, k, from = 0;

	if (r->nr <= FEW)
		insertion(v, r->nr);
	else
		pt_sort16_in(v, r->nr, spare);
	for (i = 1; i <= r->nr; i++) {
		if (i < r->nr && v[i].key == v[from].key)
			continue;
		/* otherwise the strings end here and are equal */
		if (i - from > 1 && v[from].key & 255) {
			PT_GROW(left->v, left->nr, left->cap);
			left->v[left->nr++] =
				(struct run){ r->from + from, i - from, r->depth + 8 };
			for (k = from; k < i; k++)
				__builtin_prefetch(v[k].s + r->depth + 8);
		}
		from = i;
	}
}

/* Reads the keys where the strings differ or end. False: they are equal. */
static bool read_keys(struct pt_text_item *v, struct run *r)
{
	for (;;) {
		uint64_t differ = 0, first = pt_text_key(v[0].s + r->depth);
		size_t i;

		for (i = 0; i < r->nr; i++) {
			v[i].key = pt_text_key(v[i].s + r->depth);
			differ |= v[i].key ^ first;
		}
		if (differ)
			return true;
		if (!(first & 255))
			return false;
		r->depth += 8;
	}
}

void pt_sort_texts(struct pt_text_item *v, size_t nr, struct pt_text_item *spare)
{
	struct run r = { 0, nr, 0 };
	struct runs left = { .nr = 0 };

	if (nr > 1)
		step(v, &r, &left, spare);
	while (left.nr) {
		r = left.v[--left.nr];
		if (read_keys(v + r.from, &r))
			step(v, &r, &left, spare);
	}
	free(left.v);
}
