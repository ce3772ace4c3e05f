/* Latency lines: what counts as one, to the nanosecond, in blocks cut anywhere. */
#include "test.h"

#include <stdlib.h>

#include "base/mem.h"
#include "draw/latlines.h"

static struct pt_latlines r;
static struct pt_points points;

static void read_blocks(const char *text, size_t len, size_t block)
{
	char *p = pt_test_guarded(text, len);
	size_t at;

	pt_points_deinit(&points);
	pt_latlines_init(&r, &points);
	for (at = 0; at < len; at += block)
		pt_latlines_feed(&r, p + at, PT_MIN(block, len - at));
	pt_latlines_end(&r);
	CHECK_INT(r.good, points.nr);
}

static void read_text(const char *text) { read_blocks(text, strlen(text), strlen(text)); }

TEST(numbers)
{
	static const struct { const char *text; uint64_t time, latency; } t[] = {
		{ "1 2", 1000, 2000 },
		{ "4711000021.644 79.522 254,0 R 0", 4711000021644, 79522 },
		{ "  \t+1.5 .25 x\r", 1500, 250 },
		{ "1. 0", 1000, 0 },
		{ "1e3 2.5E-2", 1000000, 25 },
		{ "1e+3 12345678e-8", 1000000, 123 },
		{ "0.0004 0.0005", 0, 1 },
		{ "0.9999 0.99949", 1000, 999 },
		{ "0.00000000000000000000000000001 0e999999999999999", 0, 0 },
		{ "1 00000000000000000000000000000000000001", 1000, 1000 },
		{ "9223372036854775.807 0", INT64_MAX, 0 },
		{ "123456789012345678901234567890e-20 1", 1234567890123, 1000 },
	};
	size_t i;

	for (i = 0; i < PT_NR(t); i++) {
		read_text(t[i].text);
		if (r.good != 1)
			FAIL("'%s' is no line", t[i].text);
		CHECK_INT(points.v[0].time_ns, t[i].time);
		CHECK_INT(points.v[0].latency_ns, t[i].latency);
	}
}

TEST(not_numbers)
{
	static const char *const t[] = {
		"x", "1", "1 ", "1 x", "1 2x", "1,5 2", "-1 2", "1 -2", "inf 1", "1 nan", "1 infinity", "0x10 1", "1 e5", "1 2e", "1 2e+", ". .", "+ 1",
		"9223372036854775.808 1", "1 1e300", "1 99999999999999999999", "1;2",
	};
	size_t i;

	for (i = 0; i < PT_NR(t); i++) {
		read_text(t[i]);
		if (r.bad != 1 || r.good || r.first_bad != 1)
			FAIL("'%s' is taken for a line", t[i]);
	}
}

TEST(skipped_and_counted)
{
	read_text("# TIME LATENCY\n\n   \r\n  # more\n1 2\nTIME LAT\n3 4\n\nbad too\n5 6");
	CHECK_INT(r.good, 3);
	CHECK_INT(r.bad, 2);
	CHECK_INT(r.first_bad, 6);
	CHECK_STR(r.bad_text, "TIME LAT");
	CHECK_INT(r.lines, 10);
	read_text("");
	CHECK_INT(r.lines, 0);
	read_text("\n");
	CHECK_INT(r.lines, 1);
}

TEST(units)
{
	pt_points_deinit(&points);
	pt_latlines_init(&r, &points);
	r.time_digits = 9;
	r.latency_digits = 0;
	pt_latlines_feed(&r, "1.5 7\n", 6);
	CHECK_INT(points.v[0].time_ns, 1500000000);
	CHECK_INT(points.v[0].latency_ns, 7);
}

/* Cut into blocks of any size, a text gives the same points. Long lines, NUL bytes and a missing last newline are among it. */
TEST(any_blocks)
{
	static const char text[] = "1 2 words\0and more\n\0\n3.5 4\r\n# note\nbad\n  \t  5 6 7 8 9\n1e2 3e-1";
	static const size_t blocks[] = { 1, 2, 3, 5, 7, 64, 1000, 5000 };
	char *all = pt_alloc(4096);
	size_t len = sizeof(text) - 1, i;

	memcpy(all, text, len);
	all[len++] = '\n';
	memset(all + len, ' ', 900);
	memcpy(all + len + 900, "11 12 ", 6);
	memset(all + len + 906, 'w', 1000);
	len += 1906;
	all[len++] = '\n';
	memset(all + len, '0', 600);			/* many digits */
	len += 600;
	memcpy(all + len, " 1\n21 22", 8);
	len += 8;
	for (i = 0; i < PT_NR(blocks); i++) {
		read_blocks(all, len, blocks[i]);
		CHECK_INT(r.good, 7);
		CHECK_INT(r.bad, 2);
		CHECK_INT(r.first_bad, 2);
		CHECK_INT(points.v[3].time_ns, 100000);
		CHECK_INT(points.v[3].latency_ns, 300);
		CHECK_INT(points.v[4].latency_ns, 12000);
		CHECK_INT(points.v[5].time_ns, 0);
		CHECK_INT(points.v[6].time_ns, 21000);
	}
	free(all);
	pt_points_deinit(&points);
}
