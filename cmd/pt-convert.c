/* pt-convert - a recording, folded stacks or a live session as a file of another program: pprof,
 * Perfetto, speedscope, Firefox Profiler. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foldline.h"
#include "base/mem.h"
#include "base/newfile.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/foldedin.h"
#include "cli/losses.h"
#include "cli/pairs.h"
#include "cli/stacknote.h"
#include "cli/symbols.h"
#include "event/open.h"
#include "event/preset.h"
#include "export/firefox.h"
#include "export/perfetto.h"
#include "export/pprof.h"
#include "export/speedscope.h"
#include "profile/naming.h"

enum { DEFAULT_HZ = 99 };

enum form { FORM_BY_NAME, FORM_PPROF, FORM_PERFETTO, FORM_SPEEDSCOPE, FORM_FIREFOX };

struct args {
	enum form form;
	const char *output, *event;
	struct pt_frames_opts frames;
	struct pt_call_graph call_graph;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_word forms[] = { PT_WORD("pprof", FORM_PPROF),
					PT_WORD("perfetto", FORM_PERFETTO),
					PT_WORD("speedscope", FORM_SPEEDSCOPE),
					PT_WORD("firefox", FORM_FIREFOX),
					{ 0 } };

static const struct { const char *ending; enum form form; } endings[] = {
	{ ".pb.gz", FORM_PPROF },
	{ ".pprof", FORM_PPROF },
	{ ".pftrace", FORM_PERFETTO },
	{ ".perfetto-trace", FORM_PERFETTO },
	{ ".speedscope.json", FORM_SPEEDSCOPE },
	{ ".firefox.json", FORM_FIREFOX },
};

static const struct pt_opt own[] = {
	PT_ROW(0, "to", "FORM",
	       "pprof, perfetto, speedscope or firefox; unless given, by the name of the file",
	       PT_OPT_WORD, form, .words = forms),
	PT_ROW_OUTPUT,
	PT_ROW('l', "lines", NULL, "source file and line of each frame (not in perfetto)",
	       PT_OPT_FLAG, frames.lines),
	PT_ROW(0, "only", "EVENT", "of a recording, only samples of this event; * and ? as in file names", PT_OPT_STR,
	       event),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-convert",
	.forms = PT_LINES(
		"[--to FORM] [-o FILE] [OPTION...] [FILE... | -]",
		"[--to FORM] [-o FILE] [OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]"),
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS,
		PT_GROUP("Live, stacks", pt_opts_call_graph, call_graph)),
	.examples = PT_LINES(
		"pt-convert -o make.pb.gz make.data && go tool pprof -top make.pb.gz",
		"pt-convert -o build.pftrace -- make -j4",
		"pt-stack -a --for 10 | pt-convert -o cpu.speedscope.json",
		"pt-convert --to firefox make.data > make.json"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_foldedin folded;
	bool is_folded;
	struct pt_samples *samples;
	struct pt_samples_event folded_event;
	struct pt_perfetto *perfetto;
	struct pt_naming *naming;
	struct pt_stacknote note;
	struct pt_samples_named *named;
	size_t cap_named;
	const char **line_frames;
	size_t cap_line_frames;
	struct pt_names *names;		/* of folded lines */
	struct pt_offer events;		/* that --only chose from */
};

/* -- what is read -- */

static struct pt_samples_event event_of(const struct pt_event *ev)
{
	const struct pt_attr *a = &ev->attr;
	struct pt_samples_event event = { .name = ev->name };

	if (a->type == PERF_TYPE_SOFTWARE &&
	    (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK))
		event.unit = PT_SAMPLES_NS;
	if (!(a->flags & PT_ATTR_FREQ))
		event.period = a->sample_period;
	return event;
}

static void add_sample(struct run *r, const struct pt_record *rec, const char *comm)
{
	struct pt_samples_task task = { PT_SAMPLES_UNKNOWN, PT_SAMPLES_UNKNOWN, comm };
	struct pt_samples_event event = event_of(rec->event);
	struct pt_samples_item item = { .samples = 1,
					.weight = pt_record_period(rec),
					.cpu = PT_SAMPLES_UNKNOWN };
	const struct pt_place_at *const *places;
	struct pt_frames_how how;
	size_t nr = pt_frames_places(r->an.frames, rec, &places, &how);

	pt_stacknote_stack(&r->note, &how);
	if (rec->has & PERF_SAMPLE_TID)
		task.pid = rec->pid, task.tid = rec->tid;
	if (rec->has & PERF_SAMPLE_TIME)
		item.time_ns = rec->time_ns;
	if (rec->has & PERF_SAMPLE_CPU)
		item.cpu = rec->cpu;
	item.series = pt_samples_series(r->samples, &task, &event);
	pt_samples_add(r->samples, &item, (const void *const *)places, nr);
}

/* A timeline shows what all tasks do on the chosen CPUs: a switch has two. */
static bool is_chosen(struct run *r, const struct pt_record *rec, const char *comm)
{
	const struct pt_choose *c = &r->a->choose;

	if (r->a->event && !pt_offer_note(&r->events, rec->event->name,
					  pt_text_glob(r->a->event, rec->event->name)))
		return false;
	if (r->perfetto && rec->event->tp && pt_preset_has("sched", rec->event->tp->system,
							   rec->event->tp->name))
		return (!(rec->has & PERF_SAMPLE_TIME) || pt_choose_time(c, rec->time_ns)) &&
		       (!c->nr_cpus || (rec->has & PERF_SAMPLE_CPU &&
					pt_choose_cpu(c, (int)rec->cpu)));
	return pt_choose_sample(c, rec, comm);
}

static void see_record(struct run *r, const struct pt_record *rec)
{
	bool sample = rec->type == PERF_RECORD_SAMPLE;
	const char *comm;

	if (sample && (!rec->event || rec->event->side_band))
		return;
	/* A new task has its parent's name. */
	comm = rec->type == PERF_RECORD_FORK ? pt_tasks_comm(r->an.tasks, rec->u.task.tid)
					     : pt_analysis_comm(&r->an, rec);
	if (sample && !is_chosen(r, rec, comm))
		return;
	if (r->perfetto ? pt_perfetto_feed(r->perfetto, rec, comm) : sample)
		add_sample(r, rec, comm);
}

/* The first frame of a folded line is the task's name. */
static bool take_line(void *ctx, const char *line, size_t len)
{
	struct run *r = ctx;
	struct pt_samples_task task = { PT_SAMPLES_UNKNOWN, PT_SAMPLES_UNKNOWN, NULL };
	struct pt_samples_item item = { .cpu = PT_SAMPLES_UNKNOWN };
	const char *at = line, *frame;
	double v[2];
	int n = pt_foldline(line, &len, v);
	size_t nr = 0, frame_len;

	if (n <= 0)
		return n == 0;
	while ((frame = pt_foldline_frame(&at, line + len, &frame_len))) {
		PT_GROW(r->line_frames, nr, r->cap_line_frames);
		r->line_frames[nr++] = pt_names_add(r->names, frame, frame_len);
	}
	task.comm = r->line_frames[0];
	for (size_t i = 1, k = nr - 1; i < k; i++, k--) {	/* innermost first */
		frame = r->line_frames[i];
		r->line_frames[i] = r->line_frames[k];
		r->line_frames[k] = frame;
	}
	/* of a difference, what is now */
	item.samples = item.weight = (uint64_t)(v[n - 1] + 0.5);
	if (r->folded.note.microseconds)
		r->folded_event = (struct pt_samples_event){ "wait", PT_SAMPLES_US, 0 };
	item.series = pt_samples_series(r->samples, &task, &r->folded_event);
	pt_samples_add(r->samples, &item, (const void *const *)(r->line_frames + 1), nr - 1);
	return true;
}

static void watch_of(struct args *a)
{
	struct pt_watch *w = &a->watch.watch;

	w->default_freq = DEFAULT_HZ;
	w->want_maps = w->want_build_ids = true;
	w->no_kernel_map = !a->frames.vmlinux;
	/* of a timeline, only if they were asked for */
	a->call_graph.wanted |= a->form != FORM_PERFETTO;
	pt_call_graph_watch(&a->call_graph, w);
	w->max_stack = (uint16_t)PT_MIN(a->frames.max_stack, (uint64_t)127);
}

static void read_folded(struct run *r, const char *text)
{
	if (r->a->form == FORM_PERFETTO)
		pt_usage(&tool, "--to perfetto: folded stacks have no times; it needs a recording");
	r->is_folded = true;
	r->names = pt_names_new();
	r->folded_event = (struct pt_samples_event){ "count", PT_SAMPLES_COUNT, 0 };
	r->folded = (struct pt_foldedin){ .line = take_line, .ctx = r };
	r->an.rc = pt_foldedin_read(&tool, &r->folded, r->an.input, text, &r->an.err);
	r->naming = pt_naming_new(NULL, false, true);
}

static void read_records(struct run *r)
{
	const struct pt_record *rec;

	watch_of(r->a);
	if (r->a->form == FORM_PERFETTO) {
		r->a->watch.also = "sched";
		pt_analysis_watch_all(&r->an);
	}
	pt_analysis_open(&r->an,
			 r->a->form == FORM_PERFETTO ? "sched" : pt_sampling_default_event());
	if (r->a->form == FORM_PERFETTO) {
		pt_analysis_output(&r->an, r->a->output);
		r->perfetto = pt_perfetto_new(r->an.src, &r->an.text);
	}
	r->an.tasks = pt_tasks_new();
	pt_analysis_frames(&r->an, &r->a->frames);
	while (pt_analysis_next(&r->an, &rec))
		see_record(r, rec);
	pt_frames_settle(r->an.frames);
	r->naming = pt_naming_new(r->an.frames, false, true);
}

/* -- names, as pt-report has them -- */

static struct pt_samples_names name_place(void *ctx, const void *place, uint64_t times)
{
	struct run *r = ctx;
	const struct pt_profile_frame *names;
	const struct pt_named_frame *frames;
	size_t nr = pt_frames_name(r->an.frames, place, &frames), i;
	struct pt_build_id id = pt_frames_build_id(r->an.frames, place);
	struct pt_samples_names n;

	if (nr > r->cap_named)
		r->named = pt_realloc(r->named, r->cap_named = nr, sizeof(*r->named));
	for (i = 0; i < nr; i++) {
		pt_stacknote_frame(&r->note, &frames[i], pt_frames_has_file(place), times);
		r->named[i] = (struct pt_samples_named){ .module = frames[i].module,
							 .file = frames[i].file,
							 .line = frames[i].line };
	}
	pt_naming_place(r->naming, place, &names);
	for (i = 0; i < nr; i++) {
		r->named[i].name = names[i].sym;
		r->named[i].kernel = names[i].level == 'k';
	}
	n = (struct pt_samples_names){ r->named, nr, pt_frames_address(place).vaddr, "" };
	if (id.len)
		pt_build_id_text(&id, n.build_id);
	return n;
}

static struct pt_samples_names name_text(void *ctx, const void *place, uint64_t times)
{
	static struct pt_samples_named named;
	struct run *r = ctx;
	const struct pt_profile_frame *names;

	(void)times;
	pt_naming_text(r->naming, place, &names);
	named = (struct pt_samples_named){ .name = names[0].sym, .kernel = names[0].level == 'k' };
	if (named.kernel)
		named.module = "[kernel.kallsyms]";
	else if (*names[0].dso && strcmp(names[0].dso, "[unknown]"))
		named.module = names[0].dso;
	return (struct pt_samples_names){ &named, 1, 0, "" };
}

/* -- what is written -- */

static int write_out(void *ctx, const void *p, size_t len, struct pt_err *e)
{
	return pt_out_write(ctx, p, len, e);
}

static int write_new(void *ctx, const void *p, size_t len, struct pt_err *e)
{
	return pt_newfile_write(ctx, p, len, e);
}

/* What a profile calls itself: the recording, or the command that was run. */
static const char *title_of(const struct run *r)
{
	const char *name = r->an.operands.nr ? r->an.operands.v[0] : r->a->input.file;

	if (name && strcmp(name, "-"))
		return name;
	if (r->an.live)
		return "live session";
	return name || pt_input_is_piped() ? "standard input" : "perf.data";
}

static int write_form(const struct run *r, struct pt_sink *sink, struct pt_err *e)
{
	struct pt_sink_about about = { .title = title_of(r) };

	if (!r->is_folded)
		about.info = pt_source_info(r->an.src);
	if (r->a->form == FORM_PPROF)
		return pt_pprof_write(r->samples, &about, sink, e);
	if (r->a->form == FORM_SPEEDSCOPE)
		return pt_speedscope_write(r->samples, &about, sink, e);
	return pt_firefox_write(r->samples, &about, sink, e);
}

/* A part of such a file is of no use: it appears when it is whole. */
static int write_file(const struct run *r, const char *path, struct pt_err *e)
{
	struct pt_newfile file;
	struct pt_sink sink = { .write = write_new, .ctx = &file };

	if (pt_newfile_open(&file, path, 0666, e) < 0)
		return -1;
	if (write_form(r, &sink, e) == 0)
		return pt_newfile_publish(&file, e);
	pt_newfile_abandon(&file);
	return -1;
}

/* To a pipe, a device or standard output. */
static int write_stream(struct run *r, struct pt_err *e)
{
	struct pt_sink sink = { .write = write_out };

	if (pt_out_open(&r->an.out, r->a->output, e) < 0)
		return -1;
	sink.ctx = r->an.out;
	return write_form(r, &sink, e);
}

/* Opened at the end: in a live session nothing may be dropped of it. */
static void write_profile(struct run *r)
{
	const char *name = r->a->output;
	struct pt_err e = PT_ERR_INIT;
	char *path = NULL;
	int rc = 0;

	if (!r->samples->nr_items) {
		if (r->an.rc == 0) {
			pt_err_set(&e, "nothing to convert: there are no samples");
			pt_analysis_fail(&r->an, &e);
		}
		return;
	}
	if (name && strcmp(name, "-"))
		rc = pt_newfile_replaced(name, &path, &e);
	if (rc == 0)
		rc = path ? write_file(r, path, &e) : write_stream(r, &e);
	if (rc < 0 && path && e.sys)		/* the name as it was given */
		pt_err_sys(&e, e.sys, "%s", name);
	free(path);
	if (rc < 0)
		pt_analysis_fail(&r->an, &e);
}

static void write_trace(struct run *r)
{
	struct pt_perfetto_counts c;
	size_t i = 0;

	pt_perfetto_end(r->perfetto);
	while (pt_perfetto_stacks(r->perfetto, r->samples, &i))
		pt_analysis_print(&r->an);
	c = pt_perfetto_counts(r->perfetto);
	if (pt_perfetto_requests(r->perfetto))
		pt_pairs_say(&tool, pt_perfetto_requests(r->perfetto));
	pt_warn_count(&tool, c.timeless, "sample is", "samples are", "left out: without a time");
	pt_warn_count(&tool, c.no_cpu, "event of the scheduler is", "events of the scheduler are",
		      "left out: the CPU is unknown, or above 1023");
	pt_warn_count(&tool, c.bad, "damaged sample is", "damaged samples are", "left out");
}

/* -- running -- */

/* The form, and whether it can be written there. */
static void check(struct args *a)
{
	size_t len = a->output ? strlen(a->output) : 0;

	for (size_t i = 0; i < PT_NR(endings) && a->form == FORM_BY_NAME; i++) {
		size_t n = strlen(endings[i].ending);

		if (len > n && !strcmp(a->output + len - n, endings[i].ending))
			a->form = endings[i].form;
	}
	if (a->form == FORM_BY_NAME)
		pt_usage(&tool, a->output ? "%s: which format? Add --to pprof, perfetto, speedscope or firefox"
					  : "which format? %s--to pprof, perfetto, speedscope or firefox",
			 a->output ? a->output : "");
	if (a->form != FORM_PPROF && a->form != FORM_PERFETTO)
		return;
#ifndef PT_WITH_PROTOBUF
	pt_die(&tool, "pprof and perfetto: this build is without protobuf-c (pt-doctor tells)");
#endif
	if ((!len || !strcmp(a->output, "-")) && isatty(STDOUT_FILENO))
		pt_usage(&tool, "this form is binary, nothing for a terminal: add -o FILE");
}

int main(int argc, char **argv)
{
	static struct args a = { .call_graph = { .how = "dwarf" } };
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	const char *text;
	int status;

	pt_analysis_parse(&r.an, argc, argv, &a);
	check(&a);
	pt_symbols_ready(&tool, &a.frames);
	pt_analysis_choose(&r.an);
	text = pt_analysis_text(&r.an);
	pt_analysis_output_later(&r.an, a.output);
	r.samples = pt_samples_new(a.form != FORM_PPROF);
	if (text)
		read_folded(&r, text);
	else
		read_records(&r);
	pt_analysis_offer(&r.an, "--only", &r.events);
	pt_samples_name(r.samples, r.is_folded ? name_text : name_place, &r);
	if (r.perfetto)
		write_trace(&r);
	else
		write_profile(&r);
	if (r.is_folded) {
		pt_warn_stacks(&tool, &r.folded.note);
	} else if (r.samples->nr_items) {
		pt_stacknote_end(&r.note, r.an.src);
		pt_stacknote_say(&r.note, &tool, r.an.frames);
	}
	pt_naming_free(r.naming);
	pt_perfetto_free(r.perfetto);
	status = pt_analysis_end(&r.an);
	pt_samples_free(r.samples);
	pt_names_free(r.names);
	pt_stacknote_deinit(&r.note);
	free(r.named);
	free(r.line_frames);
	return status;
}
