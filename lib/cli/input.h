/* input.h - the operand rules that all analyses share, and what they mean as a source.
 *
 *     FILE | -          a recording, a stream on standard input (also -i FILE)
 *     -- COMMAND        run it and watch; -p PID, -t TID, -a, -C, --for: live without a command
 *     none              standard input when it is a pipe (a file given by <, too), else perf.data
 *                       if it is there, else a usage error that shows the forms
 *
 * An operand that is no file but a program on PATH: "did you mean -- make?". Presets imply -a. A
 * tool whose stdout is data gives the command its stderr as stdout. */
#ifndef PT_CLI_INPUT_H
#define PT_CLI_INPUT_H

#include "cli/opt.h"
#include "cli/out.h"
#include "record/control.h"
#include "record/session.h"
#include "record/source.h"

/* The "Live" group: -e -F -c -a -C -p -t -G -D --for -m --filter -k, presets --block --sched
 * --syscall[=NAMES], -g -R -B accepted (and not shown). -p, -t and -C have no long names: --pid,
 * --tid and --cpu are for choosing. */
struct pt_watch_args {
	struct pt_watch watch;		/* filled while parsing; its events by pt_watch_ready() */
	/* an option that means a live session, as it is written ("-a"); NULL: none was. Presets do
	 * not count: they choose, too */
	const char *given;
	/* "block", "sched", "syscall" (the last one given), or NULL */
	const char *preset;
	const char *preset_names;	/* of --syscall=NAMES */
	bool clock_given;		/* -k */
	const char *control_how;	/* --control */
	struct pt_control control;	/* opened by pt_watch_ready() */
	/* -G of a tool that counts: names, with commas between them */
	char *cgroups;
	const char *each_cgroup;	/* --for-each-cgroup */
	/* The tool's, before pt_input_open(): called once the events of a live session are known
	 * and before any is opened, to complete `watch` (want_*, rings) by what they are. May be
	 * NULL. */
	void (*choose)(struct pt_watch *watch, void *ctx);
	void *choose_ctx;
	/* the tool's, before pt_input_open(): a preset to watch besides what is asked for, so on
	 * all CPUs; NULL: none */
	const char *also;
	/* -e, --filter and presets in their order: events are looked up once all options are read
	 */
	struct pt_wanted {
		enum { PT_WANT_EVENT, PT_WANT_FILTER, PT_WANT_PRESET } kind;
		const char *text, *names;
	} *wanted;
	size_t nr_wanted, cap_wanted;
};
extern const struct pt_opt pt_opts_watch[];
/* --control, and with it -D -1: for tools whose answer may have gaps (the scheduler's state and
 * pairs of events do not survive them). */
extern const struct pt_opt pt_opts_control[];
/* The same for a tool that counts and reads no recordings: no samples, no rings, long names for
 * all. */
extern const struct pt_opt pt_opts_count[];

/* Puts together what to watch, once options are parsed: the command (argv[first...], may be none),
 * target, clock, events. For tools that only watch (pt-record, pt-stat); the others get it by
 * pt_input_open(). What was asked for decides the target: presets, -C, -G, and a session without a
 * command, -p and -t mean all CPUs. A command beside -p or -t is not watched: it tells how long.
 * `default_events`: a preset's name or the text of an -e, used when no event was named; NULL: an
 * error. Sets no exclude_self, want_* and sample_type: the tool's. Exits with 2 on wrong usage, 126
 * and 127 when the command cannot be run. */
int pt_watch_ready(const struct pt_tool *tool, struct pt_watch_args *w, int argc, char **argv,
		   int first, const char *default_events, struct pt_err *e);

/* Exits with 2 if `operand` is the name of a system call that belongs behind --syscall. */
void pt_input_check_syscall(const struct pt_tool *tool, const struct pt_watch_args *w,
			    const char *operand);

/* Whether some event has a filter on a value that is read through a pointer; and whether such a
 * filter let a sample pass by an older value, since the kernel could not read the one that it
 * compares. */
bool pt_watch_filters_values(const struct pt_watch *w);
bool pt_watch_leaves_out(const struct pt_watch *w, const struct pt_record *rec);

void pt_watch_args_deinit(struct pt_watch_args *w);	/* once the source is freed */

/* The "Reading" group: -i FILE. */
struct pt_input_args {
	const char *file;
};
extern const struct pt_opt pt_opts_input[];

/* The "Choosing" group: --time FROM,TO (seconds; +S from the start; percent), --comm, --pid, --tid,
 * --cpu. */
struct pt_choose {
	bool any;			/* some choice was made: look at each sample */
	const char *time_text;
	struct pt_strs comms;
	int *pids, *tids, *cpus;
	size_t nr_pids, nr_tids, nr_cpus;
	/* once pt_choose_start() has seen the source and the first time */
	uint64_t from_ns, to_ns;
	bool started;
};
extern const struct pt_opt pt_opts_choose[];
void pt_choose_deinit(struct pt_choose *c);

/* Sets the range of times (percent needs the recording's times: an error where it has none). */
int pt_choose_start(struct pt_choose *c, struct pt_source *s, uint64_t first_ns, struct pt_err *e);
/* A sample of these is chosen. comm NULL: not known. */
bool pt_choose_sample(const struct pt_choose *c, const struct pt_record *rec, const char *comm);
/* The parts of it, for tools whose tasks are not those of the sample (a switch has two). pid
 * UINT32_MAX, comm NULL: not known. */
bool pt_choose_task(const struct pt_choose *c, uint32_t pid, uint32_t tid, const char *comm);
bool pt_choose_cpu(const struct pt_choose *c, int cpu);
/* it chooses among tasks at all */
static inline bool pt_choose_tasks(const struct pt_choose *c)
{
	return c->comms.nr || c->nr_pids || c->nr_tids;
}
static inline bool pt_choose_time(const struct pt_choose *c, uint64_t time_ns)
{
	return !c->time_text || (time_ns >= c->from_ns && time_ns <= c->to_ns);
}
/* For tools that understand tasks only from the events of all: -p, -t and -C choose, and the whole
 * machine is watched; they choose of a recording, too. Before pt_input_open(), with its
 * arguments */
void pt_choose_watched(struct pt_choose *c, struct pt_watch_args *w, const struct pt_input_args *in,
		       int argc, char **argv, int first);

/* The forms of most analyses: a recording, or a live session. */
extern const char *const pt_input_forms[];

/* What a tool does: opens what operands and options say. `w` may be NULL (no live session), `in`
 * too. `default_events`: see pt_watch_ready(). A live session of an analysis leaves out the tool
 * itself (watch.exclude_self) and gives a command its stderr as stdout. Exits with 2 on wrong
 * usage; -1 and e when it cannot be opened. */
int pt_input_open(const struct pt_tool *tool, struct pt_source **s, struct pt_watch_args *w,
		  const struct pt_input_args *in, int argc, char **argv, int first,
		  const char *default_events, struct pt_err *e);

/* Standard input is something to read when nobody says so: a pipe, a socket, a file; no terminal,
 * no /dev/null. */
bool pt_input_is_piped(void);
/* For tools that read a pipe (pt_input_open() does it): the first Ctrl-C is for those who write
 * into it; the second one ends the tool. */
void pt_input_hold_interrupt(void);

/* At the end of a tool: says on stderr what was lost, undelivered, late, unknown (one line each,
 * with what to do about it), prints the error if rc < 0, closes `out` and gives the tool's exit
 * status by the rules: 1 incomplete, else the command's status (128+n by a signal), else 0. `s` and
 * `out` may be NULL; `s` stays the caller's. An error of sys EPIPE, standard output's reader gone:
 * says nothing, frees `s` (its command ends with it) and ends the process by SIGPIPE. */
int pt_finish(const struct pt_tool *tool, struct pt_source *s, struct pt_out *out, int rc,
	      struct pt_err *e);

/* A command's wait status (-1: there was none, or it still runs) as a tool's exit status: 0, its
 * own, or 128+n by a signal. */
int pt_exit_status(int status);

/* Ends the process as a filter does whose reader is gone: by SIGPIPE, also where that is blocked or
 * was ignored. */
void pt_end_by_sigpipe(void) __attribute__((noreturn));

#endif
