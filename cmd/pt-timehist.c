/* pt-timehist - a line for each task switch, with wait time, delay and run time. */
#include <string.h>

#include "cli/analysis.h"
#include "cli/opt.h"
#include "cli/switches.h"
#include "cli/symbols.h"
#include "sched/timehist.h"

enum { SKIPPED_FRAMES = 2 };

struct args {
	struct pt_timehist_opts o;
	bool chains, no_chains;
	const char *output;
	struct pt_frames_opts frames;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	PT_ROW_FLAG('w', "wakeups", "also show wake-ups", o.wakeups),
	PT_ROW_FLAG('M', "migrations", "also show moves between CPUs", o.migrations),
	PT_ROW_FLAG('n', "next", "show the task that comes in", o.next),
	PT_ROW_FLAG('V', "cpu-visual",
		    "a column for each CPU: s switch, i end of idle time, m move", o.visual),
	PT_ROW_FLAG(0, "state", "show the state in which a task leaves: R, S, D, I, T, Z, X",
		    o.state),
	PT_ROW_FLAG(0, "preempted", "also show the delay of preempted tasks, since they left",
		    o.preempted),
	PT_ROW_FLAG('I', "idle-hist",
		    "only switches to and from idle; summaries have idle time by the task that left", o.idle),
	PT_ROW_FLAG('s', "summary", "only a summary by task (with --state: by reason of waiting)",
		    o.no_lines),
	PT_ROW_FLAG('S', "with-summary", "the lines, then the summary", o.summary),
	PT_ROW_FLAG(0, "hide-call-graph", "no call chains", no_chains),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_opt own_live[] = {
	PT_ROW_FLAG('g', NULL, "record call chains", chains),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-timehist",
	.forms = pt_input_forms,
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS,
		PT_OWN("Live, stacks", own_live)),
	.examples = PT_LINES(
		"pt-timehist sched.data | less",
		"pt-timehist -w -n --time +1,+1.01 sched.data",
		"pt-timehist -s --state -- make -j4",
		"perf sched record -g -- sleep 1 && pt-timehist --max-stack 3 perf.data"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_sched *sched;
	struct pt_timehist *hist;
	size_t looked;			/* number of events that were checked for chains */
};

/* Starts the naming of code once switches are known to have chains. */
static void look_for_chains(struct run *r)
{
	for (; r->looked < pt_source_nr_events(r->an.src) && !r->a->no_chains; r->looked++) {
		const struct pt_event *ev = pt_source_event(r->an.src, r->looked);

		if (r->an.frames || !(ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN) ||
		    strcmp(ev->name, "sched:sched_switch"))
			continue;
		pt_analysis_frames(&r->an, &r->a->frames);
		pt_timehist_frames(r->hist, r->an.frames);
	}
}

static void head(struct run *r)
{
	if (!r->a->o.no_lines)
		pt_timehist_header(r->hist, &r->an.text);
}

static int see(struct run *r, const struct pt_record *rec)
{
	struct pt_sched_event ev;
	int kind;

	look_for_chains(r);
	if (r->an.starts)
		head(r);
	kind = pt_sched_feed(r->sched, rec, &ev, &r->an.err);
	if (kind > PT_SCHED_NOTHING)
		pt_timehist_feed(r->hist, &ev, rec, &r->an.text);
	return kind < 0 ? -1 : 0;
}

static void watch_chains(struct args *a)
{
	if (!a->chains)
		return;
	a->watch.watch.sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->watch.watch.want_maps = a->watch.watch.want_build_ids = true;
	a->watch.watch.slow_reader = true;
	a->watch.watch.no_kernel_map = !a->frames.vmlinux;
}

static void ready_frames(struct run *r)
{
	struct pt_frames_opts *f = &r->a->frames;

	pt_symbols_ready(&tool, f);
	if (r->an.live && f->debuginfod)
		pt_die(&tool,
		       "--debuginfod is for recordings: a live session does not wait for servers");
}

int main(int argc, char **argv)
{
	static struct args a;
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	struct pt_timehist_opts *o = &a.o;
	struct pt_sched_opts so = { .without = 1u << PT_SCHED_RUNTIME };
	const struct pt_record *rec;

	pt_analysis_parse(&r.an, argc, argv, &a);
	if (a.chains && a.no_chains)
		pt_usage(&tool, "-g and --hide-call-graph: call chains or none");
	pt_analysis_watch_all(&r.an);
	o->summary |= o->no_lines;
	o->choose = &a.choose;
	a.frames.max_stack =
		(a.frames.max_stack ? a.frames.max_stack : PT_TIMEHIST_STACK) + SKIPPED_FRAMES;
	watch_chains(&a);
	pt_analysis_open(&r.an, pt_switches_events(o->migrations || o->summary));
	pt_analysis_output(&r.an, a.output);
	ready_frames(&r);
	so.keep_ended = o->summary;
	so.source = r.an.src;
	if (!o->migrations && !o->summary)
		so.without |= 1u << PT_SCHED_MIGRATE;
	r.sched = pt_sched_new(&so);
	o->nr_cpus = pt_source_info(r.an.src)->nr_cpus_online;
	r.hist = pt_timehist_new(o, r.sched);
	while (pt_analysis_next(&r.an, &rec))
		if (see(&r, rec) < 0)
			r.an.rc = -1;
	if (!r.an.started)
		head(&r);
	if (o->summary && !pt_analysis_gone(&r.an))
		pt_timehist_summary(r.hist, &r.an.text);
	pt_switches_end(&r.an, r.sched);
	pt_timehist_free(r.hist);
	pt_sched_free(r.sched);
	return pt_analysis_end(&r.an);
}
