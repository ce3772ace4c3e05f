/* calltree_priv.h - for calltree.c and calltree_print.c only. */
#ifndef PT_PROFILE_CALLTREE_PRIV_H
#define PT_PROFILE_CALLTREE_PRIV_H

#include "profile/calltree.h"

/* Of the tree of one row. */
struct node {
	uint32_t frame, parent, first, next;	/* nodes; 0: none */
	struct pt_profile_sum own, all;		/* all: with what is below */
	size_t start, end;			/* its parts: parts[start] to parts[end - 1] */
};

/* A node of the profile that is part of a node here, and how much of it. */
struct part {
	uint32_t at, frame;
	enum way { TO_CALLERS, TO_CALLEES, TO_OWN } way;	/* TO_OWN: marked callees alone */
	struct pt_profile_sum sum;
};

/* Of a node of the profile: its stacks that end in the row that is printed. */
struct marked {
	struct pt_profile_sum sum;
	uint32_t first, next;		/* nodes that have such */
};

/* Lists of what belongs to a row, the last one first. */
struct row_lists {
	uint32_t *first;		/* by row; 0: none */
	size_t nr_rows;
	uint32_t *next;			/* by what is in the lists; 0: none */
};

struct pt_calltree {
	struct pt_calltree_opts opts;
	struct pt_profile *profile;
	struct pt_profile_tree calls;	/* of the profile */
	struct row_lists begins;	/* nodes that a row's tree begins with */
	struct row_lists ends;		/* callers first: of calls.ends, those of the row's nodes */
	/* By node of the profile: */
	struct marked *marked;		/* callers first */
	/* a bit for each node, marked[] of it is in use: few of those that are looked at are */
	uint64_t *is_marked;
	struct pt_profile_sum *inner;	/* callees first: where it is its row's innermost */
	struct node *nodes;			/* from 1 on: the root, which has no frame */
	size_t nr, cap;
	struct part *parts;
	size_t nr_parts, cap_parts;
	struct part_order { uint64_t key, index; } *order;	/* see sort_parts() */
	struct part *unsorted;
	size_t cap_order;
};

/* The two sums are the same: nothing is missing. */
static inline bool calltree_is_all(const struct pt_profile_sum *a, const struct pt_profile_sum *b)
{
	return a->period == b->period && a->samples == b->samples;
}

/* Makes the nodes of a row's tree. */
void calltree_make(struct pt_calltree *t, size_t row);

#endif
