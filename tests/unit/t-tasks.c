/* Names of tasks over time, by hand-made records. */
#include "test.h"

#include <stdio.h>

#include "event/abi.h"
#include "task/tasks.h"

static void comm(struct pt_tasks *t, uint32_t pid, uint32_t tid, const char *name)
{
	struct pt_record r = { .type = PERF_RECORD_COMM };

	r.u.comm.pid = pid, r.u.comm.tid = tid, r.u.comm.comm = name;
	pt_tasks_see(t, &r);
}

static void fork_(struct pt_tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	struct pt_record r = { .type = PERF_RECORD_FORK };

	r.u.task.pid = pid, r.u.task.tid = tid, r.u.task.ppid = ppid, r.u.task.ptid = ptid;
	pt_tasks_see(t, &r);
}

static void exit_(struct pt_tasks *t, uint32_t pid, uint32_t tid)
{
	struct pt_record r = { .type = PERF_RECORD_EXIT };

	r.u.task.pid = pid, r.u.task.tid = tid;
	pt_tasks_see(t, &r);
}

TEST(nobody_said_so)
{
	struct pt_tasks *t = pt_tasks_new();

	CHECK_STR(pt_tasks_comm(t, 0), "swapper");
	CHECK_STR(pt_tasks_comm(t, 7), ":7");
	CHECK_STR(pt_tasks_comm(t, 0xffffffff), ":-1");
	CHECK(!pt_tasks_known(t, 7));
	pt_tasks_free(t);
}

TEST(names_are_inherited_and_replaced)
{
	struct pt_tasks *t = pt_tasks_new();

	comm(t, 10, 10, "sh");
	fork_(t, 11, 11, 10, 10);
	CHECK_STR(pt_tasks_comm(t, 11), "sh");
	comm(t, 11, 11, "dd");
	CHECK_STR(pt_tasks_comm(t, 11), "dd");
	CHECK_STR(pt_tasks_comm(t, 10), "sh");
	fork_(t, 11, 12, 11, 11);	/* a thread */
	comm(t, 11, 11, "main");
	CHECK_STR(pt_tasks_comm(t, 12), "dd");
	fork_(t, 50, 50, 49, 49);	/* of an unknown parent */
	CHECK_STR(pt_tasks_comm(t, 50), ":50");
	pt_tasks_free(t);
}

TEST(numbers_are_used_again)
{
	struct pt_tasks *t = pt_tasks_new();

	comm(t, 10, 10, "sh");
	comm(t, 11, 11, "old");
	exit_(t, 11, 11);
	CHECK_STR(pt_tasks_comm(t, 11), "old");	/* records of its last moments */
	fork_(t, 11, 11, 10, 10);
	CHECK_STR(pt_tasks_comm(t, 11), "sh");
	fork_(t, 11, 11, 99, 99);
	CHECK_STR(pt_tasks_comm(t, 11), ":11");
	comm(t, 20, 20, "thread of 20");
	fork_(t, 30, 30, 21, 20);	/* tid 20 is in process 21 now: whose name is not known */
	CHECK_STR(pt_tasks_comm(t, 30), ":30");
	CHECK_STR(pt_tasks_comm(t, 20), ":20");
	pt_tasks_free(t);
}

TEST(names_are_cut)
{
	struct pt_tasks *t = pt_tasks_new();

	comm(t, 1, 1, "0123456789012345678901234567890123456789");
	CHECK_STR(pt_tasks_comm(t, 1), "0123456789012345678901234567890");
	pt_tasks_hint(t, 1, 1, "other", 5);
	CHECK_STR(pt_tasks_comm(t, 1), "0123456789012345678901234567890");
	pt_tasks_hint(t, 2, 2, "hinted", 4);
	CHECK_STR(pt_tasks_comm(t, 2), "hint");
	pt_tasks_free(t);
}

TEST(memory_is_bounded)
{
	struct pt_tasks *t = pt_tasks_new();
	uint32_t i;

	comm(t, 1, 1, "init");
	comm(t, 2, 2, "lives");
	exit_(t, 2, 2);
	fork_(t, 2, 2, 1, 1);	/* and again: its old end must not drop it */
	for (i = 100; i < 300100; i++) {
		fork_(t, i, i, 1, 1);
		exit_(t, i, i);
	}
	CHECK(pt_tasks_nr(t) <= 65536 + 3);
	CHECK_STR(pt_tasks_comm(t, i - 1), "init");
	CHECK_STR(pt_tasks_comm(t, 100), ":100");
	CHECK_STR(pt_tasks_comm(t, 2), "init");
	CHECK_STR(pt_tasks_comm(t, 0), "swapper");
	exit_(t, 0, 0);
	exit_(t, 12345678, 12345678);
	pt_tasks_free(t);
}
