#include "base/cover.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"

/* The first span from this one on that is not painted. Shortens the way there for the next call. */
static size_t unpainted(size_t *next, size_t span)
{
	while (next[span] != span)
		span = next[span] = next[next[span]];
	return span;
}

/* The ranges are painted from the latest to the first. Span i lies between edges i and i + 1;
 * next[i] is i itself, or once the span is painted, one behind it. */
void pt_cover(struct pt_range *r, size_t nr)
{
	size_t nr_edges = 2 * nr, i, span, *next = pt_alloc_array(nr_edges + 1, sizeof(*next));
	uint64_t *edges = pt_alloc_array(nr_edges + 1, sizeof(*edges));

	for (i = 0; i < nr; i++) {
		edges[2 * i] = r[i].start;
		edges[2 * i + 1] = r[i].end;
	}
	qsort(edges, nr_edges, sizeof(*edges), pt_num_compare_u64);
	for (i = 0; i <= nr_edges; i++)
		next[i] = i;
	for (i = nr; i--; ) {
		r[i].covered = true;
		span = PT_LEADING(nr_edges, k, edges[k] < r[i].start);
		while ((span = unpainted(next, span)) < nr_edges && edges[span] < r[i].end) {
			r[i].covered &= edges[span] == edges[span + 1];
			next[span] = span + 1;
		}
	}
	free(edges);
	free(next);
}
