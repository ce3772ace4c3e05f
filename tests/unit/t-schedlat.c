/* Figures of waits, and lines of switches, from events made by hand. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched/schedlat.h"
#include "sched/timehist.h"

enum { MS = 1000000 };

static struct pt_sched *sched;
static struct pt_schedlat *lat;
static struct pt_record rec;

/* A task that the timeline knows; its number of a former one makes another task of it. */
static struct pt_sched_task *task(uint32_t tid, uint32_t pid, const char *comm, bool again)
{
	struct pt_record r = { .type = PERF_RECORD_EXIT, .has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID, .time_ns = 1, .tid = 1 };
	struct pt_sched_event ev;

	if (again) {
		r.u.task.tid = tid;
		r.u.task.pid = pid;
		r.u.task.ptid = r.u.task.ppid = 1;
		pt_sched_feed(sched, &r, &ev, NULL);
		r.type = PERF_RECORD_FORK;
		pt_sched_feed(sched, &r, &ev, NULL);
	}
	r = (struct pt_record){ .type = PERF_RECORD_COMM };
	r.u.comm.tid = tid;
	r.u.comm.pid = pid;
	r.u.comm.comm = comm;
	pt_sched_feed(sched, &r, &ev, NULL);
	return pt_sched_find(sched, tid);
}

static struct pt_sched_task idle = { .tid = 0, .comm = "swapper" };

/* `t` comes in, after a delay (UINT64_MAX: not known) and a sleep before it. */
static void in(struct pt_sched_task *t, uint64_t time_ns, int cpu, uint64_t delay_ns, uint64_t slept_ns, char state)
{
	struct pt_sched_event ev = { .kind = PT_SCHED_SWITCH, .cpu = cpu, .time_ns = time_ns, .task = &idle, .next = t };

	t->stay = (struct pt_sched_stay){ .in_ns = time_ns, .known = PT_SCHED_IN | PT_SCHED_OFF, .off_ns = slept_ns, .why = state == 'R' ? PT_SCHED_PREEMPTED : PT_SCHED_SLEPT, .off_state = state };
	if (delay_ns != UINT64_MAX) {
		t->stay.known |= PT_SCHED_DELAY;
		t->stay.delay_ns = delay_ns;
		t->stay.ready_ns = time_ns - delay_ns;
		t->stay.off_ns += delay_ns;
	}
	pt_schedlat_feed(lat, &ev, &rec);
}

static void out(struct pt_sched_task *t, uint64_t time_ns, int cpu, uint64_t ran_ns)
{
	struct pt_sched_event ev = { .kind = PT_SCHED_SWITCH, .cpu = cpu, .time_ns = time_ns, .task = t, .next = &idle };

	t->stay.run_ns = ran_ns;
	t->stay.known |= PT_SCHED_RUN;
	pt_schedlat_feed(lat, &ev, &rec);
}

static const struct pt_choose all = { .to_ns = UINT64_MAX };

static void begin(const struct pt_schedlat_opts *o)
{
	struct pt_schedlat_opts with_choice = *o;

	if (!o->choose)
		with_choice.choose = &all;
	sched = pt_sched_new(NULL);
	lat = pt_schedlat_new(&with_choice, sched);
	rec = (struct pt_record){ .type = PERF_RECORD_SAMPLE };
}

static void end(void)
{
	pt_schedlat_free(lat);
	pt_sched_free(sched);
}

TEST(figures)
{
	struct pt_schedlat_row total;
	const struct pt_schedlat_row *const *rows;
	struct pt_sched_task *a, *b;
	size_t nr;

	begin(&(struct pt_schedlat_opts){ .by = PT_SCHEDLAT_COMM });
	a = task(10, 10, "same", false);
	b = task(11, 10, "same", false);
	in(a, 100 * MS, 0, 1 * MS, 5 * MS, 'S');
	out(a, 103 * MS, 0, 3 * MS);
	in(a, 110 * MS, 0, 3 * MS, 4 * MS, 'D');
	in(a, 120 * MS, 0, UINT64_MAX, 9 * MS, 'S');	/* nobody saw it woken: how much of that it slept is not known */
	in(b, 130 * MS, 1, 2 * MS, 0, 'R');
	out(b, 131 * MS, 1, 1 * MS);
	rows = pt_schedlat_rows(lat, &nr, &total);
	CHECK_INT(nr, 1);
	CHECK_STR(rows[0]->name, "same");
	CHECK_INT(rows[0]->nr_tasks, 2);
	CHECK_INT(rows[0]->f.run_ns, 4 * MS);
	CHECK_INT(rows[0]->f.wait_ns, 6 * MS);
	CHECK_INT(rows[0]->f.sleep_ns, 5 * MS);
	CHECK_INT(rows[0]->f.block_ns, 4 * MS);
	CHECK_INT(rows[0]->f.switches, 4);
	CHECK_INT(rows[0]->f.delays, 3);
	CHECK_INT(rows[0]->f.max_ns, 3 * MS);
	CHECK_INT(rows[0]->f.max_start_ns, 107 * MS);
	CHECK_INT(rows[0]->f.max_end_ns, 110 * MS);
	CHECK_INT(rows[0]->f.p50_ns, 2 * MS);
	CHECK_INT(rows[0]->f.p99_ns, 3 * MS);
	CHECK_INT(total.f.delays, 3);
	end();
}

/* Few delays are kept as they are, many in a histogram, and rows of both merge. */
TEST(few_and_many)
{
	for (unsigned each = 1; each <= 40; each++) {
		struct pt_schedlat_row total;
		const struct pt_schedlat_row *const *rows;
		uint64_t sum = 0, n = 0;
		size_t nr;

		begin(&(struct pt_schedlat_opts){ .by = PT_SCHEDLAT_COMM });
		for (uint32_t tid = 1; tid <= 3; tid++) {
			struct pt_sched_task *t = task(tid, tid, "t", false);

			for (unsigned i = 0; i < each * (tid == 2 ? 1 : 2); i++) {
				in(t, 1000ull * MS + n * MS, 0, (n + 1) * 1000, 0, 'S');
				sum += ++n * 1000;
			}
		}
		rows = pt_schedlat_rows(lat, &nr, &total);
		CHECK_INT(nr, 1);
		CHECK_INT(rows[0]->f.delays, n);
		CHECK_INT(rows[0]->f.wait_ns, sum);
		CHECK_INT(rows[0]->f.max_ns, n * 1000);
		CHECK_INT(rows[0]->f.max_end_ns, 1000ull * MS + (n - 1) * MS);
		double p50 = (double)((n + 1) / 2 * 1000);
		if ((double)rows[0]->f.p50_ns < p50 * 0.995 || (double)rows[0]->f.p50_ns > p50 * 1.005)
			FAIL("the median of %llu is %llu", (unsigned long long)n, (unsigned long long)rows[0]->f.p50_ns);
		end();
	}
}

static int eleven[] = { 11 }, one[] = { 1 };
static const struct pt_choose only_b = { .tids = eleven, .nr_tids = 1, .to_ns = UINT64_MAX },
	only_cpu_1 = { .cpus = one, .nr_cpus = 1, .to_ns = UINT64_MAX },
	window = { .time_text = "102 to 118 ms", .from_ns = 102 * MS, .to_ns = 118 * MS };

TEST(choices)
{
	static const struct { struct pt_schedlat_opts o; uint64_t switches, delays, run; size_t nr; } cases[] = {
		{ { .by = PT_SCHEDLAT_TID }, 4, 4, 11 * MS, 2 },
		{ { .by = PT_SCHEDLAT_PID }, 4, 4, 11 * MS, 1 },
		{ { .by = PT_SCHEDLAT_CPU }, 4, 4, 11 * MS, 2 },
		{ { .by = PT_SCHEDLAT_TID, .woken_only = true }, 4, 3, 11 * MS, 2 },
		{ { .by = PT_SCHEDLAT_TID, .choose = &only_b }, 2, 2, 3 * MS, 1 },
		{ { .by = PT_SCHEDLAT_CPU, .choose = &only_b }, 2, 2, 3 * MS, 2 },
		{ { .by = PT_SCHEDLAT_TID, .choose = &only_cpu_1 }, 2, 2, 6 * MS, 2 },
		{ { .by = PT_SCHEDLAT_TID, .choose = &window }, 2, 2, 9 * MS, 2 },
	};

	for (size_t i = 0; i < PT_NR(cases); i++) {
		struct pt_schedlat_row total;
		struct pt_sched_task *a, *b;
		size_t nr;

		begin(&cases[i].o);
		a = task(10, 10, "a", false);
		b = task(11, 10, "b", false);
		in(a, 100 * MS, 0, 1, 0, 'S');
		in(b, 101 * MS, 1, 2, 0, 'S');
		out(b, 103 * MS, 1, 2 * MS);
		out(a, 104 * MS, 0, 4 * MS);
		in(a, 115 * MS, 1, 3, 0, 'R');
		in(b, 118 * MS, 0, 4, 0, 'S');
		out(a, 119 * MS, 1, 4 * MS);
		out(b, 119 * MS, 0, 1 * MS);
		pt_schedlat_rows(lat, &nr, &total);
		if (nr != cases[i].nr || total.f.switches != cases[i].switches || total.f.delays != cases[i].delays ||
		    total.f.run_ns != cases[i].run - (cases[i].o.choose == &window ? 3 * MS : 0))
			FAIL("case %zu: %zu rows, %llu switches, %llu delays, ran %llu", i, nr, (unsigned long long)total.f.switches, (unsigned long long)total.f.delays,
			     (unsigned long long)total.f.run_ns);
		end();
	}
}

/* A number that is given again is another task; what it had is kept when the timeline forgets it. */
TEST(numbers_again)
{
	enum { TIMES = 9000 };		/* beyond what the timeline keeps of tasks that ended */
	struct pt_schedlat_row total;
	const struct pt_schedlat_row *const *rows;
	size_t nr;

	begin(&(struct pt_schedlat_opts){ .by = PT_SCHEDLAT_TID });
	for (int i = 0; i < TIMES; i++)
		in(task(10, 10, "again", i > 0), (100 + (uint64_t)i) * MS, 0, 7, 0, 'S');
	rows = pt_schedlat_rows(lat, &nr, &total);
	CHECK_INT(nr, TIMES);
	CHECK_INT(total.f.delays, TIMES);
	CHECK_INT(rows[0]->f.delays, 1);
	end();

	begin(&(struct pt_schedlat_opts){ .by = PT_SCHEDLAT_COMM });
	for (int i = 0; i < TIMES; i++)
		in(task(10, 10, "again", i > 0), (100 + (uint64_t)i) * MS, 0, 7, 0, 'S');
	rows = pt_schedlat_rows(lat, &nr, &total);
	CHECK_INT(nr, 1);
	CHECK_INT(rows[0]->nr_tasks, TIMES);
	CHECK_INT(rows[0]->f.delays, TIMES);
	end();
}

TEST(sorting)
{
	struct pt_schedlat_row total;
	const struct pt_schedlat_row *const *rows;
	struct pt_err e;
	size_t nr;

	begin(&(struct pt_schedlat_opts){ .by = PT_SCHEDLAT_TID });
	in(task(3, 3, "c", false), 100 * MS, 0, 5, 0, 'S');
	in(task(1, 1, "b", false), 101 * MS, 0, 9, 0, 'S');
	in(task(2, 2, "a", false), 102 * MS, 0, UINT64_MAX, 0, 'S');
	CHECK_INT(pt_schedlat_sort(NULL, "max,,avg", &e), -1);
	CHECK_INT(pt_schedlat_sort(NULL, "maxi", &e), -1);
	CHECK_INT(pt_schedlat_sort(lat, "max", &e), 0);
	rows = pt_schedlat_rows(lat, &nr, &total);
	CHECK(nr == 3 && rows[0]->id == 1 && rows[1]->id == 3 && rows[2]->id == 2);
	CHECK_INT(pt_schedlat_sort(lat, "switch,name", &e), 0);
	rows = pt_schedlat_rows(lat, &nr, &total);
	CHECK(rows[0]->id == 2 && rows[1]->id == 1 && rows[2]->id == 3);
	end();
}

/* Who had the CPU: through a ring that went round, a move, and a switch that is missing. */
TEST(worst)
{
	const struct pt_schedlat_worst *w;
	struct pt_sched_task *t[4];
	struct pt_sched_event ev = { .kind = PT_SCHED_SWITCH };
	size_t nr;

	begin(&(struct pt_schedlat_opts){ .by = PT_SCHEDLAT_TID, .nr_worst = 2 });
	for (uint32_t i = 0; i < 4; i++)
		t[i] = task(i + 1, i + 1, "t", false);
	for (int i = 0; i < 100000; i++)	/* 1 and 2 by turns, 30 us and 10 us */
		in(t[i & 1], 100ull * MS + (uint64_t)(i / 2) * 40000 + (i & 1 ? 30000 : 0), 0, 0, 0, 'S');
	in(t[2], 100ull * MS + 50000ull * 40000, 0, 4000000, 0, 'S');
	w = pt_schedlat_worst(lat, &nr);
	CHECK_INT(nr, 1);
	CHECK(w[0].tid == 3 && w[0].delay_ns == 4000000 && w[0].nr_holders == 2);
	CHECK(w[0].holders[0].tid == 1 && w[0].holders[0].ns == 3000000);
	CHECK(w[0].holders[1].tid == 2 && w[0].holders[1].ns == 1000000);

	/* More than is kept: the rest is not known. 3 took part, too, and is one of its own kind. */
	in(t[3], 100ull * MS + 50000ull * 40000 + 1000, 0, 2000000000, 0, 'S');
	w = pt_schedlat_worst(lat, &nr);
	CHECK_INT(nr, 2);
	CHECK(w[0].tid == 4 && w[0].holders[w[0].nr_holders - 1].tid == PT_SCHEDLAT_NOBODY);
	CHECK_INT(w[0].holders[0].ns + w[0].holders[1].ns + w[0].holders[2].ns + w[0].holders[3].ns, 2000000000);

	/* It waited on CPU 0, and was moved to CPU 1 for the last second. */
	ev = (struct pt_sched_event){ .kind = PT_SCHED_WAKING, .cpu = 0, .time_ns = 3000ull * MS, .task = t[2], .to_cpu = 0, .counts = true };
	pt_schedlat_feed(lat, &ev, &rec);
	in(t[0], 3000ull * MS, 0, 0, 0, 'S');
	in(t[1], 3000ull * MS, 1, 0, 0, 'S');
	ev = (struct pt_sched_event){ .kind = PT_SCHED_MIGRATE, .cpu = 1, .time_ns = 5000ull * MS, .task = t[2], .from_cpu = 0, .to_cpu = 1 };
	pt_schedlat_feed(lat, &ev, &rec);
	in(t[2], 6000ull * MS, 1, 3000ull * MS, 0, 'S');
	w = pt_schedlat_worst(lat, &nr);
	CHECK(w[0].tid == 3 && w[0].cpu == 1 && w[0].from_cpu == 0 && w[0].nr_holders == 2);
	CHECK(w[0].holders[0].tid == 1 && w[0].holders[0].ns == 2000ull * MS && w[0].holders[1].tid == 2 && w[0].holders[1].ns == 1000ull * MS);

	/* Who left was not who had come in: nobody knows who ran. */
	ev = (struct pt_sched_event){ .kind = PT_SCHED_SWITCH, .cpu = 1, .time_ns = 20000ull * MS, .task = t[1], .next = t[3], .gap = true };
	t[3]->stay = (struct pt_sched_stay){ .in_ns = ev.time_ns, .known = PT_SCHED_IN | PT_SCHED_DELAY, .delay_ns = 10000ull * MS, .why = PT_SCHED_SLEPT };
	pt_schedlat_feed(lat, &ev, &rec);
	w = pt_schedlat_worst(lat, &nr);
	CHECK(w[0].tid == 4 && w[0].nr_holders == 1 && w[0].holders[0].tid == PT_SCHEDLAT_NOBODY && w[0].holders[0].ns == 10000ull * MS);
	end();
}

/* -- lines -------------------------------------------------------------------------------------------------------------------- */

static const char *line_of(struct pt_timehist *h, const struct pt_sched_event *ev, struct pt_buf *b)
{
	pt_buf_clear(b);
	pt_timehist_feed(h, ev, &rec, b);
	return pt_buf_str(b);
}

TEST(lines)
{
	struct pt_timehist *h;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_sched_task *t;
	struct pt_sched_event ev = { .kind = PT_SCHED_SWITCH, .next = &idle, .state = 'S' };

	sched = pt_sched_new(NULL);
	rec = (struct pt_record){ .type = PERF_RECORD_SAMPLE };
	h = pt_timehist_new(&(struct pt_timehist_opts){ .visual = true, .nr_cpus = UINT32_MAX, .choose = &all }, sched);
	pt_timehist_header(h, &b);
	CHECK(b.len < 1000);
	pt_timehist_free(h);
	h = pt_timehist_new(&(struct pt_timehist_opts){ .state = true, .choose = &all }, sched);
	ev.task = t = task(7, 5, "name", false);
	ev.time_ns = 18446744073709551615u;	/* every number as large as it gets */
	ev.cpu = 12345;
	t->stay = (struct pt_sched_stay){ .in_ns = 1, .run_ns = UINT64_MAX, .off_ns = UINT64_MAX, .delay_ns = UINT64_MAX, .why = PT_SCHED_SLEPT,
		.known = PT_SCHED_IN | PT_SCHED_OFF | PT_SCHED_DELAY | PT_SCHED_RUN };
	CHECK_STR(line_of(h, &ev, &b), "18446744073.709551 [12345]  name[7/5]                      18446744073709.551 18446744073709.551 18446744073709.551      S \n");
	ev.time_ns = 1234567890;
	ev.cpu = 3;
	t->stay = (struct pt_sched_stay){ .in_ns = 1, .run_ns = 999, .off_ns = 1000, .delay_ns = 1999999, .woken_ns = 0, .why = PT_SCHED_PREEMPTED,
		.known = PT_SCHED_IN | PT_SCHED_OFF | PT_SCHED_DELAY | PT_SCHED_RUN };
	CHECK_STR(line_of(h, &ev, &b), "       1.234567 [0003]  name[7/5]                           0.001      0.000      0.000      S \n");
	t->stay.woken_ns = 1;
	t->stay.in_ns = 1000001;	/* preempted, and woken while it waited: the delay counts from there */
	CHECK_STR(line_of(h, &ev, &b), "       1.234567 [0003]  name[7/5]                           0.001      1.000      0.000      S \n");
	t->stay.known = 0;
	CHECK_STR(line_of(h, &ev, &b), "       1.234567 [0003]  name[7/5]                               -          -          -      S \n");
	ev = (struct pt_sched_event){ .kind = PT_SCHED_LOST, .time_ns = 1000, .cpu = PT_SCHED_NO_CPU, .nr_lost = 3 };
	CHECK_STR(line_of(h, &ev, &b), "       0.000001 lost 3 events\n");
	pt_timehist_free(h);
	pt_sched_free(sched);
	pt_buf_deinit(&b);
}
