/* watch.c - the options of a live session, and their effects */
#include "cli/input.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/program.h"
#include "base/smallfile.h"
#include "event/preset.h"

static void want(struct pt_watch_args *w, int kind, const char *text, const char *names)
{
	PT_GROW(w->wanted, w->nr_wanted, w->cap_wanted);
	w->wanted[w->nr_wanted].kind = kind;
	w->wanted[w->nr_wanted].text = text;
	w->wanted[w->nr_wanted++].names = names;
}

static int opt_event(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	(void)e;
	want(w, PT_WANT_EVENT, arg, NULL);
	w->given = "-e";
	return 0;
}

static int opt_filter(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	if (!w->nr_wanted)
		return pt_err_set(
			e, "filters the events in front of it: -e EVENT (or a preset) comes first");
	want(w, PT_WANT_FILTER, arg, NULL);
	if (!w->given)
		w->given = "--filter";
	return 0;
}

static int preset(struct pt_watch_args *w, const char *name, const char *names)
{
	want(w, PT_WANT_PRESET, name, names);
	w->preset = name;
	w->preset_names = names;
	return 0;
}

#define CALL(name, arg_, help) \
	static int opt_##name(void *group, const char *arg, struct pt_err *e) \
	{ \
		(void)e; \
		return preset(group, #name, arg); \
	}
PT_PRESETS(CALL)
#undef CALL

#define OPTION(name, arg, help) ", --" #name
static const char which_events[] = "which events? Give -e EVENT" PT_PRESETS(OPTION);
#undef OPTION

static int opt_freq(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "-F";
	if (strcmp(arg, "max"))
		return pt_num_u64(arg, 1, 1000000, &w->watch.freq, e);
	/* the kernel's own default if it cannot be read */
	w->watch.freq = (uint64_t)pt_file_number("/proc/sys/kernel/perf_event_max_sample_rate",
						 100000);
	return 0;
}

static int opt_count(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "-c";
	return pt_num_u64(arg, 1, INT64_MAX, &w->watch.period, e);
}

static int opt_all(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	(void)arg, (void)e;
	w->given = "-a";
	w->watch.all_cpus = true;
	return 0;
}

static int opt_cpus(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "-C";
	return pt_num_list_more(arg, 65535, &w->watch.cpus, &w->watch.nr_cpus, e);
}

static int tasks(const char *arg, int **list, size_t *nr, struct pt_err *e)
{
	if (pt_num_list_more(arg, INT32_MAX, list, nr, e) < 0)
		return -1;
	return (*list)[0] ? 0 : pt_err_set(e, "there is no task 0");
}

static int opt_pids(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "-p";
	return tasks(arg, &w->watch.pids, &w->watch.nr_pids, e);
}

static int opt_tids(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "-t";
	return tasks(arg, &w->watch.tids, &w->watch.nr_tids, e);
}

static int opt_cgroup(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	(void)e;
	w->given = "-G";
	w->watch.cgroup = arg;
	return 0;
}

/* A single one is for all events; several are one for each event, as in one -G. */
static int opt_cgroups(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;
	char *had = w->cgroups;

	(void)e;
	w->given = "-G";
	w->cgroups = had ? pt_asprintf("%s,%s", had, arg) : pt_strdup(arg);
	free(had);
	w->watch.cgroup = strchr(w->cgroups, ',') ? NULL : w->cgroups;
	w->watch.all_cpus |= !w->watch.cgroup;
	return 0;
}

static int opt_each_cgroup(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	(void)e;
	w->given = "--for-each-cgroup";
	w->each_cgroup = arg;
	w->watch.all_cpus = true;
	return 0;
}

static int opt_delay(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;
	uint64_t ms;

	w->given = "-D";
	w->watch.start_disabled = !strcmp(arg, "-1");
	if (w->watch.start_disabled)
		return 0;
	if (pt_num_u64(arg, 0, 1000000000, &ms, e) < 0)
		return -1;
	w->watch.delay_ns = ms * 1000000;
	return 0;
}

static int opt_control(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "--control";
	w->control_how = arg;
	return pt_control_check(arg, e);
}

static int opt_for(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->given = "--for";
	if (pt_num_seconds(arg, &w->watch.duration_ns, e) < 0)
		return -1;
	return w->watch.duration_ns ? 0 : pt_err_set(e, "no time at all");
}

/* Pages, or bytes with K, M, G; rounded up to a power of two. */
static int opt_pages(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), max = (1ull << 30), n, pages = 1;
	bool plain = !arg[strspn(arg, "0123456789")];

	w->given = "-m";
	if (plain ? pt_num_u64(arg, 1, max / page, &n, e) : pt_num_size(arg, max, &n, e))
		return -1;
	if (!plain)
		n = (n + page - 1) / page;
	while (pages < n)
		pages *= 2;
	w->watch.ring_pages = (uint32_t)pages;
	return 0;
}

static int opt_clock(void *group, const char *arg, struct pt_err *e)
{
	static const struct { const char *name; int id; } clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC }, { "mono", CLOCK_MONOTONIC }, { "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME }, { "real", CLOCK_REALTIME }, { "boottime", CLOCK_BOOTTIME }, { "boot", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
	};
	struct pt_watch_args *w = group;
	const char *name = strncasecmp(arg, "CLOCK_", 6) ? arg : arg + 6;
	size_t i;

	w->given = "-k";
	for (i = 0; i < PT_NR(clocks); i++)
		if (!strcasecmp(name, clocks[i].name)) {
			w->watch.clockid = clocks[i].id;
			w->clock_given = true;
			return 0;
		}
	return pt_err_set(e, "'%s' is no clock: monotonic, monotonic_raw, realtime, boottime, tai",
			  arg);
}

const struct pt_opt pt_opts_watch[] = {
	PT_ROW_CALL('e', "event", "EVENT", "watch these: names, globs, lists a,b", opt_event),
	PT_ROW_CALL(0, "filter", "EXPR",
		    "only where fields of the tracepoints in front hold: 'bytes > 4096'",
		    opt_filter),
#define ROW(name, arg, help) PT_ROW_CALL(0, #name, arg, help, opt_##name),
	PT_PRESETS(ROW)
#undef ROW
	PT_ROW_CALL('F', "freq", "HZ", "samples a second; max: all that the kernel allows",
		    opt_freq),
	PT_ROW_CALL('c', "count", "N", "a sample every N events", opt_count),
	PT_ROW_CALL('a', "all-cpus", NULL, "the whole machine", opt_all),
	PT_ROW_CALL('C', NULL, "CPUS", "these CPUs only: 0-3,7", opt_cpus),
	PT_ROW_CALL('p', NULL, "PIDS", "these processes, all their threads", opt_pids),
	PT_ROW_CALL('t', NULL, "TIDS", "these threads", opt_tids),
	PT_ROW_CALL('G', "cgroup", "CGROUP", "what runs in this control group", opt_cgroup),
	PT_ROW_CALL('D', "delay", "MS", "start so many milliseconds after the command", opt_delay),
	PT_ROW_CALL(0, "for", "SECONDS", "stop after; a running command gets SIGTERM", opt_for),
	PT_ROW_CALL('m', "mmap-pages", "PAGES", "of each ring, or its size: 4M", opt_pages),
	PT_ROW_CALL('k', "clockid", "CLOCK", "monotonic (unless given), realtime, boottime, ...",
		    opt_clock),
	PT_ROW_HABIT('g', NULL, NULL),
	PT_ROW_HABIT('R', "raw-samples", NULL),
	PT_ROW_HABIT('B', "no-buildid", NULL),
	{ 0 }
};

#define ROW_CONTROL PT_ROW_CALL(0, "control", "CONTROL", "commands come from there: fifo:CTL[,ACK] or fd:N[,M]; with -D -1 nothing is watched before enable", opt_control)

const struct pt_opt pt_opts_control[] = { ROW_CONTROL, { 0 } };

const struct pt_opt pt_opts_count[] = {
	PT_ROW_CALL('e', "event", "EVENT", "count these: names, globs, lists a,b, groups {a,b}",
		    opt_event),
	PT_ROW_CALL(0, "filter", "EXPR",
		    "only where fields of the tracepoints in front hold: 'bytes > 4096'",
		    opt_filter),
	PT_ROW_CALL('a', "all-cpus", NULL, "the whole machine", opt_all),
	PT_ROW_CALL('C', "cpu", "CPUS", "these CPUs only: 0-3,7", opt_cpus),
	PT_ROW_CALL('p', "pid", "PIDS", "these processes, all their threads", opt_pids),
	PT_ROW_CALL('t', "tid", "TIDS", "these threads", opt_tids),
	PT_ROW_CALL('G', "cgroup", "CGROUP",
		    "what runs in this control group; several (a,b): one for each event",
		    opt_cgroups),
	PT_ROW_CALL(0, "for-each-cgroup", "CGROUPS",
		    "all events in each of these; regular expressions, too", opt_each_cgroup),
	PT_ROW_CALL('D', "delay", "MS", "start so many milliseconds after the command", opt_delay),
	PT_ROW_CALL(0, "for", "SECONDS", "stop after; a running command gets SIGTERM", opt_for),
	ROW_CONTROL,
	{ 0 }
};

static void check_target(const struct pt_tool *tool, struct pt_watch_args *w, int argc, char **argv,
			 int first)
{
	struct pt_watch *watch = &w->watch;
	bool tasks_given = watch->nr_pids || watch->nr_tids;

	/* `--syscall write -- dd`: an optional argument must be attached to its option. */
	if (first + 1 < argc && !strcmp(argv[first + 1], "--"))
		pt_input_check_syscall(tool, w, argv[first]);
	if (watch->period && watch->freq)
		pt_usage(tool, "-F and -c: a frequency or a count, not both");
	if (watch->start_disabled && !w->control_how)
		pt_usage(
			tool,
			"-D -1: the events stay off until somebody enables them: --control (pt-stat, pt-record, pt-script, pt-stack) tells who");
	if (tasks_given && (watch->cgroup || w->cgroups || w->each_cgroup))
		pt_usage(tool, "%s and %s: these tasks or the control group, not both",
			 watch->nr_pids ? "-p" : "-t", w->each_cgroup ? "--for-each-cgroup" : "-G");
	if (w->cgroups && w->each_cgroup)
		pt_usage(tool, "-G and --for-each-cgroup: one of them");
	if (tasks_given && (watch->all_cpus || watch->nr_cpus))
		pt_usage(tool, "%s and %s: these tasks or all that runs there, not both",
			 watch->nr_pids ? "-p" : "-t", watch->all_cpus ? "-a" : "-C");
	if (!tasks_given &&
	    (watch->nr_cpus || watch->cgroup || w->preset || w->also || !watch->command))
		watch->all_cpus = true;
}

static void say(void *ctx, const char *text)
{
	pt_warn(ctx, "--control: %s", text);
}

static int open_control(const struct pt_tool *tool, struct pt_watch_args *w, struct pt_err *e)
{
	if (!w->control_how)
		return 0;
	w->control.say = say;
	w->control.ctx = (void *)(uintptr_t)tool;
	if (pt_control_open(&w->control, w->control_how, e) < 0)
		return pt_err_context(e, "--control");
	w->watch.control = &w->control;
	return 0;
}

/* As a shell does: 127 if there is no such program, 126 if it may not be run. */
static void check_command(const struct pt_tool *tool, const char *name)
{
	int sys = pt_program_find(name, NULL);

	if (!sys)
		return;
	if (sys == ENOENT && !strchr(name, '/'))
		pt_warn(tool, "%s: no such command", name);
	else
		pt_warn(tool, "%s: %s", name, strerror(sys));
	exit(sys == ENOENT ? 127 : 126);
}

/* Errors in the words of -e are wrong usage; limits of the machine or the user are not (e->sys is
 * set). */
static int add_events(const struct pt_tool *tool, struct pt_watch_args *w,
		      const char *default_events, struct pt_err *e)
{
	struct pt_event_list *l = &w->watch.events;
	size_t i;

	pt_event_list_init(l);
	for (i = 0; i < w->nr_wanted; i++)
		if (w->also && w->wanted[i].kind == PT_WANT_PRESET &&
		    !strcmp(w->wanted[i].text, w->also))
			w->also = NULL;
	if (w->also && w->nr_wanted && pt_preset_add(l, w->also, NULL, e) < 0)
		return -1;
	if (!w->nr_wanted) {
		if (!default_events)
			return pt_err_set(e, "%s", which_events);
		if (pt_preset_is(default_events)) {
			preset(w, default_events, NULL);
			if (!w->watch.nr_pids && !w->watch.nr_tids)
				w->watch.all_cpus = true;
		} else {
			want(w, PT_WANT_EVENT, default_events, NULL);
		}
	}
	for (i = 0; i < w->nr_wanted; i++) {
		const struct pt_wanted *x = &w->wanted[i];
		int rc;

		if (x->kind == PT_WANT_EVENT)
			rc = pt_event_list_add(l, x->text, e);
		else if (x->kind == PT_WANT_PRESET)
			rc = pt_preset_add(l, x->text, x->names, e);
		else
			rc = pt_event_list_filter(l, x->text, e);
		if (rc < 0 && (x->kind != PT_WANT_PRESET || x->names) && !e->sys) {
			pt_warn(tool, "%s", e->msg);
			exit(2);
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int share_among(struct pt_event_list *l, const char *text, struct pt_err *e)
{
	char *root = pt_cgroup_is_pattern(text) ? pt_cgroup_root(e) : NULL;
	struct pt_cgroups groups = { 0 };
	int rc;

	if (pt_cgroup_is_pattern(text))
		rc = root ? pt_cgroups_match(&groups, root, text, e) : -1;
	else
		rc = pt_cgroups_split(&groups, text, e);
	if (rc == 0)
		rc = pt_event_list_each_cgroup(l, &groups, e);
	pt_cgroups_deinit(&groups);
	free(root);
	return rc;
}

/* Assigns events to control groups. */
static int share_out(const struct pt_tool *tool, struct pt_watch_args *w, struct pt_err *e)
{
	struct pt_event_list *l = &w->watch.events;

	if (w->cgroups && !w->watch.cgroup && pt_event_list_cgroups(l, w->cgroups, e) < 0)
		pt_usage(tool, "-G: %s", e->msg);
	if (!w->each_cgroup || !share_among(l, w->each_cgroup, e))
		return 0;
	pt_err_context(e, "--for-each-cgroup");
	if (!e->sys)
		pt_usage(tool, "%s", e->msg);
	return -1;
}

static void warn_reading(const struct pt_tool *tool, const struct pt_watch *w)
{
	for (size_t i = 0;
	     i < w->events.nr && w->command && !w->all_cpus && !w->counting && !w->no_inherit; i++)
		if (w->events.specs[w->events.specs[i].leader].sample_read) {
			pt_warn(tool,
				"%s:S: the command alone is watched, not its children; -a watches all",
				w->events.specs[i].name);
			return;
		}
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		if ((p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
		    !(isalnum((unsigned char)p[n]) || p[n] == '_'))
			return true;
	return false;
}

/* A field in the event's filter that the kernel may be unable to read; NULL: none. `rec`: only one
 * that was not readable in this sample. */
static const struct pt_tp_field *guarded_in_filter(const struct pt_event_spec *s,
						   const struct pt_record *rec)
{
	for (size_t k = 0; s->filter && s->tp && k < s->tp->nr_fields; k++) {
		const struct pt_tp_field *f = &s->tp->fields[k];

		if (f->nr_guards && has_word(s->filter, f->name) &&
		    (!rec || pt_tp_faulted(f, rec->sample.raw, rec->sample.raw_len, rec->swap)))
			return f;
	}
	return NULL;
}

/* Kernel filters compare a field's bytes, which are older ones if the value could not be read, and
 * no operator sees a guard's length. Analyses drop such samples (pt_watch_leaves_out()); counting
 * in the kernel cannot. */
static void check_filter(const struct pt_tool *tool, const struct pt_watch *w)
{
	for (size_t i = 0; i < w->events.nr; i++) {
		const struct pt_event_spec *s = &w->events.specs[i];
		const struct pt_tp_field *f = guarded_in_filter(s, NULL);

		if (f && w->counting)
			pt_usage(
				tool,
				"%s: --filter: %s is read through a pointer; where the kernel cannot "
				"read it, the filter would see an older value: pt-script --filter leaves such "
				"samples out, count its lines",
				s->name, f->name);
		else if (f && tool->runs_command) /* pt-record does not look into samples */
			pt_warn(tool,
				"%s: --filter: %s is read through a pointer; where the kernel cannot read it, "
				"the filter sees an older value (samples show " PT_TP_FAULT ")",
				s->name, f->name);
	}
}

bool pt_watch_filters_values(const struct pt_watch *w)
{
	for (size_t i = 0; i < w->events.nr; i++)
		if (guarded_in_filter(&w->events.specs[i], NULL))
			return true;
	return false;
}

bool pt_watch_leaves_out(const struct pt_watch *w, const struct pt_record *rec)
{
	if (rec->type != PERF_RECORD_SAMPLE || !rec->event || !rec->event->tp)
		return false;
	for (size_t i = 0; i < w->events.nr; i++)
		if (w->events.specs[i].tp == rec->event->tp &&
		    guarded_in_filter(&w->events.specs[i], rec))
			return true;
	return false;
}

int pt_watch_ready(const struct pt_tool *tool, struct pt_watch_args *w, int argc, char **argv,
		   int first, const char *default_events, struct pt_err *e)
{
	struct pt_watch *watch = &w->watch;

	if (first < argc)
		watch->command = argv + first;
	check_target(tool, w, argc, argv, first);
	if (!w->nr_wanted && !default_events)
		pt_usage(tool, "%s", which_events);
	if (watch->command)
		check_command(tool, watch->command[0]);
	if (!w->clock_given)
		watch->clockid = CLOCK_MONOTONIC;
	if (add_events(tool, w, default_events, e) < 0 || share_out(tool, w, e) < 0)
		return -1;
	warn_reading(tool, watch);
	check_filter(tool, watch);
	if (w->choose)
		w->choose(watch, w->choose_ctx);
	return open_control(tool, w, e);
}

void pt_watch_args_deinit(struct pt_watch_args *w)
{
	free(w->watch.cpus);
	free(w->watch.pids);
	free(w->watch.tids);
	free(w->wanted);
	free(w->cgroups);
	if (w->watch.control)
		pt_control_close(&w->control);
	pt_event_list_deinit(&w->watch.events);
	*w = (struct pt_watch_args){ 0 };
}
