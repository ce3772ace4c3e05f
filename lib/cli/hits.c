#include "cli/hits.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/callgraph.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/symbols.h"
#include "cli/user.h"
#include "record/watch/live.h"
#include "task/tasks.h"
#include "script/script.h"

#define ROW(...) PT_ROW_OF(struct pt_hits, __VA_ARGS__)

static int hits_opt_user(void *group, const char *arg, struct pt_err *e)
{
	struct pt_hits *h = group;

	h->of_user = true;
	return pt_user_processes(arg, &h->pids, &h->nr_pids, e);
}

const struct pt_opt pt_opts_hits[] = {
	ROW('p', "pid", "PIDS",
	    "watch these processes until they end or Ctrl-C, then remove the probes",
	    PT_OPT_NUMBERS, pids, .nr_off = offsetof(struct pt_hits, nr_pids), .min = 1,
	    .max = INT32_MAX),
	PT_ROW_CALL('u', "uid", "USER", "watch the processes that this user runs now",
		    hits_opt_user),
	ROW(0, "filter", "EXPR", "only hits with such arguments: 'size > 1M'", PT_OPT_STR, filter),
	ROW('g', NULL, NULL, "print the stack of each hit", PT_OPT_FLAG, stacks),
	ROW(0, "for", "SECONDS", "stop after SECONDS", PT_OPT_TIME, duration_ns, .min = 1),
	ROW(0, "timeout", "MS", "as --for, in milliseconds", PT_OPT_MSEC, duration_ns, .min = 1),
	{ 0 }
};

void pt_hits_check(const struct pt_tool *tool, const struct pt_hits *h)
{
	if (h->command && !*h->command)
		pt_usage(tool, "-- without a command");
	if (h->command && h->nr_pids)
		pt_usage(tool, "-p watches processes that run, -- COMMAND runs one: one of them");
	if ((h->filter || h->stacks || h->duration_ns) && !h->command && !h->nr_pids)
		pt_usage(tool, "--filter, -g and --for are for hits that are watched: -p PIDS, or -- COMMAND (a pattern of -F or -V is an operand)");
}

struct hits {
	const struct pt_hits *h;
	struct pt_source *src;
	struct pt_script *script;
	struct pt_tasks *tasks;
	struct pt_frames *frames;	/* NULL: no stacks */
	const struct pt_watch *watch;
	bool filters_values;		/* hits are to be left out: pt_watch_leaves_out() */
	struct pt_out *out;
	struct pt_buf text;
};

static int hits_add_events(struct pt_event_list *l, const struct pt_events *events,
			   const char *group, const char *filter, struct pt_err *e)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct pt_new_event *ev = &events->v[i];
		char *name = pt_asprintf("%s:%s", ev->group, ev->name);
		int rc = pt_event_list_add(l, name, e);

		free(name);
		if (rc < 0 || (filter && pt_event_list_filter(l, filter, e) < 0))
			return -1;
		free(l->specs[l->nr - 1].name);
		l->specs[l->nr - 1].name = pt_asprintf("%s:%s", group, ev->name);
	}
	return 0;
}

static int hits_show(struct hits *x, const struct pt_record *rec, struct pt_err *e)
{
	const char *comm;

	if (x->frames)
		pt_frames_feed(x->frames, x->src, rec);
	if (rec->type != PERF_RECORD_SAMPLE) {
		pt_tasks_see(x->tasks, rec);
		return 0;
	}
	if (!rec->event || (x->filters_values && pt_watch_leaves_out(x->watch, rec)))
		return 0;
	comm = pt_tasks_comm(x->tasks, rec->tid);
	pt_buf_clear(&x->text);
	if (x->h->json)
		pt_script_json(x->script, rec, comm, &x->text);
	else
		pt_script_sample(x->script, x->src, rec, comm, &x->text);
	return pt_out_write(x->out, x->text.data, x->text.len, e);
}

static int hits_show_all(struct hits *x, struct pt_err *e)
{
	pid_t pid = pt_session_command_pid(pt_source_session(x->src));
	const struct pt_record *rec;
	int rc;

	x->script = pt_script_new(NULL);
	x->tasks = pt_tasks_new();
	if (x->h->stacks) {
		x->frames = pt_frames_new(&(struct pt_frames_opts){ .live = true });
		pt_script_set_frames(x->script, x->frames);
	}
	if (pt_source_tps(x->src))
		pt_tp_db_prepare(pt_source_tps(x->src));
	if (pid > 0)	/* until its exec it is this program's child */
		pt_tasks_hint(x->tasks, (uint32_t)pid, (uint32_t)pid, *x->h->command,
			      strlen(*x->h->command));
	while ((rc = pt_source_next(x->src, &rec, e)) > 0)
		if (hits_show(x, rec, e) < 0)
			return -1;
	return rc;
}

int pt_hits_run(const struct pt_tool *tool, const struct pt_hits *h, const struct pt_events *events,
		const char *group)
{
	const struct pt_call_graph chains = { .wanted = h->stacks, .how = "dwarf" };
	struct pt_watch w = { .command = h->command,
			      .pids = h->pids,
			      .nr_pids = h->nr_pids,
			      .pids_may_end = h->of_user,
			      .duration_ns = h->duration_ns,
			      .clockid = CLOCK_MONOTONIC,
			      .exclude_self = true,
			      .want_maps = h->stacks,
			      .slow_reader = h->stacks,
			      .no_kernel_map = true,
			      .command_output = PT_COMMAND_TO_STDERR };
	struct hits x = { .h = h, .watch = &w };
	struct pt_err e = PT_ERR_INIT;
	int rc;

	pt_call_graph_watch(&chains, &w);
	pt_event_list_init(&w.events);
	rc = hits_add_events(&w.events, events, group, h->filter, &e);
	x.filters_values = pt_watch_filters_values(&w);
	if (rc == 0)
		rc = pt_source_open_live(&x.src, &w, &e);
	if (rc == 0)
		rc = pt_out_open(&x.out, NULL, &e);
	if (rc == 0) {
		pt_out_live(x.out, 0);
		rc = hits_show_all(&x, &e);
	}
	rc = pt_finish(tool, x.src, x.out, rc, &e);
	if (x.frames)
		pt_symbols_tell(tool, x.frames);
	pt_buf_deinit(&x.text);
	pt_script_free(x.script);
	pt_frames_free(x.frames);
	pt_tasks_free(x.tasks);
	pt_source_free(x.src);
	pt_event_list_deinit(&w.events);
	return rc;
}
