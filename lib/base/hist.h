/* hist.h - a histogram of durations of bounded size: exact count, sum, least and greatest;
 * percentiles within 0.4 %.
 *
 * Log-linear: each power of two is cut into 128 equal parts, values below 256 are kept exactly. An
 * octave (1 KB) is allocated when its first value comes, so a histogram takes 60 KB at the very
 * most. The struct owns them: deinit. */
#ifndef PT_BASE_HIST_H
#define PT_BASE_HIST_H

#include <stdint.h>

#include "base/buf.h"

enum { PT_HIST_PARTS_LOG2 = 7, PT_HIST_OCTAVES = 64 - PT_HIST_PARTS_LOG2 + 1 };

struct pt_hist {
	uint64_t count;
	uint64_t min, max;		/* with count 0: UINT64_MAX, 0 */
	double sum;			/* exact up to 2^53 */
	uint64_t usec_log2[55];		/* 0-1, 2-3, 4-7 ... microseconds */
	uint64_t *octaves[PT_HIST_OCTAVES];
};

void pt_hist_init(struct pt_hist *h);
void pt_hist_deinit(struct pt_hist *h);
void pt_hist_add(struct pt_hist *h, uint64_t v);
/* all that was added to the other one */
void pt_hist_merge(struct pt_hist *h, const struct pt_hist *from);
/* The value that `percent` (0 to 100) of the values do not exceed; 0 of none. */
uint64_t pt_hist_percentile(const struct pt_hist *h, double percent);
double pt_hist_mean(const struct pt_hist *h);
/* A head and rows of powers of two of microseconds, from the first with values to the last: " 64 ->
 * 127        : 311      |*****    |". */
void pt_hist_log2_rows(const struct pt_hist *h, struct pt_buf *out);

#endif
