/* pt-schedlat - how long tasks waited for a CPU, ran and slept: a table. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/input.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/switches.h"
#include "sched/schedlat.h"

struct args {
	const char *by, *sort, *output;
	bool pids, per_cpu, per_cgroup, woken, json;
	uint64_t nr_worst;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	PT_ROW(0, "by", "KEY", "a row each: comm (tasks of one name), tid, pid (processes), cpu, cgroup", PT_OPT_STR, by),
	PT_ROW(0, "pids", NULL, "the same as --by tid, as perf has it", PT_OPT_FLAG, pids),
	PT_ROW(0, "per-cpu", NULL, "the same as --by cpu", PT_OPT_FLAG, per_cpu),
	PT_ROW(0, "per-cgroup", NULL, "the same as --by cgroup", PT_OPT_FLAG, per_cgroup),
	PT_ROW('s', "sort", "KEYS", "runtime, wait, sleep, block, switch, avg, p50, p99, max, pid, name: the greatest first", PT_OPT_STR, sort),
	PT_ROW(0, "worst", "N", "the N longest delays, too, and who had the CPU meanwhile", PT_OPT_U64, nr_worst, .min = 1, .max = 1000),
	PT_ROW(0, "woken", NULL, "delays of tasks that were woken, not of those that were preempted", PT_OPT_FLAG, woken),
	PT_ROW('j', "json", NULL, "an object of JSON a row", PT_OPT_FLAG, json),
	PT_ROW('o', "output", "FILE", "write there instead of standard output", PT_OPT_STR, output),
	{ 0 }
};

static const struct pt_opt_group groups[] = {
	{ "Output", own, 0 },
	{ "Choosing", pt_opts_choose, offsetof(struct args, choose) },
	{ "Reading", pt_opts_input, offsetof(struct args, input) },
	{ "Live", pt_opts_watch, offsetof(struct args, watch) },
	{ NULL, NULL, 0 }
};

static const char *const examples[] = {
	"pt-schedlat -- make -j4",
	"pt-schedlat --worst 5 sched.data",
	"pt-schedlat --by tid -s p99 -a --for 10",
	"perf sched record -- make -j4 && pt-schedlat perf.data",
	NULL
};

static const struct pt_tool tool = {
	.name = "pt-schedlat", .purpose = "how long tasks waited for a CPU, ran and slept", .forms = pt_input_forms, .groups = groups, .examples = examples,
};

struct run {
	struct args *a;
	struct pt_source *src;
	struct pt_sched *sched;
	struct pt_schedlat *lat;
};

static enum pt_schedlat_by by_what(const struct args *a)
{
	static const char *const words[] = {
		[PT_SCHEDLAT_COMM] = "comm", [PT_SCHEDLAT_TID] = "tid", [PT_SCHEDLAT_PID] = "pid", [PT_SCHEDLAT_CPU] = "cpu", [PT_SCHEDLAT_CGROUP] = "cgroup",
	};
	const char *word = a->pids ? "tid" : a->per_cpu ? "cpu" : a->per_cgroup ? "cgroup" : a->by ? a->by : "comm";

	if (a->pids + a->per_cpu + a->per_cgroup + !!a->by > 1)
		pt_usage(&tool, "--by, --pids, --per-cpu, --per-cgroup: one of them");
	for (size_t i = 0; i < PT_NR(words); i++)
		if (!strcmp(word, words[i]))
			return (enum pt_schedlat_by)i;
	pt_usage(&tool, "--by %s: one of comm, tid, pid, cpu, cgroup", word);
}

static int start(struct run *r, const struct pt_record *rec, struct pt_err *e)
{
	struct pt_choose *c = &r->a->choose;

	if (pt_choose_start(c, r->src, rec->time_ns, e) < 0)
		return -1;
	pt_schedlat_window(r->lat, c->from_ns, c->to_ns);
	return 0;
}

static int run(struct run *r, struct pt_err *e)
{
	struct pt_sched_event ev;
	const struct pt_record *rec;
	int rc, kind;

	while ((rc = pt_source_next(r->src, &rec, e)) > 0) {
		if (rec->type == PERF_RECORD_SAMPLE) {
			if (!r->a->choose.started && start(r, rec, e) < 0)
				return -1;
		} else if (rec->type == PERF_RECORD_CGROUP) {
			pt_schedlat_cgroup(r->lat, rec->u.cgroup.id, rec->u.cgroup.path);
		}
		kind = pt_sched_feed(r->sched, rec, &ev, e);
		if (kind < 0)
			return -1;
		if (kind != PT_SCHED_NOTHING)
			pt_schedlat_feed(r->lat, &ev, rec);
	}
	return rc;
}

static int print(struct run *r, struct pt_out *out, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	int rc;

	if (r->a->json)
		pt_schedlat_json(r->lat, &b);
	else
		pt_schedlat_table(r->lat, &b);
	rc = pt_out_write(out, pt_buf_str(&b), b.len, e);
	pt_buf_deinit(&b);
	return rc;
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_err e = PT_ERR_INIT;
	struct run r = { .a = &a };
	struct pt_out *out = NULL;
	struct pt_schedlat_opts o = { .by = PT_SCHEDLAT_COMM };
	struct pt_sched_opts so = { .without = 0 };
	int first = pt_opt_parse(&tool, argc, argv, &a), rc;

	o.by = by_what(&a);
	if (a.sort && pt_schedlat_sort(NULL, a.sort, &e) < 0)
		pt_usage(&tool, "--sort %s", e.msg);
	pt_choose_watched(&a.choose, &a.watch, &a.input, argc, argv, first);
	o.woken_only = a.woken;
	o.nr_worst = (size_t)a.nr_worst;
	o.arg = &a.choose;
	o.task = pt_choose_tasks(&a.choose) ? pt_switches_task : NULL;
	o.cpu = a.choose.nr_cpus ? pt_switches_cpu : NULL;
	if (pt_input_open(&tool, &r.src, &a.watch, &a.input, argc, argv, first, pt_switches_events(a.nr_worst), &e) < 0 || pt_out_open(&out, a.output, &e) < 0)
		return pt_finish(&tool, r.src, NULL, -1, &e);
	o.live = pt_source_info(r.src)->live;
	if (!a.nr_worst)
		so.without = 1u << PT_SCHED_MIGRATE;
	r.sched = pt_sched_new(&so);
	r.lat = pt_schedlat_new(&o, r.sched);
	if (a.sort)
		pt_schedlat_sort(r.lat, a.sort, NULL);
	rc = run(&r, &e);
	if (print(&r, out, rc < 0 ? NULL : &e) < 0)
		rc = -1;
	rc = pt_switches_end(&tool, r.sched, r.src, rc, &e);
	rc = pt_finish(&tool, r.src, out, rc, &e);
	pt_schedlat_free(r.lat);
	pt_sched_free(r.sched);
	pt_choose_deinit(&a.choose);
	pt_source_free(r.src);
	pt_watch_args_deinit(&a.watch);
	return rc;
}
