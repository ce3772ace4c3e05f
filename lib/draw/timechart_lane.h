/* timechart_lane.h - the bounded memory behind a row of a time chart.
 *
 * Time is cut into at most `max_bins` bins of equal length. When they run out, their length
 * doubles. Two kinds of rows:
 *
 *     pt_lane     one thing at a time (a CPU's task, a task's state): intervals in order that do
 *                 not overlap. Has the time of each key in each bin; whole bins of one key are one
 *                 item. Of more than PT_LANE_KEYS keys in a bin, those with an equal high half
 *                 count together, then the last ones as the rest.
 *     pt_heap     many things at once (requests in flight, tasks that wait): intervals in any
 *                 order. Has their total time in each bin.
 *
 * Times are nanoseconds. The structs own their memory; deinit frees it. */
#ifndef PT_DRAW_TIMECHART_LANE_H
#define PT_DRAW_TIMECHART_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_LANE_KEYS = 8 };

struct pt_lane_time {
	uint64_t start_ns, bin_ns;
	uint32_t max_bins;		/* a power of two */
};

static inline uint32_t pt_lane_bin(const struct pt_lane_time *t, uint64_t time_ns)
{
	return (uint32_t)((time_ns - t->start_ns) / t->bin_ns);
}

/* A key's high half is what counts together where there are too many keys. Special keys, one of
 * which is for the rest, stay apart. */
#define PT_LANE_SPECIAL (1ull << 63)
#define PT_LANE_REST PT_LANE_SPECIAL
static inline uint64_t pt_lane_coarse(uint64_t key)
{
	return key & PT_LANE_SPECIAL ? key : key | UINT32_MAX;
}

struct pt_lane_item {
	uint32_t bin, nr;		/* nr > 1: whole bins */
	uint64_t key, time_ns;
};

struct pt_lane {
	struct pt_lane_item *items;	/* by bin */
	size_t nr, cap;
	uint64_t end_ns;		/* of the last interval */
};

/* Adds what of [from, to) is behind the last interval; `to` is within the bins. */
void pt_lane_add(struct pt_lane *l, const struct pt_lane_time *t, uint64_t key, uint64_t from_ns,
		 uint64_t to_ns);
/* Doubles the bins' length; `t` still has the old one. */
void pt_lane_double(struct pt_lane *l, const struct pt_lane_time *t);
void pt_lane_deinit(struct pt_lane *l);

/* A column of the picture: keys by time, the largest first. */
struct pt_lane_cell {
	unsigned nr;
	struct { uint64_t key; double time_ns; } v[PT_LANE_KEYS + 1];
};
/* Adds times to columns of equal length. `coarse`: keys count by their high halves. */
void pt_lane_read(const struct pt_lane *l, const struct pt_lane_time *t, uint64_t from_ns,
		  uint64_t to_ns, bool coarse, struct pt_lane_cell *cells, size_t nr_cells);
void pt_lane_cells_sort(struct pt_lane_cell *cells, size_t nr_cells);

struct pt_heap {
	uint64_t *part_ns;		/* of intervals that begin or end within the bin */
	int64_t *whole; /* how many more cover it wholly than the previous bin */
};
void pt_heap_add(struct pt_heap *h, const struct pt_lane_time *t, uint64_t from_ns, uint64_t to_ns);
/* Counts something without length. Not in a heap with intervals. */
void pt_heap_count(struct pt_heap *h, const struct pt_lane_time *t, uint64_t time_ns, uint64_t n);
void pt_heap_double(struct pt_heap *h, const struct pt_lane_time *t);
void pt_heap_deinit(struct pt_heap *h);
/* Adds to columns: nanoseconds, or counts. */
void pt_heap_read(const struct pt_heap *h, const struct pt_lane_time *t, uint64_t from_ns,
		  uint64_t to_ns, double *columns, size_t nr_columns);

#endif
