/* pt-stack - call stacks of a recording or a live session as folded lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "cli/callgraph.h"
#include "cli/analysis.h"
#include "cli/interrupt.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/stacknote.h"
#include "cli/symbols.h"
#include "cli/title.h"
#include "cli/waits.h"
#include "unwind/second_unwinder.h"
#include "event/open.h"
#include "task/tasks.h"
#include "task/waiting.h"
#include "stack/fold.h"
#include "stack/frames.h"
#include "sched/offcpu.h"
#include "stack/snapshot.h"

enum { DEFAULT_HZ = 99, PIECE_BYTES = 64 << 10 };

struct args {
	bool plain, annotate, by_period, tids, pids, off_cpu, once, with_idle, modules, build_ids,
		second;
	const char *event, *weight_by, *output;
	struct pt_frames_opts frames;
	struct pt_call_graph call_graph;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	PT_ROW_FLAG(0, "annotate", "mark frames: kernel _[k], JIT _[j], inlined _[i]", annotate),
	PT_ROW(0, "only", "EVENT", "of a recording, only samples of this event; * and ? as in file names", PT_OPT_STR,
	       event),
	PT_ROW_FLAG(0, "weighted", "count periods, not samples", by_period),
	PT_ROW(0, "weight-by", "FIELD",
	       "count the sum of a tracepoint's or probe's field, such as size",
	       PT_OPT_STR, weight_by),
	PT_ROW_FLAG(0, "off-cpu", "where tasks wait, in microseconds (by sched:sched_switch)",
		    off_cpu),
	PT_ROW_FLAG(0, "once", "with -p or -t: print the stack of every thread once, now", once),
	PT_ROW_FLAG(0, "idle", "also samples of idle CPUs", with_idle),
	PT_ROW_FLAG(0, "plain", "no first line about samples, losses and gaps", plain),
	PT_ROW_FLAG(0, "with-pid", "use COMM-PID as the first frame", pids),
	PT_ROW_FLAG(0, "with-tid", "use COMM-PID/TID as the first frame", tids),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_opt of_once[] = {
	PT_ROW_FLAG('l', "lines", "show file and line of each frame", frames.lines),
	PT_ROW_FLAG(0, "modules", "show the file of each frame", modules),
	PT_ROW_FLAG('b', "build-ids", "also its build-id, its load address and the offset in it",
		    build_ids),
	PT_ROW_FLAG(0, "second-opinion",
		    "also unwind with libunwind, and print its stack if it differs", second),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-stack",
	.forms = PT_LINES(
		"[OPTION...] [FILE... | -]",
		"[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]",
		"--once [OPTION...] -p PID"),
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_OWN("With --once", of_once),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS,
		PT_GROUP("Live, controlled", pt_opts_control, watch),
		PT_GROUP("Live, stacks", pt_opts_call_graph, call_graph)),
	.examples = PT_LINES(
		"pt-stack -F 99 -a --for 10 | pt-flame > cpu.svg",
		"pt-stack --once -p 4711",
		"pt-stack --off-cpu -p 4711 --for 5 > waits.folded",
		"perf record --call-graph dwarf,16384 -- make; pt-stack > make.folded",
		"pt-stack --annotate cpu.data | grep _\\[k\\]"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_fold *places;		/* stacks of places, not named yet */
	struct pt_fold *fold;		/* stacks of names */
	struct pt_offcpu *offcpu;	/* --off-cpu, else NULL */
	struct pt_names *names;		/* made by make_name() */
	struct pt_map shown;		/* of frames: their made name, see frame_name() */
	const char **stack;
	size_t cap;
	struct pt_stacknote note;
	uint64_t samples, idle;		/* idle: of these, and left out */
	struct pt_offer events;		/* that --only chose from */
	uint64_t weightless;		/* samples without the field of --weight-by */
	struct pt_buf text;
};

static const char *make_name(struct run *r, const struct pt_named_frame *x, const char *mark)
{
	const char *file;

	pt_buf_clear(&r->text);
	if (x->name) {
		pt_buf_puts(&r->text, x->name);
	} else {
		file = x->module ? pt_text_base(x->module) : "unknown";
		pt_buf_printf(&r->text, *file == '[' ? "%s" : "[%s]", file);
	}
	pt_buf_puts(&r->text, mark);
	return pt_names_add(r->names, r->text.data, r->text.len);
}

/* The name of a frame in a folded line. Like FlameGraph's scripts, it names an unknown frame by its
 * module. Names and modules are interned. */
static const char *frame_name(struct run *r, const struct pt_named_frame *x)
{
	const char *of = x->name ? x->name : x->module, *mark = "";
	uint64_t *slot;

	if (r->a->annotate)
		mark = x->kind == PT_FRAME_KERNEL    ? "_[k]"
		       : x->kind == PT_FRAME_JIT     ? "_[j]"
		       : x->kind == PT_FRAME_INLINED ? "_[i]"
						     : "";
	if (x->name && !*mark)
		return x->name;
	slot = pt_map_put(&r->shown, pt_word_of(of) ^ (uint64_t)x->kind << 60 ^
					     (uint64_t)!x->name << 59);
	if (!*slot)
		*slot = pt_word_of(make_name(r, x, mark));
	return pt_pointer(*slot);
}

/* What a sample counts. False: its event has no number of that name, or the kernel could not read
 * it; a negative one counts nothing. */
static bool weight(const struct args *a, const struct pt_record *rec, uint64_t *v)
{
	const struct pt_tp_field *f;

	*v = a->by_period ? pt_record_period(rec) : 1;
	if (!a->weight_by)
		return true;
	f = rec->event->tp ? pt_tp_field(rec->event->tp, a->weight_by) : NULL;
	return pt_tp_is_number(f) && rec->has & PERF_SAMPLE_RAW &&
	       pt_tp_value(f, rec->sample.raw, rec->sample.raw_len, rec->swap, v) &&
	       !(f->flags & PT_TP_SIGNED && (int64_t)*v < 0);
}

/* The first frame: COMM, or as the user wants it; in `text`, which is the caller's. */
static const char *first_frame(const struct args *a, const char *comm, uint32_t pid, uint32_t tid,
			       struct pt_buf *text)
{
	if (!a->tids && !a->pids)
		return comm;
	pt_buf_printf(text, "%s-%u", comm, pid);
	if (a->tids)
		pt_buf_printf(text, "/%u", tid);
	return pt_buf_str(text);
}

static void add_sample(struct run *r, const struct pt_record *rec)
{
	const char *comm = pt_analysis_comm(&r->an, rec);
	const struct pt_place_at *const *places;
	struct pt_frames_how how;
	struct pt_buf who = PT_BUF_INIT;
	uint64_t count;
	size_t n;

	if (r->a->event && !pt_offer_note(&r->events, rec->event->name,
					  pt_text_glob(r->a->event, rec->event->name)))
		return;
	if (!pt_choose_sample(&r->a->choose, rec, comm))
		return;
	r->samples++;
	if (pt_record_is_idle(rec) && !r->a->with_idle) {
		r->idle++;
		return;
	}
	if (!weight(r->a, rec, &count)) {
		r->weightless++;
		return;
	}
	n = pt_frames_places(r->an.frames, rec, &places, &how);
	pt_stacknote_stack(&r->note, &how);
	comm = first_frame(r->a, comm, rec->pid, rec->tid, &who);
	if (r->offcpu)
		pt_offcpu_leave(r->offcpu, rec, comm, (const void *const *)places, n);
	else
		pt_fold_add(r->places, comm, (const char *const *)places, n, count);
	pt_buf_deinit(&who);
}

/* Java's interpreter has one name for all of the methods that it runs, in /tmp/perf-PID.map: in a
 * row they are one frame. */
static bool is_interpreter(const struct pt_named_frame *x)
{
	return x->kind == PT_FRAME_JIT && x->name && !strcmp(x->name, "Interpreter");
}

static void want_room(struct run *r, size_t nr)
{
	if (nr > r->cap)
		r->stack = pt_realloc(r->stack, r->cap = 2 * nr, sizeof(*r->stack));
}

/* Adds the names of a place to r->stack, which has n. Returns how many it has then. */
static size_t add_names(struct run *r, const struct pt_place_at *place, uint64_t times, size_t n)
{
	const struct pt_named_frame *frames;
	size_t nr = pt_frames_name(r->an.frames, place, &frames);

	want_room(r, n + nr);
	for (size_t i = 0; i < nr; i++) {
		r->stack[n] = frame_name(r, &frames[i]);
		n += !(n && r->stack[n] == r->stack[n - 1] && is_interpreter(&frames[i]));
		pt_stacknote_frame(&r->note, &frames[i], pt_frames_has_file(place), times);
	}
	return n;
}

/* Waits are in nanoseconds so far; what rounds to nothing is left out. */
static void add_waits(struct run *r, const char *comm, const char *const *frames, size_t nr,
		      uint64_t ns)
{
	if (ns >= 500)
		pt_fold_add(r->fold, comm, frames, nr, (ns + 500) / 1000);
}

/* Names all stacks; each place is named once. The session is over by now, so reading debug files
 * may take long. */
static void name_stacks(struct run *r)
{
	struct pt_fold_entry x;
	size_t k, n;

	pt_frames_settle(r->an.frames);
	for (size_t i = 0; pt_fold_each(r->places, &i, &x); ) {
		k = n = x.nr && x.frames[0] == pt_waits_not_ended;
		want_room(r, 1);
		r->stack[0] = pt_waits_not_ended;
		for (; k < x.nr; k++)
			n = add_names(r, (const struct pt_place_at *)x.frames[k], x.times, n);
		if (r->offcpu)
			add_waits(r, x.comm, r->stack, n, x.count);
		else
			pt_fold_add(r->fold, x.comm, r->stack, n, x.count);
	}
}

/* Prints the lines in pieces: all of them may need more memory than the rest. */
static int print(struct run *r)
{
	struct pt_foldnote *note = &r->note.note;
	struct pt_buf *b = &r->text;
	size_t i = 0;
	int rc = 0;

	pt_buf_clear(b);
	note->microseconds = r->offcpu != NULL;
	pt_title_note(note, &r->an);
	if (r->a->weight_by)
		snprintf(note->unit, sizeof(note->unit), "%s", r->a->weight_by);
	if (!r->a->plain)
		pt_foldnote_lines(note, b);
	pt_fold_sort(r->fold);
	while (rc == 0 && pt_fold_line(r->fold, &i, b))
		if (b->len >= PIECE_BYTES) {
			rc = pt_out_write(r->an.out, b->data, b->len, &r->an.err);
			pt_buf_clear(b);
		}
	return rc == 0 && b->len ? pt_out_write(r->an.out, b->data, b->len, &r->an.err) : rc;
}

/* One record may end a wait and begin another one. The tool's own waits are left out. */
static void add_switch(struct run *r, const struct pt_record *rec)
{
	struct pt_wait w;

	if (pt_offcpu_back(r->offcpu, rec, &w))
		pt_fold_add(r->places, w.comm, (const char *const *)w.places, w.nr, w.ns);
	if (pt_offcpu_leaves(rec) && !(r->an.live && rec->pid == (uint32_t)getpid()))
		add_sample(r, rec);
}

static void see(struct run *r, const struct pt_record *rec)
{
	if (r->offcpu)
		add_switch(r, rec);
	else if (rec->type == PERF_RECORD_SAMPLE && rec->event && !rec->event->side_band)
		add_sample(r, rec);
}

static void add_throughout(void *ctx, const struct pt_waits_thread *t)
{
	struct pt_buf who = PT_BUF_INIT;
	struct run *r = ctx;

	add_waits(r, first_frame(r->a, t->comm, t->pid, t->tid, &who), t->frames, t->nr, t->ns);
	pt_buf_deinit(&who);
}

/* Adds the waits that go on; returns how many threads waited throughout. */
static uint64_t end_waits(struct run *r)
{
	uint64_t end_ns = pt_analysis_end_ns(&r->an);
	struct pt_wait w;
	size_t i = 0;

	while (pt_offcpu_open(r->offcpu, &i, end_ns, &w)) {
		want_room(r, w.nr + 1);
		r->stack[0] = pt_waits_not_ended;
		if (w.nr)
			memcpy(r->stack + 1, w.places, w.nr * sizeof(*w.places));
		pt_fold_add(r->places, w.comm, r->stack, w.nr + 1, w.ns);
	}
	return pt_waits_throughout(&r->an, r->offcpu, r->names, r->a->annotate ? "_[k]" : "",
				   add_throughout, r);
}

static void watch_of(struct args *a)
{
	struct pt_watch *w = &a->watch.watch;

	w->default_freq = DEFAULT_HZ;
	/* they tell when a task is back if only its own events are watched */
	w->want_switches = a->off_cpu;
	w->want_maps = w->want_build_ids = true;
	w->no_kernel_map = !a->frames.vmlinux;
	pt_call_graph_watch(&a->call_graph, w);
	a->watch.command_as_is = a->output;
	w->max_stack = (uint16_t)PT_MIN(a->frames.max_stack, (uint64_t)127);
}

static void warn_each(struct pt_buf *notes)
{
	char *save = NULL, *line;

	for (line = notes->len ? strtok_r(notes->data, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		pt_warn(&tool, "%s", line);
	pt_buf_clear(notes);
}

static int once_each(struct args *a, struct pt_snapshot *s, struct pt_out *out)
{
	const struct pt_watch *w = &a->watch.watch;
	struct pt_buf text = PT_BUF_INIT, notes = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	int status = 0, rc = 0;
	size_t i;

	for (i = 0; i < w->nr_pids + w->nr_tids && rc >= 0; i++) {
		uint32_t tid = i < w->nr_pids ? 0 : (uint32_t)w->tids[i - w->nr_pids],
			 pid = tid ? pt_proc_of_thread(tid) : (uint32_t)w->pids[i];

		rc = pt_snapshot_process(s, pid ? pid : tid, pid ? tid : 0, &text, &notes, &e);
		status |= rc != 0;
		if (rc < 0)
			pt_warn(&tool, "%s", e.msg);
		warn_each(&notes);
		rc = text.len ? pt_out_write(out, text.data, text.len, &e) : 0;
		pt_buf_clear(&text);
	}
	if (pt_finish(&tool, NULL, out, rc, &e))
		status = 1;
	pt_buf_deinit(&text);
	pt_buf_deinit(&notes);
	return status;
}

static int once(struct args *a)
{
	struct pt_interrupt *in = pt_interrupt_new();
	struct pt_snapshot_opts opts = { .modules = a->modules, .build_ids = a->build_ids,
					 .stop = pt_interrupt_ends,
					 .enough = pt_interrupt_came,
					 .ctx = in };
	struct pt_err e = PT_ERR_INIT;
	struct pt_snapshot *s;
	struct pt_out *out;
	uint64_t stacks, same;
	int status;

	if (pt_out_open(&out, a->output, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (a->second && !(opts.second = pt_second_unwinder()))
		pt_die(&tool,
		       "--second-opinion: this build is without libunwind (pt-doctor tells)");
	pt_interrupt_reading(in, NULL, false);
	s = pt_snapshot_new(&a->frames, &opts);
	status = once_each(a, s, out);
	if (a->second) {
		pt_snapshot_agreement(s, &stacks, &same);
		pt_warn(&tool, "%s agrees on %llu of %llu stacks", opts.second->name,
			(unsigned long long)same, (unsigned long long)stacks);
	}
	pt_snapshot_free(s);
	pt_interrupt_free(in);
	pt_watch_args_deinit(&a->watch);
	return status;
}

/* Refuses options that contradict each other. */
static void check_args(const struct args *a, const struct pt_operands *operands)
{
	const struct pt_watch *w = &a->watch.watch;

	if (a->once && (!(w->nr_pids + w->nr_tids) || a->off_cpu || a->watch.nr_wanted ||
			operands->nr))
		pt_usage(&tool, "--once needs -p PID or -t TID, and takes no events and no command");
	if (!a->once && (a->frames.lines || a->modules || a->build_ids || a->second))
		pt_usage(&tool, "--lines, --modules, --build-ids and --second-opinion need --once");
	if (a->off_cpu && (a->watch.nr_wanted || a->by_period || a->weight_by))
		pt_usage(
			&tool,
			"--off-cpu excludes -e, --weighted and --weight-by: it counts time, by sched:sched_switch");
	if (a->by_period && a->weight_by)
		pt_usage(&tool, "--weighted and --weight-by: one of them");
	if (a->off_cpu && (a->watch.control_how || w->nr_switches > 1))
		pt_usage(&tool, "--off-cpu goes without --control and ranges of -D: a wait would span the pauses");
}

/* What the result lacks. */
static void tell(struct run *r, uint64_t throughout)
{
	pt_stacknote_say(&r->note, &tool, r->an.frames);
	if (r->idle)
		pt_warn(&tool, "%llu %% of the samples are of idle CPUs, and left out; --idle shows them",
			(unsigned long long)(100 * r->idle / r->samples));
	if (r->weightless && r->weightless == r->samples)
		pt_warn(&tool, "--weight-by: no sample has a number named %s; pt-script shows the fields that there are",
			r->a->weight_by);
	else
		pt_warn_count(&tool, r->weightless, "sample is", "samples are",
			      "left out: without that field, or with one that could not be read or is negative");
	pt_analysis_offer(&r->an, "--only", &r->events);
	if (r->offcpu)
		pt_waits_say(&r->an, r->offcpu, throughout);
}

int main(int argc, char **argv)
{
	static struct args a = { .call_graph = { .wanted = true, .how = "dwarf" } };
	struct run r = { .a = &a,
			 .an = PT_ANALYSIS(a),
			 .text = PT_BUF_INIT };
	struct pt_waiting *waiting = NULL;
	const struct pt_record *rec;
	uint64_t throughout = 0;

	pt_analysis_parse(&r.an, argc, argv, &a);
	pt_symbols_ready(&tool, &a.frames);
	check_args(&a, &r.an.operands);
	if (a.once)
		return once(&a);
	watch_of(&a);
	pt_analysis_open(&r.an, a.off_cpu ? "sched:sched_switch" : pt_sampling_default_event());
	pt_analysis_output(&r.an, a.output);
	r.an.tasks = pt_tasks_new();
	pt_analysis_frames(&r.an, &a.frames);
	r.places = pt_fold_new();
	r.fold = pt_fold_new();
	r.offcpu = a.off_cpu ? pt_offcpu_new() : NULL;
	r.names = pt_names_new();
	if (a.off_cpu && r.an.live)
		waiting = pt_waiting_renew(&a.watch.watch);
	while (pt_analysis_next(&r.an, &rec))
		see(&r, rec);
	pt_waiting_free(waiting);
	if (a.off_cpu)
		throughout = end_waits(&r);
	name_stacks(&r);
	pt_stacknote_end(&r.note, r.an.src);
	if (print(&r) < 0)
		r.an.rc = -1;
	tell(&r, throughout);
	pt_fold_free(r.places);
	pt_fold_free(r.fold);
	pt_offcpu_free(r.offcpu);
	pt_names_free(r.names);
	pt_map_deinit(&r.shown);
	pt_stacknote_deinit(&r.note);
	pt_buf_deinit(&r.text);
	free(r.stack);
	return pt_analysis_end(&r.an);
}
