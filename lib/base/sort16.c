#include "base/sort16.h"

#include <stdint.h>
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

static void by_byte(const struct item *from, struct item *to, size_t nr, int byte,
		    const size_t counts[256])
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
	uint64_t differ = 0;
	int byte, bytes[8], nr_bytes = 0, k;

	for (i = 1; i < nr && a[i - 1].key <= a[i].key; i++)
		;
	if (i >= nr)
		return;
	if (nr <= FEW) {
		insertion(a, nr);
		return;
	}
	for (i = 1; i < nr; i++)
		differ |= a[i].key ^ a[0].key;
	for (byte = 0; byte < 8; byte++)
		if (differ >> 8 * byte & 255) {
			memset(counts[byte], 0, sizeof(counts[byte]));
			bytes[nr_bytes++] = byte;
		}
	for (i = 0; i < nr; i++)
		for (k = 0; k < nr_bytes; k++)
			counts[bytes[k]][a[i].key >> 8 * bytes[k] & 255]++;
	b = spare = pt_realloc(NULL, nr, sizeof(*b));
	for (k = 0; k < nr_bytes; k++) {
		by_byte(a, b, nr, bytes[k], counts[bytes[k]]);
		swap = a, a = b, b = swap;
	}
	if (a != v)
		memcpy(v, a, nr * sizeof(*a));
	free(spare);
}
