/* whole.h - output that goes out in whole pieces, each written at once: reports of counts, read by
 * others while it runs.
 *
 * With PT_WHOLE_REPLACE each piece replaces the one before: who reads the file sees all of one or
 * all of the other. It is replaced where it lies, also behind a link; a pipe or a device is written
 * to. A place where no file can be made is told by pt_whole_open(). A full disk is an error
 * (ENOSPC). */
#ifndef PT_CLI_WHOLE_H
#define PT_CLI_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum pt_whole_how { PT_WHOLE_NEW, PT_WHOLE_APPEND, PT_WHOLE_REPLACE };

struct pt_whole {
	FILE *to;			/* unbuffered */
	char *replaced;			/* the file that each piece replaces; NULL: none */
	const char *name;		/* the caller's */
};

/* NULL: standard error; "-": standard output. */
int pt_whole_open(struct pt_whole *o, const char *path, enum pt_whole_how how, struct pt_err *e);
int pt_whole_open_fd(struct pt_whole *o, int fd, const char *name, struct pt_err *e);
int pt_whole_write(struct pt_whole *o, const void *p, size_t len, struct pt_err *e);
/* releases all in any case, also after an open that failed */
int pt_whole_close(struct pt_whole *o, struct pt_err *e);
bool pt_whole_is_tty(const struct pt_whole *o);

#endif
