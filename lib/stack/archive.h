/* archive.h - what a recording's samples hit, kept beside it, so that another machine names the
 * same: RECORDING.archive/.build-id/xx/yyy.../elf (a program, a library), .../debug (its separate
 * debug file) and RECORDING.archive/kallsyms. elf/files.h says when these are used. */
#ifndef PT_STACK_ARCHIVE_H
#define PT_STACK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct pt_archived {
	size_t files;			/* in the archive now, of this recording */
	size_t no_build_id;		/* left out */
	bool no_kallsyms;		/* the kernel hides its addresses from this user */
};

/* Reads the recording, which was made on this machine just now. Files that are there already stay.
 */
int pt_archive_make(const char *recording, struct pt_archived *done, struct pt_err *e);
/* The archive of a recording; NULL: there is none. Released by free(). */
char *pt_archive_of(const char *recording);

#endif
