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
#include "cli/watch.h"
#include "record/read/scan.h"
#include "record/read/source.h"
#include "task/choose.h"

/* The recording that is read when nothing else is named. */
#define PT_INPUT_DEFAULT "perf.data"

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
