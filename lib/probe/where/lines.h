/* lines.h - the lines of one instance of a function as its own frame sees them, in the order of
 * the code. Inlined code counts as the line of the call; rows that begin no statement do not
 * count. */
#ifndef PT_PROBE_WHERE_LINES_H
#define PT_PROBE_WHERE_LINES_H

#include "probe/where/instances.h"
#include "probe/target/source.h"

struct pt_line_at {
	uint64_t pc;
	uint32_t file, line;		/* line 0: of another file */
	/* not adjacent to the previous one in memory (another part of the function) */
	bool apart;
	/* another line begins at the same address, so this one has no instruction (gcc's location
	 * views) */
	bool empty;
};

struct pt_lines_of { struct pt_line_at *v; size_t nr, cap; };

/* `file`: of the lines. Replaces the content of `out`, which the caller frees. */
void pt_lines_of(struct pt_lines_of *out, struct pt_target *t, const struct pt_instance *in,
		 const char *file);

/* The line of an address in the instance's own frame; at its first instruction the first line
 * there. *line 0: unknown. */
void pt_line_at(struct pt_target *t, const struct pt_instance *in, uint64_t pc, const char **file,
		uint32_t *line);

#endif
