/* opt_priv.h - what --help and --complete-options print, from the rows of a tool's option tables
 * (cli/opt.h). */
#ifndef PT_CLI_OPT_PRIV_H
#define PT_CLI_OPT_PRIV_H

#include <stdio.h>

#include "base/buf.h"
#include "cli/opt.h"

/* "Usage: pt-lat [OPTION...] ..." */
void pt_help_forms(const struct pt_tool *tool, struct pt_buf *b);
/* Within 80 columns. */
void pt_help_print(const struct pt_tool *tool, FILE *f);
/* One spelling a line, with the name of its argument: "-e EVENT", "--event EVENT", "-a". */
void pt_help_complete(const struct pt_tool *tool, FILE *f);

#endif
