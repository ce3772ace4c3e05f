#include "draw/heatmap.h"

#include "base/json.h"

static void heatmap_json_put_grid(struct pt_buf *b, const struct pt_grid *g,
				  const struct pt_heatmap_opts *o)
{
	const struct pt_points_stats *st = &g->stats;
	const uint64_t *cell = g->cells;
	size_t c, row;

	pt_json_open(b, NULL, '{');
	pt_json_str(b, "title", o->title ? o->title : "Latency");
	pt_json_str(b, "by", g->name);
	pt_json_u64(b, "latencies", st->total);
	pt_json_u64(b, "start_ns", g->start_ns);
	pt_json_u64(b, "end_ns", st->last_ns);
	pt_json_u64(b, "step_ns", g->step_ns);
	pt_json_u64(b, "min_ns", st->min_ns);
	pt_json_u64(b, "median_ns", st->p50_ns);
	pt_json_u64(b, "p99_ns", st->p99_ns);
	pt_json_u64(b, "max_ns", st->max_ns);
	pt_json_str(b, "scale", g->log ? "log" : "linear");
	pt_json_u64(b, "columns", g->columns);
	pt_json_u64(b, "rows", g->rows);
	pt_json_open(b, "edges_ns", '[');
	for (row = 0; row < g->rows; row++)
		pt_json_u64(b, NULL, g->edges[row]);
	if (g->above)
		pt_json_null(b, NULL);
	else
		pt_json_u64(b, NULL, g->edges[g->rows]);
	pt_json_close(b, ']');
	pt_json_open(b, "cells", '[');
	for (c = 0; c < g->columns; c++)
		for (row = 0; row < g->rows; row++, cell++) {
			if (!*cell)
				continue;
			pt_json_open(b, NULL, '[');
			pt_json_u64(b, NULL, c);
			pt_json_u64(b, NULL, row);
			pt_json_u64(b, NULL, *cell);
			pt_json_close(b, ']');
		}
	pt_json_close(b, ']');
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
}

void pt_heatmap_json(struct pt_buf *b, const struct pt_grid *g, size_t nr,
		     const struct pt_heatmap_opts *o)
{
	for (size_t i = 0; i < nr; i++)
		heatmap_json_put_grid(b, &g[i], o);
}
