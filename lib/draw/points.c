#include "draw/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { BUCKET_BITS = 13, BUCKET_MASK = (1 << BUCKET_BITS) - 1 };

void pt_points_deinit(struct pt_points *p)
{
	free(p->v);
	pt_map_deinit(&p->masses);
	*p = (struct pt_points)PT_POINTS_INIT;
}

static size_t share_of(const struct pt_points *p, size_t limit) { return limit >> p->share_bits; }

static void double_slots(struct pt_points *p)
{
	struct pt_map wider = PT_MAP_INIT;
	struct pt_map_slot *s;
	size_t i = 0;

	while ((s = pt_map_each(&p->masses, &i)))
		*pt_map_put(&wider, s->key >> (BUCKET_BITS + 1) << BUCKET_BITS |
					    (s->key & BUCKET_MASK)) += s->value;
	pt_map_deinit(&p->masses);
	p->masses = wider;
	p->slot_bits++;
}

static void add_mass(struct pt_points *p, uint64_t time_ns, uint64_t latency_ns)
{
	p->first_ns = PT_MIN(p->first_ns, time_ns);
	p->last_ns = PT_MAX(p->last_ns, time_ns);
	p->min_ns = PT_MIN(p->min_ns, latency_ns);
	p->max_ns = PT_MAX(p->max_ns, latency_ns);
	p->total++;
	++*pt_map_put(&p->masses,
		      time_ns >> p->slot_bits << BUCKET_BITS | pt_bucket(latency_ns));
	while (p->masses.nr > share_of(p, PT_POINTS_MASSES) && p->slot_bits < 62)
		double_slots(p);
}

/* Slots so long that the points need some thousands. A 63-bit time must leave BUCKET_BITS free. */
static void make_coarse(struct pt_points *p)
{
	struct pt_points_stats st;
	size_t i;

	pt_points_scan(p, &st);
	p->coarse = true;
	p->first_ns = p->min_ns = UINT64_MAX;
	p->slot_bits = BUCKET_BITS;
	while ((st.last_ns - st.first_ns) >> p->slot_bits > 8192)
		p->slot_bits++;
	for (i = 0; i < p->nr; i++)
		add_mass(p, p->v[i].time_ns, p->v[i].latency_ns);
	free(p->v);
	p->v = NULL;
	p->nr = p->cap = 0;
}

void pt_points_add_slow(struct pt_points *p, uint64_t time_ns, uint64_t latency_ns)
{
	if (!p->coarse && p->nr >= share_of(p, PT_POINTS_EXACT))
		make_coarse(p);
	if (p->coarse) {
		add_mass(p, time_ns, latency_ns);
		return;
	}
	p->cap = p->cap ? p->cap * 2 : 4096;
	p->v = pt_realloc(p->v, p->cap, sizeof(*p->v));
	p->v[p->nr++] = (struct pt_point){ time_ns, latency_ns };
}

/* The `rank`-th smallest (from 0) latency of one bucket. */
static uint64_t exact(const struct pt_points *p, unsigned bucket, uint64_t rank, uint64_t count)
{
	uint64_t low = pt_bucket_low(bucket), high = pt_bucket_low(bucket + 1), *same, v;
	size_t i, n = 0;

	if (p->coarse || high - low <= 1)
		return low;
	same = pt_alloc_array(count, sizeof(*same));
	for (i = 0; i < p->nr && n < count; i++)
		if (p->v[i].latency_ns - low < high - low)
			same[n++] = p->v[i].latency_ns;
	qsort(same, n, sizeof(*same), pt_num_compare_u64);
	v = same[rank];
	free(same);
	return v;
}

static uint64_t quantile(const struct pt_points *p, const uint64_t *of_bucket, uint64_t total,
			 unsigned percent)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)total * percent + 99) / 100), seen = 0;
	unsigned bucket;

	rank = rank ? rank - 1 : 0;
	for (bucket = 0; bucket < PT_BUCKETS; bucket++) {
		if (rank < seen + of_bucket[bucket])
			return exact(p, bucket, rank - seen, of_bucket[bucket]);
		seen += of_bucket[bucket];
	}
	return 0;
}

bool pt_points_scan(struct pt_points *p, struct pt_points_stats *st)
{
	uint64_t *of_bucket, first = UINT64_MAX, last = 0, min = UINT64_MAX, max = 0;
	struct pt_map_slot *s;
	size_t i;

	memset(st, 0, sizeof(*st));
	st->total = pt_points_total(p);
	if (!st->total)
		return false;
	of_bucket = pt_alloc_array(PT_BUCKETS, sizeof(*of_bucket));
	for (i = 0; i < p->nr; i++) {
		const struct pt_point *at = &p->v[i];

		first = PT_MIN(first, at->time_ns);
		last = PT_MAX(last, at->time_ns);
		min = PT_MIN(min, at->latency_ns);
		max = PT_MAX(max, at->latency_ns);
		of_bucket[pt_bucket(at->latency_ns)]++;
	}
	for (i = 0; (s = pt_map_each(&p->masses, &i)); )
		of_bucket[s->key & BUCKET_MASK] += s->value;
	st->first_ns = p->coarse ? p->first_ns : first;
	st->last_ns = p->coarse ? p->last_ns : last;
	st->min_ns = p->coarse ? p->min_ns : min;
	st->max_ns = p->coarse ? p->max_ns : max;
	st->p10_ns = quantile(p, of_bucket, st->total, 10);
	st->p50_ns = quantile(p, of_bucket, st->total, 50);
	st->p99_ns = quantile(p, of_bucket, st->total, 99);
	free(of_bucket);
	return true;
}
