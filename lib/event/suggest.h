/* suggest.h - the nearest of many names to a wrong one, for "did you mean".
 *
 *     struct pt_suggest s;
 *     pt_suggest_begin(&s, "cycels");
 *     pt_suggest_look(&s, "cycles"); ...                 // any number of names
 *     // adds "cycles" or "a, b or c", nothing when none is near
 *     pt_suggest_end(&s, &text); */
#ifndef PT_EVENT_SUGGEST_H
#define PT_EVENT_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct pt_suggest {
	char *wrong;			/* in lower case: case is ignored */
	const char *wrong_name;		/* the part behind the colon, or all of it */
	size_t max;			/* limit of edits */
	struct { char *name; size_t distance; } best[3];
	size_t nr;
};

void pt_suggest_begin(struct pt_suggest *s, const char *wrong);
/* "SYSTEM:NAME" is also similar if only NAME is. */
void pt_suggest_look(struct pt_suggest *s, const char *name);
void pt_suggest_end(struct pt_suggest *s, struct pt_buf *out);
/* The same as advice in a message: "; did you mean a or b?". False: there is none. */
bool pt_suggest_advise(struct pt_suggest *s, struct pt_err *e);

#endif
