/* pt-stack - call stacks, from a recording or live, as folded lines. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "cli/callgraph.h"
#include "cli/analysis.h"
#include "cli/interrupt.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/stacknote.h"
#include "cli/symbols.h"
#include "unwind/second.h"
#include "event/open.h"
#include "record/source.h"
#include "task/halt.h"
#include "task/tasks.h"
#include "stack/fold.h"
#include "stack/frames.h"
#include "sched/offcpu.h"
#include "stack/snapshot.h"

enum { DEFAULT_HZ = 99, PIECE_BYTES = 64 << 10 };

struct args {
	bool plain, annotate, by_period, tids, pids, off_cpu, once, modules, build_ids, second;
	const char *event;
	struct pt_frames_opts frames;
	struct pt_call_graph call_graph;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	PT_ROW(0, "annotate", NULL, "mark frames: kernel _[k], JIT _[j], inlined _[i]", PT_OPT_FLAG,
	       annotate),
	PT_ROW(0, "only", "EVENT", "of a recording: only samples of this event", PT_OPT_STR, event),
	PT_ROW(0, "weighted", NULL, "count periods, not samples", PT_OPT_FLAG, by_period),
	PT_ROW(0, "off-cpu", NULL, "where tasks wait, in microseconds, by sched:sched_switch",
	       PT_OPT_FLAG, off_cpu),
	PT_ROW(0, "once", NULL, "with -p or -t: the stack of every thread, now", PT_OPT_FLAG, once),
	PT_ROW(0, "plain", NULL, "no line in front that tells of samples, losses and gaps",
	       PT_OPT_FLAG, plain),
	PT_ROW(0, "with-pid", NULL, "COMM-PID as the first frame", PT_OPT_FLAG, pids),
	PT_ROW(0, "with-tid", NULL, "COMM-PID/TID as the first frame", PT_OPT_FLAG, tids),
	{ 0 }
};

static const struct pt_opt of_once[] = {
	PT_ROW('l', "lines", NULL, "file and line of each frame", PT_OPT_FLAG, frames.lines),
	PT_ROW(0, "modules", NULL, "the file that a frame is in", PT_OPT_FLAG, modules),
	PT_ROW('b', "build-ids", NULL, "its build-id, where it is loaded, and the place in it",
	       PT_OPT_FLAG, build_ids),
	PT_ROW(0, "second-opinion", NULL, "ask libunwind too, and print its stack where it differs",
	       PT_OPT_FLAG, second),
	{ 0 }
};

static int opt_call_graph(void *group, const char *arg, struct pt_err *e)
{
	return pt_call_graph_parse(&((struct args *)group)->call_graph, arg, e);
}

static const struct pt_opt live[] = {
	PT_ROW(0, "stack-size", "BYTES",
	       "of each stack that is copied to be unwound (16K), up to 65528", PT_OPT_SIZE,
	       call_graph.stack_bytes, .min = 1, .max = PT_CALL_GRAPH_MAX_BYTES),
	PT_ROW_CALL(0, "call-graph", "HOW",
		    "how stacks are taken: dwarf[,BYTES] (unless given), fp, lbr", opt_call_graph),
	{ 0 }
};

static const struct pt_opt_group groups[] = {
	{ "Output", own, 0 },
	{ "With --once", of_once, 0 },
	{ "Symbols", pt_opts_symbols, offsetof(struct args, frames) },
	PT_GROUPS_ANALYSIS,
	{ "Live, controlled", pt_opts_control, offsetof(struct args, watch) },
	{ "Live, stacks", live, 0 },
	{ NULL, NULL, 0 }
};

static const char *const forms[] = { "[OPTION...] [FILE | -]",
				     "[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]",
				     "--once [OPTION...] -p PID", NULL };
static const char *const examples[] = {
	"pt-stack -F 99 -a --for 10 | pt-flame > cpu.svg",
	"pt-stack --once -p 4711",
	"pt-stack --off-cpu -p 4711 --for 5 > waits.folded",
	"perf record --call-graph dwarf,16384 -- make; pt-stack > make.folded",
	"pt-stack --annotate cpu.data | grep _\\[k\\]",
	NULL
};

static const struct pt_tool tool = {
	.name = "pt-stack",
	.purpose = "call stacks as folded lines",
	.forms = forms,
	.groups = groups,
	.examples = examples,
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_tasks *tasks;
	struct pt_frames *frames;
	struct pt_fold *places;		/* stacks as they came, nothing named */
	struct pt_fold *fold;		/* the same by name */
	struct pt_offcpu *offcpu;	/* --off-cpu, else NULL */
	struct pt_names *names;		/* of frames that have none, of marked ones */
	struct pt_map shown;		/* the same by what they are of: frame_name() */
	const char **stack;
	size_t cap;
	struct pt_stacknote note;
	struct pt_buf text;
};

static const char *make_name(struct run *r, const struct pt_named_frame *x, const char *mark)
{
	const char *slash;

	pt_buf_clear(&r->text);
	if (x->name) {
		pt_buf_puts(&r->text, x->name);
	} else {
		slash = x->module ? strrchr(x->module, '/') : NULL;
		slash = slash ? slash + 1 : x->module ? x->module : "unknown";
		pt_buf_printf(&r->text, *slash == '[' ? "%s" : "[%s]", slash);
	}
	pt_buf_puts(&r->text, mark);
	return pt_names_add(r->names, r->text.data, r->text.len);
}

/* A frame as it stands in a line: an unknown one goes by its module, as FlameGraph's scripts name
 * it. Names and modules are interned. */
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

static void add_sample(struct run *r, const struct pt_record *rec)
{
	const char *comm =
		rec->has & PERF_SAMPLE_TID ? pt_tasks_comm(r->tasks, rec->tid) : "?";
	const struct pt_place_at *const *places;
	struct pt_frames_how how;
	struct pt_buf who = PT_BUF_INIT;
	size_t n;

	if (r->a->event && strcmp(r->a->event, rec->event->name))
		return;
	if (!pt_choose_sample(&r->a->choose, rec, comm))
		return;
	n = pt_frames_places(r->frames, rec, &places, &how);
	pt_stacknote_stack(&r->note, &how);
	if (r->a->tids || r->a->pids) {
		pt_buf_printf(&who, "%s-%u", comm, rec->pid);
		if (r->a->tids)
			pt_buf_printf(&who, "/%u", rec->tid);
		comm = pt_buf_str(&who);
	}
	if (r->offcpu)
		pt_offcpu_leave(r->offcpu, rec, comm, (const void *const *)places, n);
	else
		pt_fold_add(r->places, comm, (const char *const *)places, n,
			    r->a->by_period && (rec->has & PERF_SAMPLE_PERIOD) ? rec->sample.period
									       : 1);
	pt_buf_deinit(&who);
}

/* Names all stacks: each place once, however many stacks it is in. Nothing drains rings any more:
 * debug files may take their time. */
static void name_stacks(struct run *r)
{
	const struct pt_named_frame *frames;
	struct pt_fold_entry x;
	size_t k, j, n, nr;

	pt_frames_settle(r->frames);
	while (pt_fold_take(r->places, &x)) {
		for (k = n = 0; k < x.nr; k++) {
			const struct pt_place_at *place = (const struct pt_place_at *)x.frames[k];

			nr = pt_frames_name(r->frames, place, &frames);
			if (n + nr > r->cap)
				r->stack = pt_realloc(r->stack, r->cap = 2 * (n + nr),
						      sizeof(*r->stack));
			for (j = 0; j < nr; j++) {
				r->stack[n++] = frame_name(r, &frames[j]);
				pt_stacknote_frame(&r->note, &frames[j], pt_frames_has_file(place),
						   x.times);
			}
		}
		if (!r->offcpu)
			pt_fold_add(r->fold, x.comm, r->stack, n, x.count);
		else if (x.count >= 500)	/* nanoseconds until here */
			pt_fold_add(r->fold, x.comm, r->stack, n, (x.count + 500) / 1000);
	}
}

/* The lines, in pieces: all of them together may be more than the rest takes. */
static int print(struct run *r)
{
	struct pt_buf *b = &r->text;
	size_t i = 0;
	int rc = 0;

	pt_buf_clear(b);
	r->note.note.microseconds = r->offcpu != NULL;
	if (!r->a->plain)
		pt_foldnote_line(&r->note.note, b);
	pt_fold_sort(r->fold);
	while (rc == 0 && pt_fold_line(r->fold, &i, b))
		if (b->len >= PIECE_BYTES) {
			rc = pt_out_write(r->an.out, b->data, b->len, &r->an.err);
			pt_buf_clear(b);
		}
	return rc == 0 && b->len ? pt_out_write(r->an.out, b->data, b->len, &r->an.err) : rc;
}

/* A wait ends, and another one may begin by the same record. The tool's own waits are nobody's
 * business. */
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
	pt_frames_feed(r->frames, r->an.src, rec);
	if (rec->type != PERF_RECORD_SAMPLE)
		pt_tasks_see(r->tasks, rec);
	if (r->offcpu)
		add_switch(r, rec);
	else if (rec->type == PERF_RECORD_SAMPLE && rec->event && !rec->event->side_band)
		add_sample(r, rec);
}

/* Threads of watched processes that no switch told of and that wait: they have waited all the
 * time */
static uint64_t waited_throughout(const struct run *r)
{
	const struct pt_watch *w = &r->a->watch.watch;
	struct pt_err e = PT_ERR_INIT;
	uint64_t waiting = 0;
	struct pt_proc p;
	uint32_t *tids;
	size_t nr;

	for (size_t i = 0; i < w->nr_pids; i++) {
		if (pt_halt_threads((uint32_t)w->pids[i], &tids, &nr, &e) < 0)
			continue;
		for (size_t k = 0; k < nr; k++)
			waiting += !pt_offcpu_seen(r->offcpu, tids[k]) &&
				   pt_proc_read(w->pids[i], (int)tids[k], &p) &&
				   (p.state == 'S' || p.state == 'D');
		free(tids);
	}
	for (size_t i = 0; i < w->nr_tids; i++)
		waiting += !pt_offcpu_seen(r->offcpu, (uint32_t)w->tids[i]) &&
			   pt_proc_read(w->tids[i], w->tids[i], &p) &&
			   (p.state == 'S' || p.state == 'D');
	return waiting;
}

static void tell_waits(const struct run *r)
{
	struct pt_offcpu_counts c = pt_offcpu_counts(r->offcpu);
	uint64_t throughout = r->a->frames.live ? waited_throughout(r) : 0;

	if (throughout)
		pt_warn(&tool,
			"%llu thread%s waited from before the start until after the end: left out (pt-stack --once -p PID shows where)",
			(unsigned long long)throughout, throughout == 1 ? "" : "s");
	else if (!c.switches)
		pt_warn(&tool, "no sched:sched_switch among the samples: no waits");
	if (c.open)
		pt_warn(&tool, "%llu tasks still waited at the end: those waits are left out",
			(unsigned long long)c.open);
	if (c.gaps)
		pt_warn(&tool,
			"%llu waits are left out: the kernel lost switches while they lasted",
			(unsigned long long)c.gaps);
}

static void watch_of(struct args *a)
{
	struct pt_watch *w = &a->watch.watch;

	w->default_freq = DEFAULT_HZ;
	/* tell when a task is back where only its own events are watched */
	w->want_switches = a->off_cpu;
	w->want_maps = w->want_build_ids = true;
	w->no_kernel_map = !a->frames.vmlinux;
	pt_call_graph_watch(&a->call_graph, w);
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
			 pid = tid ? pt_halt_process(tid) : (uint32_t)w->pids[i];

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

	if (pt_out_open(&out, NULL, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (a->second && !(opts.second = pt_second_unwinder()))
		pt_die(&tool,
		       "--second-opinion: this build is without libunwind (pt-doctor tells)");
	pt_interrupt_reading(in, NULL, false);
	s = pt_snapshot_new(&a->frames, &opts);
	status = once_each(a, s, out);
	if (a->second) {
		pt_snapshot_agreement(s, &stacks, &same);
		pt_warn(&tool, "%s says the same of %llu of %llu stacks", opts.second->name,
			(unsigned long long)same, (unsigned long long)stacks);
	}
	pt_snapshot_free(s);
	pt_interrupt_free(in);
	pt_watch_args_deinit(&a->watch);
	return status;
}

int main(int argc, char **argv)
{
	static struct args a = { .call_graph = { "dwarf", PT_CALL_GRAPH_BYTES } };
	struct run r = { .a = &a,
			 .an = { .tool = &tool, .choose = &a.choose },
			 .text = PT_BUF_INIT };
	const struct pt_record *rec;
	int first = pt_opt_parse(&tool, argc, argv, &a);

	pt_symbols_ready(&tool, &a.frames);
	if (a.once) {
		if (!(a.watch.watch.nr_pids + a.watch.watch.nr_tids) || a.off_cpu ||
		    a.watch.nr_wanted || first < argc)
			pt_usage(
				&tool,
				"--once goes with -p PID or -t TID, without events and without a command");
		return once(&a);
	}
	if (a.frames.lines || a.modules || a.build_ids || a.second)
		pt_usage(&tool,
			 "--lines, --modules, --build-ids and --second-opinion go with --once");
	watch_of(&a);
	if (a.off_cpu && (a.watch.nr_wanted || a.by_period))
		pt_usage(
			&tool,
			"--off-cpu watches sched:sched_switch: no other event, and no weight but time");
	if (a.off_cpu && a.watch.control_how)
		pt_usage(&tool, "--off-cpu and --control: a wait would span the pauses");
	pt_analysis_open(&r.an, &a.watch, &a.input, argc, argv, first,
			 a.off_cpu ? "sched:sched_switch" : pt_sampling_default_event());
	pt_analysis_output(&r.an, NULL);
	a.frames.live = r.an.live;
	r.tasks = pt_tasks_new();
	r.frames = pt_frames_new(&a.frames);
	pt_frames_set_enough(r.frames, pt_interrupt_came, r.an.interrupt);
	r.places = pt_fold_new();
	r.fold = pt_fold_new();
	r.offcpu = a.off_cpu ? pt_offcpu_new() : NULL;
	r.names = pt_names_new();
	while (pt_analysis_next(&r.an, &rec))
		see(&r, rec);
	name_stacks(&r);
	pt_stacknote_end(&r.note, r.an.src);
	if (print(&r) < 0)
		r.an.rc = -1;
	pt_stacknote_say(&r.note, &tool, r.frames);
	if (r.offcpu)
		tell_waits(&r);
	pt_fold_free(r.places);
	pt_fold_free(r.fold);
	pt_offcpu_free(r.offcpu);
	pt_frames_free(r.frames);
	pt_tasks_free(r.tasks);
	pt_names_free(r.names);
	pt_map_deinit(&r.shown);
	pt_stacknote_deinit(&r.note);
	pt_buf_deinit(&r.text);
	free(r.stack);
	return pt_analysis_end(&r.an);
}
