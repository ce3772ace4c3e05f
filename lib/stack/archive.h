/* archive.h - what a recording's samples hit, kept beside it, so that another machine names the
 * same: OUTPUT.archive/.build-id/xx/yyy.../elf (a program, a library), .../debug (its separate
 * debug file) and OUTPUT.archive/kallsyms. OUTPUT is the recording; of one that is cut into many
 * files (record/write/rotate.h), what their names begin with: they have one archive. elf/files.h
 * says when these are used. */
#ifndef PT_STACK_ARCHIVE_H
#define PT_STACK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/words.h"

struct pt_archived {
	size_t files;			/* in the archive now, of this recording */
	size_t no_build_id;		/* left out */
	bool no_kallsyms;		/* the kernel hides its addresses from this user */
};

/* Reads the recordings, which were made on this machine just now, as `output`. Files that are there
 * already stay. */
int pt_archive_make(const char *output, const char *const *recordings, size_t nr,
		    struct pt_archived *done, struct pt_err *e);
/* Adds the archives of a recording, or of those in a folder, that are not in the list; each is to
 * be released by free(). */
void pt_archive_find(const char *recording, struct pt_strs *archives);

#endif
