/* Time charts: what a lane keeps of intervals whatever the length of a session, and what is drawn of it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "draw/timechart.h"
#include "draw/timechart_lane.h"

enum { BINS = 64, COLUMNS = 40 };

static uint64_t state;
static uint64_t roll(uint64_t n)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % n;
}

/* Ten keys each count together. */
static uint64_t by_tens(uint64_t n) { return n / 10 << 32 | n; }

static uint64_t total(const struct pt_lane *l)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < l->nr; i++)
		sum += l->items[i].time_ns;
	return sum;
}

/* Items are by bin; whole bins are whole; no bin holds more than it may, in keys and in time. */
static void check_lane(const struct pt_lane *l, const struct pt_lane_time *t)
{
	uint64_t in_bin = 0;
	size_t i, same = 0;

	for (i = 0; i < l->nr; i++) {
		const struct pt_lane_item *it = &l->items[i];
		bool again = i && it->bin == l->items[i - 1].bin;

		CHECK(it->nr > 0 && it->bin + it->nr <= t->max_bins);
		CHECK(!i || it->bin >= l->items[i - 1].bin + (again ? 0 : l->items[i - 1].nr));
		if (it->nr > 1)
			CHECK_INT(it->time_ns, it->nr * t->bin_ns);
		same = again ? same + 1 : 1;
		in_bin = again ? in_bin + it->time_ns : it->time_ns;
		CHECK(same <= PT_LANE_KEYS + 1);
		CHECK(it->nr > 1 || in_bin <= t->bin_ns);
	}
}

TEST(a_lane_keeps_all_time)
{
	int round;

	for (round = 0; round < 50; round++) {
		struct pt_lane_time t = { .start_ns = 1000, .bin_ns = 16, .max_bins = BINS };
		uint64_t now = 1000, want = 0, by_key[4] = { 0 }, from, to;
		struct pt_lane l = { 0 };
		struct pt_lane_cell cells[COLUMNS] = { 0 };
		double sum = 0, read_by_key[4] = { 0 };
		size_t i, k;
		uint32_t key, keys = round % 2 ? 4 : 90;

		state = (uint64_t)round;
		for (i = 0; i < 3000; i++) {
			from = now + roll(4) / 3 * roll(100);
			to = from + roll(roll(20) ? 50 : 5000);
			key = (uint32_t)roll(keys);
			while ((to - t.start_ns) / t.bin_ns >= t.max_bins) {
				pt_lane_double(&l, &t);
				t.bin_ns *= 2;
			}
			pt_lane_add(&l, &t, by_tens(key), from, to);
			want += to - from;
			by_key[key % 4] += to - from;
			now = to;
		}
		check_lane(&l, &t);
		CHECK_INT(total(&l), want);
		CHECK(l.nr <= BINS * (PT_LANE_KEYS + 1));
		pt_lane_read(&l, &t, t.start_ns, now, false, cells, COLUMNS);
		pt_lane_cells_sort(cells, COLUMNS);
		for (i = 0; i < COLUMNS; i++) {
			double in_cell = 0;

			CHECK(cells[i].nr <= PT_LANE_KEYS + 1);
			for (k = 0; k < cells[i].nr; k++) {
				CHECK(!k || cells[i].v[k].time_ns <= cells[i].v[k - 1].time_ns);
				in_cell += cells[i].v[k].time_ns;
				if (keys == 4)
					read_by_key[(uint32_t)cells[i].v[k].key] += cells[i].v[k].time_ns;
			}
			CHECK(in_cell <= (double)(now - t.start_ns) / COLUMNS * 1.0001 + (double)t.bin_ns);
			sum += in_cell;
		}
		CHECK(fabs(sum - (double)want) < 1e-6 * (double)want);
		for (k = 0; k < 4 && keys == 4; k++)
			CHECK(fabs(read_by_key[k] - (double)by_key[k]) < 1e-6 * (double)want);
		pt_lane_deinit(&l);
	}
}

TEST(too_many_keys_are_taken_together)
{
	struct pt_lane_time t = { .start_ns = 0, .bin_ns = 1000, .max_bins = BINS };
	struct pt_lane l = { 0 };
	uint64_t ones = 0;
	uint32_t key;
	size_t i;

	/* 0 to 19: two tens, taken together where there is no room for all. */
	for (key = 0; key < 20; key++)
		pt_lane_add(&l, &t, by_tens(key), key * 10, key * 10 + 10);
	CHECK_INT(total(&l), 200);
	for (i = 0; i < l.nr; i++)
		ones += l.items[i].key < 10 || l.items[i].key == UINT32_MAX ? l.items[i].time_ns : 0;
	CHECK_INT(ones, 100);
	CHECK_INT(l.items[0].key, UINT32_MAX);
	/* What cannot be taken together is `rest`. */
	for (key = 20; key < 200; key += 10)
		pt_lane_add(&l, &t, by_tens(key), 200 + key, 200 + key + 10);
	CHECK_INT(total(&l), 380);
	for (i = 0; i < l.nr && l.items[i].key != PT_LANE_REST; i++)
		;
	CHECK(i < l.nr && l.items[i].time_ns > 50);
	check_lane(&l, &t);
	pt_lane_deinit(&l);
}

TEST(intervals_that_come_late_do_not_overlap)
{
	struct pt_lane_time t = { .start_ns = 100, .bin_ns = 10, .max_bins = BINS };
	struct pt_lane l = { 0 };

	pt_lane_add(&l, &t, 1, 0, 150);		/* begins before the start */
	pt_lane_add(&l, &t, 2, 120, 140);	/* lies within */
	pt_lane_add(&l, &t, 2, 140, 160);	/* half */
	CHECK_INT(total(&l), 60);
	CHECK_INT(l.items[0].key, 1);
	CHECK_INT(l.items[0].nr, 5);
	CHECK_INT(l.items[l.nr - 1].key, 2);
	CHECK_INT(l.items[l.nr - 1].time_ns, 10);
	pt_lane_deinit(&l);
}

TEST(a_heap_adds_up)
{
	struct pt_lane_time t = { .start_ns = 500, .bin_ns = 8, .max_bins = BINS };
	struct { uint64_t from, to; } v[400];
	double columns[COLUMNS] = { 0 }, sum = 0;
	struct pt_heap h = { 0 };
	uint64_t last = 0, want = 0;
	size_t i, c;

	state = 7;
	for (i = 0; i < PT_NR(v); i++) {
		v[i].from = 400 + i * 10 + roll(300);
		v[i].to = v[i].from + roll(roll(10) ? 40 : 2000);
		last = PT_MAX(last, v[i].to);
		while (last >= t.start_ns && (last - t.start_ns) / t.bin_ns >= t.max_bins) {
			pt_heap_double(&h, &t);
			t.bin_ns *= 2;
		}
		pt_heap_add(&h, &t, v[i].from, v[i].to);
		want += v[i].to > 500 ? v[i].to - PT_MAX(v[i].from, 500u) : 0;
	}
	pt_heap_read(&h, &t, 500, last, columns, COLUMNS);
	for (c = 0; c < COLUMNS; c++) {
		double from = 500 + (double)(last - 500) * (double)c / COLUMNS, to = from + (double)(last - 500) / COLUMNS, true_sum = 0;

		for (i = 0; i < PT_NR(v); i++)
			true_sum += PT_MAX(0, PT_MIN((double)v[i].to, to) - PT_MAX((double)v[i].from, from));
		/* To the part of a bin at either edge, in which how many were there is not known to the nanosecond. */
		CHECK(fabs(columns[c] - true_sum) < 2 * (double)t.bin_ns * 12);
		sum += columns[c];
	}
	CHECK(fabs(sum - (double)want) < 1e-6 * (double)want);
	pt_heap_deinit(&h);
}

static struct pt_timechart_task task(uint32_t id, const char *comm)
{
	return (struct pt_timechart_task){ .id = id, .pid = 1000 + id, .tid = 1000 + id, .comm = comm };
}

static const struct pt_timechart_opts opts = { .width = 1200, .tasks = 30 };

TEST(shares_of_a_column)
{
	struct pt_timechart *c = pt_timechart_new(1000000, 2020000, 1272);	/* a microsecond a column (1272 less the margins), 250 ns a bin */
	struct pt_timechart_opts o = { .width = 1272, .tasks = 30 };
	struct pt_timechart_task a = task(1, "a"), b = task(2, "b<&\"");
	struct pt_buf svg = PT_BUF_INIT;
	uint64_t t;

	pt_timechart_time(c, 900000);
	/* Of each microsecond a quarter, then half, then nothing; then all of the rest. */
	for (t = 1000000; t < 1400000; t += 1000) {
		pt_timechart_run(c, 0, &a, t, t + 250);
		pt_timechart_run(c, 0, &b, t + 250, t + 750);
	}
	pt_timechart_run(c, 0, &a, 1400000, 2500000);		/* goes on behind the end */
	CHECK_INT(pt_timechart_svg(c, &svg, &o), 0);
	/* 400 columns with half of one (32 of 63: W) and a quarter (16: G) of the other, then 620 with one alone, whole. */
	CHECK_HAS(svg.data, "W01G02*400 _02*620");
	CHECK_HAS(svg.data, "CPU 0&quot;,&quot;about&quot;:&quot;90 % busy");
	CHECK_HAS(svg.data, "b&lt;&amp;\\&quot; 1002");
	CHECK(!strstr(svg.data, "b<"));
	pt_buf_deinit(&svg);
	pt_timechart_free(c);
}

static size_t size_of(unsigned cpus, unsigned tasks, unsigned n, uint64_t tasks_shown)
{
	struct pt_timechart *c = pt_timechart_new(0, UINT64_MAX, 0);
	uint64_t *now = pt_alloc_array(cpus, sizeof(*now)), first;
	struct pt_timechart_opts o = opts;
	struct pt_buf svg = PT_BUF_INIT;
	char name[32];
	unsigned i;
	size_t len;

	state = 3;
	o.tasks = tasks_shown;
	for (i = 0; i < cpus; i++)
		now[i] = 1000000000 + i;
	pt_timechart_time(c, 1000000000);
	for (i = 0; i < n; i++) {
		uint32_t cpu = (uint32_t)(i % cpus), id = (uint32_t)roll(tasks);
		struct pt_timechart_task t = task(id, name);

		snprintf(name, sizeof(name), "command-%u", id % 100);
		first = now[cpu] + roll(50000);
		now[cpu] = first + 1 + roll(100000);
		pt_timechart_off(c, &t, PT_TIMECHART_WAITS, first - roll(20000), first, &(struct pt_timechart_wake){ first, id / 2, 1, cpu });
		pt_timechart_run(c, cpu, &t, first, now[cpu]);
		if (i % 100 == 0)
			pt_timechart_request(c, i % 1000 ? "8,0" : name, i % 3, first, now[cpu]);
		if (i % 500 == 0)
			pt_timechart_mark(c, name, now[cpu], 1);
	}
	CHECK_INT(pt_timechart_svg(c, &svg, &o), 0);
	len = svg.len;
	pt_buf_deinit(&svg);
	free(now);
	pt_timechart_free(c);
	return len;
}

TEST(pictures_stay_small)
{
	CHECK(size_of(2, 40, 20000, 30) < 1000000);
	CHECK(size_of(64, 500, 60000, 100) < 1000000);
	CHECK(size_of(300, 500, 60000, 30) < 1000000);
}

/* More tasks than are kept, each with a name of its own: the rest is told as others, and no time is lost. */
TEST(many_tasks)
{
	enum { MANY = PT_TIMECHART_TASKS + 9000 };
	struct pt_timechart *c = pt_timechart_new(0, UINT64_MAX, 0);
	struct pt_timechart_opts o = { .width = 500, .tasks = 2 };
	struct pt_timechart_task heavy = task(MANY, "heavy");
	struct pt_buf svg = PT_BUF_INIT;
	char name[32];
	uint64_t t = 1000;
	uint32_t i;

	pt_timechart_time(c, t);
	for (i = 0; i < MANY; i++, t += 2000) {
		struct pt_timechart_task one = task(i, name);

		snprintf(name, sizeof(name), "n%u", i);
		pt_timechart_run(c, 0, &heavy, t, t + 1000);
		pt_timechart_run(c, 0, &one, t + 1000, t + 2000);
	}
	CHECK_INT(pt_timechart_svg(c, &svg, &o), 0);
	CHECK_HAS(svg.data, "&quot;heavy 26384&quot;,&quot;about&quot;:&quot;ran 25.4 ms (50 %)");
	CHECK_HAS(svg.data, "25383 other tasks&quot;");
	CHECK_HAS(svg.data, "about&quot;:&quot;100 % busy");
	CHECK(svg.len < 400000);
	pt_buf_deinit(&svg);
	pt_timechart_free(c);
}

TEST(nothing_to_draw)
{
	struct pt_timechart *c = pt_timechart_new(0, UINT64_MAX, 0);
	struct pt_timechart_task a = task(1, "a");
	struct pt_buf svg = PT_BUF_INIT;

	CHECK_INT(pt_timechart_svg(c, &svg, &opts), -1);
	pt_timechart_time(c, 5);
	CHECK_INT(pt_timechart_svg(c, &svg, &opts), -1);
	pt_timechart_run(c, 0, &a, 5, 6);		/* a nanosecond: one column */
	CHECK_INT(pt_timechart_svg(c, &svg, &opts), 0);
	pt_buf_clear(&svg);
	pt_timechart_run(c, 7, &a, 6, UINT64_MAX - 2);	/* and all there is */
	pt_timechart_gap(c, 9, 0, UINT64_MAX - 1);
	pt_timechart_request(c, "d", PT_TIMECHART_WRITE, 0, UINT64_MAX - 1);
	pt_timechart_mark(c, "e", UINT64_MAX - 1, UINT64_MAX);
	CHECK_INT(pt_timechart_svg(c, &svg, &opts), 0);
	pt_buf_deinit(&svg);
	pt_timechart_free(c);
}
