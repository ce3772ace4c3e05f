/* base/foldline.c, base/lines.c: the end of a folded line, its frames, lines out of blocks cut anywhere. */
#include "base/foldline.h"
#include "base/lines.h"
#include "base/mem.h"
#include "test.h"

TEST(counts)
{
	static const struct { const char *line; int n; double v[2]; size_t len; } rows[] = {
		{ "a;b 3", 1, { 3, 0 }, 3 }, { "a;b 3.25", 1, { 3.25, 0 }, 3 }, { "a;b .5", 1, { .5, 0 }, 3 }, { "a;b 5.", 1, { 5, 0 }, 3 },
		{ "a;b 3 4", 2, { 3, 4 }, 3 }, { "a;b\t3\t4\r", 2, { 3, 4 }, 3 }, { "a;b  3   4  ", 2, { 3, 4 }, 3 }, { "a b c 7", 1, { 7, 0 }, 5 },
		{ "a;b 1 2 3", 2, { 2, 3 }, 5 }, { "operator 1.2.3 4", 1, { 4, 0 }, 14 }, { "a 0", 1, { 0, 0 }, 1 }, { "a 999999999999999", 1, { 999999999999999., 0 }, 1 },
		{ "a 0.12345678901234567890123", 1, { .123456789012345, 0 }, 1 }, { "1 2", 1, { 2, 0 }, 1 }, { "1 2 3", 2, { 2, 3 }, 1 },
		{ "", 0, { 0, 0 }, 0 }, { "   \r", 0, { 0, 0 }, 0 }, { "# x 3", 0, { 0, 0 }, 0 },
		{ "a;b", -1, { 0, 0 }, 0 }, { "7", -1, { 0, 0 }, 0 }, { " 7", -1, { 0, 0 }, 0 }, { "a -3", -1, { 0, 0 }, 0 }, { "a 1e5", -1, { 0, 0 }, 0 }, { "a 1.2.3", -1, { 0, 0 }, 0 },
		{ "a .", -1, { 0, 0 }, 0 }, { "a 1200000000000000", 1, { 12e14, 0 }, 1 }, { "a 99999999999999999999999999", -1, { 0, 0 }, 0 }, { "ab3", -1, { 0, 0 }, 0 },
	};
	size_t i, len;

	for (i = 0; i < PT_NR(rows); i++) {
		char *s = pt_test_guarded(rows[i].line, strlen(rows[i].line));
		double v[2] = { 0, 0 };
		int n;

		len = strlen(rows[i].line);
		n = pt_foldline(s, &len, v);
		if (n != rows[i].n)
			FAIL("'%s' has %d counts, not %d", rows[i].line, n, rows[i].n);
		if (n > 0 && (v[0] - rows[i].v[0] > 1e-12 || rows[i].v[0] - v[0] > 1e-12 || (n == 2 && v[1] != rows[i].v[1]) || len != rows[i].len))
			FAIL("'%s': %g %g, stack of %zu", rows[i].line, v[0], v[1], len);
	}
}

TEST(frames)
{
	static const char text[] = "a;;b c;";
	const char *s = pt_test_guarded(text, 7), *end = s + 7, *f;
	static const char *const want[] = { "a", "", "b c", "" };
	size_t len, i = 0;

	while ((f = pt_foldline_frame(&s, end, &len))) {
		CHECK(i < 4);
		CHECK_INT(len, strlen(want[i]));
		CHECK_MEM(f, want[i], len);
		i++;
	}
	CHECK_INT(i, 4);
	s = end;
	CHECK(pt_foldline_frame(&s, end, &len) && !len);	/* an empty stack */
	CHECK(!pt_foldline_frame(&s, end, &len));
}

TEST(clean)
{
	struct pt_buf b = PT_BUF_INIT;

	CHECK(!pt_foldline_clean(&b, "a;caf\xc3\xa9", 7));
	CHECK_INT(b.len, 0);
	CHECK(pt_foldline_clean(&b, "a;\033[1m\x7f\x00z", 8));
	CHECK_STR(b.data, "a;?[1m??");
	/* no UTF-8, cut UTF-8, and marks that turn the direction of text */
	CHECK(pt_foldline_clean(&b, "a\xff;\xc3\xa9\xe2\x80\xae;b\xc3", 11));
	CHECK_STR(b.data, "a?;\xc3\xa9???;b?");
	pt_buf_deinit(&b);
}

TEST(printed)
{
	static const struct { double v; const char *text; } rows[] = { { 0, "0" }, { 3, "3" }, { 2.5, "2.5" }, { 999999999999999, "999999999999999" }, { 1e-3, "0.001" }, { 1e15, "1000000000000000" }, { 1.25e18, "1250000000000000000" }, { 1e-5, "0.00001" }, { 2.5e-7, "0.00000025" } };
	struct pt_buf b = PT_BUF_INIT;
	size_t i;

	for (i = 0; i < PT_NR(rows); i++) {
		pt_buf_clear(&b);
		pt_foldline_count(&b, rows[i].v);
		CHECK_STR(b.data, rows[i].text);
	}
	pt_buf_deinit(&b);
}

static void add(void *arg, const char *s, size_t len)
{
	pt_buf_putc(arg, '<');
	pt_buf_add(arg, s, len);
	pt_buf_putc(arg, '>');
}

TEST(lines_cut_anywhere)
{
	static const char text[] = "one\n\ntwo three\nx\r\n\nlast";
	size_t len = sizeof(text) - 1, block, at;

	for (block = 1; block <= len; block++) {
		struct pt_buf got = PT_BUF_INIT;
		struct pt_lines l = { .line = add, .arg = &got };

		for (at = 0; at < len; at += block)
			pt_lines_feed(&l, text + at, PT_MIN(block, len - at));
		pt_lines_end(&l);
		CHECK_STR(got.data, "<one><><two three><x\r><><last>");
		pt_lines_feed(&l, "again\n", 6);	/* nothing is left of before */
		pt_lines_end(&l);
		CHECK_HAS(got.data, "<last><again>");
		pt_lines_deinit(&l);
		pt_buf_deinit(&got);
	}
}

TEST(addresses_in_names)
{
	CHECK_INT(pt_foldline_address("0x1f2e", 6, 0), 6);
	CHECK_INT(pt_foldline_address("f+0x1F;", 7, 2), 4);
	CHECK_INT(pt_foldline_address("f+0x1F", 5, 2), 3);	/* no more than there is */
	CHECK_INT(pt_foldline_address("fn_0x7f", 7, 3), 4);
	CHECK_INT(pt_foldline_address("0xyz", 4, 0), 0);
	CHECK_INT(pt_foldline_address("0x", 2, 0), 0);
	CHECK_INT(pt_foldline_address("matmul_10x16", 12, 8), 0);
}
