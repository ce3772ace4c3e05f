/* pt-stat - count events for a command, tasks, CPUs, a control group or the machine. */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/whole.h"
#include "count/print.h"

enum { MAX_DETAIL = 3 };

struct args {
	struct pt_watch_args watch;
	uint64_t detail, repeat, interval_ns, interval_count, timeout_ms, log_fd;
	bool repeat_given, null_run, json, openmetrics, append, no_scale, no_merge, no_big_num,
		metric_only, topdown, table, summary, clear, quiet, log_fd_given;
	const char *sep, *output, *pre, *post;
	enum pt_counts_by by;
};

struct counting {
	struct args *a;
	struct pt_counts *counts;
	struct pt_counts_event *events;
	struct pt_attr *attrs;		/* as they were opened the first time */
	size_t nr;
	struct pt_counts_style style;
	struct pt_buf out;
	struct pt_whole whole;		/* where it goes */
	struct pt_counts_times times;
	size_t cap_each;
	uint64_t nr_intervals;		/* of this run */
	struct rusage before;		/* of children, when the run began */
	double last_elapsed_ns;
	bool head_printed, unsupported_said, not_run, post_failed;
	int status;
};

/* outside of runs; during one the session hears of it */
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
	PT_ROW(0, "per-thread", NULL, "each thread of -p and -t for itself", PT_OPT_SET, by,
	       .value = PT_BY_THREAD),
	{ 0 }
};

static const struct pt_opt output[] = {
	PT_ROW_CALL('x', "field-separator", "SEP",
		    "fields with SEP between them (\\t: a tab), as perf stat -x", opt_separator),
	PT_ROW('j', "json", NULL, "JSON lines with perf stat's keys", PT_OPT_FLAG, json),
	PT_ROW(0, "json-output", NULL, NULL, PT_OPT_FLAG, json),
	PT_ROW(0, "openmetrics", NULL,
	       "for Prometheus; with -o FILE the file is replaced in one step", PT_OPT_FLAG,
	       openmetrics),
	PT_ROW('o', "output", "FILE", "write there, not to standard error; -: standard output",
	       PT_OPT_STR, output),
	PT_ROW(0, "append", NULL, "to the end of FILE", PT_OPT_FLAG, append),
	PT_ROW_CALL(0, "log-fd", "N", "write to this file descriptor", opt_log_fd),
	PT_ROW(0, "metric-only", NULL, "figures without counts", PT_OPT_FLAG, metric_only),
	PT_ROW(0, "table", NULL, "the time of each run (with -r)", PT_OPT_FLAG, table),
	PT_ROW(0, "no-big-num", NULL, "no separators between thousands", PT_OPT_FLAG, no_big_num),
	PT_ROW_HABIT('B', "big-num", NULL),
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

static bool has_cpu_event(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/cpu/events/%s", name);
	return !access(path, F_OK);
}

static const char *const details[MAX_DETAIL] = {
	",L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	",L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	",L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* -d beside -e: behind the events that were named. */
static void add_details(struct args *a)
{
	struct pt_watch_args *w = &a->watch;

	for (uint64_t i = 0; i < PT_MIN(a->detail, MAX_DETAIL) && w->nr_wanted; i++) {
		PT_GROW(w->wanted, w->nr_wanted, w->cap_wanted);
		w->wanted[w->nr_wanted++] =
			(struct pt_wanted){ .kind = PT_WANT_EVENT, .text = details[i] + 1 };
	}
}

/* perf stat's own choice. Returns NULL when there is nothing to choose from. */
static const char *default_events(const struct args *a, bool command)
{
	static char text[1024];
	const struct pt_watch *w = &a->watch.watch;
	bool tasks =
		w->nr_pids || w->nr_tids || (command && !w->all_cpus && !w->nr_cpus && !w->cgroup);

	if (a->null_run)
		return "dummy:u";
	if (a->topdown) {
		if (has_cpu_event("topdown-retiring"))
			return "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}";
		if (has_cpu_event("topdown-total-slots"))
			return "{topdown-total-slots,topdown-slots-issued,topdown-slots-retired,topdown-fetch-bubbles,topdown-recovery-bubbles}";
		pt_warn(&tool,
			"--topdown: this machine's PMU does not tell where slots go (no topdown-* in /sys/bus/event_source/devices/cpu/events)");
		return NULL;
	}
	snprintf(
		text, sizeof(text),
		"%s,context-switches,cpu-migrations,page-faults,cycles%s%s,instructions,branches,branch-misses",
		tasks ? "task-clock" : "cpu-clock",
		has_cpu_event("stalled-cycles-frontend") ? ",stalled-cycles-frontend" : "",
		has_cpu_event("stalled-cycles-backend") ? ",stalled-cycles-backend" : "");
	for (uint64_t i = 0; i < PT_MIN(a->detail, MAX_DETAIL); i++)
		strncat(text, details[i], sizeof(text) - strlen(text) - 1);
	return text;
}

static void check(struct args *a, bool command)
{
	struct pt_watch *w = &a->watch.watch;
	bool tasks = w->nr_pids || w->nr_tids;

	if (a->by == PT_BY_THREAD && !tasks)
		pt_usage(&tool, "--per-thread: of which process? It goes with -p or -t");
	if (a->by != PT_BY_ALL && a->by != PT_BY_THREAD &&
	    (tasks || (command && !w->all_cpus && !w->nr_cpus && !w->cgroup)))
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

static void new_counts(struct counting *s)
{
	s->counts = pt_counts_new(&(struct pt_counts_opts){ .by = s->a->by,
							    .no_scale = s->a->no_scale },
				  s->events, s->nr);
}

/* Names as they were opened (":u" where the kernel may not be looked into). */
static void know_events(struct counting *s, struct pt_session *session)
{
	const struct pt_event_list *l = &s->a->watch.watch.events;
	size_t i;

	s->nr = s->a->null_run ? 0 : l->nr;
	s->events = pt_alloc_array(s->nr, sizeof(*s->events));
	s->attrs = pt_alloc_array(s->nr, sizeof(*s->attrs));
	for (i = 0; i < s->nr; i++) {
		const struct pt_session_event_info *info = pt_session_event(session, i);
		const struct pt_event_spec *spec = &l->specs[i];
		struct pt_counts_event *ev = &s->events[i];

		s->attrs[i] = info->attr;
		*ev = (struct pt_counts_event){ .name = pt_strdup(info->spec->name),
						.unit = "",
						.scale = 1,
						.attr = &s->attrs[i],
						.same_as = (int)i,
						.cgroup = spec->cgroup ? spec->cgroup
								       : s->a->watch.watch.cgroup };
		s->style.cgroups |= ev->cgroup != NULL;
		if (info->attr.type == PERF_TYPE_SOFTWARE &&
		    (info->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		     info->attr.config == PERF_COUNT_SW_TASK_CLOCK)) {
			ev->unit = "msec";
			ev->scale = 1e-6;
		} else if (spec->tool) {
			ev->unit = "ns";
			ev->own = true;
		} else if (spec->event) {
			ev->unit = spec->event->unit ? spec->event->unit : "";
			ev->scale = spec->event->scale;
			ev->last = spec->event->snapshot;
		}
		for (int k = 0; k < (int)i && ev->same_as == (int)i; k++)
			if (l->specs[k].origin == spec->origin &&
			    !strcmp(l->specs[k].name, spec->name) && !s->a->no_merge)
				ev->same_as = k;
	}
	new_counts(s);
}

/* -- output -- */

static int flush(struct counting *s, struct pt_err *e)
{
	int rc = s->a->quiet || !s->out.len ? 0
					    : pt_whole_write(&s->whole, s->out.data, s->out.len, e);

	pt_buf_clear(&s->out);
	return rc;
}

static int open_output(struct counting *s, struct pt_err *e)
{
	const struct args *a = s->a;
	char when[64] = "";
	time_t now = time(NULL);
	bool file = a->output && strcmp(a->output, "-");
	int rc = a->log_fd_given ? pt_whole_open_fd(&s->whole, (int)a->log_fd, "--log-fd", e)
				 : pt_whole_open(&s->whole, a->output,
						 a->openmetrics ? PT_WHOLE_REPLACE
						 : a->append    ? PT_WHOLE_APPEND
								: PT_WHOLE_NEW,
						 e);

	if (rc == 0 && file && !a->json && !a->openmetrics &&
	    strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", localtime(&now)))
		pt_buf_printf(&s->out, "# started on %s\n\n", when);
	return rc;
}

static void set_style(struct counting *s)
{
	struct args *a = s->a;
	locale_t local = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "", NULL);
	const char *no_color = getenv("NO_COLOR");

	s->style = (struct pt_counts_style){
		.form = a->json          ? PT_COUNTS_JSON
			: a->sep         ? PT_COUNTS_CSV
			: a->openmetrics ? PT_COUNTS_OPENMETRICS
					 : PT_COUNTS_TABLE,
		.sep = a->sep,
		.metric_only = a->metric_only,
		.intervals = a->interval_ns && !a->openmetrics,
		.thousands = !a->no_big_num && local ? pt_strdup(nl_langinfo_l(THOUSEP, local))
						     : pt_strdup(""),
		.color = pt_whole_is_tty(&s->whole) && !(no_color && *no_color),
	};
	if (local)
		freelocale(local);
}

static int print_total(struct counting *s, struct pt_err *e)
{
	bool table = s->style.form == PT_COUNTS_TABLE;

	s->style.elapsed_ns = s->times.elapsed.n ? s->times.elapsed.mean : s->last_elapsed_ns;
	if (!s->style.intervals || s->a->summary) {
		if (table && !s->style.intervals)
			pt_counts_print_title(&s->a->watch.watch, &s->times, &s->out);
		if (s->a->metric_only && !s->head_printed)
			pt_counts_print_head(s->counts, &s->style, &s->out);
		pt_counts_print(s->counts, PT_COUNTS_TOTAL, &s->style, &s->out);
		if (table && !s->style.intervals)
			pt_counts_print_times(&s->a->watch.watch, &s->times, &s->out);
	}
	return flush(s, e);
}

static void print_interval(struct counting *s, uint64_t start_ns, uint64_t now_ns, uint64_t last_ns)
{
	if (s->a->openmetrics) {	/* all so far, for who reads it now and then */
		if (s->whole.replaced)
			pt_buf_clear(&s->out);
		s->style.elapsed_ns = (double)(now_ns - start_ns);
		pt_counts_print(s->counts, PT_COUNTS_TOTAL, &s->style, &s->out);
		return;
	}
	s->style.time_ns = now_ns - start_ns;
	s->style.elapsed_ns = (double)(now_ns - last_ns);
	if (s->a->clear)
		pt_buf_puts(&s->out, "\033[H\033[2J");
	if (!s->head_printed || s->a->clear)
		pt_counts_print_head(s->counts, &s->style, &s->out);
	s->head_printed = true;
	pt_counts_print(s->counts, PT_COUNTS_INTERVAL, &s->style, &s->out);
}

/* -- running -- */

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static void read_times(struct counting *s)
{
	struct rusage now;

	getrusage(RUSAGE_CHILDREN, &now);
	s->times.user_s = seconds(&now.ru_utime) - seconds(&s->before.ru_utime);
	s->times.sys_s = seconds(&now.ru_stime) - seconds(&s->before.ru_stime);
}

/* duration_time, user_time, system_time: the last two are known of a command when it has ended. */
static void feed_time(struct counting *s, size_t event, uint64_t elapsed_ns)
{
	struct pt_session_reading r = {
		.cpu = s->a->by == PT_BY_ALL || s->a->by == PT_BY_THREAD ? -1 : 0, .tid = -1
	};

	read_times(s);
	switch (s->a->watch.watch.events.specs[event].tool) {
	case PT_TOOL_DURATION_TIME:
		r.value = elapsed_ns;
		break;
	case PT_TOOL_USER_TIME:
		r.value = (uint64_t)llround(s->times.user_s * 1e9);
		break;
	case PT_TOOL_SYSTEM_TIME:
		r.value = (uint64_t)llround(s->times.sys_s * 1e9);
		break;
	case PT_TOOL_NONE:
		break;
	}
	r.enabled_ns = r.running_ns = r.value;
	pt_counts_feed(s->counts, event, 0, &r);
}

/* What the session has read. */
static void take(struct counting *s, struct pt_session *session, uint64_t elapsed_ns)
{
	size_t i;

	if (!s->nr)
		return;
	pt_counts_take(s->counts, session);
	for (i = 0; i < s->nr; i++)
		if (s->events[i].own)
			feed_time(s, i, elapsed_ns);
}

static int read_now(struct counting *s, struct pt_session *session, uint64_t elapsed_ns,
		    struct pt_err *e)
{
	if (s->nr && pt_session_read(session, e) < 0)
		return -1;
	take(s, session, elapsed_ns);
	return 0;
}

/* The kernel refuses the last events of a group that has more than there are counters. */
static void warn_groups(struct counting *s, struct pt_session *session)
{
	const struct pt_event_list *l = &s->a->watch.watch.events;
	size_t i;

	for (i = 0; i < s->nr && !s->unsupported_said; i++)
		if (l->specs[i].leader != (int)i && pt_session_unsupported(session, i) == EINVAL &&
		    !pt_session_unsupported(session, (size_t)l->specs[i].leader)) {
			pt_warn(&tool,
				"%s: does not fit on the counters together with its group ({%s,...}); smaller groups, or :W behind it",
				s->events[i].name, s->events[l->specs[i].leader].name);
			s->unsupported_said = true;
		}
}

/* What happens within the kernel alone, where the kernel is left out. */
static void warn_kernels(struct counting *s, struct pt_session *session)
{
	bool said = false;

	for (size_t i = 0; i < s->nr && !said; i++) {
		bool asked = s->attrs[i].flags & PT_ATTR_EXCLUDE_KERNEL;

		if (pt_session_unsupported(session, i) != EACCES)
			continue;
		pt_warn(&tool, "%s happens within the kernel, %s: not counted", s->events[i].name,
			asked ? "which :u leaves out"
			      : "which this user may not watch (kernel.perf_event_paranoid; pt-doctor tells)");
		said = true;
	}
}

/* The readings of one or several ticks. 1: as many as were asked for. */
static int intervals(struct counting *s, struct pt_session *session, uint64_t start_ns,
		     uint64_t *last_ns, struct pt_err *e)
{
	uint64_t now_ns, nr_max = s->a->interval_count;

	while ((!nr_max || s->nr_intervals < nr_max) && pt_session_next(session, &now_ns)) {
		take(s, session, now_ns - start_ns);
		print_interval(s, start_ns, now_ns, *last_ns);
		*last_ns = now_ns;
		s->nr_intervals++;
	}
	if (flush(s, e) < 0)
		return -1;
	return nr_max && s->nr_intervals == nr_max;
}

static int watch_session(struct counting *s, struct pt_session *session, uint64_t start_ns,
			 uint64_t *end_ns, struct pt_err *e)
{
	uint64_t last_ns = start_ns;
	int bits = 0, enough = 0;

	s->nr_intervals = 0;
	*end_ns = start_ns;

	while (!(bits & PT_SESSION_OVER) && !enough) {
		bits = pt_session_wait(session, e);
		if (bits < 0)
			return -1;
		if (bits & PT_SESSION_TICK)
			enough = intervals(s, session, start_ns, &last_ns, e);
		if (enough < 0)
			return -1;
	}
	/* it may have ended before the delay did */
	*end_ns = enough ? last_ns : PT_MAX(pt_session_clock_ns(session), start_ns);
	pt_session_stop(session);
	if (enough)
		return 0;		/* the total is what the intervals showed */
	if (read_now(s, session, *end_ns - start_ns, e) < 0)
		return -1;
	if (s->style.intervals)
		print_interval(s, start_ns, *end_ns, last_ns);
	return flush(s, e);
}

static int hook(const char *command, const char *option, struct pt_err *e)
{
	int status = command ? system(command) : 0;

	if (status < 0)
		return pt_err_sys(e, errno, "%s", option);
	return status ? pt_err_set(e, "%s: '%s' ended with status %d", option, command,
				   WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status))
		      : 0;
}

static int run(struct counting *s, bool *over, struct pt_err *e)
{
	const struct pt_watch *w = &s->a->watch.watch;
	struct pt_session *session = NULL;
	uint64_t start_ns, end_ns = 0;
	int rc;

	if (hook(s->a->pre, "--pre", e) < 0 || pt_session_open(&session, w, e) < 0)
		return -1;
	if (interrupted) {
		*over = true;
		pt_session_free(session);
		return 0;
	}
	if (!s->counts)
		know_events(s, session);
	/* names, as long as all threads are there */
	if (s->a->by == PT_BY_THREAD && read_now(s, session, 0, e) < 0) {
		pt_session_free(session);
		return -1;
	}
	warn_groups(s, session);
	warn_kernels(s, session);
	getrusage(RUSAGE_CHILDREN, &s->before);
	start_ns = pt_session_clock_ns(session) + w->delay_ns;
	rc = pt_session_start(session, e);
	if (rc == 0)
		rc = watch_session(s, session, start_ns, &end_ns, e);
	s->status = pt_session_status(session);
	s->not_run = pt_session_not_run(session);
	*over = rc < 0 || pt_session_interrupted(session);
	if (rc == 0) {
		read_times(s);
		s->last_elapsed_ns = (double)(end_ns - start_ns);
		pt_counts_stat_add(&s->times.elapsed, s->last_elapsed_ns);
		PT_GROW(s->times.each_s, s->times.nr_each, s->cap_each);
		s->times.each_s[s->times.nr_each++] = s->last_elapsed_ns / 1e9;
	}
	pt_session_free(session);
	if (rc == 0 && hook(s->a->post, "--post", e) < 0) {	/* what was counted is still told */
		pt_warn(&tool, "%s", e->msg);
		s->post_failed = *over = true;
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

/* One after the other, until Ctrl-C. */
static int run_all(struct counting *s, struct pt_err *e)
{
	bool forever = s->a->repeat_given && !s->a->repeat, over = false;
	uint64_t n = s->a->repeat_given ? s->a->repeat : 1, i;

	handle(SIGINT);
	handle(SIGTERM);
	for (i = 0; (forever || i < n) && !over && !interrupted; i++) {
		if (run(s, &over, e) < 0)
			return -1;
		if (forever && print_total(s, e) < 0)
			return -1;
		if (forever) {
			pt_counts_free(s->counts);
			new_counts(s);
			s->times.elapsed = (struct pt_counts_stat){ .n = 0 };
			s->times.nr_each = 0;
		} else if (n > 1) {
			pt_counts_end_run(s->counts);
		}
	}
	if (!s->counts)
		return pt_err_set(e, "interrupted before anything was counted");
	return forever ? 0 : print_total(s, e);
}

static void deinit(struct counting *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		free((char *)s->events[i].name);
	free(s->events);
	free(s->attrs);
	free(s->times.each_s);
	free((char *)s->style.thousands);
	pt_buf_deinit(&s->out);
	pt_counts_free(s->counts);
	pt_watch_args_deinit(&s->a->watch);
}

int main(int argc, char **argv)
{
	static struct args a;
	int first = pt_opt_parse(&tool, argc, argv, &a), rc;
	struct pt_err e = PT_ERR_INIT;
	struct counting s = { .a = &a, .out = PT_BUF_INIT, .status = -1 };
	const char *events;

	check(&a, first < argc);
	events = default_events(&a, first < argc);
	if (!events)
		return 1;
	if ((a.null_run || a.topdown) && a.watch.nr_wanted)
		pt_usage(&tool, "%s and -e: the events are chosen by one or the other",
			 a.null_run ? "-n" : "--topdown");
	add_details(&a);
	if (pt_watch_ready(&tool, &a.watch, argc, argv, first, events, &e) < 0) {
		pt_warn(&tool, "%s", e.msg);
		/* the words were right: the machine or the user's rights do not have it */
		return 1;
	}
	s.times.table = a.table;
	rc = open_output(&s, &e);
	if (rc == 0) {
		set_style(&s);
		rc = run_all(&s, &e);
	}
	if (rc < 0)
		pt_warn(&tool, "%s", e.msg);
	if (pt_whole_close(&s.whole, rc == 0 ? &e : NULL) < 0 && rc == 0) {
		pt_warn(&tool, "%s", e.msg);
		rc = -1;
	}
	deinit(&s);
	return (rc < 0 && !s.not_run) || s.post_failed ? 1 : pt_exit_status(s.status);
}
