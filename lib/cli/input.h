/* input.h - the operands and options that all analyses share, and the source that they name.
 *
 *     FILE | -          a recording, a stream on standard input (also -i FILE)
 *     -- COMMAND        run it and watch; -p PID, -t TID, -a, -C, --for: live without a command
 *     none              standard input when it is a pipe (a file given by <, too), else perf.data
 *                       if it is there, else a usage error that shows the forms
 *
 * An operand that is a program on PATH and no file is answered with "did you mean -- make?".
 * Presets imply -a. The command's standard output goes to the tool's standard error, since the
 * tool's own standard output is data. */
#ifndef PT_CLI_INPUT_H
#define PT_CLI_INPUT_H

#include "cli/opt.h"
#include "cli/out.h"
#include "record/control.h"
#include "record/scan.h"
#include "record/session.h"
#include "record/source.h"
#include "task/choose.h"

/* The recording that is read when nothing else is named. */
#define PT_INPUT_DEFAULT "perf.data"

/* The "Live" group: -e -F -c -a -C -p -t -u -G -D --for -m --filter -k, presets --block --sched
 * --syscall[=NAMES], -g -R -B accepted (and not shown). Beside the "Choosing" group, --pid, --tid
 * and --cpu are that group's. */
struct pt_watch_args {
	struct pt_watch watch;		/* filled while parsing; its events by pt_watch_ready() */
	/* An option that asks for a live session, as written ("-a"); NULL: none was given. Presets do
	 * not count, since they also choose events of a recording. */
	const char *given;
	/* -p, -t or -C, as written, which also choose of a recording; NULL: none was given */
	const char *target;
	/* the last preset given: "block", "sched", "syscall"; or NULL */
	const char *preset;
	const char *preset_names;	/* of --syscall=NAMES */
	bool of_machine;		/* some preset implies -a */
	bool clock_given;		/* -k */
	bool of_user;			/* -u */
	uint64_t event_flags;		/* PT_ATTR_* that all events get: --all-user */
	bool one_group;			/* --group: all events are one */
	/* --ring; AUTO: what suits the session and this kernel */
	enum { PT_RING_AUTO, PT_RING_PERF, PT_RING_TRACEFS } ring;
	const char *control_how;	/* --control */
	struct pt_control control;	/* opened by pt_watch_ready() */
	/* -G of a tool that counts: names, with commas between them */
	char *cgroups;
	const char *each_cgroup;	/* --for-each-cgroup */
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
/* Adds what -e or --filter adds, or a trigger (pt_event_spec.trigger), to which a --filter behind
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
/* --control, which also allows -D -1. For tools whose result may have pauses in it; the scheduler's
 * state and pairs of events may not. */
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

/* The "Reading" group: -i FILE. */
struct pt_input_args {
	const char *file;
	/* what pt_analysis_text() has read of standard input already */
	char start[PT_MAGIC_BYTES];
	size_t start_len;
};
extern const struct pt_opt pt_opts_input[];

/* The "Choosing" group: --time FROM,TO (seconds; +S from the start; percent), --comm, --pid, --tid,
 * --cpu. The lists are on the heap. */
extern const struct pt_opt pt_opts_choose[];
/* Warns if a choice left nothing, and says what there is to choose of. */
void pt_choose_say(const struct pt_tool *tool, const struct pt_choose *c);
void pt_choose_deinit(struct pt_choose *c);

/* The groups of most analyses. Their struct args has `choose`, `input` and `watch`. */
#define PT_GROUPS_ANALYSIS \
	PT_GROUP("Choosing", pt_opts_choose, choose), \
	PT_GROUP("Reading", pt_opts_input, input), \
	PT_GROUP("Live", pt_opts_watch, watch, .yields = true)
/* The forms of most analyses: a recording, or a live session. */
extern const char *const pt_input_forms[];

/* Opens the source that operands and options name. `w` may be NULL (no live session), and so may
 * `in`. `default_events`: see pt_watch_ready(). A live session excludes the tool itself
 * (watch.exclude_self). Exits with 2 on wrong usage. -1: it cannot be opened; e says why. */
int pt_input_open(const struct pt_tool *tool, struct pt_source **s, struct pt_watch_args *w,
		  const struct pt_input_args *in, const struct pt_operands *operands,
		  const char *default_events, struct pt_err *e);

/* True if standard input is read by default: it is a pipe, a socket or a file, no terminal and not
 * /dev/null. */
bool pt_input_is_piped(void);
/* For tools that read a pipe: ignores the first Ctrl-C, which is for the writers of the pipe. The
 * second one ends the tool. pt_input_open() calls this. */
void pt_input_hold_interrupt(void);

/* Ends a tool: warns of losses, each with advice, prints the error if rc < 0, and closes `out`.
 * Returns the exit status: 1 if the output is incomplete, else the command's (128+n if a signal
 * ended it), else 0. `s` and `out` may be NULL; the caller still owns `s`. If the reader of
 * standard output has gone (e->sys is EPIPE), it frees `s`, which ends the command, and ends the
 * process by SIGPIPE without a message. */
int pt_finish(const struct pt_tool *tool, struct pt_source *s, struct pt_out *out, int rc,
	      struct pt_err *e);

/* The end of a tool whose output is one text: writes and releases it, if rc is 0. */
int pt_finish_text(const struct pt_tool *tool, const char *path, struct pt_buf *text, int rc,
		   struct pt_err *e);

/* Converts a command's wait status to an exit status: its own, or 128+n if a signal ended it. -1
 * (no command, or it still runs) gives 0. */
int pt_exit_status(int status);

/* From here on signals end a tool that waits for its reader. */
void pt_let_interrupt(void);

/* Ends the process by SIGPIPE, even if the signal is blocked or ignored. */
void pt_end_by_sigpipe(void) __attribute__((noreturn));

#endif
