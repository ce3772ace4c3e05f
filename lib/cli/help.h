/* help.h - what --help and --complete-options print, from the rows of a tool's option tables (cli/opt.h). */
#ifndef PT_CLI_HELP_H
#define PT_CLI_HELP_H

#include <stdio.h>

#include "base/buf.h"
#include "cli/opt.h"

/* One row in its group, with what is left of its letter and name once rows that are not shown gave way to shown ones. */
struct pt_opt_ref {
	const struct pt_opt_group *group;
	const struct pt_opt *opt;
	char letter;
	const char *name;
};

/* Walks all rows: start with group 0, row 0. False at the end. */
bool pt_opt_at(const struct pt_tool *tool, size_t *group, size_t *row, struct pt_opt_ref *ref);

/* "Usage: pt-lat [OPTION...] ..." */
void pt_help_forms(const struct pt_tool *tool, struct pt_buf *b);
/* Within 80 columns. */
void pt_help_print(const struct pt_tool *tool, FILE *f);
/* One spelling a line, with the name of its argument: "-e EVENT", "--event EVENT", "-a". */
void pt_help_complete(const struct pt_tool *tool, FILE *f);

#endif
