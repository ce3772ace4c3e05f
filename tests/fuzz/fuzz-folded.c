/* Folded lines in blocks of a size that the first byte gives, as a tree, and that drawn as the second byte says. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "draw/flame.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct pt_folded_node *nodes;
	struct pt_folded_opts how = { .max_depth = 40 };
	struct pt_flame_opts look = { .width = 300, .min_width = 1 };
	struct pt_buf svg = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	struct pt_folded *t;
	size_t block, at, nr, i;

	if (len < 2)
		return 0;
	block = data[0] ? data[0] : 4096;
	how.reverse = data[1] & 1;
	how.keep_order = data[1] & 2;
	how.vanished = data[1] & 4;
	look.inverted = data[1] & 8;
	look.colours = (enum pt_flame_colours)((data[1] >> 4) % (PT_FLAME_MODULE + 1));
	data += 2;
	len -= 2;
	t = pt_folded_new(&how);
	for (at = 0; at < len; at += block)
		pt_folded_feed(t, (const char *)data + at, PT_MIN(block, len - at));
	pt_folded_end(t);
	nodes = pt_folded_nodes(t, &nr);
	for (i = 0; i < nr; i++)
		if (!(nodes[i].total >= 0) || !isfinite(nodes[i].width) || (i && nodes[i].total > nodes[nodes[i].parent].total * (1 + 1e-9)))
			abort();
	if (pt_flame_svg(t, &look, &svg, &e) == 0 && (svg.len < 100 || memchr(svg.data, 0, svg.len)))
		abort();
	pt_buf_deinit(&svg);
	pt_folded_free(t);
	return 0;
}
