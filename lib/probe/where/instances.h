/* instances.h - all places where a function's code is: out of line, its clones, and wherever it is
 * inlined. From debug information. */
#ifndef PT_PROBE_WHERE_INSTANCES_H
#define PT_PROBE_WHERE_INSTANCES_H

#include "probe/target/target.h"
#include "probe/target/tree.h"

struct pt_instance {
	struct pt_tree *tree;		/* of the function out of line that holds it */
	size_t scope;			/* 0: that function itself, else where it is inlined */
	const char *name;		/* in the source, of C++ and Rust with namespaces */
	const char *file;		/* where it is declared; NULL: not said */
	uint32_t line;
	uint64_t origin;		/* equal for instances of one function */
	/* no call: the compiler split the function in two, and here it goes on within itself */
	bool part;
};

struct pt_instances {
	struct pt_instance *v;
	size_t nr, cap;
	struct pt_tree **trees;
	size_t nr_trees, cap_trees;
	struct pt_names *names;
	/* more of them, of whose code nothing is left that is theirs alone */
	size_t empty;
	bool declared;			/* a function of that name is known, if without code */
};

/* Those of functions that match `func` (match.h), declared in `file` unless that is NULL. None is
 * no error. In the order of the units. */
void pt_instances_find(struct pt_instances *is, struct pt_target *t, const char *func,
		       const char *file);
/* That which holds an address, innermost; false: no function is known there. */
bool pt_instances_at(struct pt_instances *is, struct pt_target *t, uint64_t vaddr);
/* Adds those of a unit's functions of which each() says true, and of what is inlined into them. */
void pt_instances_in(struct pt_instances *is, struct pt_target *t, struct pt_dw_unit *unit,
		     bool (*each)(void *arg, const struct pt_tree *tree), void *arg);
void pt_instances_init(struct pt_instances *is);
void pt_instances_deinit(struct pt_instances *is);

#endif
