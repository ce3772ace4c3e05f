/* buckets.h - log-linear buckets of 64-bit numbers. Those below 256 have a bucket each; from there
 * on each power of two has 128 equal parts, so a bucket is narrower than 1 % of its numbers. */
#ifndef PT_BASE_BUCKETS_H
#define PT_BASE_BUCKETS_H

#include <stdint.h>

enum { PT_BUCKET_PARTS = 128, PT_BUCKETS = 58 * PT_BUCKET_PARTS };

/* Buckets rise with their numbers. */
static inline unsigned pt_bucket(uint64_t v)
{
	unsigned shift = v < 256 ? 0 : 56 - (unsigned)__builtin_clzll(v);

	return shift * PT_BUCKET_PARTS + (unsigned)(v >> shift);
}

/* The smallest number of a bucket; of PT_BUCKETS: 0, as it wraps. */
static inline uint64_t pt_bucket_low(unsigned bucket)
{
	return bucket < 256 ? bucket : (uint64_t)((bucket & 127) | 128) << (bucket / 128 - 1);
}

#endif
