/* pt-trace - system calls as they happen, or summed, without ptrace. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/opt.h"
#include "cli/split.h"
#include "cli/stacknote.h"
#include "cli/strace.h"
#include "cli/symbols.h"
#include "event/cgroup.h"
#include "syscall/collect.h"
#include "syscall/filter.h"
#include "syscall/line.h"
#include "syscall/paths.h"
#include "syscall/sums.h"
#include "task/tasks.h"

/* Less than other tools copy: thousands of calls may come in a millisecond. */
enum { STACK_BYTES = 8192 };

struct args {
	bool sum, both, stacks, json, of_user;
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
	const struct passwd *user = getpwnam(arg);
	uint64_t uid = user ? user->pw_uid : 0;

	if (!user && pt_num_u64(arg, 0, UINT32_MAX, &uid, NULL) < 0)
		return pt_err_set(e, "there is no user '%s'", arg);
	a->of_user = true;
	a->uid = (uint32_t)uid;
	a->watch.given = "-u";
	return 0;
}

static int opt_call_graph(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	a->stacks = true;
	return pt_call_graph_parse(&a->call_graph, arg, e);
}

static int opt_follow(void *group, const char *arg, struct pt_err *e)
{
	(void)arg;
	(void)e;
	((struct args *)group)->follow++;
	return 0;
}

static int opt_quiet(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	(void)arg;
	(void)e;
	a->filter.no_exits = ++a->quiet > 1;
	return 0;
}

static int opt_paths(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	(void)arg;
	(void)e;
	a->line.paths = true;
	a->line.devices = ++a->paths > 1;
	return 0;
}

static int opt_stamps(void *group, const char *arg, struct pt_err *e)
{
	return pt_line_stamp(&((struct args *)group)->line, arg ? arg : "time", e);
}

/* strace's -tt and -ttt are -t with an argument here. */
static int opt_tids(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	if (!strcmp(arg, "t") || !strcmp(arg, "tt"))
		return pt_line_stamp(&a->line, arg[1] ? "unix,us" : "time,us", e);
	a->watch.given = "-t";
	return pt_num_list_more(arg, INT32_MAX, &a->watch.watch.tids, &a->watch.watch.nr_tids, e);
}

static const struct pt_opt own[] = {
	PT_ROW_CALL('e', "expr", "CALLS",
		    "only these: names, globs, %file and other classes; !a,b: all but these; signal=SIGNALS",
		    opt_expr),
	PT_ROW_CALL(0, "trace", "CALLS", NULL, opt_expr),
	PT_ROW_CALL(0, "signal", "SIGNALS", NULL, opt_signal),
	PT_ROW('c', "summary-only", NULL, "a table of sums alone", PT_OPT_FLAG, sum),
	PT_ROW('S', "summary", NULL, "the table, too", PT_OPT_FLAG, both),
	PT_ROW('I', "interval", "MS", "a table for each interval, with -c or -S: 1000, 1s",
	       PT_OPT_MSEC, interval_ns, .min = 1000000),
	PT_ROW(0, "summary-mode", "MODE", "a table in total, or of each thread or cgroup",
	       PT_OPT_WORD, style.by, .words = pt_sums_modes),
	PT_ROW(0, "summary-sort-by", "KEY", "rows of the table by time, calls, errors, mean, max or name",
	       PT_OPT_WORD, style.sort, .words = pt_sums_sorts),
	PT_ROW('Z', "failure", NULL, "only calls that failed", PT_OPT_FLAG, filter.failed),
	PT_ROW(0, "failed-only", NULL, NULL, PT_OPT_FLAG, filter.failed),
	PT_ROW('z', "success", NULL, "only calls that succeeded", PT_OPT_FLAG, filter.succeeded),
	PT_ROW(0, "successful-only", NULL, NULL, PT_OPT_FLAG, filter.succeeded),
	PT_ROW_CALL(0, "errno", "ERRORS", "only calls that failed with these: ENOENT,EACCES",
		    opt_errno),
	PT_ROW(0, "duration", "TIME", "only calls that took at least that: 1ms", PT_OPT_TIME,
	       filter.longer_ns),
	PT_ROW_CALL('P', "trace-path", "PATH", "only calls with this path, or a descriptor of it",
		    opt_path),
	PT_ROW_CALL('y', "decode-fds", NULL, "paths of descriptors; -yy: numbers of devices, too",
		    opt_paths),
	PT_ROW('T', "syscall-times", NULL, "the time that each call took", PT_OPT_FLAG,
	       line.durations),
	PT_ROW_CALL(0, "absolute-timestamps", "[FORMAT]",
		    "when each call began: time, unix, or clock (the session's); ,ms ,us ,ns",
		    opt_stamps),
	PT_ROW('r', "relative-timestamps", NULL, "the time since the call before", PT_OPT_FLAG,
	       line.relative),
	PT_ROW('s', "string-limit", "N", "characters of strings (32); paths are whole", PT_OPT_U64,
	       text_max, .max = 1024),
	PT_ROW(0, "str", "N", NULL, PT_OPT_U64, text_max, .max = 1024),
	PT_ROW('N', "arg-names", NULL, "names of arguments", PT_OPT_FLAG, line.text.names),
	PT_ROW('n', "syscall-number", NULL, "the number of each call", PT_OPT_FLAG, line.numbers),
	PT_ROW(0, "columns", "N", "the column of results (40)", PT_OPT_U64, line.column,
	       .max = 1000),
	PT_ROW('g', "stack-trace", NULL, "the stack of each call, with inlined functions",
	       PT_OPT_FLAG, stacks),
	PT_ROW(0, "stack-size", "BYTES", "of each stack that is copied to be unwound (8K)",
	       PT_OPT_SIZE, call_graph.stack_bytes, .min = 1, .max = PT_CALL_GRAPH_MAX_BYTES),
	PT_ROW_CALL(0, "call-graph", "HOW", "how it is taken: dwarf[,BYTES] (unless given), fp, lbr",
		    opt_call_graph),
	PT_ROW_CALL('q', NULL, NULL, NULL, opt_quiet),
	PT_ROW_CALL(0, "quiet", "[WHAT]", "no lines of exits: exit, the same as -qq", opt_quiet_what),
	PT_ROW_JSON("a JSON line for each call, signal, exit and row of the table"),
	PT_ROW_OUTPUT,
	PT_ROW_CALL('f', "follow-forks", NULL, NULL, opt_follow),
	PT_ROW(0, "output-separately", NULL, NULL, PT_OPT_SET, follow, .value = 2),
	{ 0 }
};

static const struct pt_opt live_own[] = {
	PT_ROW_CALL('u', "uid", "USER", "what this user runs", opt_user),
	PT_ROW_CALL('t', NULL, "TIDS", "these threads", opt_tids),
	{ 0 }
};

static struct pt_opt own_rows[PT_NR(own)], tid_rows[PT_NR(live_own)], watch_rows[8],
	input_rows[4];

static const struct pt_opt_group groups[] = {
	{ "Output", own_rows, 0 },
	{ "Choosing", pt_opts_choose, offsetof(struct args, choose) },
	{ "Symbols", pt_opts_symbols, offsetof(struct args, frames) },
	{ "Reading", input_rows, offsetof(struct args, input) },
	{ "Live", watch_rows, offsetof(struct args, watch) },
	{ "Live, threads", tid_rows, 0 },
	{ "Of strace", pt_opts_strace, 0 },
	{ NULL, NULL, 0 }
};

static const char *const examples[] = {
	"pt-trace -- ls",
	"pt-trace -c -- dd if=/dev/zero of=/dev/null bs=1 count=500k",
	"pt-trace -y -e %file --errno ENOENT -- gcc -c x.c",
	"pt-trace -c -I 1s -p 4711",
	"pt-trace -j -e '%net' -p 4711 | jq 'select(.us > 1000)'",
	"perf trace record -- ls && pt-trace perf.data",
	NULL
};

static const struct pt_tool tool = {
	.name = "pt-trace",
	.purpose = "system calls as they happen, or summed, without ptrace",
	.forms = pt_input_forms,
	.groups = groups,
	.examples = examples,
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_collect *collect;
	struct pt_calls *calls;
	struct pt_sums *sums;
	struct pt_tasks *tasks;
	struct pt_frames *frames;	/* -g */
	struct pt_stacknote note;
	struct pt_split split;		/* -ff -o */
	struct pt_plan plans[PT_CALL_SLOTS];
	bool sums_of_kernel;
	bool all;			/* tasks are watched, not some */
};

/* The rows, with what a letter means in strace. */
static void add_hints(struct pt_opt *to, const struct pt_opt *from)
{
	for (; from->letter || from->name; to++, from++) {
		*to = *from;
		if (to->letter)
			to->hint = pt_strace_hint(to->letter);
	}
}

static void make_rows(void)
{
	add_hints(own_rows, own);
	add_hints(tid_rows, live_own);
	add_hints(input_rows, pt_opts_input);
	add_hints(watch_rows, pt_opts_tasks);
}

/* `pt-trace -a 60 ls` and `-S calls` are strace's: the word looks like an operand. */
static void check_operand(const struct args *a, int argc, char **argv, int first)
{
	const char *word = first < argc ? argv[first] : "";
	struct pt_err e;
	int value;

	if (pt_opt_had_dashes(argc, argv, first) || !*word)
		return;
	if (a->watch.watch.all_cpus && !word[strspn(word, "0123456789")])
		pt_usage(&tool, "-a %s: %s", word, pt_strace_hint('a'));
	if (a->both && pt_word_value(pt_sums_sorts, word, &value, &e) == 0)
		pt_usage(&tool, "-S %s: %s", word, pt_strace_hint('S'));
}

static void check_args(struct args *a, int argc, char **argv, int first)
{
	check_operand(a, argc, argv, first);
	if (a->filter.failed && a->filter.succeeded)
		pt_usage(&tool, "-Z and -z leave nothing");
	if (a->follow > 1 && !a->output)
		pt_usage(&tool, "-ff: -o FILE says what FILE.TID is for each thread");
	if (a->interval_ns && !a->sum && !a->both)
		pt_usage(&tool, "-I: sums of each interval: with -c, or -S (%s)",
			 pt_strace_hint('I'));
	if (a->stacks && a->sum)
		pt_usage(&tool, "-g and -c: sums have no stacks");
	if (a->of_user && (a->watch.watch.nr_pids || a->watch.watch.nr_tids || first < argc))
		pt_usage(&tool, "-u watches all that a user runs; %s", pt_strace_hint('u'));
	a->line.paths |= a->filter.paths;
	a->line.json = a->json;
	a->line.text.text_max = (uint16_t)a->text_max;
	a->style.json = a->json;
}

static void make_plans(struct run *r)
{
	struct args *a = r->a;
	bool paths = a->line.paths || a->filter.only_paths.nr;
	uint16_t text_max = (uint16_t)(a->text_max + 2);

	for (int slot = 0; slot < PT_CALL_SLOTS; slot++) {
		const char *name = pt_calls_name(r->calls, slot);
		struct pt_plan *plan = &r->plans[slot];
		struct pt_spec spec;

		/* the command's own exec begins it all, wanted or not */
		if (name && !strncmp(name, "execve", 6))
			plan->flags = PT_PLAN_EXEC;
		if (slot < PT_CALLS && name && !strcmp(name, "rt_sigreturn"))
			plan->flags = PT_PLAN_SIGRETURN;
		if (!pt_call_filter_name(&a->filter, name))
			continue;
		plan->flags |= PT_PLAN_WANTED;
		if (!pt_spec_parse(name, slot >= PT_CALLS, &spec))
			continue;
		pt_spec_plan(&spec, text_max, plan);
		if (paths)
			pt_paths_plan(&spec, plan);
	}
}

/* What is not shown, for want of memory of the processes. */
static void tell_without(const struct args *a, const struct pt_err *e)
{
	pt_warn(&tool, "without BPF: %s", e->msg);
	pt_warn(&tool, "so strings and structures are addresses%s%s, and there are no lines of signals and exits",
		a->line.paths || a->filter.only_paths.nr ? ", descriptors have no paths" : "",
		a->sum || a->both ? ", the time on CPUs is not known" : "");
}

/* How a session collects. Choosing CPUs is the tool's work where programs collect; stacks, and who
 * is in a cgroup, are looked for on all CPUs. */
static void choose_session(struct pt_watch *w, void *ctx)
{
	struct run *r = ctx;
	struct args *a = r->a;

	if (a->stacks) {
		pt_call_graph_watch(&a->call_graph, w);
		w->sample_type |= PERF_SAMPLE_RAW;
		for (size_t i = 0; i < w->events.nr; i++)
			w->events.specs[i].attr.flags |= PT_ATTR_EXCLUDE_CALLCHAIN_KERNEL;
		w->want_maps = w->want_build_ids = w->slow_reader = w->no_kernel_map = true;
	}
	if (!r->collect)
		return;
	w->until_idle = w->command && !r->all && !w->nr_pids && !w->nr_tids;
	w->all_cpus |= a->stacks || r->all;
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

/* The events of a live session: those of perf's, where BPF cannot be had. */
static const char *open_collect(struct run *r)
{
	struct args *a = r->a;
	struct pt_watch *w = &a->watch.watch;
	const struct pt_call_filter *f = &a->filter;
	struct pt_collect_opts o = {
		.all = r->all, .cgroup = w->cgroup, .of_user = a->of_user, .uid = a->uid,
		.perf_rings = a->stacks, .delay_ns = w->delay_ns,
		.ring_bytes = w->ring_pages * (uint32_t)sysconf(_SC_PAGESIZE),
		.pids = w->pids, .nr_pids = w->nr_pids, .tids = w->tids,
		.nr_tids = w->nr_tids, .plans = r->plans, .by = a->style.by,
		.failed = f->failed, .succeeded = f->succeeded,
		.errnos = f->errnos, .nr_errnos = f->nr_errnos, .longer_ns = f->longer_ns,
		.signals = f->signals, .exits = !f->no_exits,
		.text_max = (uint16_t)(a->text_max + 2),
	};
	struct pt_err e = PT_ERR_INIT;

	r->sums_of_kernel = (a->sum || a->both) && !pt_call_filter_needs_lines(f) &&
			    !a->choose.given && !w->nr_cpus;
	o.sum = r->sums_of_kernel;
	o.lines = !a->sum || !r->sums_of_kernel;
	if (pt_collect_open(&r->collect, &o, &e) == 0) {
		w->collector = pt_collect_collector(r->collect);
		if (!pt_collect_reads_kernel(r->collect))
			pt_warn(&tool, "the kernel is locked down: descriptors have no paths, and of signals only the number is known");
		return a->stacks ? "bpf-output" : "dummy";
	}
	if (a->of_user) {
		pt_err_context(&e, "-u needs BPF");
		pt_die(&tool, "%s", e.msg);
	}
	r->sums_of_kernel = false;
	tell_without(a, &e);
	return "raw_syscalls:sys_enter,raw_syscalls:sys_exit";
}

static void open_frames(struct run *r)
{
	struct pt_frames_opts *o = &r->a->frames;

	pt_symbols_ready(&tool, o);
	o->live = r->an.live;
	r->frames = pt_frames_new(o);
	pt_frames_set_enough(r->frames, pt_interrupt_came, r->an.interrupt);
	if (o->live)
		pt_frames_settle(r->frames);
}

static void add_name(void *ctx, uint64_t of, struct pt_buf *b)
{
	struct run *r = ctx;
	char *path;

	if (r->a->style.by == PT_SUM_THREAD) {
		const char *comm = pt_tasks_comm(r->tasks, (uint32_t)(of >> 32), (uint32_t)of);

		pt_text_plain(b, comm, strlen(comm));
		return;
	}
	path = pt_cgroup_path(of);
	if (path)
		pt_text_plain(b, path, strlen(path));
	else
		pt_buf_printf(b, "cgroup %llu", (unsigned long long)of);
	free(path);
}

static void print_sums(struct run *r, uint64_t time_ns)
{
	struct pt_err e = PT_ERR_INIT;

	if (r->sums_of_kernel && pt_sums_collect(r->sums, r->collect, &e) < 0)
		pt_analysis_fail(&r->an, &e);
	r->a->style.cpu = r->sums_of_kernel;
	r->a->style.time_ns = time_ns;
	r->a->style.name = add_name;
	r->a->style.ctx = r;
	pt_sums_print(r->sums, &r->a->style, r->calls, &r->an.text);
}

/* The stack of a call, noted for what is told of stacks at the end. */
static size_t stack_of(struct run *r, const struct pt_record *rec,
		       const struct pt_named_frame **frames)
{
	struct pt_frames_how how;
	size_t nr = pt_frames_of(r->frames, rec, frames, &how);

	pt_stacknote_stack(&r->note, &how);
	for (size_t i = 0; i < nr; i++) {
		const char *module = (*frames)[i].module;

		pt_stacknote_frame(&r->note, &(*frames)[i], module && *module == '/', 1);
	}
	return nr;
}

static void put_call(struct run *r, const struct pt_record *rec, const struct pt_call *c)
{
	const struct pt_named_frame *frames = NULL;
	size_t nr = 0;

	if (rec && r->frames && c->kind == PT_CALL_DONE)
		nr = stack_of(r, rec, &frames);
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

	if (!pt_call_filter_has(&r->a->filter, c))
		return;
	if (!r->sums_of_kernel && (r->a->sum || r->a->both))
		pt_sums_add(r->sums, c, of);
	if (!r->a->sum)
		put_call(r, rec, c);
}

/* Calls that go on when watching ends. */
static void take_open(struct run *r)
{
	static struct pt_task_state state;
	struct pt_call call;
	uint32_t tid = 0;

	for (size_t i = 0; pt_calls_open(r->calls, &i, &call); )
		take(r, NULL, &call);
	while (r->collect && pt_collect_task(r->collect, &tid, &state))
		if (pt_calls_of_task(r->calls, tid, &state, &call) &&
		    pt_choose_task(&r->a->choose, call.pid, tid, pt_tasks_known(r->tasks, tid)))
			take(r, NULL, &call);
}

static void read_calls(struct run *r)
{
	const struct pt_record *rec;
	uint64_t last_ns = 0;
	struct pt_call call;

	while (pt_analysis_next(&r->an, &rec)) {
		pt_tasks_see(r->tasks, rec);
		if (r->frames)
			pt_frames_feed(r->frames, r->an.src, rec);
		last_ns = rec->time_ns ? rec->time_ns : last_ns;
		if (rec->type == PT_RECORD_TICK && r->a->interval_ns)
			print_sums(r, rec->time_ns);
		else if (pt_calls_feed(r->calls, r->an.src, rec, &call) &&
			 pt_choose_sample(&r->a->choose, rec,
					  pt_tasks_known(r->tasks, call.tid)))
			take(r, rec, &call);
	}
	take_open(r);
	r->a->style.end = r->a->interval_ns;
	if (r->a->sum || r->a->both)
		print_sums(r, r->a->interval_ns ? last_ns : 0);
}

/* Calls or tasks that found no room in the kernel's tables are losses, too. */
static void end_collect(struct run *r)
{
	uint64_t without_room, lost;

	if (r->frames) {
		pt_stacknote_end(&r->note, r->an.src);
		pt_stacknote_say(&r->note, &tool, r->frames);
	}
	if (!r->collect)
		return;
	if (pt_collect_error(r->collect))
		pt_analysis_fail(&r->an, pt_collect_error(r->collect));
	lost = pt_collect_stat(r->collect, PT_STAT_OTHERS_LOST);
	if (lost)
		pt_warn(&tool, "signals and exits that were lost (no room in the ring): %llu",
			(unsigned long long)lost);
	without_room = pt_collect_stat(r->collect, PT_STAT_NO_TASK);
	if (without_room)
		pt_warn(&tool, "%llu times there was no room for a task or a sum: what they called is missing",
			(unsigned long long)without_room);
}

static void open_all(struct run *r, int argc, char **argv, int first)
{
	struct args *a = r->a;
	const struct pt_watch *w = &a->watch.watch;
	const struct pt_info *info;
	const char *events = NULL;

	a->watch.choose = choose_session;
	a->watch.choose_ctx = r;
	if (a->stacks && !a->call_graph.how)
		a->call_graph.how = "dwarf";
	if (!a->call_graph.stack_bytes)
		a->call_graph.stack_bytes = STACK_BYTES;
	r->all = w->all_cpus || w->cgroup || w->nr_cpus || a->of_user ||
		 (!w->nr_pids && !w->nr_tids && first == argc);
	if (a->watch.given || pt_opt_had_dashes(argc, argv, first))
		events = open_collect(r);
	a->watch.watch.interval_ns = a->interval_ns ? a->interval_ns : PT_OUT_PACE_NS;
	a->watch.command_as_is = a->output;
	pt_analysis_open(&r->an, &a->watch, &a->input, argc, argv, first, events);
	info = pt_source_info(r->an.src);
	if (info->has_clock_data)
		a->line.wall_ns = info->wall_ns - info->clock_ns;
	a->line.pids = r->all || !info->live;
	if (a->follow > 1)
		r->split.prefix = a->output;
	pt_analysis_output(&r->an, r->split.prefix ? NULL : a->output);
	if (a->stacks)
		open_frames(r);
}

int main(int argc, char **argv)
{
	static struct args a = { .text_max = 32, .filter = PT_CALL_FILTER_INIT,
				 .line = { .column = 40 } };
	static struct run r = { .a = &a, .an = { .tool = &tool, .choose = &a.choose } };
	struct pt_err e = PT_ERR_INIT;
	int first, status;

	make_rows();
	first = pt_opt_parse(&tool, argc, argv, &a);
	check_args(&a, argc, argv, first);
	r.calls = pt_calls_new();
	if (pt_call_filter_check(&a.filter, r.calls, &e) < 0)
		pt_usage(&tool, "-e: %s", e.msg);
	r.sums = pt_sums_new();
	r.tasks = pt_tasks_new();
	make_plans(&r);
	open_all(&r, argc, argv, first);
	read_calls(&r);
	end_collect(&r);
	if (pt_split_close(&r.split, &e) < 0)
		pt_analysis_fail(&r.an, &e);
	status = pt_analysis_end(&r.an);
	pt_collect_free(r.collect);
	pt_calls_free(r.calls);
	pt_sums_free(r.sums);
	pt_tasks_free(r.tasks);
	pt_stacknote_deinit(&r.note);
	pt_frames_free(r.frames);
	pt_text_deinit(&a.line.text);
	pt_call_filter_deinit(&a.filter);
	return status;
}
