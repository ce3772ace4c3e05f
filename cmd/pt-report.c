/* pt-report - a profile as a table: the share of samples in each function and in what it calls. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/foldedin.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/stacknote.h"
#include "cli/symbols.h"
#include "cli/tty.h"
#include "event/abi.h"
#include "event/open.h"
#include "profile/gather.h"
#include "profile/hierarchy.h"
#include "profile/stats.h"
#include "script/script.h"

enum { DEFAULT_HZ = 99 };

struct args {
	const char *sep, *output, *base, *parent;
	struct pt_table_opts sort, fields;	/* of -s and -F */
	bool samples, period, children, no_children, callers_first, json, header, each_address;
	bool paths, stats, tasks, hierarchy, group, latency;
	uint64_t quantum_ns;		/* of the key `time` */
	regex_t parents;
	double min_percent;
	struct pt_strs symbols, dsos, comms;
	struct pt_offer symbols_there, dsos_there, comms_there;
	struct pt_calltree_opts calls;
	struct pt_frames_opts frames;
	struct pt_call_graph call_graph;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static int opt_sort(void *group, const char *arg, struct pt_err *e)
{
	if (!strcmp(arg, "tdio"))
		return pt_err_set(e, "did you mean --stdio?");
	return pt_table_parse(&((struct args *)group)->sort, arg, true, e);
}

static int opt_fields(void *group, const char *arg, struct pt_err *e)
{
	return pt_table_parse(&((struct args *)group)->fields, arg, false, e);
}

static int opt_calls(void *group, const char *arg, struct pt_err *e)
{
	return pt_calltree_parse(&((struct args *)group)->calls, arg, e);
}

/* `-g caller FILE`, as perf has it. */
static bool is_how(const char *word)
{
	(void)word;
	return true;
}

static int opt_percent_limit(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	if (pt_num_double(arg, &a->min_percent, e) < 0)
		return -1;
	return a->min_percent < 0 || a->min_percent > 100 ? pt_err_set(e, "from 0 to 100") : 0;
}

static int opt_widths(void *group, const char *arg, struct pt_err *e)
{
	return pt_table_widths(&((struct args *)group)->fields, arg, e);
}

#define KEYS "comm, pid, tid, cpu, cgroup, time, trace, parent, dso, sym, srcline, srcfile"
#define COLUMNS "overhead, overhead_children, sample, period"
#define CALLS "graph, fractal, flat, folded, caller, callee, percent, period, count"

static const struct pt_opt own[] = {
	PT_ROW_CALL('s', "sort", "KEYS",
		    "a row for each KEY: " KEYS "; several: a,b", opt_sort, .list = KEYS),
	PT_ROW_CALL('F', "fields", "FIELDS",
		    "show these columns: " COLUMNS ", and keys of -s", opt_fields,
		    .list = COLUMNS " " KEYS),
	PT_ROW_FLAG('n', "show-nr-samples", "add a column of sample counts", samples),
	PT_ROW_FLAG(0, "show-total-period", "add a column of periods (the event's counts)", period),
	PT_ROW_FLAG(0, "children", "also rows for callers (default if there are stacks)",
		    children),
	PT_ROW_FLAG(0, "no-children", "count only samples in a function itself", no_children),
	PT_ROW_CALL('g', "call-graph", "[HOW]",
		    "show calls below each row: graph, fractal, flat or folded; least percentage; caller or callee; percent, period or count",
		    opt_calls, .claims = is_how, .list = CALLS),
	PT_ROW_FLAG('G', "inverted", "callers first, like -g caller", callers_first),
	PT_ROW_CALL(0, "percent-limit", "N", "hide rows below N % (0.5)", opt_percent_limit),
	PT_ROW(0, "parent", "REGEX",
	       "for -s parent: matches the parent, the innermost such function on the stack", PT_OPT_STR,
	       parent),
	PT_ROW(0, "time-quantum", "TIME", "for -s time: the time span of a row (100ms)",
	       PT_OPT_MSEC, quantum_ns, .min = 1),
	PT_ROW_FLAG(0, "hierarchy",
		    "a tree of comm, file and function, or of the keys of -s", hierarchy),
	PT_ROW_FLAG(0, "group", "one table for all events of a group, with columns for each",
		    group),
	PT_ROW_FLAG(0, "latency",
		    "add a first column of wall time, in which parallel work counts less", latency),
	PT_ROW_FLAG(0, "stats", "only count records of each type and samples of each event", stats),
	PT_ROW_FLAG(0, "tasks", "only show the tree of processes and threads", tasks),
	PT_ROW(0, "base", "OLD", "compare with this older recording or file of folded stacks",
	       PT_OPT_STR, base),
	PT_ROW_FLAG(0, "no-gather", "a row for each unnamed address", each_address),
	PT_ROW_FLAG('v', "verbose", "show files with their paths", paths),
	PT_ROW('t', "field-separator", "SEP", "separate fields with SEP instead of aligning them",
	       PT_OPT_STR, sep),
	PT_ROW_CALL('w', "column-widths", "N,N,...",
		    "widths of the columns from the first on; 0: as needed", opt_widths),
	PT_ROW_JSON("one JSON object per row"),
	PT_ROW_FLAG(0, "header", "first print what the recording tells of its machine", header),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_opt rows[] = {
	PT_ROW('S', "symbols", "NAMES", "only rows of these functions; * and ? are wildcards",
	       PT_OPT_LIST, symbols),
	PT_ROW('d', "dsos", "FILES", "only rows of these programs and libraries", PT_OPT_LIST,
	       dsos),
	PT_ROW('c', "comms", "NAMES", "only rows of these commands", PT_OPT_LIST, comms),
	{ 0 }
};

static const struct pt_opt live[] = {
	PT_ROW_STACK_SIZE("copy this much of each stack for unwinding (16K, up to 65528)"),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-report",
	.forms = PT_LINES(
		"[OPTION...] [FILE... | -]",
		"[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]"),
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_OWN("Rows", rows),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUP("Choosing", pt_opts_choose, choose),
		PT_GROUP("Reading", pt_opts_input, input),
		PT_GROUP("Live", pt_opts_watch, watch, .yields = true),
		PT_OWN("Live, stacks", live)),
	.examples = PT_LINES(
		"perf record -g -- make && pt-report",
		"pt-report --no-children -g folded,0,caller,count -s comm",
		"pt-report -s dso -a --for 10",
		"pt-stack -a --for 10 | pt-report",
		"pt-report --base old.data new.data"),
};

struct run {				/* of the profile, or of --base */
	struct args *a;
	struct pt_analysis an;
	bool is_folded;
	struct pt_foldedin folded;
	struct pt_gather *gather;
	struct pt_stats *stats;		/* --stats, --tasks: used instead of `gather` */
	struct pt_stacknote note;
};

/* -- what is read -- */

static bool is_chosen(void *ctx, const struct pt_record *rec, const char *comm)
{
	const struct run *r = ctx;

	return pt_choose_sample(&r->a->choose, rec, comm);
}

static void note_stack(void *ctx, const struct pt_frames_how *how)
{
	pt_stacknote_stack(&((struct run *)ctx)->note, how);
}

static void note_frame(void *ctx, const struct pt_named_frame *x, bool has_file, uint64_t times)
{
	pt_stacknote_frame(&((struct run *)ctx)->note, x, has_file, times);
}

static void start(struct run *r, const struct pt_frames_opts *frames)
{
	const struct args *a = r->a;
	struct pt_gather_opts o = { .keys = pt_table_keys(&a->sort) | pt_table_keys(&a->fields),
				    .parent = &a->parents,
				    .quantum_ns = a->quantum_ns,
				    .each_address = a->each_address,
				    .paths = a->paths,
				    .wall = a->latency,
				    .frames = frames,
				    .chosen = is_chosen,
				    .stack = note_stack,
				    .frame = note_frame,
				    .ctx = r };

	if (a->children || pt_table_has(&a->fields, PT_FIELD_TOTAL))
		o.callers = PT_CALLERS_ALWAYS;
	else if (a->no_children || a->base || a->hierarchy || a->fields.nr_fields)
		o.callers = PT_CALLERS_NEVER;
	r->gather = pt_gather_new(&o);
	if (a->stats || a->tasks)
		r->stats = pt_stats_new();
}

static void take_record(struct run *r, const struct pt_record *rec)
{
	if (r->stats)
		pt_stats_see(r->stats, rec);
	else
		pt_gather_feed(r->gather, r->an.src, rec);
}

static bool take_line(void *ctx, const char *line, size_t len)
{
	return pt_gather_line(((struct run *)ctx)->gather, line, len);
}

static void watch_of(const struct args *a, struct pt_watch *w)
{
	w->default_freq = DEFAULT_HZ;
	w->want_maps = w->want_build_ids = true;
	w->want_switches = a->latency;
	if ((pt_table_keys(&a->sort) | pt_table_keys(&a->fields)) & 1u << PT_KEY_CGROUP)
		w->sample_type |= PT_SAMPLE_CGROUP;
	w->no_kernel_map = !a->frames.vmlinux;
	if (!a->no_children || a->calls.form != PT_CALLTREE_NONE)
		pt_call_graph_watch(&a->call_graph, w);
	w->max_stack = (uint16_t)PT_MIN(a->frames.max_stack, (uint64_t)127);
}

/* Reads folded lines, a recording, or a live session until its end. Then names the samples. */
static void gather(struct run *r)
{
	const char *text = pt_analysis_text(&r->an);
	struct pt_frames_opts frames = r->a->frames;
	const struct pt_record *rec;
	bool begun = false;

	r->is_folded = text != NULL;
	if (r->is_folded && (r->a->stats || r->a->tasks || r->a->latency))
		pt_usage(&tool,
			 "--stats, --tasks and --latency need a recording, not folded stacks");
	if (r->is_folded) {
		start(r, NULL);
		r->folded = (struct pt_foldedin){ .line = take_line, .ctx = r };
		r->an.rc = pt_foldedin_read(&tool, &r->folded, r->an.input, text, &r->an.err);
	} else {
		watch_of(r->a, &r->an.watch->watch);
		pt_analysis_open(&r->an, pt_sampling_default_event());
		frames.live = r->an.live;
		pt_analysis_archives(&r->an, &frames);
		start(r, &frames);
		pt_frames_set_enough(pt_gather_frames(r->gather), pt_interrupt_came,
				     r->an.interrupt);
		while (pt_analysis_next(&r->an, &rec)) {
			if (!begun && r->a->header)
				pt_script_header(r->an.src, 0, &r->an.text);
			begun = true;
			take_record(r, rec);
		}
	}
	pt_gather_name(r->gather);
}

/* -- what is shown -- */

static bool is_wanted(void *ctx, const struct pt_profile *p, const struct pt_profile_row *row)
{
	struct args *a = ctx;

	return pt_table_row_is(p, row, PT_KEY_SYM, &a->symbols, &a->symbols_there) &&
	       pt_table_row_is(p, row, PT_KEY_DSO, &a->dsos, &a->dsos_there) &&
	       pt_table_row_is(p, row, PT_KEY_COMM, &a->comms, &a->comms_there);
}

/* A table: a profile, with others in columns beside it. */
struct shown {
	struct pt_profile *p, **others;
	size_t nr_others, cap_others;
	const struct pt_event *event;	/* NULL: folded stacks */
	struct pt_buf name;
};

static void print_head(struct run *r, const struct shown *x)
{
	struct pt_buf *b = &r->an.text;

	pt_buf_puts(b, "# Samples: ");
	pt_buf_thousands(b, pt_profile_samples(x->p));
	pt_buf_printf(b, " of %s'", r->is_folded ? "" : r->a->group ? "events " : "event ");
	pt_text_plain(b, x->name.data, x->name.len);
	pt_buf_puts(b, "'\n# Event count (approx.): ");
	pt_buf_dec(b, pt_profile_periods(x->p, pt_profile_total(x->p)));
	pt_buf_puts(b, "\n#\n");
}

static void print_shown(struct run *r, const struct shown *x, const struct run *base)
{
	struct args *a = r->a;
	struct pt_table_opts o = a->fields;

	o.min_percent = a->min_percent;
	o.sep = a->sep;
	o.columns = pt_tty_columns(a->output);
	o.wanted = is_wanted;
	o.ctx = a;
	o.others = x->others;
	o.nr_others = x->nr_others;
	o.latency = a->latency;
	o.base = a->base ? pt_gather_same(base->gather, x->p, x->event) : NULL;
	if (a->base && !o.base) {
		pt_warn(&tool, "%s has no samples of %s to compare with", a->base, x->name.data);
		r->an.rc = r->an.rc ? r->an.rc : pt_err_set(&r->an.err, "nothing was compared");
		return;
	}
	if (!o.nr_fields)
		pt_table_usual(&o, x->p, a->samples, a->period, &a->sort);
	if (a->json) {
		(a->hierarchy ? pt_hierarchy_json : pt_table_json)(&o, x->p, x->name.data,
								   &r->an.text);
		return;
	}
	print_head(r, x);
	(a->hierarchy ? pt_hierarchy_print : pt_table_print)(
		&o, x->p, a->calls.form == PT_CALLTREE_NONE ? NULL : &a->calls, &r->an.text);
	pt_buf_putc(&r->an.text, '\n');
}

static void put_beside(struct shown *x, struct pt_profile *p)
{
	PT_GROW(x->others, x->nr_others, x->cap_others);
	x->others[x->nr_others++] = p;
}

/* Prints the table of event i, with --group of its whole group; nothing if an earlier event has
 * printed it. */
static void print_event(struct run *r, size_t i, const struct run *base)
{
	struct shown x = { .p = pt_gather_profile(r->gather, i, &x.event) };
	const struct pt_event *event;
	struct pt_profile *p;
	bool beside = !x.p;

	pt_buf_puts(&x.name, x.event ? x.event->name : "folded stacks");
	for (size_t k = 0; r->a->group && x.event && k < pt_gather_nr(r->gather); k++) {
		p = pt_gather_profile(r->gather, k, &event);
		if (!p || k == i || event->leader != x.event->leader)
			continue;
		beside |= k < i;
		put_beside(&x, p);
		pt_buf_printf(&x.name, ", %s", event->name);
	}
	if (r->a->latency && x.p) {
		put_beside(&x, x.p);
		x.p = pt_gather_wall(r->gather, i);
	}
	if (!beside)
		print_shown(r, &x, base);
	pt_buf_deinit(&x.name);
	free(x.others);
}

static void tell(struct run *r)
{
	pt_analysis_offer(&r->an, "--symbols", &r->a->symbols_there);
	pt_analysis_offer(&r->an, "--dsos", &r->a->dsos_there);
	pt_analysis_offer(&r->an, "--comms", &r->a->comms_there);
	if (r->is_folded) {
		pt_warn_stacks(&tool, &r->folded.note);
		pt_warn_count(&tool, pt_gather_rounded(r->gather), "line has", "lines have",
			      "a count that is no whole number, and is rounded");
		return;
	}
	if (r->stats)
		return;
	pt_stacknote_end(&r->note, r->an.src);
	pt_stacknote_say(&r->note, &tool, pt_gather_frames(r->gather));
}

/* -- running -- */

static int end(struct run *r)
{
	int rc = pt_analysis_end(&r->an);

	pt_gather_free(r->gather);
	pt_stats_free(r->stats);
	pt_stacknote_deinit(&r->note);
	return rc;
}

static bool has_switches(const struct pt_source *src)
{
	for (size_t i = 0; i < pt_source_nr_events(src); i++)
		if (pt_source_event(src, i)->attr.flags & PT_ATTR_CONTEXT_SWITCH)
			return true;
	return false;
}

static void print(struct run *r, const struct run *base)
{
	struct pt_err e = PT_ERR_INIT;

	pt_analysis_output(&r->an, r->a->output);
	if (r->a->stats)
		pt_stats_print(r->stats, r->an.src, r->a->json, &r->an.text);
	if (r->a->tasks)
		pt_stats_tasks(r->stats, r->a->json, &r->an.text);
	if (r->a->latency && !has_switches(r->an.src)) {
		pt_err_set(&e, "--latency: the recording has no records of context switches (perf record --switch-events)");
		pt_analysis_fail(&r->an, &e);
	} else {
		for (size_t i = 0; i < pt_gather_nr(r->gather); i++)
			print_event(r, i, base);
	}
	pt_analysis_print(&r->an);
}

static void check(struct args *a)
{
	const unsigned lines = 1u << PT_KEY_SRCLINE | 1u << PT_KEY_SRCFILE;
	unsigned keys = pt_table_keys(&a->sort) | pt_table_keys(&a->fields);

	if (a->children && a->no_children)
		pt_usage(&tool, "--children and --no-children: one of them");
	if (!!a->base + a->hierarchy + a->group + a->latency + (a->stats || a->tasks) > 1)
		pt_usage(&tool,
			 "--base, --hierarchy, --group, --latency, --stats and --tasks: one of them");
	if (a->hierarchy &&
	    (a->sep || a->children || pt_table_has(&a->fields, PT_FIELD_TOTAL)))
		pt_usage(&tool, "--hierarchy has neither callers nor -t");
	if (!a->base && (pt_table_has(&a->fields, PT_FIELD_BASE) ||
			 pt_table_has(&a->fields, PT_FIELD_DELTA)))
		pt_usage(&tool, "-F baseline and delta go with --base");
	if (keys && ((a->symbols.nr && !(keys & 1u << PT_KEY_SYM)) ||
		     (a->dsos.nr && !(keys & 1u << PT_KEY_DSO)) ||
		     (a->comms.nr && !(keys & 1u << PT_KEY_COMM))))
		pt_usage(&tool, "-S, -d and -c need the keys sym, dso and comm in -s");
	if (regcomp(&a->parents, a->parent, REG_EXTENDED | REG_NOSUB))
		pt_usage(&tool, "--parent %s: not a regular expression", a->parent);
	if (a->sep && !*a->sep)
		pt_usage(&tool, "-t: an empty separator");
	if (a->callers_first)
		a->calls.order = PT_CALLTREE_CALLER;
	if (a->callers_first && a->calls.form == PT_CALLTREE_NONE)
		a->calls.form = PT_CALLTREE_GRAPH;
	a->frames.lines = keys & lines;
}

int main(int argc, char **argv)
{
	static struct args a = { .min_percent = 0.5,
				 .quantum_ns = 100000000,
				 .parent = "^sys_|^do_page_fault",
				 .calls = { .min_percent = 0.5 },
				 .call_graph = { .wanted = true, .how = "dwarf" } };
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) }, base = r;
	struct pt_watch_args not_live = { .given = NULL };
	struct pt_input_args old = { .file = NULL };
	int rc, base_rc = 0;

	pt_analysis_parse(&r.an, argc, argv, &a);
	check(&a);
	pt_symbols_ready(&tool, &a.frames);
	old.file = a.base;
	base.an.watch = &not_live;
	base.an.input = &old;
	pt_analysis_choose(&r.an);
	if (a.base)
		gather(&base);
	gather(&r);
	print(&r, &base);
	tell(&r);
	if (a.base)
		base_rc = end(&base);
	rc = end(&r);
	regfree(&a.parents);
	return rc ? rc : base_rc;
}
