/* listing.h - source lines of a function or of a part of a file, and which of them can be probed.
 *
 *     FUNC[@FILE][:LINE[-LINE|+NUMBER]]  |  FILE[:LINE[-LINE|+NUMBER]]
 *
 * A function's lines count from its first one. Without its source the lines that can be probed are
 * listed without text. */
#ifndef PT_PROBE_WHERE_LISTING_H
#define PT_PROBE_WHERE_LISTING_H

#include "base/buf.h"
#include "probe/where/place.h"

struct pt_source_text;

struct pt_listed {
	uint32_t line;			/* its number in the file */
	bool probeable;
	const char *text;		/* without newline, not escaped; NULL: unknown */
	size_t len;
};

struct pt_listing {
	/* file: as in the debug information; path: where it was found, NULL: nowhere; func: NULL
	 * for a part of a file */
	char *func, *file, *path;
	/* numbers are shown relative to this: the function's first line; 0 for a file */
	uint32_t first;
	struct pt_listed *v;
	size_t nr, cap;
	/* "FILE was changed after PROGRAM was built"; NULL: none */
	char *note;
	struct pt_source_text *source;
};

int pt_listing_make(struct pt_listing *l, struct pt_target *t, const char *what, struct pt_err *e);
void pt_listing_deinit(struct pt_listing *l);
/* As perf probe -L: "<FUNC@FILE:FIRST>", then the lines, with numbers where they can be probed;
 * control characters are escaped. */
void pt_listing_print(const struct pt_listing *l, struct pt_buf *out);

#endif
