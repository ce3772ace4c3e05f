/* pt-stat - count events for a command, tasks, CPUs, a control group or the machine. */
#include <dirent.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/input.h"
#include "cli/whole.h"
#include "count/counting.h"
#include "count/defaults.h"

struct args {
	struct pt_watch_args watch;
	uint64_t detail, repeat, interval_ns, interval_count, timeout_ms, log_fd;
	bool repeat_given, null_run, json, openmetrics, append, no_scale, no_merge, no_big_num,
		metric_only, topdown, table, summary, no_csv_summary, clear, quiet, sync,
		log_fd_given;
	const char *sep, *output, *pre, *post;
	enum pt_counts_by by;
};

/* Set outside of runs; during a run the session takes the signals. */
static volatile sig_atomic_t interrupted;

static int opt_detail(void *group, const char *arg, struct pt_err *e)
{
	(void)arg, (void)e;
	((struct args *)group)->detail++;
	return 0;
}

static int opt_repeat(void *group, const char *arg, struct pt_err *e)
{
	((struct args *)group)->repeat_given = true;
	return pt_num_u64(arg, 0, 1000000, &((struct args *)group)->repeat, e);
}

static int opt_log_fd(void *group, const char *arg, struct pt_err *e)
{
	((struct args *)group)->log_fd_given = true;
	return pt_num_u64(arg, 1, 1 << 20, &((struct args *)group)->log_fd, e);
}

static int opt_separator(void *group, const char *arg, struct pt_err *e)
{
	if (!*arg)
		return pt_err_set(e, "an empty separator");
	((struct args *)group)->sep = !strcmp(arg, "\\t") ? "\t" : arg;
	return 0;
}

static const struct pt_opt how[] = {
	PT_ROW_CALL('d', "detailed", NULL, "more: caches; -dd: TLBs too; -ddd: prefetches",
		    opt_detail),
	PT_ROW_CALL('r', "repeat", "N", "run the command N times: mean and spread; 0: until Ctrl-C",
		    opt_repeat),
	PT_ROW('n', "null", NULL, "count nothing, tell the time", PT_OPT_FLAG, null_run),
	PT_ROW('I', "interval-print", "MS", "print what came every MS milliseconds", PT_OPT_MSEC,
	       interval_ns),
	PT_ROW(0, "interval-count", "N", "end after N intervals", PT_OPT_U64, interval_count,
	       .min = 1, .max = UINT64_MAX),
	PT_ROW(0, "interval-clear", NULL, "clear the screen before each", PT_OPT_FLAG, clear),
	PT_ROW(0, "summary", NULL, "the total behind the intervals", PT_OPT_FLAG, summary),
	PT_ROW(0, "timeout", "MS", "as --for, in milliseconds", PT_OPT_U64, timeout_ms, .min = 1,
	       .max = UINT64_MAX / 1000000),
	PT_ROW('i', "no-inherit", NULL, "do not follow children", PT_OPT_FLAG,
	       watch.watch.no_inherit),
	PT_ROW(0, "no-scale", NULL,
	       "as counted, also where an event was on a counter for a part of the time",
	       PT_OPT_FLAG, no_scale),
	PT_ROW(0, "no-merge", NULL,
	       "the instances of a PMU (uncore_imc_0, uncore_imc_1) each on a line", PT_OPT_FLAG,
	       no_merge),
	PT_ROW(0, "topdown", NULL,
	       "where the slots of the pipeline go (where the PMU tells), figures only",
	       PT_OPT_FLAG, topdown),
	PT_ROW('S', "sync", NULL, "write out what is cached (sync) before each run", PT_OPT_FLAG,
	       sync),
	PT_ROW('g', NULL, NULL, NULL, PT_OPT_FLAG, watch.one_group),
	PT_ROW(0, "pre", "COMMAND", "a shell command before each run, not counted", PT_OPT_STR,
	       pre),
	PT_ROW(0, "post", "COMMAND", "and one after it", PT_OPT_STR, post),
	{ 0 }
};

static const struct pt_opt apart[] = {
	PT_ROW('A', "no-aggr", NULL, "each CPU for itself", PT_OPT_SET, by, .value = PT_BY_CPU),
	PT_ROW(0, "per-cpu", NULL, "the same", PT_OPT_SET, by, .value = PT_BY_CPU),
	PT_ROW(0, "per-core", NULL, "added up by core", PT_OPT_SET, by, .value = PT_BY_CORE),
	PT_ROW(0, "per-die", NULL, "by die", PT_OPT_SET, by, .value = PT_BY_DIE),
	PT_ROW(0, "per-socket", NULL, "by socket", PT_OPT_SET, by, .value = PT_BY_SOCKET),
	PT_ROW(0, "per-node", NULL, "by NUMA node", PT_OPT_SET, by, .value = PT_BY_NODE),
	PT_ROW(0, "per-thread", NULL, "each thread of -p, -t and -a for itself", PT_OPT_SET, by,
	       .value = PT_BY_THREAD),
	{ 0 }
};

static const struct pt_opt output[] = {
	PT_ROW_CALL('x', "field-separator", "SEP",
		    "fields with SEP between them (\\t: a tab), as perf stat -x", opt_separator),
	PT_ROW_JSON("JSON lines with perf stat's keys"),
	PT_ROW(0, "json-output", NULL, NULL, PT_OPT_FLAG, json),
	PT_ROW(0, "openmetrics", NULL,
	       "for Prometheus; with -o FILE the file is replaced in one step", PT_OPT_FLAG,
	       openmetrics),
	PT_ROW('o', "output", "FILE", "write there, not to standard error; -: standard output",
	       PT_OPT_STR, output),
	PT_ROW(0, "no-csv-summary", NULL, "-x: lines of --summary without the word in front",
	       PT_OPT_FLAG, no_csv_summary),
	PT_ROW(0, "append", NULL, "to the end of FILE", PT_OPT_FLAG, append),
	PT_ROW_CALL(0, "log-fd", "N", "write to this file descriptor", opt_log_fd),
	PT_ROW(0, "metric-only", NULL, "figures without counts", PT_OPT_FLAG, metric_only),
	PT_ROW(0, "table", NULL, "the time of each run (with -r)", PT_OPT_FLAG, table),
	PT_ROW(0, "no-big-num", NULL, "no separators between thousands", PT_OPT_FLAG, no_big_num),
	PT_ROW('q', "quiet", NULL, "print no counts (the command's status alone)", PT_OPT_FLAG,
	       quiet),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-stat",
	.purpose = "count events for a command, tasks, CPUs, a control group or the machine",
	.forms =
		(const char *const[]){
			"[OPTION...] [-a | -C CPUS | -G CGROUP] [--] COMMAND [ARG...]",
			"[OPTION...] [-a | -C CPUS | -G CGROUP | -p PIDS | -t TIDS]", NULL },
	.groups = (const struct pt_opt_group[]){ { "Counting", how, 0 },
						 { "What is counted", pt_opts_count,
						   offsetof(struct args, watch) },
						 { "All events", pt_opts_events,
						   offsetof(struct args, watch) },
						 { "Added up", apart, 0 },
						 { "Output", output, 0 },
						 { NULL, NULL, 0 } },
	.examples = (const char *const[]){ "pt-stat make -j4",
					   "pt-stat -e 'syscalls:sys_enter_*' -x, -o - -- ls",
					   "pt-stat -a -A -I 1000 -e context-switches",
					   "pt-stat -r 10 -- ./benchmark", NULL },
	.runs_command = true,
};

/* -- what is counted -- */

/* -d beside -e: more events after those that were named. */
static void add_details(struct args *a)
{
	struct pt_watch_args *w = &a->watch;
	const char *events;

	for (uint64_t i = 0; w->nr_wanted && i < a->detail; i++) {
		events = pt_counts_detail_events(i);
		if (!events)
			return;
		PT_GROW(w->wanted, w->nr_wanted, w->cap_wanted);
		w->wanted[w->nr_wanted++] =
			(struct pt_wanted){ .kind = PT_WANT_EVENT, .text = events };
	}
}

static bool counts_command(const struct pt_watch *w, bool command)
{
	return command && !w->all_cpus && !w->nr_cpus && !w->cgroup;
}

/* The caller frees them. */
static char *default_events(const struct args *a, bool command)
{
	const struct pt_watch *w = &a->watch.watch;
	const char *topdown;

	if (a->null_run)
		return pt_strdup("dummy:u");
	if (!a->topdown)
		return pt_counts_default_events(
			w->nr_pids || w->nr_tids || counts_command(w, command), a->detail);
	topdown = pt_counts_topdown_events();
	if (!topdown)
		pt_die(&tool,
		       "--topdown: this machine's PMU does not tell where slots go (no topdown-* in /sys/bus/event_source/devices/cpu/events)");
	return pt_strdup(topdown);
}

/* -a --per-thread: the processes that there are now. */
static void watch_all_processes(struct pt_watch *w)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	size_t cap = 0;

	while (proc && (d = readdir(proc))) {
		int pid = atoi(d->d_name);

		if (pid <= 0 || pid == getpid())
			continue;
		PT_GROW(w->pids, w->nr_pids, cap);
		w->pids[w->nr_pids++] = pid;
	}
	if (proc)
		closedir(proc);
	w->all_cpus = false;
	w->pids_may_end = true;
}

static void check(struct args *a, bool command)
{
	struct pt_watch *w = &a->watch.watch;
	bool tasks;

	if (a->by == PT_BY_THREAD && w->all_cpus && !w->nr_pids && !w->nr_tids)
		watch_all_processes(w);
	tasks = w->nr_pids || w->nr_tids;
	if (a->by == PT_BY_THREAD && !tasks)
		pt_usage(&tool, "--per-thread: of which process? It goes with -p, -t or -a");
	if (a->by != PT_BY_ALL && a->by != PT_BY_THREAD &&
	    (tasks || counts_command(w, command)))
		pt_usage(&tool, "-A and --per-...: a task's counts know no CPU; with -a, -C or -G");
	if (a->repeat_given && !command)
		pt_usage(&tool, "-r: a command is needed");
	if ((a->sep != NULL) + a->json + a->openmetrics > 1)
		pt_usage(&tool, "-x, -j and --openmetrics: one of them");
	if (a->interval_count && !a->interval_ns)
		pt_usage(&tool, "--interval-count goes with -I");
	if (a->interval_ns && a->interval_ns < 1000000)
		pt_usage(&tool, "-I: a millisecond at least");
	if (a->log_fd_given && a->output)
		pt_usage(&tool, "--log-fd and -o: one of them");
	if (a->openmetrics && a->append)
		pt_usage(&tool, "--openmetrics replaces the file: not with --append");
	if (a->timeout_ms && !w->duration_ns)
		w->duration_ns = a->timeout_ms * 1000000;
	if (a->topdown)
		a->metric_only = true;
	w->interval_ns = a->interval_ns;
	w->interval_count = a->interval_count;
	w->counting = true;
}

/* -- output -- */

struct report {
	const struct args *a;
	struct pt_whole whole;
};

static int write_report(void *ctx, const struct pt_buf *text, struct pt_err *e)
{
	struct report *r = ctx;

	return r->a->quiet ? 0 : pt_whole_write(&r->whole, text->data, text->len, e);
}

static void say(void *ctx, const char *text)
{
	(void)ctx;
	pt_warn(&tool, "%s", text);
}

static int open_output(struct report *r, struct pt_buf *out, struct pt_err *e)
{
	const struct args *a = r->a;
	enum pt_whole_how place = PT_WHOLE_NEW;
	char when[64] = "";
	time_t now = time(NULL);
	bool file = a->output && strcmp(a->output, "-");

	if (a->log_fd_given)
		return pt_whole_open_fd(&r->whole, (int)a->log_fd, "--log-fd", e);
	if (a->openmetrics)
		place = PT_WHOLE_REPLACE;
	else if (a->append)
		place = PT_WHOLE_APPEND;
	if (pt_whole_open(&r->whole, a->output, place, e) < 0)
		return -1;
	if (file && !a->json && !a->openmetrics &&
	    strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", localtime(&now)))
		pt_buf_printf(out, "# started on %s\n\n", when);
	return 0;
}

static struct pt_counts_style style_of(const struct args *a, bool terminal)
{
	locale_t local = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "", NULL);
	const char *no_color = getenv("NO_COLOR");
	struct pt_counts_style style = {
		.form = PT_COUNTS_TABLE,
		.sep = a->sep,
		.metric_only = a->metric_only,
		.csv_no_summary = a->no_csv_summary,
		.intervals = a->interval_ns && !a->openmetrics,
		.thousands = pt_strdup(!a->no_big_num && local ? nl_langinfo_l(THOUSEP, local)
							       : ""),
		.color = terminal && !(no_color && *no_color),
	};

	if (a->json)
		style.form = PT_COUNTS_JSON;
	else if (a->sep)
		style.form = PT_COUNTS_CSV;
	else if (a->openmetrics)
		style.form = PT_COUNTS_OPENMETRICS;
	if (local)
		freelocale(local);
	return style;
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

/* post_failed: what was counted is printed all the same. */
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

/* A Ctrl-C behind the session still lets the counts be printed; one that is ignored (a shell's &)
 * stays so, for the command too. */
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
	int first = pt_opt_parse(&tool, argc, argv, &a), rc;
	struct pt_err e = PT_ERR_INIT;
	struct report report = { .a = &a };
	struct pt_counting c = { .watch = &a.watch.watch,
				 .opts = { .by = a.by, .no_scale = a.no_scale },
				 .no_events = a.null_run,
				 .no_merge = a.no_merge,
				 .summary = a.summary,
				 .clear_screen = a.clear,
				 .times = { .table = a.table },
				 .interrupted = &interrupted,
				 .write = write_report,
				 .say = say,
				 .ctx = &report,
				 .status = -1 };
	bool post_failed = false;
	char *events;

	check(&a, first < argc);
	events = default_events(&a, first < argc);
	if ((a.null_run || a.topdown) && a.watch.nr_wanted)
		pt_usage(&tool, "%s and -e: the events are chosen by one or the other",
			 a.null_run ? "-n" : "--topdown");
	add_details(&a);
	/* No wrong usage: the machine does not have it, or the user may not. */
	if (pt_watch_ready(&tool, &a.watch, argc, argv, first, events, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	rc = open_output(&report, &c.out, &e);
	if (rc == 0) {
		c.style = style_of(&a, pt_whole_is_tty(&report.whole));
		c.replaces = report.whole.replaced;
		rc = run_all(&a, &c, &post_failed, &e);
	}
	if (rc < 0)
		pt_warn(&tool, "%s", e.msg);
	if (pt_whole_close(&report.whole, rc == 0 ? &e : NULL) < 0 && rc == 0) {
		pt_warn(&tool, "%s", e.msg);
		rc = -1;
	}
	pt_counting_deinit(&c);
	free((char *)c.style.thousands);
	pt_watch_args_deinit(&a.watch);
	free(events);
	return (rc < 0 && !c.not_run) || post_failed ? 1 : pt_exit_status(c.status);
}
