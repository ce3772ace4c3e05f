/* pt-stack - call stacks, from a recording or live, as folded lines. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "record/source.h"
#include "task/tasks.h"
#include "view/fold.h"
#include "view/frames.h"

struct args {
	bool annotate, by_period, tids, pids;
	const char *event;
	struct pt_frames_opts frames;
	uint64_t max_stack;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	{ 0, "annotate", NULL, "mark frames: kernel _[k], JIT _[j], inlined _[i]", PT_OPT_FLAG, offsetof(struct args, annotate), 0, 0, NULL },
	{ 0, "event", "NAME", "only samples of this event", PT_OPT_STR, offsetof(struct args, event), 0, 0, NULL },
	{ 0, "weighted", NULL, "count periods, not samples", PT_OPT_FLAG, offsetof(struct args, by_period), 0, 0, NULL },
	{ 0, "with-pid", NULL, "COMM-PID as the first frame", PT_OPT_FLAG, offsetof(struct args, pids), 0, 0, NULL },
	{ 0, "with-tid", NULL, "COMM-PID/TID as the first frame", PT_OPT_FLAG, offsetof(struct args, tids), 0, 0, NULL },
	{ .letter = 0 }
};

static const struct pt_opt symbols[] = {
	{ 0, "no-inline", NULL, "no inlined functions", PT_OPT_FLAG, offsetof(struct args, frames.no_inline), 0, 0, NULL },
	{ 0, "no-demangle", NULL, "names as the linker knows them", PT_OPT_FLAG, offsetof(struct args, frames.no_demangle), 0, 0, NULL },
	{ 0, "symfs", "DIR", "look for files below DIR", PT_OPT_STR, offsetof(struct args, frames.symfs), 0, 0, NULL },
	{ 0, "kallsyms", "FILE", "kernel symbols, as /proc/kallsyms", PT_OPT_STR, offsetof(struct args, frames.kallsyms), 0, 0, NULL },
	{ 0, "vmlinux", "FILE", "kernel symbols, from the kernel's ELF file", PT_OPT_STR, offsetof(struct args, frames.vmlinux), 0, 0, NULL },
	{ 0, "max-stack", "N", "frames of a stack at most (1024)", PT_OPT_U64, offsetof(struct args, max_stack), 1, 65536, NULL },
	{ .letter = 0 }
};

static const struct pt_opt_group groups[] = {
	{ "Output", own, 0 },
	{ "Symbols", symbols, 0 },
	{ "Choosing", pt_opts_choose, offsetof(struct args, choose) },
	{ "Reading", pt_opts_input, offsetof(struct args, input) },
	{ NULL, NULL, 0 }
};

static const char *const forms[] = { "[OPTION...] [FILE | -]", NULL };
static const char *const examples[] = {
	"perf record --call-graph dwarf,16384 -- make; pt-stack > make.folded",
	"pt-stack --annotate cpu.data | grep _\\[k\\]",
	NULL
};

static const struct pt_tool tool = {
	.name = "pt-stack", .purpose = "call stacks as folded lines", .forms = forms, .groups = groups, .examples = examples,
};

struct run {
	struct args *a;
	struct pt_source *src;
	struct pt_out *out;
	struct pt_tasks *tasks;
	struct pt_frames *frames;
	struct pt_fold *fold;
	struct pt_names *names;		/* of frames that have none, of marked ones */
	const char **stack;
	size_t cap;
	bool started;
	uint64_t truncated, stacks;
	struct pt_buf text;
};

/* A frame as it stands in a line: an unknown one goes by its module, as FlameGraph's scripts name it. */
static const char *frame_name(struct run *r, const struct pt_named_frame *x)
{
	const char *slash, *mark = "";

	if (r->a->annotate)
		mark = x->kind == PT_FRAME_KERNEL ? "_[k]" : x->kind == PT_FRAME_JIT ? "_[j]" : x->kind == PT_FRAME_INLINED ? "_[i]" : "";
	if (x->name && !*mark)
		return x->name;
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

static int add_sample(struct run *r, const struct pt_record *rec, struct pt_err *e)
{
	const char *comm = rec->has & PERF_SAMPLE_TID ? pt_tasks_comm(r->tasks, rec->pid, rec->tid) : "?";
	const struct pt_named_frame *frames;
	struct pt_frames_how how;
	struct pt_buf who = PT_BUF_INIT;
	size_t n, i;

	if (r->a->event && strcmp(r->a->event, rec->event->name))
		return 0;
	if (!r->started && r->a->choose.any && pt_choose_start(&r->a->choose, r->src, rec->time_ns, e) < 0)
		return -1;
	r->started = true;
	if (r->a->choose.any && !pt_choose_sample(&r->a->choose, rec, comm))
		return 0;
	n = pt_frames_of(r->frames, rec, &frames, &how);
	if (n > r->cap)
		r->stack = pt_realloc(r->stack, r->cap = n, sizeof(*r->stack));
	for (i = 0; i < n; i++)
		r->stack[i] = frame_name(r, &frames[i]);
	r->stacks++;
	r->truncated += how.cut || (how.unwound && how.unwind.end != PT_UNWIND_COMPLETE);
	if (r->a->tids || r->a->pids) {
		pt_buf_printf(&who, "%s-%u", comm, rec->pid);
		if (r->a->tids)
			pt_buf_printf(&who, "/%u", rec->tid);
		comm = pt_buf_str(&who);
	}
	pt_fold_add(r->fold, comm, r->stack, n, r->a->by_period && (rec->has & PERF_SAMPLE_PERIOD) ? rec->sample.period : 1);
	pt_buf_deinit(&who);
	return 0;
}

static int run(struct run *r, struct pt_err *e)
{
	const struct pt_record *rec;
	int rc;

	while ((rc = pt_source_next(r->src, &rec, e)) > 0) {
		pt_frames_feed(r->frames, r->src, rec);
		if (rec->type != PERF_RECORD_SAMPLE)
			pt_tasks_see(r->tasks, rec);
		else if (rec->event && !rec->event->side_band && add_sample(r, rec, e) < 0)
			return -1;
	}
	return rc;
}

/* What a reader should know of the stacks, one line each. */
static void tell(const struct run *r)
{
	struct pt_frames_counts c = pt_frames_counts(r->frames);

	if (r->truncated)
		pt_warn(&tool, "%llu of %llu stacks are truncated: %llu where the stack copy ended, %llu where there is no rule to go on, %llu at what is no code",
			(unsigned long long)r->truncated, (unsigned long long)r->stacks, (unsigned long long)c.ends[PT_UNWIND_STACK],
			(unsigned long long)(c.ends[PT_UNWIND_NO_RULE] + c.ends[PT_UNWIND_LOOP]), (unsigned long long)c.ends[PT_UNWIND_NO_CODE]);
	if (c.unknown)
		pt_warn(&tool, "%llu of %llu frames have no name (their files are stripped, gone, or of another build)", (unsigned long long)c.unknown,
			(unsigned long long)c.frames);
	if (c.wrong_kernel)
		pt_warn(&tool, "the recorded kernel is not the one that runs here: give --kallsyms or --vmlinux for its names");
}

int main(int argc, char **argv)
{
	static struct args a;
	struct run r = { .a = &a, .text = PT_BUF_INIT };
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf lines = PT_BUF_INIT;
	int first = pt_opt_parse(&tool, argc, argv, &a), rc, status;

	if (pt_input_open(&tool, &r.src, NULL, &a.input, argc, argv, first, NULL, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (pt_out_open(&r.out, NULL, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	a.frames.max_stack = (unsigned)a.max_stack;
	r.tasks = pt_tasks_new();
	r.frames = pt_frames_new(&a.frames);
	r.fold = pt_fold_new();
	r.names = pt_names_new();
	rc = run(&r, &e);
	pt_fold_print(r.fold, &lines);
	if (lines.len && pt_out_write(r.out, lines.data, lines.len, &e) < 0)
		rc = -1;
	tell(&r);
	status = pt_finish(&tool, r.src, r.out, rc, &e);
	pt_fold_free(r.fold);
	pt_frames_free(r.frames);
	pt_tasks_free(r.tasks);
	pt_names_free(r.names);
	pt_choose_deinit(&a.choose);
	pt_source_free(r.src);
	pt_buf_deinit(&lines);
	pt_buf_deinit(&r.text);
	free(r.stack);
	return status;
}
