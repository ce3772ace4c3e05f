/* Filters by fields: their grammar, signs and widths, text, and the text that the kernel gets. */
#include "test.h"

#include <stdlib.h>

#include "tracepoint/tp_filter.h"

static const char format[] =
	"name: e\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:long ret;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 bytes;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:s16 small;\toffset:20;\tsize:2;\tsigned:1;\n"
	"\tfield:char comm[8];\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->bytes\n";

static struct pt_tp_db *db;

/* ret -2, bytes 65536, small -1, comm "dd", name "file.c", on CPU 3; common_pid 7 */
static int holds(const char *text)
{
	struct { uint16_t type, pad; int32_t pid; int64_t ret; uint32_t bytes; int16_t small, pad2; char comm[8]; uint32_t loc; char name[8]; } raw =
		{ .pid = 7, .ret = -2, .bytes = 65536, .small = -1, .comm = "dd", .loc = 7u << 16 | 36, .name = "file.c" };
	struct pt_err e = PT_ERR_INIT;
	struct pt_tp_filter *f;
	int yes;

	if (!db) {
		db = pt_tp_db_new(false, 8);
		if (pt_tp_db_add_format(db, "s", format, strlen(format), &e) < 0)
			FAIL("%s", e.msg);
	}
	f = pt_tp_filter_new(text, &e);
	if (!f)
		return -1;
	yes = pt_tp_filter_holds(f, pt_tp_db_by_id(db, 5), &raw, sizeof(raw), 3);
	if (pt_tp_filter_missing(f))
		yes = -2;
	pt_tp_filter_free(f);
	return yes;
}

TEST(numbers)
{
	CHECK(holds("ret < 0") == 1);
	CHECK(holds("ret == -2") == 1);
	CHECK(holds("ret==0xfffffffffffffffe") == 1);
	CHECK(holds("ret > 100") == 0);
	CHECK(holds("small >= -1 && small <= -1 && small != 1") == 1);
	CHECK(holds("bytes == 64K") == 1);
	CHECK(holds("bytes > 1M") == 0);
	CHECK(holds("bytes > -1") == 0);	/* 4294967295, as the kernel takes it */
	CHECK(holds("bytes & 0x10000") == 1);
	CHECK(holds("bytes & 1") == 0);
	CHECK(holds("common_pid == 7 && CPU == 3") == 1);
	CHECK(holds("cpu != 3") == 0);
}

TEST(text)
{
	CHECK(holds("comm == \"dd\"") == 1);
	CHECK(holds("comm != 'dd'") == 0);
	CHECK(holds("comm == \"d\"") == 0);
	CHECK(holds("name ~ \"*.c\" && name ~ '[e-g]ile*'") == 1);
	CHECK(holds("name ~ \"*.h\"") == 0);
}

TEST(logic)
{
	CHECK(holds("ret > 0 && ret > 0 || bytes") == -1);
	CHECK(holds("ret > 0 && ret > 0 || bytes > 0") == 1);
	CHECK(holds("ret > 0 && (ret > 0 || bytes > 0)") == 0);
	CHECK(holds("!(ret > 0) && !ret > 0") == 1);
	CHECK(holds("  ( ( ret<0 ) )  ") == 1);
}

TEST(mistakes)
{
	static const char *const wrong[] = { "", "ret", "ret <", "ret < x", "ret < 0)", "(ret < 0", "ret < 0 &&", "comm == dd", "comm < \"dd\"", "comm ~ 5", "comm == \"dd",
					     "5 < ret", "ret < 0 ret > 0", "ret < 99999999999999999999" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (holds(wrong[i]) != -1)
			FAIL("\"%s\" is taken", wrong[i]);
	CHECK(holds("other == 1") == -2);
	CHECK(holds("ret == \"dd\"") == -2);
	CHECK(holds("comm == 1") == -2);
}

/* What the kernel refuses is explained, but for words that only its own language has. */
TEST(explained)
{
	static const struct { const char *text; bool explained; } rows[] = {
		{ "ret > 0 &&", true }, { "nosuch == 1", true }, { "ret > 0", false },
		{ "common_cpu & CPUS{0-3}", false }, { "nosuch.ustring ~ \"x\"", false },
		{ "nosuch.function == f", false },
	};

	CHECK(holds("ret < 0") == 1);		/* makes the event */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pt_err e = PT_ERR_INIT;

		pt_tp_filter_explain(pt_tp_db_by_id(db, 5), rows[i].text, &e);
		if (!*e.msg == rows[i].explained)
			FAIL("%s: \"%s\"", rows[i].text, e.msg);
	}
}

/* The kernel takes it, and nothing passes. A field of that name is a number as others. */
TEST(bits_of_the_cpu)
{
	static const struct { const char *text; bool is; } rows[] = {
		{ "cpu & 1", true }, { "ret < 0 || !(CPU & 0x2)", true }, { "cpu == 1 && bytes & 1", false },
		{ "cpu & CPUS{0-3}", false }, { "name == \"cpu & 1\"", false },
	};

	CHECK(holds("cpu & 1") == 1);		/* of recordings; makes the event */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (pt_tp_filter_cpu_bits(pt_tp_db_by_id(db, 5), rows[i].text) != rows[i].is)
			FAIL("%s", rows[i].text);
}

TEST(for_the_kernel)
{
	static const struct { const char *from, *to; } rows[] = {
		{ "bytes > 4K", "bytes > 4096" }, { "a>1M&&b<2G", "a>1048576&&b<2147483648" }, { "name == \"4K\" || x == 1K", "name == \"4K\" || x == 1024" },
		{ "x4K == 0x4", "x4K == 0x4" }, { "a.ustring ~ '*'", "a.ustring ~ '*'" }, { "", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *got = pt_tp_filter_kernel(rows[i].from);

		CHECK_STR(got, rows[i].to);
		free(got);
	}
}
