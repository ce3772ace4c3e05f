/* profile.h - samples added up into rows: what was spent in each function itself, and in it and
 * what it calls.
 *
 *     struct pt_profile *p = pt_profile_new(&opts);
 *     pt_profile_add(p, who, places, nr, period) ...         // each sample; nothing is named yet
 *     pt_profile_name(p, name_place, ctx);                   // names each place once
 *     while (pt_profile_row(p, &i, &row)) ...                // sorted, the greatest first
 *     pt_profile_free(p);
 *
 * A row is told apart by its keys: those of the sample (who: comm, cpu, ...) and those of the frame
 * (where: shared object, symbol, ...). With `children`, each function on a sample's stack has a
 * row, and a function that is there several times counts once. Weights are periods: the event's
 * count, or samples where the recording has no periods. */
#ifndef PT_PROFILE_PROFILE_H
#define PT_PROFILE_PROFILE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/words.h"
#include "stack/fold.h"

/* What tells rows apart. The first ones are the sample's, from PT_KEY_DSO on they are the
 * frame's. */
enum pt_profile_key {
	PT_KEY_COMM,
	PT_KEY_PID,			/* "PID:COMM" */
	PT_KEY_TID,			/* "TID:COMM" */
	PT_KEY_CPU,
	PT_KEY_CGROUP,
	PT_KEY_TIME,			/* seconds, rounded down */
	PT_KEY_TRACE,			/* the text of a tracepoint or probe */
	PT_KEY_PARENT,			/* the innermost function that opts.parent matches */
	PT_KEY_DSO,
	PT_KEY_SYM,
	PT_KEY_SRCLINE,			/* "file.c:12" */
	PT_KEY_SRCFILE,
	PT_NR_KEYS,
};

struct pt_profile_opts {
	unsigned keys;			/* bit n: enum pt_profile_key n */
	bool children;			/* rows of callers, too */
	bool counted;			/* periods are numbers of samples, as in folded lines */
	/* a weight is 1/parts of a period, where periods are divided; 0: it is a period */
	uint64_t parts;
	const regex_t *parent;		/* for PT_KEY_PARENT */
};

struct pt_profile_frame {
	const char *dso, *sym;		/* interned by whoever names; never NULL */
	const char *file;		/* NULL: unknown */
	uint32_t line;			/* 0: unknown */
	char level;			/* 'k' kernel, '.' user; 0: unknown */
	bool nameless;			/* sym stands in for a name, which may be known later */
};

struct pt_profile_row {
	uint64_t self, total;		/* periods; total is self without `children` */
	uint64_t samples;		/* of self */
	uint32_t who, where, number;	/* private */
};

struct pt_profile;
struct pt_profile *pt_profile_new(const struct pt_profile_opts *o);
struct pt_profile *pt_profile_like(const struct pt_profile *p);	/* empty, with p's options */
void pt_profile_free(struct pt_profile *p);
/* Empties it but for the names of places: only the nameless ones are asked for again. */
void pt_profile_clear(struct pt_profile *p);
unsigned pt_profile_keys(const struct pt_profile *p);
bool pt_profile_callers(const struct pt_profile *p);	/* callers have rows */

/* `keys`: the sample's keys that rows need, in their order, made by pt_profile_who(). Places are
 * pointers, innermost first, which must live until pt_profile_name(). */
void pt_profile_add(struct pt_profile *p, const char *keys, const void *const *places, size_t nr,
		    uint64_t period);
/* Appends one key of a sample to `b`; keys come in the order of the enum. PT_KEY_PARENT is left to
 * pt_profile_name(). */
void pt_profile_who(struct pt_buf *b, const char *text);

/* Gives the frames of a place, inlined ones first; at least one. */
typedef size_t pt_profile_namer(void *ctx, const void *place,
				const struct pt_profile_frame **frames);
/* Adds stacks and names them at once. */
void pt_profile_add_named(struct pt_profile *p, const struct pt_fold_entry *x,
			  pt_profile_namer *name, void *ctx);
/* Names all places, once, when the last sample was added. */
void pt_profile_name(struct pt_profile *p, pt_profile_namer *name, void *ctx);

uint64_t pt_profile_samples(const struct pt_profile *p);
uint64_t pt_profile_total(const struct pt_profile *p);	/* the sum of all weights */
uint64_t pt_profile_periods(const struct pt_profile *p, uint64_t weight);

/* for (i = 0; (row = pt_profile_row(p, i)); i++): by total, then by self, then by the keys */
const struct pt_profile_row *pt_profile_row(struct pt_profile *p, size_t i);
/* The row of p with the same keys as a row of another profile; NULL: there is none. */
const struct pt_profile_row *pt_profile_same_row(const struct pt_profile *p,
						 const struct pt_profile *other,
						 const struct pt_profile_row *row);
/* Appends a key of the row, not escaped. */
void pt_profile_cell(const struct pt_profile *p, const struct pt_profile_row *row,
		     enum pt_profile_key key, struct pt_buf *b);
/* The level of the row's symbol, as struct pt_profile_frame has it. */
char pt_profile_level(const struct pt_profile *p, const struct pt_profile_row *row);

/* The innermost place of most of the row's own samples; NULL: it has none. */
const void *pt_profile_hottest(const struct pt_profile *p, const struct pt_profile_row *row);
/* Adds all stacks, weights being samples: the keys of the sample (without any: "all"), then the
 * names of the frames, kernel ones with _[k], which are interned in `names`. */
void pt_profile_fold(const struct pt_profile *p, struct pt_fold *f, struct pt_names *names);

/* All stacks as one tree of calls: what several have in common from their outermost function on is
 * there once. Nodes are in preorder: a node is followed by all that are below it, beginning with
 * its first callee. Node 0 is none, a node without a parent stands for the keys of samples: below
 * it are the outermost functions. Good until the profile is freed. */
#define PT_PROFILE_NO_ROW UINT32_MAX
struct pt_profile_node {		/* small: there may be millions */
	uint32_t frame;			/* for pt_profile_frame() */
	uint32_t parent;		/* node of the caller; 0: none */
	uint32_t next;			/* node of the caller's next callee; 0: none */
	uint32_t row;			/* number of the row that it counts for */
	uint32_t outer;			/* the nearest caller of the same row; 0: none */
	uint32_t end;			/* index of the stacks that end here; 0: none */
	struct pt_profile_sum { uint64_t period, samples; } all;	/* with callees */
};
struct pt_profile_end {
	uint32_t node;
	struct pt_profile_sum own;	/* of the stacks that end in the node */
	const void *place;		/* the innermost one of the first of them */
};
struct pt_profile_tree {
	const struct pt_profile_node *nodes;
	size_t nr;
	/* By pt_profile_node.end, in the order of their nodes. The first one is none. */
	const struct pt_profile_end *ends;
	size_t nr_ends;
};
struct pt_profile_tree pt_profile_tree(const struct pt_profile *p);
/* The first callee of a node; 0: none. */
static inline uint32_t pt_profile_callee(const struct pt_profile_node *nodes, size_t nr,
					 uint32_t at)
{
	return at + 1 < nr && nodes[at + 1].parent == at ? at + 1 : 0;
}
const struct pt_profile_frame *pt_profile_frame(const struct pt_profile *p, uint32_t id);

#endif
