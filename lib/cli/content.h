/* content.h - recording or text? For tools that read both. */
#ifndef PT_CLI_CONTENT_H
#define PT_CLI_CONTENT_H

#include "cli/input.h"

/* The file, or "-", that operands and options name and that holds text; NULL: a recording, a live
 * session, or what the operand rules refuse. Of a pipe the first bytes are read, and left in *in. A
 * pipe with a name becomes standard input: its operand becomes "-". */
const char *pt_content_text(const struct pt_watch_args *w, struct pt_input_args *in, int argc,
			    char **argv, int first);

#endif
