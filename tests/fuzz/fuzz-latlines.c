/* Latency lines in blocks of a size that the first byte gives, then all pictures of what they held. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "draw/heatmap.h"
#include "draw/latlines.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void draw(struct pt_points *points, const struct pt_grid_opts *o)
{
	struct pt_heatmap_opts look = { .width = 400, .height = 300 };
	struct pt_terminal t = { .columns = 60, .lines = 20 };
	struct pt_buf b = PT_BUF_INIT;
	uint64_t sum = 0;
	struct pt_grid g;
	size_t i;

	if (pt_grid_make(&g, points, o, NULL) < 0)
		return;
	for (i = 0; i < g.rows * g.columns; i++)
		sum += g.cells[i];
	if (sum != pt_points_total(points))
		abort();
	pt_heatmap_svg(&b, &g, 1, &look);
	pt_heatmap_json(&b, &g, 1, &look);
	pt_heatmap_text(&b, &g, 1, &look, &t);
	pt_buf_deinit(&b);
	pt_grid_deinit(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_points points = PT_POINTS_INIT;
	struct pt_latlines r;
	size_t block, at;
	uint8_t how;

	if (len < 2)
		return 0;
	block = data[0] ? data[0] : 4096;
	how = data[1];
	data += 2;
	len -= 2;
	pt_latlines_init(&r, &points);
	for (at = 0; at < len; at += block)
		pt_latlines_feed(&r, (const char *)data + at, PT_MIN(block, len - at));
	pt_latlines_end(&r);
	if (r.good != pt_points_total(&points) || r.good + r.bad > r.lines)
		abort();
	draw(&points, &(struct pt_grid_opts){ .kind = how & 3 ? (how & 3) - 1 : 0, .rows = how >> 4, .columns = how & 4 ? 7 : 0,
		.has_max = points.nr && how & 8, .max_ns = points.nr ? points.v[0].latency_ns + 1 : 0 });
	pt_points_deinit(&points);
	return 0;
}
