/* textin.h - input of tools that read text: the operands' files one after the other, or standard
 * input. Never perf.data.
 *
 *     struct pt_textin in = { .files = operands.v, .nr = operands.nr };
 *     // all files, one after the other; 0: the end
 *     while ((n = pt_textin_read(&in, block, sizeof(block), &e)) > 0) ... */
#ifndef PT_CLI_TEXTIN_H
#define PT_CLI_TEXTIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/opt.h"

enum { PT_TEXTIN_LINE = 16 << 20 };	/* far beyond any stack */

struct pt_textin {
	char **files;			/* "-": standard input; none: that alone */
	int nr;
	int at;				/* index in `files` of the one that is read */
	int fd;				/* -1 between files */
	const char *name;		/* name of that file, for messages */
	bool begun;			/* some of the file was read */
	/* last byte of the previous block: a newline is added to a file that lacks one */
	char last;
	uint64_t line;			/* newlines so far in the file */
	size_t line_len;		/* bytes after the last one */
};

/* Exits with 2 if the input is a terminal. The first Ctrl-C is left to the writers of the pipe. */
void pt_textin_start(const struct pt_tool *tool, struct pt_textin *in);
/* Returns the bytes read; 0 at the end of all files. Input that is not text (recordings, programs,
 * compressed data) and lines beyond PT_TEXTIN_LINE are errors. */
ssize_t pt_textin_read(struct pt_textin *in, char *block, size_t len, struct pt_err *e);

#endif
