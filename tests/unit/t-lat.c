/* Pairing against records made by hand. */
#include "test.h"

#include <byteswap.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/began.h"
#include "lat/lat.h"
#include "lat/lat_sum.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define REQUEST "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
#define ISSUE REQUEST "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n" \
	"\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
#define COMPLETE REQUEST "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n"
#define REQUEUE REQUEST "\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n"
#define SPLIT "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:sector_t new_sector;\toffset:24;\tsize:8;\tsigned:0;\n"
#define WAKE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
#define SWITCH "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n" \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n" \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
#define ENTER "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
#define EXIT ENTER "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"

enum { INSERT, ISSUED, COMPLETED, REQUEUED, MERGED, SPLITTED, WAKING, WAKEUP, SWITCHED, ENTERED, EXITED, PROBED, RETURNED, NR };

static const struct { const char *system, *name, *fields; } formats[NR] = {
	{ "block", "block_rq_insert", ISSUE }, { "block", "block_rq_issue", ISSUE }, { "block", "block_rq_complete", COMPLETE },
	{ "block", "block_rq_requeue", REQUEUE }, { "block", "block_rq_merge", ISSUE }, { "block", "block_split", SPLIT },
	{ "sched", "sched_waking", WAKE }, { "sched", "sched_wakeup", WAKE }, { "sched", "sched_switch", SWITCH },
	{ "raw_syscalls", "sys_enter", ENTER }, { "raw_syscalls", "sys_exit", EXIT },
	{ "probe", "foo", "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n" },
	{ "probe", "foo__return", "\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n" },
};

/* An engine over events made from those formats, and what came out of it. */
static struct bench {
	struct pt_tp_db *db;
	struct pt_event events[NR];
	char names[NR][64];
	struct pt_lat *lat;
	struct pt_began *began;		/* NULL: not asked for */
	struct pt_latency got[64];
	char words[64][128];
	size_t nr;
	struct pt_err err;
	bool failed;
	uint64_t time_ns;
	uint32_t pid, tid, cpu;
	bool swap;			/* the records' numbers stand in the other byte order */
	bool many;			/* more samples than can each end at an unmapped page */
} b;

static void begin(const struct pt_lat_opts *o)
{
	struct pt_buf text = PT_BUF_INIT;

	memset(&b, 0, sizeof(b));
	b.db = pt_tp_db_new(false, 8);
	for (int i = 0; i < NR; i++) {
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %d\nformat:\n" COMMON "%s\nprint fmt: \"\"\n", formats[i].name, 100 + i, formats[i].fields);
		if (pt_tp_db_add_format(b.db, formats[i].system, text.data, text.len, &b.err) < 0)
			FAIL("%s: %s", formats[i].name, b.err.msg);
		snprintf(b.names[i], sizeof(b.names[i]), "%s:%s", formats[i].system, formats[i].name);
		b.events[i] = (struct pt_event){ .index = (unsigned)i, .name = b.names[i], .tp = pt_tp_db_by_id(b.db, 100 + i) };
		CHECK(b.events[i].tp);
	}
	pt_buf_deinit(&text);
	b.lat = pt_lat_new(o, NULL);
	b.began = o->began_ctx;
	b.pid = b.tid = 7;
}

static void end(void)
{
	pt_lat_free(b.lat);
	pt_tp_db_free(b.db);
}

static void feed(struct pt_record *rec)
{
	struct pt_latency lat;
	struct pt_buf words = PT_BUF_INIT;
	int rc;

	memset(&lat, 0xa5, sizeof(lat));
	if (b.began)
		pt_began_see(b.began, rec);
	rc = pt_lat_feed(b.lat, rec, &lat, &b.err);
	if (rc < 0)
		b.failed = true;
	if (rc > 0 && b.nr < PT_NR(b.got)) {
		pt_lat_words(b.lat, &lat, rec, &words);
		if (b.began)
			pt_began_words(b.began, &lat, &words);
		snprintf(b.words[b.nr], sizeof(b.words[0]), "%s", pt_buf_str(&words));
		pt_buf_deinit(&words);
		b.got[b.nr++] = lat;
	}
}

static void sample(int event, uint64_t time_us, void *raw, uint32_t len)
{
	struct pt_record rec = {
		.type = PERF_RECORD_SAMPLE, .has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW, .event = &b.events[event],
		.time_ns = time_us * 1000, .pid = b.pid, .tid = b.tid, .cpu = b.cpu, .swap = b.swap,
	};

	rec.sample.raw = b.many ? raw : pt_test_guarded(raw, len);
	rec.sample.raw_len = len;
	feed(&rec);
}

#define DEV(major, minor) ((uint32_t)(major) << 20 | (minor))
enum { VDA = DEV(254, 0), VDB = DEV(254, 16) };

static void request_err(int event, uint64_t time_us, uint32_t dev, uint64_t sector, uint32_t nr, const char *rwbs, int32_t error)
{
	uint8_t raw[56] = { 0 };

	if (b.swap) {
		dev = bswap_32(dev);
		sector = bswap_64(sector);
		nr = bswap_32(nr);
		error = (int32_t)bswap_32((uint32_t)error);
	}
	memset(raw + 32, 'x', 8);		/* what is behind the NUL is anything */
	memcpy(raw + 8, &dev, 4);
	memcpy(raw + 16, &sector, 8);
	memcpy(raw + 24, &nr, 4);
	memcpy(raw + 28, &error, 4);
	strcpy((char *)raw + 32, rwbs);
	strcpy((char *)raw + 40, "fio");
	sample(event, time_us, raw, event == COMPLETED || event == REQUEUED ? 40 : 56);
}

static void request(int event, uint64_t time_us, uint32_t dev, uint64_t sector, uint32_t nr)
{
	request_err(event, time_us, dev, sector, nr, "R", 0);
}

static void lost(uint64_t how_many)
{
	struct pt_record rec = { .type = PERF_RECORD_LOST };

	rec.u.lost.lost = how_many;
	feed(&rec);
}

static void check(size_t i, uint64_t end_us, uint64_t latency_us)
{
	CHECK(i < b.nr);
	CHECK_INT(b.got[i].end_ns, end_us * 1000);
	CHECK_INT(b.got[i].latency_ns, latency_us * 1000);
	CHECK_INT(b.got[i].end_ns - b.got[i].start_ns, b.got[i].latency_ns);
}

static struct pt_lat_counts counts(void)
{
	return pt_lat_counts(b.lat);
}

static const char *notes(void)
{
	static char text[2048];
	struct pt_buf n = PT_BUF_INIT;
	size_t i = 0, nr = 0;

	while (pt_lat_note(b.lat, &i, &n) && nr++ < 100)
		pt_buf_putc(&n, '\n');
	CHECK(nr < 100);
	snprintf(text, sizeof(text), "%s", pt_buf_str(&n));
	pt_buf_deinit(&n);
	return text;
}

static const struct pt_lat_opts block = { .kind = PT_LAT_BLOCK, .want_comm = true }, queued = { .kind = PT_LAT_BLOCK, .queued = true },
	sched = { .kind = PT_LAT_SCHED, .want_comm = true }, calls = { .kind = PT_LAT_SYSCALL }, probe = { .kind = PT_LAT_PROBE, .from = "foo", .to = "foo__return" };

TEST(block_pairs_by_sector)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	request(ISSUED, 20, VDA, 1600, 8);
	request(COMPLETED, 50, VDA, 1600, 8);
	request(COMPLETED, 60, VDA, 800, 8);
	CHECK_INT(b.nr, 2);
	check(0, 50, 30);
	check(1, 60, 50);
	CHECK_INT(b.got[1].sector, 800);
	CHECK_INT(b.got[1].nr_sectors, 8);
	CHECK_INT(b.got[1].dev, VDA);
	CHECK_INT(b.got[1].nr, -1);
	CHECK(!b.got[1].name);
	CHECK_STR(b.got[1].comm, "fio");
	CHECK_STR(b.words[1], "254,0 R 800+8 7 fio");
	CHECK_STR(notes(), "");
	CHECK_STR(pt_lat_title(b.lat), "block_rq_issue -> block_rq_complete");
	end();
}

TEST(block_other_byte_order)
{
	begin(&block);
	b.swap = true;
	request(ISSUED, 10, VDA, 800, 24);
	request(COMPLETED, 20, VDA, 800, 8);
	request_err(COMPLETED, 30, VDA, 808, 16, "R", -5);
	request_err(ISSUED, 40, VDB, 0, 0, "FF", 0);
	request_err(COMPLETED, 50, VDB, UINT64_MAX, 0, "FF", 0);
	CHECK_INT(b.nr, 2);
	check(0, 30, 20);
	check(1, 50, 10);
	CHECK_INT(b.got[0].error, -5);
	CHECK_STR(b.words[0], "254,0 R 800+24 7 fio");
	CHECK_STR(b.words[1], "254,16 FF 0+0 7 fio");
	end();
}

/* Who put a request into the queue is told where another task issued it. */
TEST(block_inserted_by_others)
{
	struct pt_lat_opts o = { .kind = PT_LAT_BLOCK, .want_comm = true, .began = pt_began_note };

	o.began_ctx = pt_began_new(NULL, false);
	begin(&o);
	b.tid = 20;
	request(INSERT, 1, VDA, 800, 24);
	request(INSERT, 2, VDB, 800, 8);
	request(INSERT, 3, VDA, 1600, 8);
	request(ISSUED, 4, VDA, 1600, 8);
	b.tid = 7;
	request(ISSUED, 5, VDA, 800, 24);
	request(ISSUED, 6, VDA, 2400, 8);
	request(COMPLETED, 10, VDA, 800, 8);		/* in parts */
	request(COMPLETED, 11, VDA, 808, 16);
	request(COMPLETED, 12, VDA, 1600, 8);
	request(COMPLETED, 13, VDA, 2400, 8);
	CHECK_INT(b.nr, 3);
	CHECK_STR(b.words[0], "254,0 R 800+24 7 fio inserted by 20 fio");
	CHECK_STR(b.words[1], "254,0 R 1600+8 20 fio");
	CHECK_STR(b.words[2], "254,0 R 2400+8 7 fio");
	pt_began_free(b.began);
	end();
}

TEST(block_two_devices)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	request(ISSUED, 11, VDB, 800, 8);
	request(COMPLETED, 20, VDB, 800, 8);
	request(COMPLETED, 30, VDA, 800, 8);
	CHECK_INT(b.nr, 2);
	check(0, 20, 9);
	check(1, 30, 20);
	CHECK_INT(b.got[0].dev, VDB);
	CHECK_STR(b.words[0], "254,16 R 800+8 7 fio");
	end();
}

TEST(block_same_sector_twice_in_flight)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	request(ISSUED, 15, VDA, 800, 8);
	CHECK_INT(counts().open, 2);
	request(COMPLETED, 20, VDA, 800, 8);
	request(COMPLETED, 30, VDA, 800, 8);
	CHECK_INT(b.nr, 2);
	check(0, 20, 5);
	check(1, 30, 20);
	CHECK_INT(counts().unpaired + counts().open + counts().unanswered, 0);
	end();
}

/* A completion that never came: the issue it left behind takes nothing from those after it, however often the sector is used again. */
TEST(block_missed_completion)
{
	uint64_t t;

	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	for (t = 1000; t < 9000; t += 1000) {
		request(ISSUED, t, VDA, 800, 8);
		request(COMPLETED, t + 50, VDA, 800, 8);
		check((size_t)(t / 1000 - 1), t + 50, 50);
	}
	CHECK_INT(counts().open, 1);
	CHECK_INT(counts().unpaired, 0);
	end();
}

TEST(block_stale_start)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	request(ISSUED, 5000000, VDA, 800, 8);
	request(COMPLETED, 5000100, VDA, 800, 8);
	CHECK_INT(b.nr, 1);
	check(0, 5000100, 100);
	CHECK_INT(counts().unanswered, 1);
	CHECK_INT(counts().open, 0);
	CHECK_HAS(notes(), "1 issue whose completion was not recorded");
	end();
}

TEST(block_partial_completion)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 24);
	request(COMPLETED, 20, VDA, 800, 8);
	CHECK_INT(b.nr, 0);
	request(COMPLETED, 30, VDA, 808, 8);
	request(COMPLETED, 40, VDA, 816, 8);
	CHECK_INT(b.nr, 1);
	check(0, 40, 30);
	CHECK_INT(b.got[0].sector, 800);
	CHECK_INT(b.got[0].nr_sectors, 24);
	CHECK_INT(counts().unpaired, 0);
	CHECK_INT(counts().open, 0);
	end();
}

TEST(block_requeued)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	request(REQUEUED, 12, VDA, 800, 8);
	request(ISSUED, 100, VDA, 800, 8);
	request(COMPLETED, 130, VDA, 800, 8);
	CHECK_INT(b.nr, 1);
	check(0, 130, 30);
	CHECK_INT(counts().requeued, 1);
	CHECK_INT(counts().open, 0);
	end();
}

TEST(block_queued)
{
	begin(&queued);
	request(INSERT, 10, VDA, 800, 8);
	request(ISSUED, 15, VDA, 800, 8);
	request(COMPLETED, 30, VDA, 800, 8);
	check(0, 30, 20);
	CHECK_STR(pt_lat_title(b.lat), "block_rq_insert -> block_rq_complete");
	/* Requeued: goes on waiting, whether it is inserted again or not. */
	request(INSERT, 110, VDA, 800, 8);
	request(ISSUED, 115, VDA, 800, 8);
	request(REQUEUED, 116, VDA, 800, 8);
	request(INSERT, 117, VDA, 800, 8);
	request(ISSUED, 120, VDA, 800, 8);
	request(COMPLETED, 150, VDA, 800, 8);
	check(1, 150, 40);
	CHECK_INT(counts().open, 0);
	/* No insert: from issue, and said. */
	request(ISSUED, 200, VDA, 1600, 8);
	request(REQUEUED, 201, VDA, 1600, 8);
	request(ISSUED, 202, VDA, 1600, 8);
	request(COMPLETED, 203, VDA, 1600, 8);
	check(2, 203, 3);
	CHECK_INT(counts().bypassed, 1);
	CHECK_INT(counts().open, 0);
	CHECK_HAS(notes(), "1 request measured from the issue");
	/* The same sector twice in the queue. */
	request(INSERT, 300, VDA, 800, 8);
	request(INSERT, 301, VDA, 800, 8);
	request(ISSUED, 302, VDA, 800, 8);
	request(ISSUED, 303, VDA, 800, 8);
	request(COMPLETED, 310, VDA, 800, 8);
	request(COMPLETED, 320, VDA, 800, 8);
	check(3, 310, 10);
	check(4, 320, 19);
	CHECK_INT(b.nr, 5);
	CHECK_INT(counts().bypassed, 1);
	end();
}

TEST(block_merged)
{
	begin(&queued);
	/* Behind: 808 becomes part of 800, then of a greater one still; 900 stays alone. */
	request(INSERT, 10, VDA, 800, 8);
	request(INSERT, 11, VDA, 808, 8);
	request(INSERT, 12, VDA, 816, 8);
	request(INSERT, 13, VDA, 900, 8);
	request(MERGED, 14, VDA, 816, 8);
	request(MERGED, 15, VDA, 808, 16);
	request(ISSUED, 20, VDA, 800, 24);
	CHECK_INT(counts().open, 2);
	request(COMPLETED, 30, VDA, 800, 24);
	CHECK_INT(b.nr, 1);
	check(0, 30, 20);
	CHECK_INT(b.got[0].nr_sectors, 24);
	/* A bio put in front of it: it is issued under another sector than it was inserted. */
	request(ISSUED, 40, VDA, 892, 16);
	request(COMPLETED, 50, VDA, 892, 16);
	check(1, 50, 37);
	CHECK_INT(counts().open, 0);
	CHECK_INT(counts().bypassed, 0);
	/* The earlier time of two that merged. */
	request(INSERT, 60, VDA, 1008, 8);
	request(INSERT, 65, VDA, 1000, 8);
	request(MERGED, 66, VDA, 1008, 8);
	request(ISSUED, 70, VDA, 1000, 16);
	request(COMPLETED, 80, VDA, 1000, 16);
	check(2, 80, 20);
	CHECK_INT(b.nr, 3);
	CHECK_INT(counts().open, 0);
	/* In issue mode merges do not matter. */
	end();
	begin(&block);
	request(INSERT, 10, VDA, 800, 8);
	request(INSERT, 11, VDA, 808, 8);
	request(MERGED, 12, VDA, 808, 8);
	request(ISSUED, 20, VDA, 800, 16);
	request(COMPLETED, 30, VDA, 800, 16);
	CHECK_INT(b.nr, 1);
	check(0, 30, 10);
	CHECK_STR(notes(), "");
	end();
}

TEST(block_split)
{
	begin(&block);
	request(SPLITTED, 5, VDA, 800, 816);
	request(ISSUED, 10, VDA, 800, 16);
	request(ISSUED, 11, VDA, 816, 8);
	request(COMPLETED, 20, VDA, 816, 8);
	request(COMPLETED, 30, VDA, 800, 16);
	CHECK_INT(b.nr, 2);
	check(0, 20, 9);
	check(1, 30, 20);
	CHECK_STR(notes(), "");
	end();
}

/* What was not completed: as issued, whatever part of it is done; one that was merged is in another. */
TEST(block_open)
{
	static const struct { const struct pt_lat_opts *o; int first; } cases[] = { { &block, ISSUED }, { &queued, INSERT } };

	for (size_t k = 0; k < PT_NR(cases); k++) {
		struct pt_buf words = PT_BUF_INIT;
		struct pt_latency lat;
		size_t i = 0, nr = 0;

		begin(cases[k].o);
		request(cases[k].first, 100, VDA, 1000, 8);
		request(COMPLETED, 300, VDA, 1000, 8);
		request_err(cases[k].first, 400, VDB, 2000, 16, "WSabcdefgh", 0);
		request(COMPLETED, 500, VDB, 2000, 4);
		request_err(cases[k].first, 600, VDA, 0, 0, "FF", 0);
		request(INSERT, 700, VDA, 5000, 8);
		request(MERGED, 710, VDA, 5000, 8);
		request(cases[k].first, 2000, VDA, 3000, 8);	/* later than the end */
		while (pt_lat_open(b.lat, &i, 1000000, &lat)) {
			CHECK(lat.open && lat.end_ns == 1000000 && lat.latency_ns == lat.end_ns - lat.start_ns && lat.tid == 7);
			pt_lat_words(b.lat, &lat, NULL, &words);
			pt_buf_printf(&words, " %llu, ", (unsigned long long)lat.latency_ns / 1000);
			nr++;
		}
		CHECK_HAS(pt_buf_str(&words), k ? "254,16 WSabcdef 2000+16 7 600, " : "254,16 WSabcdef 2000+16 7 fio 600, ");
		CHECK_HAS(pt_buf_str(&words), k ? "254,0 FF 0+0 7 400, " : "254,0 FF 0+0 7 fio 400, ");
		CHECK_INT(nr, 2);
		pt_buf_deinit(&words);
		end();
	}
}

TEST(block_flush)
{
	begin(&block);
	request_err(ISSUED, 10, VDA, 0, 0, "FF", 0);
	request_err(ISSUED, 11, VDB, 0, 0, "FF", 0);
	request(ISSUED, 12, VDA, 0, 8);			/* sector 0 is a sector, too */
	request_err(COMPLETED, 20, VDA, UINT64_MAX, 0, "FF", 0);
	request_err(COMPLETED, 21, VDA, 0, 0, "FWS", 0);	/* the write it came with: never issued */
	request_err(COMPLETED, 21, VDA, 0, 0, "WS", 0);
	request_err(COMPLETED, 22, VDB, UINT64_MAX, 0, "FF", 0);
	request(COMPLETED, 25, VDA, 0, 8);
	CHECK_INT(b.nr, 3);
	check(0, 20, 10);
	check(1, 22, 11);
	check(2, 25, 13);
	CHECK_INT(b.got[0].sector, 0);
	CHECK_STR(b.words[0], "254,0 FF 0+0 7 fio");
	request_err(COMPLETED, 26, VDB, UINT64_MAX, 0, "FF", 0);
	CHECK_INT(counts().unpaired, 1);	/* that one was issued: before the recording */
	/* Two at once: in order. A passed-through command: completed with bytes, issued without. */
	request_err(ISSUED, 30, VDA, 0, 0, "FF", 0);
	request_err(ISSUED, 31, VDA, 0, 0, "N", 0);
	request_err(ISSUED, 32, VDA, 0, 0, "FF", 0);
	request_err(COMPLETED, 40, VDA, UINT64_MAX, 0, "FF", 0);
	request_err(COMPLETED, 41, VDA, UINT64_MAX, 1, "N", 0);
	request_err(COMPLETED, 42, VDA, UINT64_MAX, 0, "FF", 0);
	check(3, 40, 10);
	check(4, 41, 10);
	check(5, 42, 10);
	CHECK_INT(counts().open, 0);
	end();
}

TEST(block_discard_and_errors)
{
	begin(&block);
	request_err(ISSUED, 10, VDA, 800, 2048, "D", 0);
	request_err(ISSUED, 11, VDA, 9000, 0, "ZR", 0);	/* a zone's reset has a sector and no sectors */
	request_err(COMPLETED, 20, VDA, 800, 2048, "D", 0);
	request_err(COMPLETED, 21, VDA, 9000, 0, "ZR", -5);
	CHECK_INT(b.nr, 2);
	check(0, 20, 10);
	check(1, 21, 10);
	CHECK_INT(b.got[1].error, -5);
	CHECK_INT(counts().failed, 1);
	CHECK_HAS(notes(), "1 completion with an error");
	end();
}

TEST(block_edges)
{
	begin(&block);
	request(COMPLETED, 5, VDA, 100, 8);
	request(COMPLETED, 6, VDA, 108, 8);
	request(ISSUED, 10, VDA, 800, 8);
	CHECK_INT(b.nr, 0);
	CHECK_INT(counts().unpaired, 2);
	CHECK_INT(counts().open, 1);
	CHECK_STR(notes(), "2 completions without an issue: begun before the recording, or not recorded\n"
		  "1 issue without a completion: still under way at the end, or not recorded\n");
	end();
}

/* No record was lost: there are more starts than the table has room for. */
TEST(full_table_is_no_loss)
{
	begin(&block);
	b.many = true;
	for (uint64_t i = 0; i <= 1048576; i++)
		request(ISSUED, 10, VDA, 8 * i, 8);
	CHECK_INT(counts().forgotten, 0);
	CHECK_INT(counts().crowded_out, 1048576);
	CHECK_INT(counts().open, 1);
	CHECK_HAS(notes(), "1048576 issues left out: too many were open at once");
	CHECK(!strstr(notes(), "lost"));
	end();
}

TEST(block_loss_forgets)
{
	begin(&block);
	request(ISSUED, 10, VDA, 800, 8);
	request(ISSUED, 11, VDA, 800, 8);
	lost(0);
	CHECK_INT(counts().open, 2);
	lost(17);
	CHECK_INT(counts().open, 0);
	CHECK_INT(counts().forgotten, 2);
	request(COMPLETED, 5000, VDA, 800, 8);
	CHECK_INT(b.nr, 0);
	CHECK_INT(counts().unpaired, 1);
	request(ISSUED, 6000, VDA, 800, 8);
	request(COMPLETED, 6010, VDA, 800, 8);
	check(0, 6010, 10);
	CHECK_HAS(notes(), "2 issues left out: records were lost while they were open");
	end();
}

TEST(block_cut_samples)
{
	uint8_t raw[56] = { 0 };

	begin(&block);
	for (uint32_t len = 0; len < 56; len++)
		sample(ISSUED, 10, raw, len);
	for (uint32_t len = 0; len < 40; len++)
		sample(COMPLETED, 10, raw, len);
	CHECK_INT(counts().bad, 96);
	CHECK_INT(b.nr, 0);
	CHECK(!b.failed);
	/* An end before its start. */
	request(ISSUED, 100, VDA, 800, 8);
	request(COMPLETED, 90, VDA, 800, 8);
	CHECK_INT(b.nr, 0);
	CHECK_INT(counts().bad, 97);
	end();
}

/* Many at once, against a table that grows and closes up. */
TEST(block_many)
{
	enum { MANY = 20000 };

	begin(&block);
	for (unsigned i = 0; i < MANY; i++) {
		struct pt_record rec = { .type = PERF_RECORD_SAMPLE, .has = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .event = &b.events[ISSUED], .time_ns = 1000 + i };
		uint8_t raw[56] = { 0 };
		uint64_t sector = (i * 7919u % MANY) * 8;

		memcpy(raw + 16, &sector, 8);
		raw[24] = 8;
		rec.sample.raw = raw;
		rec.sample.raw_len = sizeof(raw);
		feed(&rec);
	}
	CHECK_INT(counts().open, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		struct pt_record rec = { .type = PERF_RECORD_SAMPLE, .has = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .event = &b.events[COMPLETED], .time_ns = 100000 };
		uint8_t raw[40] = { 0 };
		uint64_t sector = (uint64_t)i * 8;

		memcpy(raw + 16, &sector, 8);
		raw[24] = 8;
		rec.sample.raw = raw;
		rec.sample.raw_len = sizeof(raw);
		feed(&rec);
	}
	CHECK_INT(counts().pairs, MANY);
	CHECK_INT(counts().open + counts().unpaired, 0);
	end();
}

static void wake(int event, uint64_t time_us, int32_t pid)
{
	uint8_t raw[28] = { 0 };

	memcpy(raw + 24, &pid, 4);
	sample(event, time_us, raw, sizeof(raw));
}

static void switch_to(uint64_t time_us, uint32_t cpu, int32_t prev, int64_t state, int32_t next)
{
	uint8_t raw[64] = { 0 };

	memcpy(raw + 24, &prev, 4);
	memcpy(raw + 32, &state, 8);
	strcpy((char *)raw + 40, next == 20 ? "worker" : "other");
	memcpy(raw + 56, &next, 4);
	b.cpu = cpu;
	b.tid = (uint32_t)prev;
	sample(SWITCHED, time_us, raw, sizeof(raw));
}

TEST(sched_wakeup_to_run)
{
	begin(&sched);
	wake(WAKING, 10, 20);
	wake(WAKEUP, 12, 20);			/* the same one, on its way: the first counts */
	switch_to(15, 0, 0, 0, 20);
	CHECK_INT(b.nr, 1);
	check(0, 15, 5);
	CHECK_INT(b.got[0].tid, 20);
	CHECK_STR(b.got[0].comm, "worker");
	CHECK_STR(b.words[0], "20 worker");
	/* Preempted: comes in again without a wake-up, and that is no wake-up's latency. */
	switch_to(20, 0, 20, 0x100, 30);
	switch_to(29, 0, 30, 1, 20);
	CHECK_INT(b.nr, 1);
	CHECK_INT(counts().unpaired, 1);	/* 30: was runnable before the recording */
	/* Sleeps, is woken, only sched_wakeup is seen. */
	switch_to(40, 0, 20, 1, 0);
	wake(WAKEUP, 50, 20);
	switch_to(53, 0, 0, 0, 20);
	check(1, 53, 3);
	CHECK_INT(counts().gaps, 0);
	CHECK_INT(counts().open, 0);
	end();
}

TEST(sched_preempted)
{
	struct pt_lat_opts o = sched;

	o.preempted = true;
	begin(&o);
	wake(WAKING, 10, 20);
	switch_to(15, 0, 0, 0, 20);
	switch_to(20, 0, 20, 0, 30);
	switch_to(29, 0, 30, 1, 20);
	CHECK_INT(b.nr, 2);
	check(1, 29, 9);
	end();
}

/* Woken while it still runs: nothing to wait for. */
TEST(sched_woken_while_running)
{
	begin(&sched);
	wake(WAKING, 10, 20);
	switch_to(15, 0, 0, 0, 20);
	wake(WAKING, 16, 20);			/* was about to sleep, and did not */
	wake(WAKEUP, 16, 20);
	switch_to(1000, 0, 20, 1, 0);		/* sleeps much later */
	wake(WAKING, 5000, 20);
	switch_to(5004, 0, 0, 0, 20);
	CHECK_INT(b.nr, 2);
	check(1, 5004, 4);
	/* A race: it was leaving while the waker came, who waited until it was off the CPU. */
	wake(WAKING, 6000, 20);
	switch_to(6002, 0, 20, 1, 0);
	wake(WAKEUP, 6003, 20);
	switch_to(6007, 1, 0, 0, 20);
	check(2, 6007, 5);
	/* And preempted right after a wake-up that meant nothing. */
	wake(WAKING, 6100, 20);
	switch_to(6110, 1, 20, 0, 30);
	switch_to(6210, 1, 30, 1, 20);
	CHECK_INT(b.nr, 3);
	end();
}

/* Each task leaves once and was not seen to come in. Idle tasks that leave are seen only by who watches CPUs, not tasks. */
TEST(sched_gaps_have_their_reason)
{
	begin(&sched);
	for (int i = 0; i < 8; i++)
		switch_to(10 + i, 0, 100 + i, 1, 0);
	CHECK_HAS(notes(), "as where single tasks are watched: record with -a");
	end();
	begin(&sched);
	switch_to(1, 1, 0, 0, 50);
	for (int i = 0; i < 8; i++)
		switch_to(10 + i, 0, 100 + i, 1, 0);
	CHECK(!strstr(notes(), "-a"));
	CHECK_HAS(notes(), "; CPUs were watched, not single tasks: they were lost, or left out by a filter");
	end();
}

TEST(sched_gaps)
{
	begin(&sched);
	switch_to(1, 0, 0, 0, 10);
	wake(WAKING, 5, 20);
	wake(WAKING, 6, 40);
	/* 10 came in last, 20 leaves: the switch that brought it in is missing. */
	switch_to(20, 0, 20, 1, 0);
	CHECK_INT(counts().gaps, 1);
	CHECK_INT(counts().spanning, 1);
	switch_to(30, 1, 0, 0, 40);
	CHECK_INT(b.nr, 1);
	check(0, 30, 24);
	/* 20 again, seen; then from idle, unseen. */
	wake(WAKING, 31, 20);
	switch_to(33, 0, 0, 0, 20);
	check(1, 33, 2);
	switch_to(35, 0, 20, 1, 0);
	wake(WAKING, 40, 20);
	switch_to(50, 0, 20, 1, 0);
	CHECK_INT(counts().gaps, 2);
	CHECK_INT(counts().spanning, 2);
	/* Idle leaves, and was not seen to come: of no task. */
	switch_to(51, 0, 0, 0, 60);
	switch_to(55, 0, 0, 0, 70);
	CHECK_INT(counts().gaps, 3);
	CHECK_INT(counts().spanning, 2);
	/* Woken while it waits: a runnable task cannot be; it ran unseen, and this is another time. */
	wake(WAKING, 100, 80);
	wake(WAKEUP, 101, 80);
	wake(WAKING, 9000, 80);
	wake(WAKEUP, 9001, 80);
	switch_to(9005, 1, 40, 1, 80);
	CHECK_INT(b.nr, 3);
	check(2, 9005, 5);
	CHECK_INT(counts().spanning, 3);
	CHECK_HAS(notes(), "3 switches of tasks missing");
	CHECK_HAS(notes(), "3 wake-ups left out");
	/* A loss: neither starts nor what ran are known any more. */
	wake(WAKING, 9006, 90);
	lost(3);
	switch_to(9090, 0, 99, 1, 90);
	CHECK_INT(b.nr, 3);
	CHECK_INT(counts().gaps, 3);
	end();
}

static void call(int event, uint64_t time_us, uint32_t tid, int64_t nr, int64_t ret)
{
	uint8_t raw[24] = { 0 };

	memcpy(raw + 8, &nr, 8);
	memcpy(raw + 16, &ret, 8);
	b.tid = tid;
	sample(event, time_us, raw, event == ENTERED ? 16 : 24);
}

static void task(uint32_t type, uint32_t tid)
{
	struct pt_record rec = { .type = type };

	rec.u.task.pid = rec.u.task.tid = tid;
	feed(&rec);
}

TEST(syscalls)
{
	begin(&calls);
	call(EXITED, 5, 1, 202, 0);		/* was within when the recording began */
	call(ENTERED, 10, 1, 0, 0);
	call(ENTERED, 11, 2, 1, 0);
	call(EXITED, 15, 1, 0, 512);
	call(EXITED, 30, 2, 1, -4);
	CHECK_INT(b.nr, 2);
	check(0, 15, 5);
	check(1, 30, 19);
	CHECK_INT(b.got[0].nr, 0);
	CHECK_INT(b.got[0].error, 0);
	CHECK_INT(b.got[1].nr, 1);
	CHECK_INT(b.got[1].error, -4);
	CHECK_INT(counts().unpaired, 1);
	/* fork: the child returns from it without having called. */
	call(ENTERED, 40, 1, 56, 0);
	task(PERF_RECORD_FORK, 3);
	call(EXITED, 45, 1, 56, 3);
	call(EXITED, 46, 3, 56, 0);
	CHECK_INT(b.nr, 3);
	CHECK_INT(counts().unpaired, 1);
	/* Ends within a call. */
	call(ENTERED, 50, 3, 231, 0);
	task(PERF_RECORD_EXIT, 3);
	CHECK_INT(counts().died, 1);
	CHECK_INT(counts().open, 0);
	/* The return from a signal has no number; another number is another call. */
	call(ENTERED, 60, 1, 15, 0);
	call(EXITED, 61, 1, -1, 0);
	CHECK_INT(b.nr, 4);
	CHECK_INT(b.got[3].nr, 15);
	call(ENTERED, 70, 1, 202, 0);
	call(EXITED, 75, 1, 59, 0);
	CHECK_INT(b.nr, 4);
	CHECK_INT(counts().unpaired, 2);
	CHECK_INT(counts().unanswered, 1);
	call(ENTERED, 80, 1, 0, 0);
	call(ENTERED, 81, 1, 1, 0);
	CHECK_INT(counts().unanswered, 2);
	end();
}

TEST(syscalls_that_go_on)
{
	struct pt_buf words = PT_BUF_INIT;
	struct pt_latency lat;
	size_t i = 0;

	begin(&calls);
	CHECK(!pt_lat_open(b.lat, &i, 100000, &lat));
	call(ENTERED, 10, 1, 0, 0);
	call(ENTERED, 20, 2, 1, 0);
	task(PERF_RECORD_FORK, 4);		/* has not called */
	call(EXITED, 30, 1, 0, 512);
	CHECK(!b.got[0].open);
	CHECK(pt_lat_open(b.lat, &i, 100000, &lat));
	CHECK(lat.open);
	CHECK_INT(lat.tid, 2);
	CHECK_INT(lat.latency_ns, 80000);
	pt_lat_words(b.lat, &lat, NULL, &words);
	CHECK_STR(pt_buf_str(&words), "1 2");	/* of no recording, so of no CPU: calls have numbers only */
	CHECK(!pt_lat_open(b.lat, &i, 100000, &lat));
	pt_buf_deinit(&words);
	end();
}

/* Threads of another pid namespace: tid 0 all of them, told apart by the tracepoint's common_pid. */
TEST(syscalls_of_unknown_threads)
{
	begin(&calls);
	for (uint32_t i = 0; i < 4; i++) {
		uint8_t raw[24] = { 0 };
		uint32_t common_pid = 100 + i % 2;

		memcpy(raw + 4, &common_pid, 4);
		b.tid = 0;
		sample(i < 2 ? ENTERED : EXITED, 10 + 3 * i, raw, sizeof(raw));
	}
	CHECK_INT(b.nr, 2);
	check(0, 16, 6);
	check(1, 19, 6);
	CHECK_STR(notes(), "");
	end();
}

TEST(syscalls_wanted)
{
	struct pt_lat_opts o = { .kind = PT_LAT_SYSCALL, .syscalls = "1,3" };

	begin(&o);
	call(ENTERED, 10, 1, 0, 0);
	call(EXITED, 12, 1, 0, 0);
	call(ENTERED, 13, 1, 1, 0);
	call(EXITED, 15, 1, 1, 0);
	CHECK_INT(b.nr, 1);
	check(0, 15, 2);
	CHECK_STR(notes(), "");
	end();
	o.syscalls = "frobnicate";
	begin(&o);
	call(ENTERED, 10, 1, 0, 0);
	CHECK(b.failed);
	CHECK_HAS(b.err.msg, "frobnicate");
	end();
}

TEST(probes_nest)
{
	begin(&probe);
	call(RETURNED, 5, 1, 0, 0);
	call(PROBED, 10, 1, 0, 0);
	call(PROBED, 11, 2, 0, 0);
	call(PROBED, 12, 1, 0, 0);
	call(PROBED, 13, 1, 0, 0);
	call(RETURNED, 15, 1, 0, 0);
	call(RETURNED, 17, 1, 0, 0);
	call(RETURNED, 18, 2, 0, 0);
	call(RETURNED, 30, 1, 0, 0);
	CHECK_INT(b.nr, 4);
	check(0, 15, 2);
	check(1, 17, 5);
	check(2, 18, 7);
	check(3, 30, 20);
	CHECK_INT(counts().unpaired, 1);
	CHECK_INT(counts().open, 0);
	/* Entries without end stay bounded. */
	b.many = true;
	for (int i = 0; i < 10000; i++)
		call(PROBED, 40, 1, 0, 0);
	CHECK(counts().open < 5000);
	task(PERF_RECORD_EXIT, 1);
	CHECK_INT(counts().open, 0);
	end();
}

TEST(fields)
{
	struct pt_lat_opts o = { .kind = PT_LAT_FIELDS, .from = "sched_waking", .to = "sched:sched_switch", .key = "pid=next_pid" };

	begin(&o);
	wake(WAKING, 10, 20);
	wake(WAKING, 12, 30);
	switch_to(15, 0, 0, 0, 30);
	switch_to(16, 0, 30, 0, 20);
	CHECK_INT(b.nr, 2);
	check(0, 15, 3);
	check(1, 16, 6);
	CHECK_HAS(b.words[1], "next_pid=20");
	end();
	/* Two fields; tid when no key is given; an event with itself; a field that is not there. */
	o = (struct pt_lat_opts){ .kind = PT_LAT_FIELDS, .from = "block_rq_issue", .to = "block_rq_complete", .key = "dev,sector,nr_sector,rwbs" };
	begin(&o);
	request(ISSUED, 10, VDA, 800, 8);
	request(ISSUED, 11, VDA, 800, 16);
	request(COMPLETED, 20, VDA, 800, 16);
	request(COMPLETED, 21, VDA, 800, 8);
	CHECK_INT(b.nr, 2);
	check(0, 20, 9);
	check(1, 21, 11);
	CHECK_STR(b.words[1], "dev=266338304 sector=800 nr_sector=8 rwbs=R 7");
	end();
	o = (struct pt_lat_opts){ .kind = PT_LAT_FIELDS, .from = "foo", .to = "foo" };
	begin(&o);
	call(PROBED, 10, 1, 0, 0);
	call(PROBED, 12, 2, 0, 0);
	call(PROBED, 15, 1, 0, 0);
	call(PROBED, 18, 1, 0, 0);
	CHECK_INT(b.nr, 2);
	check(0, 15, 5);
	check(1, 18, 3);
	CHECK_STR(b.words[0], "tid=1 1");
	end();
	/* By one key as the start, by another as the end: how long tasks ran. */
	o = (struct pt_lat_opts){ .kind = PT_LAT_FIELDS, .from = "sched_switch", .to = "sched_switch", .key = "next_pid=prev_pid" };
	begin(&o);
	switch_to(10, 0, 0, 0, 20);
	switch_to(15, 0, 20, 1, 30);
	switch_to(18, 0, 30, 1, 20);
	switch_to(25, 0, 20, 1, 0);
	CHECK_INT(b.nr, 3);
	check(0, 15, 5);
	check(1, 18, 3);
	check(2, 25, 7);
	CHECK_HAS(b.words[1], "prev_pid=30");
	CHECK_INT(counts().unpaired, 0);
	CHECK_INT(counts().open, 1);
	end();
	o = (struct pt_lat_opts){ .kind = PT_LAT_FIELDS, .from = "block_rq_issue", .to = "block_rq_complete", .key = "bytes" };
	begin(&o);
	request(ISSUED, 10, VDA, 800, 8);
	request(COMPLETED, 20, VDA, 800, 8);
	CHECK(b.failed);
	CHECK_STR(b.err.msg, "block:block_rq_complete has no field bytes that can be used here; its fields: dev, sector, nr_sector, error, rwbs");
	end();
}

/* Two million keys: the first ones have a row, the rest share one, and their texts are not kept. */
TEST(rows_are_bounded)
{
	struct pt_lat_sum s;
	char key[32];

	pt_lat_sum_init(&s);
	for (unsigned i = 0; i < 2000000; i++) {
		size_t n = (size_t)snprintf(key, sizeof(key), "key %u", i);

		pt_hist_add(pt_lat_sum_row(&s, key, n), 1000);
	}
	CHECK_INT(s.nr, 10001);
	CHECK_STR(s.rows[10000]->key, "(others)");
	CHECK_INT(s.rows[10000]->hist.count, 1990000);
	pt_lat_sum_deinit(&s);
}
