/* pt-top - where the time goes now: a table of functions, with the calls and the code of each, that
 * follows a live session or shows a recording. */
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/analysis.h"
#include "cli/callgraph.h"
#include "cli/opt.h"
#include "cli/screen.h"
#include "cli/symbols.h"
#include "cli/tty.h"
#include "event/abi.h"
#include "event/open.h"
#include "profile/browse.h"
#include "record/watch/live.h"

enum { DEFAULT_HZ = 99 };

enum { KEY_NS = 50000000 };		/* how often keys are looked for */
#define SECOND_NS 1000000000ull
#define MIN_DELAY_NS (SECOND_NS / 10)
#define MAX_NS (3600 * SECOND_NS)	/* of a delay and of a window */

struct args {
	bool text, folded, last_only, with_idle;
	uint64_t delay_ns, window_ns, lines;
	const char *output;
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

#define KEYS "comm, pid, tid, cpu, cgroup, dso, sym, srcline, srcfile"

static const struct pt_opt own[] = {
	PT_ROW('d', "refresh", "SECONDS", "time between refreshes (2)", PT_OPT_TIME, delay_ns,
	       .min = MIN_DELAY_NS, .max = MAX_NS),
	PT_ROW(0, "window", "SECONDS", "show only samples of the last SECONDS (10); 0: all",
	       PT_OPT_TIME, window_ns, .max = MAX_NS),
	PT_ROW_FLAG('z', "zero", "show only samples since the last refresh", last_only),
	PT_ROW_CALL('s', "sort", "KEYS",
		    "a row for each KEY: " KEYS "; several: a,b (dso,sym)", opt_sort, .list = KEYS),
	PT_ROW_FLAG('n', "show-nr-samples", "add a column of sample counts", browse.samples),
	PT_ROW_FLAG('g', NULL, "record stacks: also rows for callers; Enter shows calls",
		    call_graph.wanted),
	PT_ROW_CALL_GRAPH("the same, with fp, lbr or dwarf[,BYTES] (default)"),
	PT_ROW_FLAG('K', "hide-kernel", "hide functions of the kernel", browse.hide_kernel),
	PT_ROW_FLAG('U', "hide-user", "hide functions of user programs", browse.hide_user),
	PT_ROW_FLAG(0, "idle", "also show samples of idle CPUs", with_idle),
	PT_ROW_FLAG(0, "text", "print each refresh as text, for pipes and files", text),
	PT_ROW_FLAG(0, "folded", "print each refresh's stacks as folded lines, for pt-flame",
		    folded),
	PT_ROW('E', "entries", "N", "with --text: print at most N rows (20)", PT_OPT_U64, lines,
	       .min = 1, .max = 1000000),
	PT_ROW('o', "output", "FILE", "write text to FILE", PT_OPT_STR, output),
	PT_ROW('I', "interval", "MS", NULL, PT_OPT_MSEC, delay_ns, .min = MIN_DELAY_NS,
	       .max = MAX_NS),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-top",
	.forms = PT_LINES(
		"[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]",
		"[OPTION...] FILE..."),
	.groups = PT_GROUPS(
		PT_OWN("Screen", own),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"pt-top",
		"pt-top -g -p 1234",
		"pt-top -e page-faults -s comm,sym",
		"pt-top --text -d 5 --for 60 > top.txt",
		"pt-top --folded -g --for 60 | pt-flame > top.svg",
		"pt-top perf.data"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_gather *gather;
	struct pt_browse *browse;
	struct pt_screen *screen;	/* NULL: --text */
	uint64_t due_ns;		/* when the next refresh is due; 0: before the first tick */
	size_t turns;			/* of the window, in refreshes */
	size_t past;			/* refreshes since the start */
	uint64_t idle, busy;		/* samples since the last refresh */
	bool quits, printed;
};

static bool is_chosen(void *ctx, const struct pt_record *rec, const char *comm)
{
	struct run *r = ctx;
	bool idle = pt_record_is_idle(rec);

	if (!pt_choose_sample(&r->a->choose, rec, comm))
		return false;
	r->idle += idle;
	r->busy += !idle;
	return !idle || r->a->with_idle;
}

/* -- the screen -- */

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
	r->past++;
	if (r->an.live && window_turns(r) != PT_ALL_TURNS)
		pt_buf_printf(&status, " in %.4g s",
			      (double)(PT_MIN(window_turns(r), r->past) * r->a->delay_ns) /
				      (double)SECOND_NS);
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

/* Refuses keys that a live profile cannot have. */
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
		return pt_err_set(e,
				  "the keys of a recording cannot be changed: start again with -s");
	if (pt_table_keys(&sort) & lines && !r->a->frames.lines)
		return pt_err_set(e, "source lines are not read: start again with -s");
	if (pt_table_keys(&sort) & 1u << PT_KEY_CGROUP &&
	    !(r->a->watch.watch.sample_type & PT_SAMPLE_CGROUP))
		return pt_err_set(e, "control groups are not recorded: start again with -s");
	pt_gather_rekey(r->gather, pt_table_keys(&sort));
	pt_browse_sort(r->browse, &sort);
	return 0;
}

static int change_delay(struct run *r, const char *text, struct pt_err *e)
{
	uint64_t ns;

	if (pt_num_seconds(text, &ns, e) < 0)
		return -1;
	if (ns < MIN_DELAY_NS || ns > MAX_NS)
		return pt_err_set(e, "from 0.1 to 3600 seconds");
	r->a->delay_ns = ns;
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
		return pt_err_set(e, "the frequency of a recording cannot be changed");
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
		pt_screen_draw(r->screen, r->browse);
}

static void print_event(struct run *r)
{
	if (r->a->folded) {
		pt_browse_folded(r->browse, &r->an.text);
		return;
	}
	pt_browse_text(r->browse, (size_t)r->a->lines, pt_tty_columns(NULL), &r->an.text);
	pt_buf_putc(&r->an.text, '\n');
}

static void print(struct run *r)
{
	size_t i = 0;

	if (!pt_browse_each(r->browse, &i))
		print_event(r);			/* says that there are no samples */
	else
		do
			print_event(r);
		while (pt_browse_each(r->browse, &i));
	r->printed = true;
}

/* Prints what came since the last refresh. */
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
		pt_screen_draw(r->screen, r->browse);
	else
		print(r);
}

/* Handles a tick between samples: reads keys, and refreshes if that is due. */
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
		pt_screen_draw(r->screen, r->browse);
	while (!r->quits && pt_analysis_next(&r->an, &rec)) {
		pt_gather_feed(r->gather, r->an.src, rec);
		if (rec->type == PT_RECORD_TICK)
			tick(r, rec->time_ns);
	}
}

/* Keeps the final state on the screen until the user quits. */
static void stay(struct run *r)
{
	pt_browse_over(r->browse);
	/* the input is over: from now on signals end the tool */
	pt_frames_set_enough(pt_gather_frames(r->gather), NULL, NULL);
	pt_interrupt_free(r->an.interrupt);
	r->an.interrupt = NULL;
	pt_screen_draw(r->screen, r->browse);
	while (!r->quits) {
		take_key(r, pt_screen_key(r->screen, true));
		pt_screen_draw(r->screen, r->browse);
	}
}

static void open_screen(struct run *r)
{
	if (!r->a->text && pt_screen_open(&r->screen, pt_tty_colours(PT_ANSI_AUTO, NULL),
					  &r->an.err) < 0)
		r->an.rc = -1;
}

/* True if Ctrl-C or --for ended the session: do not keep the screen. */
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
		refresh(r);		/* may take long for a recording: no screen yet */
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
	if (pt_table_keys(&a->browse.sort) & 1u << PT_KEY_CGROUP)
		w->sample_type |= PT_SAMPLE_CGROUP;
	w->interval_ns = a->text ? a->delay_ns : KEY_NS;
	w->no_kernel_map = !a->frames.vmlinux;
	w->max_stack = (uint16_t)PT_MIN(a->frames.max_stack, (uint64_t)127);
	if (!a->text)
		w->command_output = PT_COMMAND_APART;
	pt_call_graph_watch(&a->call_graph, w);
	w->slow_reader = w->stack_bytes;	/* other samples are small */
}

int main(int argc, char **argv)
{
	static struct args a = { .delay_ns = 2 * SECOND_NS,
				 .window_ns = 10 * SECOND_NS,
				 .lines = 20,
				 .call_graph = { .how = "dwarf" } };
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	struct pt_gather_opts o = { .chosen = is_chosen, .ctx = &r };

	pt_analysis_parse(&r.an, argc, argv, &a);
	a.text = a.text || a.folded || a.output || !isatty(STDOUT_FILENO);
	a.last_only |= a.folded;
	pt_symbols_ready(&tool, &a.frames);
	if (!a.browse.sort.nr_fields &&
	    opt_sort(&a, a.folded ? "comm,dso,sym" : "dso,sym", &r.an.err) < 0)
		pt_die(&tool, "%s", r.an.err.msg);
	o.keys = pt_table_keys(&a.browse.sort);
	if (check_keys(o.keys, &r.an.err) < 0)
		pt_usage(&tool, "%s", r.an.err.msg);
	watch_of(&a);
	if (!pt_watch_asked(&a.watch) && !a.watch.preset && !a.input.file && !r.an.operands.nr)
		a.watch.watch.all_cpus = true;
	if (a.watch.watch.all_cpus && !pt_watch_asked(&a.watch))
		a.watch.given = "-a";
	pt_analysis_open(&r.an, pt_sampling_default_event());
	if (a.text)
		pt_analysis_output(&r.an, a.output);
	else
		pt_progress_end(&r.an.progress);
	a.frames.live = r.an.live;
	/* the code view needs source lines even with --no-inline */
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
