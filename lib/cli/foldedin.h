/* foldedin.h - folded stacks that a tool reads in place of a recording (pt_analysis_text()). */
#ifndef PT_CLI_FOLDEDIN_H
#define PT_CLI_FOLDEDIN_H

#include "base/foldnote.h"
#include "cli/input.h"

struct pt_foldedin {
	/* False: it is no folded line (base/foldline.h). */
	bool (*line)(void *ctx, const char *line, size_t len);
	void *ctx;
	struct pt_foldnote note;	/* the counts in the comment lines, added up */
	uint64_t lines, bad, first_bad;
};

/* Reads all; `path`: as pt_analysis_text() gave it. Warns of lines that are not folded. An error if
 * none is. */
int pt_foldedin_read(const struct pt_tool *tool, struct pt_foldedin *f,
		     const struct pt_input_args *in, const char *path, struct pt_err *e);

#endif
