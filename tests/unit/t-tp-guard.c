/* Guards of a probe's values, on records made by hand: what is a fault, what is not, and wrong
 * formats. */
#include "test.h"

#include <byteswap.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tracepoint/tp.h"

#define COMMON                                                                         \
	"name: g\nID: 5\nformat:\n"                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PROBE "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
#define ID "\tfield:s32 id;\toffset:16;\tsize:4;\tsigned:1;\n"
#define TEXT "\tfield:__data_loc char[] text;\toffset:20;\tsize:4;\tsigned:1;\n"
#define OK_ID "\tfield:__data_loc char[] __ok_id;\toffset:24;\tsize:4;\tsigned:1;\n"
#define OK0_ID "\tfield:__data_loc char[] __ok0_id;\toffset:28;\tsize:4;\tsigned:1;\n"
#define PRINT \
	"\nprint fmt: \"(%lx) id=%d text=\\\"%s\\\" __ok_id=\\\"%s\\\"\", " \
	"REC->__probe_ip, REC->id, __get_str(text), __get_str(__ok_id)\n"

enum { LEN = 48, DATA = 32 };

static const char good[] = COMMON PROBE ID TEXT OK_ID OK0_ID PRINT;

static struct pt_tp_db *db_of(const char *text, bool swap)
{
	struct pt_tp_db *db = pt_tp_db_new(swap, 8);
	struct pt_err e = PT_ERR_INIT;

	if (pt_tp_db_add_format(db, "sys", text, strlen(text), &e) < 0)
		FAIL("%s", e.msg);
	return db;
}

static void put(uint8_t *raw, size_t off, uint32_t v, bool swap)
{
	v = swap ? bswap_32(v) : v;
	memcpy(raw + off, &v, sizeof(v));
}

/* Lengths of the strings text, __ok_id and __ok0_id, whose data follow each other. */
static void record(uint8_t *raw, unsigned text, unsigned ok, unsigned ok0, bool swap)
{
	memset(raw, 0, LEN);
	put(raw, 16, 333, swap);
	put(raw, 20, text << 16 | DATA, swap);
	put(raw, 24, ok << 16 | (DATA + text), swap);
	put(raw, 28, ok0 << 16 | (DATA + text + ok), swap);
}

static bool faulted(const struct pt_tp_db *db, const char *name, const uint8_t *raw, size_t len,
		    bool swap)
{
	const struct pt_tp_field *f = pt_tp_field(pt_tp_db_at(db, 0), name);

	if (!f)
		FAIL("no field %s", name);
	return pt_tp_faulted(f, pt_test_guarded(raw, len), len, swap);
}

TEST(lengths_tell)
{
	for (int swap = 0; swap < 2; swap++) {
		struct pt_tp_db *db = db_of(good, swap);
		uint8_t raw[LEN];

		CHECK_INT(pt_tp_db_at(db, 0)->nr_guards, 2);
		CHECK(!pt_tp_field(pt_tp_db_at(db, 0), "__ok_id"));
		record(raw, 1, 1, 1, swap);
		CHECK(!faulted(db, "id", raw, LEN, swap) && !faulted(db, "text", raw, LEN, swap));
		record(raw, 0, 1, 1, swap);
		CHECK(!faulted(db, "id", raw, LEN, swap) && faulted(db, "text", raw, LEN, swap));
		record(raw, 1, 0, 1, swap);
		CHECK(faulted(db, "id", raw, LEN, swap) && !faulted(db, "text", raw, LEN, swap));
		record(raw, 1, 1, 0, swap);
		CHECK(faulted(db, "id", raw, LEN, swap));
		CHECK(!faulted(db, "__probe_ip", raw, LEN, swap));
		pt_tp_db_free(db);
	}
}

/* A pointer in front of the string cannot be read: its length is the room left, and the next
 * string begins there, too. */
TEST(room_left_is_a_fault)
{
	struct pt_tp_db *db = db_of(good, false);
	uint8_t raw[LEN];

	record(raw, 1, 9, 1, false);
	CHECK(!faulted(db, "id", raw, LEN, false));
	put(raw, 28, 1 << 16 | (DATA + 1), false);
	CHECK(faulted(db, "id", raw, LEN, false));
	pt_tp_db_free(db);
}

TEST(text_of_older_kernels)
{
	struct pt_tp_db *db = db_of(good, false);
	struct pt_buf out = PT_BUF_INIT;
	uint8_t raw[LEN];

	record(raw, 1, 8, 1, false);
	memcpy(raw + DATA + 1, "(fault)", 8);
	CHECK(faulted(db, "id", raw, LEN, false));
	pt_tp_print(pt_tp_db_at(db, 0), raw, LEN, &out);
	CHECK_STR(pt_buf_str(&out), "(0) id=(fault) text=\"\"");
	memcpy(raw + DATA + 1, "(faulT)", 8);
	CHECK(!faulted(db, "id", raw, LEN, false));
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
}

/* A record that ends before its guard is a fault; data outside the record are not looked at. */
TEST(damaged_records)
{
	struct pt_tp_db *db = db_of(good, false);
	uint8_t raw[LEN];

	record(raw, 1, 1, 1, false);
	for (size_t len = 20; len < 32; len++)
		CHECK(faulted(db, "id", raw, len, false));
	put(raw, 24, 8 << 16 | 0xffff, false);
	CHECK(!faulted(db, "id", raw, LEN, false));
	put(raw, 24, 8 << 16 | (LEN - 7), false);
	CHECK(!faulted(db, "id", raw, LEN, false));
	pt_tp_db_free(db);
}

TEST(wrong_formats)
{
	static const struct {
		const char *text;
		unsigned nr_guards;
	} cases[] = {
		{ COMMON ID OK_ID PRINT, 0 },		/* no probe: a tracepoint's own field */
		{ COMMON PROBE OK_ID PRINT, 1 },		/* a guard without its value */
		{ COMMON PROBE ID PRINT, 0 },			/* a value without its guard */
		{ COMMON PROBE OK_ID ID PRINT, 0 },		/* guards are last */
		{ COMMON PROBE ID
		  "\tfield:u32 __ok_id;\toffset:24;\tsize:4;\tsigned:0;\n" PRINT, 0 },
		{ COMMON PROBE ID OK_ID OK_ID OK_ID PRINT, 3 },	/* one name thrice */
		{ COMMON PROBE ID
		  "\tfield:__data_loc char[] __ok_id;\toffset:70000;\tsize:4;\tsigned:1;\n"
		  PRINT, 1 },
	};
	uint8_t raw[LEN];

	record(raw, 1, 1, 1, false);
	for (size_t i = 0; i < PT_NR(cases); i++) {
		struct pt_tp_db *db = db_of(cases[i].text, false);
		const struct pt_tp *tp = pt_tp_db_at(db, 0);

		CHECK_INT(tp->nr_guards, cases[i].nr_guards);
		for (size_t k = 0; k < tp->nr_fields; k++) {
			CHECK(tp->fields[k].nr_guards <= PT_TP_GUARDS);
			CHECK(!pt_tp_faulted(&tp->fields[k], raw, LEN, false));
		}
		pt_tp_db_free(db);
	}
}
