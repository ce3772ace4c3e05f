/* foldnote.h - what a reader of stacks should know of them: a comment line in front of folded lines
 * (man/pt-formats.5, "Folded stacks").
 *
 *     # samples 29970, lost 0, truncated 360 (1.2 %), unresolved 1620 of 540123 frames (0.3 %) 0
 *
 * In front of the 0 ", counts in microseconds" where that is what stands at the ends of the lines
 * (pt-stack --off-cpu). Counts, so that those of several inputs can be added. The 0 is for readers
 * that know no comments, such as FlameGraph's: they take the line for a stack that was never seen,
 * and do not draw it. Readers here accept the line without it, too. */
#ifndef PT_BASE_FOLDNOTE_H
#define PT_BASE_FOLDNOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pt_foldnote {
	bool known;			/* else the rest is 0 */
	uint64_t samples;		/* stacks that were taken */
	uint64_t lost;			/* that the kernel could not deliver */
	uint64_t truncated;		/* stacks that end before their outermost function */
	uint64_t frames, unresolved;	/* unresolved: those without a name */
	bool microseconds;		/* what the stacks count; else samples or events */
};

/* Adds what the line (without newline) says. False: it is no such line. */
bool pt_foldnote_add(struct pt_foldnote *sum, const char *s, size_t len);
/* The line, with its newline. */
void pt_foldnote_line(const struct pt_foldnote *n, struct pt_buf *b);
/* "29970 samples, 0 lost, 1.2 % of stacks truncated, 0.3 % of frames unresolved": for messages and
 * pictures. */
void pt_foldnote_text(const struct pt_foldnote *n, struct pt_buf *b);

#endif
