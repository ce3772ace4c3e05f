/* textin.h - text that a tool reads: files given as operands, or standard input when there are
 * none. Never perf.data.
 *
 *     struct pt_textin in = { .files = argv + first, .nr = argc - first };
 *     // all files after each other; 0: the end
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
	int at;				/* of the file being read */
	int fd;				/* -1 between files */
	const char *name;		/* of it, for messages */
	bool begun;			/* something of it was read */
	/* byte of the block before: a file that ends without newline gets one */
	char last;
	uint64_t line;			/* of the file: newlines so far */
	size_t line_len;		/* bytes behind the last of them */
};

/* No operand and a terminal: a usage error that shows the forms (exits with 2). The first Ctrl-C is
 * for those who write into the pipe. */
void pt_textin_start(const struct pt_tool *tool, struct pt_textin *in);
/* Bytes read; 0 at the end of all; -1: an error, as is what is no text by its first eight bytes: a
 * recording (the message names pt-stack), a program, something compressed, and a line of more than
 * PT_TEXTIN_LINE bytes (who reads keeps a line until it ends). */
ssize_t pt_textin_read(struct pt_textin *in, char *block, size_t len, struct pt_err *e);

#endif
