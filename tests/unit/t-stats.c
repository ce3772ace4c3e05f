/* profile/stats.c: records by type, samples by event, tasks below their parents. */
#include <string.h>

#include "base/buf.h"
#include "profile/stats.h"
#include "rec.h"
#include "test.h"

static void see_comm(struct pt_stats *s, uint32_t pid, uint32_t tid, const char *comm)
{
	pt_stats_see(s, &(struct pt_record){ .type = PERF_RECORD_COMM,
					     .u.comm = { .pid = pid, .tid = tid, .comm = comm } });
}

static void see_fork(struct pt_stats *s, uint32_t ppid, uint32_t ptid, uint32_t pid, uint32_t tid)
{
	pt_stats_see(s, &(struct pt_record){
				.type = PERF_RECORD_FORK,
				.u.task = { .pid = pid, .ppid = ppid, .tid = tid, .ptid = ptid } });
}

static void check_tasks(struct pt_stats *s, bool json, const char *want)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_stats_tasks(s, json, &b);
	CHECK_STR(json ? b.data : strchr(b.data, '\n') + 1, want);
	pt_buf_deinit(&b);
	pt_stats_free(s);
}

TEST(tasks_are_below_their_parents)
{
	struct pt_stats *s = pt_stats_new();

	see_comm(s, 10, 10, "sh");
	see_fork(s, 10, 10, 20, 20);
	see_comm(s, 20, 20, "\033[31mred");
	see_fork(s, 20, 20, 20, 21);	/* a thread has its process's name */
	check_tasks(s, false, "         0        0       -1 |swapper\n        10       10       -1 |sh\n"
			      "        20       20       10 | \\x1b[31mred\n"
			      "        20       21       20 |  \\x1b[31mred\n");
}

/* The kernel uses numbers again: the new task has nothing of the old one. */
TEST(numbers_come_again)
{
	struct pt_stats *s = pt_stats_new();

	see_comm(s, 10, 10, "sh");
	see_comm(s, 20, 20, "old");
	see_fork(s, 10, 10, 20, 20);
	check_tasks(s, true, "{\"pid\":0,\"tid\":0,\"ppid\":-1,\"comm\":\"swapper\"}\n"
			     "{\"pid\":10,\"tid\":10,\"ppid\":-1,\"comm\":\"sh\"}\n"
			     "{\"pid\":20,\"tid\":20,\"ppid\":10,\"comm\":\"sh\"}\n");
}

/* Of a damaged recording: each is printed, once. */
TEST(tasks_in_a_circle)
{
	struct pt_stats *s = pt_stats_new();

	see_fork(s, 3, 3, 2, 2);
	see_fork(s, 2, 2, 3, 3);
	check_tasks(s, false, "         0        0       -1 |swapper\n         2        2        3 |:2\n"
			      "         3        3        2 | :3\n");
}

static void put_comm(struct rec *r)
{
	rec_begin(r, PERF_RECORD_COMM, 0);
	rec_u32(r, 1), rec_u32(r, 1), rec_str(r, "init");
	rec_end(r);
}

static void put_sample(struct rec *r)
{
	rec_begin(r, PERF_RECORD_SAMPLE, 0);
	rec_u32(r, 1), rec_u32(r, 1);
	rec_end(r);
}

TEST(records_by_type)
{
	struct rec_event ev = { .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					  .sample_type = PERF_SAMPLE_TID } };
	struct rec data = REC(false), f = REC(false);
	struct pt_stats *s = pt_stats_new();
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	const struct pt_record *rec;
	struct pt_source *src;

	put_comm(&data);
	for (int i = 0; i < 3; i++)
		put_sample(&data);
	rec_file(&f, &ev, 1, &data, NULL, 0);
	src = rec_open(&f);
	while (pt_source_next(src, &rec, &e) > 0)
		pt_stats_see(s, rec);
	pt_stats_print(s, src, false, &b);
	CHECK_STR(b.data, "Aggregated stats:\n           TOTAL events:          4\n"
			  "            COMM events:          1  (25.0%)\n"
			  "          SAMPLE events:          3  (75.0%)\n"
			  "cpu-clock:HG stats:\n          SAMPLE events:          3\n");
	pt_buf_clear(&b);
	pt_stats_print(s, src, true, &b);
	CHECK_STR(b.data, "{\"type\":\"TOTAL\",\"count\":4}\n{\"type\":\"COMM\",\"count\":1}\n"
			  "{\"type\":\"SAMPLE\",\"count\":3}\n{\"event\":\"cpu-clock:HG\",\"count\":3}\n");
	pt_buf_deinit(&b);
	pt_source_free(src);
	pt_stats_free(s);
	rec_free(&data);
	rec_free(&f);
}
