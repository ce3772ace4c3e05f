/* pt-report - a profile as a table: how much of all was spent in each function, and in what it
 * calls. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/content.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/stacknote.h"
#include "cli/symbols.h"
#include "cli/textin.h"
#include "cli/tty.h"
#include "event/sampling.h"
#include "profile/gather.h"
#include "profile/table.h"
#include "script/script.h"

enum { DEFAULT_HZ = 99 };

struct args {
	const char *sep, *output, *base, *parent;
	struct pt_table_opts sort, fields;	/* of -s and -F */
	bool samples, period, children, no_children, callers_first, json, header, each_address;
	uint64_t quantum_ns;		/* of the key `time` */
	regex_t parents;
	double min_percent;
	struct pt_strs symbols, dsos, comms;
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

static int opt_percent_limit(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	if (pt_num_double(arg, &a->min_percent, e) < 0)
		return -1;
	return a->min_percent < 0 || a->min_percent > 100 ? pt_err_set(e, "from 0 to 100") : 0;
}

static const struct pt_opt own[] = {
	PT_ROW_CALL('s', "sort", "KEYS",
		    "a row for each comm, pid, tid, cpu, cgroup, time, trace, parent, dso, sym, srcline, srcfile; several: a,b",
		    opt_sort),
	PT_ROW_CALL('F', "fields", "FIELDS",
		    "these columns: overhead, overhead_children, sample, period, and keys as of -s",
		    opt_fields),
	PT_ROW('n', "show-nr-samples", NULL, "a column of samples", PT_OPT_FLAG, samples),
	PT_ROW(0, "show-total-period", NULL, "a column of periods (the event's counts)",
	       PT_OPT_FLAG, period),
	PT_ROW(0, "children", NULL, "rows for callers, too (unless given: where there are stacks)",
	       PT_OPT_FLAG, children),
	PT_ROW(0, "no-children", NULL, "only what was spent in a function itself", PT_OPT_FLAG,
	       no_children),
	PT_ROW_CALL('g', "call-graph", "[HOW]",
		    "calls below each row: graph, fractal, flat, folded; least percentage; caller or callee; percent, period or count",
		    opt_calls),
	PT_ROW('G', "inverted", NULL, "callers first, as -g caller", PT_OPT_FLAG, callers_first),
	PT_ROW_CALL(0, "percent-limit", "N", "leave out rows below N % (0.5)", opt_percent_limit),
	PT_ROW(0, "parent", "REGEX",
	       "-s parent: the innermost function on the stack that it matches", PT_OPT_STR,
	       parent),
	PT_ROW(0, "time-quantum", "TIME", "-s time: so long a time is one row (100ms)",
	       PT_OPT_MSEC, quantum_ns, .min = 1),
	PT_ROW(0, "base", "OLD", "what changed since this recording, or these folded lines",
	       PT_OPT_STR, base),
	PT_ROW(0, "no-gather", NULL, "a row for each address that has no name", PT_OPT_FLAG,
	       each_address),
	PT_ROW('t', "field-separator", "SEP", "fields with SEP between them, not aligned",
	       PT_OPT_STR, sep),
	PT_ROW('j', "json", NULL, "an object of JSON a row", PT_OPT_FLAG, json),
	PT_ROW(0, "header", NULL, "first what the recording says of its machine", PT_OPT_FLAG,
	       header),
	PT_ROW('o', "output", "FILE", "write there instead of standard output", PT_OPT_STR, output),
	PT_ROW_HABIT(0, "stdio", NULL),
	PT_ROW_HABIT('f', "force", NULL),
	PT_ROW_HABIT('q', "quiet", NULL),
	PT_ROW_HABIT('v', "verbose", NULL),
	{ 0 }
};

static const struct pt_opt rows[] = {
	PT_ROW('S', "symbols", "NAMES", "only rows of these functions; * and ? match",
	       PT_OPT_LIST, symbols),
	PT_ROW('d', "dsos", "FILES", "only rows of these programs and libraries", PT_OPT_LIST,
	       dsos),
	PT_ROW('c', "comms", "NAMES", "only rows of these commands", PT_OPT_LIST, comms),
	{ 0 }
};

static const struct pt_opt live[] = {
	PT_ROW(0, "stack-size", "BYTES",
	       "of each stack that is copied to be unwound (16K), up to 65528", PT_OPT_SIZE,
	       call_graph.stack_bytes, .min = 1, .max = PT_CALL_GRAPH_MAX_BYTES),
	{ 0 }
};

static struct pt_opt watch_rows[32];

static const struct pt_tool tool = {
	.name = "pt-report",
	.purpose = "a profile as a table of functions",
	.forms =
		(const char *const[]){
			"[OPTION...] [FILE | -]",
			"[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]", NULL },
	.groups = (const struct pt_opt_group[]){ { "Output", own, 0 },
						 { "Rows", rows, 0 },
						 { "Symbols", pt_opts_symbols,
						   offsetof(struct args, frames) },
						 { "Choosing samples", pt_opts_choose,
						   offsetof(struct args, choose) },
						 { "Reading", pt_opts_input,
						   offsetof(struct args, input) },
						 { "Live", watch_rows,
						   offsetof(struct args, watch) },
						 { "Live, stacks", live, 0 },
						 { NULL, NULL, 0 } },
	.examples = (const char *const[]){ "perf record -g -- make && pt-report",
					   "pt-report --no-children -g folded,0,caller,count -s comm",
					   "pt-report -s dso -a --for 10",
					   "pt-stack -a --for 10 | pt-report",
					   "pt-report --base old.data new.data", NULL },
};

struct run {				/* one input: the profile, or its base */
	struct args *a;
	struct pt_analysis an;
	bool folded;
	struct pt_gather *gather;
	struct pt_stacknote note;
	struct pt_foldnote folded_note;	/* what folded lines say of themselves */
	uint64_t lines, bad;		/* folded ones */
};

/* -- what is read -- */

static bool is_chosen(void *ctx, const struct pt_record *rec, const char *comm)
{
	const struct run *r = ctx;

	return !r->a->choose.any || pt_choose_sample(&r->a->choose, rec, comm);
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
				    .frames = frames,
				    .chosen = is_chosen,
				    .stack = note_stack,
				    .frame = note_frame,
				    .ctx = r };

	if (a->children || pt_table_has(&a->fields, PT_FIELD_TOTAL))
		o.callers = PT_CALLERS_ALWAYS;
	else if (a->no_children || a->base || a->fields.nr_fields)
		o.callers = PT_CALLERS_NEVER;
	r->gather = pt_gather_new(&o);
}

static void take_line(void *arg, const char *line, size_t len)
{
	struct run *r = arg;

	r->lines++;
	if (len && *line == '#')
		pt_foldnote_add(&r->folded_note, line, len);
	r->bad += !pt_gather_line(r->gather, line, len);
}

static int read_folded(struct run *r, const struct pt_input_args *in, const char *path,
		       struct pt_err *e)
{
	char *files[] = { (char *)path };
	struct pt_textin text = { .files = files, .nr = 1 };
	struct pt_lines lines = { .line = take_line, .arg = r };
	static char block[1 << 16];
	ssize_t n;

	pt_textin_start(&tool, &text);
	if (in->start_len)
		pt_lines_feed(&lines, in->start, in->start_len);
	while ((n = pt_textin_read(&text, block, sizeof(block), e)) > 0)
		pt_lines_feed(&lines, block, (size_t)n);
	pt_lines_end(&lines);
	pt_lines_deinit(&lines);
	path = strcmp(path, "-") ? path : "standard input";
	if (!r->lines && n == 0)
		return pt_err_set(e, "%s: empty", path);
	if (r->bad == r->lines && n == 0)
		return pt_err_set(e,
				  "%s: neither a recording nor folded stacks (FRAME;FRAME COUNT); pt-fold converts other tools' stacks",
				  path);
	if (r->bad)
		pt_warn(&tool,
			"%llu of %llu lines are no folded stacks (FRAME;FRAME COUNT); pt-fold converts other tools' stacks",
			(unsigned long long)r->bad, (unsigned long long)r->lines);
	return n < 0 ? -1 : 0;
}

static void watch_of(const struct args *a, struct pt_watch *w)
{
	w->default_freq = DEFAULT_HZ;
	w->want_maps = w->want_build_ids = true;
	w->no_kernel_map = !a->frames.vmlinux;
	if (!a->no_children || a->calls.form != PT_CALLTREE_NONE)
		pt_call_graph_watch(&a->call_graph, w);
	w->max_stack = (uint16_t)PT_MIN(a->frames.max_stack, (uint64_t)127);
}

/* Reads all: folded lines, a recording, or a live session until its end. Then names it. */
static void gather(struct run *r, struct pt_watch_args *w, struct pt_input_args *in, int argc,
		   char **argv, int first)
{
	const char *text = pt_content_text(w, in, argc, argv, first);
	struct pt_frames_opts frames = r->a->frames;
	const struct pt_record *rec;
	bool begun = false;

	r->folded = text != NULL;
	if (r->folded) {
		start(r, NULL);
		r->an.rc = read_folded(r, in, text, &r->an.err);
	} else {
		watch_of(r->a, &w->watch);
		pt_analysis_open(&r->an, w, in, argc, argv, first, pt_sampling_default_event());
		frames.live = r->an.live;
		start(r, &frames);
		pt_frames_set_enough(pt_gather_frames(r->gather), pt_interrupt_came,
				     r->an.interrupt);
		while (pt_analysis_next(&r->an, &rec)) {
			if (!begun && r->a->header)
				pt_script_header(r->an.src, 0, &r->an.text);
			begun = true;
			pt_gather_feed(r->gather, r->an.src, rec);
		}
	}
	pt_gather_name(r->gather);
}

/* -- what is shown -- */

/* `list`: one name, which may have commas in it, or several with commas between them. */
static bool matches(const char *list, const char *text)
{
	char *copy = pt_strdup(list), *save = NULL, *name;
	bool yes = pt_text_glob(list, text);

	for (name = strtok_r(copy, ",", &save); name && !yes; name = strtok_r(NULL, ",", &save))
		yes = pt_text_glob(name, text);
	free(copy);
	return yes;
}

static bool row_matches(const struct pt_strs *names, const struct pt_profile *p,
			const struct pt_profile_row *row, enum pt_profile_key key)
{
	struct pt_buf b = PT_BUF_INIT;
	bool yes = !names->nr;

	if (yes || !(pt_profile_keys(p) & 1u << key))
		return yes;
	pt_profile_cell(p, row, key, &b);
	for (size_t i = 0; i < names->nr && !yes; i++)
		yes = matches(names->v[i], pt_buf_str(&b));
	pt_buf_deinit(&b);
	return yes;
}

static bool is_wanted(void *ctx, const struct pt_profile *p, const struct pt_profile_row *row)
{
	const struct args *a = ctx;

	return row_matches(&a->symbols, p, row, PT_KEY_SYM) &&
	       row_matches(&a->dsos, p, row, PT_KEY_DSO) &&
	       row_matches(&a->comms, p, row, PT_KEY_COMM);
}

/* The base's samples of the same event, or the only ones that it has of this kind. */
static struct pt_profile *base_of(const struct run *base, const struct pt_profile *of,
				  const struct pt_event *event)
{
	struct pt_profile *only = NULL, *p;
	const struct pt_event *other;
	size_t nr = 0;

	for (size_t i = 0; i < pt_gather_nr(base->gather); i++) {
		p = pt_gather_profile(base->gather, i, &other);
		if (!p || !event != !other || pt_profile_keys(p) != pt_profile_keys(of))
			continue;
		if (event && !strcmp(event->name, other->name))
			return p;
		only = p;
		nr++;
	}
	return nr == 1 ? only : NULL;
}

static void print_head(struct run *r, const struct pt_profile *p, const char *event)
{
	struct pt_buf *b = &r->an.text;

	pt_buf_puts(b, "# Samples: ");
	pt_buf_thousands(b, pt_profile_samples(p));
	pt_buf_puts(b, r->folded ? " of '" : " of event '");
	pt_text_plain(b, event, strlen(event));
	pt_buf_puts(b, "'\n# Event count (approx.): ");
	pt_buf_dec(b, pt_profile_total(p));
	pt_buf_puts(b, "\n#\n");
}

static void print_profile(struct run *r, struct pt_profile *p, const struct pt_event *event,
			  const struct run *base)
{
	struct args *a = r->a;
	const char *name = event ? event->name : "folded stacks";
	struct pt_table_opts o = a->fields;

	o.min_percent = a->min_percent;
	o.sep = a->sep;
	o.columns = pt_tty_columns(a->output);
	o.wanted = is_wanted;
	o.ctx = a;
	o.base = a->base ? base_of(base, p, event) : NULL;
	if (a->base && !o.base) {
		pt_warn(&tool, "%s has no samples of %s to compare with", a->base, name);
		r->an.rc = r->an.rc ? r->an.rc : pt_err_set(&r->an.err, "nothing was compared");
		return;
	}
	if (!o.nr_fields)
		pt_table_usual(&o, p, a->samples, a->period, &a->sort);
	if (a->json) {
		pt_table_json(&o, p, name, &r->an.text);
		return;
	}
	print_head(r, p, name);
	pt_table_print(&o, p, a->calls.form == PT_CALLTREE_NONE ? NULL : &a->calls, &r->an.text);
	pt_buf_putc(&r->an.text, '\n');
}

static void tell(struct run *r)
{
	if (r->folded) {
		pt_warn_stacks(&tool, &r->folded_note);
		return;
	}
	pt_stacknote_end(&r->note, r->an.src);
	pt_stacknote_say(&r->note, &tool, pt_gather_frames(r->gather));
}

/* -- running -- */

/* Folded lines have no analysis to end. */
static int end_folded(struct run *r, bool prints)
{
	struct pt_out *out = NULL;
	struct pt_err e = PT_ERR_INIT;

	if (prints && pt_out_open(&out, r->a->output, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (out && pt_out_buf(out, &r->an.text, &e) < 0 && r->an.rc == 0) {
		r->an.rc = -1;
		r->an.err = e;
	}
	pt_buf_deinit(&r->an.text);
	return pt_finish(&tool, NULL, out, r->an.rc, &r->an.err);
}

static int end(struct run *r, bool prints)
{
	int rc = r->folded ? end_folded(r, prints) : pt_analysis_end(&r->an);

	pt_gather_free(r->gather);
	pt_stacknote_deinit(&r->note);
	return rc;
}

static void print(struct run *r, const struct run *base)
{
	const struct pt_event *event;
	struct pt_profile *p;

	if (!r->folded)
		pt_analysis_output(&r->an, r->a->output);
	for (size_t i = 0; i < pt_gather_nr(r->gather); i++)
		if ((p = pt_gather_profile(r->gather, i, &event)))
			print_profile(r, p, event, base);
	if (!r->folded)
		pt_analysis_print(&r->an);
}

/* perf takes the word behind -g as its argument; getopt(3) only what is joined to it. */
static void join_call_graph(int *argc, char **argv)
{
	struct pt_calltree_opts o = { .form = PT_CALLTREE_NONE };

	for (int i = 1; i + 1 < *argc && strcmp(argv[i], "--"); i++) {
		if (strcmp(argv[i], "-g") || *argv[i + 1] == '-' ||
		    pt_calltree_parse(&o, argv[i + 1], NULL) < 0)
			continue;
		argv[i] = pt_asprintf("-g%s", argv[i + 1]);
		memmove(argv + i + 1, argv + i + 2, (size_t)(*argc - i - 1) * sizeof(*argv));
		(*argc)--;
	}
}

static void check(struct args *a)
{
	const unsigned lines = 1u << PT_KEY_SRCLINE | 1u << PT_KEY_SRCFILE;
	unsigned keys = pt_table_keys(&a->sort) | pt_table_keys(&a->fields);

	if (a->children && a->no_children)
		pt_usage(&tool, "--children and --no-children: one of them");
	if (!a->base && (pt_table_has(&a->fields, PT_FIELD_BASE) ||
			 pt_table_has(&a->fields, PT_FIELD_DELTA)))
		pt_usage(&tool, "-F baseline and delta go with --base");
	if (keys && ((a->symbols.nr && !(keys & 1u << PT_KEY_SYM)) ||
		     (a->dsos.nr && !(keys & 1u << PT_KEY_DSO)) ||
		     (a->comms.nr && !(keys & 1u << PT_KEY_COMM))))
		pt_usage(&tool, "-S, -d and -c choose rows by sym, dso and comm, which -s lacks");
	if (regcomp(&a->parents, a->parent, REG_EXTENDED | REG_NOSUB))
		pt_usage(&tool, "--parent %s: no regular expression", a->parent);
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
				 .call_graph = { "dwarf", PT_CALL_GRAPH_BYTES } };
	struct run r = { .a = &a, .an = { .tool = &tool, .choose = &a.choose } }, base = r;
	struct pt_watch_args none = { .given = NULL };
	struct pt_input_args old = { .file = NULL };
	int first, rc, base_rc = 0;

	pt_watch_rows_without(watch_rows, PT_NR(watch_rows), "FctG");
	join_call_graph(&argc, argv);
	first = pt_opt_parse(&tool, argc, argv, &a);
	check(&a);
	pt_symbols_ready(&tool, &a.frames);
	old.file = a.base;
	if (a.base)
		gather(&base, &none, &old, argc, argv, argc);
	gather(&r, &a.watch, &a.input, argc, argv, first);
	print(&r, &base);
	tell(&r);
	if (a.base)
		base_rc = end(&base, false);
	rc = end(&r, true);
	regfree(&a.parents);
	return rc ? rc : base_rc;
}
