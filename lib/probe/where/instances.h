/* instances.h - all places where a function's code is, from debug information: out of line, its
 * clones, and wherever it is inlined */
#ifndef PT_PROBE_WHERE_INSTANCES_H
#define PT_PROBE_WHERE_INSTANCES_H

#include "probe/target/target.h"
#include "probe/target/tree.h"

struct pt_instance {
	struct pt_tree *tree;		/* of the out-of-line function that contains it */
	size_t scope;			/* 0: that function itself, else the inlined scope */
	const char *name;		/* as in the source; with namespaces in C++ and Rust */
	const char *file;		/* of the declaration; NULL: unknown */
	uint32_t line;
	uint64_t origin;		/* the same for all instances of one function */
	/* the rest of a function that the compiler has split, not a call of it */
	bool part;
};

struct pt_instances {
	struct pt_instance *v;
	size_t nr, cap;
	struct pt_tree **trees;
	size_t nr_trees, cap_trees;
	struct pt_names *names;
	/* further inlined ones, where no instruction is their own */
	size_t empty;
	bool declared;			/* a function of that name is known, with or without code */
};

/* Instances of functions that match `func` (match.h) and, unless NULL, are declared in `file`; in
 * the order of the units. None is no error. */
void pt_instances_find(struct pt_instances *is, struct pt_target *t, const char *func,
		       const char *file);
/* The innermost instance at an address; false: no function is known there. */
bool pt_instances_at(struct pt_instances *is, struct pt_target *t, uint64_t vaddr);
/* Adds those of a unit's functions for which each() returns true, and what is inlined into them. */
void pt_instances_in(struct pt_instances *is, struct pt_target *t, struct pt_dw_unit *unit,
		     bool (*each)(void *arg, const struct pt_tree *tree), void *arg);
void pt_instances_init(struct pt_instances *is);
void pt_instances_deinit(struct pt_instances *is);

#endif
