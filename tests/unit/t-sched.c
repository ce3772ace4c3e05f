/* The scheduler's timeline, its map and its places, on records made by hand. */
#include "test.h"

#include <byteswap.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/offcpu.h"
#include "sched/sched.h"
#include "sched/schedmap.h"
#include "sched/schedplace.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define SWITCH "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n" \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n" \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
#define WAKE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
#define MIGRATE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int orig_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\tfield:int dest_cpu;\toffset:36;\tsize:4;\tsigned:1;\n"
#define PID_AT_24 "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
#define RUNTIME PID_AT_24 "\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n"
#define FORK "\tfield:__data_loc char[] child_comm;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:pid_t child_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
#define EXEC "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:pid_t old_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
#define STATES_6_18 "REC->prev_state & 0xff ? __print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, " \
	"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\""
#define STATES_3_16 "REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, " \
	"{ 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\""
/* An eight-byte number, a two-byte one, names elsewhere: what another kernel might have. */
#define ODD "\tfield:pid_t prev_pid;\toffset:8;\tsize:8;\tsigned:1;\n\tfield:u16 next_pid;\toffset:16;\tsize:2;\tsigned:0;\n" \
	"\tfield:int prev_state;\toffset:20;\tsize:4;\tsigned:1;\n\tfield:__data_loc char[] next_comm;\toffset:24;\tsize:4;\tsigned:0;\n"

enum { SWITCHED, WAKING, WAKEUP, BORN, MIGRATED, FORKED, EXECED, EXITED, RAN, OLD, ODDLY, NR };
static const struct { const char *name, *fields, *print; } formats[NR] = {
	{ "sched_switch", SWITCH, STATES_6_18 }, { "sched_waking", WAKE, "" }, { "sched_wakeup", WAKE, "" }, { "sched_wakeup_new", WAKE, "" },
	{ "sched_migrate_task", MIGRATE, "" }, { "sched_process_fork", FORK, "" }, { "sched_process_exec", EXEC, "" }, { "sched_process_exit", PID_AT_24, "" },
	{ "sched_stat_runtime", RUNTIME, "" }, { "sched_switch", SWITCH, STATES_3_16 }, { "sched_switch", ODD, "" },
};

static struct bench {
	struct pt_tp_db *db;
	struct pt_event events[NR];
	struct pt_sched *s;
	struct pt_sched_event ev;
	struct pt_err err;
	uint32_t cpu, pid, tid;
	bool swap, many;
	uint64_t has;
	size_t dropped;
} b;

static void dropped(void *arg, struct pt_sched_task *t)
{
	(void)t;
	++*(size_t *)arg;
}

static void begin(const struct pt_sched_opts *o)
{
	struct pt_buf text = PT_BUF_INIT;

	memset(&b, 0, sizeof(b));
	b.db = pt_tp_db_new(false, 8);
	for (int i = 0; i < NR; i++) {
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %d\nformat:\n" COMMON "%s\nprint fmt: \"%%s\", %s\n", formats[i].name, 100 + i, formats[i].fields,
			      *formats[i].print ? formats[i].print : "\"\"");
		CHECK_INT(pt_tp_db_add_format(b.db, "sched", text.data, text.len, &b.err), 0);
		b.events[i] = (struct pt_event){ .index = (unsigned)i, .name = formats[i].name, .tp = pt_tp_db_by_id(b.db, 100 + i) };
		CHECK(b.events[i].tp);
	}
	pt_buf_deinit(&text);
	b.s = pt_sched_new(o);
	b.has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	b.pid = b.tid = 9999;
}

static void end(void)
{
	pt_sched_free(b.s);
	pt_tp_db_free(b.db);
}

static int sample(int event, uint64_t time_ns, const void *raw, uint32_t len)
{
	struct pt_record rec = {
		.type = PERF_RECORD_SAMPLE, .has = b.has, .event = &b.events[event], .time_ns = time_ns, .pid = b.pid, .tid = b.tid, .cpu = b.cpu, .swap = b.swap,
	};

	rec.sample.raw = b.many ? raw : pt_test_guarded(raw, len);
	rec.sample.raw_len = len;
	return pt_sched_feed(b.s, &rec, &b.ev, &b.err);
}

static uint32_t u32(uint32_t v) { return b.swap ? bswap_32(v) : v; }
static uint64_t u64(uint64_t v) { return b.swap ? bswap_64(v) : v; }

static int switch_named(int event, uint64_t time_ns, uint32_t cpu, uint32_t prev, uint64_t state, uint32_t next, const char *prev_comm, const char *next_comm)
{
	uint8_t raw[64] = { 0 };

	b.cpu = cpu;
	snprintf((char *)raw + 8, 16, "%s", prev_comm);
	snprintf((char *)raw + 40, 16, "%s", next_comm);
	memcpy(raw + 24, &(uint32_t){ u32(prev) }, 4);
	memcpy(raw + 28, &(uint32_t){ u32(120) }, 4);
	memcpy(raw + 32, &(uint64_t){ u64(state) }, 8);
	memcpy(raw + 56, &(uint32_t){ u32(next) }, 4);
	memcpy(raw + 60, &(uint32_t){ u32(97) }, 4);
	return sample(event, time_ns, raw, sizeof(raw));
}

enum { R = 0, S = 1, D = 2, DEAD = 0x10, PREEMPTED = 0x100 };

/* The CPU goes from one task to another; prev leaves with this state. */
static const struct pt_sched_event *sw(uint64_t time_ns, uint32_t cpu, uint32_t prev, uint64_t state, uint32_t next)
{
	CHECK_INT(switch_named(SWITCHED, time_ns, cpu, prev, state, next, "prev", "next"), PT_SCHED_SWITCH);
	return &b.ev;
}

static const struct pt_sched_event *wake(int event, uint64_t time_ns, uint32_t cpu, uint32_t tid)
{
	uint8_t raw[36] = { 0 };

	b.cpu = cpu;
	strcpy((char *)raw + 8, "woken");
	memcpy(raw + 24, &(uint32_t){ u32(tid) }, 4);
	memcpy(raw + 32, &(uint32_t){ u32(3) }, 4);
	sample(event, time_ns, raw, sizeof(raw));
	return &b.ev;
}

static int side(uint32_t type, uint64_t time_ns, uint32_t pid, uint32_t tid, uint32_t ppid, const char *comm, uint16_t misc)
{
	struct pt_record rec = { .type = type, .misc = misc, .has = time_ns ? PERF_SAMPLE_TIME | PERF_SAMPLE_CPU : 0, .time_ns = time_ns, .cpu = b.cpu };

	if (type == PERF_RECORD_COMM) {
		rec.u.comm.pid = pid;
		rec.u.comm.tid = tid;
		rec.u.comm.comm = comm;
	} else {
		rec.u.task.pid = pid;
		rec.u.task.tid = tid;
		rec.u.task.ppid = rec.u.task.ptid = ppid;
	}
	return pt_sched_feed(b.s, &rec, &b.ev, &b.err);
}

static int lost(int cpu, uint64_t how_many, const struct pt_event *event)
{
	struct pt_record rec = { .type = PERF_RECORD_LOST, .has = cpu >= 0 ? PERF_SAMPLE_CPU : 0, .cpu = (uint32_t)cpu, .event = event };

	rec.u.lost.lost = how_many;
	return pt_sched_feed(b.s, &rec, &b.ev, &b.err);
}

/* The record of task `tid` that comes in after `prev`, or leaves. */
static int record_of_switch(uint64_t time_ns, uint32_t cpu, uint32_t prev, uint32_t tid, uint16_t misc)
{
	struct pt_record rec = { .type = PERF_RECORD_SWITCH_CPU_WIDE, .misc = misc, .has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU,
				 .time_ns = time_ns, .cpu = cpu, .pid = tid + 1000, .tid = tid };

	rec.u.sw.tid = prev;
	return pt_sched_feed(b.s, &rec, &b.ev, &b.err);
}

#define CHECK_STAY(st, known_, run, off, delay) do { \
	const struct pt_sched_stay *s_ = &(st); \
	CHECK_INT(s_->known, known_); \
	if (s_->known & PT_SCHED_RUN) CHECK_INT(s_->run_ns, run); \
	if (s_->known & PT_SCHED_OFF) CHECK_INT(s_->off_ns, off); \
	if (s_->known & PT_SCHED_DELAY) CHECK_INT(s_->delay_ns, delay); \
} while (0)
enum { IN = PT_SCHED_IN, OFF = PT_SCHED_OFF, DELAY = PT_SCHED_DELAY, RUN = PT_SCHED_RUN };

TEST(run_sleep_delay)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	ev = sw(1000, 0, 0, R, 5);
	CHECK(ev->first && !ev->gap);
	CHECK_INT(ev->last_ns, 0);
	CHECK_INT(ev->next->tid, 5);
	CHECK_STAY(ev->next->stay, IN, 0, 0, 0);
	ev = sw(1500, 0, 5, S, 0);
	CHECK(!ev->first && !ev->gap && !ev->preempted);
	CHECK_INT(ev->state, 'S');
	CHECK_INT(ev->last_ns, 1000);
	CHECK_STAY(ev->task->stay, IN | RUN, 500, 0, 0);
	CHECK_STAY(ev->next->stay, IN | OFF, 0, 500, 0);	/* idle, away from 1000 to 1500 */
	CHECK(pt_sched_current(b.s, 0) == ev->next);
	ev = wake(WAKING, 2000, 1, 5);				/* on another CPU than it comes in */
	CHECK_INT(ev->kind, PT_SCHED_WAKING);
	CHECK(ev->counts);
	CHECK_INT(ev->to_cpu, 3);
	CHECK_INT(ev->waker, 9999);
	ev = wake(WAKEUP, 2100, 0, 5);
	CHECK(!ev->counts);
	ev = sw(2300, 0, 0, R, 5);
	CHECK_STAY(ev->task->stay, IN | OFF | RUN, 800, 500, 0);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 800, 300);
	CHECK_INT(ev->next->stay.why, PT_SCHED_SLEPT);
	CHECK_INT(ev->next->stay.off_state, 'S');
	CHECK_INT(ev->next->stay.waker, 9999);
	CHECK_INT(ev->next->stay.woken_ns, 2000);
	CHECK_INT(ev->next->switches, 2);
	CHECK_INT(ev->next->prio, 97);
	CHECK_INT(pt_sched_counts(b.s).gaps, 0);
	CHECK_INT(pt_sched_counts(b.s).unwoken, 0);
	end();
}

TEST(preemption_counts_from_leaving)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	ev = sw(1500, 0, 5, PREEMPTED, 6);
	CHECK(ev->preempted);
	CHECK_INT(ev->state, 'R');
	wake(WAKING, 1600, 1, 5);		/* it was about to sleep: it waits already */
	CHECK(!b.ev.counts);
	ev = sw(1700, 0, 6, D, 5);
	CHECK_INT(ev->state, 'D');
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 200, 200);
	CHECK_INT(ev->next->stay.why, PT_SCHED_PREEMPTED);
	CHECK_INT(ev->next->stay.woken_ns, 1600);
	ev = sw(1800, 0, 5, R, 6);		/* yields; 6 comes in with no wake-up seen */
	CHECK(ev->preempted);
	CHECK_STAY(ev->next->stay, IN | OFF, 0, 100, 0);
	CHECK_INT(ev->next->stay.off_state, 'D');
	CHECK_INT(pt_sched_counts(b.s).unwoken, 1);
	end();
}

/* perf's and our recordings have no events of idle tasks of CPUs other than 0 on some kernels: the task that leaves is not the idle one that came in. */
TEST(gap_leaves_out_what_spans_it)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	sw(1000, 1, 0, R, 7);
	sw(1500, 0, 5, S, 0);
	wake(WAKING, 2000, 1, 5);
	ev = sw(3000, 0, 5, S, 6);		/* 0 -> 5 is missing */
	CHECK(ev->gap && !ev->first);
	CHECK_STAY(ev->task->stay, 0, 0, 0, 0);
	CHECK_INT(ev->last_ns, 1500);
	CHECK_INT(ev->task->switches, 2);	/* it did come in */
	CHECK_INT(pt_sched_counts(b.s).gaps, 1);
	CHECK_INT(pt_sched_counts(b.s).idle_gaps, 1);
	CHECK_INT(pt_sched_counts(b.s).spanning, 1);
	wake(WAKING, 3500, 1, 5);
	ev = sw(4000, 0, 6, S, 5);		/* all is known again */
	CHECK(!ev->gap);
	CHECK_STAY(ev->task->stay, IN | RUN, 1000, 0, 0);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 1000, 500);
	ev = sw(4100, 1, 7, S, 0);		/* the other CPU was never in doubt */
	CHECK_STAY(ev->task->stay, IN | RUN, 3100, 0, 0);
	end();
}

/* Idle tasks that leave are seen only by who watches CPUs, not tasks. */
/* A switch of which only the record of the task that came in arrived. */
TEST(switch_by_the_record_of_the_other_task)
{
	const struct pt_sched_event *ev = &b.ev;
	struct pt_buf note = PT_BUF_INIT;
	size_t i = 0;

	begin(NULL);
	b.tid = 5;
	sw(1000, 1, 5, S, 0);
	wake(WAKING, 2000, 0, 5);
	CHECK_INT(record_of_switch(2300, 1, 0, 5, PERF_RECORD_MISC_SWITCH_OUT), PT_SCHED_NOTHING);
	CHECK_INT(record_of_switch(2310, 0, 0, 5, 0), PT_SCHED_NOTHING);	/* nothing is known of that CPU */
	CHECK_INT(record_of_switch(2310, 1, 7, 5, 0), PT_SCHED_NOTHING);	/* 7 is not the current task */
	CHECK_INT(record_of_switch(900, 1, 0, 5, 0), PT_SCHED_NOTHING);	/* older than the last switch */
	CHECK_INT(record_of_switch(2310, 1, 0, 5, 0), PT_SCHED_SWITCH);
	CHECK(!ev->gap && !ev->first && !ev->vacated && ev->preempted);
	CHECK_INT(ev->cpu, 1);
	CHECK_INT(ev->time_ns, 2310);
	CHECK_INT(ev->last_ns, 1000);
	CHECK_INT(ev->state, 'R');
	CHECK_INT(ev->task->tid, 0);
	CHECK_STAY(ev->task->stay, IN | RUN, 1310, 0, 0);
	CHECK_INT(ev->next->pid, 1005);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 1310, 310);
	CHECK_INT(ev->next->stay.why, PT_SCHED_SLEPT);
	ev = sw(2900, 1, 5, S, 0);
	CHECK(!ev->gap);
	CHECK_STAY(ev->task->stay, IN | OFF | DELAY | RUN, 590, 1310, 310);
	/* Where the switch was delivered, the record changes nothing. */
	wake(WAKING, 3000, 0, 5);
	b.tid = 0;
	sw(3100, 1, 0, R, 5);
	CHECK_INT(record_of_switch(3102, 1, 0, 5, 0), PT_SCHED_NOTHING);
	b.tid = 5;
	CHECK_STAY(sw(3500, 1, 5, R, 6)->task->stay, IN | OFF | DELAY | RUN, 400, 200, 100);
	/* 6 left: nobody knows if it sleeps. Its next stay has neither a delay nor a time off the CPU. */
	CHECK_INT(record_of_switch(3900, 1, 6, 5, 0), PT_SCHED_SWITCH);
	CHECK_INT(b.ev.state, '?');
	CHECK(!b.ev.preempted);
	CHECK_STAY(b.ev.task->stay, IN | RUN, 400, 0, 0);
	CHECK_STAY(b.ev.next->stay, IN | OFF | DELAY, 0, 400, 400);
	CHECK_STAY(sw(4000, 1, 5, S, 6)->next->stay, IN, 0, 0, 0);
	/* The idle task comes in. */
	CHECK_INT(record_of_switch(4100, 1, 6, 0, 0), PT_SCHED_SWITCH);
	CHECK(b.ev.next == pt_sched_idle(b.s, 1));
	CHECK_INT(pt_sched_counts(b.s).by_records, 3);
	CHECK_INT(pt_sched_counts(b.s).from_idle, 2);
	CHECK_INT(pt_sched_counts(b.s).switches, 8);
	CHECK_INT(pt_sched_counts(b.s).gaps, 0);
	CHECK_INT(pt_sched_counts(b.s).spanning, 0);
	CHECK_INT(pt_sched_counts(b.s).unwoken, 0);
	CHECK(pt_sched_note(b.s, &i, &note));
	CHECK(!strncmp(pt_buf_str(&note), "3 switches that the kernel did not deliver are known by a record", 64));
	pt_buf_clear(&note);
	CHECK(!pt_sched_note(b.s, &i, &note));
	pt_buf_deinit(&note);
	/* After a loss it is not known who left. */
	lost(1, 1, NULL);
	CHECK_INT(record_of_switch(4200, 1, 0, 5, 0), PT_SCHED_NOTHING);
	end();
}

/* A recorder in a pid namespace of its own: its records have other tids than the events. */
TEST(records_of_another_namespace)
{
	begin(NULL);
	b.tid = 1;
	sw(1000, 1, 5, S, 0);
	CHECK_INT(record_of_switch(2310, 1, 0, 1, 0), PT_SCHED_NOTHING);
	CHECK_INT(pt_sched_counts(b.s).by_records, 0);
	end();
}

TEST(gaps_have_their_reason)
{
	for (int cpus = 0; cpus < 2; cpus++) {
		struct pt_buf said = PT_BUF_INIT;
		size_t i = 0;

		begin(NULL);
		if (cpus)
			sw(900, 1, 0, R, 50);
		for (uint32_t k = 0; k < 8; k++)
			sw(1000 + k, 0, 100 + k, S, 0);
		CHECK(pt_sched_note(b.s, &i, &said));
		CHECK_INT(strstr(pt_buf_str(&said), "record with -a") != NULL, !cpus);
		CHECK_INT(strstr(pt_buf_str(&said), "they were lost, or left out by a filter") != NULL, cpus);
		pt_buf_deinit(&said);
		end();
	}
}

/* A task that seemed to run is found elsewhere, or does not leave where it came in. */
TEST(gap_of_the_task_that_was_thought_to_run)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	sw(1000, 1, 0, R, 7);
	ev = sw(2000, 0, 6, S, 0);		/* 5 left unseen */
	CHECK(ev->gap);
	CHECK_INT(pt_sched_counts(b.s).idle_gaps, 0);
	ev = sw(2500, 1, 7, S, 5);
	CHECK_STAY(ev->next->stay, IN, 0, 0, 0);
	CHECK_INT(ev->next->stay.why, PT_SCHED_UNKNOWN);
	ev = sw(2600, 0, 5, S, 8);		/* on CPU 0 now: it left CPU 1 unseen, and idle left CPU 0 unseen */
	CHECK(ev->gap && ev->vacated);
	CHECK(!pt_sched_current(b.s, 1));
	ev = sw(2700, 1, 9, S, 0);
	CHECK(ev->gap);
	CHECK_INT(pt_sched_counts(b.s).gaps, 3);
	ev = sw(2800, 1, 0, R, 8);		/* 8 comes in on CPU 1 while it seemed to run on CPU 0 */
	CHECK(ev->vacated && !ev->gap);
	CHECK(!pt_sched_current(b.s, 0));
	CHECK_STAY(ev->next->stay, IN, 0, 0, 0);
	ev = sw(2900, 0, 8, S, 0);		/* and back: nothing but the time it leaves is known */
	CHECK(!ev->gap);			/* it is the one that came in last there */
	CHECK_STAY(ev->task->stay, 0, 0, 0, 0);
	end();
}

TEST(loss_makes_times_across_it_unknown)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	sw(1000, 1, 0, R, 7);
	sw(1500, 0, 5, S, 6);
	wake(WAKING, 1600, 1, 5);
	CHECK_INT(lost(0, 12, NULL), PT_SCHED_LOST);
	CHECK_INT(b.ev.cpu, 0);
	CHECK_INT(b.ev.nr_lost, 12);
	CHECK(!pt_sched_current(b.s, 0));
	ev = sw(2000, 0, 6, S, 5);
	CHECK(ev->first && !ev->gap);
	CHECK_STAY(ev->task->stay, 0, 0, 0, 0);
	CHECK_STAY(ev->next->stay, IN, 0, 0, 0);
	ev = sw(2100, 1, 7, S, 0);		/* nothing was lost there: 7 ran all the time */
	CHECK_STAY(ev->task->stay, IN | RUN, 1100, 0, 0);
	wake(WAKING, 2200, 0, 6);		/* woken after the loss */
	ev = sw(2300, 1, 0, R, 6);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 300, 100);
	CHECK_INT(lost(-1, 1, NULL), PT_SCHED_LOST);	/* nobody knows where */
	CHECK_INT(b.ev.cpu, PT_SCHED_NO_CPU);
	CHECK(!pt_sched_current(b.s, 0) && !pt_sched_current(b.s, 1));
	CHECK_INT(lost(0, 0, NULL), PT_SCHED_NOTHING);
	sw(3000, 0, 5, S, 0);
	CHECK_INT(lost(0, 5, &(struct pt_event){ .side_band = true }), PT_SCHED_NOTHING);	/* names, no switches */
	CHECK(pt_sched_current(b.s, 0));
	CHECK_INT(pt_sched_counts(b.s).spanning, 1);
	end();
}

/* The waker's sched_waking may come before the sched_switch by which the task leaves. */
TEST(woken_while_it_leaves)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	ev = wake(WAKING, 1400, 1, 5);
	CHECK(!ev->counts);
	sw(1500, 0, 5, S, 0);
	ev = wake(WAKEUP, 1600, 1, 5);		/* so it was meant: it has waited since it left */
	CHECK(ev->counts);
	ev = sw(1800, 0, 0, R, 5);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 300, 300);
	wake(WAKING, 1900, 1, 5);
	sw(2000, 0, 5, S, 0);
	ev = sw(5000, 0, 0, R, 5);		/* nothing confirms it: its own wake-up may be missing */
	CHECK_STAY(ev->next->stay, IN | OFF, 0, 3000, 0);
	wake(WAKING, 5100, 1, 5);		/* woken while it ran, and that is that: it goes to sleep later */
	wake(WAKEUP, 5101, 1, 5);
	sw(5500, 0, 5, S, 0);
	ev = wake(WAKEUP, 5900, 0, 5);		/* its waking is missing */
	CHECK(ev->counts);
	ev = sw(6000, 0, 0, R, 5);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 500, 100);
	wake(WAKING, 6100, 1, 5);		/* doubtful, then a real one */
	sw(6200, 0, 5, S, 0);
	wake(WAKING, 7000, 1, 5);
	wake(WAKEUP, 7001, 1, 5);
	ev = sw(7100, 0, 0, R, 5);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 900, 100);
	end();
}

TEST(wakeups_alone)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	wake(WAKEUP, 1400, 1, 5);
	sw(1500, 0, 5, S, 0);
	wake(WAKEUP, 2000, 1, 5);		/* no wakings here: this is the wake-up, not the other's confirmation */
	CHECK(b.ev.counts);
	ev = sw(2100, 0, 0, R, 5);
	CHECK_STAY(ev->next->stay, IN | OFF | DELAY, 0, 600, 100);
	end();
}

TEST(woken_twice_has_run_unseen)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	sw(1500, 0, 5, S, 0);
	wake(WAKING, 1600, 1, 5);
	wake(WAKING, 9000, 1, 5);
	CHECK(b.ev.counts);
	ev = sw(9100, 0, 0, R, 5);
	CHECK_STAY(ev->next->stay, IN | DELAY, 0, 0, 100);
	CHECK_INT(pt_sched_counts(b.s).spanning, 1);
	end();
}

TEST(births_ends_and_numbers_used_again)
{
	const struct pt_sched_event *ev;
	struct pt_sched_task *first, *second;
	size_t gone = 0;

	begin(NULL);
	pt_sched_on_drop(b.s, dropped, &gone);
	side(PERF_RECORD_COMM, 0, 40, 40, 0, "make", 0);
	CHECK_INT(b.ev.kind, PT_SCHED_NAME);
	CHECK_INT(side(PERF_RECORD_FORK, 900, 41, 41, 40, NULL, 0), PT_SCHED_FORK);
	first = b.ev.task;
	CHECK_STR(first->comm, "make");
	CHECK_INT(first->ppid, 40);
	ev = wake(BORN, 950, 0, 41);
	CHECK_INT(ev->kind, PT_SCHED_WAKEUP_NEW);
	CHECK(ev->task == first && ev->counts);
	ev = sw(1000, 0, 0, R, 41);
	CHECK_STAY(ev->next->stay, IN | DELAY, 0, 0, 50);
	CHECK_INT(ev->next->stay.why, PT_SCHED_BORN);
	CHECK_STR(ev->next->comm, "make");	/* COMM records' before the events' own */
	first->user = &gone;
	CHECK_INT(side(PERF_RECORD_EXIT, 1100, 41, 41, 40, NULL, 0), PT_SCHED_EXIT);
	CHECK_INT(side(PERF_RECORD_EXIT, 1100, 41, 41, 40, NULL, 0), PT_SCHED_NOTHING);
	ev = sw(1200, 0, 41, DEAD, 0);
	CHECK(ev->task == first && first->ended);
	CHECK_INT(ev->state, 'X');
	CHECK(pt_sched_find(b.s, 41) == first);	/* its name may still be asked for */
	wake(BORN, 2000, 0, 41);		/* no FORK was recorded */
	second = b.ev.task;
	CHECK(second != first && !second->user && pt_sched_find(b.s, 41) == second);
	ev = sw(2100, 0, 0, R, 41);
	CHECK_STAY(ev->next->stay, IN | DELAY, 0, 0, 100);
	CHECK_INT(side(PERF_RECORD_FORK, 3000, 41, 41, 40, NULL, 0), PT_SCHED_FORK);	/* its end was not seen */
	CHECK(b.ev.task != second && !pt_sched_current(b.s, 0));
	CHECK_INT(side(PERF_RECORD_FORK, 0, 77, 78, 77, NULL, 0), PT_SCHED_NOTHING);	/* of a thread that was there */
	CHECK_INT(pt_sched_find(b.s, 78)->pid, 77);
	CHECK_INT(gone, 0);
	pt_sched_on_drop(b.s, dropped, &gone);
	CHECK_INT(pt_sched_nr_tasks(b.s), 5);
	end();
	CHECK_INT(gone, 5 + 1);			/* and the idle task */
}

TEST(memory_is_bounded_by_tasks)
{
	struct pt_sched_opts keep = { .keep_ended = true };
	size_t nr = 0;

	for (int round = 0; round < 2; round++) {
		begin(round ? &keep : NULL);
		b.many = true;
		for (uint32_t i = 0; i < 20000; i++) {
			side(PERF_RECORD_FORK, 1000 + i * 10, 100 + i, 100 + i, 1, NULL, 0);
			sw(1001 + i * 10, 0, 0, R, 100 + i);
			if (i % 2)
				side(PERF_RECORD_EXIT, 1002 + i * 10, 100 + i, 100 + i, 1, NULL, 0);
			sw(1003 + i * 10, 0, 100 + i, DEAD, 0);
		}
		for (struct pt_sched_task *t = NULL; (t = pt_sched_each(b.s, t)); nr++)
			CHECK(t->ended);
		if (round)
			CHECK_INT(nr, 20000);
		else
			CHECK(nr < 5000);
		CHECK_INT(pt_sched_nr_tasks(b.s), nr);
		nr = 0;
		end();
	}
}

TEST(names_and_execs)
{
	const struct pt_sched_event *ev;
	struct pt_sched_task *t;

	begin(NULL);
	switch_named(SWITCHED, 1000, 0, 0, R, 5, "swapper/0", "sh");
	t = b.ev.next;
	CHECK_STR(t->comm, "sh");
	CHECK_STR(b.ev.task->comm, "swapper");
	switch_named(SWITCHED, 1100, 0, 5, S, 0, "ls", "swapper/0");
	CHECK_STR(t->comm, "ls");		/* no COMM record tells */
	b.pid = 4;
	b.tid = 5;
	switch_named(SWITCHED, 1150, 0, 0, R, 5, "swapper/0", "a-long-name-15c");
	switch_named(SWITCHED, 1160, 0, 5, S, 0, "a-long-name-15c", "swapper/0");
	CHECK_STR(t->comm, "a-long-name-15c");
	CHECK_INT(t->pid, 4);
	b.pid = b.tid = UINT32_MAX;
	side(PERF_RECORD_COMM, 1200, 4, 5, 0, "named-by-comm", 0);
	CHECK(!b.ev.exec);
	switch_named(SWITCHED, 1300, 0, 0, R, 5, "swapper/0", "other");
	CHECK_STR(t->comm, "named-by-comm");
	CHECK_INT(t->pid, 4);
	/* Thread 5 of process 4 runs another program: it becomes 4. */
	side(PERF_RECORD_COMM, 1400, 4, 4, 0, "leader", 0);
	side(PERF_RECORD_COMM, 1500, 4, 4, 0, "program", PERF_RECORD_MISC_COMM_EXEC);
	CHECK(b.ev.exec && b.ev.task == t);
	ev = sw(1600, 0, 4, S, 0);
	CHECK(!ev->gap && ev->task == t);
	CHECK_STAY(t->stay, IN | OFF | RUN, 300, 140, 0);
	end();
	begin(NULL);				/* the same by sched_process_exec */
	sw(1000, 0, 0, R, 5);
	CHECK_INT(sample(EXECED, 1100, (uint32_t[]){ 0, 0, 4, 5 }, 16), PT_SCHED_EXEC);
	CHECK_INT(b.ev.task->tid, 4);
	ev = sw(1200, 0, 4, S, 0);
	CHECK(!ev->gap);
	CHECK_STAY(ev->task->stay, IN | RUN, 200, 0, 0);
	CHECK(!pt_sched_find(b.s, 5));
	end();
}

TEST(fork_exit_migrate_runtime)
{
	uint8_t raw[48] = { 0 };

	begin(NULL);
	memcpy(raw + 8, &(uint32_t){ 16 | 6 << 16 }, 4);
	memcpy(raw + 12, &(uint32_t){ 50 }, 4);
	strcpy((char *)raw + 16, "child");
	CHECK_INT(sample(FORKED, 1000, raw, 22), PT_SCHED_FORK);
	CHECK_STR(b.ev.task->comm, "child");
	CHECK_INT(side(PERF_RECORD_FORK, 1001, 50, 50, 49, NULL, 0), PT_SCHED_NOTHING);	/* the same birth */
	memset(raw, 0, sizeof(raw));
	memcpy(raw + 8, &(uint32_t){ 40000 | 6 << 16 }, 4);	/* a name that lies nowhere */
	memcpy(raw + 12, &(uint32_t){ 51 }, 4);
	CHECK_INT(sample(FORKED, 1002, raw, 22), PT_SCHED_FORK);
	CHECK_STR(b.ev.task->comm, "");
	memset(raw, 0, sizeof(raw));
	memcpy(raw + 24, &(uint32_t){ 50 }, 4);
	memcpy(raw + 32, &(uint32_t){ 2 }, 4);
	memcpy(raw + 36, &(uint32_t){ 7 }, 4);
	CHECK_INT(sample(MIGRATED, 1100, raw, 40), PT_SCHED_MIGRATE);
	CHECK_INT(b.ev.from_cpu, 2);
	CHECK_INT(b.ev.to_cpu, 7);
	CHECK_INT(b.ev.task->tid, 50);
	CHECK_INT(sample(RAN, 1200, raw, 40), PT_SCHED_RUNTIME);
	CHECK_INT(b.ev.runtime_ns, 2 | 7ll << 32);
	CHECK_INT(sample(EXITED, 1300, raw, 28), PT_SCHED_EXIT);
	CHECK(b.ev.task->exiting && !b.ev.task->ended);
	CHECK_INT(sample(EXITED, 1300, raw, 27), PT_SCHED_NOTHING);	/* cut short */
	CHECK_INT(pt_sched_counts(b.s).bad, 1);
	end();
	begin(&(struct pt_sched_opts){ .without = 1u << PT_SCHED_RUNTIME });
	CHECK_INT(sample(RAN, 1200, raw, 40), PT_SCHED_NOTHING);
	CHECK_INT(sample(RAN, 1200, raw, 4), PT_SCHED_NOTHING);
	CHECK_INT(pt_sched_counts(b.s).bad, 0);
	end();
}

TEST(states_of_kernels)
{
	static const struct { int event; uint64_t state; char letter; bool preempted; } t[] = {
		{ SWITCHED, 0, 'R', true }, { SWITCHED, 0x100, 'R', true }, { SWITCHED, 1, 'S', false }, { SWITCHED, 2, 'D', false }, { SWITCHED, 4, 'T', false },
		{ SWITCHED, 8, 't', false }, { SWITCHED, 0x40, 'P', false }, { SWITCHED, 0x80, 'I', false }, { SWITCHED, 0x82, 'D', false },
		{ OLD, 1, 'S', false }, { OLD, 16, 'Z', false }, { OLD, 32, 'X', false }, { OLD, 64, 'x', false }, { OLD, 130, 'D', false },
		{ OLD, 1024, 'R', true }, { OLD, 1025, 'S', true }, { OLD, 256, 'W', false },
	};

	for (size_t i = 0; i < PT_NR(t); i++) {
		begin(NULL);
		switch_named(t[i].event, 1000, 0, 5, t[i].state, 0, "a", "b");
		CHECK_INT(b.ev.state, t[i].letter);
		CHECK_INT(b.ev.preempted, t[i].preempted);
		CHECK_INT(b.ev.task->ended, t[i].letter == 'X' || t[i].letter == 'Z' || t[i].letter == 'x');
		end();
	}
}

TEST(fields_of_other_sizes_and_byte_order)
{
	uint8_t raw[40] = { 0 };

	begin(NULL);
	memcpy(raw + 8, &(uint64_t){ 70000 }, 8);
	memcpy(raw + 16, &(uint16_t){ 50000 }, 2);
	memcpy(raw + 20, &(uint32_t){ 2 }, 4);
	memcpy(raw + 24, &(uint32_t){ 28 | 5 << 16 }, 4);
	strcpy((char *)raw + 28, "dynm");
	CHECK_INT(sample(ODDLY, 1000, raw, 33), PT_SCHED_SWITCH);
	CHECK_INT(b.ev.task->tid, 70000);
	CHECK_INT(b.ev.next->tid, 50000);
	CHECK_STR(b.ev.next->comm, "dynm");
	CHECK_INT(b.ev.state, 'D');		/* no print format: the usual letters */
	end();
	begin(NULL);
	b.swap = true;
	switch_named(SWITCHED, 1000, 0, 0, R, 5, "swapper", "sh");
	switch_named(SWITCHED, 1100, 0, 5, S, 0x12345, "sh", "ls");
	CHECK_INT(b.ev.state, 'S');
	CHECK_INT(b.ev.next->tid, 0x12345);
	CHECK_INT(b.ev.next->prio, 97);
	CHECK_INT(wake(WAKING, 1200, 0, 5)->to_cpu, 3);
	CHECK_INT(b.ev.task->tid, 5);
	end();
}

TEST(what_cannot_be_used)
{
	struct pt_event bare = { .index = NR, .name = "sched:sched_switch" }, other = { .index = NR + 1, .name = "cycles" };
	struct pt_record rec = { .type = PERF_RECORD_SAMPLE, .event = &bare };
	uint8_t raw[64] = { 0 };
	struct pt_buf note = PT_BUF_INIT;
	size_t i = 0;

	begin(NULL);
	CHECK_INT(pt_sched_feed(b.s, &rec, &b.ev, &b.err), -1);
	CHECK_HAS(b.err.msg, "does not have its format");
	rec.event = &other;
	CHECK_INT(pt_sched_feed(b.s, &rec, &b.ev, &b.err), PT_SCHED_NOTHING);
	rec.event = NULL;
	CHECK_INT(pt_sched_feed(b.s, &rec, &b.ev, &b.err), PT_SCHED_NOTHING);
	CHECK_INT(sample(SWITCHED, 1000, raw, 60), PT_SCHED_NOTHING);	/* cut short */
	b.cpu = 100000;
	CHECK_INT(sample(SWITCHED, 1000, raw, 64), PT_SCHED_NOTHING);
	b.cpu = 0;
	b.has &= ~(uint64_t)PERF_SAMPLE_CPU;
	CHECK_INT(sample(SWITCHED, 1000, raw, 64), PT_SCHED_NOTHING);
	CHECK_INT(pt_sched_counts(b.s).bad, 3);
	CHECK(pt_sched_note(b.s, &i, &note));
	CHECK_HAS(pt_buf_str(&note), "3 samples that could not be used");
	pt_buf_deinit(&note);
	end();
}

TEST(times_without_order)
{
	const struct pt_sched_event *ev;

	begin(NULL);
	sw(1000, 0, 0, R, 5);
	sw(2000, 0, 5, S, 0);
	wake(WAKING, 2500, 1, 5);
	ev = sw(1900, 0, 0, R, 5);		/* before the one that came last: no time goes backwards */
	CHECK_STAY(ev->task->stay, 0, 0, 0, 0);
	CHECK_STAY(ev->next->stay, IN, 0, 0, 0);
	ev = sw(1950, 0, 5, S, 0);
	CHECK_STAY(ev->task->stay, IN | RUN, 50, 0, 0);
	CHECK_INT(pt_sched_counts(b.s).late, 1);
	end();
}

/* Lines of the map. */
static struct pt_buf out = PT_BUF_INIT;
static struct pt_schedmap *map;

static const char *line(uint64_t time_ns, uint32_t cpu, uint32_t prev, uint64_t state, uint32_t next)
{
	pt_buf_clear(&out);
	sw(time_ns, cpu, prev, state, next);
	pt_schedmap_see(map, &b.ev, true, &out);
	return pt_buf_str(&out);
}

static void wake_seen(int event, uint64_t time_ns, uint32_t tid)
{
	wake(event, time_ns, 0, tid);
	pt_schedmap_see(map, &b.ev, true, &out);
}

static void end_map(void)
{
	pt_schedmap_free(map);
	pt_buf_deinit(&out);
	end();
}

TEST(map_lines)
{
	begin(NULL);
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .nr_cpus = 3 }, b.s);
	CHECK_STR(line(1234567891, 1, 0, R, 5), "      *A0           1.234567 secs A0 => next:5\n");
	CHECK_STR(line(12345678901234567, 0, 0, R, 6), "  *B0  A0       12345678.901234 secs B0 => next:6\n");
	CHECK_STR(line(12345678901234999, 1, 5, S, 0), "   B0 *.        12345678.901234 secs .  => swapper:0\n");
	wake_seen(WAKING, 12345678901235000, 5);
	CHECK_STR(line(12345678903269999, 1, 0, R, 5), "   B0 *A0       12345678.903269 secs      2.034 ms\n");
	wake_seen(WAKING, 12345678904000000, 5);
	line(12345678904000001, 1, 5, S, 0);
	wake_seen(WAKEUP, 12345678904000002, 5);
	CHECK_STR(line(12345680904000001, 1, 0, R, 5), "   B0 *A0       12345680.904000 secs   2000.000 ms\n");
	side(PERF_RECORD_COMM, 12345680904000002, 5, 5, 0, "new\033name", 0);
	pt_schedmap_see(map, &b.ev, true, &out);
	line(12345680904000003, 1, 5, PREEMPTED, 7);
	CHECK_STR(line(12345680904999999, 1, 7, S, 5), "   B0 *A0       12345680.904999 secs A0 => new\\x1bname:5     0.999 ms\n");
	lost(0, 3, NULL);
	pt_schedmap_see(map, &b.ev, true, &out);
	CHECK_STR(line(12345680905000000, 1, 5, S, 7), "   ?  *C0       12345680.905000 secs \n");
	CHECK_STR(line(12345680905000001, 5, 0, R, 7), "   ?   ?              *C0   12345680.905000 secs \n");
	end_map();
}

TEST(map_columns)
{
	static const int two[] = { 1, 2 }, group[] = { 0, 0, 1, 1 };

	begin(NULL);
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .compact = true }, b.s);
	CHECK_STR(line(1000000, 7, 0, R, 5), "  *A0       0.001000 secs A0 => next:5 (CPU 7)\n");
	CHECK_STR(line(2000000, 2, 0, R, 6), "   A0 *B0       0.002000 secs B0 => next:6 (CPU 2)\n");
	CHECK_STR(line(3000000, 7, 5, S, 0), "  *.   B0       0.003000 secs .  => swapper:0\n");
	end_map();
	begin(NULL);
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .nr_cpus = 4, .cpus = two, .nr_chosen = 2 }, b.s);
	CHECK_STR(line(1000000, 0, 0, R, 5), "");
	CHECK_STR(line(2000000, 1, 0, R, 6), "  *B0           0.002000 secs B0 => next:6\n");
	CHECK_STR(line(3000000, 2, 0, R, 7), "   B0 *C0       0.003000 secs C0 => next:7\n");
	end_map();
	begin(NULL);
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .changes = true }, b.s);
	CHECK_STR(line(1000000, 12, 0, R, 5), "  *A0  [012]      0.001000 secs A0 => next:5\n");
	CHECK_STR(line(2000000, 12, 5, S, 0), "  *.   [012]      0.002000 secs .  => swapper:0\n");
	end_map();
	begin(NULL);
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .nr_cpus = 4, .group = group, .nr_grouped = 4, .nr_groups = 2 }, b.s);
	CHECK_STR(line(1000000, 0, 0, R, 5), "  * 1           0.001000 secs A0 => next:5 (CPU 0)\n");
	CHECK_STR(line(2000000, 3, 0, R, 6), "    1 * 1       0.002000 secs B0 => next:6 (CPU 3)\n");
	CHECK_STR(line(3000000, 1, 0, R, 7), "  * 2   1       0.003000 secs C0 => next:7 (CPU 1)\n");
	CHECK_STR(line(4000000, 0, 5, S, 7), "  * 1   1       0.004000 secs C0 (CPU 0)\n");	/* 7 is not on CPU 1, then */
	CHECK_STR(line(5000000, 3, 6, S, 0), "    1 * .       0.005000 secs .  => swapper:0 (CPU 3)\n");
	CHECK_STR(line(6000000, 9, 0, R, 6), "");	/* of a group that is not known */
	end_map();
}

TEST(map_colours)
{
	static const char *const tasks[] = { "other", "ne*", "6" };
	static const int cpus[] = { 1 };

	begin(NULL);
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .nr_cpus = 2, .colours = true, .tasks = tasks, .nr_tasks = 3, .colour_cpus = cpus, .nr_colour_cpus = 1 }, b.s);
	side(PERF_RECORD_COMM, 0, 6, 6, 0, "six", 0);
	side(PERF_RECORD_COMM, 0, 7, 7, 0, "seven", 0);
	CHECK_STR(line(1000000, 0, 0, R, 5), "  *\033[1;32mA0\033[0m           0.001000 secs \033[1;32mA0 => next:5\033[0m\n");
	CHECK_STR(line(2000000, 1, 0, R, 6), "   \033[1;32mA0\033[0m \033[41m*\033[0m\033[1;35mB0\033[0m       0.002000 secs \033[1;35mB0 => six:6\033[0m\n");
	CHECK_STR(line(3000000, 0, 5, S, 7), "  *C0  \033[1;35mB0\033[0m       0.003000 secs C0 => seven:7\n");
	end_map();
}

TEST(map_marks)
{
	char mark[2];
	uint32_t tid;

	begin(NULL);
	b.many = true;
	map = pt_schedmap_new(&(struct pt_schedmap_opts){ .nr_cpus = 1 }, b.s);
	sw(1, 0, 0, R, 1);
	pt_schedmap_see(map, &b.ev, true, &out);
	for (tid = 1; tid < 3224; tid++) {
		sw(tid + 1, 0, tid, S, tid + 1);
		pt_schedmap_see(map, &b.ev, false, &out);
	}
#define MARK_OF(tid_, text) do { pt_schedmap_mark(pt_sched_find(b.s, tid_), mark); CHECK(!memcmp(mark, text, 2)); } while (0)
	MARK_OF(1, "A0");
	MARK_OF(26, "Z0");
	MARK_OF(27, "A1");
	MARK_OF(260, "Z9");			/* as far as perf goes */
	MARK_OF(261, "a0");
	MARK_OF(520, "z9");
	MARK_OF(521, "AA");
	MARK_OF(3224, "zz");
	sw(10000, 0, 3224, S, 27);
	sw(10001, 0, 27, DEAD, 4000);		/* all are in use but that of 27, who ended */
	pt_schedmap_see(map, &b.ev, false, &out);
	MARK_OF(4000, "A1");
	sw(10002, 0, 4000, S, 4001);		/* none is left: the next one's, though it lives */
	pt_schedmap_see(map, &b.ev, false, &out);
	MARK_OF(4001, "B1");
	pt_schedmap_mark(NULL, mark);
	CHECK(!memcmp(mark, "? ", 2));
	end_map();
}

TEST(places)
{
	const struct pt_schedplace_row *const *rows;
	struct pt_schedplace *p;
	size_t nr;

#define STEP(...) do { sw(__VA_ARGS__); pt_schedplace_see(p, &b.ev, true); } while (0)
	begin(&(struct pt_sched_opts){ .keep_ended = true });
	p = pt_schedplace_new(b.s);
	STEP(1000, 0, 0, R, 5);
	STEP(1100, 0, 5, S, 0);			/* 5 on CPU 0 for 100 */
	STEP(1200, 1, 0, R, 5);
	STEP(1500, 1, 5, S, 0);			/* on CPU 1 for 300 */
	STEP(1600, 1, 0, R, 5);
	STEP(1700, 1, 5, S, 6);			/* again for 100 */
	sw(1750, 1, 6, S, 0);			/* outside of what was chosen */
	pt_schedplace_see(p, &b.ev, false);
	STEP(1800, 2, 0, R, 8);
	side(PERF_RECORD_COMM, 1810, 8, 8, 0, "bench", PERF_RECORD_MISC_COMM_EXEC);
	pt_schedplace_see(p, &b.ev, true);
	CHECK_INT(sample(EXECED, 1810, (uint32_t[]){ 0, 0, 8, 8 }, 16), PT_SCHED_EXEC);
	pt_schedplace_see(p, &b.ev, true);
	side(PERF_RECORD_COMM, 1900, 8, 8, 0, "named itself", 0);
	pt_schedplace_see(p, &b.ev, true);
	STEP(3810, 2, 8, S, 0);
	STEP(3900, 1, 8, S, 0);			/* came in there unseen */
	rows = pt_schedplace_rows(p, &nr);
	CHECK_INT(nr, 4);
	CHECK_STR(rows[0]->comm, "named itself");
	CHECK_INT(rows[0]->run_ns, 2000);
	CHECK_INT(rows[0]->runs, 2);
	CHECK_INT(rows[0]->moves, 1);
	CHECK_INT(rows[1]->task->tid, 5);
	CHECK_INT(rows[1]->runs, 3);
	CHECK_INT(rows[1]->moves, 1);
	CHECK_INT(rows[1]->run_ns, 500);
	CHECK_INT(rows[1]->nr, 2);
	CHECK_INT(rows[1]->places[0].cpu, 1);
	CHECK_INT(rows[1]->places[0].runs, 2);
	CHECK_INT(rows[1]->places[0].run_ns, 400);
	CHECK_INT(rows[1]->places[1].run_ns, 100);
	CHECK_STR(rows[2]->comm, "next");	/* 8 before its exec */
	CHECK_INT(rows[2]->run_ns, 10);
	CHECK_INT(rows[3]->task->tid, 6);
	pt_schedplace_free(p);
	end();
}

/* A wait: its length, 0 for none. */
static uint64_t back_from_wait(struct pt_offcpu *o, const struct pt_record *rec)
{
	struct pt_wait w = { .ns = 0 };
	bool back = pt_offcpu_back(o, rec, &w);

	if (pt_offcpu_leaves(rec))
		pt_offcpu_leave(o, rec, "task", NULL, 0);
	return back ? w.ns : 0;
}

static uint64_t offcpu_switch(struct pt_offcpu *o, uint64_t time_ns, uint32_t prev, uint64_t state, uint32_t next)
{
	uint8_t raw[64] = { 0 };
	struct pt_record rec = { .type = PERF_RECORD_SAMPLE, .has = b.has, .event = &b.events[SWITCHED], .time_ns = time_ns, .tid = prev };

	memcpy(raw + 24, &prev, 4);
	memcpy(raw + 32, &state, 8);
	memcpy(raw + 56, &next, 4);
	rec.sample.raw = raw;
	rec.sample.raw_len = sizeof(raw);
	return back_from_wait(o, &rec);
}

TEST(waits_do_not_span_losses)
{
	struct pt_record lost = { .type = PERF_RECORD_LOST, .has = PERF_SAMPLE_TIME, .time_ns = 500 };
	struct pt_offcpu *o = pt_offcpu_new();
	struct pt_event side = { .side_band = true };

	begin(NULL);
	CHECK_INT(offcpu_switch(o, 100, 7, S, 0), 0);
	CHECK_INT(offcpu_switch(o, 300, 0, R, 7), 200);
	CHECK_INT(offcpu_switch(o, 400, 7, S, 0), 0);
	lost.u.lost.lost = 3;
	back_from_wait(o, &lost);
	CHECK_INT(offcpu_switch(o, 90000, 0, R, 7), 0);
	CHECK_INT(pt_offcpu_counts(o).gaps, 1);
	/* What begins behind the loss is known again; lost names and maps are no lost switches; nor is the total at a recording's end. */
	CHECK_INT(offcpu_switch(o, 90100, 7, S, 0), 0);
	lost.event = &side;
	back_from_wait(o, &lost);
	lost = (struct pt_record){ .type = PERF_RECORD_LOST_SAMPLES };
	lost.u.lost.lost = 3;
	back_from_wait(o, &lost);
	CHECK_INT(offcpu_switch(o, 90150, 0, R, 7), 50);
	CHECK_INT(pt_offcpu_counts(o).gaps, 1);
	CHECK_INT(pt_offcpu_counts(o).waits, 2);
	CHECK_INT(pt_offcpu_counts(o).open, 0);
	CHECK(pt_offcpu_seen(o, 7) && !pt_offcpu_seen(o, 8));
	pt_offcpu_free(o);
	end();
}

TEST(waits_that_go_on)
{
	struct pt_record lost = { .type = PERF_RECORD_LOST, .has = PERF_SAMPLE_TIME, .time_ns = 800 };
	struct pt_offcpu *o = pt_offcpu_new();
	struct pt_wait w;
	size_t i = 0;

	begin(NULL);
	offcpu_switch(o, 100, 7, S, 0);
	offcpu_switch(o, 200, 8, S, 0);
	CHECK_INT(offcpu_switch(o, 300, 0, R, 8), 100);
	offcpu_switch(o, 400, 8, 8, 0);		/* halted by a tracer */
	offcpu_switch(o, 500, 9, R, 0);		/* preempted */
	CHECK(pt_offcpu_open(o, &i, 1000, &w));
	CHECK_INT(w.ns, 900);
	CHECK_STR(w.comm, "task");
	CHECK(!pt_offcpu_open(o, &i, 1000, &w));
	CHECK_INT(pt_offcpu_counts(o).open, 1);
	/* A loss may have ended it. */
	lost.u.lost.lost = 1;
	back_from_wait(o, &lost);
	CHECK(!pt_offcpu_open(o, (i = 0, &i), 1000, &w));
	CHECK_INT(pt_offcpu_counts(o).open, 0);
	CHECK_INT(pt_offcpu_counts(o).gaps, 1);
	pt_offcpu_free(o);
	end();
}

/* In a pid namespace, records have other tids than the event's fields: what ends a wait is not known. */
TEST(waits_of_another_namespace)
{
	uint8_t raw[64] = { [24] = 7, [32] = S };
	struct pt_record rec = { .type = PERF_RECORD_SAMPLE, .tid = 1, .time_ns = 100 };
	struct pt_offcpu *o = pt_offcpu_new();
	struct pt_wait w;
	size_t i = 0;

	begin(NULL);
	rec.has = b.has;
	rec.event = &b.events[SWITCHED];
	rec.sample.raw = raw;
	rec.sample.raw_len = sizeof(raw);
	back_from_wait(o, &rec);
	CHECK_INT(pt_offcpu_counts(o).open, 1);
	CHECK(!pt_offcpu_open(o, &i, 1000, &w));
	CHECK_INT(pt_offcpu_counts(o).gaps, 1);
	CHECK(pt_offcpu_seen(o, 8));
	pt_offcpu_free(o);
	end();
}
