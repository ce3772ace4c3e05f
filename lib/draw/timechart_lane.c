#include "draw/timechart_lane.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t bin_begin(const struct pt_lane *l, uint32_t bin)
{
	size_t i = l->nr;

	while (i && l->items[i - 1].bin == bin && l->items[i - 1].nr == 1)
		i--;
	return i;
}

static struct pt_lane_item *timechart_lane_find(struct pt_lane *l, size_t from, uint64_t key)
{
	size_t i;

	for (i = from; i < l->nr; i++)
		if (l->items[i].key == key)
			return &l->items[i];
	return NULL;
}

static void timechart_lane_append(struct pt_lane *l, uint32_t bin, uint32_t nr, uint64_t key,
				  uint64_t time_ns)
{
	PT_GROW(l->items, l->nr, l->cap);
	l->items[l->nr++] =
		(struct pt_lane_item){ .bin = bin, .nr = nr, .key = key, .time_ns = time_ns };
}

/* Merges equal items from `begin` on. */
static void merge_alike(struct pt_lane *l, size_t begin, uint64_t key)
{
	size_t i, to = begin, one = SIZE_MAX;

	for (i = begin; i < l->nr; i++) {
		struct pt_lane_item it = l->items[i];

		if (pt_lane_coarse(it.key) == key) {
			if (one != SIZE_MAX) {
				l->items[one].time_ns += it.time_ns;
				continue;
			}
			one = to;
			it.key = key;
		}
		l->items[to++] = it;
	}
	l->nr = to;
}

static void timechart_lane_add_part(struct pt_lane *l, uint32_t bin, uint64_t key, uint64_t time_ns)
{
	size_t begin = bin_begin(l, bin);
	struct pt_lane_item *it = timechart_lane_find(l, begin, key);

	if (!it && l->nr - begin >= PT_LANE_KEYS) {
		key = pt_lane_coarse(key);
		merge_alike(l, begin, key);
		it = timechart_lane_find(l, begin, key);
	}
	if (!it && l->nr - begin >= PT_LANE_KEYS) {
		key = PT_LANE_REST;
		it = timechart_lane_find(l, begin, key);
	}
	if (it)
		it->time_ns += time_ns;
	else
		timechart_lane_append(l, bin, 1, key, time_ns);
}

static void add_whole(struct pt_lane *l, const struct pt_lane_time *t, uint32_t bin, uint32_t nr,
		      uint64_t key)
{
	struct pt_lane_item *last = l->nr ? &l->items[l->nr - 1] : NULL;

	if (last && last->key == key && last->bin + last->nr == bin &&
	    last->time_ns == last->nr * t->bin_ns) {
		last->nr += nr;
		last->time_ns += nr * t->bin_ns;
	} else {
		timechart_lane_append(l, bin, nr, key, nr * t->bin_ns);
	}
}

static void timechart_lane_add(struct pt_lane *l, const struct pt_lane_time *t, uint64_t key,
			       uint64_t from, uint64_t to)
{
	uint32_t first = (uint32_t)(from / t->bin_ns), last = (uint32_t)(to / t->bin_ns);
	uint64_t rest;

	if (first == last) {
		timechart_lane_add_part(l, first, key, to - from);
		return;
	}
	rest = from % t->bin_ns;
	if (rest) {
		timechart_lane_add_part(l, first, key, t->bin_ns - rest);
		first++;
	}
	if (last > first)
		add_whole(l, t, first, last - first, key);
	if (to % t->bin_ns)
		timechart_lane_add_part(l, last, key, to % t->bin_ns);
}

void pt_lane_add(struct pt_lane *l, const struct pt_lane_time *t, uint64_t key, uint64_t from_ns,
		 uint64_t to_ns)
{
	from_ns = PT_MAX(PT_MAX(from_ns, l->end_ns), t->start_ns);
	if (from_ns >= to_ns)
		return;
	l->end_ns = to_ns;
	timechart_lane_add(l, t, key, from_ns - t->start_ns, to_ns - t->start_ns);
}

void pt_lane_double(struct pt_lane *l, const struct pt_lane_time *t)
{
	struct pt_lane was = *l;
	struct pt_lane_time twice = *t;
	size_t i;

	twice.bin_ns *= 2;
	l->items = NULL;
	l->nr = l->cap = 0;
	for (i = 0; i < was.nr; i++) {
		const struct pt_lane_item *it = &was.items[i];

		if (it->nr == 1)
			timechart_lane_add_part(l, it->bin / 2, it->key, it->time_ns);
		else
			timechart_lane_add(l, &twice, it->key, it->bin * t->bin_ns,
					   (uint64_t)(it->bin + it->nr) * t->bin_ns);
	}
	free(was.items);
}

void pt_lane_deinit(struct pt_lane *l)
{
	free(l->items);
	*l = (struct pt_lane){ 0 };
}

static void cell_add(struct pt_lane_cell *c, uint64_t key, double time_ns)
{
	uint64_t as = c->nr >= PT_LANE_KEYS ? pt_lane_coarse(key) : key;
	unsigned i;

	for (i = 0; i < c->nr && c->v[i].key != key && c->v[i].key != as; i++)
		;
	if (i == c->nr && i >= PT_LANE_KEYS) {
		key = PT_LANE_REST;
		for (i = 0; i < c->nr && c->v[i].key != key; i++)
			;
	}
	if (i == c->nr)
		c->v[c->nr++] = (__typeof__(c->v[0])){ .key = key };
	c->v[i].time_ns += time_ns;
}

/* Columns of equal length, and where the bins are in them. */
struct columns { double span, column, bin, skip; size_t nr; };

static struct columns columns_of(const struct pt_lane_time *t, uint64_t from_ns, uint64_t to_ns,
				 size_t nr)
{
	double span = (double)(to_ns - from_ns);

	return (struct columns){ span, span / (double)nr, (double)t->bin_ns,
				 (double)from_ns - (double)t->start_ns, nr };
}

/* Gives the next column and its share of what is in some bins. *at is the place reached, 0 at
 * first. The last bin is filled only up to the last time. */
static bool next_share(const struct columns *c, uint32_t bin, uint32_t nr_bins, double *at,
		       size_t *column, double *share)
{
	double start = c->bin * bin - c->skip, from = PT_MAX(PT_MAX(start, *at), 0.0),
	       to = nr_bins == 1 ? PT_MIN(start + c->bin, c->span) : start + c->bin * nr_bins, end;

	*column = (size_t)(from / c->column + 1e-9);
	if (from >= to || *column >= c->nr)
		return false;
	end = PT_MIN((double)(*column + 1) * c->column, to);
	*share = (end - from) / (to - start);
	*at = end;
	return true;
}

void pt_lane_read(const struct pt_lane *l, const struct pt_lane_time *t, uint64_t from_ns,
		  uint64_t to_ns, bool coarse, struct pt_lane_cell *cells, size_t nr_cells)
{
	struct columns c = columns_of(t, from_ns, to_ns, nr_cells);
	size_t i, column;

	for (i = 0; i < l->nr; i++) {
		const struct pt_lane_item *it = &l->items[i];
		uint64_t key = coarse ? pt_lane_coarse(it->key) : it->key;
		double at = 0, share;

		while (next_share(&c, it->bin, it->nr, &at, &column, &share))
			cell_add(&cells[column], key, (double)it->time_ns * share);
	}
}

static int timechart_lane_by_time(const void *a, const void *b)
{
	const struct { uint64_t key; double time_ns; } *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

void pt_lane_cells_sort(struct pt_lane_cell *cells, size_t nr_cells)
{
	size_t i;

	for (i = 0; i < nr_cells; i++)
		if (cells[i].nr > 1)
			qsort(cells[i].v, cells[i].nr, sizeof(cells[i].v[0]),
			      timechart_lane_by_time);
}

static void heap_ready(struct pt_heap *h, const struct pt_lane_time *t)
{
	if (h->part_ns)
		return;
	h->part_ns = pt_alloc_array(t->max_bins + 1, sizeof(*h->part_ns));
	h->whole = pt_alloc_array(t->max_bins + 1, sizeof(*h->whole));
}

void pt_heap_add(struct pt_heap *h, const struct pt_lane_time *t, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t first, last;

	from_ns = PT_MAX(from_ns, t->start_ns);
	if (from_ns >= to_ns)
		return;
	heap_ready(h, t);
	first = pt_lane_bin(t, from_ns);
	last = pt_lane_bin(t, to_ns);
	if (first == last) {
		h->part_ns[first] += to_ns - from_ns;
		return;
	}
	h->part_ns[first] += t->bin_ns - (from_ns - t->start_ns) % t->bin_ns;
	h->whole[first + 1]++;
	h->whole[last]--;
	h->part_ns[last] += (to_ns - t->start_ns) % t->bin_ns;
}

void pt_heap_count(struct pt_heap *h, const struct pt_lane_time *t, uint64_t time_ns, uint64_t n)
{
	heap_ready(h, t);
	h->part_ns[pt_lane_bin(t, time_ns)] += n;
}

void pt_heap_double(struct pt_heap *h, const struct pt_lane_time *t)
{
	int64_t whole = 0;
	uint32_t i;

	if (!h->part_ns)
		return;
	for (i = 0; i < t->max_bins; i++) {
		whole += h->whole[i];
		h->part_ns[i] += (uint64_t)whole * t->bin_ns;
		h->whole[i] = 0;
	}
	h->whole[t->max_bins] = 0;
	for (i = 0; i < t->max_bins / 2; i++)
		h->part_ns[i] = h->part_ns[2 * i] + h->part_ns[2 * i + 1];
	/* the one behind the last: empty except for an end on its edge */
	h->part_ns[i] = h->part_ns[t->max_bins];
	memset(h->part_ns + i + 1, 0, (t->max_bins - i) * sizeof(*h->part_ns));
}

void pt_heap_deinit(struct pt_heap *h)
{
	free(h->part_ns);
	free(h->whole);
	*h = (struct pt_heap){ 0 };
}

void pt_heap_read(const struct pt_heap *h, const struct pt_lane_time *t, uint64_t from_ns,
		  uint64_t to_ns, double *columns, size_t nr_columns)
{
	struct columns c = columns_of(t, from_ns, to_ns, nr_columns);
	int64_t whole = 0;
	size_t column;
	uint32_t i;

	for (i = 0; h->part_ns && i <= t->max_bins; i++) {
		double at = 0, share, v;

		whole += h->whole[i];
		v = (double)h->part_ns[i] + (double)whole * c.bin;
		if (v > 0 && c.bin * i - c.skip >= c.span) {	/* counted at the very end */
			columns[nr_columns - 1] += v;
			continue;
		}
		while (v > 0 && next_share(&c, i, 1, &at, &column, &share))
			columns[column] += v * share;
	}
}
