/* pt-annotate - the instructions and source lines of functions, with their share of the samples. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/opt.h"
#include "cli/symbols.h"
#include "event/open.h"
#include "profile/codetext.h"

enum { DEFAULT_HZ = 999 };

/* Without a symbol, the hottest functions are shown, up to this share of the samples. */
static const double half = 0.5;

struct args {
	const char *dso, *output;
	struct pt_strs symbols;
	bool json;
	int intel;			/* -M */
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

static const struct pt_word syntaxes[] = { PT_WORD("att", false), PT_WORD("intel", true), { 0 } };

static const struct pt_opt own[] = {
	PT_ROW('s', "symbol", "NAME",
	       "show this function (as the operand SYMBOL); * and ? are wildcards",
	       PT_OPT_LIST, symbols),
	PT_ROW('d', "dso", "FILE", "only functions of this program or library", PT_OPT_STR, dso),
	PT_ROW(0, "dsos", "FILE", NULL, PT_OPT_STR, dso),
	PT_ROW_FLAG('n', "show-nr-samples", "sample counts instead of percentages",
		    text.samples),
	PT_ROW(0, "percent-type", "TYPE",
	       "local-period (of the function), global-period (of all), local-hits, global-hits",
	       PT_OPT_WORD, text.percent, .words = percent_types),
	PT_ROW_FLAG('l', "print-line", "print file and line where they change", text.places),
	PT_ROW_FLAG(0, "lines", "source lines only, no instructions", text.lines),
	PT_ROW_FLAG(0, "no-source", "instructions only, no source", text.no_source),
	PT_ROW_FLAG(0, "asm-raw", "the bytes of each instruction", text.raw),
	PT_ROW('M', "disassembler-style", "SYNTAX", "att (default) or intel",
	       PT_OPT_WORD, intel, .words = syntaxes),
	PT_ROW_FLAG(0, "blocks", "group by basic blocks, the hottest loop first", text.blocks),
	PT_ROW(0, "source", "DIR", "look for source files in DIR first", PT_OPT_STR,
	       text.source_dir),
	PT_ROW(0, "prefix", "PREFIX", "prepend PREFIX to absolute paths of source files",
	       PT_OPT_STR, text.prefix),
	PT_ROW(0, "prefix-strip", "N", "first remove N leading folders from these paths",
	       PT_OPT_U64, text.prefix_strip, .max = 1000),
	PT_ROW_JSON("one JSON object per instruction or source line"),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-annotate",
	.forms = PT_LINES(
		"[OPTION...] [FILE...] [SYMBOL]",
		"[OPTION...] -s SYMBOL [-e EVENT] [-p PID] [-- COMMAND [ARG...]]"),
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"perf record -- ./prog && pt-annotate",
		"pt-annotate -i prog.data work",
		"pt-annotate --lines -s work",
		"pt-annotate -M intel -- ./prog"),
};

struct section { const struct pt_event *event; struct pt_codes *codes; };

struct run {
	struct args *a;
	struct pt_analysis an;
	struct section *sections;	/* by the event's index */
	size_t nr_sections;
	size_t shown;
	struct pt_offer dsos_there;	/* that --dso chose from */
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
	const struct pt_place_at *const *places;
	struct pt_frames_how how;
	size_t nr;

	if (rec->type != PERF_RECORD_SAMPLE || !rec->event || rec->event->side_band ||
	    !pt_choose_sample(&r->a->choose, rec, pt_analysis_comm(&r->an, rec)))
		return;
	nr = pt_frames_places(r->an.frames, rec, &places, &how);
	pt_codes_add(codes_of(r, rec->event), places, nr,
		     (struct pt_weight){ pt_record_period(rec), 1 });
}

/* -- what is shown -- */

static const char *base_name(const char *path)
{
	return path ? pt_text_base(path) : "[unknown]";
}

/* The length without the suffixes of a compiler's parts and clones: .cold, .constprop.0. Other
 * points belong to the name: Go's main.hot is no part of main. */
static size_t len_of_whole(const char *name)
{
	static const char *const made[] = { "cold", "part", "constprop", "isra", "lto_priv",
					    "localalias", "llvm", "__uniq", "specialized",
					    "_omp_fn", "omp_outlined", "resolver", "default",
					    "avx", "avx2", "avx512f", "arch_" };

	for (const char *p = name; (p = strchr(p, '.')); p++)
		for (size_t i = 0; i < PT_NR(made); i++) {
			size_t len = strlen(made[i]);

			if (!strncmp(p + 1, made[i], len) &&
			    (made[i][len - 1] == '_' || !p[1 + len] || p[1 + len] == '.'))
				return (size_t)(p - name);
		}
	return strlen(name);
}

static bool is_wanted(struct run *r, const struct pt_code_function *x)
{
	const struct args *a = r->a;
	char *base = pt_strndup(x->name, len_of_whole(x->name));
	bool named = !a->symbols.nr;

	for (size_t i = 0; i < a->symbols.nr && !named; i++)
		named = pt_text_glob(a->symbols.v[i], x->name) ||
			pt_text_glob(a->symbols.v[i], base);
	free(base);
	return named && (!a->dso || pt_offer_note(&r->dsos_there, base_name(x->dso),
						  !strcmp(a->dso, base_name(x->dso)) ||
						  (x->dso && !strcmp(a->dso, x->dso))));
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

/* So many functions that cannot be shown are named, those with most samples. */
enum { MAX_REASONS = 3 };

static void show_section(struct run *r, const struct section *s)
{
	struct pt_weight total = pt_codes_total(s->codes), sum = { 0, 0 }, hidden = { 0, 0 };
	const struct pt_code_function *x;
	struct pt_codetext *t;
	struct pt_err e = PT_ERR_INIT;
	bool all = r->a->symbols.nr;
	uint64_t nr_hidden = 0;

	pt_codes_name(s->codes, r->an.frames);
	t = pt_codetext_new(&r->a->text, r->an.frames, total);
	for (size_t i = 0; (x = pt_codes_at(s->codes, i)); i++) {
		if (!is_wanted(r, x))
			continue;
		if (!all && (double)sum.period >= half * (double)(total.period - hidden.period))
			break;
		if (show(r, t, s, x, &e)) {
			sum.period += x->all.period;
			continue;
		}
		nr_hidden++;
		if (all || nr_hidden <= MAX_REASONS)
			pt_warn(&tool, "%s in %s (%llu sample%s) is not shown: %s", x->name,
				base_name(x->dso), (unsigned long long)x->all.samples,
				x->all.samples == 1 ? "" : "s", e.msg);
		hidden.period += x->all.period;
		hidden.samples += x->all.samples;
	}
	if (!all && nr_hidden > MAX_REASONS)
		pt_warn(&tool, "in all, %llu functions (%llu samples) are not shown",
			(unsigned long long)nr_hidden, (unsigned long long)hidden.samples);
	pt_codetext_free(t);
}

static bool tracepoints(const struct run *r)
{
	for (size_t i = 0; i < pt_source_nr_events(r->an.src); i++)
		if (pt_source_event(r->an.src, i)->tp)
			return true;
	return false;
}

static void show_all(struct run *r)
{
	uint64_t samples = 0;

	pt_frames_settle(r->an.frames);
	for (size_t i = 0; i < r->nr_sections; i++) {
		if (!r->sections[i].codes)
			continue;
		samples += pt_codes_total(r->sections[i].codes).samples;
		show_section(r, &r->sections[i]);
	}
	pt_analysis_offer(&r->an, "--dso", &r->dsos_there);
	if (r->shown || r->an.rc < 0 || pt_offer_refused(&r->dsos_there) ||
	    (!samples && pt_analysis_emptied(&r->an)))
		return;
	r->an.rc = -1;
	if (!samples)
		pt_err_set(&r->an.err, "no samples of code%s", tracepoints(r) ?
			   ": tracepoints have none (pt-script and pt-report print them)" : "");
	else if (r->a->symbols.nr)
		pt_err_set(&r->an.err, "no code of %s has samples%s (pt-report lists what has)",
			   r->a->symbols.v[0],
			   strchr(r->a->symbols.v[0], '.') ? ", nor is there such a file" : "");
	else
		pt_err_set(&r->an.err, "no function with samples can be shown");
}

/* -- running -- */

/* Removes the operand that names a symbol: the last of several, if it is no recording; a single
 * one, if it is no file; with -i the only one. */
static void take_symbol(struct args *a, struct pt_operands *o)
{
	const char *last = o->nr ? o->v[o->nr - 1] : "-";
	bool is_file = !strcmp(last, "-") ||
		       (o->nr > 1 ? pt_source_is_recording(last) : !access(last, F_OK));

	if (pt_watch_asked(&a->watch) || o->dashes || (a->input.file ? o->nr != 1 : is_file))
		return;
	pt_strs_add(&a->symbols, o->v[--o->nr]);
}

int main(int argc, char **argv)
{
	static struct args a;
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	const struct pt_record *rec;

	pt_analysis_parse(&r.an, argc, argv, &a);
	pt_symbols_ready(&tool, &a.frames);
	/* source lines are needed even with --no-inline */
	a.frames.lines = a.frames.no_inline;
	a.watch.watch.default_freq = DEFAULT_HZ;
	a.watch.watch.want_maps = a.watch.watch.want_build_ids = true;
	a.watch.watch.no_kernel_map = !a.frames.vmlinux;
	a.text.intel = a.intel;
	if (a.text.prefix_strip && !a.text.prefix)
		pt_usage(&tool, "--prefix-strip: needs --prefix");
	pt_analysis_choose(&r.an);
	take_symbol(&a, &r.an.operands);
	pt_analysis_open(&r.an, pt_sampling_default_event());
	pt_analysis_output(&r.an, a.output);
	r.an.tasks = pt_tasks_new();
	pt_analysis_frames(&r.an, &a.frames);
	while (pt_analysis_next(&r.an, &rec))
		add_sample(&r, rec);
	show_all(&r);
	pt_analysis_print(&r.an);
	pt_symbols_tell(&tool, r.an.frames);
	for (size_t i = 0; i < r.nr_sections; i++)
		pt_codes_free(r.sections[i].codes);
	free(r.sections);
	return pt_analysis_end(&r.an);
}
