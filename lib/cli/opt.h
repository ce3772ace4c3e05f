/* opt.h - options of a tool: tables of rows, one row an option, over getopt_long. Help text,
 * completion and the check of the manuals come from the same rows. --no-NAME takes a flag back.
 * What tools do with perf's options that they do not have is in cli/opt_habits.c.
 *
 *     struct args { bool hist; uint64_t max; const char *from; struct pt_watch_args watch; };
 *     static const struct pt_opt own[] = {
 *             PT_ROW('H', "hist", NULL, "a histogram of powers of two", PT_OPT_FLAG, hist),
 *             PT_ROW(0, "max", "TIME", "only latencies of at most this", PT_OPT_TIME, max, .min =
 *                     1),
 *             PT_ROW(0, "theme", "THEME", "light, dark, or auto", PT_OPT_WORD, theme, .words =
 *                     pt_theme_words),
 *             PT_ROW_CALL(0, "by", "KEY", "a row each", opt_by),
 *             { 0 }
 *     };
 *     static const struct pt_tool tool = {
 *             .name = "pt-lat", .purpose = "latency between two events of the same key",
 *             .forms = (const char *[]){ "[OPTION...] [FILE | -]", "[OPTION...] [-a | -p PID] [--
 *                     COMMAND [ARG...]]", NULL },
 *             .groups = (const struct pt_opt_group[]){ { "Output", own, 0 }, { "Live",
 *                     pt_opts_watch, offsetof(struct args, watch) }, { NULL, NULL, 0 } },
 *     };
 *     // argv[first...] are the operands
 *     int first = pt_opt_parse(&tool, argc, argv, &args);
 *
 * Groups shared by tools are written once (cli/input.h) with a struct of their own, embedded in the
 * tool's; `base` is its offset. pt_opt_parse handles -h/--help (prints, exit 0), --version,
 * --complete-options (for the completion), and wrong usage (message with the nearest option, exit
 * 2). */
#ifndef PT_CLI_OPT_H
#define PT_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/words.h"

enum pt_opt_kind {
	PT_OPT_FLAG,		/* bool: true */
	PT_OPT_STR,		/* const char *: argv's */
	PT_OPT_LIST,		/* struct pt_strs: given several times */
	PT_OPT_NAMES,		/* struct pt_strs of names on the heap, from a,b */
	PT_OPT_NUMBERS,		/* int * on the heap, size_t at nr_off: 0-3,7; sorted; min, max */
	PT_OPT_U64,		/* uint64_t; bounds in min, max (0, 0: none) */
	PT_OPT_SIZE,		/* uint64_t bytes: 16K */
	PT_OPT_TIME,		/* uint64_t nanoseconds: 1.5, 20ms */
	PT_OPT_MSEC,		/* uint64_t nanoseconds: a plain number is milliseconds */
	PT_OPT_WORD,		/* int or an enum: the value that `words` gives for the argument */
	PT_OPT_SET,		/* int or an enum: set to `value`; the option takes no argument */
	PT_OPT_CALL,		/* call(group, arg, e): arg NULL for options without */
	PT_OPT_HABIT,		/* nothing: accepted for those who are used to it */
	PT_OPT_INSTEAD,		/* another tool's: an error, whose text is the hint */
	PT_OPT_NO_EFFECT,	/* another tool's: the hint is a warning */
};

struct pt_opt {
	char letter;		/* 0: none */
	const char *name;	/* long name */
	const char *arg;	/* NULL: takes none; "[WHEN]" in brackets: optional */
	/* one line; NULL: accepted, not shown, and gives way to a shown row of the same letter or
	 * name */
	const char *help;
	enum pt_opt_kind kind;
	size_t off;		/* of the target in the group's struct */
	size_t nr_off;		/* NUMBERS: of their count */
	uint64_t min, max;
	const struct pt_word *words;
	int value;
	int (*call)(void *group, const char *arg, struct pt_err *e);
	/* If not NULL, it is stored in the group's `const char *` at given_off. */
	const char *given;
	size_t given_off;
	const char *hint;	/* what another tool means by it; behind errors of its argument */
};

/* A row whose target is a member of the group's struct; PT_ROW: of the tool's own, struct args. */
#define PT_ROW_OF(struct_, letter_, name_, arg_, help_, kind_, member_, ...) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .help = (help_), .kind = (kind_), .off = offsetof(struct_, member_), ##__VA_ARGS__ }
#define PT_ROW(...) PT_ROW_OF(struct args, __VA_ARGS__)
#define PT_ROW_CALL(letter_, name_, arg_, help_, call_) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .help = (help_), .kind = PT_OPT_CALL, .call = (call_) }
/* -o and -j, for tools whose struct args has `output` and `json`. */
#define PT_ROW_OUTPUT \
	PT_ROW('o', "output", "FILE", "write there instead of standard output", PT_OPT_STR, output)
#define PT_ROW_JSON(help_) PT_ROW('j', "json", NULL, help_, PT_OPT_FLAG, json)
#define PT_ROW_HABIT(letter_, name_, arg_) { .letter = (letter_), .name = (name_), .arg = (arg_), .kind = PT_OPT_HABIT }
#define PT_ROW_INSTEAD(letter_, name_, arg_, hint_) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .kind = PT_OPT_INSTEAD, .hint = (hint_) }
#define PT_ROW_NO_EFFECT(letter_, name_, arg_, hint_) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .kind = PT_OPT_NO_EFFECT, .hint = (hint_) }

struct pt_opt_group {
	const char *title;
	const struct pt_opt *opts;	/* ends with a row without letter and name */
	size_t base;			/* offset of the group's struct in the tool's */
};

struct pt_tool {
	const char *name, *purpose;
	const char *const *forms;	/* SYNOPSIS lines behind the name; ends in NULL */
	const struct pt_opt_group *groups;	/* ends with title NULL */
	const char *const *examples;	/* lines at the end of --help; ends in NULL */
	/* stops at the first operand; "--" ends options in all. Others: `a -x -- b` gives the
	 * operands a, b */
	bool runs_command;
};

/* Index of the first operand in argv (permuted, unless runs_command). Exits by itself for --help,
 * --version and wrong usage. */
int pt_opt_parse(const struct pt_tool *tool, int argc, char **argv, void *args);
/* "pt-lat: message", "Try 'pt-lat --help'." on standard error; exit 2. */
void pt_usage(const struct pt_tool *tool, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
/* The same with the tool's forms in between. */
void pt_usage_forms(const struct pt_tool *tool, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
/* "pt-lat: message" on standard error (control characters escaped). */
void pt_warn(const struct pt_tool *tool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, then exit 1 (flushes nothing: what is incomplete says so). */
void pt_die(const struct pt_tool *tool, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
/* True when argv had a "--" right before operand `first`: `pt-lat -- fio` against `pt-lat fio`. */
bool pt_opt_had_dashes(int argc, char **argv, int first);

#endif
