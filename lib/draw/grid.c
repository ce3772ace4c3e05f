#include "draw/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "draw/axis.h"

void pt_grid_deinit(struct pt_grid *g)
{
	free(g->edges);
	free(g->cells);
	memset(g, 0, sizeof(*g));
}

/* Edges of rows, three digits each, decades among them: from the last not above low to the first
 * above high. */
static size_t log_edges(uint64_t low, uint64_t high, unsigned per_decade, uint64_t *edges,
			size_t max)
{
	double root = pow(10, 1.0 / per_decade), mantissa = 1;
	uint64_t decade = 1, edge, last = 0;
	size_t nr = 0;
	unsigned k;

	for (;; decade *= 10, mantissa = 1)
		for (k = 0; k < per_decade; k++, mantissa *= root) {
			edge = (uint64_t)(mantissa * 100 + 0.5);
			edge = decade >= 100 ? edge * (decade / 100) : (edge * decade + 50) / 100;
			if (edge <= last)
				continue;	/* no fractions of a few nanoseconds */
			last = edge;
			if (edge <= low)
				nr = 0;
			if (nr >= max)
				return max + 1;
			edges[nr++] = edge;
			if (edge > high)
				return nr;
			if (decade == 1000000000000000000u && k + 1 == per_decade) {
				/* the longest possible latency */
				edges[nr - 1] = (uint64_t)INT64_MAX + 1;
				return nr;
			}
		}
}

/* The largest number of rows a decade that gives at most `rows`. */
static size_t choose_log(uint64_t low, uint64_t high, size_t rows, uint64_t *edges)
{
	static const uint8_t per_decade[] = { 100, 80, 60, 50, 40, 35, 30, 25, 20, 16,
					      12,  10, 8,  6,  5,  4,  3,  2,  1 };
	uint64_t ratio;
	size_t nr = 0, i, decades;

	low = PT_MAX(low, 1u);
	high = PT_MAX(high, low);
	for (decades = 0, ratio = high / low; ratio >= 10; ratio /= 10)
		decades++;
	for (i = 0; i < PT_NR(per_decade); i++) {
		if (decades * per_decade[i] > rows + 1)
			continue;	/* clearly too many */
		nr = log_edges(low, high, per_decade[i], edges, rows + 1);
		if (nr <= rows + 1)
			return nr;
	}
	edges[0] = low;			/* fewer rows than decades: one each */
	edges[1] = high + 1;
	return 2;
}

static size_t choose_linear(uint64_t low, uint64_t high, size_t rows, uint64_t *edges)
{
	uint64_t step = pt_axis_fine_step(high - low, rows), first = low - low % step;
	size_t nr = 0;

	if ((high - first) / step >= rows)
		step = pt_axis_fine_step(step + 1, 1), first = low - low % step;
	do
		edges[nr] = first + nr * step;
	while (edges[nr++] <= high && nr <= rows);
	if (edges[nr - 1] <= high)
		edges[nr - 1] = high + 1;
	return nr;
}

/* Linear rows would squeeze most latencies into the lowest few. */
static bool wants_log(const struct pt_points_stats *st, uint64_t low, uint64_t high)
{
	uint64_t typical = PT_MAX(st->p10_ns, 1);

	return high > low && high / typical >= 20 && st->max_ns / typical >= 20;
}

static int grid_make_rows(struct pt_grid *g, const struct pt_grid_opts *o, struct pt_err *e)
{
	const struct pt_points_stats *st = &g->stats;
	uint64_t low = o->has_min ? o->min_ns : st->min_ns,
		 high = o->has_max ? o->max_ns : st->max_ns, edges[PT_GRID_MAX_ROWS + 4];
	size_t rows = o->rows ? PT_MIN(o->rows, (uint64_t)PT_GRID_MAX_ROWS) : 72, nr, from = 0;

	if (o->has_min && o->has_max && low >= high)
		return pt_err_set(e, "--min is not below --max");
	g->below = o->has_min && st->min_ns < low;
	g->above = o->has_max && st->max_ns >= high;
	if (o->has_max)
		high = high ? PT_MIN(high - 1, PT_MAX(st->max_ns, low)) : 0;
	high = PT_MAX(high, low);
	g->log = o->kind == PT_ROWS_LOG || (o->kind == PT_ROWS_AUTO && wants_log(st, low, high));
	if (!g->log && !o->has_min &&
	    (low < high / 5 * 3 || high - low < high / 200 || high < 1000))
		low = 0;
	nr = g->log ? choose_log(low, high, rows, edges + 1)
		    : choose_linear(low, high, rows, edges + 1);
	if (g->log && !o->has_min && st->min_ns < edges[1])
		edges[1] = 0; /* 0 ns has no logarithm and goes into the first row */
	if (o->has_min)
		edges[1] = low;
	if (o->has_max && g->above) {
		while (nr > 2 && edges[nr - 1] >= o->max_ns)
			nr--;
		edges[nr] = o->max_ns;
	}
	if (g->below)
		edges[0] = 0;
	else
		from = 1;
	if (g->above)
		edges[++nr] = UINT64_MAX;
	g->rows = nr - from;
	g->edges = pt_memdup(edges + from, (g->rows + 1) * sizeof(*edges));
	return 0;
}

static int make_columns(struct pt_grid *g, const struct pt_grid_opts *o, struct pt_err *e)
{
	uint64_t span = g->stats.last_ns - g->stats.first_ns, max = o->columns;
	struct pt_buf b = PT_BUF_INIT;

	if (!max)
		max = PT_MAX(PT_MIN(g->stats.total / 8, 320u), 64u);
	g->start_ns = g->stats.first_ns;
	g->step_ns = o->step_ns;
	if (!g->step_ns && !span)
		g->step_ns = 1000000;
	if (!g->step_ns) {
		g->step_ns = pt_axis_fine_step(span, max);
		if (span / g->step_ns >= max)	/* the last point needs a column of its own */
			g->step_ns = pt_axis_fine_step(span + 1, max);
	}
	if (span / g->step_ns >= PT_GRID_CELLS / g->rows) {
		pt_axis_exact(&b, g->step_ns, PT_UNIT_AUTO, true);
		pt_err_set(e, "columns of %s would be %llu: give a longer --step", b.data,
			   (unsigned long long)(span / g->step_ns + 1));
		pt_buf_deinit(&b);
		return -1;
	}
	g->columns = span / g->step_ns + 1;
	return 0;
}

/* The first row of each bucket; a latency's row is that or a few above. */
static uint16_t *rows_of_buckets(const struct pt_grid *g)
{
	uint16_t *row_of = pt_alloc_array(PT_BUCKETS, sizeof(*row_of));
	unsigned bucket, row = 0;

	for (bucket = 0; bucket < PT_BUCKETS; bucket++) {
		while (row + 1 < g->rows && pt_bucket_low(bucket) >= g->edges[row + 1])
			row++;
		row_of[bucket] = (uint16_t)row;
	}
	return row_of;
}

static inline size_t grid_find_row(const struct pt_grid *g, const uint16_t *row_of,
				   uint64_t latency_ns)
{
	size_t row = row_of[pt_bucket(latency_ns)];

	while (row + 1 < g->rows && latency_ns >= g->edges[row + 1])
		row++;
	return row;
}

static void count_points(struct pt_grid *g, const struct pt_points *p, const uint16_t *row_of)
{
	uint64_t from = 0, time, *column = g->cells, n;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		time = p->v[i].time_ns - g->start_ns;
		if (time - from >= g->step_ns) {	/* usually the previous point's column */
			from = time / g->step_ns;
			column = g->cells + from * g->rows;
			from *= g->step_ns;
		}
		n = ++column[grid_find_row(g, row_of, p->v[i].latency_ns)];
		if (n > g->max_cell)
			g->max_cell = n;
	}
}

/* Spreads `count` points evenly over times [from, to] in one row. */
static void spread_time(struct pt_grid *g, size_t row, uint64_t from, uint64_t to, uint64_t count)
{
	uint64_t len = to - from + 1, done = 0, upto, end;
	size_t c;

	for (c = from / g->step_ns; done < count; c++) {
		end = (c + 1) * g->step_ns - from;
		upto = c + 1 >= g->columns || end >= len
			       ? count
			       : (uint64_t)((unsigned __int128)count * end / len);
		g->cells[c * g->rows + row] += upto - done;
		done = upto;
	}
}

/* A mass covers ranges of time and latency, and may share its count among several cells. */
static void count_masses(struct pt_grid *g, const struct pt_points *p, const uint16_t *row_of)
{
	const struct pt_map_slot *s;
	size_t i = 0, row;

	while ((s = pt_map_each(&p->masses, &i))) {
		unsigned bucket = s->key & 8191;
		uint64_t low = PT_MAX(pt_bucket_low(bucket), g->stats.min_ns),
			 high = PT_MIN(pt_bucket_low(bucket + 1) - 1, g->stats.max_ns);
		uint64_t from = PT_MAX(s->key >> 13 << p->slot_bits, g->start_ns) - g->start_ns;
		uint64_t to = PT_MIN(((s->key >> 13) + 1) << p->slot_bits, g->stats.last_ns + 1) -
			      1 - g->start_ns;
		uint64_t done = 0, upto;

		for (row = grid_find_row(g, row_of, low); done < s->value; row++) {
			upto = row + 1 >= g->rows || g->edges[row + 1] > high
				       ? s->value
				       : (uint64_t)((unsigned __int128)s->value *
						    (g->edges[row + 1] - low) / (high - low + 1));
			spread_time(g, row, from, to, upto - done);
			done = upto;
		}
	}
	for (i = 0; i < g->columns * g->rows; i++)
		g->max_cell = PT_MAX(g->max_cell, g->cells[i]);
}

/* Counts the points into cells; rows and columns are there. */
static void fill_cells(struct pt_grid *g, const struct pt_points *p)
{
	uint16_t *row_of = rows_of_buckets(g);

	g->cells = pt_alloc_array(g->columns * g->rows, sizeof(*g->cells));
	count_points(g, p, row_of);
	count_masses(g, p, row_of);
	free(row_of);
}

int pt_grid_make(struct pt_grid *g, struct pt_points *p, const struct pt_grid_opts *o,
		 struct pt_err *e)
{
	memset(g, 0, sizeof(*g));
	if (!pt_points_scan(p, &g->stats))
		return pt_err_set(e, "no latencies");
	if (grid_make_rows(g, o, e) < 0 || make_columns(g, o, e) < 0) {
		pt_grid_deinit(g);
		return -1;
	}
	fill_cells(g, p);
	return 0;
}

void pt_grid_part(struct pt_grid *g, struct pt_points *p, const struct pt_grid *whole,
		  const char *name)
{
	*g = *whole;
	g->name = name;
	pt_points_scan(p, &g->stats);
	g->edges = pt_memdup(whole->edges, (whole->rows + 1) * sizeof(*whole->edges));
	g->max_cell = 0;
	fill_cells(g, p);
}

double pt_grid_place(const struct pt_grid *g, uint64_t latency_ns)
{
	uint64_t low, high;
	size_t row = 0;

	while (row + 1 < g->rows && latency_ns >= g->edges[row + 1])
		row++;
	low = g->edges[row];
	high = g->edges[row + 1];
	if (latency_ns <= low || high == UINT64_MAX)
		return (double)row;
	return (double)row +
	       (latency_ns >= high ? 1 : (double)(latency_ns - low) / (double)(high - low));
}

/* Decades, then 1-2-5 or 1-3 if there is room; within less than a decade round steps. */
static size_t log_ticks(const struct pt_grid *g, uint64_t low, uint64_t high, double apart,
			uint64_t *ticks, size_t max)
{
	static const struct {
		const char *of;
		unsigned nr;
	} sets[] = { { "\1\2\5", 3 }, { "\1\3", 2 }, { "\1", 1 } };
	size_t s, nr;
	unsigned k;
	uint64_t decade, tick;
	double last, at;

	for (s = 0; s < PT_NR(sets); s++) {
		bool crowded = false;

		for (nr = 0, last = -apart, decade = 1; decade <= high; decade *= 10) {
			for (k = 0; k < sets[s].nr; k++) {
				tick = decade * (uint64_t)sets[s].of[k];
				if (tick < low || tick > high)
					continue;
				at = pt_grid_place(g, tick);
				if (at - last < apart || nr >= max) {
					crowded = true;
					continue;
				}
				last = at;
				ticks[nr++] = tick;
			}
			if (decade == 1000000000000000000u)
				break;
		}
		if (!crowded)
			break;
	}
	return nr;
}

size_t pt_grid_ticks(const struct pt_grid *g, double apart, uint64_t *ticks, size_t max)
{
	uint64_t low = g->edges[g->below], high = g->edges[g->rows - g->above], step, tick;
	size_t nr = 0;

	if (g->log) {
		nr = log_ticks(g, low, high, apart, ticks, max);
		if (nr > 2)
			return nr;
		nr = 0;
	}
	step = pt_axis_step(high - low,
			    PT_MAX((uint64_t)((double)(g->rows - g->below - g->above) / apart),
				   1u));
	for (tick = (low + step - 1) / step * step; tick <= high && nr < max && tick >= low;
	     tick += step) {
		if (nr && pt_grid_place(g, tick) - pt_grid_place(g, ticks[nr - 1]) < apart * 0.8)
			continue;
		ticks[nr++] = tick;
	}
	return nr;
}

/* Those above 0, ascending; the caller frees *counts. */
static size_t sorted_counts(const struct pt_grid *g, size_t nr_grids, uint64_t **counts)
{
	size_t i, k, nr = 0, nr_cells = g->columns * g->rows;

	*counts = pt_alloc_array(nr_cells * nr_grids, sizeof(**counts));
	for (k = 0; k < nr_grids; k++)
		for (i = 0; i < nr_cells; i++)
			if (g[k].cells[i])
				(*counts)[nr++] = g[k].cells[i];
	qsort(*counts, nr, sizeof(**counts), pt_num_compare_u64);
	return nr;
}

/* By rank: the smallest count has the first shade, the largest the last. */
static void shade_by_rank(struct pt_shades *s, const struct pt_grid *g, size_t nr_grids)
{
	uint64_t *v;
	size_t nr = sorted_counts(g, nr_grids, &v), below, most;

	for (most = nr; most && v[most - 1] == s->max_count; most--)
		;
	for (below = 0; below < nr; below++) {
		unsigned shade = v[below] == s->max_count ? s->nr - 1
							 : (unsigned)(below * s->nr / (most + 1));

		if (below && v[below] == v[below - 1])
			continue;
		if (s->from[shade] == UINT64_MAX)
			s->from[shade] = v[below];
	}
	free(v);
}

static uint64_t grid_share(uint64_t part, uint64_t whole, uint64_t parts)
{
	return PT_MAX((uint64_t)((unsigned __int128)part * whole / parts), 1u);
}

void pt_shades_make(struct pt_shades *s, const struct pt_grid *grids, size_t nr_grids, unsigned nr,
		    bool by_rank)
{
	uint64_t last = UINT64_MAX;
	unsigned shade;

	s->nr = nr;
	s->max_count = 0;
	for (size_t k = 0; k < nr_grids; k++)
		s->max_count = PT_MAX(s->max_count, grids[k].max_cell);
	s->from = pt_alloc_array(nr, sizeof(*s->from));
	for (shade = 0; shade < nr; shade++)
		s->from[shade] = UINT64_MAX;
	if (by_rank)
		shade_by_rank(s, grids, nr_grids);
	for (shade = nr; !by_rank && shade--; )	/* the largest count has the last shade here, too */
		if (grid_share(shade, s->max_count, nr - 1) < last)
			s->from[shade] = last = grid_share(shade, s->max_count, nr - 1);
}

void pt_shades_deinit(struct pt_shades *s)
{
	free(s->from);
	memset(s, 0, sizeof(*s));
}
