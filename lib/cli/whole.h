/* whole.h - output in whole pieces, each written by one call, for readers that look while the tool
 * runs.
 *
 * With PT_WHOLE_REPLACE each piece replaces the file's previous content in one step. Links are
 * followed; pipes and devices are written to. pt_whole_open() fails if the file cannot be made. */
#ifndef PT_CLI_WHOLE_H
#define PT_CLI_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum pt_whole_how { PT_WHOLE_NEW, PT_WHOLE_APPEND, PT_WHOLE_REPLACE };

struct pt_whole {
	FILE *to;			/* unbuffered */
	char *replaced;			/* path of the file that is replaced; NULL: none */
	const char *name;		/* for messages; the caller's string */
};

/* NULL: standard error; "-": standard output. */
int pt_whole_open(struct pt_whole *o, const char *path, enum pt_whole_how how, struct pt_err *e);
int pt_whole_open_fd(struct pt_whole *o, int fd, const char *name, struct pt_err *e);
int pt_whole_write(struct pt_whole *o, const void *p, size_t len, struct pt_err *e);
/* Also to be called after an open that failed. */
int pt_whole_close(struct pt_whole *o, struct pt_err *e);
bool pt_whole_is_tty(const struct pt_whole *o);

#endif
