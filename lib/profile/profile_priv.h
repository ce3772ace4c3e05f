/* profile_priv.h - for profile_*.c only. */
#ifndef PT_PROFILE_PROFILE_PRIV_H
#define PT_PROFILE_PROFILE_PRIV_H

#include "base/arena.h"
#include "base/map.h"
#include "profile/profile.h"
#include "stack/fold.h"

struct where {				/* what a frame adds to the keys of a row */
	const char *key;		/* for comparing */
	uint32_t frame;			/* one that has it */
};

/* A stack with names: ids[at] are the keys of the sample (of whos), then come the frames, the
 * outermost first. */
struct stack {
	size_t at, nr;
	struct pt_profile_sum sum;
	const void *place;		/* the innermost one */
};

struct pt_profile {
	struct pt_profile_opts opts;
	struct pt_fold *gathered;	/* stacks of places; NULL once they are named */
	struct stack *stacks;		/* named, until nodes are made of them */
	size_t nr_stacks, cap_stacks;
	uint32_t *ids;			/* keys and frames of all stacks, see struct stack */
	size_t nr_ids, cap_ids;
	struct pt_names *names;
	struct pt_arena arena;
	struct pt_profile_node *nodes;	/* the first one of each whos[] has no parent */
	size_t nr_nodes, cap_nodes;
	struct pt_profile_end *ends;
	size_t nr_ends, cap_ends;
	struct pt_map who_ids;		/* interned keys of samples: index into whos, from 1 */
	struct who { const char *keys; uint32_t root; } *whos;
	size_t nr_whos, cap_whos;
	struct pt_map frame_ids, where_ids;	/* frame_ids: hash: the first frame that has it */
	struct frame { struct pt_profile_frame x; uint32_t next; } *frames;
	size_t nr_frames, cap_frames;
	uint32_t *where_of;		/* by frame: index into wheres */
	size_t cap_where_of;
	struct where *wheres;
	size_t nr_wheres, cap_wheres;
	struct pt_map by_place;		/* place: its frames' ids, the first one is their number */
	/* the same by depth, from the outermost frame on: of the last stack that was as deep */
	struct known { const void *place; const uint32_t *ids; } *known;
	size_t nr_known;
	struct pt_map row_ids;		/* who << 32 | where: index into rows, from 1 */
	struct pt_profile_row *rows;
	size_t nr_rows, cap_rows;
};

/* profile_rows.c: makes nodes and rows of the named stacks. */
void profile_make_rows(struct pt_profile *p);

#endif
