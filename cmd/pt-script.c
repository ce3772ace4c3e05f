/* pt-script - records as text, in perf script's layout, or as JSON lines. */
#include <string.h>
#include <sys/stat.h>

#include "base/foldnote.h"
#include "base/map.h"
#include "cli/analysis.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/python.h"
#include "cli/symbols.h"
#include "record/watch/live.h"
#include "record/read/source.h"
#include "task/tasks.h"
#include "script/script.h"

enum { DEFAULT_HZ = 999 };

struct args {
	struct pt_strs fields;
	struct pt_script_opts o;
	const char *script, *output;
	bool json, header, header_only, chains, dump;
	bool tasks, maps, lost, switches, namespaces, bpf, cgroups;
	struct pt_frames_opts frames;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	PT_ROW('F', "fields", "FIELDS",
	       "fields of a line: comm,tid,time,...; +FIELD, -FIELD; TYPE:FIELDS for hw, sw, trace, raw, break",
	       PT_OPT_LIST, fields, .list = pt_script_field_list),
	PT_ROW_FLAG(0, "ns", "times with nine decimals", o.nanoseconds),
	PT_ROW_SET(0, "reltime", "times since the first line", o.time, PT_SCRIPT_TIME_SINCE_FIRST),
	PT_ROW_SET(0, "deltatime", "times since the line before", o.time,
		   PT_SCRIPT_TIME_SINCE_LAST),
	PT_ROW('s', "script", "FILE.py", "call the functions of a Python script for perf script -s; operands are its arguments",
	       PT_OPT_STR, script),
	PT_ROW_JSON("one JSON object per line, with tracepoint fields by name"),
	PT_ROW_OUTPUT,
	PT_ROW_FLAG(0, "header", "first print what the recording tells of itself and its machine",
		    header),
	PT_ROW_FLAG('I', "show-info", NULL, header),
	PT_ROW_FLAG(0, "header-only", "print only that", header_only),
	PT_ROW_FLAG(0, "hide-call-graph", "no call chains", o.hide_chains),
	PT_ROW('S', "symbols", "NAMES", "only samples in these functions (* and ? are wildcards) or at 0xADDRESS",
	       PT_OPT_NAMES, o.symbols),
	PT_ROW(0, "dsos", "FILES", "only samples in these programs and libraries", PT_OPT_NAMES,
	       o.dsos),
	PT_ROW(0, "max-blocks", "N", "with brstackinsn: only the last N blocks of code", PT_OPT_U64,
	       o.max_blocks, .min = 1),
	PT_ROW_FLAG(0, "dump-raw-trace", "also show the bytes of each record", dump),
	PT_ROW_FLAG(0, "show-task-events", "also show COMM, FORK and EXIT records", tasks),
	PT_ROW_FLAG(0, "show-mmap-events", "also show MMAP and MMAP2 records", maps),
	PT_ROW_FLAG(0, "show-lost-events", "also show LOST and LOST_SAMPLES records", lost),
	PT_ROW_FLAG(0, "show-switch-events", "also show SWITCH and SWITCH_CPU_WIDE records",
		    switches),
	PT_ROW_FLAG(0, "show-namespace-events", "also show NAMESPACES records", namespaces),
	PT_ROW_FLAG(0, "show-bpf-events", "also show KSYMBOL and BPF_EVENT records", bpf),
	PT_ROW_FLAG(0, "show-cgroup-events", "also show CGROUP records", cgroups),
	PT_ROW(0, "comms", "NAMES", NULL, PT_OPT_NAMES, choose.comms, .given = "--comms",
	       .given_off = offsetof(struct args, choose.given)),
	{ 0 }
};

static const struct pt_opt own_live[] = {
	PT_ROW_FLAG('g', NULL, "record call chains", chains),
	{ 0 }
};

static const char *perf_hint(char letter)
{
	switch (letter) {
	case 'c': return "perf script's -c NAMES is --comm NAMES";
	case 'D': return "perf script's -D is --dump-raw-trace";
	case 'G': return "perf script's -G is --hide-call-graph";
	default: return NULL;
	}
}

static const struct pt_tool tool = {
	.name = "pt-script",
	.hint = perf_hint,
	.forms = PT_LINES(
		"[OPTION...] [FILE... | -]",
		"[OPTION...] [-e EVENT] [-a | -p PID] [-- COMMAND [ARG...]]",
		"-s FILE.py [OPTION...] [ARG...]"),
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS,
		PT_GROUP("Live, controlled", pt_opts_control, watch),
		PT_OWN("Live, stacks", own_live)),
	.examples = PT_LINES(
		"pt-script fio.data | less",
		"pt-script -F comm,time,event,trace --comm dd",
		"pt-script -e sched:sched_switch -a --for 1",
		"pt-script -j --block -- fio job.fio | jq .fields.bytes"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_script *script;
	size_t looked;			/* number of events whose need of names was checked */
	struct pt_tasks *tasks;
	struct pt_python python;	/* --script */
	const char *path;		/* of a recording; NULL: not known */
	bool started;			/* the first sample came: all events are known */
};

static int64_t captured_at(const struct run *r)
{
	struct stat st;

	if (!r->path || !strcmp(r->path, "-") || pt_source_info(r->an.src)->live ||
	    stat(r->path, &st) < 0)
		return 0;
	return st.st_mtime;
}

/* Before the first sample. */
static int start(struct run *r, struct pt_err *e)
{
	r->started = true;
	if (r->a->header || r->a->header_only)
		pt_script_header(r->an.src, captured_at(r), &r->an.text);
	return r->a->header_only ? 0 : pt_script_check(r->script, r->an.src, e);
}

static void show_one(struct run *r, const struct pt_record *rec, const char *comm)
{
	if (r->a->json)
		pt_script_json(r->script, rec, comm, &r->an.text);
	else
		pt_script_sample(r->script, r->an.src, rec, comm, &r->an.text);
}

static int show_sample(struct run *r, const struct pt_record *rec, struct pt_err *e)
{
	const char *comm;

	if (!r->started) {
		if (start(r, e) < 0)
			return -1;
		if (r->a->header_only)
			return 0;
	}
	comm = rec->has & PERF_SAMPLE_TID ? pt_tasks_comm(r->tasks, rec->tid) : ":-1";
	if (pt_choose_sample(r->an.choose, rec, comm) && pt_script_chosen(r->script, rec))
		show_one(r, rec, comm);
	return 0;
}

static void show_side(struct run *r, const struct pt_record *rec)
{
	const char *comm;
	uint32_t pid, tid;

	if (r->a->header_only)
		return;
	pt_script_about(rec, &pid, &tid);
	comm = pt_tasks_comm(r->tasks, tid);
	if (!pt_choose_sample(r->an.choose, rec, comm))
		return;
	if (r->a->json) {
		pt_script_json(r->script, rec, comm, &r->an.text);
	} else {
		pt_script_flush(r->script, r->an.src, &r->an.text);
		pt_script_side(r->script, r->an.src, rec, comm, &r->an.text);
	}
}

static bool is_shown(const struct args *a, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return a->tasks;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return a->maps;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: return a->lost;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return a->switches;
	case PERF_RECORD_NAMESPACES: return a->namespaces;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT: return a->bpf;
	case PERF_RECORD_CGROUP: return a->cgroups;
	}
	return false;
}

/* JSON has names only on request. */
static bool wants_names(const struct pt_script *s)
{
	return pt_script_wants_symbols(s) || pt_script_wants_lines(s);
}

/* Starts the naming of code once an event needs it: most recordings of tracepoints do not. */
static void look_for_names(struct run *r)
{
	if (r->an.frames || r->looked == pt_source_nr_events(r->an.src))
		return;
	r->looked = pt_source_nr_events(r->an.src);
	if (r->a->header_only ||
	    !(r->a->json && !r->a->script ? wants_names(r->script)
					  : pt_script_needs_frames(r->script, r->an.src)))
		return;
	pt_analysis_frames(&r->an, &r->a->frames);
	pt_script_set_frames(r->script, r->an.frames);
}

static void dump(void *ctx, const struct pt_record *rec)
{
	struct run *r = ctx;

	if (rec->type >= PT_RECORD_TICK)	/* of pt's own, in no file */
		return;
	pt_script_flush(r->script, r->an.src, &r->an.text);
	pt_script_dump(rec, &r->an.text);
}

static int show(struct run *r, const struct pt_record *rec, struct pt_err *e)
{
	look_for_names(r);
	if (r->a->dump)
		dump(r, rec);
	if (rec->type == PERF_RECORD_SAMPLE)
		return rec->event ? show_sample(r, rec, e) : 0;
	pt_script_see(r->script, rec);
	if (rec->type != PERF_RECORD_EXIT)	/* shown while its task is still known */
		pt_tasks_see(r->tasks, rec);
	if (is_shown(r->a, rec->type))
		show_side(r, rec);
	if (rec->type == PERF_RECORD_EXIT)
		pt_tasks_see(r->tasks, rec);
	return 0;
}

static void run(struct run *r)
{
	const struct pt_record *rec;

	while (pt_analysis_next(&r->an, &rec)) {
		if (show(r, rec, &r->an.err) < 0)
			r->an.rc = -1;
		if (r->started && r->a->header_only)
			break;
	}
	if (!r->started && start(r, &r->an.err) < 0)
		r->an.rc = -1;
	pt_script_flush(r->script, r->an.src, &r->an.text);
	pt_analysis_print(&r->an);
	pt_analysis_offer(&r->an, "--symbols", pt_script_symbols_there(r->script));
	pt_analysis_offer(&r->an, "--dsos", pt_script_dsos_there(r->script));
}

static void begin_live(struct run *r)
{
	pid_t pid = pt_session_command_pid(pt_source_session(r->an.src));

	if (pt_source_tps(r->an.src))
		pt_tp_db_prepare(pt_source_tps(r->an.src));
	if (pid > 0)	/* until its exec it has this tool's name */
		pt_tasks_hint(r->tasks, (uint32_t)pid, (uint32_t)pid, tool.name, strlen(tool.name));
}

/* True if lines of this live session will name user code. Tracepoints do so only with call chains.
 */
static bool names_code(const struct args *a, const struct pt_script *script,
		       const struct pt_event_list *events)
{
	bool code = a->chains || wants_names(script);

	if (a->json && !a->script)
		return wants_names(script);
	for (size_t i = 0; i < events->nr && a->fields.nr == 0; i++)
		code |= events->specs[i].attr.type != PERF_TYPE_TRACEPOINT ||
			events->specs[i].chain > PT_CHAIN_NO;
	return code;
}

/* Asks a session for what naming needs: maps, build-ids, larger rings. */
static void choose_session(struct pt_watch *w, void *ctx)
{
	const struct run *r = ctx;
	bool code = names_code(r->a, r->script, &w->events);

	w->want_maps |= code;
	w->want_build_ids |= code;
	w->slow_reader = code;
}

/* Reports the quality of the printed stacks, if there were any. */
static void say_stacks(const struct run *r, const struct pt_frames_counts *c)
{
	const struct pt_tally *t = pt_source_tally(r->an.src);
	struct pt_foldnote n = { .known = true,
				 .samples = c->stacks,
				 .lost = t->lost + t->undelivered,
				 .frames = c->frames,
				 .unresolved = c->unknown + pt_script_unknown(r->script) };

	for (size_t i = 0; i < PT_UNWIND_NR; i++)
		n.truncated += i == PT_UNWIND_COMPLETE ? 0 : c->ends[i];
	if (c->stacks)
		pt_warn_stacks(&tool, &n);
}

static void tell(const struct run *r)
{
	struct pt_frames_counts c;

	if (!r->an.frames)
		return;
	c = pt_frames_counts(r->an.frames);
	say_stacks(r, &c);
	pt_symbols_tell(&tool, r->an.frames);
}

/* The script gets the operands, and what pt-script prints. */
static void begin_script(struct run *r)
{
	struct pt_operands *o = &r->an.operands;
	struct args *a = r->a;
	struct pt_err e = PT_ERR_INIT;

	if (pt_python_begin(&r->python, a->script, o->v, o->nr, &e) < 0)
		pt_die(&tool, "-s: %s", e.msg);
	*o = (struct pt_operands){ .v = o->v };
	a->json = a->o.for_python = true;
}

int main(int argc, char **argv)
{
	static struct args a;
	struct run r = { .a = &a,
			 .an = PT_ANALYSIS(a) };
	struct pt_err e = PT_ERR_INIT;
	int status;
	size_t i;

	pt_analysis_parse(&r.an, argc, argv, &a);
	if (a.dump && (a.json || a.script || a.header_only))
		pt_usage(&tool, "--dump-raw-trace: not with %s",
			 a.json ? "-j" : a.script ? "-s" : "--header-only");
	if (a.script)
		begin_script(&r);
	r.script = pt_script_new(&a.o);
	r.tasks = pt_tasks_new();
	for (i = 0; i < a.fields.nr; i++)
		if (pt_script_fields(r.script, a.fields.v[i], &e) < 0)
			pt_usage(&tool, "%s", e.msg);
	a.frames.lines = pt_script_wants_lines(r.script);
	a.watch.watch.sample_type |= a.chains ? PERF_SAMPLE_CALLCHAIN : 0;
	a.watch.watch.default_freq = DEFAULT_HZ;
	a.watch.watch.want_switches = a.switches;
	a.watch.watch.want_maps = a.maps || a.bpf;
	a.watch.choose = choose_session;
	a.watch.choose_ctx = &r;
	a.watch.watch.no_kernel_map = !a.maps && !a.frames.vmlinux;
	r.path = a.input.file                                 ? a.input.file
		 : r.an.operands.nr && !r.an.operands.dashes ? r.an.operands.v[0]
							     : "perf.data";
	pt_analysis_open(&r.an, NULL);
	pt_analysis_output(&r.an, a.output);
	pt_symbols_ready(&tool, &a.frames);
	if (r.an.live && a.frames.debuginfod) {
		pt_warn(&tool,
			"--debuginfod is for recordings: a live session does not wait for servers");
		a.frames.debuginfod = false;
	}
	if (r.an.live)
		begin_live(&r);
	if (a.dump)
		pt_source_see_own(r.an.src, dump, &r);
	run(&r);
	tell(&r);
	pt_script_free(r.script);
	pt_tasks_free(r.tasks);
	status = pt_analysis_end(&r.an);
	return a.script ? pt_python_end(&r.python, status) : status;
}
