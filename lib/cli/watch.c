#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/smallfile.h"
#include "cli/user.h"
#include "event/preset.h"
#include "event/sysnr.h"

void pt_watch_want(struct pt_watch_args *w, enum pt_wanted_kind kind, const char *text,
		   const char *names)
{
	PT_GROW(w->wanted, w->nr_wanted, w->cap_wanted);
	w->wanted[w->nr_wanted++] = (struct pt_wanted){ kind, text, names };
}

static int opt_event(void *group, const char *arg, struct pt_err *e)
{
	(void)e;
	pt_watch_want(group, PT_WANT_EVENT, arg, NULL);
	return 0;
}

static int opt_filter(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;
	char *old = w->filter;

	(void)e;
	w->filter_first |= !w->nr_wanted;
	if (w->nr_wanted)
		pt_watch_want(w, PT_WANT_FILTER, arg, NULL);
	w->filter = old ? pt_asprintf("(%s) && (%s)", old, arg) : pt_strdup(arg);
	free(old);
	return 0;
}

void pt_watch_preset(struct pt_watch_args *w, const char *name, const char *names)
{
	pt_watch_want(w, PT_WANT_PRESET, name, names);
	w->preset = name;
	w->preset_names = names;
	w->of_machine |= pt_preset_of_machine(name);
}

/* Its row has stored the name. */
static int opt_preset(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	(void)e;
	pt_watch_preset(w, w->preset, arg);
	return 0;
}

/* `--syscall read FILE`: the names of a preset are system calls. */
static bool is_syscall(const char *word)
{
	struct utsname machine;
	struct pt_sysnr *calls = pt_sysnr_new(uname(&machine) == 0 ? machine.machine : NULL);
	bool is = pt_sysnr_find(calls, word) >= 0;

	pt_sysnr_free(calls);
	return is;
}

static int opt_freq(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	if (strcmp(arg, "max"))
		return pt_num_u64(arg, 1, 1000000, &w->watch.freq, e);
	/* the kernel's own default if it cannot be read */
	w->watch.freq = (uint64_t)pt_file_number("/proc/sys/kernel/perf_event_max_sample_rate",
						 100000);
	return 0;
}

/* One group is for all events; with several, each is for one event, also if -G is repeated. */
static int opt_cgroups(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;
	char *had = w->cgroups;

	(void)e;
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
	w->each_cgroup = arg;
	w->watch.all_cpus = true;
	return 0;
}

/* TIME, or FROM-TO,FROM-TO,...: each is a switch, on and off in turn. False: it is neither. A bare
 * number is milliseconds. */
static bool take_switches(struct pt_watch *w, char *text)
{
	uint64_t ns, last_ns = 0;

	for (; text; last_ns = ns) {
		const char *word = strsep(&text, w->nr_switches % 2 ? "," : "-");

		if (pt_num_msec(word, &ns, NULL) < 0 || (w->nr_switches && ns <= last_ns))
			return false;
		w->switches_ns[w->nr_switches++] = ns;
	}
	return w->nr_switches == 1 || w->nr_switches % 2 == 0;
}

static int opt_ranges(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch *w = &((struct pt_watch_args *)group)->watch;
	char *text = pt_strdup(arg);
	bool good;

	free(w->switches_ns);
	w->switches_ns = pt_alloc_array(strlen(arg) + 1, sizeof(*w->switches_ns));
	w->nr_switches = 0;
	w->start_disabled = !strcmp(arg, "-1");
	good = w->start_disabled || take_switches(w, text);
	free(text);
	return good ? 0
		    : pt_err_set(e, "'%s' is neither a time (milliseconds, or 2s) nor FROM-TO,FROM-TO, each later than the one before it (for the bytes of records: pt-script --dump-raw-trace)",
				 arg);
}

static int opt_delay(void *group, const char *arg, struct pt_err *e)
{
	if (opt_ranges(group, arg, e) < 0)
		return -1;
	return ((struct pt_watch_args *)group)->watch.nr_switches < 2
		       ? 0
		       : pt_err_set(e, "what this tool shows may have no pauses; pt-stat, pt-record, pt-script and pt-stack take ranges");
}

static int opt_control(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->control_how = arg;
	return pt_control_check(arg, e);
}

/* Pages, or bytes with K, M, G; rounded up to a power of two. */
static int opt_pages(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), max = (1ull << 30), n, pages = 1;
	bool plain = !arg[strspn(arg, "0123456789")];

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
		{ "monotonic", CLOCK_MONOTONIC }, { "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME }, { "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME }, { "boot", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
	};
	struct pt_watch_args *w = group;
	const char *name = strncasecmp(arg, "CLOCK_", 6) ? arg : arg + 6;
	char *end;
	long nr = strtol(arg, &end, 10);
	size_t i;

	for (i = 0; i < PT_NR(clocks); i++)
		if (!strcasecmp(name, clocks[i].name) || (*arg && !*end && clocks[i].id == nr)) {
			w->watch.clockid = clocks[i].id;
			w->clock_given = true;
			return 0;
		}
	return pt_err_set(e, "'%s' is no clock: monotonic, monotonic_raw, realtime, boottime, tai (the kernel's file: --vmlinux FILE)",
			  arg);
}

static int cli_watch_opt_user(void *group, const char *arg, struct pt_err *e)
{
	struct pt_watch_args *w = group;

	w->of_user = w->watch.pids_may_end = true;
	return pt_user_processes(arg, &w->watch.pids, &w->watch.nr_pids, e);
}

static const struct pt_word rings[] = { PT_WORD("perf", PT_RING_PERF),
					PT_WORD("tracefs", PT_RING_TRACEFS), { 0 } };

/* Rows of options that ask for a live session: `given_` is kept in a member, for messages. */
#define ROW_KEPT(member_, letter_, name_, arg_, help_, given_, ...) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .help = (help_), \
	  .given = (given_), .given_off = offsetof(struct pt_watch_args, member_), __VA_ARGS__ }
#define ROW(...) ROW_KEPT(given, __VA_ARGS__)
#define ROW_TARGET(...) ROW_KEPT(target, __VA_ARGS__)
#define CALL(call_) .kind = PT_OPT_CALL, .call = (call_)
#define MEMBER(kind_, member_) .kind = (kind_), .off = offsetof(struct pt_watch_args, watch.member_)
#define NUMBERS(list_, min_, max_) \
	MEMBER(PT_OPT_NUMBERS, list_), .min = (min_), .max = (max_), \
	.nr_off = offsetof(struct pt_watch_args, watch.nr_##list_)
#define ROW_FILTER \
	PT_ROW_CALL(0, "filter", "EXPR", \
		    "only tracepoints with such fields: 'bytes > 64K'; live, it is for the events before it", \
		    opt_filter)
#define ROW_ALL \
	ROW('a', "all-cpus", NULL, "all tasks on all CPUs", "-a", MEMBER(PT_OPT_FLAG, all_cpus))
#define ROW_CPUS(name) \
	ROW_TARGET('C', name, "CPUS", "only these CPUs: 0-3,7", "-C", NUMBERS(cpus, 0, 65535))
#define ROW_PIDS(name) \
	ROW_TARGET('p', name, "PIDS", "these processes with all their threads", "-p", \
		   NUMBERS(pids, 1, INT32_MAX))
#define ROW_TIDS(name) \
	ROW_TARGET('t', name, "TIDS", "these threads", "-t", NUMBERS(tids, 1, INT32_MAX))
#define ROW_USER \
	ROW('u', "uid", "USER", "the processes that this user runs now", "-u", \
	    CALL(cli_watch_opt_user))
#define ROW_CGROUP \
	ROW('G', "cgroup", "CGROUP", "the tasks in this control group", "-G", \
	    MEMBER(PT_OPT_STR, cgroup))
#define ROW_PAGES \
	ROW('m', "mmap-pages", "PAGES", "pages of each ring, or its size: 4M", "-m", \
	    CALL(opt_pages))
#define ROW_DELAY \
	ROW('D', "delay", "MS", "start this long after the command: 100 (milliseconds), 2s", "-D", CALL(opt_delay))
#define ROW_RANGES \
	ROW('D', "delay", "MS", \
	    "start this long after the command: 100 (milliseconds), 2s; or within ranges: 10-20,30-40", "-D", \
	    CALL(opt_ranges))
#define ROW_FOR \
	ROW(0, "for", "SECONDS", "stop after SECONDS; a running command gets SIGTERM", "--for", \
	    MEMBER(PT_OPT_TIME, duration_ns), .min = 1)
#define ROW_TIMEOUT \
	ROW(0, "timeout", "MS", "as --for; a bare number is milliseconds", "--timeout", \
	    MEMBER(PT_OPT_MSEC, duration_ns), .min = 1)
#define ROW_CONTROL \
	ROW(0, "control", "CONTROL", \
	    "take commands from fifo:CTL[,ACK] or fd:N[,M]; with -D -1 nothing is watched before enable", \
	    "--control", CALL(opt_control))

const char *pt_watch_asked(const struct pt_watch_args *w)
{
	return w->given ? w->given : w->target;
}

const struct pt_opt pt_opts_watch[] = {
	ROW('e', "event", "EVENT", "events: names, globs, lists a,b", "-e", CALL(opt_event)),
	ROW_FILTER,
#define PRESET(name_, events, arg_, help_) \
	PT_ROW_CALL(0, name_, arg_, help_, opt_preset, .claims = is_syscall, .given = name_, \
		    .given_off = offsetof(struct pt_watch_args, preset)),
	PT_PRESETS(PRESET)
#undef PRESET
	ROW('F', "freq", "HZ", "samples per second; max: as many as the kernel allows", "-F",
	    CALL(opt_freq)),
	ROW('c', "count", "N", "a sample every N events", "-c", MEMBER(PT_OPT_U64, period),
	    .min = 1, .max = INT64_MAX),
	ROW_ALL,
	ROW_CPUS("cpu"),
	ROW_PIDS("pid"),
	ROW_TIDS("tid"),
	ROW_USER,
	ROW_CGROUP,
	ROW_DELAY,
	ROW_FOR,
	ROW_TIMEOUT,
	ROW_PAGES,
	ROW(0, "ring", "RING",
	    "read samples from perf's rings (perf) or those of tracefs (default if perf's lose events)",
	    "--ring", .kind = PT_OPT_WORD, .off = offsetof(struct pt_watch_args, ring),
	    .words = rings),
	ROW('k', "clockid", "CLOCK", "monotonic (default), realtime, boottime, ...", "-k",
	    CALL(opt_clock), .list = "monotonic, monotonic_raw, realtime, boottime, tai"),
	PT_ROW_HABIT('g', NULL, NULL),
	PT_ROW_HABIT('R', "raw-samples", NULL),
	PT_ROW_HABIT('B', "no-buildid", NULL),
	{ 0 }
};

const struct pt_opt pt_opts_events[] = {
	PT_ROW_OF(struct pt_watch_args, 0, "all-user", NULL,
		  "all events in programs only, as their modifier u", PT_OPT_BITS, event_flags,
		  .bits = PT_ATTR_EXCLUDE_KERNEL),
	PT_ROW_OF(struct pt_watch_args, 0, "all-kernel", NULL,
		  "all events in the kernel only, as k", PT_OPT_BITS, event_flags,
		  .bits = PT_ATTR_EXCLUDE_USER),
	PT_ROW_OF(struct pt_watch_args, 0, "group", NULL, "all events are one group, as {a,b}",
		  PT_OPT_FLAG, one_group),
	{ 0 }
};

const struct pt_opt pt_opts_tasks[] = {
	ROW_ALL,
	ROW_CPUS(NULL),
	ROW_PIDS(NULL),
	ROW_CGROUP,
	ROW_DELAY,
	ROW_FOR,
	ROW_TIMEOUT,
	ROW_PAGES,
	{ 0 }
};

const struct pt_opt pt_opts_control[] = { ROW_RANGES, ROW_CONTROL, { 0 } };

const struct pt_opt pt_opts_count[] = {
	ROW('e', "event", "EVENT", "events: names, globs, lists a,b, groups {a,b}", "-e",
	    CALL(opt_event)),
	ROW_FILTER,
	ROW_ALL,
	ROW_CPUS("cpu"),
	ROW_PIDS("pid"),
	ROW_TIDS("tid"),
	ROW_USER,
	ROW('G', "cgroup", "CGROUP",
	    "the tasks in this control group; several (a,b): one for each event", "-G",
	    CALL(opt_cgroups)),
	ROW(0, "for-each-cgroup", "CGROUPS",
	    "count all events in each of these; may be regular expressions", "--for-each-cgroup",
	    CALL(opt_each_cgroup)),
	ROW_RANGES,
	ROW_FOR,
	ROW_TIMEOUT,
	ROW_CONTROL,
	{ 0 }
};

void pt_watch_args_deinit(struct pt_watch_args *w)
{
	free(w->watch.cpus);
	free(w->watch.pids);
	free(w->watch.tids);
	free(w->watch.switches_ns);
	free(w->wanted);
	free(w->filter);
	free(w->cgroups);
	if (w->watch.control)
		pt_control_close(&w->control);
	pt_event_list_deinit(&w->watch.events);
	*w = (struct pt_watch_args){ 0 };
}
