/* pt-schedlat - how long tasks waited for a CPU, ran and slept: a table. */

#include "cli/analysis.h"
#include "cli/opt.h"
#include "cli/switches.h"
#include "sched/schedlat.h"

struct args {
	struct pt_schedlat_opts o;
	const char *sort, *output;
	bool json;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_word keys[] = {
	PT_WORD("comm", PT_SCHEDLAT_COMM), PT_WORD("tid", PT_SCHEDLAT_TID),
	PT_WORD("pid", PT_SCHEDLAT_PID), PT_WORD("cpu", PT_SCHEDLAT_CPU),
	PT_WORD("cgroup", PT_SCHEDLAT_CGROUP), { 0 }
};

#define SORT_KEYS "runtime, wait, sleep, block, switch, avg, p50, p99, max, pid, name"

static const struct pt_opt own[] = {
	PT_ROW(0, "by", "KEY",
	       "a row for each comm (all tasks of one name), tid, pid (process), cpu or cgroup",
	       PT_OPT_WORD, o.by, .words = keys),
	PT_ROW_SET(0, "pids", "the same as --by tid, for users of perf", o.by, PT_SCHEDLAT_TID),
	PT_ROW_SET(0, "per-cpu", "the same as --by cpu", o.by, PT_SCHEDLAT_CPU),
	PT_ROW_SET(0, "per-cgroup", "the same as --by cgroup", o.by, PT_SCHEDLAT_CGROUP),
	PT_ROW('s', "sort", "KEYS",
	       "sort by " SORT_KEYS " (figures: the greatest first)", PT_OPT_STR, sort,
	       .list = SORT_KEYS),
	PT_ROW(0, "worst", "N", "also show the N longest delays, and which tasks had the CPU meanwhile",
	       PT_OPT_U64, o.nr_worst, .min = 1, .max = 1000),
	PT_ROW_FLAG(0, "woken", "only delays of woken tasks, not of preempted ones",
		    o.woken_only),
	PT_ROW_JSON("one JSON object per row"),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-schedlat",
	.forms = pt_input_forms,
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"pt-schedlat -- make -j4",
		"pt-schedlat --worst 5 sched.data",
		"pt-schedlat --by tid -s p99 -a --for 10",
		"perf sched record -- make -j4 && pt-schedlat perf.data"),
};

static int see(struct pt_schedlat *lat, struct pt_sched *sched, const struct pt_record *rec,
	       struct pt_err *e)
{
	struct pt_sched_event ev;
	int kind;

	if (rec->type == PERF_RECORD_CGROUP)
		pt_schedlat_cgroup(lat, rec->u.cgroup.id, rec->u.cgroup.path);
	kind = pt_sched_feed(sched, rec, &ev, e);
	if (kind > PT_SCHED_NOTHING)
		pt_schedlat_feed(lat, &ev, rec);
	return kind < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_analysis an = PT_ANALYSIS(a);
	struct pt_sched_opts so = { .without = 0 };
	struct pt_err e = PT_ERR_INIT;
	const struct pt_record *rec;
	struct pt_schedlat *lat;
	struct pt_sched *sched;

	pt_analysis_parse(&an, argc, argv, &a);
	pt_analysis_watch_all(&an);
	if (a.sort && pt_schedlat_sort(NULL, a.sort, &e) < 0)
		pt_usage(&tool, "--sort %s", e.msg);
	a.o.choose = &a.choose;
	pt_analysis_open(&an, pt_switches_events(a.o.nr_worst));
	pt_analysis_output(&an, a.output);
	a.o.live = an.live;
	if (!a.o.nr_worst)
		so.without = 1u << PT_SCHED_MIGRATE;
	sched = pt_sched_new(&so);
	lat = pt_schedlat_new(&a.o, sched);
	if (a.sort)
		pt_schedlat_sort(lat, a.sort, NULL);
	while (pt_analysis_next(&an, &rec))
		if (see(lat, sched, rec, &an.err) < 0)
			an.rc = -1;
	if (a.json)
		pt_schedlat_json(lat, &an.text);
	else
		pt_schedlat_table(lat, &an.text);
	pt_switches_end(&an, sched);
	pt_schedlat_free(lat);
	pt_sched_free(sched);
	return pt_analysis_end(&an);
}
