/* pt-trace - system calls as they happen, or summed, without ptrace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/opt.h"
#include "syscall/collect.h"
#include "syscall/sums.h"
#include "syscall/text.h"

struct args {
	bool sum, both, durations, failed, succeeded, names, paths, quiet;
	int stamps;			/* -t: how often */
	bool relative;
	uint64_t text_max, longer_ns;
	const char *output;
	struct pt_strs calls, errors;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

/* What -e of strace's takes: trace=a,b or a,b alone. */
static int opt_calls(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	if (!strncmp(arg, "inject", 6) || !strncmp(arg, "fault", 5))
		return pt_err_set(e, "what is watched is never changed: strace injects");
	if (!strncmp(arg, "trace=", 6))
		arg += 6;
	else if (strchr(arg, '='))
		return pt_err_set(e, "trace=CALLS, or CALLS alone");
	PT_GROW_TO(a->calls.v, a->calls.cap, a->calls.nr + 1);
	a->calls.v[a->calls.nr++] = arg;
	return 0;
}

static int opt_stamp(void *group, const char *arg, struct pt_err *e)
{
	(void)arg;
	(void)e;
	((struct args *)group)->stamps++;
	return 0;
}

static const struct pt_opt own[] = {
	PT_ROW_CALL('e', "expr", "CALLS", "only these: names and globs, !a,b all but these; trace= may stand in front",
		    opt_calls),
	PT_ROW('c', "summary-only", NULL, "a table of sums alone", PT_OPT_FLAG, sum),
	PT_ROW('S', "summary", NULL, "the table, too", PT_OPT_FLAG, both),
	PT_ROW('Z', "failure", NULL, "only calls that failed", PT_OPT_FLAG, failed),
	PT_ROW('z', "success", NULL, "only calls that succeeded", PT_OPT_FLAG, succeeded),
	PT_ROW(0, "errno", "ERRORS", "only calls that failed with these: ENOENT,EACCES",
	       PT_OPT_NAMES, errors),
	PT_ROW(0, "duration", "TIME", "only calls that took at least that: 1ms", PT_OPT_TIME,
	       longer_ns),
	PT_ROW('T', "syscall-times", NULL, "the time that each call took", PT_OPT_FLAG, durations),
	PT_ROW_CALL('t', NULL, NULL, "the time of each call on the session's clock, in seconds",
		    opt_stamp),
	PT_ROW('r', "relative-timestamps", NULL, "the time since the call before", PT_OPT_FLAG,
	       relative),
	PT_ROW('s', "str", "N", "characters of strings (32); paths are whole", PT_OPT_U64, text_max,
	       .max = 1024),
	PT_ROW('N', "arg-names", NULL, "names of arguments", PT_OPT_FLAG, names),
	PT_ROW('q', "quiet", NULL, "no lines of signals and exits", PT_OPT_FLAG, quiet),
	PT_ROW_OUTPUT,
	PT_ROW_HABIT('f', "follow-forks", NULL),
	{ 0 }
};

static struct pt_opt watch_rows[32];

static const struct pt_opt_group groups[] = {
	{ "Output", own, 0 },
	{ "Choosing", pt_opts_choose, offsetof(struct args, choose) },
	{ "Reading", pt_opts_input, offsetof(struct args, input) },
	{ "Live", watch_rows, offsetof(struct args, watch) },
	{ NULL, NULL, 0 }
};

static const char *const examples[] = {
	"pt-trace -- ls",
	"pt-trace -c -- dd if=/dev/zero of=/dev/null bs=1 count=500k",
	"pt-trace -e 'open*' --errno ENOENT -- gcc -c x.c",
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
	struct pt_text text;
	struct pt_plan plans[PT_CALLS];
	int *errors;
	uint64_t last_ns;		/* start of the call before */
	uint32_t only_pid;		/* one process so far: lines need no number */
};

/* Whether a comma-separated list of globs, perhaps with ! in front, has the name. */
static bool list_has(const char *list, const char *name)
{
	bool except = *list == '!', found = false;
	char *copy = pt_strdup(list + except), *rest = copy, *glob;

	while ((glob = strsep(&rest, ",")))
		found |= pt_text_glob(glob, name);
	free(copy);
	return found != except;
}

static bool is_wanted(const struct args *a, const char *name)
{
	bool wanted = !a->calls.nr;

	for (size_t i = 0; i < a->calls.nr; i++)
		wanted |= !name ? *a->calls.v[i] == '!' : list_has(a->calls.v[i], name);
	return wanted;
}

static void make_plans(struct run *r)
{
	uint16_t text_max = (uint16_t)(r->a->text_max + 2);

	for (int64_t nr = 0; nr < PT_CALLS; nr++) {
		const char *name = pt_calls_name(r->calls, nr);
		struct pt_spec spec;
		struct pt_plan *plan = &r->plans[nr];

		/* the command's own exec begins it all, wanted or not */
		if (name && !strncmp(name, "execve", 6))
			plan->flags = PT_PLAN_EXEC;
		if (!is_wanted(r->a, name))
			continue;
		plan->flags |= PT_PLAN_WANTED;
		if (pt_spec_parse(name, &spec))
			pt_spec_plan(&spec, text_max, plan);
	}
}

/* The numbers of --errno's names. */
static void know_errors(struct run *r)
{
	const struct pt_strs *names = &r->a->errors;

	r->errors = pt_alloc_array(names->nr + 1, sizeof(*r->errors));
	for (size_t i = 0; i < names->nr; i++) {
		for (int n = 1; n < 4096 && !r->errors[i]; n++)
			if (strerrorname_np(n) && !strcmp(strerrorname_np(n), names->v[i]))
				r->errors[i] = n;
		if (!r->errors[i])
			pt_usage(&tool, "--errno: '%s' is no error, such as ENOENT", names->v[i]);
	}
}

/* The events of a live session: those of perf's, where BPF cannot be had. */
static const char *open_collect(struct run *r)
{
	struct args *a = r->a;
	struct pt_watch *w = &a->watch.watch;
	bool lines = !a->sum;
	struct pt_collect_opts o = {
		.all = w->all_cpus, .pids = w->pids, .nr_pids = w->nr_pids, .tids = w->tids,
		.nr_tids = w->nr_tids, .plans = r->plans, .lines = lines,
		.sum = a->sum, .failed = a->failed, .succeeded = a->succeeded,
		.errnos = r->errors, .nr_errnos = a->errors.nr, .longer_ns = a->longer_ns,
		.signals = a->quiet ? 0 : UINT64_MAX, .exits = !a->quiet,
		.text_max = (uint16_t)(a->text_max + 2),
	};
	struct pt_err e = PT_ERR_INIT;

	if (pt_collect_open(&r->collect, &o, &e) == 0) {
		w->collector = pt_collect_collector(r->collect);
		return "dummy";
	}
	pt_warn(&tool, "without BPF, so arguments in memory are addresses: %s", e.msg);
	return "raw_syscalls:sys_enter,raw_syscalls:sys_exit";
}

/* What the programs in the kernel have left out already. */
static bool chosen(const struct run *r, const struct pt_call *c)
{
	const struct args *a = r->a;
	bool found = !a->errors.nr;

	if (c->kind == PT_CALL_SIGNAL || c->kind == PT_CALL_EXIT)
		return !a->quiet;
	if (!is_wanted(a, c->name) || c->end_ns - c->start_ns < a->longer_ns)
		return false;
	if (a->failed || a->succeeded || a->errors.nr) {
		if (c->kind != PT_CALL_DONE || pt_call_failed(c) == a->succeeded)
			return false;
		for (size_t i = 0; i < a->errors.nr; i++)
			found |= c->ret == -r->errors[i];
	}
	return found;
}

static void add_stamp(struct run *r, uint64_t start_ns)
{
	struct pt_buf *b = &r->an.text;

	if (r->a->stamps) {
		pt_buf_usec(b, start_ns);
		pt_buf_putc(b, ' ');
	}
	if (r->a->relative) {
		pt_buf_usec(b, r->last_ns && start_ns > r->last_ns ? start_ns - r->last_ns : 0);
		pt_buf_putc(b, ' ');
	}
	r->last_ns = start_ns;
}

static void put_call(struct run *r, const struct pt_call *c)
{
	struct pt_buf *b = &r->an.text;
	size_t from;

	r->text.call = c;
	r->text.out = b;
	if (!r->only_pid)
		r->only_pid = c->tid;
	if (c->tid != r->only_pid || r->a->watch.watch.all_cpus || !r->an.live)
		pt_buf_printf(b, "[pid %5u] ", c->tid);
	add_stamp(r, c->start_ns);
	if (c->kind == PT_CALL_SIGNAL || c->kind == PT_CALL_EXIT) {
		pt_buf_puts(b, c->kind == PT_CALL_EXIT ? "+++ " : "--- ");
		if (c->kind == PT_CALL_EXIT)
			pt_text_exit(b, c->ret);
		else
			pt_text_signal(&r->text);
		pt_buf_puts(b, c->kind == PT_CALL_EXIT ? " +++\n" : " ---\n");
		return;
	}
	from = b->len;
	pt_text_call(&r->text);
	if (b->len - from < 39)			/* strace's column */
		pt_buf_pad_right(b, from, 39);
	pt_text_result(&r->text);
	if (r->a->durations && c->kind == PT_CALL_DONE) {
		pt_buf_puts(b, " <");
		pt_buf_usec(b, c->end_ns - c->start_ns);
		pt_buf_putc(b, '>');
	}
	pt_buf_putc(b, '\n');
}

static void take(struct run *r, const struct pt_call *c)
{
	if (!chosen(r, c))
		return;
	if (r->a->sum || r->a->both)
		pt_sums_add(r->sums, c);
	if (!r->a->sum)
		put_call(r, c);
}

static void read_calls(struct run *r)
{
	const struct pt_record *rec;
	struct pt_call call;

	while (pt_analysis_next(&r->an, &rec))
		if (pt_calls_feed(r->calls, r->an.src, rec, &call) &&
		    pt_choose_sample(&r->a->choose, rec, NULL))
			take(r, &call);
	for (size_t i = 0; pt_calls_open(r->calls, &i, &call); )
		take(r, &call);
}

/* Calls or tasks that found no room in the kernel's tables are losses, too. */
static void end_collect(struct run *r)
{
	struct pt_err e = PT_ERR_INIT;
	uint64_t without_room;

	if (!r->collect)
		return;
	if (r->a->sum && pt_sums_collect(r->sums, r->collect, &e) < 0)
		pt_analysis_fail(&r->an, &e);
	without_room = pt_collect_stat(r->collect, PT_STAT_NO_TASK);
	if (without_room)
		pt_warn(&tool, "%llu times there was no room for a task or a sum: what they called is missing",
			(unsigned long long)without_room);
}

int main(int argc, char **argv)
{
	static struct args a = { .text_max = 32 };
	static struct run r = { .a = &a, .an = { .tool = &tool, .choose = &a.choose } };
	const char *events = NULL;
	int first, status;

	pt_watch_rows_without(watch_rows, PT_NR(watch_rows), "ecFtkg");
	first = pt_opt_parse(&tool, argc, argv, &a);
	if (a.failed && a.succeeded)
		pt_usage(&tool, "-Z and -z leave nothing");
	know_errors(&r);
	r.calls = pt_calls_new();
	r.sums = pt_sums_new();
	r.text = (struct pt_text){ .text_max = (uint16_t)a.text_max, .names = a.names };
	make_plans(&r);
	if (a.watch.given || pt_opt_had_dashes(argc, argv, first))
		events = open_collect(&r);
	a.watch.watch.interval_ns = PT_OUT_PACE_NS;
	pt_analysis_open(&r.an, &a.watch, &a.input, argc, argv, first, events);
	pt_analysis_output(&r.an, a.output);
	read_calls(&r);
	end_collect(&r);
	if (a.sum || a.both)
		pt_sums_table(r.sums, r.calls, &r.an.text);
	status = pt_analysis_end(&r.an);
	pt_collect_free(r.collect);
	pt_calls_free(r.calls);
	pt_sums_free(r.sums);
	pt_text_deinit(&r.text);
	free(r.errors);
	return status;
}
