/* Records as text and JSON: fields, widths, what is escaped, what is refused. Bytes beside perf's are compared by tests/oracle/script-vs-perf.sh. */
#include "test.h"

#include <stdlib.h>

#include "tracepoint/tp.h"
#include "rec.h"
#include "task/tasks.h"
#include "script/script.h"

#define SAMPLED (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static const struct rec_event events[3] = {
	{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .sample_type = SAMPLED | PERF_SAMPLE_CALLCHAIN,
		    .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_EXCLUDE_GUEST }, .ids = { 10 }, .nr_ids = 1 },
	{ .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 7, .sample_type = SAMPLED | PERF_SAMPLE_RAW,
		    .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_EXCLUDE_GUEST }, .ids = { 20 }, .nr_ids = 1 },
	{ .attr = { .type = PERF_TYPE_HARDWARE, .config = 1, .sample_type = SAMPLED & ~PERF_SAMPLE_CPU,
		    .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_EXCLUDE_GUEST }, .ids = { 30 }, .nr_ids = 1 },
};

static const char format[] =
	"name: thing\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int n;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int list[2];\toffset:20;\tsize:8;\tsigned:0;\n"
	"\tfield:void * p;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"comm=%s n=%d\", REC->comm, REC->n\n";

static void put_fault(struct rec *r)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER, 0x401000, 0 };

	rec_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	rec_u64(r, 10), rec_u64(r, 0xffffffff81000010), rec_u32(r, 41), rec_u32(r, 42), rec_u64(r, 12000345678), rec_u32(r, 3), rec_u32(r, 0);
	rec_u64(r, 5), rec_u64(r, 5), rec_u64s(r, 5, chain);
	rec_end(r);
}

static void put_thing(struct rec *r, const char *comm)
{
	char field[8] = "";

	memcpy(field, comm, strnlen(comm, 8));
	rec_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	rec_u64(r, 20), rec_u64(r, 0x10), rec_u32(r, 41), rec_u32(r, 42), rec_u64(r, 12000345679), rec_u32(r, 3), rec_u32(r, 0);
	rec_u64(r, 1);
	rec_u32(r, 44);
	rec_u16(r, 7), rec_u16(r, 0), rec_u32(r, 42);
	rec_bytes(r, field, 8);
	rec_u32(r, (uint32_t)-5), rec_u32(r, 1), rec_u32(r, 0xffffffff), rec_u32(r, 0), rec_u64(r, 0xffff888000000000);
	rec_u32(r, 0);
	rec_end(r);
}

static void put_instructions(struct rec *r)
{
	rec_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	rec_u64(r, 30), rec_u64(r, 0x401000), rec_u32(r, 41), rec_u32(r, 42), rec_u64(r, 12000345680), rec_u64(r, 1000000);
	rec_end(r);
}

static void put_fork(struct rec *r)
{
	rec_begin(r, PERF_RECORD_FORK, 0);
	rec_u32(r, 50), rec_u32(r, 1), rec_u32(r, 51), rec_u32(r, 1), rec_u64(r, 12000345681);
	rec_u32(r, 1), rec_u32(r, 1), rec_u64(r, 12000345681), rec_u32(r, 0), rec_u32(r, 0), rec_u64(r, 10);
	rec_end(r);
}

struct bench {
	struct pt_source *src;
	struct pt_script *s;
	struct pt_tp_db *db;
	struct pt_buf b;
	struct pt_err e;
	struct rec data, file;
};

static void begin(struct bench *t, void (*put)(struct rec *), const char *comm)
{
	*t = (struct bench){ .data = REC(false), .file = REC(false), .s = pt_script_new(NULL), .db = pt_tp_db_new(false, 8) };
	if (put)
		put(&t->data);
	else
		put_thing(&t->data, comm);
	rec_file(&t->file, events, 3, &t->data, NULL, 0);
	t->src = rec_open(&t->file);
	if (pt_tp_db_add_format(t->db, "made", format, strlen(format), &t->e) < 0)
		FAIL("%s", t->e.msg);
}

static void end(struct bench *t)
{
	pt_source_free(t->src);
	pt_script_free(t->s);
	pt_tp_db_free(t->db);
	pt_buf_deinit(&t->b);
	rec_free(&t->data);
	rec_free(&t->file);
}

/* The first record as a line; the tracepoint gets its format. */
static const char *line(struct bench *t, const char *comm, bool json)
{
	const struct pt_record *rec;
	struct pt_record mine;
	struct pt_event ev;

	if (pt_source_next(t->src, &rec, &t->e) != 1)
		FAIL("no record: %s", t->e.msg);
	mine = *rec;
	if (rec->event) {
		ev = *rec->event;
		mine.event = &ev;
		if (ev.attr.type == PERF_TYPE_TRACEPOINT) {
			ev.tp = pt_tp_db_by_id(t->db, 7);
			ev.name = "made:thing";
		}
	}
	if (json)
		pt_script_json(NULL, &mine, comm, &t->b);
	else if (rec->type == PERF_RECORD_SAMPLE)
		pt_script_sample(t->s, t->src, &mine, comm, &t->b);
	else
		pt_script_side(t->s, t->src, &mine, comm, &t->b);
	return pt_buf_str(&t->b);
}

static void expect(void (*put)(struct rec *), const char *thing, const char *fields, const char *comm, const char *want)
{
	struct bench t;

	begin(&t, put, thing);
	if (fields && pt_script_fields(t.s, fields, &t.e) < 0)
		FAIL("%s: %s", fields, t.e.msg);
	CHECK_STR(line(&t, comm, false), want);
	end(&t);
}

static void wrong(const char *fields, const char *part)
{
	struct bench t;

	begin(&t, put_fault, NULL);
	if (pt_script_fields(t.s, fields, &t.e) == 0 && pt_script_check(t.s, t.src, &t.e) == 0)
		FAIL("%s was taken", fields);
	CHECK_HAS(t.e.msg, part);
	end(&t);
}

TEST(samples)
{
	expect(put_fault, NULL, NULL, "dd",
	       "dd    42 [003]    12.000345:          5  page-faults: \n\tffffffff81000010\n\t          401000\n\t               0\n\n");
	expect(NULL, "abc", NULL, "dd", "              dd    42 [003]    12.000345:   made:thing: comm=abc n=-5\n");
	expect(put_instructions, NULL, NULL, "longer than 16 bytes", "longer than 16 bytes    42    12.000345:    1000000 instructions:            401000\n");
}

TEST(fields)
{
	expect(put_fault, NULL, "comm,pid,tid,time", "dd", "              dd    41/42       12.000345: \n");
	expect(put_fault, NULL, "pid,event", "dd", "   41  page-faults: \n");
	expect(put_fault, NULL, "-ip,-period,-event", "dd", "              dd    42 [003]    12.000345: \n");
	expect(put_fault, NULL, "-ip,+misc,-time,-cpu,-period", "dd", "              dd    42 K      page-faults: \n");
	expect(put_fault, NULL, "sw:", "dd", "");
	expect(NULL, "abc", "sw:", "dd", "              dd    42 [003]    12.000345:   made:thing: comm=abc n=-5\n");
	expect(NULL, "abc", "trace:trace", "dd", "comm=abc n=-5\n");
	expect(NULL, "abc", "tracepoint:trace,cpu", "dd", "[003] comm=abc n=-5\n");
	expect(put_instructions, NULL, "ip,sym", "dd", "           401000\n");
	expect(put_instructions, NULL, "comm,bpf-output,time", "dd", "              dd    12.000345: \n");
}

TEST(nanoseconds_and_chains)
{
	struct bench t;

	begin(&t, put_fault, NULL);
	pt_script_free(t.s);
	t.s = pt_script_new(&(struct pt_script_opts){ .nanoseconds = true, .hide_chains = true });
	CHECK_STR(line(&t, "dd", false), "              dd    42 [003]    12.000345678:          5  page-faults:  ffffffff81000010\n");
	end(&t);
}

TEST(wrong_fields)
{
	wrong("comm,tme", "did you mean time?");
	wrong("nonsense", "there are comm, tid");
	wrong("comm,+tid", "with plain fields");
	wrong("+comm,tid", "with plain fields");
	wrong("", "leave nothing");
	wrong("soft:comm", "no event type soft");
	wrong("sw:trace", "software events have no trace");
	wrong("addr", "instructions have no addr");
	wrong("sw:addr", "page-faults have no addr");
	wrong("+weight", "no weight");
	wrong("raw:comm", "no raw events");
	wrong("\033[31m", "\\x1b[31m");
}

TEST(escapes)
{
	expect(NULL, "a\033[1\n", NULL, "x\033y\xff", "      x\\x1by\\xff    42 [003]    12.000345:   made:thing: comm=a\\x1b[1\\x0a n=-5\n");
	expect(NULL, "h\xc3\xa9", NULL, "h\xc3\xa9", "             h\xc3\xa9    42 [003]    12.000345:   made:thing: comm=h\xc3\xa9 n=-5\n");
}

TEST(side_band)
{
	struct bench t;

	begin(&t, put_fork, NULL);
	CHECK_STR(line(&t, "sh", false), "sh     1 [000]    12.000345: PERF_RECORD_FORK(50:51):(1:1)\n");
	end(&t);
	begin(&t, put_fork, NULL);
	CHECK_STR(line(&t, "sh", true),
		  "{\"time_ns\":12000345681,\"comm\":\"sh\",\"pid\":1,\"tid\":1,\"cpu\":0,\"type\":\"FORK\",\"of_pid\":50,\"of_tid\":51,\"ppid\":1,\"ptid\":1}\n");
	end(&t);
}

TEST(json)
{
	struct bench t;

	begin(&t, NULL, "a\"b\n");
	CHECK_STR(line(&t, "d\\d", true),
		  "{\"time_ns\":12000345679,\"comm\":\"d\\\\d\",\"pid\":41,\"tid\":42,\"cpu\":3,\"event\":\"made:thing\",\"period\":1,\"ip\":\"0x10\","
		  "\"fields\":{\"comm\":\"a\\\"b\\n\",\"n\":-5,\"list\":[1,4294967295],\"p\":\"0xffff888000000000\"}}\n");
	end(&t);
	begin(&t, put_fault, NULL);
	CHECK_STR(line(&t, "dd", true),
		  "{\"time_ns\":12000345678,\"comm\":\"dd\",\"pid\":41,\"tid\":42,\"cpu\":3,\"event\":\"page-faults\",\"period\":5,\"ip\":\"0xffffffff81000010\","
		  "\"callchain\":[\"0xffffffff81000010\",\"0x401000\",\"0x0\"]}\n");
	end(&t);
}

TEST(header)
{
	struct bench t;

	begin(&t, put_fault, NULL);
	pt_script_header(t.src, 0, &t.b);
	CHECK_HAS(pt_buf_str(&t.b), "# ========\n# header version : 1\n");
	CHECK_HAS(pt_buf_str(&t.b), "# event : name = page-faults, , id = { 10 }, type = 1, size = 136, config = 0x2, sample_type = IP|TID|TIME|CALLCHAIN|CPU|PERIOD|IDENTIFIER");
	CHECK_HAS(pt_buf_str(&t.b), "# missing features: TRACING_DATA BUILD_ID HOSTNAME");
	end(&t);
}
