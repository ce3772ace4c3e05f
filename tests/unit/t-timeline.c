/* The scheduler's timeline as intervals, from records made by hand. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sched/timeline.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define SWITCH "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n" \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n" \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
#define WAKE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"

enum { SWITCHED, WAKING, NR };
enum { R = 0, S = 1, D = 2 };

static struct {
	struct pt_tp_db *db;
	struct pt_event events[NR];
	struct pt_timeline *t;
	struct pt_buf got;
} b;

/* "RUNS 7 on 0: 10-20" */
static void take(void *arg, const struct pt_interval *i)
{
	static const char *const names[] = { "runs", "waits", "blocked", "sleeps", "gap" };

	CHECK(arg == &b);
	CHECK(i->to_ns >= i->from_ns);
	pt_buf_puts(&b.got, names[i->kind]);
	if (i->task)
		pt_buf_printf(&b.got, " %u", i->task->tid);
	if (i->kind == PT_INTERVAL_RUNS || i->kind == PT_INTERVAL_GAP)
		pt_buf_printf(&b.got, " on %d", i->cpu);
	pt_buf_printf(&b.got, " %llu-%llu", (unsigned long long)i->from_ns, (unsigned long long)i->to_ns);
	if (i->woken)
		pt_buf_printf(&b.got, " woken by %u on %d", i->waker_tid, i->waker_cpu);
	pt_buf_putc(&b.got, '\n');
}

static void begin(void)
{
	static const struct { const char *name, *fields; } formats[NR] = { { "sched_switch", SWITCH }, { "sched_waking", WAKE } };
	static const char *const names[NR] = { "sched:sched_switch", "sched:sched_waking" };
	struct pt_buf text = PT_BUF_INIT;
	int i;

	memset(&b, 0, sizeof(b));
	b.db = pt_tp_db_new(false, 8);
	for (i = 0; i < NR; i++) {
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %d\nformat:\n" COMMON "%s\nprint fmt: \"\"\n", formats[i].name, 100 + i, formats[i].fields);
		CHECK_INT(pt_tp_db_add_format(b.db, "sched", text.data, text.len, NULL), 0);
		b.events[i] = (struct pt_event){ .index = (unsigned)i, .name = names[i], .tp = pt_tp_db_by_id(b.db, 100 + i) };
	}
	pt_buf_deinit(&text);
	b.t = pt_timeline_new(take, &b);
}

static void end(uint64_t time_ns, const char *want)
{
	pt_timeline_end(b.t, time_ns);
	CHECK_STR(pt_buf_str(&b.got), want);
	pt_timeline_free(b.t);
	pt_buf_deinit(&b.got);
	pt_tp_db_free(b.db);
}

static int feed(int event, uint64_t time_ns, uint32_t cpu, uint32_t tid, const void *raw, size_t len)
{
	struct pt_record rec = { .type = PERF_RECORD_SAMPLE, .has = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_TID | PERF_SAMPLE_RAW, .event = &b.events[event],
		.time_ns = time_ns, .cpu = cpu, .pid = tid, .tid = tid };
	struct pt_sched_event ev;
	struct pt_err e = PT_ERR_INIT;
	int kind;

	rec.sample.raw = raw;
	rec.sample.raw_len = (uint32_t)len;
	kind = pt_timeline_feed(b.t, &rec, &ev, &e);
	if (kind < 0)
		FAIL("%s", e.msg);
	return kind;
}

static void switches(uint64_t time_ns, uint32_t cpu, int32_t prev, int64_t state, int32_t next)
{
	struct { uint64_t common; char prev_comm[16]; int32_t prev_pid, prev_prio; int64_t prev_state; char next_comm[16]; int32_t next_pid, next_prio; } f = {
		.prev_comm = "a", .prev_pid = prev, .prev_state = state, .next_comm = "b", .next_pid = next };

	CHECK_INT(feed(SWITCHED, time_ns, cpu, (uint32_t)prev, &f, sizeof(f)), PT_SCHED_SWITCH);
}

static void wakes(uint64_t time_ns, uint32_t cpu, uint32_t waker, int32_t tid)
{
	struct { uint64_t common; char comm[16]; int32_t pid, prio, cpu, zero; } f = { .comm = "c", .pid = tid };

	feed(WAKING, time_ns, cpu, waker, &f, sizeof(f));
}

static void loses(uint64_t time_ns)
{
	struct pt_record rec = { .type = PERF_RECORD_LOST, .has = PERF_SAMPLE_TIME, .time_ns = time_ns, .u.lost = { 1, 9 } };
	struct pt_sched_event ev;

	CHECK_INT(pt_timeline_feed(b.t, &rec, &ev, NULL), PT_SCHED_LOST);
}

TEST(a_task_runs_sleeps_waits)
{
	begin();
	wakes(5, 0, 0, 9);			/* a first event: before it there is no time */
	switches(10, 0, 0, R, 7);
	switches(30, 0, 7, S, 0);
	wakes(50, 1, 8, 7);
	switches(60, 0, 0, R, 7);
	switches(70, 0, 7, D, 0);
	wakes(90, 0, 0, 7);
	switches(95, 0, 0, R, 7);
	end(100, "gap on 0 5-10\n"
		 "runs 7 on 0 10-30\n"
		 "sleeps 7 30-50\nwaits 7 50-60 woken by 8 on 1\n"
		 "runs 7 on 0 60-70\n"
		 "blocked 7 70-90\nwaits 7 90-95 woken by 0 on 0\n"
		 "runs 7 on 0 95-100\n"
		 "waits 9 5-100 woken by 0 on 0\n");
}

TEST(a_preempted_task_waits)
{
	begin();
	switches(10, 0, 0, R, 7);
	switches(20, 0, 7, R, 8);
	switches(40, 0, 8, S, 7);
	end(45, "runs 7 on 0 10-20\n"
		"runs 8 on 0 20-40\nwaits 7 20-40\n"
		"runs 7 on 0 40-45\nsleeps 8 40-45\n");
}

TEST(what_is_not_known_is_a_gap)
{
	begin();
	switches(10, 0, 0, R, 7);
	switches(20, 0, 8, S, 0);		/* 8 was not seen to come in, nor 7 to leave */
	switches(30, 0, 0, R, 9);
	switches(40, 0, 9, S, 0);
	end(50, "gap on 0 10-20\n"
		"runs 9 on 0 30-40\n"
		"sleeps 8 20-50\nsleeps 9 40-50\n");
}

TEST(after_a_loss_nothing_is_known_until_the_next_switch)
{
	begin();
	switches(10, 0, 0, R, 7);
	switches(20, 1, 0, R, 8);
	switches(30, 0, 7, S, 0);
	loses(40);
	switches(50, 0, 0, R, 7);
	switches(60, 0, 7, S, 0);
	end(70, "gap on 1 10-20\n"
		"runs 7 on 0 10-30\n"
		"gap on 0 30-50\n"
		"runs 7 on 0 50-60\n"
		"gap on 1 20-70\n"
		"sleeps 7 60-70\n");
}
