/* fuzz-sched: any events of the scheduler in any order, through the timeline, the map and the places. The first byte says how; then records: event, time step, CPU, tid, length, raw bytes.
 * Names, births, ends and losses come among them. */
#include "replay.h"

#include <string.h>

#include "base/mem.h"
#include "sched/schedmap.h"
#include "sched/schedplace.h"

#define COMMON "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define TASK "\tfield:pid_t pid;\toffset:8;\tsize:1;\tsigned:0;\n\tfield:int target_cpu;\toffset:9;\tsize:1;\tsigned:1;\n\tfield:__data_loc char[] comm;\toffset:12;\tsize:4;\tsigned:0;\n"
#define SWITCH "\tfield:pid_t prev_pid;\toffset:8;\tsize:1;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:9;\tsize:1;\tsigned:0;\n" \
	"\tfield:long prev_state;\toffset:10;\tsize:1;\tsigned:0;\n\tfield:char next_comm[4];\toffset:11;\tsize:4;\tsigned:0;\n"

static const struct { const char *name, *fields; } formats[] = {
	{ "sched_switch", SWITCH }, { "sched_waking", TASK }, { "sched_wakeup", TASK }, { "sched_wakeup_new", TASK }, { "sched_migrate_task", TASK },
	{ "sched_process_fork", "\tfield:pid_t child_pid;\toffset:8;\tsize:1;\tsigned:0;\n" },
	{ "sched_process_exec", "\tfield:pid_t pid;\toffset:8;\tsize:1;\tsigned:0;\n\tfield:pid_t old_pid;\toffset:9;\tsize:1;\tsigned:0;\n" },
	{ "sched_process_exit", TASK }, { "sched_stat_runtime", TASK "\tfield:u64 runtime;\toffset:10;\tsize:1;\tsigned:0;\n" },
};
enum { NR = PT_NR(formats), CPUS = 8 };

/* Who runs somewhere knows it, and a task runs in one place. */
static void check(struct pt_sched *s, const struct pt_sched_event *ev)
{
	size_t running = 0, current = 0;

	for (int cpu = 0; cpu < (int)pt_sched_nr_cpus(s); cpu++) {
		const struct pt_sched_task *t = pt_sched_current(s, cpu);

		current += t && t->tid;
		if (t && (!t->running || t->cpu != cpu || (t->tid && !t->ended && pt_sched_find(s, t->tid) != t)))
			__builtin_trap();
	}
	for (struct pt_sched_task *t = NULL; (t = pt_sched_each(s, t)); )
		running += t->running;
	if (running != current)
		__builtin_trap();
	if (ev->kind != PT_SCHED_SWITCH)
		return;
	if (pt_sched_current(s, ev->cpu) != ev->next || (ev->task == ev->next && ev->task->tid != ev->next->tid))
		__builtin_trap();
	if (ev->task != ev->next && ev->task->stay.known & PT_SCHED_RUN && ev->task->stay.in_ns + ev->task->stay.run_ns != ev->time_ns)
		__builtin_trap();
	if (ev->next->stay.known & PT_SCHED_DELAY && ev->next->stay.ready_ns + ev->next->stay.delay_ns != ev->time_ns)
		__builtin_trap();
}

static void make_record(struct pt_record *rec, const uint8_t *p, const struct pt_event *events)
{
	rec->type = PERF_RECORD_SAMPLE;
	rec->misc = 0;
	rec->has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	rec->event = &events[p[0] % NR];
	rec->time_ns += p[1] == 255 ? 1000000000 : p[1] == 254 ? (uint64_t)-50 : p[1];
	rec->pid = rec->tid = p[3];
	rec->cpu = p[2] % CPUS;
	if (p[0] < 240)
		return;
	rec->type = p[0] < 244 ? PERF_RECORD_LOST : p[0] < 247 ? PERF_RECORD_FORK : p[0] < 250 ? PERF_RECORD_EXIT : PERF_RECORD_COMM;
	if (p[0] == 240)
		rec->has = 0;
	if (rec->type == PERF_RECORD_COMM) {
		rec->misc = p[0] > 253 ? PERF_RECORD_MISC_COMM_EXEC : 0;
		rec->u.comm.pid = p[2] / CPUS;
		rec->u.comm.tid = p[3];
		rec->u.comm.comm = p[3] & 1 ? "one\n" : "";
	} else if (rec->type == PERF_RECORD_LOST) {
		rec->u.lost.lost = p[3];
	} else {
		rec->u.task.pid = p[2] / CPUS;
		rec->u.task.tid = p[3];
		rec->u.task.ppid = rec->u.task.ptid = p[2];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const marked[] = { "o*", "7" };
	static const int group[] = { 0, 0, 1, 1, -1 };
	uint8_t how = len ? data[0] : 0;
	struct pt_sched *s = pt_sched_new(&(struct pt_sched_opts){ .keep_ended = how & 1, .without = how & 2 ? 1u << PT_SCHED_RUNTIME : 0 });
	struct pt_schedmap_opts o = { .nr_cpus = 3, .compact = how & 4, .changes = !(how & 4) && how & 8, .no_latency = !(how & 16), .colours = how & 32, .tasks = marked, .nr_tasks = 2 };
	struct pt_schedplace *places = how & 64 ? pt_schedplace_new(s) : NULL;
	struct pt_tp_db *db = pt_tp_db_new(false, 8);
	struct pt_record rec = { .swap = false };
	struct pt_event events[NR];
	struct pt_buf text = PT_BUF_INIT;
	struct pt_schedmap *map = NULL;
	struct pt_sched_event ev;
	struct pt_err e;
	size_t i;

	memset(events, 0, sizeof(events));
	for (i = 0; i < NR; i++) {
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %zu\n" COMMON "%s\nprint fmt: \"\"\n", formats[i].name, i + 1, formats[i].fields);
		pt_tp_db_add_format(db, "sched", text.data, text.len, NULL);
		events[i] = (struct pt_event){ .index = (unsigned)i, .name = formats[i].name, .tp = pt_tp_db_by_id(db, (int)i + 1) };
	}
	if (how & 128) {
		o.group = group;
		o.nr_grouped = PT_NR(group);
		o.nr_groups = 2;
		o.compact = o.changes = false;
	}
	if (!places)
		map = pt_schedmap_new(&o, s);
	pt_buf_clear(&text);
	for (i = 1; i + 5 <= len; i += 5 + rec.sample.raw_len) {
		rec.sample.raw = data + i + 5;
		rec.sample.raw_len = (uint32_t)PT_MIN((size_t)data[i + 4] % 32, len - i - 5);
		make_record(&rec, data + i, events);
		if (pt_sched_feed(s, &rec, &ev, &e) <= 0)
			continue;
		check(s, &ev);
		if (places)
			pt_schedplace_see(places, &ev, true);
		else
			pt_schedmap_see(map, &ev, data[i + 1] & 1, &text);
		if (text.len > 4096)
			pt_buf_clear(&text);
	}
	if (places)
		pt_schedplace_rows(places, &i);
	for (i = 0; pt_sched_note(s, &i, &text);)
		pt_buf_putc(&text, '\n');
	pt_schedmap_free(map);
	pt_schedplace_free(places);
	pt_sched_free(s);
	pt_buf_deinit(&text);
	pt_tp_db_free(db);
	return 0;
}
