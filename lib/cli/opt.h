/* opt.h - options of a tool: tables of rows, one row an option, over getopt_long. Help text,
 * completion and the check of the manuals come from the same rows. --no-NAME takes a flag back.
 * What tools do with perf's options that they do not have is in cli/opt_habits.c.
 *
 *     struct args { bool hist; uint64_t max; const char *from; struct pt_watch_args watch; };
 *     static const struct pt_opt own[] = {
 *             PT_ROW_FLAG('H', "hist", "a histogram of powers of two", hist),
 *             PT_ROW(0, "max", "TIME", "only latencies of at most this", PT_OPT_TIME, max, .min =
 *                     1),
 *             PT_ROW(0, "theme", "THEME", "light, dark, or auto", PT_OPT_WORD, theme, .words =
 *                     pt_theme_words),
 *             PT_ROW_CALL(0, "by", "KEY", "a row each", opt_by),
 *             { 0 }
 *     };
 *     static const struct pt_tool tool = {
 *             .name = "pt-lat",
 *             .forms = PT_LINES("[OPTION...] [FILE | -]"),
 *             .groups = PT_GROUPS(PT_OWN("Output", own), PT_GROUP("Live", pt_opts_watch, watch)),
 *             .examples = PT_LINES("pt-lat fio.data"),
 *     };
 *     struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &args);
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
	PT_OPT_BITS,		/* uint64_t: with `bits` in addition */
	PT_OPT_STR,		/* const char *: argv's */
	PT_OPT_LIST,		/* struct pt_strs: given several times */
	PT_OPT_NAMES,		/* struct pt_strs of names on the heap, from a,b */
	PT_OPT_NUMBERS,		/* int * on the heap, size_t at nr_off: 0-3,7; sorted; min, max */
	PT_OPT_U64,		/* uint64_t; bounds in min, max (0, 0: none) */
	PT_OPT_SIZE,		/* uint64_t bytes: 16K */
	PT_OPT_TIME,		/* uint64_t nanoseconds: 1.5, 20ms */
	PT_OPT_MSEC,		/* uint64_t nanoseconds: a plain number is milliseconds */
	PT_OPT_WORD,		/* int or an enum: the value that `words` gives for the argument */
	PT_OPT_WORDS,		/* uint64_t: with the bits in addition that `words` gives for a,b */
	PT_OPT_SET,		/* int or an enum: set to `value`; the option takes no argument */
	PT_OPT_COUNT,		/* int: how often it was given */
	PT_OPT_CALL,		/* call(target, arg, e): arg NULL for options without */
	PT_OPT_HABIT,		/* another tool's: accepted silently, without effect */
	PT_OPT_INSTEAD,		/* another tool's: an error, whose text is the hint */
	PT_OPT_NO_EFFECT,	/* another tool's: the hint is a warning */
	PT_OPT_HELP, PT_OPT_VERSION, PT_OPT_COMPLETE,	/* every tool's */
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
	/* "comm, pid": what the argument may be, or be made of, for the completion; not with
	 * `words` */
	const char *list;
	int value;
	uint64_t bits;
	int (*call)(void *target, const char *arg, struct pt_err *e);
	/* An optional argument is attached to its option (--syscall=read). If this gives true, so
	 * is the word after the option, unless there is a file of that name. */
	bool (*claims)(const char *word);
	/* If not NULL, it is stored in the group's `const char *` at given_off. */
	const char *given;
	size_t given_off;
	/* INSTEAD: what to write in its place; NO_EFFECT: why it has none */
	const char *hint;
};

/* A row whose target is a member of the group's struct; PT_ROW: of the tool's own, struct args. */
#define PT_ROW_OF(struct_, letter_, name_, arg_, help_, kind_, member_, ...) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .help = (help_), .kind = (kind_), \
	  .off = offsetof(struct_, member_), ##__VA_ARGS__ }
#define PT_ROW(...) PT_ROW_OF(struct args, __VA_ARGS__)
/* An option without argument that sets a bool. */
#define PT_ROW_FLAG(letter_, name_, help_, member_) \
	PT_ROW(letter_, name_, NULL, help_, PT_OPT_FLAG, member_)
/* An option without argument that adds bits to a uint64_t. */
#define PT_ROW_BITS(letter_, name_, help_, member_, bits_) \
	PT_ROW(letter_, name_, NULL, help_, PT_OPT_BITS, member_, .bits = (bits_))
/* An option without argument that sets an int or enum to a value. */
#define PT_ROW_SET(letter_, name_, help_, member_, value_) \
	PT_ROW(letter_, name_, NULL, help_, PT_OPT_SET, member_, .value = (value_))
/* A row whose target is the group's struct as a whole. */
#define PT_ROW_CALL(letter_, name_, arg_, help_, call_, ...) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .help = (help_), \
	  .kind = PT_OPT_CALL, .call = (call_), ##__VA_ARGS__ }
/* -o and -j, for tools whose struct args has `output` and `json`. */
#define PT_ROW_OUTPUT \
	PT_ROW('o', "output", "FILE", "write to FILE instead of standard output", PT_OPT_STR, \
	       output)
#define PT_ROW_JSON(help_) PT_ROW_FLAG('j', "json", help_, json)
#define PT_ROW_HABIT(letter_, name_, arg_) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .kind = PT_OPT_HABIT }
#define PT_ROW_INSTEAD(letter_, name_, arg_, hint_) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .kind = PT_OPT_INSTEAD, \
	  .hint = (hint_) }
#define PT_ROW_NO_EFFECT(letter_, name_, arg_, hint_) \
	{ .letter = (letter_), .name = (name_), .arg = (arg_), .kind = PT_OPT_NO_EFFECT, \
	  .hint = (hint_) }

struct pt_opt_group {
	const char *title;
	const struct pt_opt *opts;	/* ends with a row without letter and name */
	size_t base;			/* offset of the group's struct in the tool's */
	bool yields;			/* its rows give way to the tool's own of the same letter */
};
/* The tool's own rows; a group with a struct of its own, which is a member of struct args. */
#define PT_OWN(title_, rows_) { .title = (title_), .opts = (rows_) }
#define PT_GROUP(title_, rows_, member_, ...) \
	{ .title = (title_), .opts = (rows_), .base = offsetof(struct args, member_), \
	  ##__VA_ARGS__ }
#define PT_GROUPS(...) (const struct pt_opt_group[]){ __VA_ARGS__, { .title = NULL } }
#define PT_LINES(...) (const char *const[]){ __VA_ARGS__, NULL }

struct pt_tool {
	const char *name;
	const char *purpose;		/* NULL: as in the NAME section of its manual */
	const char *const *forms;	/* PT_LINES(): of the SYNOPSIS, without the name */
	const struct pt_opt_group *groups;	/* PT_GROUPS() */
	const char *const *examples;	/* PT_LINES(): at the end of --help */
	/* stops at the first operand; "--" ends options in all. Others: `a -x -- b` gives the
	 * operands a, b */
	bool runs_command;
	/* What a letter means in the tool that pt replaces (strace); NULL: the same. It is added to
	 * errors of the option's argument. May be NULL. */
	const char *(*hint)(char letter);
};

/* The words after the options, at the end of argv (permuted, unless runs_command). `dashes`: "--"
 * stands right before them, `pt-lat -- fio` in contrast to `pt-lat fio`. */
struct pt_operands { char **v; int nr; bool dashes; };

/* Exits by itself for --help, --version and wrong usage. */
struct pt_operands pt_opt_parse(const struct pt_tool *tool, int argc, char **argv, void *args);
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

#endif
