/* fuzz-lat: any samples of the events that pair, in any order. The first byte says which pairs; then records: event, time step, tid, CPU, length, raw bytes.
 * Records of tasks and losses come among them. */
#include "replay.h"

#include <string.h>

#include "base/mem.h"
#include "lat/lat.h"

#define COMMON "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define REQUEST "\tfield:dev_t dev;\toffset:8;\tsize:1;\tsigned:0;\n\tfield:sector_t sector;\toffset:9;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned int nr_sector;\toffset:10;\tsize:1;\tsigned:0;\n\tfield:char rwbs[2];\toffset:11;\tsize:2;\tsigned:0;\n"
#define TASK "\tfield:pid_t pid;\toffset:8;\tsize:1;\tsigned:0;\n"
#define SWITCH "\tfield:pid_t prev_pid;\toffset:8;\tsize:1;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:9;\tsize:1;\tsigned:0;\n" \
	"\tfield:long prev_state;\toffset:10;\tsize:1;\tsigned:0;\n\tfield:char next_comm[4];\toffset:11;\tsize:4;\tsigned:0;\n"
#define CALL "\tfield:long id;\toffset:8;\tsize:1;\tsigned:1;\n\tfield:__data_loc char[] text;\toffset:12;\tsize:4;\tsigned:0;\n"

static const struct { const char *system, *name, *fields; } formats[] = {
	{ "block", "block_rq_insert", REQUEST }, { "block", "block_rq_issue", REQUEST }, { "block", "block_rq_complete", REQUEST },
	{ "block", "block_rq_requeue", REQUEST }, { "block", "block_rq_merge", REQUEST }, { "sched", "sched_waking", TASK },
	{ "sched", "sched_wakeup", TASK }, { "sched", "sched_switch", SWITCH }, { "raw_syscalls", "sys_enter", CALL }, { "raw_syscalls", "sys_exit", CALL },
};
enum { NR = PT_NR(formats) };

static const struct pt_lat_opts opts[] = {
	{ .kind = PT_LAT_BLOCK, .want_comm = true }, { .kind = PT_LAT_BLOCK, .queued = true }, { .kind = PT_LAT_SCHED, .want_comm = true },
	{ .kind = PT_LAT_SCHED, .preempted = true }, { .kind = PT_LAT_SYSCALL }, { .kind = PT_LAT_SYSCALL, .syscalls = "1,2" }, { .kind = PT_LAT_CHOOSE },
	{ .kind = PT_LAT_PROBE, .from = "sys_enter", .to = "sys_exit" }, { .kind = PT_LAT_FIELDS, .from = "sys_enter", .to = "sys_exit", .key = "id,text,tid,cpu" },
	{ .kind = PT_LAT_FIELDS, .from = "sched_waking", .to = "sched_waking", .key = "pid" },
};

static void feed(struct pt_lat *l, const struct pt_record *rec, struct pt_buf *text)
{
	struct pt_latency lat;
	struct pt_err e;

	if (pt_lat_feed(l, rec, &lat, &e) <= 0)
		return;
	if (lat.end_ns - lat.start_ns != lat.latency_ns || lat.end_ns != rec->time_ns)
		__builtin_trap();
	pt_lat_words(l, &lat, rec, text);
	pt_lat_by(l, "key", &lat, rec, text);
	pt_lat_by(l, "op", &lat, rec, text);
	pt_lat_by(l, "comm", &lat, rec, text);
	pt_buf_clear(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_tp_db *db = pt_tp_db_new(len & 1, 8);
	struct pt_event events[NR];
	struct pt_record rec = { .swap = len & 1 };
	struct pt_buf text = PT_BUF_INIT;
	struct pt_lat_counts n;
	uint64_t samples = 0;
	struct pt_lat *l;
	size_t i;

	memset(events, 0, sizeof(events));
	for (i = 0; i < NR; i++) {
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %zu\n" COMMON "%s\nprint fmt: \"\"\n", formats[i].name, i + 1, formats[i].fields);
		pt_tp_db_add_format(db, formats[i].system, text.data, text.len, NULL);
		events[i] = (struct pt_event){ .index = (unsigned)i, .name = formats[i].name, .tp = pt_tp_db_by_id(db, (int)i + 1) };
	}
	pt_buf_clear(&text);
	l = pt_lat_new(&opts[len ? data[0] % PT_NR(opts) : 0], NULL);
	for (i = 1; i + 5 <= len; i += 5 + rec.sample.raw_len) {
		const uint8_t *p = data + i;

		rec.type = PERF_RECORD_SAMPLE;
		rec.has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
		rec.event = &events[p[0] % NR];
		rec.time_ns += p[1] == 255 ? 1000000000 : p[1] == 254 ? (uint64_t)-50 : p[1];
		rec.pid = rec.tid = p[2];
		rec.cpu = p[3];
		rec.sample.raw = p + 5;
		rec.sample.raw_len = (uint32_t)PT_MIN((size_t)p[4] % 32, len - i - 5);
		if (p[0] >= 250) {
			rec.type = p[0] == 250 ? PERF_RECORD_LOST : p[0] < 253 ? PERF_RECORD_FORK : PERF_RECORD_EXIT;
			rec.u.task.pid = rec.u.task.tid = p[2];
			rec.u.task.ppid = rec.u.task.ptid = p[3];
			if (p[0] == 250)
				rec.u.lost.lost = 1;
		}
		samples += rec.type == PERF_RECORD_SAMPLE;
		feed(l, &rec, &text);
	}
	n = pt_lat_counts(l);
	/* each start is a sample of its own */
	if (n.pairs + (pt_lat_kind(l) == PT_LAT_BLOCK ? n.open + n.unanswered : 0) > samples)
		__builtin_trap();
	for (i = 0; pt_lat_note(l, &i, &text);)
		pt_buf_putc(&text, '\n');
	pt_buf_deinit(&text);
	pt_lat_free(l);
	pt_tp_db_free(db);
	return 0;
}
