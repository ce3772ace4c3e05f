/* input.h - the operand rules that all analyses share, and what they mean as a source.
 *
 *     FILE | -          a recording, a stream on standard input (also -i FILE)
 *     -- COMMAND        run it and watch; -p PID, -t TID, -a, -C, --for: live without a command
 *     none              standard input when it is a pipe (a file given by <, too), else perf.data if it is there, else a usage error that shows the forms
 *
 * An operand that is no file but a program on PATH: "did you mean -- make?". Presets imply -a. A tool whose stdout is data gives the command
 * its stderr as stdout. */
#ifndef PT_CLI_INPUT_H
#define PT_CLI_INPUT_H

#include "cli/opt.h"
#include "cli/out.h"
#include "record/session.h"
#include "record/source.h"

/* The "Live" group: -e -F -c -a -C -p -t -G -D --for -m --filter -k, presets --block --sched --syscall[=NAMES], -g -R -B accepted. */
struct pt_watch_args {
	struct pt_watch watch;		/* filled while parsing */
	bool given;			/* any option that means a live session */
	const char *preset;		/* "block", "sched", "syscall", or NULL */
	const char *preset_names;	/* of --syscall NAMES */
	struct pt_strs pids, tids;
};
extern const struct pt_opt pt_opts_watch[];

/* The "Reading" group: -i FILE. */
struct pt_input_args {
	const char *file;
};
extern const struct pt_opt pt_opts_input[];

/* The "Choosing" group: --time FROM,TO (seconds; +S from the start; percent), --comm, --pid, --tid, --cpu. */
struct pt_choose {
	bool any;			/* some choice was made: look at each record */
	const char *time_text;
	struct pt_strs comms;
	int *pids, *tids, *cpus;
	size_t nr_pids, nr_tids, nr_cpus;
	uint64_t from_ns, to_ns;	/* once pt_choose_start() has seen the source and the first time */
	bool started;
};
extern const struct pt_opt pt_opts_choose[];

/* Sets the range of times (percent needs the recording's times: an error where it has none). */
int pt_choose_start(struct pt_choose *c, struct pt_source *s, uint64_t first_ns, struct pt_err *e);
/* A sample of these is chosen. comm NULL: not known. */
bool pt_choose_sample(const struct pt_choose *c, const struct pt_record *rec, const char *comm);

/* What a tool does: opens what operands and options say. `default_preset`: what a live session without -e and preset watches (NULL: an
 * error that says to give -e). Exits with 2 on wrong usage; -1 and e when it cannot be opened. */
int pt_input_open(const struct pt_tool *tool, struct pt_source **s, struct pt_watch_args *w, const struct pt_input_args *in,
		  int argc, char **argv, int first, const char *default_preset, struct pt_err *e);

/* At the end of a tool: says on stderr what was lost, undelivered, late, unknown (one line each, with what to do about it), prints the error if rc < 0,
 * closes `out` (may be NULL) and gives the tool's exit status by the rules: 1 incomplete, else the command's status (128+n by a signal), else 0. */
int pt_finish(const struct pt_tool *tool, struct pt_source *s, struct pt_out *out, int rc, struct pt_err *e);

#endif
