/* Which ranges later ones cover: beside a search address by address. */
#include "test.h"

#include "base/cover.h"

enum { RANGES = 12, ADDRESSES = 40 };

static bool is_covered(const struct pt_range *r, size_t nr, size_t i)
{
	for (uint64_t at = r[i].start; at < r[i].end; at++) {
		size_t k = i + 1;

		while (k < nr && !(r[k].start <= at && at < r[k].end))
			k++;
		if (k == nr)
			return false;
	}
	return true;
}

TEST(as_address_by_address)
{
	struct pt_range r[RANGES];
	uint32_t random = 1;
	size_t nr_covered = 0;

	for (unsigned round = 0; round < 5000; round++) {
		size_t nr = round % (RANGES + 1), i;

		for (i = 0; i < nr; i++) {
			random = random * 1664525 + 1013904223;
			r[i].start = (random >> 8) % ADDRESSES;
			r[i].end = r[i].start + (random >> 20) % 12;	/* also empty ones */
		}
		pt_cover(r, nr);
		for (i = 0; i < nr; i++) {
			CHECK_INT(r[i].covered, is_covered(r, nr, i));
			nr_covered += r[i].covered;
		}
	}
	CHECK(nr_covered > 1000);
}

TEST(whole_address_space)
{
	struct pt_range r[] = { { 0, UINT64_MAX, false }, { UINT64_MAX - 1, UINT64_MAX, false },
				{ 0, UINT64_MAX - 1, false } };

	pt_cover(r, 3);
	CHECK(r[0].covered && !r[1].covered && !r[2].covered);
}
