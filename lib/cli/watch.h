/* watch.h - the options of a live session: their tables, and what is made of them. */
#ifndef PT_CLI_WATCH_H
#define PT_CLI_WATCH_H

#include "cli/opt.h"
#include "record/watch/control.h"
#include "record/watch/session.h"

struct pt_record;

/* The "Live" group: -e -F -c -a -C -p -t -u -G -D --for -m --filter -k, presets --block --sched
 * --syscall[=NAMES], -g -R -B accepted (and not shown). Beside the "Choosing" group, --pid, --tid
 * and --cpu are that group's. */
struct pt_watch_args {
	struct pt_watch watch;		/* filled while parsing; its events by pt_watch_ready() */
	/* An option that asks for a live session, as written ("-a"); NULL: none was given. Presets
	 * do not count, since they also choose events of a recording. */
	const char *given;
	/* -p, -t or -C, as written, which also choose of a recording; NULL: none was given */
	const char *target;
	/* the last preset given: "block", "sched", "syscall"; or NULL */
	const char *preset;
	const char *preset_names;	/* the NAMES of --syscall=NAMES */
	bool of_machine;		/* some preset implies -a */
	bool clock_given;		/* -k was given */
	bool of_user;			/* -u */
	/* -p and -t tell how long all CPUs are watched (pt_analysis_watch_all()) */
	bool until_gone;
	uint64_t event_flags;		/* PT_ATTR_* that all events get: --all-user */
	bool one_group;			/* --group: all events are one */
	/* --ring; AUTO: what suits the session and this kernel */
	enum { PT_RING_AUTO, PT_RING_PERF, PT_RING_TRACEFS } ring;
	const char *control_how;	/* the argument of --control; NULL: not given */
	struct pt_control control;	/* opened by pt_watch_ready() */
	/* -G of a tool that counts: names, with commas between them */
	char *cgroups;
	const char *each_cgroup;	/* the argument of --for-each-cgroup; NULL: not given */
	/* Set by the tool before pt_input_open(); may be NULL. Called when the events of a live
	 * session are known and none is open, to complete `watch` (want_*, rings). */
	void (*choose)(struct pt_watch *watch, void *ctx);
	void *choose_ctx;
	/* Set by the tool before pt_input_open(): a preset to watch in addition, on all CPUs; or
	 * NULL */
	const char *also;
	/* All --filter, joined: what of a recording is read. filter_first: one had no event in
	 * front of it. */
	char *filter;
	bool filter_first;
	/* Set by the tool before pt_input_open(): its data goes to a file, and standard output is
	 * the command's. */
	bool command_as_is;
	/* -e, --filter and presets in their order. Events are looked up when all options are
	 * parsed. */
	struct pt_wanted {
		enum pt_wanted_kind {
			PT_WANT_EVENT, PT_WANT_TRIGGER, PT_WANT_FILTER, PT_WANT_PRESET
		} kind;
		const char *text, *names;
	} *wanted;
	size_t nr_wanted, cap_wanted;
};
/* Adds what -e or --filter adds, or a trigger (pt_event_spec.trigger), to which a --filter after
 * it applies. */
void pt_watch_want(struct pt_watch_args *w, enum pt_wanted_kind kind, const char *text,
		   const char *names);
/* As the preset's option; `names` may be NULL. */
void pt_watch_preset(struct pt_watch_args *w, const char *name, const char *names);
/* The option that asks for a live session, as written; NULL: none does. */
const char *pt_watch_asked(const struct pt_watch_args *w);
extern const struct pt_opt pt_opts_watch[];
/* The "Live" group of a tool whose events are its own: who is watched, and when. Without -t. */
extern const struct pt_opt pt_opts_tasks[];
/* --control, which also allows -D -1, and -D with ranges of time (in place of the -D of
 * pt_opts_watch, whose group yields). For tools whose result may have pauses in it; the
 * scheduler's state and pairs of events may not. */
extern const struct pt_opt pt_opts_control[];
/* What holds for all events: --all-user, --all-kernel, --group. */
extern const struct pt_opt pt_opts_events[];
/* The "Live" group of a tool that counts and reads no recordings: without options for samples and
 * rings, and with long names for all. */
extern const struct pt_opt pt_opts_count[];

/* Completes `w->watch` from the parsed options: the command (`operands`, may be none), the
 * target, the clock, the events. For tools that only watch (pt-record, pt-stat); the others call
 * pt_input_open(). Presets, -C, -G, and a session without command, -p and -t watch all CPUs. With
 * -p or -t, a command is not watched; the session lasts as long as it runs. `default_events`: a
 * preset's name or the text of an -e, used if no event was given; NULL: an event is required. The
 * tool itself sets exclude_self, want_* and sample_type. Exits with 2 on wrong usage, and with 126
 * or 127 if the command cannot be run. */
int pt_watch_ready(const struct pt_tool *tool, struct pt_watch_args *w,
		   const struct pt_operands *operands, const char *default_events,
		   struct pt_err *e);

/* Warns of, or refuses with exit 2, a filter that may see an older value than the event's: its
 * field is read through a pointer, and nobody leaves such samples out. */
void pt_watch_check_filter(const struct pt_tool *tool, const struct pt_watch *w);
/* pt_watch_filters_values(): some event has a filter on a value that is read through a pointer.
 * pt_watch_leaves_out(): the kernel could not read such a value of this sample, so its filter
 * compared an older one; the sample is to be left out. */
bool pt_watch_filters_values(const struct pt_watch *w);
bool pt_watch_leaves_out(const struct pt_watch *w, const struct pt_record *rec);

void pt_watch_args_deinit(struct pt_watch_args *w);	/* after the source is freed */

#endif
