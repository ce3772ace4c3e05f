/* pt-stat - count events for a command, tasks, CPUs, a control group or the machine. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/program.h"
#include "base/words.h"
#include "cli/countsout.h"
#include "cli/input.h"
#include "count/counting.h"
#include "count/defaults.h"
#include "count/metric.h"

struct args {
	struct pt_watch_args watch;
	struct pt_countsout out;
	int detail;
	uint64_t repeat, interval_ns, interval_count;
	bool null_run, no_scale, no_merge, topdown, summary, clear, sync;
	const char *repeat_given;	/* the option */
	const char *pre, *post;
	struct pt_strs metrics;
	enum pt_counts_by by;
	int cache_level;
};

/* Set between runs; during a run the session handles the signals. */
static volatile sig_atomic_t interrupted;

static int opt_per_cache(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;
	struct pt_cpu_place p;
	const char *level = arg ? arg + (*arg == 'L' || *arg == 'l') : "";

	if (arg && (level[0] < '1' || level[0] > '9' || level[1]))
		return pt_err_set(e, "a level is L1 to L9, not '%s'", arg);
	a->by = PT_BY_CACHE;
	a->cache_level = arg ? *level - '0' : 0;
	if (pt_topology_cache(NULL, sched_getcpu(), a->cache_level, &p))
		return 0;
	return pt_err_set(e, "this machine does not tell which CPUs share such a cache "
			     "(/sys/devices/system/cpu/cpu*/cache); --per-socket adds up by socket");
}

static const struct pt_opt how[] = {
	PT_ROW('d', "detailed", NULL, "also count caches; -dd: TLBs, too; -ddd: prefetches, too",
	       PT_OPT_COUNT, detail),
	PT_ROW('M', "metrics", "METRICS",
	       "count what these figures or groups of them need, and show them; help: list them",
	       PT_OPT_NAMES, metrics),
	PT_ROW('r', "repeat", "N",
	       "run the command N times, print mean and spread; 0: until Ctrl-C",
	       PT_OPT_U64, repeat, .max = 1000000, .given = "-r",
	       .given_off = offsetof(struct args, repeat_given)),
	PT_ROW_FLAG('n', "null", "count nothing, only measure the time", null_run),
	PT_ROW('I', "interval-print", "MS", "print counts every MS milliseconds", PT_OPT_MSEC,
	       interval_ns),
	PT_ROW(0, "interval-count", "N", "end after N intervals", PT_OPT_U64, interval_count,
	       .min = 1, .max = UINT64_MAX),
	PT_ROW_FLAG(0, "interval-clear", "clear the screen before each interval", clear),
	PT_ROW_FLAG(0, "summary", "print the total after the intervals", summary),
	PT_ROW_FLAG('i', "no-inherit", "do not count child tasks", watch.watch.no_inherit),
	PT_ROW_FLAG(0, "no-scale",
		    "do not scale counts of events that shared a counter", no_scale),
	PT_ROW_FLAG(0, "no-merge",
		    "a line for each instance of a PMU (uncore_imc_0, uncore_imc_1)", no_merge),
	PT_ROW_FLAG(0, "topdown",
		    "show how pipeline slots are used (if the PMU can tell), without counts", topdown),
	PT_ROW_FLAG('S', "sync", "write out what is cached (sync) before each run", sync),
	PT_ROW_FLAG('g', NULL, NULL, watch.one_group),
	PT_ROW(0, "pre", "COMMAND", "run this shell command before each run, uncounted", PT_OPT_STR,
	       pre),
	PT_ROW(0, "post", "COMMAND", "run this shell command after each run, uncounted", PT_OPT_STR,
	       post),
	{ 0 }
};

static const struct pt_opt apart[] = {
	PT_ROW_SET('A', "no-aggr", "counts of each CPU", by, PT_BY_CPU),
	PT_ROW_SET(0, "per-cpu", "the same", by, PT_BY_CPU),
	PT_ROW_SET(0, "per-core", "sums by core", by, PT_BY_CORE),
	PT_ROW_SET(0, "per-cluster", "sums by cluster of cores", by, PT_BY_CLUSTER),
	PT_ROW_CALL(0, "per-cache", "[LEVEL]",
		    "sums by cache, of level L2, L3, ... (the last one unless given)",
		    opt_per_cache),
	PT_ROW_SET(0, "per-die", "sums by die", by, PT_BY_DIE),
	PT_ROW_SET(0, "per-socket", "sums by socket", by, PT_BY_SOCKET),
	PT_ROW_SET(0, "per-node", "sums by NUMA node", by, PT_BY_NODE),
	PT_ROW_SET(0, "per-thread", "counts of each thread of -p, -t and -a", by, PT_BY_THREAD),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-stat",
	.forms = PT_LINES(
		"[OPTION...] [-a | -C CPUS | -G CGROUP] [--] COMMAND [ARG...]",
		"[OPTION...] [-a | -C CPUS | -G CGROUP | -p PIDS | -t TIDS]"),
	.groups = PT_GROUPS(
		PT_OWN("Counting", how),
		PT_GROUP("What is counted", pt_opts_count, watch),
		PT_GROUP("All events", pt_opts_events, watch),
		PT_OWN("Aggregation", apart),
		PT_GROUP("Output", pt_opts_countsout, out)),
	.examples = PT_LINES(
		"pt-stat make -j4",
		"pt-stat -e 'syscalls:sys_enter_*' -x, -o - -- ls",
		"pt-stat -a -A -I 1000 -e context-switches",
		"pt-stat -r 10 -- ./benchmark"),
	.runs_command = true,
};

/* -- what is counted -- */

static bool counts_command(const struct pt_watch *w, bool command)
{
	return command && !w->all_cpus && !w->nr_cpus && !w->cgroup;
}

static bool counts_tasks(const struct pt_watch *w, bool command)
{
	return w->nr_pids || w->nr_tids || counts_command(w, command);
}

/* -M: its events are counted beside those of -e. `text` holds their names. */
static uint32_t add_metrics(struct args *a, bool command, struct pt_buf *text)
{
	const struct pt_watch *w = &a->watch.watch;
	struct pt_err e = PT_ERR_INIT;
	uint32_t which = 0;

	if (!a->metrics.nr)
		return 0;
	if (pt_metrics_parse(&a->metrics, counts_tasks(w, command), &which, text, &e) < 0)
		pt_usage(&tool, "-M: %s", e.msg);
	pt_watch_want(&a->watch, PT_WANT_EVENT, pt_buf_str(text), NULL);
	return which;
}

/* With -e or -M, -d adds events to those that were named. */
static void add_details(struct args *a)
{
	struct pt_watch_args *w = &a->watch;
	const char *events;

	for (int i = 0; w->nr_wanted && i < a->detail; i++) {
		events = pt_counts_detail_events((uint64_t)i);
		if (!events)
			return;
		pt_watch_want(w, PT_WANT_EVENT, events, NULL);
	}
}

/* The caller frees them. */
static char *default_events(const struct args *a, bool command)
{
	const struct pt_watch *w = &a->watch.watch;
	const char *topdown;

	if (a->null_run)
		return pt_strdup("dummy:u");
	if (!a->topdown)
		return pt_counts_default_events(counts_tasks(w, command), (uint64_t)a->detail);
	topdown = pt_counts_topdown_events();
	if (!topdown)
		pt_die(&tool,
		       "--topdown: this machine's PMU does not count pipeline slots (no topdown-* in /sys/bus/event_source/devices/cpu/events)");
	return pt_strdup(topdown);
}

/* -a --per-thread: the processes that there are now. */
static void watch_all_processes(struct pt_watch *w)
{
	uint32_t *pids;
	size_t nr, others = 0;

	pt_proc_list(0, &pids, &nr, NULL);
	for (size_t i = 0; i < nr; i++)
		if ((pid_t)pids[i] != getpid())
			pids[others++] = pids[i];
	pt_num_list_join(&w->pids, &w->nr_pids, (int *)pids, others);
	free(pids);
	w->all_cpus = false;
	w->pids_may_end = true;
}

/* `perf stat record COMMAND`, `perf stat report` */
static void check_word(const char *word)
{
	if ((!strcmp(word, "record") || !strcmp(word, "report")) && pt_program_find(word, NULL))
		pt_usage(&tool, "'%s': pt-stat writes and reads no recordings; -j -o FILE or -x, -o FILE keeps the counts, pt-record records samples",
			 word);
}

/* Returns the exit status. */
static int list_metrics(void)
{
	struct pt_buf text = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;

	for (int id = 0; id < PT_METRIC_END; id++) {
		const struct pt_metric_name *m = pt_metric_name(id);

		if (m)
			pt_buf_printf(&text, "%-32s %-10s %s\n", m->name, m->group, m->what);
	}
	return pt_finish_text(&tool, NULL, &text, 0, &e);
}

static void check(struct args *a, bool command)
{
	struct pt_watch *w = &a->watch.watch;
	struct pt_countsout *o = &a->out;
	bool tasks;

	if (a->by == PT_BY_THREAD && w->all_cpus && !w->nr_pids && !w->nr_tids)
		watch_all_processes(w);
	tasks = w->nr_pids || w->nr_tids;
	if (a->by == PT_BY_THREAD && !tasks)
		pt_usage(&tool, "--per-thread needs -p, -t or -a");
	if (a->by != PT_BY_ALL && a->by != PT_BY_THREAD &&
	    (tasks || counts_command(w, command)))
		pt_usage(&tool,
			 "-A and --per-... need -a, -C or -G: counts of tasks do not tell CPUs");
	if (a->repeat_given && !command)
		pt_usage(&tool, "-r needs a command");
	pt_countsout_check(&tool, o);
	if (a->interval_count && !a->interval_ns)
		pt_usage(&tool, "--interval-count needs -I");
	if (a->interval_ns && a->interval_ns < 1000000)
		pt_usage(&tool, "-I: at least a millisecond");
	if (o->wide && (o->json || o->openmetrics || o->metric_only || a->topdown || a->metrics.nr))
		pt_usage(&tool, "--wide has counts in columns: without -j, --openmetrics, --metric-only, --topdown, -M");
	if (a->topdown)
		o->metric_only = true;
	w->interval_ns = a->interval_ns;
	w->interval_count = a->interval_count;
	w->counting = true;
	if (o->path && !strcmp(o->path, "-"))	/* for the counts alone */
		w->command_output = PT_COMMAND_TO_STDERR;
}

static int write_counts(void *ctx, const struct pt_buf *text, struct pt_err *e)
{
	return pt_countsout_write(ctx, text, e);
}

static void say(void *ctx, const char *text)
{
	(void)ctx;
	pt_warn(&tool, "%s", text);
}

/* -- running -- */

static int hook(const char *command, const char *option, struct pt_err *e)
{
	int status = command ? system(command) : 0;

	if (status < 0)
		return pt_err_sys(e, errno, "%s", option);
	return status ? pt_err_set(e, "%s: '%s' ended with status %d", option, command,
				   WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status))
		      : 0;
}

/* *post_failed: --post failed; the counts are still printed. */
static int run(const struct args *a, struct pt_counting *c, bool *post_failed, struct pt_err *e)
{
	int rc = hook(a->pre, "--pre", e);

	if (a->sync)
		sync();
	if (rc == 0)
		rc = pt_counting_run(c, e);
	if (rc > 0 && hook(a->post, "--post", e) < 0) {
		pt_warn(&tool, "%s", e->msg);
		*post_failed = true;
	}
	return rc;
}

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* Between runs a Ctrl-C still lets counts be printed. If it is ignored (a shell's &), it stays so,
 * also for the command. */
static void handle(int sig)
{
	struct sigaction sa = { .sa_handler = on_interrupt }, was;

	if (!sigaction(sig, NULL, &was) && was.sa_handler != SIG_IGN)
		sigaction(sig, &sa, NULL);
}

static int run_all(const struct args *a, struct pt_counting *c, bool *post_failed,
		   struct pt_err *e)
{
	bool forever = a->repeat_given && !a->repeat;
	uint64_t n = a->repeat_given ? a->repeat : 1, i;
	int rc = 1;

	handle(SIGINT);
	handle(SIGTERM);
	for (i = 0; (forever || i < n) && !c->over && !*post_failed && !interrupted; i++) {
		rc = run(a, c, post_failed, e);
		if (rc < 0)
			return -1;
		if (rc == 0)
			break;
		if (forever) {
			if (pt_counting_print(c, e) < 0)
				return -1;
			pt_counting_restart(c);
		} else if (n > 1) {
			pt_counts_end_run(c->counts);
		}
	}
	if (!c->counts)
		return pt_err_set(e, "interrupted before anything was counted");
	return forever ? 0 : pt_counting_print(c, e);
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &a);
	struct pt_err e = PT_ERR_INIT;
	struct pt_counting c = { .watch = &a.watch.watch,
				 .opts = { .by = a.by,
					   .cache_level = a.cache_level,
					   .no_scale = a.no_scale },
				 .no_events = a.null_run,
				 .no_merge = a.no_merge,
				 .summary = a.summary,
				 .clear_screen = a.clear,
				 .times = { .table = a.out.table },
				 .interrupted = &interrupted,
				 .write = write_counts,
				 .say = say,
				 .ctx = &a.out,
				 .status = -1 };
	struct pt_buf metrics = PT_BUF_INIT;
	bool post_failed = false;
	char *events;
	int rc;

	if (a.metrics.nr && !strcmp(a.metrics.v[0], "help"))
		return list_metrics();
	if (operands.nr)
		check_word(operands.v[0]);
	check(&a, operands.nr);
	events = default_events(&a, operands.nr);
	if ((a.null_run || a.topdown) && (a.watch.nr_wanted || a.metrics.nr))
		pt_usage(&tool, "%s and %s: the events are chosen by one or the other",
			 a.null_run ? "-n" : "--topdown", a.metrics.nr ? "-M" : "-e");
	c.opts.metrics = add_metrics(&a, operands.nr, &metrics);
	add_details(&a);
	/* Not wrong usage: this machine lacks an event, or this user may not open it. */
	if (pt_watch_ready(&tool, &a.watch, &operands, events, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	rc = pt_countsout_open(&a.out, a.interval_ns, &c.out, &e);
	if (rc == 0) {
		c.style = a.out.style;
		c.replaces = a.out.whole.replaced;
		rc = run_all(&a, &c, &post_failed, &e);
	}
	if (rc < 0)
		pt_warn(&tool, "%s", e.msg);
	if (pt_countsout_close(&a.out, rc == 0 ? &e : NULL) < 0 && rc == 0) {
		pt_warn(&tool, "%s", e.msg);
		rc = -1;
	}
	pt_counting_deinit(&c);
	pt_watch_args_deinit(&a.watch);
	free(events);
	pt_buf_deinit(&metrics);
	pt_strs_deinit(&a.metrics);
	return (rc < 0 && !c.not_run) || post_failed ? 1 : pt_exit_status(c.status);
}
