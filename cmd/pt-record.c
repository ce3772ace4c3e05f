/* pt-record - write a recording that perf and every pt tool read. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/branches.h"
#include "cli/callgraph.h"
#include "cli/input.h"
#include "cli/losses.h"
#include "cli/progress.h"
#include "cli/recorded.h"
#include "event/open.h"
#include "record/write/recording.h"
#include "record/write/write_tracedat.h"
#include "stack/archive.h"
#include "task/waiting.h"
#include "unwind/regnames.h"

enum { DEFAULT_HZ = 999, LEAST_ROTATE_NS = 100000000 };

struct args {
	struct pt_watch_args watch;
	const char *output, *trigger;
	enum { PERF_DATA, TRACE_DAT } format;
	struct pt_call_graph call_graph;
	uint64_t level, max_stack, max_size, branches, rotate_ns, rotate_bytes, keep;
	bool rotate, snapshot, archive;
	bool no_inherit, quiet, dry_run, off_cpu, cache_files;
};

static int opt_level(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	a->level = 1;
	return arg ? pt_num_u64(arg, 1, 22, &a->level, e) : 0;
}

/* 60s, 100M; without an argument, as perf's --switch-output: by SIGUSR2 alone. */
static int opt_rotate(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	a->rotate = true;
	a->rotate_ns = a->rotate_bytes = 0;
	if (!arg || !strcmp(arg, "signal"))
		return 0;
	if (*arg && strchr("BKMGT", arg[strlen(arg) - 1]))
		return pt_num_size(arg, INT64_MAX, &a->rotate_bytes, e);
	if (pt_num_seconds(arg, &a->rotate_ns, e) < 0)
		return -1;
	return a->rotate_ns < LEAST_ROTATE_NS ? pt_err_set(e, "%s is too small", arg) : 0;
}

static int opt_trigger(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	(void)e;
	a->snapshot = true;
	a->trigger = arg;
	pt_watch_want(&a->watch, PT_WANT_TRIGGER, arg, NULL);
	return 0;
}

static const struct pt_word formats[] = { PT_WORD("perf.data", PERF_DATA),
					  PT_WORD("trace.dat", TRACE_DAT), { 0 } };

static int opt_regs(void *mask, const char *arg, struct pt_err *e)
{
	return pt_regs_parse(arg, mask, e);
}

#define ROW_SAMPLE(letter, name, help, bits) \
	PT_ROW_BITS(letter, name, help, watch.watch.sample_type, bits)
#define ROW_EVENTS(letter, name, help, bits) \
	PT_ROW_BITS(letter, name, help, watch.event_flags, bits)

static const struct pt_opt own[] = {
	PT_ROW('o', "output", "FILE",
	       "output file (perf.data or trace.dat); -: a stream on standard output", PT_OPT_STR,
	       output),
	PT_ROW(0, "format", "FORMAT",
	       "perf.data (default), or trace.dat for trace-cmd and KernelShark",
	       PT_OPT_WORD, format, .words = formats),
	PT_ROW_FLAG('g', NULL, "record call chains by frame pointers", call_graph.wanted),
	PT_ROW_CALL_GRAPH("record call chains: fp, dwarf[,BYTES] (16K, up to 65528), lbr"),
	PT_ROW(0, "max-stack", "N", "at most N frames of a call chain", PT_OPT_U64, max_stack,
	       .min = 1, .max = 65535),
	ROW_EVENTS(0, "kernel-callchains", "call chains of the kernel only",
		   PT_ATTR_EXCLUDE_CALLCHAIN_USER),
	ROW_EVENTS(0, "user-callchains", "call chains of programs only",
		   PT_ATTR_EXCLUDE_CALLCHAIN_KERNEL),
	ROW_SAMPLE('d', "data", "record the data address of each sample", PERF_SAMPLE_DATA_SRC),
	ROW_SAMPLE(0, "phys-data", "also record physical addresses", PERF_SAMPLE_PHYS_ADDR),
	ROW_SAMPLE(0, "data-page-size", "record the sizes of the pages of data",
		   PT_SAMPLE_DATA_PAGE_SIZE),
	ROW_SAMPLE(0, "code-page-size", "record the sizes of the pages of code",
		   PT_SAMPLE_CODE_PAGE_SIZE),
	ROW_SAMPLE('W', "weight", "record what each sample cost, if the hardware tells",
		   PERF_SAMPLE_WEIGHT),
	ROW_SAMPLE(0, "transaction", "record the state of hardware transactions",
		   PERF_SAMPLE_TRANSACTION),
	PT_ROW('I', "intr-regs", "[REGS]",
	       "record the registers of the code that each event interrupts: ax,ip; default: all",
	       PT_OPT_CALL, watch.watch.intr_regs, .call = opt_regs),
	PT_ROW(0, "user-regs", "[REGS]", "record the registers of the program: ax,ip; default: all",
	       PT_OPT_CALL, watch.watch.user_regs, .call = opt_regs),
	ROW_SAMPLE(0, "all-cgroups", "record the control group of each sample", PT_SAMPLE_CGROUP),
	PT_ROW_BITS('b', "branch-any", "record the last branches before each sample (hardware)",
		    branches, PERF_SAMPLE_BRANCH_ANY),
	PT_ROW('j', "branch-filter", "KINDS",
	       "only branches of these kinds: any, any_call, any_ret, ind_call, ind_jmp, call, cond; u, k, hv",
	       PT_OPT_WORDS, branches, .words = pt_branches_words),
	PT_ROW_FLAG('n', "no-samples", "record no samples, only tasks and their maps",
		    watch.watch.no_samples),
	PT_ROW_FLAG(0, "switch-events", "also record when tasks get and lose a CPU",
		    watch.watch.want_switches),
	PT_ROW_FLAG(0, "off-cpu",
		    "also record switches with call chains, for pt-stack --off-cpu FILE", off_cpu),
	ROW_EVENTS('s', "stat", "also record the counts of each thread, for perf report -T",
		   PT_ATTR_INHERIT_STAT),
	PT_ROW(0, "max-size", "SIZE", "stop when this much was written: 100M", PT_OPT_SIZE,
	       max_size, .min = 1),
	PT_ROW_FLAG(0, "buildid-cache", "keep the files of the code in ~/.debug, for perf archive",
		    cache_files),
	PT_ROW_CALL(0, "rotate", "WHEN",
		    "go on with a new file after this time or size (60s, 100M), or at each SIGUSR2: signal",
		    opt_rotate),
	PT_ROW_CALL(0, "switch-output", "[WHEN]", NULL, opt_rotate),
	PT_ROW_FLAG(0, "snapshot",
		    "keep the last samples in memory (-m), and write them at SIGUSR2 and at the end",
		    snapshot),
	PT_ROW_FLAG(0, "overwrite", NULL, snapshot),
	PT_ROW_CALL(0, "trigger", "EVENT",
		    "a snapshot whenever this happens, too; a --filter after it applies to it", opt_trigger),
	PT_ROW_CALL(0, "switch-output-event", "EVENT", NULL, opt_trigger),
	PT_ROW(0, "keep", "N", "of --rotate and --snapshot: only the last N files", PT_OPT_U64,
	       keep, .min = 1),
	PT_ROW(0, "switch-max-files", "N", NULL, PT_OPT_U64, keep, .min = 1),
	PT_ROW_FLAG(0, "archive",
		    "also copy the programs, libraries and debug files that samples hit, to OUTPUT.archive",
		    archive),
	PT_ROW_FLAG(0, "dry-run", "check options and events, record nothing", dry_run),
	PT_ROW_FLAG('i', "no-inherit", "do not record child tasks", no_inherit),
	PT_ROW_CALL('z', "compression-level", "[LEVEL]",
		    "compress with zstd, level 1 (default) to 22", opt_level),
	PT_ROW_FLAG('q', "quiet", "no summary, only warnings and errors", quiet),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-record",
	.forms = PT_LINES(
		"[OPTION...] [-a | -C CPUS] [--] COMMAND [ARG...]",
		"[OPTION...] [-a | -C CPUS | -p PIDS | -t TIDS]"),
	.groups = PT_GROUPS(
		PT_OWN("Recording", own),
		PT_GROUP("Live", pt_opts_watch, watch, .yields = true),
		PT_GROUP("Live, all events", pt_opts_events, watch),
		PT_GROUP("Live, controlled", pt_opts_control, watch)),
	.examples = PT_LINES(
		"pt-record --block -o fio.data -- fio job.fio",
		"pt-record -F 99 -g -a --for 10",
		"pt-record -e sched:sched_switch -o - -- make | pt-script -"),
	.runs_command = true,
};

static void warn_losses(const struct pt_recorder *r)
{
	struct pt_tally tally = pt_recorder_tally(r);

	for (size_t i = 0; i < pt_recorder_nr_events(r); i++) {
		struct pt_recorder_event ev = pt_recorder_event(r, i);

		pt_warn_event_losses(&tool, ev.name, ev.side_band, &ev.tally, true);
	}
	pt_warn_unknown_losses(&tool, tally.lost_unknown, true);
	pt_warn_throttled(&tool, tally.throttled);
}

static void summary(uint64_t nr, uint64_t bytes, const char *name)
{
	static const char units[] = "BKMGT";
	double size = (double)bytes;
	int unit = 0;

	for (; size >= 1024 && units[unit + 1]; unit++)
		size /= 1024;
	fprintf(stderr, "[ pt-record: %s sample%s, %.*f %s%s to %s ]\n", pt_num_grouped(nr).text,
		nr == 1 ? "" : "s", unit ? 1 : 0, size,
		(char[2]){ units[unit], '\0' }, unit ? "B" : "", name);
}

static void draw_progress(struct pt_progress *p, const struct pt_recording *r)
{
	struct pt_tally tally = pt_recorder_tally(pt_recording_recorder(r));

	pt_progress_draw(p, &(struct pt_progress_facts){ &tally, pt_recording_bytes(r), -1 });
}

/* Of a snapshot, if there is a new one: "[ pt-record: 1,234 samples, 12.3 MB to FILE: 1.234 s ]" */
static void tell_snapshot(const struct args *a, const struct pt_recording *r)
{
	const struct pt_recording_snapshot *s = pt_recording_snapshot(r);
	char *text;

	if (!s || a->quiet)
		return;
	text = pt_asprintf("%s: %.3f s%s%s", s->path, (double)(s->to_ns - s->from_ns) / 1e9,
			   s->event ? " up to " : "", s->event ? s->event : "");
	summary(s->samples, s->bytes, text);
	free(text);
}

/* Records until the command ends, enough is written, the time is over or the user stops it. */
static int record(const struct args *a, struct pt_session *s, struct pt_recording *r,
		  struct pt_err *e)
{
	struct pt_progress progress;
	struct pt_waiting *waiting = NULL;
	int more = pt_recording_start(r, e) < 0 ? -1 : 1;

	if (a->off_cpu && more > 0)
		waiting = pt_waiting_renew(&a->watch.watch);
	if (a->snapshot && !a->quiet && more > 0)
		fprintf(stderr, "[ pt-record: snapshot at SIGUSR2 (kill -USR2 %d)%s%s, and at the end ]\n",
			(int)getpid(), a->trigger ? ", at " : "", a->trigger ? a->trigger : "");
	pt_progress_begin(&progress, &tool, a->quiet || a->watch.watch.command);
	while (more > 0) {
		more = pt_recording_step(r, e);
		if (pt_recording_snapshot(r))
			pt_progress_clear(&progress);
		tell_snapshot(a, r);
		if (pt_progress_due(&progress))
			draw_progress(&progress, r);
	}
	pt_progress_end(&progress);
	pt_waiting_free(waiting);
	if (more < 0)
		return -1;
	pt_session_stop(s);
	if (pt_recording_is_stream(r)) {
		/* also where a script has started it behind &, which ignores SIGINT */
		signal(SIGINT, SIG_DFL);
		pt_let_interrupt();
	}
	if (pt_recording_end(r, e) < 0)
		return -1;
	tell_snapshot(a, r);
	return 0;
}

/* -1: the archive is not complete. */
static int make_archive(const struct args *a, const struct pt_recording *r)
{
	const struct pt_rotate_files files = pt_recording_files(r);
	const char **paths = pt_alloc_array(files.nr_kept + 1, sizeof(*paths));
	struct pt_err e = PT_ERR_INIT;
	struct pt_archived done;
	size_t nr = 0;
	int rc;

	for (size_t i = 0; i < files.nr_kept; i++)
		if (access(files.kept[i].path, F_OK) == 0)	/* nobody took it away */
			paths[nr++] = files.kept[i].path;
	if (!nr)
		paths[nr++] = a->output;
	pt_let_interrupt();		/* the recording is complete */
	rc = pt_archive_make(a->output, paths, nr, &done, &e);
	free(paths);
	if (rc < 0) {
		pt_warn(&tool, "--archive: %s", e.msg);
		return -1;
	}
	pt_warn_count(&tool, done.no_build_id, "file has", "files have",
		      "no build-id: not in the archive");
	if (done.no_kallsyms)
		pt_warn(&tool, "--archive: kernel addresses are hidden from this user: no names of kernel functions");
	if (!a->quiet)
		fprintf(stderr, "[ pt-record: %zu file%s in %s.archive ]\n", done.files,
			done.files == 1 ? "" : "s", a->output);
	return 0;
}

static void nothing(int sig)
{
	(void)sig;
}

/* Makes the limit of file sizes (ulimit -f) an error like a full disk. A handler, because the
 * command would inherit SIG_IGN. */
static void take_sigxfsz(void)
{
	struct sigaction sa = { .sa_handler = nothing, .sa_flags = SA_RESTART };

	sigaction(SIGXFSZ, &sa, NULL);
}

static void watch_of(struct args *a)
{
	struct pt_watch *w = &a->watch.watch;

	w->default_freq = DEFAULT_HZ;
	w->no_inherit = a->no_inherit;
	w->want_maps = w->want_build_ids = w->exclude_self = true;
	w->command_output = strcmp(a->output, "-") ? PT_COMMAND_AS_IS : PT_COMMAND_TO_STDERR;
	if (w->sample_type &
	    (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR | PT_SAMPLE_DATA_PAGE_SIZE))
		w->sample_type |= PERF_SAMPLE_ADDR;	/* that is what they are about */
	w->sample_type |= a->branches ? PERF_SAMPLE_BRANCH_STACK : 0;
	pt_call_graph_watch(&a->call_graph, w);
	if (a->branches && w->branch_sample_type)
		pt_usage(&tool, "-b, -j and --call-graph lbr: the hardware keeps one or the other");
	w->branch_sample_type |= pt_branches_kinds(a->branches);
	w->want_switches |= a->off_cpu;
	w->user_chain = false;		/* perf script would print it, too */
	if (a->call_graph.wanted)
		w->max_stack = (uint16_t)a->max_stack;
	w->want_data_maps = w->sample_type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_STACK_USER);
}

/* Refuses what trace.dat cannot hold. */
static void check_tracedat(const struct args *a)
{
	struct pt_err e = PT_ERR_INIT;

	if (!strcmp(a->output, "-"))
		pt_usage(&tool, "--format trace.dat and -o -: trace.dat cannot be a stream");
	if (a->level || a->max_size)
		pt_usage(&tool, "--format trace.dat has no %s", a->level ? "-z" : "--max-size");
	if (pt_tracedat_check(&a->watch.watch, &e) < 0)
		pt_usage(&tool, "--format trace.dat %s", e.msg);
}

static int record_tracedat(struct args *a, struct pt_err *e)
{
	struct pt_tracedat_written written;
	struct pt_source *s = NULL;
	int rc = pt_tracedat_record(a->output, &a->watch.watch, &s, &written, e), status;

	if (rc == 0)
		pt_warn_count(&tool, written.too_long, "sample is", "samples are",
			      "left out: larger than a page, which trace.dat cannot hold");
	if (rc == 0 && !a->quiet)
		summary(written.samples, written.bytes, a->output);
	status = pt_finish(&tool, s, NULL, rc, e);
	pt_source_free(s);
	pt_watch_args_deinit(&a->watch);
	return status;
}

/* Refuses what several files, and what no file, cannot be. */
static void check_files(const struct args *a)
{
	const char *many = a->snapshot ? "--snapshot" : a->rotate ? "--rotate" : NULL;

	if (a->archive && (!strcmp(a->output, "-") || a->format == TRACE_DAT))
		pt_usage(&tool, "--archive is for files of perf.data's format, not for %s",
			 a->format ? "--format trace.dat" : "-o -");
	if (a->snapshot && (a->rotate_ns || a->rotate_bytes))
		pt_usage(&tool, "--snapshot and --rotate: what rings hold, or all of it");
	if (a->keep && !many)
		pt_usage(&tool, "--keep is for --rotate and --snapshot");
	if (many && !strcmp(a->output, "-"))
		pt_usage(&tool, "%s and -o -: a stream is one recording", many);
	if (many && a->format == TRACE_DAT)
		pt_usage(&tool, "--format trace.dat has no %s", many);
}

static int open_files(const struct args *a, struct pt_recording **r, struct pt_session *s, int argc,
		      char **argv, struct pt_err *e)
{
	const struct pt_recording_opts o = {
		.files = a->snapshot ? PT_FILES_SNAPSHOTS
			 : a->rotate ? PT_FILES_ROTATE
				     : PT_FILES_ONE,
		.to = { .path = a->output,
			.every_ns = a->rotate_ns,
			.every_bytes = a->rotate_bytes,
			.keep = a->keep,
			.writer = { .level = (int)a->level } },
		.max_bytes = a->max_size,
		.recorder = { &a->watch.watch, PT_VERSION, argc, argv },
	};

	return pt_recording_open(r, s, &o, e);
}

static void tell(const struct args *a, const struct pt_recording *r)
{
	uint64_t samples = pt_recorder_tally(pt_recording_recorder(r)).samples,
		 bytes = pt_recording_bytes(r);
	const struct pt_rotate_files files = pt_recording_files(r);
	char *text;

	warn_losses(pt_recording_recorder(r));
	if (a->quiet)
		return;
	if (!files.nr) {
		summary(samples, bytes, strcmp(a->output, "-") ? a->output : "standard output");
		return;
	}
	text = pt_asprintf("%zu files %s.*, of which %zu are kept", files.nr, a->output,
			   files.nr_kept);
	summary(samples, bytes, text);
	free(text);
}

int main(int argc, char **argv)
{
	static struct args a = { .call_graph = { .how = "fp" } };
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &a);
	struct pt_recording *r = NULL;
	struct pt_session *session = NULL;
	int rc, status = -1;
	struct pt_err e = PT_ERR_INIT;
	bool reader_gone, not_run = false;

	take_sigxfsz();
	if (!a.output)
		a.output = a.format == TRACE_DAT ? "trace.dat" : "perf.data";
	check_files(&a);
	watch_of(&a);
	a.watch.watch.rotates = a.rotate || a.snapshot;
	a.watch.watch.overwrites = a.snapshot;
	if (!strcmp(a.output, "-") && isatty(STDOUT_FILENO))
		pt_usage(&tool, "-o -: standard output is a terminal; a pipe or a file is needed");
	rc = pt_watch_ready(&tool, &a.watch, &operands, pt_sampling_default_event(), &e);
	if (rc == 0)
		rc = pt_recorded_run_times(&a.watch, &e);
	if (rc == 0 && a.off_cpu)
		rc = pt_recorded_off_cpu(&a.watch, a.call_graph.wanted, &e);
	if (rc == 0 && a.format == TRACE_DAT)
		check_tracedat(&a);
	if (rc == 0 && a.dry_run)
		return 0;
	if (rc == 0 && a.format == TRACE_DAT)
		return record_tracedat(&a, &e);
	if (rc == 0)
		rc = pt_session_open(&session, &a.watch.watch, &e);
	if (rc == 0)
		rc = open_files(&a, &r, session, argc, argv, &e);
	if (rc == 0) {
		rc = record(&a, session, r, &e);
		status = pt_session_status(session);
		not_run = pt_session_not_run(session);
	}
	reader_gone = rc < 0 && r && pt_recording_is_stream(r) && e.sys == EPIPE;
	if (rc < 0 && !reader_gone)
		pt_warn(&tool, "%s", e.msg);
	if (rc == 0 && a.cache_files && pt_recorder_cache(pt_recording_recorder(r), &e) < 0)
		pt_warn(&tool, "--buildid-cache: %s", e.msg);
	if (rc == 0)
		tell(&a, r);
	if (rc == 0 && a.archive)
		rc = make_archive(&a, r);
	pt_recording_free(r);
	pt_session_free(session);
	pt_watch_args_deinit(&a.watch);
	if (reader_gone)
		pt_end_by_sigpipe();
	return rc < 0 && !not_run ? 1 : pt_exit_status(status);
}
