#include "test.h"

#include <stdlib.h>

#include "base/hist.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The value at a rank, against the sorted values themselves. */
static void check_against(uint64_t *v, size_t nr)
{
	static const double percents[] = { 0, 0.1, 1, 10, 50, 90, 99, 99.9, 99.99, 100 };
	struct pt_hist h;
	double sum = 0;

	pt_hist_init(&h);
	for (size_t i = 0; i < nr; i++) {
		pt_hist_add(&h, v[i]);
		sum += (double)v[i];
	}
	qsort(v, nr, sizeof(*v), compare);
	CHECK_INT(h.count, nr);
	CHECK_INT(h.min, v[0]);
	CHECK_INT(h.max, v[nr - 1]);
	CHECK(pt_hist_mean(&h) >= sum / (double)nr * 0.999999 && pt_hist_mean(&h) <= sum / (double)nr * 1.000001);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double rank = percents[i] / 100 * (double)nr;
		size_t at = (size_t)rank + ((double)(size_t)rank < rank);
		double want = (double)v[at ? at - 1 : 0], got = (double)pt_hist_percentile(&h, percents[i]);

		if (got < want * 0.995 - 1 || got > want * 1.005 + 1)
			FAIL("p%g of %zu is %g, not %g", percents[i], nr, got, want);
	}
	pt_hist_deinit(&h);
}

TEST(percentiles)
{
	enum { NR = 30000 };
	uint64_t *v = malloc(NR * sizeof(*v)), x = 88172645463325252u;

	for (int bits = 1; bits <= 64; bits += 7) {
		for (size_t i = 0; i < NR; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			v[i] = x >> (64 - bits);
		}
		check_against(v, NR);
	}
	for (size_t i = 0; i < 1000; i++)
		v[i] = i;
	check_against(v, 1000);
	v[0] = UINT64_MAX;
	check_against(v, 1);
	free(v);
}

TEST(small_values_are_exact)
{
	struct pt_hist h;

	pt_hist_init(&h);
	CHECK_INT(pt_hist_percentile(&h, 50), 0);
	CHECK_INT((int)pt_hist_mean(&h), 0);
	for (uint64_t v = 0; v < 256; v++)
		pt_hist_add(&h, v);
	for (int v = 1; v <= 256; v++)
		CHECK_INT(pt_hist_percentile(&h, v / 2.56), v - 1);
	pt_hist_deinit(&h);
	CHECK_INT(h.count, 0);
	pt_hist_deinit(&h);
}

TEST(rows)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_hist h;

	pt_hist_init(&h);
	pt_hist_log2_rows(&h, &b);
	CHECK_STR(pt_buf_str(&b), "");
	for (int i = 0; i < 4; i++)
		pt_hist_add(&h, 70000);
	pt_hist_add(&h, 16000);
	pt_hist_add(&h, 31999);
	pt_hist_log2_rows(&h, &b);
	CHECK_STR(pt_buf_str(&b), "     usecs               : count     distribution\n"
		  "        16 -> 31         : 2        |********************                    |\n"
		  "        32 -> 63         : 0        |                                        |\n"
		  "        64 -> 127        : 4        |****************************************|\n");
	pt_buf_clear(&b);
	pt_hist_deinit(&h);
	pt_hist_add(&h, 0);
	pt_hist_add(&h, 1999);
	pt_hist_add(&h, UINT64_MAX);
	pt_hist_log2_rows(&h, &b);
	CHECK_HAS(pt_buf_str(&b), "         0 -> 1          : 2        |****************************************|\n         2 -> 3          : 0 ");
	pt_hist_deinit(&h);
	pt_buf_deinit(&b);
}

/* What is written and read again, added to another, is as if all had been counted there. */
TEST(words_add_up)
{
	struct pt_hist all, parts[2], read;
	struct pt_buf text = PT_BUF_INIT, want = PT_BUF_INIT;

	pt_hist_init(&all);
	pt_hist_init(&read);
	pt_hist_init(&parts[0]);
	pt_hist_init(&parts[1]);
	for (uint64_t i = 0, v = 1; i < 3000; i++, v = v * 2862933555777941757ull + 3037000493ull) {
		uint64_t value = v >> (i % 35 + 26);

		pt_hist_add(&all, value);
		pt_hist_add(&parts[i % 2], value);
	}
	pt_hist_words(&all, &want);
	pt_buf_puts(&want, "a key");
	for (int i = 0; i < 2; i++) {
		pt_buf_clear(&text);
		pt_hist_words(&parts[i], &text);
		pt_buf_puts(&text, "a key");
		CHECK_STR(pt_hist_read(&read, pt_buf_str(&text)), "a key");
	}
	pt_buf_clear(&text);
	pt_hist_words(&read, &text);
	pt_buf_puts(&text, "a key");
	CHECK_STR(pt_buf_str(&text), pt_buf_str(&want));
	pt_hist_deinit(&all);
	pt_hist_deinit(&read);
	pt_hist_deinit(&parts[0]);
	pt_hist_deinit(&parts[1]);
	pt_buf_deinit(&text);
	pt_buf_deinit(&want);
}

/* Sums are above 64 bits before counts are; a count that is too much is refused. */
TEST(huge_words)
{
	static const char most[] = "18446744073709551615 18446744073709551615 18446744073709551615 340282366920938463426481119284349108225 54:18446744073709551615 18446744073709551615:18446744073709551615 x";
	struct pt_buf text = PT_BUF_INIT;
	struct pt_hist h;

	pt_hist_init(&h);
	CHECK_STR(pt_hist_read(&h, most), "x");
	pt_hist_words(&h, &text);
	pt_hist_deinit(&h);
	CHECK_STR(pt_hist_read(&h, pt_buf_str(&text)), "");
	CHECK(!pt_hist_read(&h, "1 1 1 1 0:1 1:1 x"));
	CHECK(h.count == UINT64_MAX);
	pt_hist_deinit(&h);
	pt_buf_deinit(&text);
}

TEST(no_words)
{
	static const char *const texts[] = { "", "1", "1 1 1 1", "1 1 1 1 0:1", "1 1 1 1 0:1 1:1", "1 2 1 1 0:1 1:1 x",
					     "2 1 1 1 0:1 1:1 x", "1 1 1 1 0:2 1:1 x", "1 1 1 1 0:1,1:1 1:1 x", "1 1 1 1 55:1 1:1 x",
					     "0 1 1 1 0:0 1:0 x", "1 1 1 1 0:-1 1:1 x", "99999999999999999999 1 1 1 0:1 1:1 x",
					     "1 1 1 1 0:1, 1:1 x", "1 1 1 nan 0:1 1:1 x", "1 1 1 1e9 0:1 1:1 x", " 1 1 1 1 0:1 1:1 x" };
	struct pt_hist h;

	pt_hist_init(&h);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK(!pt_hist_read(&h, texts[i]));
	CHECK_INT(h.count, 0);
	CHECK_STR(pt_hist_read(&h, "1 1 1 1 0:1 1:1 x"), "x");
	CHECK_INT(h.count, 1);
	pt_hist_deinit(&h);
}
