/* lib/base: errors, buffers, bytes, tables, numbers, text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/text.h"
#include "test.h"

TEST(err_context_goes_in_front)
{
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_err_sys(&e, ENOENT, "fio.data"), -1);
	CHECK_INT(e.sys, ENOENT);
	CHECK_INT(pt_err_context(&e, "reading %d", 7), -1);
	pt_err_advice(&e, "; try %s", "perf.data");
	CHECK_STR(e.msg, "reading 7: fio.data: No such file or directory; try perf.data");
	CHECK_INT(pt_err_set(NULL, "nobody listens"), -1);
}

TEST(err_long_messages_are_cut)
{
	struct pt_err e = PT_ERR_INIT;
	char text[4000];
	int i;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	pt_err_set(&e, "%s", text);
	CHECK_INT(strlen(e.msg), sizeof(e.msg) - 1);
	for (i = 0; i < 3; i++) {
		pt_err_context(&e, "front");
		pt_err_advice(&e, "behind");
		pt_err_sys(&e, EPERM, "%s", text);
	}
	CHECK_INT(strlen(e.msg), sizeof(e.msg) - 1);
}

TEST(buf_numbers_are_printfs)
{
	static const uint64_t values[] = { 0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 65535, 123456789, 4294967295u, 9999999999u, UINT64_MAX };
	struct pt_buf b = PT_BUF_INIT;
	char want[256];
	size_t i;

	for (i = 0; i < PT_NR(values); i++) {
		uint64_t v = values[i];

		pt_buf_clear(&b);
		pt_buf_dec(&b, v);
		pt_buf_putc(&b, ' ');
		pt_buf_dec_signed(&b, (int64_t)v);
		pt_buf_putc(&b, ' ');
		pt_buf_hex(&b, v);
		pt_buf_putc(&b, ' ');
		pt_buf_dec_zero(&b, v, 6);
		pt_buf_putc(&b, ' ');
		pt_buf_usec(&b, v);
		pt_buf_putc(&b, ' ');
		pt_buf_ns_as_us(&b, v);
		snprintf(want, sizeof(want), "%lu %ld %lx %06lu %lu.%06lu %lu.%03lu", v, (long)v, v, v, v / 1000000000, v % 1000000000 / 1000,
			 v / 1000, v % 1000);
		CHECK_STR(pt_buf_str(&b), want);
	}
	pt_buf_clear(&b);
	pt_buf_dec_signed(&b, INT64_MIN);
	CHECK_STR(pt_buf_str(&b), "-9223372036854775808");
	pt_buf_deinit(&b);
}

static void check_scaled(struct pt_buf *b, uint64_t v, int decimals, int width)
{
	uint64_t unit = 1;
	char number[64], want[128];

	for (int i = 0; i < decimals; i++)
		unit *= 10;
	if (decimals)
		snprintf(number, sizeof(number), "%lu.%0*lu", v / unit, decimals, v % unit);
	else
		snprintf(number, sizeof(number), "%lu", v);
	snprintf(want, sizeof(want), "|%*s", width, number);
	pt_buf_clear(b);
	pt_buf_putc(b, '|');
	pt_buf_scaled_wide(b, v, decimals, width);
	CHECK_STR(pt_buf_str(b), want);
}

TEST(buf_numbers_of_each_length)
{
	struct pt_buf b = PT_BUF_INIT;
	uint64_t power = 1;

	for (int digits = 1; digits <= 20; digits++, power *= 10)
		for (int decimals = 0; decimals <= 9; decimals++)
			for (int width = 0; width <= 24; width += 3)
				for (int add = -1; add <= 1; add++)
					check_scaled(&b, power + (uint64_t)add, decimals, width);
	check_scaled(&b, UINT64_MAX, 9, 40);
	pt_buf_deinit(&b);
}

TEST(buf_fixed_is_printf)
{
	static const double values[] = { 0, -0.0, 0.5, 1.5, 2.5, -0.5, 0.05, 0.15, 0.125, 0.375, 1.005, 2.675, 999.995, 999.9995, 1e15 + 0.5, 8.9e15, 9.1e15, 1e300, -1234.5678,
					 INFINITY, -INFINITY, 4.9e-324 };
	struct pt_buf b = PT_BUF_INIT;
	uint64_t x = 88172645463325252;
	char want[400];

	for (size_t i = 0; i < PT_NR(values) + 20000; i++) {
		double v;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		if (i < PT_NR(values))
			v = values[i];
		else if (i % 2)
			v = (double)(x >> 20) / 2000;	/* many ties */
		else
			memcpy(&v, &x, sizeof(v));
		if (isnan(v))
			continue;
		for (int d = 0; d <= 4; d++) {
			pt_buf_clear(&b);
			pt_buf_fixed(&b, v, d);
			snprintf(want, sizeof(want), "%.*f", d, v);
			CHECK_STR(pt_buf_str(&b), want);
		}
	}
	pt_buf_deinit(&b);
}

TEST(buf_grows_and_pads)
{
	struct pt_buf b = PT_BUF_INIT;
	size_t from, i;

	CHECK_STR(pt_buf_str(&b), "");
	pt_buf_puts(&b, "a");
	from = b.len;
	pt_buf_puts(&b, "bc");
	pt_buf_pad_left(&b, from, 5);
	pt_buf_putc(&b, '|');
	from = b.len;
	pt_buf_puts(&b, "d");
	pt_buf_pad_right(&b, from, 3);
	pt_buf_pad_right(&b, from, 1);
	pt_buf_fill(&b, '-', 2);
	pt_buf_fill(&b, '-', 0);
	pt_buf_printf(&b, "|%s", "e");
	CHECK_STR(pt_buf_str(&b), "a   bc|d  --|e");
	pt_buf_clear(&b);
	for (i = 0; i < 10000; i++)
		pt_buf_printf(&b, "%s", "0123456789");
	CHECK_INT(b.len, 100000);
	CHECK_INT(b.data[b.len], 0);
	pt_buf_deinit(&b);
}

TEST(bytes_stop_at_the_end)
{
	static const uint8_t raw[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	const uint8_t *p = pt_test_guarded(raw, sizeof(raw));
	struct pt_bytes b = pt_bytes(p, sizeof(raw), false), sub;

	CHECK_INT(pt_bytes_u16(&b), 0x0201);
	CHECK_INT(pt_bytes_u64(&b), 0x0a09080706050403);
	CHECK(!b.bad);
	CHECK_INT(pt_bytes_u32(&b), 0);
	CHECK(b.bad);
	CHECK_INT(pt_bytes_left(&b), 0);
	b = pt_bytes(p, sizeof(raw), true);
	CHECK_INT(pt_bytes_u16(&b), 0x0102);
	CHECK_INT(pt_bytes_u32(&b), 0x03040506);
	sub = pt_bytes_sub(&b, 4);
	CHECK_INT(pt_bytes_left(&sub), 4);
	CHECK(sub.swap);
	sub = pt_bytes_sub(&b, 4);
	CHECK(sub.bad && b.bad);
	CHECK(pt_bytes_take(&b, SIZE_MAX) == NULL);
}

TEST(bytes_strings_need_their_nul)
{
	const char *p = pt_test_guarded("abc\0def", 7);
	struct pt_bytes b = pt_bytes(p, 7, false);

	CHECK_STR(pt_bytes_str(&b, 100), "abc");
	CHECK_STR(pt_bytes_str(&b, 100), "");
	CHECK(b.bad);
	b = pt_bytes(p, 7, false);
	CHECK_STR(pt_bytes_str(&b, 3), "");
	CHECK(b.bad);
}

TEST(map_is_a_table)
{
	struct pt_map m = PT_MAP_INIT;
	struct pt_map_slot *s;
	uint64_t sum = 0;
	size_t i, n = 0;

	CHECK(pt_map_get(&m, 5) == NULL);
	CHECK(!pt_map_del(&m, 5));
	for (i = 0; i < 10000; i++)
		*pt_map_put(&m, i << 12) = i;
	for (i = 0; i < 10000; i += 2)
		CHECK(pt_map_del(&m, i << 12));
	CHECK_INT(m.nr, 5000);
	for (i = 0; i < 10000; i++) {
		uint64_t *v = pt_map_get(&m, i << 12);

		CHECK(!!v == i % 2);
		if (v)
			CHECK_INT(*v, i);
	}
	for (i = 0; (s = pt_map_each(&m, &i)); n++)
		sum += s->value;
	CHECK_INT(n, 5000);
	CHECK_INT(sum, 25000000);
	pt_map_clear(&m);
	CHECK(pt_map_get(&m, 1 << 12) == NULL);
	pt_map_deinit(&m);
}

TEST(map_finds_what_is_left_after_deletions)
{
	enum { KEYS = 48 };
	uint64_t there[KEYS] = { 0 }, random = 1;
	struct pt_map m = PT_MAP_INIT;

	for (uint64_t turn = 1; turn < 20000; turn++) {
		uint64_t key = (random = pt_hash64(random + turn)) % KEYS;

		if (random >> 32 & 1) {
			*pt_map_put(&m, key) = there[key] = turn;
		} else {
			CHECK(pt_map_del(&m, key) == !!there[key]);
			there[key] = 0;
		}
		for (key = 0; key < KEYS; key++) {
			const uint64_t *value = pt_map_get(&m, key);

			CHECK(value ? *value == there[key] : !there[key]);
		}
	}
	CHECK(m.cap <= 128);
	pt_map_deinit(&m);
}

TEST(map_of_short_lived_keys_stays_small)
{
	struct pt_map m = PT_MAP_INIT;
	uint64_t i;

	for (i = 0; i < 1000000; i++) {
		*pt_map_put(&m, i * 8) = i;
		if (i >= 16)
			CHECK(pt_map_del(&m, (i - 16) * 8));
	}
	CHECK_INT(m.nr, 16);
	CHECK(m.cap <= 256);
	pt_map_deinit(&m);
}

TEST(names_are_one_pointer)
{
	struct pt_names *n = pt_names_new();
	const char *a = pt_names_add(n, "swapper", 7), *b = pt_names_add(n, "swapper/1", 7), *c = pt_names_add(n, "swap\0per", 8);

	CHECK_STR(a, "swapper");
	CHECK(a == b);
	CHECK_STR(c, "swap");
	CHECK(pt_names_add(n, "", 0) == pt_names_add(n, "", 0));
	pt_names_free(n);
}

/* Blocks of all sizes: each its own, aligned, and as it was left. */
TEST(arenas_keep_what_is_in_them)
{
	struct pt_arena a = PT_ARENA_INIT;
	uint8_t *p[300];
	size_t i, k;

	for (i = 0; i < PT_NR(p); i++) {	/* the first of 0 bytes, too */
		p[i] = pt_arena_alloc(&a, i * i);
		CHECK(!((uintptr_t)p[i] & 7));
		memset(p[i], (int)i, i * i);
	}
	for (i = 0; i < PT_NR(p); i++)
		for (k = 0; k < i * i; k++)
			if (p[i][k] != (uint8_t)i)
				FAIL("byte %zu of %zu", k, i);
	CHECK_STR(pt_arena_memdup(&a, "eight..", 8), "eight..");
	pt_arena_deinit(&a);
	CHECK(!a.blocks && !a.left);
	pt_arena_deinit(&a);
}

TEST(huge_memory_is_zeros)
{
	size_t len = (2 << 20) + 5, i;
	uint8_t *p = pt_alloc_table(len);

	for (i = 0; i < len; i++)
		if (p[i])
			FAIL("byte %zu is %u", i, p[i]);
	memset(p, 1, len);
	pt_free_table(p, len);
	pt_free_table(NULL, len);
}

TEST(quick_hashes_tell_apart)
{
	char text[40] = "";
	uint64_t seen[40];
	size_t i, k;

	for (i = 0; i < PT_NR(seen); i++) {	/* zeros of each length, too */
		seen[i] = pt_hash_quick(text, i);
		for (k = 0; k < i; k++)
			CHECK(seen[i] != seen[k]);
	}
	for (i = 0; i < sizeof(text); i++) {
		text[i] ^= 1;
		CHECK(pt_hash_quick(text, sizeof(text)) != pt_hash_quick(text, i));
		for (k = 0; k < PT_NR(seen); k++)
			CHECK(pt_hash_quick(text, sizeof(text)) != seen[k]);
		text[i] ^= 1;
	}
	CHECK(pt_hash_quick("abcdefgh1", 9) == pt_hash_quick("abcdefgh1x", 9));
}

TEST(numbers_are_read_whole_or_refused)
{
	static const char *const bad[] = { "", " 1", "+1", "-1", "1x", "0x", "1 ", "18446744073709551616", "1.5", "K" };
	struct pt_err e;
	uint64_t v = 7;
	size_t i;

	CHECK_INT(pt_num_u64("18446744073709551615", 0, UINT64_MAX, &v, &e), 0);
	CHECK(v == UINT64_MAX);
	CHECK_INT(pt_num_u64("0x1F", 0, 100, &v, &e), 0);
	CHECK_INT(v, 31);
	for (i = 0; i < PT_NR(bad); i++) {
		CHECK_INT(pt_num_u64(bad[i], 0, UINT64_MAX, &v, &e), -1);
		CHECK_HAS(e.msg, bad[i]);
	}
	CHECK_INT(pt_num_u64("101", 0, 100, &v, &e), -1);
	CHECK_STR(e.msg, "101 is not between 0 and 100");
	CHECK_INT(v, 31);
	CHECK_INT(pt_num_size("64K", UINT64_MAX, &v, &e), 0);
	CHECK_INT(v, 65536);
	CHECK_INT(pt_num_size("2g", UINT64_MAX, &v, &e), 0);
	CHECK_INT(v, 2147483648);
	CHECK_INT(pt_num_size("17179869184G", UINT64_MAX, &v, &e), -1);
	CHECK_INT(pt_num_size("1KB", UINT64_MAX, &v, &e), -1);
}

TEST(times_are_nanoseconds)
{
	static const struct { const char *text; int64_t ns; } cases[] = {
		{ "1", 1000000000 }, { "0.5", 500000000 }, { ".25", 250000000 }, { "12.000000001", 12000000001 }, { "3ms", 3000000 }, { "1.5us", 1500 },
		{ "2m", 120000000000 }, { "1h", 3600000000000 }, { "7ns", 7 }, { "0", 0 }, { "1.0000000019", 1000000001 },
		{ "", -1 }, { "1.", -1 }, { "1d", -1 }, { "-1", -1 }, { "ms", -1 }, { "0x10", -1 }, { "9999999999999h", -1 }, { ".", -1 },
	};
	struct pt_err e;
	uint64_t v;
	size_t i;

	for (i = 0; i < PT_NR(cases); i++) {
		v = 99;
		if (pt_num_seconds(cases[i].text, &v, &e) < 0) {
			if (cases[i].ns != -1)
				FAIL("%s is refused: %s", cases[i].text, e.msg);
			CHECK_INT(v, 99);
		} else if ((int64_t)v != cases[i].ns) {
			FAIL("%s is %lu ns", cases[i].text, v);
		}
	}
}

TEST(doubles_are_finite)
{
	struct pt_err e;
	double d;

	CHECK_INT(pt_num_double("1e3", &d, &e), 0);
	CHECK(d == 1000);
	CHECK_INT(pt_num_double("inf", &d, &e), -1);
	CHECK_INT(pt_num_double("nan", &d, &e), -1);
	CHECK_INT(pt_num_double(" 1", &d, &e), -1);
	CHECK_INT(pt_num_double("", &d, &e), -1);
}

TEST(lists_are_sorted_and_bounded)
{
	static const char *const bad[] = { "", ",", "1,", "3-1", "a", "1-", "-1", "1--2", "0-4294967295", "2000" };
	struct pt_err e;
	int *list;
	size_t nr, i;

	CHECK_INT(pt_num_list("7,0-3,2", 1000, &list, &nr, &e), 0);
	CHECK_INT(nr, 5);
	CHECK_INT(list[0], 0);
	CHECK_INT(list[3], 3);
	CHECK_INT(list[4], 7);
	CHECK_INT(pt_num_list_more("9,5-6", 1000, &list, &nr, &e), 0);
	CHECK_INT(nr, 8);
	CHECK_INT(list[4], 5);
	CHECK_INT(list[6], 7);
	CHECK_INT(pt_num_list_more("x", 1000, &list, &nr, &e), -1);
	CHECK_INT(nr, 8);
	free(list);
	for (i = 0; i < PT_NR(bad); i++)
		if (!pt_num_list(bad[i], 1000, &list, &nr, &e))
			FAIL("'%s' is taken", bad[i]);
	CHECK_INT(pt_num_list("0-65535,65536-70000", 100000, &list, &nr, &e), -1);
}

static void check_text(void (*add)(struct pt_buf *, const char *, size_t), const char *in, size_t len, const char *want)
{
	struct pt_buf b = PT_BUF_INIT;
	bool same;

	add(&b, pt_test_guarded(in, len), len);
	same = !strcmp(pt_buf_str(&b), want);
	if (!same)
		printf("got %s\n", pt_buf_str(&b));
	pt_buf_deinit(&b);
	CHECK(same);
}

TEST(text_for_terminals_has_no_controls)
{
	check_text(pt_text_plain, "plain", 5, "plain");
	check_text(pt_text_plain, "a\033[31mb\n\x7f", 9, "a\\x1b[31mb\\x0a\\x7f");
	check_text(pt_text_plain, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", 15, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	check_text(pt_text_plain, "\xc2\x9b" "1m", 4, "\\xc2\\x9b1m");	/* a C1 control: CSI */
	check_text(pt_text_plain, "\xc2\xa0", 2, "\xc2\xa0");
	check_text(pt_text_plain, "\xff\xc3", 2, "\\xff\\xc3");
	/* marks that turn the direction of text */
	check_text(pt_text_plain, "a\xe2\x80\xae" "b\xe2\x81\xa6", 8, "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");
	check_text(pt_text_plain, "\xed\xa0\x80", 3, "\\xed\\xa0\\x80");	/* a surrogate */
}

TEST(printable_ascii_ends_where_it_does)
{
	size_t at, len;
	char s[20];
	int c;

	for (c = 0; c < 256; c++)
		for (len = 1; len <= sizeof(s); len++)
			for (at = 0; at < len; at++) {
				memset(s, at % 2 ? ' ' : '~', sizeof(s));
				s[at] = (char)c;
				if (pt_text_ascii(s, len) != (c >= 0x20 && c < 0x7f ? len : at))
					FAIL("byte %d at %zu of %zu", c, at, len);
			}
	CHECK_INT(pt_text_ascii(s, 0), 0);
}

TEST(text_for_json_and_xml_is_escaped)
{
	check_text(pt_text_json, "a\"b\\c\n\t\001\xff", 9, "a\\\"b\\\\c\\n\\t\\u0001\xef\xbf\xbd");
	check_text(pt_text_json, "a\xe2\x80\xae\xe2\x81\xa6\xc2\x9b\xe2\x82\xac", 12, "a\\u202e\\u2066\\u009b\xe2\x82\xac");
	check_text(pt_text_xml, "<a b='c'>&\"\001\xff", 13, "&lt;a b=&#39;c&#39;&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd");
	check_text(pt_text_xml, "\xef\xbf\xbe", 3, "\xef\xbf\xbd");
}

TEST(utf8_is_strict)
{
	CHECK_INT(pt_text_utf8("a", 1), 1);
	CHECK_INT(pt_text_utf8("\xc3\xbc", 2), 2);
	CHECK_INT(pt_text_utf8("\xc3\xbc", 1), 0);
	CHECK_INT(pt_text_utf8("\xc0\x80", 2), 0);
	CHECK_INT(pt_text_utf8("\xe0\x80\x80", 3), 0);
	CHECK_INT(pt_text_utf8("\xf4\x90\x80\x80", 4), 0);
	CHECK_INT(pt_text_utf8("\xf0\x9f\x98\x80", 4), 4);
	CHECK_INT(pt_text_utf8("", 0), 0);
}

TEST(distance_counts_edits)
{
	CHECK_INT(pt_text_distance("cycles", "cycles", 3), 0);
	CHECK_INT(pt_text_distance("cylces", "cycles", 3), 1);
	CHECK_INT(pt_text_distance("cycls", "cycles", 3), 1);
	CHECK_INT(pt_text_distance("kitten", "sitting", 5), 3);
	CHECK_INT(pt_text_distance("abc", "xyz", 2), 3);
	CHECK_INT(pt_text_distance("", "abc", 3), 3);
	CHECK(pt_text_glob("sched_*", "sched_switch"));
	CHECK(!pt_text_glob("sched_*", "block_rq"));
}

TEST(json_members)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_json_open(&b, NULL, '{');
	pt_json_str(&b, "comm", "a\"b\n");
	pt_json_str(&b, "nothing", NULL);
	pt_json_open(&b, "cpus", '[');
	pt_json_u64(&b, NULL, 3);
	pt_json_s64(&b, NULL, -1);
	pt_json_open(&b, NULL, '{');
	pt_json_close(&b, '}');
	pt_json_null(&b, NULL);
	pt_json_close(&b, ']');
	pt_json_addr(&b, "at", 0x1f3a);
	pt_json_bool(&b, "k", false);
	pt_json_close(&b, '}');
	pt_buf_putc(&b, '\n');
	pt_json_open(&b, NULL, '{');
	pt_json_us(&b, "us", 1234567);
	pt_json_ms(&b, "ms", 1234567);
	pt_json_seconds(&b, "s", 1000000001);
	pt_json_close(&b, '}');
	CHECK_STR(pt_buf_str(&b), "{\"comm\":\"a\\\"b\\n\",\"cpus\":[3,-1,{},null],\"at\":\"0x1f3a\",\"k\":false}\n"
				  "{\"us\":1234.567,\"ms\":1.234567,\"s\":1.000000001}");
	pt_buf_deinit(&b);
}

TEST(json_numbers)
{
	static const struct { double v; const char *number, *three; } rows[] = {
		{ 0.1, "0.1", "0.100" }, { 0x1p-32, "2.3283064365386963e-10", "0.000" }, { -3, "-3", "-3.000" }, { NAN, "0", "0.000" }, { INFINITY, "0", "0.000" },
	};

	for (size_t i = 0; i < PT_NR(rows); i++) {
		struct pt_buf b = PT_BUF_INIT;

		pt_json_number(&b, NULL, rows[i].v);
		CHECK_STR(pt_buf_str(&b), rows[i].number);
		pt_buf_clear(&b);
		pt_json_double(&b, NULL, rows[i].v, 3);
		CHECK_STR(pt_buf_str(&b), rows[i].three);
		pt_buf_deinit(&b);
	}
}

TEST(folder_of_a_path)
{
	static const char *const cases[][2] = { { "c", "." }, { "/c", "/" }, { "a/b/c", "a/b/" }, { "a/", "a/" }, { "", "." } };

	for (size_t i = 0; i < PT_NR(cases); i++) {
		char *folder = pt_text_folder(cases[i][0]);

		CHECK_STR(folder, cases[i][1]);
		free(folder);
	}
}

TEST(lists_of_tasks)
{
	struct pt_err e = PT_ERR_INIT;
	uint32_t *ids;
	size_t nr, i;

	CHECK_INT(pt_proc_list((uint32_t)getpid(), &ids, &nr, &e), 0);
	CHECK_INT(nr, 1);
	CHECK_INT(ids[0], getpid());
	CHECK_INT(pt_proc_of_thread(ids[0]), getpid());
	free(ids);
	CHECK_INT(pt_proc_list(0, &ids, &nr, &e), 0);
	for (i = 0; i + 1 < nr; i++)
		CHECK(ids[i] < ids[i + 1]);
	for (i = 0; i < nr && ids[i] != (uint32_t)getpid(); i++)
		;
	CHECK(i < nr);
	free(ids);
	CHECK_INT(pt_proc_list(0x7ffffffe, &ids, &nr, &e), -1);
	CHECK_INT(e.sys, ENOENT);
	CHECK_INT(pt_proc_of_thread(0x7ffffffe), 0);
}
