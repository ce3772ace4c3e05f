/* browse.h - profiles on a screen: the table, the calls of a row, its code. It takes keys and gives
 * lines; it knows nothing of terminals.
 *
 *     struct pt_browse *b = pt_browse_new(&opts, gather);
 *     pt_gather_name(gather);
 *     pt_browse_refresh(b, "cpu-clock 99 Hz");            // profiles are new: draw again
 *     pt_browse_draw(b, lines, columns, put, ctx);
 *     action = pt_browse_key(b, key);
 *     pt_browse_free(b);
 */
#ifndef PT_PROFILE_BROWSE_H
#define PT_PROFILE_BROWSE_H

#include "base/keys.h"
#include "profile/gather.h"
#include "profile/table.h"

struct pt_browse_opts {
	struct pt_table_opts sort;	/* columns of keys, in their order */
	bool samples;			/* a column of samples */
	bool hide_kernel, hide_user;
};

enum pt_browse_action {
	PT_BROWSE_DRAW,			/* look at the screen again */
	PT_BROWSE_QUIT,
	/* key z: show the samples of the last refresh only, or those of the window again */
	PT_BROWSE_WINDOW,
	/* new keys, seconds between refreshes, a frequency: pt_browse_typed() */
	PT_BROWSE_SORT,
	PT_BROWSE_DELAY,
	PT_BROWSE_FREQ,
};

struct pt_browse;
struct pt_browse *pt_browse_new(const struct pt_browse_opts *o, struct pt_gather *g);
void pt_browse_free(struct pt_browse *b);
/* Whether profiles may be made anew: not while the table is held (f), or text is shown. */
bool pt_browse_moves(const struct pt_browse *b);
/* After pt_gather_name(): draws the new profiles. `status`: what the first line begins with. */
void pt_browse_refresh(struct pt_browse *b, const char *status);
/* The session is over; the first line says so from now on. */
void pt_browse_over(struct pt_browse *b);
enum pt_browse_action pt_browse_key(struct pt_browse *b, int key);
/* What the user has typed for the last action: keys, seconds, a frequency. */
const char *pt_browse_typed(const struct pt_browse *b);
/* Shows a text in the last line, until the next key. */
void pt_browse_say(struct pt_browse *b, const char *text);
/* After pt_gather_rekey(): sets the columns of keys. */
void pt_browse_sort(struct pt_browse *b, const struct pt_table_opts *sort);
void pt_browse_draw(struct pt_browse *b, size_t lines, size_t columns,
		    void (*put)(void *ctx, size_t line, enum pt_style style, const char *text,
				size_t len),
		    void *ctx);
/* Shows event number *i, or the first one after it that has samples, and sets *i to the number
 * after that. False: there is none. */
bool pt_browse_each(struct pt_browse *b, size_t *i);
/* The first `lines` rows as text, with the status and the headings above them. 0: all. */
void pt_browse_text(struct pt_browse *b, size_t lines, size_t columns, struct pt_buf *out);
/* The stacks as folded lines, below a line `# ` with the status. */
void pt_browse_folded(struct pt_browse *b, struct pt_buf *out);

#endif
