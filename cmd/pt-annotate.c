/* pt-annotate - the instructions and source lines of functions, with their share of the samples. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/symbols.h"
#include "event/open.h"
#include "profile/codetext.h"
#include "stack/frames.h"
#include "task/tasks.h"

enum { DEFAULT_HZ = 999 };

/* Without a symbol, functions are shown until they have so much of all. */
static const double half = 0.5;

struct args {
	const char *dso, *syntax, *output;
	struct pt_strs symbols;
	bool json;
	struct pt_codetext_opts text;
	struct pt_frames_opts frames;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_word percent_types[] = {
	PT_WORD("local-period", PT_PERCENT_LOCAL_PERIOD),
	PT_WORD("global-period", PT_PERCENT_GLOBAL_PERIOD),
	PT_WORD("local-hits", PT_PERCENT_LOCAL_HITS),
	PT_WORD("global-hits", PT_PERCENT_GLOBAL_HITS),
	{ 0 }
};

static int opt_syntax(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	if (strcmp(arg, "intel") && strcmp(arg, "att"))
		return pt_err_set(e, "'%s' is none of att, intel", arg);
	a->text.intel = !strcmp(arg, "intel");
	return 0;
}

static const struct pt_opt own[] = {
	PT_ROW('s', "symbol", "NAME", "this function, as the operand SYMBOL; * and ? match",
	       PT_OPT_LIST, symbols),
	PT_ROW('d', "dso", "FILE", "only functions of this program or library", PT_OPT_STR, dso),
	PT_ROW(0, "dsos", "FILE", NULL, PT_OPT_STR, dso),
	PT_ROW('n', "show-nr-samples", NULL, "numbers of samples in place of percentages",
	       PT_OPT_FLAG, text.samples),
	PT_ROW(0, "percent-type", "TYPE",
	       "local-period (of the function), global-period (of all), local-hits, global-hits",
	       PT_OPT_WORD, text.percent, .words = percent_types),
	PT_ROW('l', "print-line", NULL, "file and line of each change", PT_OPT_FLAG, text.places),
	PT_ROW(0, "lines", NULL, "lines of source alone, no instructions", PT_OPT_FLAG,
	       text.lines),
	PT_ROW(0, "no-source", NULL, "instructions alone", PT_OPT_FLAG, text.no_source),
	PT_ROW(0, "asm-raw", NULL, "the bytes of each instruction", PT_OPT_FLAG, text.raw),
	PT_ROW_CALL('M', "disassembler-style", "SYNTAX", "operands as att (unless given) or intel",
		    opt_syntax),
	PT_ROW(0, "blocks", NULL, "basic blocks, those of the hottest loop first", PT_OPT_FLAG,
	       text.blocks),
	PT_ROW(0, "source", "DIR", "look for source files in DIR first", PT_OPT_STR,
	       text.source_dir),
	PT_ROW(0, "prefix", "PREFIX", "put PREFIX before absolute paths of source files",
	       PT_OPT_STR, text.prefix),
	PT_ROW(0, "prefix-strip", "N", "take N folders from their beginning first", PT_OPT_U64,
	       text.prefix_strip, .max = 1000),
	PT_ROW('j', "json", NULL, "an object of JSON an instruction, or a line", PT_OPT_FLAG, json),
	PT_ROW('o', "output", "FILE", "write there instead of standard output", PT_OPT_STR, output),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-annotate",
	.purpose = "instructions and source lines with their share of the samples",
	.forms =
		(const char *const[]){ "[OPTION...] [FILE] [SYMBOL]",
				       "[OPTION...] -s SYMBOL [-e EVENT] [-p PID] [-- COMMAND [ARG...]]",
				       NULL },
	.groups = (const struct pt_opt_group[]){ { "Output", own, 0 },
						 { "Symbols", pt_opts_symbols,
						   offsetof(struct args, frames) },
						 { "Choosing samples", pt_opts_choose,
						   offsetof(struct args, choose) },
						 { "Reading", pt_opts_input,
						   offsetof(struct args, input) },
						 { "Live", pt_opts_watch,
						   offsetof(struct args, watch) },
						 { NULL, NULL, 0 } },
	.examples = (const char *const[]){ "perf record -- ./prog && pt-annotate",
					   "pt-annotate -i prog.data work", "pt-annotate --lines -s work",
					   "pt-annotate -M intel -- ./prog", NULL },
};

struct section { const struct pt_event *event; struct pt_codes *codes; };

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_tasks *tasks;
	struct pt_frames *frames;
	struct section *sections;	/* by the event's index */
	size_t nr_sections;
	size_t shown;
};

/* -- samples -- */

static struct pt_codes *codes_of(struct run *r, const struct pt_event *event)
{
	size_t nr = r->nr_sections;

	if (event->index >= nr) {
		r->nr_sections = event->index + 1;
		r->sections = pt_realloc(r->sections, r->nr_sections, sizeof(*r->sections));
		memset(r->sections + nr, 0, (r->nr_sections - nr) * sizeof(*r->sections));
	}
	if (!r->sections[event->index].codes)
		r->sections[event->index] = (struct section){ event, pt_codes_new() };
	return r->sections[event->index].codes;
}

static void add_sample(struct run *r, const struct pt_record *rec)
{
	const char *comm =
		rec->has & PERF_SAMPLE_TID ? pt_tasks_comm(r->tasks, rec->pid, rec->tid) : "?";
	const struct pt_place_at *const *places;
	struct pt_frames_how how;
	size_t nr;

	if (!pt_choose_sample(&r->a->choose, rec, comm))
		return;
	nr = pt_frames_places(r->frames, rec, &places, &how);
	pt_codes_add(codes_of(r, rec->event), places, nr,
		     (struct pt_weight){ pt_record_period(rec), 1 });
}

static void see(struct run *r, const struct pt_record *rec)
{
	pt_frames_feed(r->frames, r->an.src, rec);
	if (rec->type != PERF_RECORD_SAMPLE)
		pt_tasks_see(r->tasks, rec);
	else if (rec->event && !rec->event->side_band)
		add_sample(r, rec);
}

/* -- what is shown -- */

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "[unknown]";
}

static bool is_wanted(const struct args *a, const struct pt_code_function *x)
{
	/* without what a compiler adds to the names of parts and clones: .cold, .constprop.0 */
	char *base = pt_strndup(x->name, strcspn(x->name, "."));
	bool named = !a->symbols.nr;

	for (size_t i = 0; i < a->symbols.nr && !named; i++)
		named = pt_text_glob(a->symbols.v[i], x->name) ||
			pt_text_glob(a->symbols.v[i], base);
	free(base);
	return named && (!a->dso || !strcmp(a->dso, base_name(x->dso)) ||
			 (x->dso && !strcmp(a->dso, x->dso)));
}

static bool show(struct run *r, struct pt_codetext *t, const struct section *s,
		 const struct pt_code_function *x, struct pt_err *e)
{
	int rc;

	if (x->why)
		rc = pt_err_set(e, "%s", x->why);
	else
		rc = r->a->json ? pt_codetext_json(t, x, s->event->name, &r->an.text, e)
				: pt_codetext_print(t, x, s->event->name, &r->an.text, e);
	r->shown += rc == 0;
	return rc == 0;
}

/* Why functions are not shown is told of so many, those with most samples. */
enum { MAX_REASONS = 3 };

static void show_section(struct run *r, const struct section *s)
{
	struct pt_weight total = pt_codes_total(s->codes), sum = { 0, 0 }, hidden = { 0, 0 };
	const struct pt_code_function *x;
	struct pt_codetext *t;
	struct pt_err e = PT_ERR_INIT;
	bool all = r->a->symbols.nr;
	uint64_t nr_hidden = 0;

	pt_codes_name(s->codes, r->frames);
	t = pt_codetext_new(&r->a->text, r->frames, total);
	for (size_t i = 0; (x = pt_codes_at(s->codes, i)); i++) {
		if (!is_wanted(r->a, x))
			continue;
		if (!all && (double)sum.period >= half * (double)(total.period - hidden.period))
			break;
		if (show(r, t, s, x, &e)) {
			sum.period += x->all.period;
			continue;
		}
		nr_hidden++;
		if (all || nr_hidden <= MAX_REASONS)
			pt_warn(&tool, "%s in %s (%llu samples) is not shown: %s", x->name,
				base_name(x->dso), (unsigned long long)x->all.samples, e.msg);
		hidden.period += x->all.period;
		hidden.samples += x->all.samples;
	}
	if (!all && nr_hidden > MAX_REASONS)
		pt_warn(&tool, "%llu functions (%llu samples) in all are not shown",
			(unsigned long long)nr_hidden, (unsigned long long)hidden.samples);
	pt_codetext_free(t);
}

static void show_all(struct run *r)
{
	uint64_t samples = 0;

	pt_frames_settle(r->frames);
	for (size_t i = 0; i < r->nr_sections; i++) {
		if (!r->sections[i].codes)
			continue;
		samples += pt_codes_total(r->sections[i].codes).samples;
		show_section(r, &r->sections[i]);
	}
	if (r->shown || r->an.rc < 0)
		return;
	r->an.rc = -1;
	if (!samples)
		pt_err_set(&r->an.err, "no samples");
	else if (r->a->symbols.nr)
		pt_err_set(&r->an.err, "no code of %s has samples (pt-report lists what has)",
			   r->a->symbols.v[0]);
	else
		pt_err_set(&r->an.err, "no function with samples can be shown");
}

/* -- running -- */

/* The operand behind the recording is a symbol; also an only one that is no file, as in perf. It is
 * taken away. */
static void take_symbol(struct args *a, int *argc, char **argv, int first)
{
	int nr = *argc - first;
	bool file = nr && (!strcmp(argv[first], "-") || !access(argv[first], F_OK));

	if (a->watch.given || pt_opt_had_dashes(*argc, argv, first) ||
	    (nr == 1 ? file && !a->input.file : nr != 2 || !file || a->input.file))
		return;
	PT_GROW(a->symbols.v, a->symbols.nr, a->symbols.cap);
	a->symbols.v[a->symbols.nr++] = argv[--*argc];
}

int main(int argc, char **argv)
{
	static struct args a;
	struct run r = { .a = &a, .an = { .tool = &tool, .choose = &a.choose } };
	const struct pt_record *rec;
	int first = pt_opt_parse(&tool, argc, argv, &a);

	pt_symbols_ready(&tool, &a.frames);
	/* --no-inline alone would leave out the reader of source lines */
	a.frames.lines = a.frames.no_inline;
	a.watch.watch.default_freq = DEFAULT_HZ;
	a.watch.watch.want_maps = a.watch.watch.want_build_ids = true;
	a.watch.watch.no_kernel_map = !a.frames.vmlinux;
	if (a.text.prefix_strip && !a.text.prefix)
		pt_usage(&tool, "--prefix-strip: needs --prefix");
	take_symbol(&a, &argc, argv, first);
	pt_analysis_open(&r.an, &a.watch, &a.input, argc, argv, first,
			 pt_sampling_default_event());
	pt_analysis_output(&r.an, a.output);
	a.frames.live = r.an.live;
	r.tasks = pt_tasks_new();
	r.frames = pt_frames_new(&a.frames);
	pt_frames_set_enough(r.frames, pt_interrupt_came, r.an.interrupt);
	while (pt_analysis_next(&r.an, &rec))
		see(&r, rec);
	show_all(&r);
	pt_analysis_print(&r.an);
	pt_symbols_tell(&tool, r.frames);
	for (size_t i = 0; i < r.nr_sections; i++)
		pt_codes_free(r.sections[i].codes);
	free(r.sections);
	pt_frames_free(r.frames);
	pt_tasks_free(r.tasks);
	return pt_analysis_end(&r.an);
}
