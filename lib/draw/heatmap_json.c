#include "draw/heatmap.h"

#include "base/text.h"

static void member(struct pt_buf *b, const char *name, uint64_t v)
{
	pt_buf_puts(b, name);
	pt_buf_dec(b, v);
}

void pt_heatmap_json(struct pt_buf *b, const struct pt_grid *g, const struct pt_heatmap_opts *o)
{
	const struct pt_points_stats *st = &g->stats;
	const char *title = o->title ? o->title : "Latency";
	const uint64_t *cell = g->cells;
	size_t c, row;
	bool first = true;

	pt_buf_puts(b, "{\"title\":\"");
	pt_text_json(b, title, strlen(title));
	member(b, "\",\"latencies\":", st->total);
	member(b, ",\"start_ns\":", g->start_ns);
	member(b, ",\"end_ns\":", st->last_ns);
	member(b, ",\"step_ns\":", g->step_ns);
	member(b, ",\"min_ns\":", st->min_ns);
	member(b, ",\"median_ns\":", st->p50_ns);
	member(b, ",\"p99_ns\":", st->p99_ns);
	member(b, ",\"max_ns\":", st->max_ns);
	pt_buf_puts(b, g->log ? ",\"scale\":\"log\"" : ",\"scale\":\"linear\"");
	member(b, ",\"columns\":", g->columns);
	member(b, ",\"rows\":", g->rows);
	pt_buf_puts(b, ",\"edges_ns\":[");
	for (row = 0; row <= g->rows; row++) {
		if (row)
			pt_buf_putc(b, ',');
		if (row == g->rows && g->above)
			pt_buf_puts(b, "null");
		else
			pt_buf_dec(b, g->edges[row]);
	}
	pt_buf_puts(b, "],\"cells\":[");
	for (c = 0; c < g->columns; c++)
		for (row = 0; row < g->rows; row++, cell++) {
			if (!*cell)
				continue;
			member(b, first ? "[" : ",[", c);
			member(b, ",", row);
			member(b, ",", *cell);
			pt_buf_putc(b, ']');
			first = false;
		}
	pt_buf_puts(b, "]}\n");
}
