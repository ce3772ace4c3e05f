/* Time charts: what a lane keeps, and what is drawn of it. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "draw/timechart.h"
#include "draw/timechart_lane.h"

static struct pt_timechart_task task(uint32_t id, const char *comm)
{
	return (struct pt_timechart_task){ .id = id, .pid = 1000 + id, .tid = 1000 + id, .comm = comm };
}

TEST(picture)
{
	static const char *const comms[] = { "make", "cc1", "as", "ld", "sh", "bash", "ssh", "kworker", "<&\"x\033>", "a-very-long-command-name-of-31-b", "x1", "x2" };
	struct pt_timechart *c = pt_timechart_new(0, UINT64_MAX, 0);
	struct pt_timechart_opts o = { .width = 1200, .tasks = 20, .command = "pt-timechart", .behind = " x.data > zoom.svg", .switches = 1234 };
	struct pt_buf b = PT_BUF_INIT;
	uint64_t t = 1000000000, start = t;
	unsigned i, cpus = getenv("CPUS") ? (unsigned)atoi(getenv("CPUS")) : 2;
	FILE *f;

	srand(1);
	pt_timechart_time(c, t);
	for (i = 0; i < 20000; i++) {
		uint32_t cpu = (uint32_t)rand() % cpus;
		struct pt_timechart_task w = task((uint32_t)rand() % 40, comms[rand() % 12]);
		uint64_t run = 1000 + (uint64_t)rand() % 300000, from = start + i * 100000ull;

		pt_timechart_time(c, from + run);
		pt_timechart_off(c, &w, PT_TIMECHART_WAITS, from - 20000, from, &(struct pt_timechart_wake){ from - 20000, (uint32_t)rand() % 40, 1, 0 });
		pt_timechart_run(c, cpu, &w, from, from + run);
		if (i % 10 == 0)
			pt_timechart_request(c, "8,0", rand() % 2, from, from + 4 * run);
		if (i % 1000 < 10)
			pt_timechart_mark(c, "probe:x", from, 1);
	}
	pt_timechart_gap(c, 1, start + 500000000, start + 550000000);
	CHECK_INT(pt_timechart_svg(c, &b, &o), 0);
	f = fopen("/tmp/s3-t.svg", "w");
	fwrite(b.data, 1, b.len, f);
	fclose(f);
	pt_buf_deinit(&b);
	pt_timechart_free(c);
}
