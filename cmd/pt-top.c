/* pt-top - where the time goes now: a table of functions that follows a live session, or is that of
 * a recording, with the calls and the code of each. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/screen.h"
#include "cli/symbols.h"
#include "cli/tty.h"
#include "event/open.h"
#include "profile/browse.h"
#include "record/live.h"

enum { DEFAULT_HZ = 99 };

static const uint64_t second_ns = 1000000000,
		      key_ns = 50000000;	/* how often keys are looked for */

struct args {
	bool stacks, text, folded, last_only, with_idle;
	uint64_t delay_ns, window_ns, lines;
	struct pt_browse_opts browse;
	struct pt_frames_opts frames;
	struct pt_call_graph call_graph;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static int opt_sort(void *group, const char *arg, struct pt_err *e)
{
	return pt_table_parse(&((struct args *)group)->browse.sort, arg, true, e);
}

static int opt_call_graph(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	a->stacks = true;
	return pt_call_graph_parse(&a->call_graph, arg, e);
}

static int parse_seconds(const char *arg, double least, uint64_t *ns, struct pt_err *e)
{
	double s;

	if (pt_num_double(arg, &s, e) < 0)
		return -1;
	if (!(s >= least && s <= 3600))
		return pt_err_set(e, "from %g to 3600 seconds", least);
	*ns = (uint64_t)(s * (double)second_ns);
	return 0;
}

static int opt_refresh(void *group, const char *arg, struct pt_err *e)
{
	return parse_seconds(arg, 0.1, &((struct args *)group)->delay_ns, e);
}

static int opt_window(void *group, const char *arg, struct pt_err *e)
{
	return parse_seconds(arg, 0, &((struct args *)group)->window_ns, e);
}

static const struct pt_opt own[] = {
	PT_ROW_CALL('d', "refresh", "SECONDS", "between two refreshes (2)", opt_refresh),
	PT_ROW_CALL(0, "window", "SECONDS", "show the samples of the last SECONDS (10); 0: all",
		    opt_window),
	PT_ROW('z', "zero", NULL, "show only the samples since the last refresh", PT_OPT_FLAG,
	       last_only),
	PT_ROW_CALL('s', "sort", "KEYS",
		    "a row for each comm, pid, tid, cpu, cgroup, dso, sym, srcline, srcfile; several: a,b (dso,sym)",
		    opt_sort),
	PT_ROW('n', "show-nr-samples", NULL, "a column of samples", PT_OPT_FLAG, browse.samples),
	PT_ROW('g', NULL, NULL, "record stacks: rows for callers, too; Enter shows calls",
	       PT_OPT_FLAG, stacks),
	PT_ROW_CALL(0, "call-graph", "HOW", "the same, by fp, lbr or dwarf[,BYTES] (-g: dwarf)",
		    opt_call_graph),
	PT_ROW('K', "hide-kernel", NULL, "no rows of the kernel", PT_OPT_FLAG,
	       browse.hide_kernel),
	PT_ROW('U', "hide-user", NULL, "no rows of user programs", PT_OPT_FLAG,
	       browse.hide_user),
	PT_ROW(0, "idle", NULL, "show samples of idle CPUs, too",
	       PT_OPT_FLAG, with_idle),
	PT_ROW(0, "text", NULL, "print each refresh, for pipes and files", PT_OPT_FLAG, text),
	PT_ROW(0, "folded", NULL, "print each refresh's stacks as folded lines, for pt-flame",
	       PT_OPT_FLAG, folded),
	PT_ROW('E', "entries", "N", "with --text: at most N rows (20)", PT_OPT_U64, lines, .min = 1,
	       .max = 1000000),
	{ 0 }
};

static struct pt_opt watch_rows[32];

static const struct pt_tool tool = {
	.name = "pt-top",
	.purpose = "where the time goes now, on a full screen",
	.forms = (const char *const[]){ "[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]",
					"[OPTION...] FILE", NULL },
	.groups = (const struct pt_opt_group[]){ { "Screen", own, 0 },
						 { "Symbols", pt_opts_symbols,
						   offsetof(struct args, frames) },
						 { "Choosing samples", pt_opts_choose,
						   offsetof(struct args, choose) },
						 { "Reading", pt_opts_input,
						   offsetof(struct args, input) },
						 { "Live", watch_rows,
						   offsetof(struct args, watch) },
						 { NULL, NULL, 0 } },
	.examples = (const char *const[]){ "pt-top", "pt-top -g -p 1234", "pt-top -e page-faults -s comm,sym",
					   "pt-top --text -d 5 --for 60 > top.txt",
					   "pt-top --folded -g --for 60 | pt-flame > top.svg",
					   "pt-top perf.data", NULL },
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_gather *gather;
	struct pt_browse *browse;
	struct pt_screen *screen;	/* NULL: --text */
	uint64_t due_ns;		/* when the next refresh is due; 0: before the first tick */
	size_t turns;			/* of the window, in refreshes */
	uint64_t idle, busy;		/* samples since the last refresh */
	bool quits, printed;
};

static bool is_chosen(void *ctx, const struct pt_record *rec, const char *comm)
{
	struct run *r = ctx;
	bool idle = rec->has & PERF_SAMPLE_TID && !rec->tid && !rec->pid;

	if (!pt_choose_sample(&r->a->choose, rec, comm))
		return false;
	r->idle += idle;
	r->busy += !idle;
	return !idle || r->a->with_idle;
}

/* -- the screen -- */

static void put_line(void *ctx, size_t line, enum pt_style style, const char *text, size_t len)
{
	pt_screen_put(ctx, line, style, text, len);
}

static void draw(struct run *r)
{
	pt_browse_draw(r->browse, pt_screen_lines(r->screen), pt_screen_columns(r->screen),
		       put_line, r->screen);
	pt_screen_show(r->screen);
}

static size_t window_turns(const struct run *r)
{
	return r->a->last_only ? 1 : r->turns;
}

static void set_turns(struct run *r)
{
	const struct args *a = r->a;

	r->turns = r->an.live && a->window_ns ? PT_MAX(a->window_ns / a->delay_ns, (uint64_t)1)
					      : PT_ALL_TURNS;
	if (r->gather && r->an.live)
		pt_gather_forget(r->gather, window_turns(r));
}

static void refresh(struct run *r)
{
	const struct pt_tally *t = pt_source_tally(r->an.src);
	struct pt_buf status = PT_BUF_INIT;

	pt_gather_name(r->gather);
	if (r->an.live && window_turns(r) != PT_ALL_TURNS)
		pt_buf_printf(&status, " in %.4g s",
			      (double)(window_turns(r) * r->a->delay_ns) / (double)second_ns);
	if (r->idle)
		pt_buf_printf(&status, ", %llu %% idle",
			      (unsigned long long)(100 * r->idle / (r->idle + r->busy)));
	r->idle = r->busy = 0;
	if (t->lost + t->undelivered)
		pt_buf_printf(&status, ", %llu lost",
			      (unsigned long long)(t->lost + t->undelivered));
	pt_browse_refresh(r->browse, pt_buf_str(&status));
	pt_buf_deinit(&status);
}

/* -- what keys change -- */

/* Keys that a profile of a stream cannot have are refused. */
static int check_keys(unsigned keys, struct pt_err *e)
{
	if (keys & (1u << PT_KEY_TIME | 1u << PT_KEY_PARENT | 1u << PT_KEY_TRACE))
		return pt_err_set(e, "-s time, parent and trace: pt-report has them");
	return 0;
}

static int change_sort(struct run *r, const char *text, struct pt_err *e)
{
	struct pt_table_opts sort = { .nr_fields = 0 };
	unsigned lines = 1u << PT_KEY_SRCLINE | 1u << PT_KEY_SRCFILE;

	if (pt_table_parse(&sort, text, true, e) < 0 ||
	    check_keys(pt_table_keys(&sort), e) < 0)
		return -1;
	if (!r->an.live)
		return pt_err_set(e, "a recording was read with its keys: start again with -s");
	if (pt_table_keys(&sort) & lines && !r->a->frames.lines)
		return pt_err_set(e, "source lines are not read: start again with -s");
	pt_gather_rekey(r->gather, pt_table_keys(&sort));
	pt_browse_sort(r->browse, &sort);
	return 0;
}

static int change_delay(struct run *r, const char *text, struct pt_err *e)
{
	if (parse_seconds(text, 0.1, &r->a->delay_ns, e) < 0)
		return -1;
	set_turns(r);
	r->due_ns = 0;
	return 0;
}

static int change_freq(struct run *r, const char *text, struct pt_err *e)
{
	uint64_t hz;

	if (pt_num_u64(text, 1, UINT32_MAX, &hz, e) < 0)
		return -1;
	if (!r->an.live)
		return pt_err_set(e, "a recording has its frequency");
	return pt_session_set_freq(pt_source_session(r->an.src), hz, e);
}

static void change(struct run *r, int (*to)(struct run *, const char *, struct pt_err *))
{
	struct pt_err e = PT_ERR_INIT;

	if (to(r, pt_browse_typed(r->browse), &e) < 0)
		pt_browse_say(r->browse, e.msg);
}

static void take_key(struct run *r, int key)
{
	switch (pt_browse_key(r->browse, key)) {
	case PT_BROWSE_QUIT:
		r->quits = true;
		break;
	case PT_BROWSE_WINDOW:
		r->a->last_only = !r->a->last_only;
		set_turns(r);
		break;
	case PT_BROWSE_SORT:
		change(r, change_sort);
		break;
	case PT_BROWSE_DELAY:
		change(r, change_delay);
		break;
	case PT_BROWSE_FREQ:
		change(r, change_freq);
		break;
	case PT_BROWSE_DRAW:
		break;
	}
}

static void take_keys(struct run *r)
{
	bool any = false;
	int key;

	while (!r->quits && (key = pt_screen_key(r->screen, false)) != PT_SCREEN_NO_KEY) {
		take_key(r, key);
		any = true;
	}
	if (any && !r->quits)
		draw(r);
}

static void print(struct run *r)
{
	r->printed = true;
	if (r->a->folded) {
		pt_browse_folded(r->browse, &r->an.text);
		return;
	}
	pt_browse_text(r->browse, (size_t)r->a->lines, pt_tty_columns(NULL), &r->an.text);
	pt_buf_putc(&r->an.text, '\n');
}

/* What came since the last refresh. */
static void print_rest(struct run *r)
{
	if (r->printed && !r->idle && !r->busy)
		return;
	refresh(r);
	print(r);
}

static void show(struct run *r)
{
	if (!r->screen || pt_browse_moves(r->browse))
		refresh(r);
	if (r->screen)
		draw(r);
	else
		print(r);
}

/* Ticks come between samples: keys are looked at, and a refresh may be due. */
static void tick(struct run *r, uint64_t now_ns)
{
	if (r->screen)
		take_keys(r);
	if (!r->due_ns)
		r->due_ns = now_ns + r->a->delay_ns;
	if (r->quits || now_ns < r->due_ns)
		return;
	show(r);
	pt_gather_turn(r->gather);
	r->due_ns = PT_MAX(r->due_ns, now_ns) + r->a->delay_ns;
}

static void follow(struct run *r)
{
	const struct pt_record *rec;

	if (r->screen)
		draw(r);
	while (!r->quits && pt_analysis_next(&r->an, &rec)) {
		pt_gather_feed(r->gather, r->an.src, rec);
		if (rec->type == PT_RECORD_TICK)
			tick(r, rec->time_ns);
	}
}

/* What was read stays on the screen until somebody quits. */
static void stay(struct run *r)
{
	pt_browse_over(r->browse);
	/* nothing is read any more: signals end the tool */
	pt_frames_set_enough(pt_gather_frames(r->gather), NULL, NULL);
	pt_interrupt_free(r->an.interrupt);
	r->an.interrupt = NULL;
	draw(r);
	while (!r->quits) {
		take_key(r, pt_screen_key(r->screen, true));
		draw(r);
	}
}

static void open_screen(struct run *r)
{
	if (!r->a->text && pt_screen_open(&r->screen, pt_tty_colours(PT_ANSI_AUTO, NULL),
					  &r->an.err) < 0)
		r->an.rc = -1;
}

/* Ctrl-C or --for ended it: nobody wants to look at it any longer. */
static bool is_to_end(const struct run *r)
{
	struct pt_session *s = pt_source_session(r->an.src);

	return s && (r->a->watch.watch.duration_ns || pt_session_interrupted(s));
}

static void run(struct run *r)
{
	if (r->an.live)
		open_screen(r);
	if (r->an.rc >= 0)
		follow(r);
	if (r->a->text) {
		print_rest(r);
	} else if (!r->quits && r->an.rc >= 0 && !is_to_end(r)) {
		refresh(r);		/* of a recording it may take a while: no screen yet */
		if (!r->an.live)
			open_screen(r);
		if (r->screen)
			stay(r);
	}
	pt_screen_close(r->screen);
}

static void watch_of(struct args *a)
{
	struct pt_watch *w = &a->watch.watch;

	w->default_freq = DEFAULT_HZ;
	w->want_maps = true;
	w->slow_reader = true;
	w->interval_ns = a->text ? a->delay_ns : key_ns;
	w->no_kernel_map = !a->frames.vmlinux;
	w->max_stack = (uint16_t)PT_MIN(a->frames.max_stack, (uint64_t)127);
	if (!a->text)
		w->command_output = PT_COMMAND_APART;
	if (a->stacks)
		pt_call_graph_watch(&a->call_graph, w);
}

int main(int argc, char **argv)
{
	static struct args a = { .delay_ns = 2000000000,
				 .window_ns = 10000000000,
				 .lines = 20,
				 .call_graph = { "dwarf", PT_CALL_GRAPH_BYTES } };
	struct run r = { .a = &a, .an = { .tool = &tool, .choose = &a.choose } };
	struct pt_gather_opts o = { .chosen = is_chosen, .ctx = &r };
	int first;

	pt_watch_rows_without(watch_rows, PT_NR(watch_rows), "");
	first = pt_opt_parse(&tool, argc, argv, &a);
	a.text = a.text || a.folded || !isatty(STDOUT_FILENO);
	a.last_only |= a.folded;
	pt_symbols_ready(&tool, &a.frames);
	if (!a.browse.sort.nr_fields &&
	    opt_sort(&a, a.folded ? "comm,dso,sym" : "dso,sym", &r.an.err) < 0)
		pt_die(&tool, "%s", r.an.err.msg);
	o.keys = pt_table_keys(&a.browse.sort);
	if (check_keys(o.keys, &r.an.err) < 0)
		pt_usage(&tool, "%s", r.an.err.msg);
	watch_of(&a);
	if (!a.watch.given && !a.watch.preset && !a.input.file && first == argc)
		a.watch.watch.all_cpus = true;
	if (a.watch.watch.all_cpus && !a.watch.given)
		a.watch.given = "-a";
	pt_analysis_open(&r.an, &a.watch, &a.input, argc, argv, first, pt_sampling_default_event());
	if (a.text)
		pt_analysis_output(&r.an, NULL);
	a.frames.live = r.an.live;
	/* --no-inline alone would leave out the reader of source lines, which code needs */
	a.frames.lines = a.frames.no_inline ||
			 o.keys & (1u << PT_KEY_SRCLINE | 1u << PT_KEY_SRCFILE);
	o.frames = &a.frames;
	set_turns(&r);
	o.turns = r.an.live ? window_turns(&r) : PT_ALL_TURNS;
	r.gather = pt_gather_new(&o);
	pt_frames_set_enough(pt_gather_frames(r.gather), pt_interrupt_came, r.an.interrupt);
	r.browse = pt_browse_new(&a.browse, r.gather);
	run(&r);
	if (a.text)
		pt_analysis_print(&r.an);
	pt_symbols_tell(&tool, pt_gather_frames(r.gather));
	pt_browse_free(r.browse);
	pt_gather_free(r.gather);
	return pt_analysis_end(&r.an);
}
