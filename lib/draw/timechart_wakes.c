/* timechart_wakes.c - wake-ups as arrows from the waker's row to the woken task's */
#include <stdlib.h>

#include "base/mem.h"
#include "draw/timechart_priv.h"

enum { MAX_ARROWS = 200, FEW = 400, APART_PX = 6, WIDE_PX = 2, STUB_PX = 13 };

/* The waker's row, or nearby if it has none (an interrupt, a task without a row): lines across the
 * whole picture would hide it. */
static double source(const struct tc_drawing *d, const struct tc_wake *w, double to)
{
	const uint64_t *at = w->waker == UINT32_MAX ? NULL : pt_map_get(&d->task_y, w->waker);

	return at ? (double)*at - 1 : to - STUB_PX;
}

static void arrow(struct tc_drawing *d, const struct tc_wake *w, double x, double from, double to)
{
	double tip = to + (to > from ? -6 : 6), wing = to > from ? -4 : 4;

	pt_svg_printf(&d->arrows, "M%f %fV%fm-2.5 %fl2.5 %fl2.5 %f", x, from, tip, wing, -wing,
		      wing);
	pt_svg_printf(&d->wakes, d->nr_arrows++ ? ",[%f,%f" : "[%f,%f", x, to);
	pt_buf_printf(&d->wakes, ",%lld,%lld,%llu]",
		      w->waker_tid == UINT32_MAX ? -1LL : (long long)w->waker_tid,
		      w->cpu == UINT32_MAX ? -1LL : (long long)w->cpu,
		      (unsigned long long)w->wait_ns);
}

void tc_arrows(struct tc_drawing *d)
{
	struct pt_timechart *c = d->c;
	double span = (double)(d->to_ns - d->from_ns), wide_ns = span / d->plot_px * WIDE_PX;
	size_t slots = (size_t)(d->plot_px / APART_PX) + 1, i;
	uint8_t *taken = pt_alloc(slots);

	if (c->nr_wakes)
		qsort(c->wakes, c->nr_wakes, sizeof(*c->wakes), tc_longest_wait);
	for (i = 0; i < c->nr_wakes && d->nr_arrows < MAX_ARROWS; i++) {
		const struct tc_wake *w = &c->wakes[i];
		const uint64_t *to = pt_map_get(&d->task_y, w->wakee);
		double x = ((double)w->time_ns - (double)d->from_ns) / span * d->plot_px, from;
		uint8_t *used;

		if ((double)w->wait_ns < wide_ns && c->all_wakes > FEW)
			break;
		if (!to || w->time_ns < d->from_ns || w->time_ns > d->to_ns)
			continue;
		from = source(d, w, (double)*to - 1);
		used = &taken[(size_t)(x / APART_PX)];
		if (from != (double)*to - 1 && !(*used)++)
			arrow(d, w, x, from, (double)*to - 1);
	}
	free(taken);
}
