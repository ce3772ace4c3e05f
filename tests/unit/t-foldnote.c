/* base/foldnote.c: the line in front of folded stacks: written, read, added. */
#include <stdio.h>
#include <string.h>

#include "base/foldnote.h"
#include "test.h"

TEST(what_is_written_is_read)
{
	struct pt_foldnote n = { .known = true, .samples = 29970, .lost = 3, .truncated = 360, .frames = 540123, .unresolved = 1620 }, sum = { .known = false };
	struct pt_buf b = PT_BUF_INIT;

	pt_foldnote_lines(&n, &b);
	CHECK_STR(pt_buf_str(&b), "# samples 29970, lost 3, truncated 360 (1.2 %), unresolved 1620 of 540123 frames (0.3 %) 0\n");
	CHECK(pt_foldnote_add(&sum, b.data, b.len - 1));
	CHECK(pt_foldnote_add(&sum, b.data, b.len - 1));
	CHECK(sum.known);
	CHECK_INT(sum.samples, 59940);
	CHECK_INT(sum.lost, 6);
	CHECK_INT(sum.truncated, 720);
	CHECK_INT(sum.unresolved, 3240);
	CHECK_INT(sum.frames, 1080246);
	pt_buf_clear(&b);
	pt_foldnote_text(&n, &b);
	CHECK_STR(pt_buf_str(&b), "29970 samples, 3 lost, 1.2 % of stacks truncated, 0.3 % of frames unresolved");
	pt_buf_clear(&b);
	pt_foldnote_text(&(struct pt_foldnote){ .known = true, .samples = 1, .frames = 1 }, &b);
	CHECK_STR(pt_buf_str(&b), "1 sample, 0 lost, 0.0 % of stacks truncated, 0.0 % of frames unresolved");
	pt_buf_deinit(&b);
}

TEST(small_shares_show)
{
	static const struct { uint64_t part; const char *text; } cases[] = {
		{ 0, "1000000 samples, 0 lost, 0.0 % of stacks truncated, 0.0 % of frames unresolved" },
		{ 10, "1000000 samples, 0 lost, < 0.01 % of stacks truncated, 0.0 % of frames unresolved" },
		{ 400, "1000000 samples, 0 lost, 0.04 % of stacks truncated, 0.0 % of frames unresolved" },
		{ 1000000, "1000000 samples, 0 lost, 100.0 % of stacks truncated, 0.0 % of frames unresolved" },
	};
	struct pt_buf b = PT_BUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pt_foldnote n = { .known = true, .samples = 1000000, .truncated = cases[i].part };

		pt_buf_clear(&b);
		pt_foldnote_text(&n, &b);
		CHECK_STR(pt_buf_str(&b), cases[i].text);
	}
	pt_buf_deinit(&b);
}

TEST(other_lines_are_none)
{
	static const char *const lines[] = {
		"", "#", "# samples", "# samples 1", "# samples 1, lost 2", "# samples 1, lost 2, truncated 3 (", "a;b 3",
		"# samples 1, lost 2, truncated 3 (1 %), unresolved 4", "# samples x, lost 2, truncated 3 (1 %), unresolved 4 of 5 frames",
		"# samples 99999999999999999999999, lost 2, truncated 3 (1 %), unresolved 4 of 5 frames",
	};
	struct pt_foldnote n = { .known = false };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		CHECK(!pt_foldnote_add(&n, lines[i], strlen(lines[i])));
	CHECK(!n.known);
	CHECK(pt_foldnote_add(&n, "# samples 1, lost 2, truncated 3, unresolved 4 of 5", 51));
	CHECK_INT(n.frames, 5);
}

TEST(the_unit_is_kept)
{
	struct pt_foldnote n = { .known = true, .samples = 3, .frames = 9, .microseconds = true }, sum = { .known = false };
	struct pt_buf b = PT_BUF_INIT;

	pt_foldnote_lines(&n, &b);
	CHECK_HAS(pt_buf_str(&b), "frames (0.0 %), counts in microseconds 0\n");
	CHECK(pt_foldnote_add(&sum, b.data, b.len - 1));
	CHECK(sum.microseconds && sum.samples == 3);
	pt_buf_deinit(&b);
}

static const char *both(const char *first, const char *second)
{
	static char text[256];
	struct pt_foldnote n = { .known = false };
	struct pt_buf b = PT_BUF_INIT;

	CHECK(pt_foldnote_add(&n, first, strlen(first)) && pt_foldnote_add(&n, second, strlen(second)));
	pt_foldnote_lines(&n, &b);
	snprintf(text, sizeof(text), "%.200s", pt_buf_str(&b));
	pt_buf_deinit(&b);
	return text;
}

TEST(recordings_and_units)
{
	CHECK_STR(both("# recorded: make on web1 0", "# recorded: make on web1\r"), "# recorded: make on web1 0\n");
	CHECK_STR(both("# recorded: make", "# recorded: ls"), "");
	CHECK_STR(both("# recorded: a\x1b[1mb 0", "# counts in bytes 0"), "# recorded: a\\x1b[1mb 0\n# counts in bytes 0\n");
	CHECK_STR(both("# counts in microseconds", "# subtitle: mine"), "# counts in microseconds 0\n");
}
