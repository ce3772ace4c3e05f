/* points.h - times and latencies, kept exactly while they are few, in bounded memory however many.
 *
 *     struct pt_points p = PT_POINTS_INIT;
 *     pt_points_add(&p, time_ns, latency_ns); ...
 *     pt_points_scan(&p, &st);            // range and quantiles
 *     pt_points_deinit(&p);
 *
 * Beyond PT_POINTS_EXACT points the array becomes masses: points of one slot of time (a power of
 * two nanoseconds) and one bucket of latencies (base/buckets.h) are counted together. When there
 * are too many masses, slots double in length. Times and latencies are any 63-bit numbers, in any
 * order. */
#ifndef PT_DRAW_POINTS_H
#define PT_DRAW_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buckets.h"
#include "base/map.h"

enum {
	PT_POINTS_EXACT = 1 << 22,	/* 64 MB */
	PT_POINTS_MASSES = 1 << 20
};

struct pt_point { uint64_t time_ns, latency_ns; };

struct pt_points {
	struct pt_point *v;		/* the exact points; NULL once they are masses */
	size_t nr, cap;
	unsigned share_bits;		/* one of many: its limits are shifted by so much */
	uint64_t total;			/* points added, once they are masses */
	bool coarse;
	unsigned slot_bits;		/* a slot has 1 << slot_bits nanoseconds */
	struct pt_map masses;		/* slot * 8192 + bucket -> count */
	/* valid while coarse; pt_points_scan() always gives them */
	uint64_t first_ns, last_ns, min_ns, max_ns;
};

#define PT_POINTS_INIT { .v = NULL }

void pt_points_deinit(struct pt_points *p);
void pt_points_add_slow(struct pt_points *p, uint64_t time_ns, uint64_t latency_ns);

static inline void pt_points_add(struct pt_points *p, uint64_t time_ns, uint64_t latency_ns)
{
	if (p->nr == p->cap) {
		pt_points_add_slow(p, time_ns, latency_ns);
		return;
	}
	p->v[p->nr++] = (struct pt_point){ time_ns, latency_ns };
}

static inline uint64_t pt_points_total(const struct pt_points *p)
{
	return p->coarse ? p->total : p->nr;
}

struct pt_points_stats {
	uint64_t total;
	uint64_t first_ns, last_ns;	/* times */
	uint64_t min_ns, max_ns;	/* latencies */
	/* nearest rank; within 1 in 128 when coarse */
	uint64_t p10_ns, p50_ns, p99_ns;
};

/* False (and *st all 0): there are none. */
bool pt_points_scan(struct pt_points *p, struct pt_points_stats *st);

#endif
