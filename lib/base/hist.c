#include "base/hist.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { PARTS = PT_BUCKET_PARTS, BAR_WIDTH = 40 };

void pt_hist_init(struct pt_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void pt_hist_deinit(struct pt_hist *h)
{
	for (size_t i = 0; i < PT_HIST_OCTAVES; i++)
		free(h->octaves[i]);
	pt_hist_init(h);
}

void pt_hist_add(struct pt_hist *h, uint64_t v)
{
	unsigned bucket = pt_bucket(v), octave = bucket / PARTS;

	if (!h->octaves[octave])
		h->octaves[octave] = pt_alloc_array(PARTS, sizeof(uint64_t));
	h->octaves[octave][bucket % PARTS]++;
	h->usec_log2[63 - __builtin_clzll(v / 1000 | 1)]++;
	h->count++;
	h->sum += (double)v;
	h->min = PT_MIN(h->min, v);
	h->max = PT_MAX(h->max, v);
}

void pt_hist_merge(struct pt_hist *h, const struct pt_hist *from)
{
	for (size_t octave = 0; octave < PT_HIST_OCTAVES; octave++) {
		if (!from->octaves[octave])
			continue;
		if (!h->octaves[octave])
			h->octaves[octave] = pt_alloc_array(PARTS, sizeof(uint64_t));
		for (size_t part = 0; part < PARTS; part++)
			h->octaves[octave][part] += from->octaves[octave][part];
	}
	for (size_t i = 0; i < PT_NR(h->usec_log2); i++)
		h->usec_log2[i] += from->usec_log2[i];
	h->count += from->count;
	h->sum += from->sum;
	h->min = PT_MIN(h->min, from->min);
	h->max = PT_MAX(h->max, from->max);
}

uint64_t pt_hist_percentile(const struct pt_hist *h, double percent)
{
	double want = percent / 100 * (double)h->count;
	uint64_t rank = (uint64_t)want, seen = 0, low, middle;

	if (!h->count)
		return 0;
	if ((double)rank < want)
		rank++;
	rank = PT_MIN(PT_MAX(rank, 1), h->count);
	if (rank == h->count)
		return h->max;
	for (unsigned i = 0; i < PT_BUCKETS; i++) {
		seen += h->octaves[i / PARTS] ? h->octaves[i / PARTS][i % PARTS] : 0;
		if (seen < rank)
			continue;
		low = pt_bucket_low(i);
		middle = low + (pt_bucket_low(i + 1) - low) / 2;
		return PT_MIN(PT_MAX(middle, h->min), h->max);
	}
	return h->max;
}

double pt_hist_mean(const struct pt_hist *h)
{
	return h->count ? h->sum / (double)h->count : 0;
}

void pt_hist_log2_rows(const struct pt_hist *h, struct pt_buf *out)
{
	size_t first = 0, last = PT_NR(h->usec_log2) - 1;
	uint64_t most = 0;

	for (size_t i = 0; i <= last; i++)
		most = PT_MAX(most, h->usec_log2[i]);
	if (!most)
		return;
	while (!h->usec_log2[first])
		first++;
	while (!h->usec_log2[last])
		last--;
	pt_buf_puts(out, "     usecs               : count     distribution\n");
	for (size_t i = first; i <= last; i++) {
		uint64_t low = i ? 1ull << i : 0, high = (2ull << i) - 1;
		int stars = (int)((double)h->usec_log2[i] / (double)most * BAR_WIDTH);

		pt_buf_printf(out, "%10llu -> %-10llu : %-8llu |%.*s%*s|\n",
			      (unsigned long long)low, (unsigned long long)high,
			      (unsigned long long)h->usec_log2[i], stars,
			      "****************************************", BAR_WIDTH - stars, "");
	}
}
