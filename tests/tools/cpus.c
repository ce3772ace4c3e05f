/* cpus [-c CPUS] [-t TASKS] [-n SWITCHES] [-q] [-g] [-l] [-x] [-p]: a recording of a machine that does not exist, on standard output: switches and wakings of tasks that
 * run, wait, sleep and are blocked, the same ones for the same arguments. -q: a quiet one; -g: some switches are missing; -l: so are some records, and the recording says so;
 * -x: names of tasks are hostile; -p: probe:foo fires now and then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "rec.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define SWITCH "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n" \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n" \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
#define WAKE "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
#define FOO "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"

enum { SWITCHED, WAKING, PROBED, NR };
static const struct { const char *system, *name, *fields; } formats[NR] = {
	{ "sched", "sched_switch", SWITCH }, { "sched", "sched_waking", WAKE }, { "probe", "foo", FOO },
};
static const char *const names[] = { "make", "cc1", "as", "ld", "sh", "postgres", "nginx", "java", "kworker/0:1", "python3", "fio", "sshd" };
static const char *const hostile[] = { "<b>&\"'", "]]>", "--></svg>", "\033[31m", "\xff\xfe", "a;b c", "</script>", "%s%n", "\\\"},{" };

struct task {
	char comm[16];
	uint32_t tid;
	uint64_t wakes_ns;		/* when it wakes up; 0: it is awake */
	unsigned cpu;
};
struct cpu {
	uint64_t now_ns;
	struct task *current;		/* NULL: idle */
	struct task **ready;
	size_t nr_ready;
};

static unsigned long long state = 1;
static unsigned long long roll(unsigned long long n)	/* 0 .. n-1 */
{
	unsigned long long z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return n ? (z ^ z >> 31) % n : 0;
}

static void u32(struct pt_buf *b, uint32_t v) { pt_buf_add(b, &v, 4); }

static void tracing(struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;
	uint64_t len;
	size_t i;

	pt_buf_add(b, "\x17\x08\x44tracing0.5", 14);
	pt_buf_add(b, "\0\10", 2);		/* little endian, bytes of a long */
	u32(b, 4096);
	for (i = 0; i < 2; i++) {
		const char *name = i ? "header_event" : "header_page";

		pt_buf_add(b, name, strlen(name) + 1);
		len = 0;
		pt_buf_add(b, &len, 8);
	}
	u32(b, 0);
	u32(b, NR);			/* systems: one an event, as some may be twice */
	for (i = 0; i < NR; i++) {
		pt_buf_add(b, formats[i].system, strlen(formats[i].system) + 1);
		u32(b, 1);
		pt_buf_clear(&text);
		pt_buf_printf(&text, "name: %s\nID: %d\nformat:\n" COMMON "%s\nprint fmt: \"\"\n", formats[i].name, 100 + (int)i, formats[i].fields);
		len = text.len;
		pt_buf_add(b, &len, 8);
		pt_buf_add(b, text.data, text.len);
	}
	u32(b, 0);
	u32(b, 0);
	pt_buf_deinit(&text);
}

/* A sample: IDENTIFIER, TID, TIME, CPU, RAW. */
static void begin(struct rec *d, int event, uint64_t time_ns, unsigned cpu, uint32_t tid)
{
	rec_begin(d, PERF_RECORD_SAMPLE, 1);
	rec_u64(d, 1 + (uint64_t)event);
	rec_u32(d, tid);
	rec_u32(d, tid);
	rec_u64(d, time_ns);
	rec_u32(d, cpu);
	rec_u32(d, 0);
}

static void raw(struct rec *d, int event, uint32_t tid, const void *fields, size_t len)
{
	rec_u32(d, (uint32_t)(8 + len + 4));	/* with its length, a multiple of 8 */
	rec_u16(d, (uint16_t)(100 + event));
	rec_u16(d, 0);
	rec_u32(d, tid);
	rec_bytes(d, fields, len);
	rec_u32(d, 0);
	rec_end(d);
}

static void put_switch(struct rec *d, const struct cpu *c, unsigned cpu, const struct task *next, int64_t prev_state)
{
	struct { char prev_comm[16]; int32_t prev_pid, prev_prio; int64_t prev_state; char next_comm[16]; int32_t next_pid, next_prio; } f = {
		.prev_prio = 120, .prev_state = prev_state, .next_prio = 120 };
	char idle[16];

	snprintf(idle, sizeof(idle), "swapper/%u", cpu);
	memcpy(f.prev_comm, c->current ? c->current->comm : idle, 16);
	memcpy(f.next_comm, next ? next->comm : idle, 16);
	f.prev_pid = c->current ? (int32_t)c->current->tid : 0;
	f.next_pid = next ? (int32_t)next->tid : 0;
	begin(d, SWITCHED, c->now_ns, cpu, (uint32_t)f.prev_pid);
	raw(d, SWITCHED, (uint32_t)f.prev_pid, &f, sizeof(f));
}

static void put_waking(struct rec *d, uint64_t time_ns, unsigned cpu, const struct cpu *c, const struct task *t)
{
	struct { char comm[16]; int32_t pid, prio, target_cpu, zero; } f = { .pid = (int32_t)t->tid, .prio = 120, .target_cpu = (int32_t)t->cpu };
	uint32_t tid = c->current ? c->current->tid : 0;

	memcpy(f.comm, t->comm, 16);
	begin(d, WAKING, time_ns, cpu, tid);
	raw(d, WAKING, tid, &f, sizeof(f));
}

static void put_probe(struct rec *d, uint64_t time_ns, unsigned cpu, uint32_t tid)
{
	uint64_t ip = 0x401000;

	begin(d, PROBED, time_ns, cpu, tid);
	raw(d, PROBED, tid, &ip, sizeof(ip));
}

static void put_lost(struct rec *d, uint64_t time_ns, unsigned cpu, uint64_t nr)
{
	rec_begin(d, PERF_RECORD_LOST, 0);
	rec_u64(d, 1);
	rec_u64(d, nr);
	rec_u32(d, 0);			/* sample_id: TID, TIME, CPU, IDENTIFIER */
	rec_u32(d, 0);
	rec_u64(d, time_ns);
	rec_u32(d, cpu);
	rec_u32(d, 0);
	rec_u64(d, 1);
	rec_end(d);
}

int main(int argc, char **argv)
{
	unsigned nr_cpus = 8, i, k;
	size_t nr_tasks = 60, n = 20000, done = 0, at;
	bool quiet = false, gaps = false, losses = false, bad_names = false, probes = false, hidden = false;
	struct pt_attr attr = { .type = 2, .sample_period = 1, .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.flags = PT_ATTR_SAMPLE_ID_ALL };
	struct rec_event events[NR];
	struct rec d = REC(false), f = REC(false);
	struct pt_buf formats_text = PT_BUF_INIT;
	struct rec_section section = { 1, &formats_text };
	struct task *tasks;
	struct cpu *cpus;
	int o;

	while ((o = getopt(argc, argv, "c:t:n:qglxp")) > 0)
		switch (o) {
		case 'c': nr_cpus = (unsigned)atoi(optarg); break;
		case 't': nr_tasks = (size_t)atol(optarg); break;
		case 'n': n = (size_t)atol(optarg); break;
		case 'q': quiet = true; break;
		case 'g': gaps = true; break;
		case 'l': losses = true; break;
		case 'x': bad_names = true; break;
		case 'p': probes = true; break;
		default: return 2;
		}
	tasks = pt_alloc_array(nr_tasks, sizeof(*tasks));
	cpus = pt_alloc_array(nr_cpus, sizeof(*cpus));
	for (at = 0; at < nr_tasks; at++) {
		const char *name = bad_names ? hostile[at % PT_NR(hostile)] : names[roll(PT_NR(names))];

		memcpy(tasks[at].comm, name, strnlen(name, 15));
		tasks[at].tid = 1000 + (uint32_t)at;
		tasks[at].cpu = (unsigned)(at % nr_cpus);
		tasks[at].wakes_ns = 1000000000 + roll(quiet ? 500000000 : 5000000);
	}
	for (i = 0; i < nr_cpus; i++) {
		cpus[i].now_ns = 1000000000 + i * 1000;
		cpus[i].ready = pt_alloc_array(nr_tasks, sizeof(*cpus[i].ready));
	}
	while (done < n) {
		struct cpu *c = cpus;
		struct task *next = NULL;
		uint64_t until;
		int64_t left = 0;

		for (i = k = 0; i < nr_cpus; i++)
			if (cpus[i].now_ns < c->now_ns) {
				c = &cpus[i];
				k = i;
			}
		/* It runs, or idles until somebody wakes up; meanwhile others do. */
		until = c->now_ns + (c->current ? 20000 + roll(quiet ? 300000 : 2000000) : UINT64_MAX / 2 - c->now_ns);
		for (at = k; !c->current && !c->nr_ready && at < nr_tasks; at += nr_cpus)
			if (tasks[at].wakes_ns && tasks[at].wakes_ns < until)
				until = PT_MAX(tasks[at].wakes_ns, c->now_ns) + 3000;
		for (at = k; at < nr_tasks; at += nr_cpus)
			if (tasks[at].wakes_ns && tasks[at].wakes_ns <= until) {
				if (!hidden)
					put_waking(&d, PT_MAX(tasks[at].wakes_ns, c->now_ns + 1), k, c, &tasks[at]);
				tasks[at].wakes_ns = 0;
				c->ready[c->nr_ready++] = &tasks[at];
			}
		if (until > UINT64_MAX / 4)
			break;
		c->now_ns = until;
		if (c->nr_ready) {
			next = c->ready[0];
			memmove(c->ready, c->ready + 1, --c->nr_ready * sizeof(*c->ready));
		}
		if (c->current) {
			left = roll(4) ? roll(5) ? 1 : 2 : 0;
			if (!left && next)
				c->ready[c->nr_ready++] = c->current;
			else if (!left)
				left = 1;
			if (left)
				c->current->wakes_ns = c->now_ns + 50000 + roll(quiet ? 400000000 : left == 2 ? 20000000 : 3000000);
		}
		if (next != c->current) {
			hidden = (gaps && done % 500 < 4) || (losses && done % 5000 > 4900);
			if (losses && done % 5000 == 4999)
				put_lost(&d, c->now_ns - 1, k, 99);
			if (!hidden)
				put_switch(&d, c, k, next, left);
			done++;
		}
		if (probes && done % 37 == 0 && c->current)
			put_probe(&d, c->now_ns - 10, k, c->current->tid);
		c->current = next;
	}
	for (i = 0; i < NR; i++) {
		attr.config = 100 + i;
		events[i] = (struct rec_event){ .attr = attr, .ids = { 1 + i }, .nr_ids = 1 };
	}
	tracing(&formats_text);
	rec_file(&f, events, NR, &d, &section, 1);
	o = fwrite(f.b.data, 1, f.b.len, stdout) != f.b.len;
	for (i = 0; i < nr_cpus; i++)
		free(cpus[i].ready);
	free(cpus);
	free(tasks);
	rec_free(&d);
	rec_free(&f);
	pt_buf_deinit(&formats_text);
	return o;
}
