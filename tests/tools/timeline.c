/* timeline [-g] [-G] < SCRIPT > RECORDING: a scheduler's recording of what a script says, a line an event:
 *
 *     TIME CPU switch PREV STATE NEXT [IP,IP...]     microseconds; tids (0: idle); R R+ S D T t X Z P I; -g: the call chain that PREV leaves with
 *     TIME CPU waking|wakeup|new TID TARGET_CPU
 *     TIME CPU migrate TID FROM TO
 *     TIME CPU runtime TID NS                        sched_stat_runtime
 *     TIME CPU comm TID PID NAME                     the records of perf itself, from here on
 *     TIME CPU fork TID PID PTID PPID
 *     TIME CPU exit TID PID
 *     TIME CPU lost NUMBER
 *     0 0 cgroup ID PATH                             -G: samples have the control group of who runs ...
 *     0 0 in TID ID                                  ... which is this
 *
 * Empty lines and those that begin with # are passed over. Samples are of the task that came in last on the CPU. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "rec.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define STATES "(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? " \
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", " \
	"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, " \
	"{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\""
#define SWITCH "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"prev_state=%s%s\", " STATES "\n"
#define WAKE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n" \
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"pid=%d\", REC->pid\n"
#define MIGRATE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n" \
	"\tfield:int orig_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\tfield:int dest_cpu;\toffset:36;\tsize:4;\tsigned:1;\n\nprint fmt: \"pid=%d\", REC->pid\n"
#define RUNTIME "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n\n" \
	"print fmt: \"pid=%d\", REC->pid\n"

enum { SWITCHED, WAKING, WAKEUP, NEW, MOVED, RAN, NR, MAX_TASKS = 256, MAX_CPUS = 1024 };
static const struct { const char *name, *verb, *format; } formats[NR] = {
	{ "sched_switch", "switch", SWITCH }, { "sched_waking", "waking", WAKE }, { "sched_wakeup", "wakeup", WAKE }, { "sched_wakeup_new", "new", WAKE },
	{ "sched_migrate_task", "migrate", MIGRATE }, { "sched_stat_runtime", "runtime", RUNTIME },
};

static struct task { char comm[16]; uint32_t tid, pid; uint64_t cgroup; } tasks[MAX_TASKS];
static size_t nr_tasks;
static uint32_t running[MAX_CPUS];
static bool chains, cgroups;

static void die(const char *line)
{
	fprintf(stderr, "timeline: %s", line);
	exit(1);
}

static struct task *task(uint32_t tid)
{
	size_t i;

	for (i = 0; i < nr_tasks; i++)
		if (tasks[i].tid == tid)
			return &tasks[i];
	if (nr_tasks == MAX_TASKS)
		die("too many tasks\n");
	tasks[i].tid = tasks[i].pid = tid;
	if (tid)
		snprintf(tasks[i].comm, 16, "t%u", tid);
	else
		snprintf(tasks[i].comm, 16, "swapper/0");
	nr_tasks++;
	return &tasks[i];
}

static void words(struct pt_buf *b, const char *name, const char *text)
{
	uint64_t len = strlen(text);

	pt_buf_add(b, name, strlen(name) + 1);
	pt_buf_add(b, &len, 8);
	pt_buf_add(b, text, len);
}

static void u32(struct pt_buf *b, uint32_t v)
{
	pt_buf_add(b, &v, 4);
}

static void tracing(struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;
	uint64_t len;

	pt_buf_add(b, "\x17\x08\x44tracing0.5", 14);
	pt_buf_add(b, "\0\10", 2);		/* little endian, bytes of a long */
	u32(b, 4096);
	words(b, "header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	words(b, "header_event", "");
	u32(b, 0);
	u32(b, 1);
	pt_buf_add(b, "sched", 6);
	u32(b, NR);
	for (int i = 0; i < NR; i++) {
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %d\nformat:\n" COMMON "%s", formats[i].name, 300 + i, formats[i].format);
		len = text.len;
		pt_buf_add(b, &len, 8);
		pt_buf_add(b, text.data, text.len);
	}
	u32(b, 0);
	u32(b, 0);
	pt_buf_deinit(&text);
}

static uint64_t state_of(const char *s, const char *line)
{
	static const char letters[] = "SDTtXZPI";

	if (!strcmp(s, "R") || !strcmp(s, "R+"))
		return s[1] ? 0x100 : 0;
	if (!*s || s[1] || !strchr(letters, *s))
		die(line);
	return 1ull << (strchr(letters, *s) - letters);
}

/* IDENTIFIER, TID, TIME, CPU, CALLCHAIN, RAW, CGROUP. */
static void sample(struct rec *d, int event, uint64_t time_ns, unsigned cpu, const void *fields, size_t len, char *ips)
{
	const struct task *t = task(running[cpu]);
	uint64_t chain[64], nr = 0;

	rec_begin(d, PERF_RECORD_SAMPLE, 1);
	rec_u64(d, 1 + (uint64_t)event);
	rec_u32(d, t->pid);
	rec_u32(d, t->tid);
	rec_u64(d, time_ns);
	rec_u32(d, cpu);
	rec_u32(d, 0);
	if (chains) {
		chain[nr++] = (uint64_t)-128;	/* PERF_CONTEXT_KERNEL */
		for (char *ip = ips ? strtok(ips, ",") : NULL; ip && nr < PT_NR(chain); ip = strtok(NULL, ","))
			chain[nr++] = strtoull(ip, NULL, 16);
		rec_u64(d, nr);
		rec_u64s(d, nr, chain);
	}
	rec_u32(d, (uint32_t)(8 + len + 4));
	rec_u16(d, (uint16_t)(300 + event));
	rec_u16(d, 0);
	rec_u32(d, t->tid);
	rec_bytes(d, fields, len);
	rec_u32(d, 0);
	if (cgroups)
		rec_u64(d, t->cgroup);
	rec_end(d);
}

static void trailer(struct rec *d, uint32_t pid, uint32_t tid, uint64_t time_ns, unsigned cpu)
{
	rec_u32(d, pid);
	rec_u32(d, tid);
	rec_u64(d, time_ns);
	rec_u32(d, cpu);
	rec_u32(d, 0);
	rec_u64(d, 1);
	rec_end(d);
}

static bool tracepoint(struct rec *d, uint64_t time_ns, unsigned cpu, const char *verb, char **w, int nr, const char *line)
{
	struct { char comm[16]; uint32_t tid; int32_t prio; int32_t v[4]; } one = { .prio = 120 };
	struct { char prev_comm[16]; uint32_t prev; int32_t prev_prio; uint64_t state; char next_comm[16]; uint32_t next; int32_t next_prio; } two = { .prev_prio = 120, .next_prio = 120 };
	uint64_t ns;
	int i;

	for (i = 0; i < NR && strcmp(verb, formats[i].verb); i++)
		;
	if (i == NR)
		return false;
	if (nr < (i == SWITCHED || i == MOVED ? 3 : 2))
		die(line);
	if (i == SWITCHED) {
		two.prev = (uint32_t)atoi(w[0]);
		two.state = state_of(w[1], line);
		two.next = (uint32_t)atoi(w[2]);
		memcpy(two.prev_comm, task(two.prev)->comm, 16);
		memcpy(two.next_comm, task(two.next)->comm, 16);
		running[cpu] = two.prev;
		sample(d, i, time_ns, cpu, &two, sizeof(two), nr > 3 ? w[3] : NULL);
		running[cpu] = two.next;
		return true;
	}
	one.tid = (uint32_t)atoi(w[0]);
	memcpy(one.comm, task(one.tid)->comm, 16);
	one.v[0] = atoi(w[1]);
	one.v[1] = nr > 2 ? atoi(w[2]) : 0;
	ns = strtoull(w[1], NULL, 10);
	if (i == RAN)
		memcpy(one.v, &ns, 8);
	sample(d, i, time_ns, cpu, &one, sizeof(one), NULL);
	return true;
}

static bool record(struct rec *d, uint64_t time_ns, unsigned cpu, const char *verb, char **w, int nr)
{
	uint32_t a = nr > 0 ? (uint32_t)atoi(w[0]) : 0, b = nr > 1 ? (uint32_t)atoi(w[1]) : 0;

	if (!strcmp(verb, "comm") && nr == 3) {
		snprintf(task(a)->comm, 16, "%.15s", w[2]);
		task(a)->pid = b;
		rec_begin(d, PERF_RECORD_COMM, 0);
		rec_u32(d, b);
		rec_u32(d, a);
		rec_str(d, task(a)->comm);
		trailer(d, b, a, time_ns, cpu);
	} else if ((!strcmp(verb, "fork") && nr == 4) || (!strcmp(verb, "exit") && nr == 2)) {
		uint32_t ptid = nr > 2 ? (uint32_t)atoi(w[2]) : a, ppid = nr > 3 ? (uint32_t)atoi(w[3]) : b;

		if (*verb == 'f') {
			memcpy(task(a)->comm, task(ptid)->comm, 16);
			task(a)->pid = b;
		}
		rec_begin(d, *verb == 'f' ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0);
		rec_u32(d, b);
		rec_u32(d, ppid);
		rec_u32(d, a);
		rec_u32(d, ptid);
		rec_u64(d, time_ns);
		trailer(d, ppid, ptid, time_ns, cpu);
	} else if (!strcmp(verb, "lost") && nr == 1) {
		rec_begin(d, PERF_RECORD_LOST, 0);
		rec_u64(d, 1);
		rec_u64(d, a);
		trailer(d, 0, 0, time_ns, cpu);
	} else if (!strcmp(verb, "cgroup") && nr == 2) {
		rec_begin(d, PERF_RECORD_CGROUP, 0);
		rec_u64(d, a);
		rec_str(d, w[1]);
		trailer(d, 0, 0, time_ns, cpu);
	} else if (!strcmp(verb, "in") && nr == 2) {
		task(a)->cgroup = b;
	} else {
		return false;
	}
	return true;
}

static void one_line(struct rec *d, const char *line)
{
	char *copy = pt_strdup(line), *w[8], *save;
	uint64_t time_ns;
	unsigned cpu;
	int nr = 0;

	for (char *p = strtok_r(copy, " \t\n", &save); p && nr < 8; p = strtok_r(NULL, " \t\n", &save))
		w[nr++] = p;
	if (!nr || *w[0] == '#') {
		free(copy);
		return;
	}
	if (nr < 3)
		die(line);
	time_ns = (uint64_t)(strtod(w[0], NULL) * 1000 + 0.5);
	cpu = (unsigned)atoi(w[1]);
	if (cpu >= MAX_CPUS || (!tracepoint(d, time_ns, cpu, w[2], w + 3, nr - 3, line) && !record(d, time_ns, cpu, w[2], w + 3, nr - 3)))
		die(line);
	free(copy);
}

int main(int argc, char **argv)
{
	struct pt_attr attr = { .type = 2, .sample_period = 1, .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_COMM | PT_ATTR_TASK };
	struct rec_event events[NR];
	struct rec d = REC(false), f = REC(false);
	struct pt_buf text = PT_BUF_INIT;
	struct rec_section section = { 1, &text };
	char line[1024];
	int o;

	while ((o = getopt(argc, argv, "gG")) > 0) {
		chains |= o == 'g';
		cgroups |= o == 'G';
	}
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW | (chains ? PERF_SAMPLE_CALLCHAIN : 0) |
			   (cgroups ? PERF_SAMPLE_CGROUP : 0);
	while (fgets(line, sizeof(line), stdin))
		one_line(&d, line);
	for (unsigned i = 0; i < NR; i++) {
		attr.config = 300 + i;
		events[i] = (struct rec_event){ .attr = attr, .ids = { 1 + i }, .nr_ids = 1 };
	}
	tracing(&text);
	rec_file(&f, events, NR, &d, &section, 1);
	o = fwrite(f.b.data, 1, f.b.len, stdout) != f.b.len;
	rec_free(&d);
	rec_free(&f);
	pt_buf_deinit(&text);
	return o;
}
