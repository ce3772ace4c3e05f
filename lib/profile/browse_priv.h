/* browse_priv.h - for the files of profile/browse.h: keys and the table (browse.c), pages of text
 * (browse_pages.c), lines of the screen (browse_draw.c). */
#ifndef PT_PROFILE_BROWSE_PRIV_H
#define PT_PROFILE_BROWSE_PRIV_H

#include "profile/browse.h"

enum pt_browse_mode { TABLE, CALLS, CODE, KEYS };	/* all but the table: pages of text */

/* A text that a key asks for: `text` stands before it, and Enter returns `action`. DRAW: it is the
 * filter of rows, which takes effect with each character. */
struct pt_browse_prompt { int key; const char *text; enum pt_browse_action action; };

struct pt_browse {
	struct pt_browse_opts opts;
	struct pt_gather *gather;
	struct pt_table_opts columns;	/* columns of `table`, which points to them */
	struct pt_table *table;		/* NULL: no samples yet */
	size_t event;
	enum pt_browse_mode mode;
	bool held, over;		/* the table stands still; the session has ended */
	const struct pt_browse_prompt *prompt;	/* what is typed now; NULL: nothing */
	size_t row, top, height;	/* the selected row, the first on the screen, how many */
	struct pt_buf filter, typed;
	struct pt_profile *mark;	/* what key d compares with; NULL: nothing */
	size_t mark_event;
	struct pt_buf page, title;
	size_t *starts, nr_starts, cap_starts;	/* where the page's lines begin in `page` */
	size_t page_top;
	/* where most samples of the page's function are; NULL: it has none of its own */
	const struct pt_place_at *place;
	struct pt_buf status, message;
	struct pt_names *names;		/* of frames in folded lines */
};

/* The profile on the screen; NULL: no samples yet. */
struct pt_profile *pt_browse_profile(const struct pt_browse *b, const struct pt_event **event);
/* Makes the table, so many columns wide. */
void pt_browse_make_table(struct pt_browse *b, size_t columns);

/* The first line. */
void pt_browse_status(const struct pt_browse *b, struct pt_buf *out);

void pt_browse_show_keys(struct pt_browse *b);
void pt_browse_show_calls(struct pt_browse *b);		/* of the selected row */
void pt_browse_show_code(struct pt_browse *b);		/* of the selected row, or of these calls */
size_t pt_browse_page_line(const struct pt_browse *b, size_t i, const char **text);
/* The percentage that a line of code begins with. */
double pt_browse_percent(const char *text, size_t len);

#endif
