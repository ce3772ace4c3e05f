/* place_priv.h - shared by place.c (functions, addresses, symbols) and place_lines.c (lines) */
#ifndef PT_PROBE_WHERE_PLACE_PRIV_H
#define PT_PROBE_WHERE_PLACE_PRIV_H

#include "probe/where/instances.h"
#include "probe/where/place.h"

struct pt_finder {
	struct pt_places *ps;
	struct pt_target *t;
	const struct pt_point *p;
	const struct pt_place_opts *o;
	bool failed;			/* e says why */
	struct pt_map seen;		/* vaddr -> index of its last place + 1 */
	size_t pieces;			/* the most places that one line has in one instance */
};

/* Adds a place of an instance unless it is there already. `line`: of `file`; 0: as the instance's
 * own frame sees it. */
void pt_place_add(struct pt_finder *f, const struct pt_instance *in, uint64_t vaddr,
		  const char *file, uint32_t line);
/* place_insn.c: -1 if an address (in the object) is inside an instruction, where a breakpoint would
 * break the program; e says where instructions begin, as FUNC+OFF if `start` is not 0. If that is
 * unknown, the address is accepted. */
int pt_place_check(struct pt_finder *f, uint64_t start, uint64_t vaddr, struct pt_err *e);
/* place_lines.c: adds the places of p->line of these instances (relative to their first line); 0,
 * or -1 and e says why. */
int pt_place_lines(struct pt_finder *f, const struct pt_instances *is, struct pt_err *e);
/* Adds the places of a file's line in any function. */
int pt_place_file_line(struct pt_finder *f, const char *file, struct pt_err *e);
/* prologue.c: the first instruction after the prologue, as in gdb; the entry if locations are
 * valid from there on. */
uint64_t pt_prologue_end(struct pt_target *t, const struct pt_tree *tree);

#endif
