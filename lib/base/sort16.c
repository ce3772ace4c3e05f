#include "base/sort16.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FEW = 48 };

struct item { uint64_t key, rest; };

static void insertion(struct item *v, size_t nr)
{
	size_t i, k;

	for (i = 1; i < nr; i++) {
		struct item x = v[i];

		for (k = i; k && v[k - 1].key > x.key; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void by_byte(const struct item *from, struct item *to, size_t nr, int byte, const size_t counts[256])
{
	size_t at[256], i, sum = 0;

	for (i = 0; i < 256; i++) {
		at[i] = sum;
		sum += counts[i];
	}
	for (i = 0; i < nr; i++)
		to[at[from[i].key >> 8 * byte & 255]++] = from[i];
}

void pt_sort16(void *v, size_t nr)
{
	struct item *a = v, *b, *spare, *swap;
	size_t counts[8][256], i;
	uint64_t all = ~0ull, any = 0;
	int byte;

	for (i = 1; i < nr && a[i - 1].key <= a[i].key; i++)
		;
	if (i >= nr)
		return;
	if (nr <= FEW) {
		insertion(a, nr);
		return;
	}
	memset(counts, 0, sizeof(counts));
	for (i = 0; i < nr; i++) {
		all &= a[i].key;
		any |= a[i].key;
		for (byte = 0; byte < 8; byte++)
			counts[byte][a[i].key >> 8 * byte & 255]++;
	}
	b = spare = pt_alloc_array(nr, sizeof(*b));
	for (byte = 0; byte < 8; byte++)
		if ((all ^ any) >> 8 * byte & 255) {
			by_byte(a, b, nr, byte, counts[byte]);
			swap = a, a = b, b = swap;
		}
	if (a != v)
		memcpy(v, a, nr * sizeof(*a));
	free(spare);
}
