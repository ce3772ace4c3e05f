/* opt_priv.h - what --help and --complete-options print, from the rows of a tool's option tables
 * (cli/opt.h), and perf's options that a tool does not have. */
#ifndef PT_CLI_OPT_PRIV_H
#define PT_CLI_OPT_PRIV_H

#include <stdio.h>

#include "base/buf.h"
#include "cli/opt.h"

struct pt_opt_row {
	const struct pt_opt_group *group;
	struct pt_opt opt;	/* without letter and name where the row gave way to another one */
};
/* The rows of all groups, with those of help. The caller frees them. */
struct pt_opt_row *pt_opt_rows(const struct pt_tool *tool, size_t *nr);

/* "Usage: pt-lat [OPTION...] ..." */
void pt_help_forms(const struct pt_tool *tool, struct pt_buf *b);
/* Within 80 columns. */
void pt_help_print(const struct pt_tool *tool, FILE *f);
/* One spelling a line, with the name of its argument: "-e EVENT", "--event EVENT", "-a". */
void pt_help_complete(const struct pt_tool *tool, FILE *f);

/* What a tool does with an option of perf that it does not have: nothing, since it always works so;
 * a warning that it has no effect; or an error that names pt's way. None of perf's options is
 * unknown: pt(1) has a table of them, which scripts/check-docs compares with perf's help. The
 * tool's own rows go first.
 *
 * Every tool has the whole table, and each page of pointers takes time when a tool starts. So a row
 * has only those members of struct pt_opt that it needs. */
struct pt_habit {
	const char *tools;		/* "record script"; NULL: the end of the table */
	const char *name, *arg, *hint;
	enum pt_opt_kind kind;
	char letter;
};
extern const struct pt_habit pt_habits[];

/* Is it one of `tool`, such as "pt-record"? */
bool pt_habit_is_of(const struct pt_habit *h, const char *tool);

#endif
