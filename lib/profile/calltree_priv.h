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

struct pt_calltree {
	struct pt_calltree_opts opts;
	struct pt_profile *profile;
	struct pt_profile_tree calls;	/* of the profile */
	/* Of each of its nodes: */
	/* another node that the tree of the same row begins with, as a list; 0: none */
	uint32_t *same_row;
	struct marked *marked;		/* callers first */
	/* a bit for each node, marked[] of it is in use: few of those that are looked at are */
	uint64_t *is_marked;
	struct pt_profile_sum *inner;	/* callees first: where it is its row's innermost */
	uint32_t *first_of_row;		/* by row: a node that its tree begins with; 0: none */
	size_t nr_rows;
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

/* Makes the nodes of the row whose tree begins with `first`, a node of the profile. */
void calltree_make(struct pt_calltree *t, uint32_t first);

#endif
