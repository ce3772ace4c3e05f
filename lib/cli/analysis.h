/* analysis.h - what all tools that analyse records do: open, take one record after the other, end.
 *
 *     struct args { ...; struct pt_watch_args watch; struct pt_input_args input; struct pt_choose
 *             choose; } a;
 *     struct pt_analysis an = PT_ANALYSIS(a);
 *     pt_analysis_parse(&an, argc, argv, &a);
 *     pt_analysis_open(&an, "sched:sched_switch");
 *     pt_analysis_output(&an, a.output);
 *     while (pt_analysis_next(&an, &rec))
 *             if (see(&r, rec, &an.err) < 0)
 *                     an.rc = -1;                     // ends the loop
 *     ... what is printed at the end goes to an.text ...
 *     return pt_analysis_end(&an);
 *
 * Choosing by time (--time) starts at the first sample, before the tool sees it. Samples whose call
 * chain comes later are held until it is there (stack/defer.h). Signals: cli/interrupt.h. Losses,
 * damage and what the source noticed are warned of at the end, see pt_finish().
 *
 * After an error an.rc is -1 and an.err has the message, which pt_analysis_end() prints. What was
 * read until then is still to be printed, unless pt_analysis_gone(). */
#ifndef PT_CLI_ANALYSIS_H
#define PT_CLI_ANALYSIS_H

#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "stack/frames.h"
#include "task/tasks.h"
#include "tracepoint/tp_filter.h"

struct pt_analysis {
	const struct pt_tool *tool;
	struct pt_choose *choose;
	struct pt_watch_args *watch;
	struct pt_input_args *input;
	struct pt_operands operands;	/* from pt_analysis_parse() on */
	/* Fed by pt_analysis_next() before the tool sees a record, and freed at the end. */
	struct pt_tasks *tasks;		/* made by a tool that needs names of tasks, or NULL */
	struct pt_frames *frames;	/* pt_analysis_frames(), or NULL */
	/* From pt_analysis_open() on: */
	struct pt_source *src;
	struct pt_interrupt *interrupt;
	struct pt_defer *defer;
	struct pt_strs archives;	/* archives that stand beside the recordings */
	char *archive_kallsyms;		/* of one of them */
	struct pt_out *out;		/* NULL before pt_analysis_output() */
	/* Output to come. pt_analysis_next() writes it: live every PT_OUT_PACE_NS. */
	struct pt_buf text;
	const struct pt_record *last;	/* the record that the tool has */
	bool live;
	bool filters;			/* some samples must be left out */
	struct pt_tp_filter *filter;	/* of a recording's samples; NULL: all */
	uint64_t nr_left_out;		/* samples that the filter left out */
	bool filter_held;		/* it matched some sample */
	struct pt_choose_met met;
	bool nothing_chosen;		/* some option chose nothing, see pt_analysis_offer() */
	struct pt_progress progress;	/* a tool that has the whole screen ends it */
	uint64_t len_bytes;		/* sum of the records' sizes so far */
	uint64_t last_ns;		/* their latest time */
	bool started;			/* the first sample has come */
	bool starts;			/* the record at hand is the first sample */
	int rc;
	struct pt_err err;
};

#define PT_ANALYSIS(args) \
	{ .tool = &tool, .choose = &(args).choose, .watch = &(args).watch, .input = &(args).input }

/* As pt_opt_parse(). */
void pt_analysis_parse(struct pt_analysis *an, int argc, char **argv, void *args);
/* If a recording is named, -p, -t and -C choose samples of it. pt_analysis_open() calls this. */
void pt_analysis_choose(struct pt_analysis *an);
/* For tools that need the events of all tasks: -p, -t and -C choose, live and of a recording, and
 * the whole machine is watched, until the tasks of -p and -t are gone. Call it before
 * pt_analysis_open(). */
void pt_analysis_watch_all(struct pt_analysis *an);
/* For tools that read text as well as recordings. Returns the text file ("-": standard input) that
 * operands and options name; NULL: a recording, a live session, or wrong usage. The first bytes of
 * a pipe are kept in an->input. A named pipe becomes standard input, and its operand "-". */
const char *pt_analysis_text(struct pt_analysis *an);
/* Opens what operands and options say, as pt_input_open(). Ends the process if that cannot be
 * done */
void pt_analysis_open(struct pt_analysis *an, const char *default_events);
/* Sets o->archives, and o->kallsyms if none was given, to those of the recordings. */
void pt_analysis_archives(struct pt_analysis *an, struct pt_frames_opts *o);
/* Code is named from now on, beginning with the record at hand. */
void pt_analysis_frames(struct pt_analysis *an, struct pt_frames_opts *o);
/* The name of the task that a record is of, by an->tasks; "?": the record does not tell. */
const char *pt_analysis_comm(struct pt_analysis *an, const struct pt_record *rec);
/* Opens the output; `path` NULL: standard output. For tools that print while they read: ends the
 * process on an error. */
void pt_analysis_output(struct pt_analysis *an, const char *path);
/* For tools that open the output at the end: ends the process if the file cannot be made. Call it
 * before pt_analysis_open(), so that no session runs whose result would be lost. */
void pt_analysis_output_later(struct pt_analysis *an, const char *path);
/* An error at the end, while what was read is printed. One that came before stays: it explains
 * more. */
void pt_analysis_fail(struct pt_analysis *an, const struct pt_err *e);
/* Opens the output at the end, for a document, and writes it. */
void pt_analysis_document(struct pt_analysis *an, const char *path, const struct pt_buf *text);
/* True: *rec is the next record, good until the next call. False: the end, or an error (an->rc). */
bool pt_analysis_next(struct pt_analysis *an, const struct pt_record **rec);
/* If an option chose nothing by the names that it was given, prints which names there are. */
void pt_analysis_offer(struct pt_analysis *an, const char *option, const struct pt_offer *o);
/* True: some option chose nothing, so that no output is no error. */
bool pt_analysis_emptied(const struct pt_analysis *an);
/* After the last record: the time up to which waits and calls that have not ended are counted.
 * Live: now. */
uint64_t pt_analysis_end_ns(const struct pt_analysis *an);
/* Writes an->text: before the tool warns of what is in it. */
void pt_analysis_print(struct pt_analysis *an);
/* True: nobody reads the output any more, so the tool prints nothing else. */
bool pt_analysis_gone(const struct pt_analysis *an);
/* Writes an->text, warns of losses, prints the error, frees all. Returns the exit status. */
int pt_analysis_end(struct pt_analysis *an);

#endif
