/* What a recording that begins in the midst of a session starts with. */
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "event/abi.h"
#include "rec.h"
#include "record/write/state.h"
#include "test.h"

#define FIELDS (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static void see(struct pt_state *s, struct rec *r, uint64_t time_ns)
{
	rec_u32(r, 1), rec_u32(r, 1), rec_u64(r, time_ns), rec_u64(r, 0), rec_u64(r, 7);
	rec_end(r);
	pt_state_see(s, r->b.data, r->b.len);
	rec_free(r);
}

static void task(struct pt_state *s, uint32_t type, uint64_t time_ns, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	struct rec r = REC(false);

	rec_begin(&r, type, 0);
	rec_u32(&r, pid), rec_u32(&r, ppid), rec_u32(&r, tid), rec_u32(&r, ptid), rec_u64(&r, time_ns);
	see(s, &r, time_ns);
}

static void comm(struct pt_state *s, uint64_t time_ns, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct rec r = REC(false);

	rec_begin(&r, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	rec_u32(&r, pid), rec_u32(&r, tid), rec_str(&r, name);
	see(s, &r, time_ns);
}

static void map(struct pt_state *s, uint64_t time_ns, uint32_t pid, uint64_t addr, uint64_t len, const char *name)
{
	struct rec r = REC(false);

	rec_begin(&r, PERF_RECORD_MMAP, 0);
	rec_u32(&r, pid), rec_u32(&r, pid), rec_u64(&r, addr), rec_u64(&r, len), rec_u64(&r, 0), rec_str(&r, name);
	see(s, &r, time_ns);
}

static void symbol(struct pt_state *s, uint64_t time_ns, uint64_t addr, bool gone)
{
	struct rec r = REC(false);

	rec_begin(&r, PERF_RECORD_KSYMBOL, 0);
	rec_u64(&r, addr), rec_u32(&r, 16), rec_u16(&r, 1), rec_u16(&r, gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0), rec_str(&r, "bpf_prog");
	see(s, &r, time_ns);
}

/* A word a record: "fork 2<1", "comm 2/3=name", "map 2 1000+10=file"; @TIME unless that is 0. */
static void put(void *ctx, const void *record, size_t len)
{
	struct pt_buf *b = ctx;
	const uint8_t *p = record;
	uint64_t time_ns = pt_load64(p + len - 24, false);

	CHECK_INT(pt_load16(p + 6, false), len);
	CHECK(!(pt_load16(p + 4, false) & PERF_RECORD_MISC_COMM_EXEC) || time_ns);
	if (b->len)
		pt_buf_putc(b, ' ');
	switch (pt_load32(p, false)) {
	case PERF_RECORD_FORK: pt_buf_printf(b, "fork:%u/%u<%u", pt_load32(p + 8, false), pt_load32(p + 16, false), pt_load32(p + 12, false)); break;
	case PERF_RECORD_EXIT: pt_buf_printf(b, "exit:%u", pt_load32(p + 16, false)); break;
	case PERF_RECORD_COMM: pt_buf_printf(b, "comm:%u/%u=%s", pt_load32(p + 8, false), pt_load32(p + 12, false), p + 16); break;
	case PERF_RECORD_MMAP: pt_buf_printf(b, "map:%d=%s", (int)pt_load32(p + 8, false), p + 40); break;
	case PERF_RECORD_KSYMBOL: pt_buf_printf(b, "symbol:%llx", (unsigned long long)pt_load64(p + 8, false)); break;
	default: FAIL("type %u", pt_load32(p, false));
	}
	if (time_ns)
		pt_buf_printf(b, "@%llu", (unsigned long long)time_ns);
}

static const char *emitted_until(struct pt_state *s, uint64_t until_ns)
{
	static char text[1024];
	struct pt_buf b = PT_BUF_INIT;

	pt_state_emit(s, until_ns, put, &b);
	snprintf(text, sizeof(text), "%s", pt_buf_str(&b));
	pt_buf_deinit(&b);
	return text;
}

static const char *emitted(struct pt_state *s) { return emitted_until(s, UINT64_MAX); }

/* A symbol of the kernel whose size has another event's trailer in it: it is written without, and can be told from one that is gone. */
TEST(size_with_the_trailers_of_several_events)
{
	struct pt_state *s = pt_state_new(FIELDS);
	struct rec r = REC(false);

	rec_begin(&r, PERF_RECORD_KSYMBOL, 0);
	rec_u64(&r, 0xf0), rec_u32(&r, 16), rec_u16(&r, 1), rec_u16(&r, 0), rec_str(&r, "bpf_prog");
	rec_u32(&r, 1), rec_u32(&r, 1), rec_u64(&r, 5), rec_u64(&r, 0), rec_u64(&r, 7);	/* the trailer */
	see(s, &r, 99);
	CHECK_STR(emitted(s), "symbol:f0@5");
	pt_state_settle(s, 6);
	CHECK_STR(emitted(s), "symbol:f0");
	pt_state_free(s);
}

TEST(what_was_there_before)
{
	struct pt_state *s = pt_state_new(FIELDS);

	map(s, 0, UINT32_MAX, 0x1000, 0x100, "[kernel]");
	task(s, PERF_RECORD_FORK, 0, 2, 1, 2, 1);
	comm(s, 0, 2, 2, "two", false);
	map(s, 0, 2, 0x2000, 0x100, "/bin/two");
	pt_state_settle(s, 1);
	CHECK_STR(emitted(s), "map:-1=[kernel] fork:2/2<1 comm:2/2=two map:2=/bin/two");
	pt_state_free(s);
}

/* A child has its parent's name and mappings until it runs another program; what ended is gone. */
TEST(births_and_ends)
{
	struct pt_state *s = pt_state_new(FIELDS);

	comm(s, 10, 1, 1, "sh", true);
	map(s, 11, 1, 0x1000, 0x100, "/bin/sh");
	task(s, PERF_RECORD_FORK, 20, 2, 1, 2, 1);
	pt_state_settle(s, 21);
	CHECK_HAS(emitted(s), "fork:2/2<1 ");
	CHECK_HAS(emitted(s), "comm:2/2=sh");
	CHECK_HAS(emitted(s), "map:2=/bin/sh");
	comm(s, 30, 2, 2, "dd", true);
	map(s, 31, 2, 0x1000, 0x100, "/bin/dd");
	task(s, PERF_RECORD_FORK, 32, 2, 2, 3, 2);	/* a thread */
	comm(s, 33, 2, 3, "worker", false);
	task(s, PERF_RECORD_EXIT, 40, 1, 0, 1, 0);
	pt_state_settle(s, 41);
	CHECK_HAS(emitted(s), "fork:2/2<1 fork:2/3<2 ");
	CHECK_HAS(emitted(s), "comm:2/3=worker");
	CHECK_HAS(emitted(s), " map:2=/bin/dd");
	CHECK(!strstr(emitted(s), "sh"));
	task(s, PERF_RECORD_EXIT, 50, 2, 1, 2, 1);	/* the thread goes on */
	pt_state_settle(s, 51);
	CHECK_STR(emitted(s), "fork:2/3<2 comm:2/3=worker map:2=/bin/dd");
	task(s, PERF_RECORD_EXIT, 60, 2, 1, 3, 1);
	pt_state_settle(s, 61);
	CHECK_STR(emitted(s), "");
	pt_state_free(s);
}

/* It ended before /proc told more than its mappings. */
TEST(ends_without_a_name)
{
	struct pt_state *s = pt_state_new(FIELDS);

	map(s, 0, 2, 0x1000, 0x100, "/bin/true");
	task(s, PERF_RECORD_EXIT, 10, 2, 1, 2, 1);
	pt_state_settle(s, 11);
	CHECK_STR(emitted(s), "");
	pt_state_free(s);
}

/* Too many that wait: the older half is settled. What is later than asked for is not emitted. */
TEST(trimmed)
{
	struct pt_state *s = pt_state_new(FIELDS);

	comm(s, 10, 1, 1, "one", false);
	comm(s, 40, 2, 2, "four", false);
	comm(s, 20, 1, 1, "two", false);
	comm(s, 30, 2, 2, "three", false);
	CHECK_INT(pt_state_trim(s, 1 << 20), 0);
	CHECK_INT(pt_state_trim(s, 10), 30);
	CHECK_STR(emitted(s), "comm:1/1=two comm:2/2=three@30 comm:2/2=four@40");
	CHECK_STR(emitted_until(s, 30), "comm:1/1=two comm:2/2=three@30");
	pt_state_settle(s, 41);
	CHECK_INT(pt_state_trim(s, 0), 0);
	pt_state_free(s);
}

/* What one CPU told late comes first in time; what may still be missing something is emitted as it is. */
TEST(order_of_time)
{
	struct pt_state *s = pt_state_new(FIELDS);

	comm(s, 30, 2, 2, "child", true);
	task(s, PERF_RECORD_EXIT, 40, 2, 1, 2, 1);
	comm(s, 10, 1, 1, "parent", false);
	task(s, PERF_RECORD_FORK, 20, 2, 1, 2, 1);
	pt_state_settle(s, 40);
	CHECK_STR(emitted(s), "fork:2/2<1 comm:1/1=parent comm:2/2=child exit:2@40");
	pt_state_settle(s, 41);
	CHECK_STR(emitted(s), "comm:1/1=parent");
	pt_state_free(s);
}

static size_t nr_put;
static void count(void *ctx, const void *record, size_t len) { (void)ctx, (void)record, (void)len, nr_put++; }

/* A process that maps new places all the time costs little: a search through all of them for each would take minutes. */
TEST(many_mappings)
{
	struct pt_state *s = pt_state_new(FIELDS);

	alarm(60);
	for (uint64_t i = 0; i < 200000; i++)
		map(s, i + 1, 1, i << 16, 0x1000, "/jit");
	pt_state_settle(s, UINT64_MAX);
	pt_state_emit(s, UINT64_MAX, count, NULL);
	CHECK_INT(nr_put, 1 << 16);
	map(s, 1, 1, 0, UINT64_MAX, "/all");
	for (uint64_t i = 0; i < 1000; i++)
		map(s, i + 2, 1, 0x100000, 0x1000, "/again");
	pt_state_settle(s, UINT64_MAX);
	CHECK_STR(emitted(s), "map:1=/all map:1=/again");
	pt_state_free(s);
}

TEST(mappings_and_symbols_that_are_replaced)
{
	struct pt_state *s = pt_state_new(FIELDS);

	comm(s, 1, 1, 1, "a", false);
	map(s, 2, 1, 0x1000, 0x100, "/old");
	map(s, 3, 1, 0x2000, 0x100, "/stays");
	map(s, 4, 1, 0x0800, 0x900, "/new");
	symbol(s, 5, 0xf00, false), symbol(s, 5, 0xf10, false), symbol(s, 6, 0xf00, true);
	pt_state_settle(s, 7);
	CHECK_STR(emitted(s), "symbol:f10 comm:1/1=a map:1=/stays map:1=/new");
	pt_state_free(s);
}

/* Too short for what they are, of another type, without a time. */
TEST(odd_records)
{
	struct pt_state *s = pt_state_new(FIELDS), *timeless = pt_state_new(0);
	struct perf_event_header h = { .type = PERF_RECORD_FORK, .size = sizeof(h) };

	pt_state_see(s, &h, sizeof(h));
	h.type = PERF_RECORD_SAMPLE;
	pt_state_see(s, &h, sizeof(h));
	task(s, PERF_RECORD_EXIT, 5, 9, 9, 9, 9);
	comm(timeless, 5, 1, 1, "a", false);
	pt_state_settle(s, UINT64_MAX), pt_state_settle(timeless, 1);
	CHECK_STR(emitted(s), "");
	pt_state_free(s), pt_state_free(timeless);
}
