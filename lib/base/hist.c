#include "base/hist.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { PARTS = PT_BUCKET_PARTS, BAR_WIDTH = 40, SUM_DIGITS = 39 };

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

static uint64_t *count_of(struct pt_hist *h, unsigned bucket)
{
	uint64_t **octave = &h->octaves[bucket / PARTS];

	if (!*octave)
		*octave = pt_alloc_array(PARTS, sizeof(uint64_t));
	return *octave + bucket % PARTS;
}

void pt_hist_add(struct pt_hist *h, uint64_t v)
{
	++*count_of(h, pt_bucket(v));
	h->usec_log2[63 - __builtin_clzll(v / 1000 | 1)]++;
	h->count++;
	h->sum += (double)v;
	h->min = PT_MIN(h->min, v);
	h->max = PT_MAX(h->max, v);
}

static uint64_t in_bucket(const struct pt_hist *h, unsigned bucket)
{
	const uint64_t *octave = h->octaves[bucket / PARTS];

	return octave ? octave[bucket % PARTS] : 0;
}

void pt_hist_merge(struct pt_hist *h, const struct pt_hist *from)
{
	for (unsigned i = 0; i < PT_BUCKETS; i += from->octaves[i / PARTS] ? 1 : PARTS)
		if (in_bucket(from, i))
			*count_of(h, i) += in_bucket(from, i);
	for (size_t i = 0; i < PT_NR(h->usec_log2); i++)
		h->usec_log2[i] += from->usec_log2[i];
	h->count += from->count;
	h->sum += from->sum;
	h->min = PT_MIN(h->min, from->min);
	h->max = PT_MAX(h->max, from->max);
}

static void add_pair(struct pt_buf *out, uint64_t at, uint64_t count)
{
	if (!count)
		return;
	if (out->data[out->len - 1] != ' ')
		pt_buf_putc(out, ',');
	pt_buf_dec(out, at);
	pt_buf_putc(out, ':');
	pt_buf_dec(out, count);
}

void pt_hist_words(const struct pt_hist *h, struct pt_buf *out)
{
	pt_buf_printf(out, "%llu %llu %llu %.0f ", (unsigned long long)h->count,
		      (unsigned long long)h->min, (unsigned long long)h->max, h->sum);
	for (size_t i = 0; i < PT_NR(h->usec_log2); i++)
		add_pair(out, i, h->usec_log2[i]);
	pt_buf_putc(out, ' ');
	for (unsigned i = 0; i < PT_BUCKETS; i++)
		add_pair(out, pt_bucket_low(i), in_bucket(h, i));
	pt_buf_putc(out, ' ');
}

/* A decimal number and `end`. Returns the text behind; NULL: there is no such, or s is NULL. */
static const char *hist_read_number(const char *s, char end, uint64_t *v)
{
	char *rest;

	if (!s || *s < '0' || *s > '9')
		return NULL;
	errno = 0;
	*v = strtoull(s, &rest, 10);
	return errno || *rest != end ? NULL : rest + 1;
}

/* The sum of values may be above what 64 bits hold. */
static const char *read_sum(const char *s, double *sum)
{
	size_t digits = s ? strspn(s, "0123456789") : 0;

	if (!digits || digits > SUM_DIGITS || s[digits] != ' ')
		return NULL;
	*sum = strtod(s, NULL);
	return s + digits + 1;
}

/* "AT:N,AT:N " */
static const char *read_pairs(struct pt_hist *h, const char *s, bool buckets)
{
	uint64_t at, n, all = 0;
	bool more = true;

	while (more) {
		const char *count = hist_read_number(s, ':', &at);

		s = hist_read_number(count, ',', &n);
		more = s;
		if (!more)
			s = hist_read_number(count, ' ', &n);
		if (!s || n > h->count - all || (!buckets && at >= PT_NR(h->usec_log2)))
			return NULL;
		all += n;
		*(buckets ? count_of(h, pt_bucket(at)) : &h->usec_log2[at]) += n;
	}
	return all == h->count ? s : NULL;
}

const char *pt_hist_read(struct pt_hist *h, const char *text)
{
	struct pt_hist read;
	const char *s;

	pt_hist_init(&read);
	s = hist_read_number(text, ' ', &read.count);
	s = hist_read_number(s, ' ', &read.min);
	s = hist_read_number(s, ' ', &read.max);
	s = read_sum(s, &read.sum);
	s = s && read.count ? read_pairs(&read, s, false) : NULL;
	s = s ? read_pairs(&read, s, true) : NULL;
	if (s && (read.min > read.max || h->count + read.count < h->count))
		s = NULL;
	if (s)
		pt_hist_merge(h, &read);
	pt_hist_deinit(&read);
	return s;
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
		seen += in_bucket(h, i);
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
