/* grid.h - points counted into columns of time and rows of latency, for all forms of the heat map.
 *
 *     struct pt_grid g;
 *     // fails: no points, or more than PT_GRID_CELLS cells
 *     if (pt_grid_make(&g, &points, &opts, &e) < 0) ...
 *     count = g.cells[column * g.rows + row];
 *     pt_grid_deinit(&g);
 *
 * Each point is in a cell. Row r holds latencies from edges[r] up to, but without, edges[r + 1];
 * the top one has no end if `above` (edges[rows - 1] is --max), the bottom one begins at 0 if
 * `below`. */
#ifndef PT_DRAW_GRID_H
#define PT_DRAW_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "draw/points.h"

enum { PT_GRID_CELLS = 1 << 22, PT_GRID_MAX_ROWS = 1000 };

enum pt_grid_rows { PT_ROWS_AUTO, PT_ROWS_LINEAR, PT_ROWS_LOG };

struct pt_grid_opts {
	enum pt_grid_rows kind;
	bool has_min, has_max;
	uint64_t min_ns, max_ns;	/* rows below and above are combined into one each */
	uint64_t rows;			/* at most this many, without the combined ones; 0: 72 */
	uint64_t columns;		/* at most; 0: 320, fewer for few points */
	uint64_t step_ns;		/* length of a column; 0: chosen */
};

struct pt_grid {
	const char *name;		/* of this part of the points; NULL: all of them */
	struct pt_points_stats stats;
	bool log;
	bool below, above;
	uint64_t start_ns, step_ns;	/* column c: from start + c * step */
	size_t columns, rows;
	/* rows + 1, ascending; the last is UINT64_MAX when `above` */
	uint64_t *edges;
	uint64_t *cells;
	uint64_t max_cell;
};

int pt_grid_make(struct pt_grid *g, struct pt_points *p, const struct pt_grid_opts *o,
		 struct pt_err *e);
/* Some of the points of `whole` in its rows and columns, for pictures that are compared. */
void pt_grid_part(struct pt_grid *g, struct pt_points *p, const struct pt_grid *whole,
		  const char *name);
void pt_grid_deinit(struct pt_grid *g);

/* A latency's place in rows from the bottom: 2.5 is the middle of row 2. */
double pt_grid_place(const struct pt_grid *g, uint64_t latency_ns);
/* Up to `max` round latencies, ascending, at least `apart` rows from each other. */
size_t pt_grid_ticks(const struct pt_grid *g, double apart, uint64_t *ticks, size_t max);

/* Shades of counts above 0, by the count or by its rank among the cells of `nr_grids` grids of
 * equal size. */
struct pt_shades {
	unsigned nr;
	uint64_t max_count;
	/* the smallest count of each shade, ascending; UINT64_MAX: no count has this shade */
	uint64_t *from;
};
void pt_shades_make(struct pt_shades *s, const struct pt_grid *grids, size_t nr_grids, unsigned nr,
		    bool by_rank);
void pt_shades_deinit(struct pt_shades *s);
static inline unsigned pt_shade(const struct pt_shades *s, uint64_t count)
{
	unsigned i = s->nr - 1;

	while (i && s->from[i] > count)
		i--;
	return i;
}

#endif
