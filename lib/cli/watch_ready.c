/* watch_ready.c - the parsed options, made into a session that can be opened. */
#include "cli/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/program.h"
#include "event/preset.h"
#include "event/survey.h"
#include "record/format/tracering.h"

#define OPTION(name, events, arg, help) ", --" name
static const char which_events[] = "no event is given: -e EVENT" PT_PRESETS(OPTION);
#undef OPTION

/* Is there anything to watch beside triggers? */
static bool wants_events(const struct pt_watch_args *w)
{
	for (size_t i = 0; i < w->nr_wanted; i++)
		if (w->wanted[i].kind == PT_WANT_EVENT || w->wanted[i].kind == PT_WANT_PRESET)
			return true;
	return false;
}

static const uint64_t in_one_half = PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL;

static void check_target(const struct pt_tool *tool, struct pt_watch_args *w)
{
	struct pt_watch *watch = &w->watch;
	bool tasks_given = !w->until_gone && (watch->nr_pids || watch->nr_tids);
	const char *tasks = w->of_user ? "-u" : watch->nr_pids ? "-p" : "-t";

	if (watch->period && watch->freq)
		pt_usage(tool, "-F and -c: one of them");
	if ((w->event_flags & in_one_half) == in_one_half)
		pt_usage(tool, "--all-user and --all-kernel: one of them; events in both need neither");
	if (watch->start_disabled && !w->control_how)
		pt_usage(
			tool,
			"-D -1 needs --control, which says who enables the events (pt-stat, pt-record, pt-script, pt-stack)");
	if (tasks_given && (watch->cgroup || w->cgroups || w->each_cgroup))
		pt_usage(tool, "%s and %s: tasks or a control group, not both",
			 tasks, w->each_cgroup ? "--for-each-cgroup" : "-G");
	if (w->cgroups && w->each_cgroup)
		pt_usage(tool, "-G and --for-each-cgroup: one of them");
	if (tasks_given && (watch->all_cpus || watch->nr_cpus))
		pt_usage(tool, "%s and %s: tasks or CPUs, not both",
			 tasks, watch->all_cpus ? "-a" : "-C");
	if (!tasks_given &&
	    (watch->nr_cpus || watch->cgroup || w->of_machine || w->also || !watch->command))
		watch->all_cpus = true;
}

static void watch_ready_say(void *ctx, const char *text)
{
	pt_warn(ctx, "--control: %s", text);
}

static int open_control(const struct pt_tool *tool, struct pt_watch_args *w, struct pt_err *e)
{
	if (!w->control_how)
		return 0;
	w->control.say = watch_ready_say;
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

/* What happens all the time, as clocks and cycles do, is no trigger. */
static int add_trigger(struct pt_event_list *l, const char *text, struct pt_err *e)
{
	size_t first = l->nr;

	if (pt_event_list_add(l, text, e) < 0)
		return -1;
	for (size_t i = first; i < l->nr; i++) {
		struct pt_event_spec *s = &l->specs[i];

		if (s->attr.type != PERF_TYPE_TRACEPOINT && s->attr.type != PERF_TYPE_BREAKPOINT &&
		    !s->tp && !s->attr.sample_period)
			return pt_err_set(
				e,
				"--trigger %s: a tracepoint or a probe is needed, or how often it must happen: '%s/period=1000/'",
				text, text);
		s->trigger = true;
		s->leader = (int)i;
	}
	return 0;
}

/* Errors in the words of -e are wrong usage; limits of the machine or the user are not (e->sys is
 * set). */
static int watch_ready_add_events(const struct pt_tool *tool, struct pt_watch_args *w,
				  const char *default_events, struct pt_err *e)
{
	struct pt_event_list *l = &w->watch.events;
	size_t i;

	pt_event_list_init(l);
	for (i = 0; i < w->nr_wanted; i++)
		if (w->also && w->wanted[i].kind == PT_WANT_PRESET &&
		    !strcmp(w->wanted[i].text, w->also))
			w->also = NULL;
	if (w->also && wants_events(w) && pt_preset_add(l, w->also, NULL, e) < 0)
		return -1;
	if (!wants_events(w)) {
		if (pt_preset_is(default_events)) {
			pt_watch_preset(w, default_events, NULL);
			if (!w->watch.nr_pids && !w->watch.nr_tids)
				w->watch.all_cpus = true;
		} else {
			pt_watch_want(w, PT_WANT_EVENT, default_events, NULL);
		}
	}
	for (i = 0; i < w->nr_wanted; i++) {
		const struct pt_wanted *x = &w->wanted[i];
		int rc;

		if (x->kind == PT_WANT_EVENT)
			rc = pt_event_list_add(l, x->text, e);
		else if (x->kind == PT_WANT_TRIGGER)
			rc = add_trigger(l, x->text, e);
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
	if (w->event_flags & in_one_half)		/* the modifiers u and k do so, too */
		w->event_flags |= PT_ATTR_EXCLUDE_HV;
	for (i = 0; i < l->nr; i++) {
		l->specs[i].attr.flags |= w->event_flags;
		if (w->one_group && !l->specs[i].trigger)
			l->specs[i].leader = 0;
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

/* The session has both events that a wait lies between: the wake-up and the switch. */
static bool watches_waits(const struct pt_watch *w)
{
	bool switches = false, wakings = false;

	for (size_t i = 0; i < w->events.nr; i++) {
		const struct pt_event_spec *s = &w->events.specs[i];

		switches |= s->tp && !strcmp(s->name, "sched:sched_switch");
		wakings |= s->tp && !strcmp(s->name, "sched:sched_waking");
	}
	return switches && wakings && pt_watch_is_of_cpus(w) && !w->counting;
}

/* Some kernels lose events of idle CPUs in perf's rings, but not in those of tracefs. The switches
 * away from idle are in neither, but perf's records of switches tell when a task came in. */
static void choose_ring(const struct pt_tool *tool, struct pt_watch_args *w)
{
	const char *other = pt_watch_suits_tracefs(&w->watch);
	bool waits = watches_waits(&w->watch);
	bool lost = (waits || (w->ring == PT_RING_AUTO && !other)) && pt_tracering_allowed() &&
		    pt_idle_events() == PT_IDLE_LOST;

	if (w->ring == PT_RING_TRACEFS && other)
		pt_usage(tool, "--ring tracefs: %s: perf's rings alone can do that", other);
	w->watch.tracefs = w->ring == PT_RING_TRACEFS ||
			   (w->ring == PT_RING_AUTO && !other && lost);
	w->watch.want_switches |= waits && lost;
}

static void warn_reading(const struct pt_tool *tool, const struct pt_watch *w)
{
	if (!w->command || w->all_cpus || w->counting || w->no_inherit)
		return;
	for (size_t i = 0; i < w->events.nr; i++)
		if (w->events.specs[w->events.specs[i].leader].sample_read) {
			pt_warn(tool,
				"%s:S: only the command is watched, not its children; -a watches all",
				w->events.specs[i].name);
			return;
		}
}

int pt_watch_ready(const struct pt_tool *tool, struct pt_watch_args *w,
		   const struct pt_operands *operands, const char *default_events, struct pt_err *e)
{
	struct pt_watch *watch = &w->watch;

	if (operands->nr)
		watch->command = operands->v;
	check_target(tool, w);
	if (w->filter_first)
		pt_usage(tool, "--filter is for the events before it: -e EVENT (or a preset) comes first");
	if (!wants_events(w) && !default_events)
		pt_usage(tool, "%s", which_events);
	if (watch->command)
		check_command(tool, watch->command[0]);
	if (!w->clock_given)
		watch->clockid = CLOCK_MONOTONIC;
	if (watch_ready_add_events(tool, w, default_events, e) < 0 || share_out(tool, w, e) < 0)
		return -1;
	warn_reading(tool, watch);
	pt_watch_check_filter(tool, watch);
	if (w->choose)
		w->choose(watch, w->choose_ctx);
	choose_ring(tool, w);
	return open_control(tool, w, e);
}
