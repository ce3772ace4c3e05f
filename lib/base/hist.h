/* hist.h - a histogram of durations with bounded memory. Count, sum, minimum and maximum are exact,
 * percentiles are within 0.4 %.
 *
 * The counts are those of base/buckets.h. An octave (1 KB) is allocated for its first value, so a
 * histogram takes at most 60 KB. pt_hist_deinit() releases them. */
#ifndef PT_BASE_HIST_H
#define PT_BASE_HIST_H

#include <stdint.h>

#include "base/buckets.h"
#include "base/buf.h"

enum { PT_HIST_OCTAVES = PT_BUCKETS / PT_BUCKET_PARTS };

struct pt_hist {
	uint64_t count;
	uint64_t min, max;		/* UINT64_MAX and 0 while count is 0 */
	double sum;			/* exact up to 2^53 */
	uint64_t usec_log2[55];		/* 0-1, 2-3, 4-7 ... microseconds */
	uint64_t *octaves[PT_HIST_OCTAVES];
};

void pt_hist_init(struct pt_hist *h);
void pt_hist_deinit(struct pt_hist *h);
void pt_hist_add(struct pt_hist *h, uint64_t v);
/* adds all values of the other histogram */
void pt_hist_merge(struct pt_hist *h, const struct pt_hist *from);
/* The whole histogram as text: "COUNT MIN MAX SUM LOG2:N,LOG2:N LOW:N,LOW:N ". LOG2 is an index of
 * usec_log2, LOW the smallest value of a bucket. */
void pt_hist_words(const struct pt_hist *h, struct pt_buf *out);
/* Adds what pt_hist_words() wrote. Returns the text behind it; NULL: it is something else, and h is
 * unchanged. */
const char *pt_hist_read(struct pt_hist *h, const char *text);
/* The value that `percent` (0 to 100) of all values do not exceed; 0 if there are none. */
uint64_t pt_hist_percentile(const struct pt_hist *h, double percent);
double pt_hist_mean(const struct pt_hist *h);
/* Prints a table with a row for each power of two of microseconds, from the first to the last that
 * has values: " 64 -> 127        : 311      |*****    |". */
void pt_hist_log2_rows(const struct pt_hist *h, struct pt_buf *out);

#endif
