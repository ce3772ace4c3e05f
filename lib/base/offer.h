/* offer.h - the first names that there were to choose from, to explain a choice that left nothing.
 *
 *     if (!pt_offer_note(&o, name, matches(name)))
 *             return;                                 // not chosen
 *     ...
 *     if (pt_offer_refused(&o))                       // at the end: nothing was chosen
 *             pt_offer_puts(&o, &text);               // "read, write, ..." */
#ifndef PT_BASE_OFFER_H
#define PT_BASE_OFFER_H

#include <stdbool.h>
#include <stddef.h>

struct pt_buf;

struct pt_offer {
	bool some;		/* some name was chosen; then no more are noted */
	size_t nr;
	char names[8][32];	/* each once, cut where they are longer */
};

/* Notes a name (NULL: nothing to note), and whether it was chosen; returns just that. */
bool pt_offer_note(struct pt_offer *o, const char *name, bool chosen);
/* There were names, and none was chosen. */
static inline bool pt_offer_refused(const struct pt_offer *o)
{
	return o->nr && !o->some;
}
/* Adds the names, escaped for a terminal. */
void pt_offer_puts(const struct pt_offer *o, struct pt_buf *b);

#endif
