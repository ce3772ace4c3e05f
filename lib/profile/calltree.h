/* calltree.h - the calls of a row, as a tree in the terminal or as folded lines.
 *
 *     struct pt_calltree *t = pt_calltree_new(&opts, profile);
 *     pt_calltree_print(t, row, &text);
 *     pt_calltree_free(t);
 *
 * The text is laid out as perf report --stdio has it. */
#ifndef PT_PROFILE_CALLTREE_H
#define PT_PROFILE_CALLTREE_H

#include "base/err.h"
#include "profile/profile.h"

enum pt_calltree_form {
	PT_CALLTREE_NONE,
	PT_CALLTREE_GRAPH,
	PT_CALLTREE_FRACTAL,		/* a graph; percentages are of the function above */
	PT_CALLTREE_FLAT,
	PT_CALLTREE_FOLDED,
};
enum pt_calltree_value { PT_CALLTREE_PERCENT, PT_CALLTREE_PERIOD, PT_CALLTREE_COUNT };
enum pt_calltree_order { PT_CALLTREE_USUAL, PT_CALLTREE_CALLER, PT_CALLTREE_CALLEE };

struct pt_calltree_opts {
	enum pt_calltree_form form;
	/* caller: outermost first. Usual: caller if callers have rows, else callee. */
	enum pt_calltree_order order;
	enum pt_calltree_value value;
	double min_percent;		/* branches below are left out */
	uint64_t max_lines;		/* of a tree; 0: no limit */
};

/* perf's text: form, least percentage, most lines, order, value, in any order, with commas between
 * them. NULL: the usual. */
int pt_calltree_parse(struct pt_calltree_opts *o, const char *text, struct pt_err *e);

struct pt_calltree;
/* `p` is named, and must live as long. */
struct pt_calltree *pt_calltree_new(const struct pt_calltree_opts *o, struct pt_profile *p);
void pt_calltree_free(struct pt_calltree *t);
/* Appends the tree of a row; its names are escaped for a terminal. Nothing, if it has none. */
void pt_calltree_print(struct pt_calltree *t, size_t row, struct pt_buf *b);

#endif
