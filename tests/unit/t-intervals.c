/* t-intervals.c - a counting session's ticks: what is read at each one, how long it is kept, when it is told. The counters are files that hold what the
 * kernel would have answered, one reading behind the other. */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/watch/session_priv.h"
#include "test.h"

enum { MSEC = 1000000, READINGS = 300 };

static struct pt_err e;

struct fake {
	struct pt_watch w;
	struct pt_session s;
	struct session_event events[4];		/* a group of two, one alone with two counters, the side-band */
	struct session_counter counters[4][2];
	struct pt_session_reading readings[4][2];
	uint64_t ids[4][2];
};

static int file_of(const uint64_t *v, size_t words, uint32_t step)
{
	int fd = memfd_create("counter", MFD_CLOEXEC);
	uint64_t one[16];
	size_t i, k;

	CHECK(fd >= 0);
	for (i = 0; i < READINGS; i++) {
		for (k = 0; k < words; k++)
			one[k] = v[k] > 1000 ? v[k] + i * step : v[k];	/* counts and times are large here, ids and numbers are not */
		CHECK_INT(write(fd, one, words * 8), (long long)(words * 8));
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void add_counter(struct fake *f, size_t event, int fd, uint64_t id)
{
	struct session_event *ev = &f->events[event];

	f->ids[event][ev->nr_counters] = id;
	ev->ids = f->ids[event];
	ev->readings = f->readings[event];
	ev->counters = f->counters[event];
	ev->counters[ev->nr_counters++] = (struct session_counter){ .fd = fd };
}

static void init(struct fake *f, uint64_t interval_ns)
{
	/* The group's second member comes first: the ids tell. */
	const uint64_t group[] = { 2, 5000, 5000, 20000, 12, 10000, 11 }, alone[] = { 30000, 6000, 6000, 13 }, other[] = { 40000, 7000, 7000, 14 };
	int spare = memfd_create("never read", MFD_CLOEXEC);

	memset(f, 0, sizeof(*f));
	f->w = (struct pt_watch){ .counting = true, .interval_ns = interval_ns, .clockid = CLOCK_MONOTONIC };
	f->s = (struct pt_session){ .w = &f->w, .events = f->events, .nr_events = 4, .interval_ns = interval_ns, .clock.id = CLOCK_MONOTONIC, .ticks_look = true,
				    .drain_at_ns = UINT64_MAX, .look_at_ns = UINT64_MAX, .signal_fd = -1, .kind = PT_OPEN_TASK };
	f->s.work.status = -1;
	f->s.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	f->events[0].in_group = f->events[1].in_group = true;
	f->events[2].spec.leader = 2;
	f->events[3].spec.leader = 3;
	add_counter(f, 0, file_of(group, 7, 100), 11);
	add_counter(f, 1, spare, 12);
	add_counter(f, 2, file_of(alone, 4, 10), 13);
	add_counter(f, 2, file_of(other, 4, 1), 14);
}

static void deinit(struct fake *f)
{
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < f->events[i].nr_counters; k++)
			close(f->counters[i][k].fd);
	close(f->s.epoll_fd);
	free(f->s.kept.reads);
}

/* As see_tick() does it. True: it is to be told. */
static bool tick(struct fake *f, uint64_t now_ns)
{
	f->s.tick_due_ns += f->s.interval_ns;
	f->s.bits = 0;
	if (session_keep(&f->s, now_ns, &e) < 0)
		FAIL("%s", e.msg);
	return f->s.bits & PT_SESSION_TICK;
}

TEST(each_reading_is_of_its_time)
{
	static struct fake f;
	uint64_t time_ns, i;
	size_t nr;

	init(&f, 10 * MSEC);
	for (i = 1; !tick(&f, i * 10 * MSEC + 3); i++)
		;
	CHECK_INT(i, 10);		/* the first of them has waited 90 ms, and would be too late with the next */
	for (i = 0; pt_session_next(&f.s, &time_ns); i++) {
		CHECK_INT(time_ns, (i + 1) * 10 * MSEC + 3);
		CHECK_INT(pt_session_readings(&f.s, 0, &nr)->value, 10000 + i * 100);
		CHECK_INT(nr, 1);
		CHECK_INT(pt_session_readings(&f.s, 1, &nr)->value, 20000 + i * 100);
		CHECK_INT(pt_session_readings(&f.s, 1, &nr)->enabled_ns, 5000 + i * 100);
		CHECK_INT(pt_session_readings(&f.s, 2, &nr)[0].value, 30000 + i * 10);
		CHECK_INT(pt_session_readings(&f.s, 2, &nr)[1].value, 40000 + i);
		CHECK_INT(pt_session_readings(&f.s, 2, &nr)[1].running_ns, 7000 + i);
		CHECK_INT(nr, 2);
	}
	CHECK_INT(i, 10);
	CHECK(!tick(&f, 110 * MSEC));	/* and anew */
	if (pt_session_read(&f.s, &e) < 0)	/* beside what is kept */
		FAIL("%s", e.msg);
	CHECK_INT(pt_session_readings(&f.s, 2, &nr)[0].value, 30000 + 110);
	CHECK(pt_session_next(&f.s, &time_ns));
	CHECK_INT(pt_session_readings(&f.s, 2, &nr)[0].value, 30000 + 100);
	CHECK(!pt_session_next(&f.s, &time_ns));
	deinit(&f);
}

TEST(long_ones_are_told_at_once)
{
	static const struct { uint64_t interval_ns; int ticks; } cases[] = {
		{ 1 * MSEC, 100 }, { 3 * MSEC, 33 }, { 10 * MSEC, 10 }, { 49 * MSEC, 2 }, { 50 * MSEC, 2 }, { 60 * MSEC, 1 }, { 99 * MSEC, 1 }, { 100 * MSEC, 1 },
		{ 1000 * MSEC, 1 }, { 1000000ull * MSEC, 1 },
	};

	for (size_t i = 0; i < PT_NR(cases); i++) {
		static struct fake f;
		int n = 1;

		init(&f, cases[i].interval_ns);
		while (!tick(&f, 1000))
			n++;
		CHECK_INT(n, cases[i].ticks);
		deinit(&f);
	}
}

TEST(ticks_that_were_missed_are_not_waited_for)
{
	static struct fake f;

	init(&f, 10 * MSEC);
	CHECK(!tick(&f, 10 * MSEC));
	f.s.tick_due_ns += 80 * MSEC;		/* the machine had other things to do */
	CHECK(tick(&f, 100 * MSEC));
	deinit(&f);
}

TEST(the_last_that_was_asked_for_is_told_at_once)
{
	static struct fake f;
	uint64_t time_ns;

	init(&f, 10 * MSEC);
	f.w.interval_count = 13;
	for (int i = 1; i <= 13; i++) {
		CHECK_INT(tick(&f, i), i == 10 || i == 13);
		while (i == 10 && pt_session_next(&f.s, &time_ns))
			;
	}
	deinit(&f);
}

/* Its counter says nothing more (end of file, as of a CPU that is off line): what it had stays. */
TEST(a_counter_that_is_gone_keeps_what_it_had)
{
	static struct fake f;
	uint64_t time_ns;
	size_t nr;

	init(&f, 100 * MSEC);
	CHECK(tick(&f, 1) && pt_session_next(&f.s, &time_ns) && !pt_session_next(&f.s, &time_ns));
	lseek(f.counters[2][0].fd, 0, SEEK_END);
	lseek(f.counters[0][0].fd, 0, SEEK_END);
	CHECK(tick(&f, 2) && pt_session_next(&f.s, &time_ns));
	CHECK_INT(pt_session_readings(&f.s, 2, &nr)[0].value, 30000);
	CHECK_INT(pt_session_readings(&f.s, 2, &nr)[1].value, 40001);
	CHECK_INT(pt_session_readings(&f.s, 1, &nr)[0].value, 20000);
	deinit(&f);
}

/* Counters that came are in the next reading. */
TEST(a_counter_that_comes_is_read)
{
	const uint64_t more[] = { 50000, 8000, 8000, 15 };
	static struct fake f;
	uint64_t time_ns;
	size_t nr;

	init(&f, 100 * MSEC);
	f.events[2].nr_counters = 1;
	CHECK(tick(&f, 1) && pt_session_next(&f.s, &time_ns) && !pt_session_next(&f.s, &time_ns));
	add_counter(&f, 2, file_of(more, 4, 1), 15);
	f.s.kept.stale = true;
	CHECK(tick(&f, 2) && pt_session_next(&f.s, &time_ns));
	CHECK_INT(pt_session_readings(&f.s, 2, &nr)[1].value, 50000);
	CHECK_INT(pt_session_readings(&f.s, 2, &nr)[0].value, 30010);
	deinit(&f);
}

/* A thousand threads at 1 ms: what is kept has a bound, and is told of when that is reached. */
TEST(a_bound_in_bytes)
{
	static struct fake f;
	const uint64_t alone[] = { 30000, 6000, 6000, 13 };
	struct session_event *ev = &f.events[2];
	int fd, n = 1;

	init(&f, 1 * MSEC);
	fd = file_of(alone, 4, 0);
	ev->counters = pt_alloc_array(2000, sizeof(*ev->counters));
	ev->readings = pt_alloc_array(2000, sizeof(*ev->readings));
	ev->nr_counters = 2000;
	for (size_t i = 0; i < 2000; i++)
		ev->counters[i].fd = fd;
	while (!tick(&f, 1))
		n++;
	CHECK_INT(n, (1 << 19) / (1 + 8 + 2000 * 5));
	free(ev->counters);
	free(ev->readings);
	ev->nr_counters = 0;
	close(fd);
	deinit(&f);
}

/* On the real clock: each multiple is met at most once and never before its time, and what is told together is all there. */
TEST(on_multiples)
{
	static struct fake f;
	uint64_t start_ns, time_ns, last = 0, told = 0;

	init(&f, 3 * MSEC);
	start_ns = f.s.tick_due_ns = pt_session_clock_ns(&f.s);
	while (last < 50) {
		uint64_t in_one = 0;

		CHECK_INT(pt_session_wait(&f.s, &e), PT_SESSION_TICK);
		for (; pt_session_next(&f.s, &time_ns); in_one++) {
			CHECK(time_ns >= start_ns);
			CHECK((time_ns - start_ns) / (3 * MSEC) > last);
			last = (time_ns - start_ns) / (3 * MSEC);
		}
		CHECK(in_one);
		told++;
		CHECK_INT((f.s.tick_due_ns - start_ns) % (3 * MSEC), 0);
		CHECK_INT(f.s.tick, (f.s.tick_due_ns - start_ns) / (3 * MSEC));
	}
	CHECK(told < 25);		/* 50 ticks, mostly 33 at once */
	deinit(&f);
}

/* An end in between hands out what is kept. */
TEST(an_end_tells_all)
{
	static struct fake f;
	uint64_t time_ns;
	int bits, n = 0;

	init(&f, 2 * MSEC);
	f.s.tick_due_ns = pt_session_clock_ns(&f.s);
	f.s.end_at_ns = f.s.tick_due_ns + 9 * MSEC;
	do
		bits = pt_session_wait(&f.s, &e);
	while (!(bits & PT_SESSION_OVER));
	while (pt_session_next(&f.s, &time_ns))
		n++;
	CHECK_INT(n > 0, (bits & PT_SESSION_TICK) != 0);
	deinit(&f);
}
