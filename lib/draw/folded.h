/* folded.h - a reader of folded lines, `frame;frame;frame COUNT` or `... BEFORE AFTER`
 * (man/pt-formats.5), into a tree.
 *
 *     struct pt_folded *t = pt_folded_new(&opts);
 *     pt_folded_feed(t, block, len) ...; pt_folded_end(t);
 *     pt_folded_nodes(t, &nr)[0] is the root, `first`, `next` lead on
 *
 * Empty lines and those that begin with # are skipped, but for notes (base/foldnote.h). What is no
 * folded line is counted, as are stacks deeper than `max_depth`, which end there.
 * Children are in the order of their names, or of their arrival (`keep_order`: then only neighbours
 * merge). */
#ifndef PT_DRAW_FOLDED_H
#define PT_DRAW_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/foldnote.h"

struct pt_folded_opts {
	bool reverse;			/* stacks from the innermost frame */
	bool keep_order;		/* a flame chart */
	/* differences: vanished stacks are as wide as before */
	bool vanished;
	unsigned max_depth;		/* 0: 2048 */
};

struct pt_folded_node {
	const char *name;		/* interned; "" for the root */
	/* indexes; 0: none (the root is never a child). last: the child that came last */
	uint32_t parent, first, last, next;
	uint32_t depth;			/* of the root 0 */
	double total;			/* count of the frame and its callees */
	double before;			/* the same of the first column if there are two */
	double width;			/* total, but for `vanished` stacks */
};

struct pt_folded;
struct pt_folded *pt_folded_new(const struct pt_folded_opts *o);
void pt_folded_free(struct pt_folded *t);
void pt_folded_feed(struct pt_folded *t, const char *p, size_t len);
void pt_folded_end(struct pt_folded *t);
/* Children are linked by `next`, in order after pt_folded_end(). */
const struct pt_folded_node *pt_folded_nodes(const struct pt_folded *t, size_t *nr);

struct pt_folded_counts {
	uint64_t lines, good, bad, first_bad;	/* first_bad: its line number */
	uint64_t cut;			/* stacks deeper than max_depth */
	bool two;			/* lines had two counts */
	uint32_t depth;			/* of the deepest frame */
};
struct pt_folded_counts pt_folded_counts(const struct pt_folded *t);
/* What the comment lines say, see base/foldnote.h. */
const struct pt_foldnote *pt_folded_note(const struct pt_folded *t);

#endif
