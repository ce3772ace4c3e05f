/* lines.h - the lines of one instance of a function, in the order of its code: as its own frame
 * sees them. Code of what is inlined into it counts as the line of the call; rows that begin no
 * statement do not count. */
#ifndef PT_PROBE_WHERE_LINES_H
#define PT_PROBE_WHERE_LINES_H

#include "probe/where/instances.h"
#include "probe/target/source.h"

struct pt_line_at {
	uint64_t pc;
	uint32_t file, line;		/* line 0: of another file */
	/* does not follow the one before in memory (another part of the function) */
	bool apart;
	/* another line begins at the same address: no instruction is of this one (gcc's location
	 * views) */
	bool empty;
};

struct pt_lines_of { struct pt_line_at *v; size_t nr, cap; };

/* `file`: whose lines they are, as the debug information has it, or as it was asked for (!exact).
 * Fills `out` anew, its memory is the caller's. */
void pt_lines_of(struct pt_lines_of *out, struct pt_target *t, const struct pt_instance *in,
		 const char *file, bool exact);

/* The line of an address as the instance's own frame sees it; at its first instruction the first
 * that it has there. *line 0: nobody says. */
void pt_line_at(struct pt_target *t, const struct pt_instance *in, uint64_t pc, const char **file,
		uint32_t *line);

#endif
