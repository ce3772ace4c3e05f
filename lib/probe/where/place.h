/* place.h - the places in the code that a point means: by default one for each line and instance
 * (an out-of-line function, or an inlined copy).
 *
 * A function's own place is its first instruction for FUNC+OFF, for %return, and without a line
 * table; otherwise, if variables are wanted, the one after its prologue, as in gdb. A line's
 * places are the lowest addresses of each contiguous run of its rows in each instance; with `all`
 * every row. A line without code is refused, and the error names the nearest lines with code.
 *
 * Strings live as long as both the target and the list. Sources: DWARF 5 chapters 2, 3 and 6; gABI
 * chapter 5. */
#ifndef PT_PROBE_WHERE_PLACE_H
#define PT_PROBE_WHERE_PLACE_H

#include "probe/spec/point.h"
#include "probe/target/target.h"

enum { PT_PLACE_SCOPES = 64 };

struct pt_place {
	uint64_t vaddr;
	uint64_t off;			/* file offset for a uprobe; 0 for a kernel */
	const char *symbol;		/* the ELF symbol that contains it; NULL: none */
	uint64_t symbol_off;
	/* the function that was asked for, or of the line, as the source names it; else the
	 * symbol */
	const char *func;
	/* the out-of-line function that contains it; == func unless inlined */
	const char *outer;
	bool entry;			/* the first instruction of `outer` */
	bool body;			/* the first one after the prologue of `func` */
	bool inlined;			/* `func` is inlined here */
	bool ret;			/* %return: a return probe; vaddr is the entry */
	const char *file;		/* source file in the debug information; NULL: unknown */
	uint32_t line;			/* 0: unknown */
	/* The unit of the function (NULL: no debug information), and the entries (offsets in its
	 * section) that contain the address, from the out-of-line function inwards to `func`'s
	 * innermost block. */
	struct pt_dw_unit *unit;
	uint64_t scopes[PT_PLACE_SCOPES];
	unsigned nr_scopes;
};

struct pt_places {
	struct pt_place *v;
	size_t nr, cap;
	struct pt_names *names;
	/* to be shown to the user ("memcpy is an IFUNC: ..."); NULL: none */
	char *note;
};

struct pt_place_opts {
	bool all;			/* every row of a line */
	bool first;			/* only the first piece of a line in each instance */
	/* arguments are variables: FUNC means its first instruction after the prologue */
	bool variables;
};

/* -1: e->sys is ENOENT if there is no function of that name. */
int pt_places_find(struct pt_places *ps, struct pt_target *t, const struct pt_point *p,
		   const struct pt_place_opts *o, struct pt_err *e);
void pt_places_deinit(struct pt_places *ps);

#endif
