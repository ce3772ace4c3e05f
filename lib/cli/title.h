/* title.h - what a picture is of: "make -j4 on web1, 2026-11-27 20:41 UTC", as far as the
 * recording, or the live session, tells. */
#ifndef PT_CLI_TITLE_H
#define PT_CLI_TITLE_H

#include "base/foldnote.h"
#include "cli/analysis.h"

/* Adds it, after `before`; nothing if nothing is known. The command is cut to be short; control
 * characters are escaped. */
void pt_title_add(struct pt_buf *b, const char *before, const struct pt_analysis *an);
/* The same for the comment lines before folded stacks. */
void pt_title_note(struct pt_foldnote *n, const struct pt_analysis *an);

#endif
