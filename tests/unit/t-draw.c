/* Axes, ramp, points, grid: where things lie and what colour they get. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "draw/axis.h"
#include "draw/grid.h"
#include "draw/heatmap.h"
#include "draw/ramp.h"

TEST(steps_are_round)
{
	static const struct { uint64_t span, max, step, fine, clock; } t[] = {
		{ 0, 1, 1, 1, 1 },
		{ 10, 10, 1, 1, 1 },
		{ 11, 10, 2, 2, 2 },
		{ 1000, 10, 100, 100, 100 },
		{ 1001, 10, 200, 150, 200 },
		{ 9880000000, 320, 50000000, 40000000, 50000000 },
		{ 100000000000, 10, 10000000000, 10000000000, 10000000000 },
		{ 300000000000, 10, 50000000000, 30000000000, 30000000000 },
		{ 1000000000000, 10, 100000000000, 100000000000, 120000000000 },
		{ 7200000000000, 8, 1000000000000, 1000000000000, 900000000000 },
		{ 86400000000000 * 30, 8, 500000000000000, 400000000000000, 86400000000000 * 5 },
		{ INT64_MAX, 1, 10000000000000000000u, 10000000000000000000u, 0 },
	};
	size_t i;

	for (i = 0; i < PT_NR(t); i++) {
		CHECK_INT(pt_axis_step(t[i].span, t[i].max), t[i].step);
		CHECK_INT(pt_axis_fine_step(t[i].span, t[i].max), t[i].fine);
		if (t[i].clock)
			CHECK_INT(pt_axis_clock_step(t[i].span, t[i].max), t[i].clock);
	}
}

static const char *shown(struct pt_buf *b)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s", pt_buf_str(b));
	pt_buf_clear(b);
	return text;
}

TEST(labels_read_well)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_axis_exact(&b, 0, PT_UNIT_AUTO, true);
	CHECK_STR(shown(&b), "0");
	pt_axis_exact(&b, 1250000, PT_UNIT_AUTO, true);
	CHECK_STR(shown(&b), "1.25 ms");
	pt_axis_exact(&b, 1000, PT_UNIT_AUTO, false);
	CHECK_STR(shown(&b), "1 \302\265s");
	pt_axis_exact(&b, 999, PT_UNIT_AUTO, true);
	CHECK_STR(shown(&b), "999 ns");
	pt_axis_exact(&b, 1, PT_UNIT_S, true);
	CHECK_STR(shown(&b), "0.000000001 s");
	pt_axis_exact(&b, 2500000, PT_UNIT_US, true);
	CHECK_STR(shown(&b), "2500 us");
	pt_axis_short(&b, 123456789, PT_UNIT_AUTO, true);
	CHECK_STR(shown(&b), "123 ms");
	pt_axis_short(&b, 999999, PT_UNIT_AUTO, true);
	CHECK_STR(shown(&b), "1 ms");
	pt_axis_short(&b, 12, PT_UNIT_AUTO, true);
	CHECK_STR(shown(&b), "12 ns");
	pt_axis_clock(&b, 2500000000, 500000000, true);
	CHECK_STR(shown(&b), "2.5 s");
	pt_axis_clock(&b, 90000000000, 30000000000, true);
	CHECK_STR(shown(&b), "1:30");
	pt_axis_clock(&b, 7200000000000, 1800000000000, true);
	CHECK_STR(shown(&b), "2:00:00");
	pt_axis_clock(&b, 86400000000000 + 21600000000000, 21600000000000, true);
	CHECK_STR(shown(&b), "1d 6:00");
	pt_axis_clock(&b, 3600000000000, 3600000000000, true);
	CHECK_STR(shown(&b), "1:00:00");
	pt_buf_deinit(&b);
}

/* Linear light of a byte of sRGB (IEC 61966-2-1). */
static double light(unsigned byte)
{
	double v = byte / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* OKLab lightness of 0xRRGGBB, 0 to 1. */
static double lightness(uint32_t rgb)
{
	double r = light(rgb >> 16 & 255), g = light(rgb >> 8 & 255), b = light(rgb & 255);
	double l = 0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b;
	double m = 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b;
	double s = 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b;

	return 0.2104542553 * cbrt(l) + 0.7936177850 * cbrt(m) - 0.0040720468 * cbrt(s);
}

/* Contrast of WCAG 2.2 (W3C, 2023, "contrast ratio"). */
static double contrast(uint32_t a, uint32_t b)
{
	uint32_t rgb[2] = { a, b };
	double v[2];

	for (int i = 0; i < 2; i++)
		v[i] = 0.05 + 0.2126 * light(rgb[i] >> 16 & 255) +
		       0.7152 * light(rgb[i] >> 8 & 255) + 0.0722 * light(rgb[i] & 255);
	return v[0] > v[1] ? v[0] / v[1] : v[1] / v[0];
}

/* A lone cell is seen on the field (chart-colours.css); so the rest has less room to climb. */
TEST(ramp_stands_out)
{
	CHECK(contrast(0xffffff, 0) > 20.9);
	CHECK(contrast(pt_ramp_light[0], 0xf8f8fa) >= 3);
	CHECK(contrast(pt_ramp_dark[0], 0x16161d) >= 3);
}

TEST(ramp_climbs_evenly)
{
	for (int dark = 0; dark < 2; dark++) {
		const uint32_t *ramp = dark ? pt_ramp_dark : pt_ramp_light;
		double first = lightness(ramp[0]), last = lightness(ramp[PT_RAMP_SHADES - 1]);
		double step = (last - first) / (PT_RAMP_SHADES - 1);

		CHECK(dark ? last - first > 0.4 : first - last > 0.4);
		for (unsigned i = 1; i < PT_RAMP_SHADES; i++) {
			double more = lightness(ramp[i]) - lightness(ramp[i - 1]);

			if (more / step < 0.6 || more / step > 1.4)
				FAIL("step %u of the %s ramp is %.2f of the mean", i, dark ? "dark" : "light", more / step);
		}
	}
	CHECK(lightness(0xffffff) > 0.999 && lightness(0) < 0.001);
}

TEST(codes_are_ascending)
{
	unsigned code;

	for (code = 0; code < PT_BUCKETS; code++) {
		uint64_t low = pt_bucket_low(code);

		CHECK_INT(pt_bucket(low), code);
		if (code)
			CHECK_INT(pt_bucket(low - 1), code - 1);
	}
	CHECK_INT(pt_bucket(UINT64_MAX), PT_BUCKETS - 1);
}

static struct pt_grid grid(struct pt_points *p, struct pt_grid_opts o)
{
	struct pt_grid g;
	struct pt_err e;
	uint64_t sum = 0, max = 0;
	size_t i;

	if (pt_grid_make(&g, p, &o, &e) < 0)
		FAIL("%s", e.msg);
	for (i = 0; i < g.columns * g.rows; i++) {
		sum += g.cells[i];
		max = PT_MAX(max, g.cells[i]);
	}
	CHECK_INT(sum, pt_points_total(p));
	CHECK_INT(max, g.max_cell);
	for (i = 1; i <= g.rows; i++)
		CHECK(g.edges[i] > g.edges[i - 1]);
	return g;
}

static uint64_t at(const struct pt_grid *g, size_t column, size_t row) { return g->cells[column * g->rows + row]; }

TEST(first_and_last_column)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_grid g;

	pt_points_add(&p, 5000, 10);
	pt_points_add(&p, 5999, 10);
	pt_points_add(&p, 6000, 20);
	pt_points_add(&p, 8000, 20);	/* on the last edge: a column of its own */
	g = grid(&p, (struct pt_grid_opts){ .step_ns = 1000 });
	CHECK_INT(g.columns, 4);
	CHECK_INT(g.start_ns, 5000);
	CHECK_INT(g.rows, 21);		/* 0 to 20, by single nanoseconds */
	CHECK_INT(at(&g, 0, 10), 2);
	CHECK_INT(at(&g, 1, 20), 1);
	CHECK_INT(at(&g, 2, 20), 0);
	CHECK_INT(at(&g, 3, 20), 1);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .columns = 1 });
	CHECK_INT(g.columns, 1);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .columns = 3 });
	CHECK(g.columns <= 3 && g.columns > 1);
	pt_grid_deinit(&g);
	pt_points_deinit(&p);
}

TEST(max_and_min_gather)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_grid g;
	uint64_t i;

	for (i = 0; i < 1000; i++)
		pt_points_add(&p, i * 1000, i * 1000);
	g = grid(&p, (struct pt_grid_opts){ .has_min = true, .min_ns = 100000, .has_max = true, .max_ns = 500000, .step_ns = 1000000, .rows = 10 });
	CHECK(g.above && g.below && !g.log);
	CHECK_INT(g.edges[0], 0);
	CHECK_INT(g.edges[1], 100000);
	CHECK_INT(g.edges[g.rows - 1], 500000);
	CHECK_INT(g.edges[g.rows], -1);
	CHECK_INT(at(&g, 0, 0), 100);		/* below --min */
	CHECK_INT(at(&g, 0, g.rows - 1), 500);	/* at --max and over */
	CHECK(g.rows <= 12);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .has_max = true, .max_ns = 500000, .kind = PT_ROWS_LOG });
	CHECK(g.above && !g.below && g.log);
	CHECK_INT(at(&g, 0, 0), 1);		/* the one of 0 ns */
	CHECK_INT(g.edges[g.rows - 1], 500000);
	pt_grid_deinit(&g);
	/* Bounds that nothing lies beyond gather nothing. */
	g = grid(&p, (struct pt_grid_opts){ .has_max = true, .max_ns = 999001, .has_min = true });
	CHECK(!g.above && !g.below);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .has_max = true, .max_ns = 999000 });
	CHECK(g.above);
	pt_grid_deinit(&g);
	/* Bounds that all lies beyond. */
	g = grid(&p, (struct pt_grid_opts){ .has_min = true, .min_ns = 5000000 });
	CHECK(g.below && !g.above);
	CHECK_INT(g.cells[0] > 0, 1);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .has_max = true, .max_ns = 1 });
	CHECK(g.above);
	pt_grid_deinit(&g);
	pt_points_deinit(&p);
}

TEST(log_rows_have_decades)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_grid g;
	uint64_t v;
	size_t r, decades = 0;

	for (v = 1000; v <= 10000000; v *= 10)
		pt_points_add(&p, v, v);
	g = grid(&p, (struct pt_grid_opts){ 0 });
	CHECK(g.log);
	for (r = 0; r < g.rows; r++)
		for (v = 1000; v <= 10000000; v *= 10)
			if (g.edges[r] == v) {
				decades++;
				CHECK(pt_grid_place(&g, v) == (double)r);
			}
	CHECK_INT(decades, 5);
	pt_grid_deinit(&g);
	pt_points_deinit(&p);
}

TEST(linear_or_log_from_the_data)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_grid g;
	uint64_t i;

	for (i = 0; i < 1000; i++)
		pt_points_add(&p, i, 50000 + i % 100 * 1000);
	g = grid(&p, (struct pt_grid_opts){ 0 });
	CHECK(!g.log);
	CHECK_INT(g.edges[0], 0);
	pt_grid_deinit(&g);
	pt_points_add(&p, 0, 20000000);
	g = grid(&p, (struct pt_grid_opts){ 0 });
	CHECK(g.log);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .kind = PT_ROWS_LINEAR });
	CHECK(!g.log);
	pt_grid_deinit(&g);
	g = grid(&p, (struct pt_grid_opts){ .has_max = true, .max_ns = 200000 });	/* what is gathered squeezes nothing */
	CHECK(!g.log && g.above);
	pt_grid_deinit(&g);
	pt_points_deinit(&p);
}

TEST(odd_inputs)
{
	static const struct { uint64_t time, latency; } sets[][2] = {
		{ { 7, 7 }, { 7, 7 } },					/* one place */
		{ { 0, 0 }, { 0, 0 } },
		{ { 0, 1 }, { INT64_MAX, INT64_MAX } },			/* all there is */
		{ { INT64_MAX, 0 }, { INT64_MAX, 1 } },
		{ { 0, 36000000000000 }, { 36000000000000, 1 } },	/* 1 ns to ten hours */
		{ { 5, 10000000 }, { 6, 10000001 } },			/* all alike, far from 0 */
		{ { 5, 10000000 }, { 6, 12000000 } },
	};
	static const enum pt_grid_rows kinds[] = { PT_ROWS_AUTO, PT_ROWS_LINEAR, PT_ROWS_LOG };
	struct pt_heatmap_opts look = { .width = 1000, .height = 520 };
	struct pt_terminal t = { .columns = 80, .lines = 24 };
	struct pt_buf b = PT_BUF_INIT;
	size_t i, k, n;

	for (i = 0; i < PT_NR(sets); i++)
		for (k = 0; k < PT_NR(kinds); k++)
			for (n = 1; n <= 1000; n *= 10) {
				struct pt_points p = PT_POINTS_INIT;
				struct pt_grid g;

				pt_points_add(&p, sets[i][0].time, sets[i][0].latency);
				pt_points_add(&p, sets[i][1].time, sets[i][1].latency);
				g = grid(&p, (struct pt_grid_opts){ .kind = kinds[k], .rows = n });
				CHECK(g.rows <= n);
				pt_heatmap_svg(&b, &g, 1, &look);
				pt_heatmap_text(&b, &g, 1, &look, &t);
				pt_heatmap_json(&b, &g, 1, &look);
				pt_buf_clear(&b);
				pt_grid_deinit(&g);
				pt_points_deinit(&p);
			}
	pt_buf_deinit(&b);
}

TEST(too_many_columns)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_grid_opts o = { .step_ns = 1 };
	struct pt_grid g;
	struct pt_err e;

	CHECK_INT(pt_grid_make(&g, &p, &o, &e), -1);
	CHECK_STR(e.msg, "no latencies");
	pt_points_add(&p, 0, 1);
	pt_points_add(&p, 3600000000000, 1);
	CHECK_INT(pt_grid_make(&g, &p, &o, &e), -1);
	CHECK_HAS(e.msg, "longer --step");
	o = (struct pt_grid_opts){ .has_min = true, .min_ns = 5, .has_max = true, .max_ns = 5 };
	CHECK_INT(pt_grid_make(&g, &p, &o, &e), -1);
	pt_points_deinit(&p);
}

TEST(quantiles_are_exact)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_points_stats st;
	uint64_t i;

	for (i = 1; i <= 10000; i++)
		pt_points_add(&p, i, (i * 7919 % 10007) * 1000 + 1);	/* 10,000 different ones, mixed */
	CHECK(pt_points_scan(&p, &st));
	CHECK_INT(st.total, 10000);
	CHECK_INT(st.p10_ns % 1000, 1);
	pt_points_deinit(&p);
	for (i = 1; i <= 1000; i++)
		pt_points_add(&p, 1000 - i, i * 1000);
	pt_points_scan(&p, &st);
	CHECK_INT(st.p50_ns, 500000);
	CHECK_INT(st.p99_ns, 990000);
	CHECK_INT(st.p10_ns, 100000);
	CHECK_INT(st.first_ns, 0);
	CHECK_INT(st.last_ns, 999);
	pt_points_deinit(&p);
}

/* Ten million points, in memory for a fraction of them, give the picture that exact ones would: counts are all there, and near. */
TEST(many_points)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_points_stats st;
	uint64_t i, n = pt_test_sanitized() ? 4500000 : 10000000, per_column;
	struct pt_grid g;
	size_t c, r;

	for (i = 0; i < n; i++)
		pt_points_add(&p, i * 1000, 100000 + i * 2654435761u % 900000);
	CHECK(p.coarse);
	CHECK(p.masses.nr <= PT_POINTS_MASSES);
	CHECK(pt_points_scan(&p, &st));
	CHECK_INT(st.total, n);
	CHECK_INT(st.first_ns, 0);
	CHECK_INT(st.last_ns, (n - 1) * 1000);
	CHECK(st.p50_ns > 540000 && st.p50_ns < 560000);
	g = grid(&p, (struct pt_grid_opts){ .kind = PT_ROWS_LINEAR });
	per_column = n / (st.last_ns / g.step_ns + 1);
	for (c = 0; c + 1 < g.columns; c++) {
		uint64_t sum = 0;

		for (r = 0; r < g.rows; r++)
			sum += at(&g, c, r);
		if (sum < per_column * 95 / 100 || sum > per_column * 105 / 100)
			FAIL("column %zu of %zu has %llu of %llu", c, g.columns, (unsigned long long)sum, (unsigned long long)per_column);
	}
	pt_grid_deinit(&g);
	pt_points_deinit(&p);
}

/* What is kept for one of many keys takes a part of the memory. */
TEST(many_points_of_a_part)
{
	struct pt_points p = { .share_bits = 3 };

	for (uint64_t i = 0; i < 600000; i++)
		pt_points_add(&p, i * 1000003, 100000 + i * 2654435761u % 90000000);
	CHECK(p.coarse && !p.v);
	CHECK(p.masses.nr <= PT_POINTS_MASSES / 8);
	CHECK_INT(pt_points_total(&p), 600000);
	pt_points_deinit(&p);
}

TEST(shades_climb)
{
	struct pt_points p = PT_POINTS_INIT;
	struct pt_shades s;
	struct pt_grid g;
	uint64_t i, k;
	int by_rank;
	unsigned last;

	for (i = 0; i < 60; i++)		/* column i holds i * i + 1 in one cell; a column of 100,000 */
		for (k = 0; k < (i == 59 ? 100000 : i * i + 1); k++)
			pt_points_add(&p, i * 1000, 500);
	g = grid(&p, (struct pt_grid_opts){ .step_ns = 1000 });
	CHECK_INT(g.max_cell, 100000);
	for (by_rank = 0; by_rank < 2; by_rank++) {
		pt_shades_make(&s, &g, 1, 24, by_rank);
		for (i = 1, last = 0; i <= 100000; i++) {
			CHECK(pt_shade(&s, i) >= last && pt_shade(&s, i) < 24);
			last = pt_shade(&s, i);
		}
		CHECK_INT(pt_shade(&s, 1), 0);
		CHECK_INT(pt_shade(&s, 100000), 23);
		CHECK(by_rank ? pt_shade(&s, 901) >= 11 : pt_shade(&s, 901) == 0);
		pt_shades_deinit(&s);
	}
	pt_grid_deinit(&g);
	pt_points_deinit(&p);
}
