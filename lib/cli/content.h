/* content.h - recording or text? For tools that read both. */
#ifndef PT_CLI_CONTENT_H
#define PT_CLI_CONTENT_H

#include "cli/input.h"

/* Returns the text file ("-": standard input) that operands and options name; NULL: a recording, a
 * live session, or wrong usage. The first bytes of a pipe are kept in *in. A named pipe becomes
 * standard input, and its operand "-". */
const char *pt_content_text(const struct pt_watch_args *w, struct pt_input_args *in, int argc,
			    char **argv, int first);

#endif
