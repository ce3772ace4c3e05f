/* opt_priv.h - what --help and --complete-options print, from the rows of a tool's option tables
 * (cli/opt.h). */
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

#endif
