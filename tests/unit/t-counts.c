/* t-counts.c - counts added up, scaled, derived figures and text, from readings made up; a machine of two sockets out of files. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/words.h"
#include "test.h"
#include "count/print.h"

static struct pt_attr attrs[] = {
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_MISSES },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .flags = PT_ATTR_EXCLUDE_KERNEL },
};
static const struct pt_counts_event events[] = {
	{ "task-clock", "msec", 1e-6, &attrs[0], 0, false, false, NULL }, { "cycles", "", 1, &attrs[1], 1, false, false, NULL }, { "instructions", "", 1, &attrs[2], 2, false, false, NULL },
	{ "branches", "", 1, &attrs[3], 3, false, false, NULL }, { "branch-misses", "", 1, &attrs[4], 4, false, false, NULL }, { "instructions:u", "", 1, &attrs[5], 5, false, false, NULL },
};

static const char *sysfs(void)
{
	static const struct { int cpu; const char *socket, *die, *core, *cluster, *l1, *l3; } cpus[] = {
		{ 0, "0", "0", "0", "0", "0", "0-2" }, { 1, "0", "0", "1", "0", "1", "0-2" }, { 2, "1", "0", "0", "8", "2-3", "0-2" }, { 3, "1", "0", "0", "9", "2-3", "3" },
	};
	char path[600];
	size_t i, k;

	for (i = 0; i < PT_NR(cpus); i++) {
		const char *const files[][2] = {
			{ "topology/physical_package_id", cpus[i].socket }, { "topology/die_id", cpus[i].die }, { "topology/core_id", cpus[i].core }, { "topology/cluster_id", cpus[i].cluster },
			{ "cache/index0/level", "1" }, { "cache/index0/type", "Instruction" }, { "cache/index0/shared_cpu_list", "7" },
			{ "cache/index1/level", "1" }, { "cache/index1/type", "Data" }, { "cache/index1/shared_cpu_list", cpus[i].l1 },
			{ "cache/index2/level", "3" }, { "cache/index2/type", "Unified" }, { "cache/index2/shared_cpu_list", cpus[i].l3 },
		};

		snprintf(path, sizeof(path), "cd %s && mkdir -p devices/system/cpu/cpu%d && cd devices/system/cpu/cpu%d && mkdir -p topology node%s cache/index0 cache/index1 cache/index2", pt_test_dir(),
			 cpus[i].cpu, cpus[i].cpu, cpus[i].socket);
		CHECK(!system(path));
		for (k = 0; k < PT_NR(files); k++) {
			FILE *f;

			snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/%s", pt_test_dir(), cpus[i].cpu, files[k][0]);
			f = fopen(path, "w");
			CHECK(f);
			fprintf(f, "%s\n", files[k][1]);
			fclose(f);
		}
	}
	return pt_test_dir();
}

static struct pt_counts *new_counts(enum pt_counts_by by, size_t nr)
{
	return pt_counts_new(&(struct pt_counts_opts){ .by = by, .sysfs = sysfs() }, events, nr);
}

static void feed(struct pt_counts *c, size_t event, size_t k, int cpu, uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	pt_counts_feed(c, event, k, &(struct pt_session_reading){ .cpu = cpu, .tid = -1, .value = value, .enabled_ns = enabled_ns, .running_ns = running_ns });
}

static const char *text(struct pt_counts *c, enum pt_counts_which which, struct pt_counts_style s)
{
	static char all[8192];
	struct pt_buf b = PT_BUF_INIT;

	s.thousands = s.thousands ? s.thousands : "";
	pt_counts_print(c, which, &s, &b);
	snprintf(all, sizeof(all), "%s", pt_buf_str(&b));
	pt_buf_deinit(&b);
	return all;
}

TEST(adds_up)
{
	struct pt_counts *c = new_counts(PT_BY_ALL, 2);
	struct pt_counts_style csv = { .form = PT_COUNTS_CSV, .sep = ",", .elapsed_ns = 2e9 };

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 1000000000, 1000000000, 1000000000);
	feed(c, 0, 1, 1, 500000000, 1000000000, 1000000000);
	feed(c, 1, 0, 0, 3000, 1000, 1000);
	feed(c, 1, 1, 1, 1000, 1000, 1000);
	CHECK_STR(text(c, PT_COUNTS_INTERVAL, csv), "1500.00,msec,task-clock,2000000000,100.00,0.750,CPUs utilized\n4000,,cycles,2000,100.00,0.000,GHz\n");
	pt_counts_begin(c);
	feed(c, 0, 0, 0, 1000000000, 1000000000, 1000000000);
	feed(c, 0, 1, 1, 600000000, 1100000000, 1100000000);
	feed(c, 1, 0, 0, 3000, 1000, 1000);
	feed(c, 1, 1, 1, 1500, 2000, 2000);
	CHECK_STR(text(c, PT_COUNTS_INTERVAL, csv), "100.00,msec,task-clock,100000000,100.00,0.050,CPUs utilized\n500,,cycles,1000,100.00,0.000,GHz\n");
	CHECK_STR(text(c, PT_COUNTS_TOTAL, csv), "1600.00,msec,task-clock,2100000000,100.00,0.800,CPUs utilized\n4500,,cycles,3000,100.00,0.000,GHz\n");
	pt_counts_free(c);
}

/* CPU 0 was counted for a quarter of its time, CPU 1 for all of it: each is scaled for itself. Adding up first would give 5000 * 2 / 1.25 = 8000. */
TEST(scales_each)
{
	struct pt_counts *c = new_counts(PT_BY_ALL, 2);
	struct pt_counts_style csv = { .form = PT_COUNTS_CSV, .sep = ";" };

	pt_counts_begin(c);
	feed(c, 1, 0, 0, 1000, 1000, 250);
	feed(c, 1, 1, 1, 4000, 1000, 1000);
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, csv), "8000;;cycles;1250;62.50;;\n");
	/* The next interval was counted wholly: 8000 + 1000, not 9000 scaled anew. */
	pt_counts_begin(c);
	feed(c, 1, 0, 0, 2000, 2000, 1250);
	feed(c, 1, 1, 1, 4000, 1000, 1000);
	CHECK_HAS(text(c, PT_COUNTS_INTERVAL, csv), "1000;;cycles;1000;100.00;;\n");
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, csv), "9000;;cycles;2250;75.00;;\n");
	pt_counts_free(c);
	c = pt_counts_new(&(struct pt_counts_opts){ .by = PT_BY_ALL, .no_scale = true }, events, 2);
	pt_counts_begin(c);
	feed(c, 1, 0, 0, 1000, 1000, 250);
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, csv), "1000;;cycles;250;25.00;;\n");
	pt_counts_free(c);
}

TEST(by_place)
{
	static const struct { enum pt_counts_by by; int level; const char *want; } cases[] = {
		{ PT_BY_CPU, 0, "CPU0,1,,cycles,10,100.00,,\nCPU1,2,,cycles,10,100.00,,\nCPU2,4,,cycles,10,100.00,,\nCPU3,8,,cycles,10,100.00,,\n" },
		{ PT_BY_CORE, 0, "S0-D0-C0,1,1,,cycles,10,100.00,,\nS0-D0-C1,1,2,,cycles,10,100.00,,\nS1-D0-C0,2,12,,cycles,20,100.00,,\n" },
		{ PT_BY_DIE, 0, "S0-D0,2,3,,cycles,20,100.00,,\nS1-D0,2,12,,cycles,20,100.00,,\n" },
		{ PT_BY_CLUSTER, 0, "S0-D0-CLS0,2,3,,cycles,20,100.00,,\nS1-D0-CLS8,1,4,,cycles,10,100.00,,\nS1-D0-CLS9,1,8,,cycles,10,100.00,,\n" },
		{ PT_BY_CACHE, 0, "S0-D0-L3-ID0,2,3,,cycles,20,100.00,,\nS1-D0-L3-ID0,1,4,,cycles,10,100.00,,\nS1-D0-L3-ID3,1,8,,cycles,10,100.00,,\n" },
		{ PT_BY_CACHE, 1, "S0-D0-L1-ID0,1,1,,cycles,10,100.00,,\nS0-D0-L1-ID1,1,2,,cycles,10,100.00,,\nS1-D0-L1-ID2,2,12,,cycles,20,100.00,,\n" },
		{ PT_BY_SOCKET, 0, "S0,2,3,,cycles,20,100.00,,\nS1,2,12,,cycles,20,100.00,,\n" },
		{ PT_BY_NODE, 0, "N0,2,3,,cycles,20,100.00,,\nN1,2,12,,cycles,20,100.00,,\n" },
	};

	for (size_t i = 0; i < PT_NR(cases); i++) {
		static const struct pt_counts_event cycles[] = { { "cycles", "", 1, &attrs[1], 0, false, false, NULL } };
		struct pt_counts *c = pt_counts_new(&(struct pt_counts_opts){ .by = cases[i].by, .cache_level = cases[i].level, .sysfs = sysfs() }, cycles, 1);

		pt_counts_begin(c);
		for (int cpu = 3; cpu >= 0; cpu--)
			feed(c, 0, (size_t)cpu, cpu, 1u << cpu, 10, 10);
		CHECK_STR(text(c, PT_COUNTS_TOTAL, (struct pt_counts_style){ .form = PT_COUNTS_CSV, .sep = "," }), cases[i].want);
		pt_counts_free(c);
	}
}

TEST(figures)
{
	struct pt_counts *c = new_counts(PT_BY_ALL, 6);
	struct pt_counts_style table = { .form = PT_COUNTS_TABLE, .elapsed_ns = 1e9, .thousands = "," };
	const char *t;

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 2000000000, 1, 1);
	feed(c, 1, 0, 0, 4000000000, 1, 1);
	feed(c, 2, 0, 0, 8000000000, 1, 1);
	feed(c, 3, 0, 0, 1000000, 1, 1);
	feed(c, 4, 0, 0, 250000, 1, 1);
	feed(c, 5, 0, 0, 7, 1, 1);
	t = text(c, PT_COUNTS_TOTAL, table);
	CHECK_HAS(t, "          2,000.00 msec task-clock                       #    2.000 CPUs utilized\n");
	CHECK_HAS(t, "     4,000,000,000      cycles                           #    2.000 GHz\n");
	CHECK_HAS(t, "     8,000,000,000      instructions                     #    2.00  insn per cycle\n");
	CHECK_HAS(t, "         1,000,000      branches                         #  500.000 K/sec\n");
	CHECK_HAS(t, "           250,000      branch-misses                    #   25.00% of all branches\n");
	/* User instructions are not set against cycles of user and kernel. */
	CHECK_HAS(t, "                 7      instructions:u\n");
	pt_counts_free(c);
}

/* Rates have one unit on all lines, and their titles name the event. */
TEST(figures_alone)
{
	struct pt_counts *c = new_counts(PT_BY_ALL, 4);
	struct pt_counts_style csv = { .form = PT_COUNTS_CSV, .sep = ",", .metric_only = true, .elapsed_ns = 1e9 }, table = { .metric_only = true, .elapsed_ns = 1e9 };
	struct pt_buf head = PT_BUF_INIT;

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 1000000000, 1, 1);
	feed(c, 3, 0, 0, 49149, 1, 1);
	pt_counts_print_head(c, &csv, &head);
	CHECK_HAS(pt_buf_str(&head), "CPUs utilized,");
	CHECK_HAS(pt_buf_str(&head), "branches/sec,");
	CHECK_HAS(text(c, PT_COUNTS_INTERVAL, csv), "49149.000,");
	CHECK_HAS(text(c, PT_COUNTS_INTERVAL, table), "           49149.000");
	pt_counts_begin(c);
	feed(c, 0, 0, 0, 2000000000, 2, 2);
	feed(c, 3, 0, 0, 49149 + 72, 2, 2);
	CHECK_HAS(text(c, PT_COUNTS_INTERVAL, csv), "72.000,");
	pt_buf_deinit(&head);
	pt_counts_free(c);
}

/* A row that did not count an event keeps its columns: titles stand above their own figures, whatever the first row has, and name the control group. */
TEST(figures_keep_their_columns)
{
	static const struct pt_counts_event odd[] = {
		{ "task-clock", "msec", 1e-6, &attrs[0], 0, false, false, "a" }, { "faults", "", 1, &attrs[3], 1, false, false, "a" },
		{ "task-clock", "msec", 1e-6, &attrs[0], 2, false, false, "b" }, { "faults", "", 1, &attrs[3], 3, false, false, "b" },
	};
	struct pt_counts *c = pt_counts_new(&(struct pt_counts_opts){ .by = PT_BY_CPU }, odd, 4);
	struct pt_counts_style csv = { .form = PT_COUNTS_CSV, .sep = ",", .metric_only = true, .cgroups = true, .elapsed_ns = 1e9 },
			       json = { .form = PT_COUNTS_JSON, .metric_only = true, .cgroups = true, .elapsed_ns = 1e9 };
	struct pt_buf head = PT_BUF_INIT;

	pt_counts_begin(c);
	for (size_t i = 0; i < PT_NR(odd); i++) {
		feed(c, i, 0, 0, i < 2 ? 0 : 500000000, 1, i >= 2);
		feed(c, i, 1, 1, 1000000000, 1, 1);
	}
	pt_counts_print_head(c, &csv, &head);
	CHECK_STR(pt_buf_str(&head), ",CPUs utilized a,faults/sec a,CPUs utilized b,faults/sec b,\n");
	CHECK_STR(text(c, PT_COUNTS_INTERVAL, csv), "CPU0,,,0.500,1000000000.000,\nCPU1,1.000,1000000000.000,1.000,1000000000.000,\n");
	CHECK_HAS(text(c, PT_COUNTS_INTERVAL, json), "\"event\":\"task-clock\",\"cgroup\":\"b\",\"metric-value\":0.500000,");
	pt_buf_deinit(&head);
	pt_counts_free(c);
}

/* Of the named figures alone, under their names; rates in whole units. */
static int parse_metrics(const char *names, bool tasks, uint32_t *which, struct pt_buf *got, struct pt_err *e)
{
	struct pt_strs words = { 0 };
	int rc;

	pt_strs_split(&words, names);
	rc = pt_metrics_parse(&words, tasks, which, got, e);
	pt_strs_deinit(&words);
	return rc;
}

TEST(figures_by_name)
{
	struct pt_counts_style csv = { .form = PT_COUNTS_CSV, .sep = ",", .elapsed_ns = 1e9 }, alone = { .form = PT_COUNTS_CSV, .sep = ",", .metric_only = true, .elapsed_ns = 1e9 },
			       json = { .form = PT_COUNTS_JSON, .elapsed_ns = 1e9 };
	struct pt_buf names = PT_BUF_INIT, head = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	struct pt_counts *c = new_counts(PT_BY_ALL, 5);

	CHECK_INT(parse_metrics("insn_per_cycle,branch_frequency,branch_miss_rate", true, &c->opts.metrics, &names, &e), 0);
	pt_counts_begin(c);
	feed(c, 0, 0, 0, 2000000000, 1, 1);
	feed(c, 1, 0, 0, 4000000000, 1, 1);
	feed(c, 2, 0, 0, 6000000000, 1, 1);
	feed(c, 3, 0, 0, 1000000, 1, 1);
	feed(c, 4, 0, 0, 250000, 1, 1);
	CHECK_STR(text(c, PT_COUNTS_TOTAL, csv), "2000.00,msec,task-clock,1,100.00,,\n4000000000,,cycles,1,100.00,,\n6000000000,,instructions,1,100.00,1.50,insn_per_cycle\n"
						 "1000000,,branches,1,100.00,500000.000,branch_frequency\n250000,,branch-misses,1,100.00,25.00,branch_miss_rate\n");
	pt_counts_print_head(c, &alone, &head);
	CHECK_STR(pt_buf_str(&head), "insn_per_cycle,branch_frequency,branch_miss_rate,\n");
	CHECK_STR(text(c, PT_COUNTS_TOTAL, alone), "1.50,500000.000,25.00,\n");
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, json), "\"metric-value\":500000.000000,\"metric-unit\":\"branch_frequency\"}");
	c->opts.metrics = 1u << PT_METRIC_CPUS | 1u << PT_METRIC_FREQUENCY;
	CHECK_STR(text(c, PT_COUNTS_TOTAL, alone), "2.000,2.000,\n");
	pt_buf_deinit(&names);
	pt_buf_deinit(&head);
	pt_counts_free(c);
}

TEST(names_of_figures)
{
	static const struct { const char *names; bool tasks; const char *events; } cases[] = {
		{ "insn_per_cycle", true, "{instructions,cycles}" },
		{ "IPC,ipc,Insn_Per_Cycle", true, "{instructions,cycles}" },
		{ "CPUs_utilized", true, "task-clock" },
		{ "CPUs_utilized", false, "cpu-clock" },
		{ "cycles_frequency", false, "cycles,cpu-clock" },
		{ "insn_per_cycle,frontend_cycles_idle,cycles_frequency", true, "{instructions,cycles},stalled-cycles-frontend,task-clock" },
		{ "stalled_cycles_per_instruction", true, "{instructions,stalled-cycles-frontend,stalled-cycles-backend}" },
		{ "default3", true, "{L1-icache-load-misses,L1-icache-loads},{dTLB-load-misses,dTLB-loads},{iTLB-load-misses,iTLB-loads}" },
	};
	static const char *const wrong[] = { "", "nix", "insn_per_cycle,", "insn_per_cycle,nix", "insn per cycle" };
	uint32_t which;

	for (size_t i = 0; i < PT_NR(cases); i++) {
		struct pt_buf events_ = PT_BUF_INIT;
		struct pt_err e = PT_ERR_INIT;

		if (parse_metrics(cases[i].names, cases[i].tasks, &which, &events_, &e) < 0)
			FAIL("%s: %s", cases[i].names, e.msg);
		CHECK_STR(pt_buf_str(&events_), cases[i].events);
		CHECK(which && !(which & 1u << PT_METRIC_NO_NAME));
		pt_buf_deinit(&events_);
	}
	for (size_t i = 0; i < PT_NR(wrong); i++) {
		struct pt_buf events_ = PT_BUF_INIT;
		struct pt_err e = PT_ERR_INIT;

		CHECK_INT(parse_metrics(wrong[i], true, &which, &events_, &e), -1);
		CHECK_HAS(e.msg, "no metric or group of metrics '");
		CHECK_HAS(e.msg, " tma_backend_bound");
		pt_buf_deinit(&events_);
	}
	/* each has a name, a group, a text and events */
	for (int id = PT_METRIC_NO_NAME + 1; id < PT_METRIC_END; id++) {
		const struct pt_metric_name *m = pt_metric_name(id);

		CHECK(m && m->name && m->group && m->what && (m->hardware[0] || m->software[0]));
	}
}

TEST(runs)
{
	struct pt_counts *c = new_counts(PT_BY_ALL, 2);
	struct pt_counts_style csv = { .form = PT_COUNTS_CSV, .sep = "," };
	static const uint64_t seen[] = { 100, 110, 120 };

	for (size_t i = 0; i < PT_NR(seen); i++) {
		pt_counts_begin(c);
		feed(c, 1, 0, 0, seen[i], 10, 10);
		pt_counts_end_run(c);
	}
	/* Standard deviation 10, of the mean 10 / sqrt(3) = 5.77; of 110: 5.25 % */
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, csv), "110,,cycles,5.25%,10,100.00,,\n");
	pt_counts_free(c);
}

TEST(csv_is_quoted)
{
	static const struct pt_counts_event odd[] = { { "cpu/a=1,b=2/", "", 1, &attrs[1], 0, false, false, NULL } };
	struct pt_counts *c = pt_counts_new(&(struct pt_counts_opts){ .by = PT_BY_ALL }, odd, 1);
	struct pt_counts_style s = { .form = PT_COUNTS_CSV, .sep = "," };

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 5, 10, 10);
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, s), "5,,\"cpu/a=1,b=2/\",10,100.00,");
	s.sep = ";";
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, s), "5;;cpu/a=1,b=2/;10;100.00;");
	pt_counts_free(c);
}

TEST(csv_titles_of_figures_are_quoted)
{
	static const struct pt_counts_event odd[] = {
		{ "task-clock", "msec", 1e-6, &attrs[0], 0, false, false, NULL },
		{ "cpu/a=1,b=2/", "", 1, &attrs[3], 1, false, false, NULL },
	};
	struct pt_counts *c = pt_counts_new(&(struct pt_counts_opts){ .by = PT_BY_ALL }, odd, 2);
	struct pt_counts_style s = { .form = PT_COUNTS_CSV, .sep = ",", .metric_only = true, .elapsed_ns = 1e9 };
	struct pt_buf head = PT_BUF_INIT;

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 1000000000, 1, 1);
	feed(c, 1, 0, 0, 500, 1, 1);
	pt_counts_print_head(c, &s, &head);
	CHECK_HAS(pt_buf_str(&head), ",\"cpu/a=1,b=2//sec\",");
	pt_buf_deinit(&head);
	pt_counts_free(c);
}

TEST(json_is_escaped)
{
	static const struct pt_counts_event odd[] = { { "a\"b\n", "", 1, &attrs[1], 0, false, false, NULL } };
	struct pt_counts *c = pt_counts_new(&(struct pt_counts_opts){ .by = PT_BY_ALL }, odd, 1);
	struct pt_counts_style json = { .form = PT_COUNTS_JSON }, prom = { .form = PT_COUNTS_OPENMETRICS, .elapsed_ns = 1.5e9 };

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 5, 10, 10);
	CHECK_STR(text(c, PT_COUNTS_TOTAL, json), "{\"counter-value\":\"5.000000\",\"unit\":\"\",\"event\":\"a\\\"b\\n\",\"event-runtime\":10,"
		  "\"pcnt-running\":100.00,\"metric-value\":0.000000,\"metric-unit\":\"\"}\n");
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, prom), "pt_stat_events{event=\"a\\\"b\\n\"} 5\n");
	CHECK_HAS(text(c, PT_COUNTS_TOTAL, prom), "pt_stat_elapsed_seconds 1.500000000\n# EOF\n");
	pt_counts_free(c);
}

/* Figures take their operands from the same control group; the name is behind the event in all forms. */
TEST(control_groups)
{
	static const struct pt_counts_event in[] = {
		{ "task-clock", "msec", 1e-6, &attrs[0], 0, false, false, "a" }, { "branches", "", 1, &attrs[3], 1, false, false, "a" },
		{ "task-clock", "msec", 1e-6, &attrs[0], 2, false, false, "b\"\n" }, { "branches", "", 1, &attrs[3], 3, false, false, "b\"\n" },
		{ "branches", "", 1, &attrs[3], 4, false, false, NULL },
	};
	struct pt_counts *c = pt_counts_new(&(struct pt_counts_opts){ .by = PT_BY_ALL, .sysfs = sysfs() }, in, PT_NR(in));
	struct pt_counts_style s = { .form = PT_COUNTS_CSV, .sep = ",", .cgroups = true, .elapsed_ns = 1e9 };
	const char *t;

	pt_counts_begin(c);
	feed(c, 0, 0, 0, 1000000000, 1, 1);
	feed(c, 1, 0, 0, 500, 1, 1);
	feed(c, 2, 0, 0, 500000000, 1, 1);
	feed(c, 3, 0, 0, 600, 1, 1);
	feed(c, 4, 0, 0, 900, 1, 1);
	t = text(c, PT_COUNTS_TOTAL, s);
	CHECK_HAS(t, "500,,branches,a,1,100.00,500.000,/sec\n");
	CHECK_HAS(t, "600,,branches,\"b\"\"\\x0a\",1,100.00,1.200,K/sec\n");
	CHECK_HAS(t, "900,,branches,,1,100.00,,\n");
	s.form = PT_COUNTS_TABLE;
	t = text(c, PT_COUNTS_TOTAL, s);
	CHECK_HAS(t, " branches                         a #  500.000 /sec\n");
	CHECK_HAS(t, " branches                         b\"\\x0a #    1.200 K/sec\n");
	CHECK_HAS(t, " branches\n");
	s.form = PT_COUNTS_JSON;
	t = text(c, PT_COUNTS_TOTAL, s);
	CHECK_HAS(t, "\"event\":\"branches\",\"cgroup\":\"a\",");
	CHECK_HAS(t, "\"cgroup\":\"b\\\"\\n\",");
	CHECK_HAS(t, "\"cgroup\":\"\",");
	s.form = PT_COUNTS_OPENMETRICS;
	t = text(c, PT_COUNTS_TOTAL, s);
	CHECK_HAS(t, "pt_stat_events{event=\"branches\",cgroup=\"a\"} 500\n");
	CHECK_HAS(t, "pt_stat_events{event=\"branches\",cgroup=\"b\\\"\\n\"} 600\n");
	CHECK_HAS(t, "pt_stat_events{event=\"branches\"} 900\n");
	pt_counts_free(c);
}
