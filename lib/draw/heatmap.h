/* heatmap.h - a grid of latencies as a picture: SVG, text for terminals, JSON. Each is appended to
 * the caller's buffer, and escapes text.
 *
 * The SVG is complete without script; its script adds what a pointer or keys ask for, from data in
 * attributes. Cells are one path a shade, a stroke for each run of equal shade in a row. */
#ifndef PT_DRAW_HEATMAP_H
#define PT_DRAW_HEATMAP_H

#include <stdbool.h>

#include "base/buf.h"
#include "draw/axis.h"
#include "draw/grid.h"
#include "draw/svg.h"

struct pt_heatmap_opts {
	const char *title;		/* NULL: "Latency" */
	const char *subtitle;		/* NULL: the summary of the first grid */
	/* by the counts' rank, or by the counts */
	enum { PT_COLOUR_RANK, PT_COLOUR_LINEAR } colour;
	enum pt_unit unit;		/* of latencies */
	enum pt_theme theme;
	/* pixels, or characters and lines; at least PT_HEATMAP_MIN_* */
	unsigned width, height;
};

enum { PT_HEATMAP_MIN_WIDTH = 320, PT_HEATMAP_MIN_HEIGHT = 200, PT_HEATMAP_PART = 110 };

/* Several grids, with names, of one scale (pt_grid_part()): one below the other, in `height` each
 * of at least PT_HEATMAP_PART pixels. */
void pt_heatmap_svg(struct pt_buf *b, const struct pt_grid *g, size_t nr,
		    const struct pt_heatmap_opts *o);

enum pt_colours { PT_COLOURS_NONE, PT_COLOURS_256, PT_COLOURS_TRUE };
struct pt_terminal {
	unsigned columns, lines;
	enum pt_colours colours;
	bool ascii;
	bool light;			/* the background is light */
};
/* How many rows and columns of cells fit, for pt_grid_opts. */
void pt_heatmap_text_size(const struct pt_terminal *t, uint64_t *rows, uint64_t *columns);
void pt_heatmap_text(struct pt_buf *b, const struct pt_grid *g, size_t nr,
		     const struct pt_heatmap_opts *o, const struct pt_terminal *t);

/* One object a grid: the axes, then non-empty cells as [column, row, count]. */
void pt_heatmap_json(struct pt_buf *b, const struct pt_grid *g, size_t nr,
		     const struct pt_heatmap_opts *o);

/* "65,921 latencies in 10.2 s, median 105 us, 99 % below 1.2 ms, longest 8.1 ms" */
void pt_heatmap_summary(struct pt_buf *b, const struct pt_grid *g, const struct pt_heatmap_opts *o,
			bool ascii);

#endif
