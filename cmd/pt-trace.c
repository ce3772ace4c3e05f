/* pt-trace - system calls as they happen, or summed, without ptrace. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/split.h"
#include "cli/stacknote.h"
#include "cli/strace.h"
#include "cli/symbols.h"
#include "cli/user.h"
#include "event/cgroup.h"
#include "record/watch/live.h"
#include "syscall/collect.h"
#include "syscall/filter.h"
#include "syscall/line.h"
#include "syscall/plans.h"
#include "syscall/sums.h"
#include "task/tasks.h"

/* Less than other tools copy, because there may be thousands of calls in a millisecond. */
enum { STACK_BYTES = 8192 };

struct args {
	bool sum, both, json, of_user;
	uint32_t uid;
	struct pt_call_graph call_graph;
	int follow, quiet, paths;	/* how often */
	uint64_t text_max, interval_ns;
	const char *output;
	struct pt_call_filter filter;
	struct pt_line line;
	struct pt_sums_style style;
	struct pt_frames_opts frames;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static int opt_expr(void *group, const char *arg, struct pt_err *e)
{
	return pt_call_filter_add(&((struct args *)group)->filter, arg, e);
}

static int add_expr(void *group, const char *kind, const char *arg, struct pt_err *e)
{
	char *expr = pt_asprintf("%s=%s", kind, arg);
	int rc = opt_expr(group, expr, e);

	free(expr);
	return rc;
}

static int opt_signal(void *group, const char *arg, struct pt_err *e)
{
	return add_expr(group, "signal", arg, e);
}

static int opt_quiet_what(void *group, const char *arg, struct pt_err *e)
{
	return add_expr(group, "quiet", arg ? arg : "exit", e);
}

static int opt_path(void *group, const char *arg, struct pt_err *e)
{
	(void)e;
	pt_call_filter_path(&((struct args *)group)->filter, arg);
	return 0;
}

static int opt_errno(void *group, const char *arg, struct pt_err *e)
{
	return pt_call_filter_errors(&((struct args *)group)->filter, arg, e);
}

static int opt_user(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	a->of_user = true;
	a->watch.given = "-u";
	return pt_user_id(arg, &a->uid, e);
}

static int opt_stamps(void *group, const char *arg, struct pt_err *e)
{
	return pt_line_stamp(&((struct args *)group)->line, arg ? arg : "time", e);
}

/* strace's -tt and -ttt arrive as -t with an argument. */
static int opt_tids(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	if (!strcmp(arg, "t") || !strcmp(arg, "tt"))
		return pt_line_stamp(&a->line, arg[1] ? "unix,us" : "time,us", e);
	a->watch.target = "-t";
	return pt_num_list_more(arg, INT32_MAX, &a->watch.watch.tids, &a->watch.watch.nr_tids, e);
}

static const struct pt_opt own[] = {
	PT_ROW_CALL('e', "expr", "CALLS",
		    "show only these calls: names, globs, %file and other classes; !a,b: all but these; signal=SIGNALS",
		    opt_expr),
	PT_ROW_CALL(0, "trace", "CALLS", NULL, opt_expr),
	PT_ROW_CALL(0, "signal", "SIGNALS", NULL, opt_signal),
	PT_ROW_FLAG('c', "summary-only", "only a table of sums", sum),
	PT_ROW_FLAG('S', "summary", "also the table", both),
	PT_ROW('I', "interval", "MS", "with -c or -S: a table for each interval (1000, 1s)",
	       PT_OPT_MSEC, interval_ns, .min = 1000000),
	PT_ROW(0, "summary-mode", "MODE", "sum up in total, or by thread or cgroup",
	       PT_OPT_WORD, style.by, .words = pt_sums_modes),
	PT_ROW(0, "summary-sort-by", "KEY",
	       "sort the table by time, calls, errors, mean, max or name",
	       PT_OPT_WORD, style.sort, .words = pt_sums_sorts),
	PT_ROW_FLAG('Z', "failure", "only calls that failed", filter.failed),
	PT_ROW_FLAG(0, "failed-only", NULL, filter.failed),
	PT_ROW_FLAG('z', "success", "only calls that succeeded", filter.succeeded),
	PT_ROW_FLAG(0, "successful-only", NULL, filter.succeeded),
	PT_ROW_CALL(0, "errno", "ERRORS", "only calls that failed with one of these: ENOENT,EACCES",
		    opt_errno),
	PT_ROW(0, "duration", "MS", "only calls that took at least this long: 5, 500us", PT_OPT_MSEC,
	       filter.longer_ns),
	PT_ROW_CALL('P', "trace-path", "PATH", "only calls with this path or a descriptor of it",
		    opt_path),
	PT_ROW('y', "decode-fds", NULL, "show paths of descriptors; -yy: also numbers of devices",
	       PT_OPT_COUNT, paths),
	PT_ROW_FLAG('T', "syscall-times", "show the duration of each call", line.durations),
	PT_ROW_CALL(0, "absolute-timestamps", "[FORMAT]",
		    "show when each call began: time, unix, or clock (the session's); ,ms ,us ,ns",
		    opt_stamps, .list = "time, unix, clock"),
	PT_ROW_FLAG('r', "relative-timestamps", "show the time since the previous call",
		    line.relative),
	PT_ROW('s', "string-limit", "N", "print N characters of strings (32); paths are whole",
	       PT_OPT_U64, text_max, .max = 1024),
	PT_ROW(0, "str", "N", NULL, PT_OPT_U64, text_max, .max = 1024),
	PT_ROW_FLAG('N', "arg-names", "show names of arguments", line.text.names),
	PT_ROW_FLAG('n', "syscall-number", "show the number of each call", line.numbers),
	PT_ROW(0, "columns", "N", "column of the results (40)", PT_OPT_U64, line.column,
	       .max = 1000),
	PT_ROW_FLAG('g', "stack-trace", "show the stack of each call, with inlined functions",
		    call_graph.wanted),
	PT_ROW_STACK_SIZE("copy this much of each stack for unwinding (8K)"),
	PT_ROW_CALL_GRAPH("the same; how stacks are taken: dwarf[,BYTES] (default), fp, lbr"),
	PT_ROW('q', NULL, NULL, NULL, PT_OPT_COUNT, quiet),
	PT_ROW_CALL(0, "quiet", "[WHAT]", "no lines of exits (WHAT is exit), the same as -qq",
		    opt_quiet_what, .list = "exit"),
	PT_ROW_JSON("one JSON object per line: call, signal, exit, row of the table"),
	PT_ROW_OUTPUT,
	PT_ROW('f', "follow-forks", NULL, NULL, PT_OPT_COUNT, follow),
	PT_ROW_SET(0, "output-separately", NULL, follow, 2),
	{ 0 }
};

static const struct pt_opt live_own[] = {
	PT_ROW_CALL('u', "uid", "USER", "all tasks of this user", opt_user),
	PT_ROW_CALL('t', NULL, "TIDS", "these threads", opt_tids),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-trace",
	.hint = pt_strace_hint,
	.forms = pt_input_forms,
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUP("Choosing", pt_opts_choose, choose),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUP("Reading", pt_opts_input, input),
		PT_GROUP("Live", pt_opts_tasks, watch),
		PT_OWN("Live, threads", live_own),
		PT_OWN("Of strace", pt_opts_strace)),
	.examples = PT_LINES(
		"pt-trace -- ls",
		"pt-trace -c -- dd if=/dev/zero of=/dev/null bs=1 count=500k",
		"pt-trace -y -e %file --errno ENOENT -- gcc -c x.c",
		"pt-trace -c -I 1s -p 4711",
		"pt-trace -j -e '%net' -p 4711 | jq 'select(.us > 1000)'",
		"perf trace record -- ls && pt-trace perf.data"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_collect *collect;
	struct pt_calls *calls;
	struct pt_sums *sums;
	struct pt_stacknote note;
	struct pt_split split;		/* -ff -o */
	struct pt_plan plans[PT_CALL_SLOTS];
	bool sums_of_kernel;
	bool all;			/* all tasks are watched */
	struct pt_offer calls_there;	/* to choose from */
};

static void check_args(struct args *a, const struct pt_operands *operands)
{
	pt_strace_check(&tool, a->watch.watch.all_cpus, a->both, operands);
	if (a->filter.failed && a->filter.succeeded)
		pt_usage(&tool, "-Z and -z: one of them");
	if (a->follow > 1 && !a->output)
		pt_usage(&tool, "-ff needs -o FILE, for files FILE.TID");
	if (a->interval_ns && !a->sum && !a->both)
		pt_usage(&tool, "-I needs -c or -S (%s)", pt_strace_hint('I'));
	if (a->call_graph.wanted && a->sum)
		pt_usage(&tool, "-g and -c: one of them, sums have no stacks");
	if (a->of_user && (a->watch.watch.nr_pids || a->watch.watch.nr_tids || operands->nr))
		pt_usage(&tool, "-u watches all that a user runs; %s", pt_strace_hint('u'));
	a->filter.no_exits |= a->quiet > 1;
	a->line.paths = a->paths || a->filter.paths;
	a->line.devices = a->paths > 1;
	a->line.json = a->json;
	a->line.text.text_max = (uint16_t)a->text_max;
	a->style.json = a->json;
}

static bool wants_paths(const struct args *a)
{
	return a->line.paths || a->filter.only_paths.nr;
}

/* Warns of what is missing when the memory of processes cannot be read. */
static void tell_without(const struct args *a, const struct pt_err *e)
{
	pt_warn(&tool, "without BPF: %s", e->msg);
	pt_warn(&tool, "so strings and structures are addresses%s%s, and there are no lines of signals and exits",
		wants_paths(a) ? ", descriptors have no paths" : "",
		a->sum || a->both ? ", the time on CPUs is not known" : "");
}

/* Completes the live session. If BPF programs collect, the tool itself chooses by CPU, and stacks
 * and members of a cgroup are looked for on all CPUs. */
static void choose_session(struct pt_watch *w, void *ctx)
{
	struct run *r = ctx;
	struct args *a = r->a;

	if (a->call_graph.wanted) {
		pt_call_graph_watch(&a->call_graph, w);
		w->sample_type |= PERF_SAMPLE_RAW;
		for (size_t i = 0; i < w->events.nr; i++)
			w->events.specs[i].attr.flags |= PT_ATTR_EXCLUDE_CALLCHAIN_KERNEL;
		w->want_maps = w->want_build_ids = w->slow_reader = w->no_kernel_map = true;
	}
	if (!r->collect)
		return;
	w->until_idle = w->command && !r->all && !w->nr_pids && !w->nr_tids;
	w->all_cpus |= a->call_graph.wanted || r->all;
	w->collects_tasks = !r->all;
	w->no_samples = !a->call_graph.wanted;
	w->cgroup = NULL;
	if (!w->nr_cpus)
		return;
	free(a->choose.cpus);
	a->choose.cpus = w->cpus;
	a->choose.nr_cpus = w->nr_cpus;
	a->choose.given = "-C";
	w->cpus = NULL;
	w->nr_cpus = 0;
}

static void check_names(struct run *r)
{
	struct pt_err e = PT_ERR_INIT;

	if (pt_call_filter_check(&r->a->filter, r->calls, &e) < 0)
		pt_usage(&tool, "-e: %s", e.msg);
}

/* A control group that is not there is no matter of BPF. */
static void check_cgroup(const char *name)
{
	struct pt_err e = PT_ERR_INIT;
	int fd = pt_cgroup_open(name, false, &e);

	if (fd < 0)
		pt_die(&tool, "%s", e.msg);
	close(fd);
}

/* Loads the BPF programs. Returns the events of the session: perf's own if there is no BPF. */
static const char *open_collect(struct run *r)
{
	struct args *a = r->a;
	struct pt_watch *w = &a->watch.watch;
	const struct pt_call_filter *f = &a->filter;
	struct pt_collect_opts o = {
		.all = r->all, .cgroup = w->cgroup, .of_user = a->of_user, .uid = a->uid,
		.perf_rings = a->call_graph.wanted, .delay_ns = pt_watch_delay_ns(w),
		.ring_bytes = w->ring_pages * (uint32_t)sysconf(_SC_PAGESIZE),
		.pids = w->pids, .nr_pids = w->nr_pids, .tids = w->tids,
		.nr_tids = w->nr_tids, .plans = r->plans, .by = a->style.by,
		.failed = f->failed, .succeeded = f->succeeded,
		.errnos = f->errnos, .nr_errnos = f->nr_errnos, .longer_ns = f->longer_ns,
		.signals = f->signals, .exits = !f->no_exits,
		.text_max = (uint16_t)(a->text_max + 2),
	};
	struct pt_err e = PT_ERR_INIT;

	check_names(r);
	r->sums_of_kernel = (a->sum || a->both) && !pt_call_filter_needs_lines(f) &&
			    !a->choose.given && !w->nr_cpus;
	o.sum = r->sums_of_kernel;
	o.lines = !a->sum || !r->sums_of_kernel;
	if (pt_collect_open(&r->collect, &o, &e) == 0) {
		w->collector = pt_collect_collector(r->collect);
		if (!pt_collect_reads_kernel(r->collect))
			pt_warn(&tool, "the kernel is locked down: descriptors have no paths, and of signals only the number is known");
		return a->call_graph.wanted ? "bpf-output" : "dummy";
	}
	if (a->of_user)
		pt_die(&tool, "-u needs BPF: %s", e.msg);
	if (w->cgroup)
		check_cgroup(w->cgroup);
	r->sums_of_kernel = false;
	tell_without(a, &e);
	return "raw_syscalls:sys_enter,raw_syscalls:sys_exit";
}

static void print_sums(struct run *r, uint64_t time_ns)
{
	struct pt_err e = PT_ERR_INIT;

	if (r->sums_of_kernel && pt_sums_collect(r->sums, r->collect, &e) < 0)
		pt_analysis_fail(&r->an, &e);
	r->a->style.cpu = r->sums_of_kernel;
	r->a->style.time_ns = time_ns;
	r->a->style.tasks = r->an.tasks;
	pt_sums_print(r->sums, &r->a->style, r->calls, &r->an.text);
}

static void put_call(struct run *r, const struct pt_record *rec, const struct pt_call *c)
{
	const struct pt_named_frame *frames = NULL;
	size_t nr = 0;

	if (rec && r->an.frames && c->kind == PT_CALL_DONE)
		nr = pt_stacknote_frames(&r->note, r->an.frames, rec, &frames);
	if (!r->split.prefix) {
		pt_line_add(&r->a->line, c, frames, nr, &r->an.text);
		return;
	}
	pt_line_add(&r->a->line, c, frames, nr, pt_split_of(&r->split, c->tid));
	if (pt_split_paced(&r->split, c->tid, &r->an.err) < 0)
		r->an.rc = -1;
}

static void take(struct run *r, const struct pt_record *rec, const struct pt_call *c)
{
	uint64_t of = r->a->style.by == PT_SUM_THREAD ? (uint64_t)c->pid << 32 | c->tid : 0;

	if (!pt_offer_note(&r->calls_there, c->name, pt_call_filter_has(&r->a->filter, c)))
		return;
	if (!r->sums_of_kernel && (r->a->sum || r->a->both))
		pt_sums_add(r->sums, c, of);
	if (!r->a->sum)
		put_call(r, rec, c);
}

/* One that is still running at the end. BPF programs do not tell its CPU. */
static void take_open(struct run *r, const struct pt_call *call)
{
	const struct pt_choose *c = &r->a->choose;

	if (pt_choose_task(c, call->pid, call->tid, pt_tasks_known(r->an.tasks, call->tid)) &&
	    (r->collect || (pt_choose_time(c, call->end_ns) && pt_choose_cpu(c, (int)call->cpu))))
		take(r, NULL, call);
}

static void take_all_open(struct run *r)
{
	static struct pt_task_state state;
	uint64_t end_ns = pt_analysis_end_ns(&r->an);
	struct pt_call call;
	uint32_t tid = 0;

	for (size_t i = 0; pt_calls_open(r->calls, &i, end_ns, &call); )
		take_open(r, &call);
	while (r->collect && pt_collect_task(r->collect, &tid, &state))
		if (pt_calls_of_task(r->calls, tid, &state, end_ns, &call))
			take_open(r, &call);
}

static void read_calls(struct run *r)
{
	const struct pt_record *rec;
	uint64_t last_ns = 0;
	struct pt_call call;
	bool any = false;

	while (pt_analysis_next(&r->an, &rec)) {
		last_ns = rec->time_ns ? rec->time_ns : last_ns;
		if (rec->type == PT_RECORD_TICK && r->a->interval_ns)
			print_sums(r, rec->time_ns);
		if (!pt_calls_feed(r->calls, r->an.src, rec, &call))
			continue;
		if (!any && !r->an.live)	/* its machine is known now */
			check_names(r);
		any = true;
		if (pt_choose_sample(&r->a->choose, rec, pt_tasks_known(r->an.tasks, call.tid)))
			take(r, rec, &call);
	}
	if (!any && !r->an.live)
		pt_warn(&tool, "no system calls in the recording: pt-record --syscall records them");
	take_all_open(r);
	r->a->style.end = r->a->interval_ns;
	if (r->a->sum || r->a->both)
		print_sums(r, r->a->interval_ns ? last_ns : 0);
	pt_warn_count(&tool, pt_sums_untimed(r->sums), "call", "calls",
		      "without a known duration: begun before watching, or refused by seccomp");
}

/* Reports the quality of stacks and what the programs have lost. */
static void end_collect(struct run *r)
{
	if (r->an.frames) {
		pt_stacknote_end(&r->note, r->an.src);
		pt_stacknote_say(&r->note, &tool, r->an.frames);
	}
	if (!r->collect)
		return;
	if (pt_collect_error(r->collect))
		pt_analysis_fail(&r->an, pt_collect_error(r->collect));
	pt_warn_count(&tool, pt_collect_stat(r->collect, PT_STAT_OTHERS_LOST), "signal or exit was",
		      "signals and exits were", "lost (no room in the ring)");
	pt_warn_count(&tool, pt_collect_stat(r->collect, PT_STAT_NO_TASK), "time", "times",
		      "a task or a sum found no room in the kernel's tables: its calls are missing");
}

static void open_all(struct run *r)
{
	struct args *a = r->a;
	const struct pt_watch *w = &a->watch.watch;
	const struct pt_info *info;
	const char *events = NULL;

	pt_analysis_choose(&r->an);
	a->watch.choose = choose_session;
	a->watch.choose_ctx = r;
	r->all = w->all_cpus || w->cgroup || w->nr_cpus || a->of_user ||
		 (!w->nr_pids && !w->nr_tids && !r->an.operands.nr);
	if (pt_watch_asked(&a->watch) || r->an.operands.dashes)
		events = open_collect(r);
	a->watch.watch.interval_ns = a->interval_ns ? a->interval_ns : PT_OUT_PACE_NS;
	a->watch.command_as_is = a->output;
	pt_analysis_open(&r->an, events);
	info = pt_source_info(r->an.src);
	if (info->has_clock_data)
		a->line.wall_ns = info->wall_ns - info->clock_ns;
	a->line.pids = r->all || !info->live;
	if (info->live)		/* the command is the first task, whatever its first line */
		a->line.only_tid = (uint32_t)PT_MAX(
			pt_session_command_pid(pt_source_session(r->an.src)), 0);
	if (a->follow > 1 && !a->sum)
		r->split.prefix = a->output;
	pt_analysis_output(&r->an, r->split.prefix && !a->both ? NULL : a->output);
	if (!a->call_graph.wanted)
		return;
	pt_symbols_ready(&tool, &a->frames);
	pt_analysis_frames(&r->an, &a->frames);
	if (r->an.live)
		pt_frames_settle(r->an.frames);
}

int main(int argc, char **argv)
{
	static struct args a = { .text_max = 32, .filter = PT_CALL_FILTER_INIT, .line.column = 40,
				 .call_graph = { .how = "dwarf", .stack_bytes = STACK_BYTES } };
	static struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	struct pt_err e = PT_ERR_INIT;
	int status;

	pt_analysis_parse(&r.an, argc, argv, &a);
	check_args(&a, &r.an.operands);
	r.calls = pt_calls_new();
	r.sums = pt_sums_new();
	r.an.tasks = pt_tasks_new();
	pt_plans_make(r.plans, r.calls, &a.filter, (uint16_t)(a.text_max + 2), wants_paths(&a));
	open_all(&r);
	read_calls(&r);
	end_collect(&r);
	if (!r.an.live)
		pt_analysis_offer(&r.an, "-e, -P, -z, -Z, --errno or --duration", &r.calls_there);
	if (pt_split_close(&r.split, &e) < 0)
		pt_analysis_fail(&r.an, &e);
	status = pt_analysis_end(&r.an);
	pt_collect_free(r.collect);
	pt_calls_free(r.calls);
	pt_sums_free(r.sums);
	pt_stacknote_deinit(&r.note);
	pt_text_deinit(&a.line.text);
	pt_call_filter_deinit(&a.filter);
	return status;
}
