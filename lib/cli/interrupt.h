/* interrupt.h - SIGINT and SIGTERM in a tool that reads records.
 *
 * The first of these signals ends the input: a live session takes it itself; reading a recording
 * ends where it is. What was gathered is printed, with names. The second one ends the search for
 * names, and what has none yet goes by its address. The third one ends the process at once, with
 * status 128 + its number, wherever the process may be: a thread of its own waits for the signals.
 *
 * A tool that reads a pipe leaves the first SIGINT to those who write into it: Ctrl-C reaches all
 * of them.
 *
 * pt_analysis_open() (cli/analysis.h) does all of this for most tools. */
#ifndef PT_CLI_INTERRUPT_H
#define PT_CLI_INTERRUPT_H

#include <stdbool.h>

struct pt_interrupt;
struct pt_source;
struct pt_interrupt *pt_interrupt_new(void);
/* The signals end the reading of the recording `s`. `piped`: but for the first SIGINT. Signals that
 * are ignored (SIGINT, in the background of a script) stay so. */
void pt_interrupt_reading(struct pt_interrupt *in, struct pt_source *s, bool piped);
/* The first signal has come: for readers without a source (`s` was NULL). */
bool pt_interrupt_ends(void *interrupt);
/* The input is over: the next signal ends the search for names. More calls do nothing. */
void pt_interrupt_naming(struct pt_interrupt *in);
/* The same once a signal has ended the live session that `s` reads, which names while records
 * come */
void pt_interrupt_follow(struct pt_interrupt *in, struct pt_source *s);
/* Signals are blocked as before. NULL may be given. */
void pt_interrupt_free(struct pt_interrupt *in);
/* The search for names is to end: for pt_frames_set_enough(). */
bool pt_interrupt_came(void *interrupt);

#endif
