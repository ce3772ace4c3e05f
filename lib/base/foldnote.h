/* foldnote.h - what a reader of stacks should know of them: comment lines in front of folded lines
 * (man/pt-formats.5, "Folded stacks").
 *
 *     # samples 29970, lost 0, truncated 360 (1.2 %), unresolved 1620 of 540123 frames (0.3 %) 0
 *     # recorded: make -j4 on web1, 2026-11-27 20:41 UTC 0
 *     # counts in bytes 0
 *     # subtitle: TEXT
 *
 * In front of the first 0 ", counts in microseconds" where that is what stands at the ends of the
 * lines (pt-stack --off-cpu). Counts, so that those of several inputs can be added. The 0 is for
 * readers that know no comments, such as FlameGraph's: they take the line for a stack that was
 * never seen, and do not draw it. Readers here accept the line without it, too. */
#ifndef PT_BASE_FOLDNOTE_H
#define PT_BASE_FOLDNOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { PT_FOLDNOTE_TEXT = 400 };	/* longer texts are cut */

struct pt_foldnote {
	bool known;			/* else the counts are 0 */
	uint64_t samples;		/* stacks that were taken */
	uint64_t lost;			/* that the kernel could not deliver */
	uint64_t truncated;		/* stacks that end before their outermost function */
	uint64_t frames, unresolved;	/* unresolved: those without a name */
	bool microseconds;		/* what the stacks count; else `unit` */
	/* "": samples or events. These texts are as somebody wrote them. */
	char unit[PT_FOLDNOTE_TEXT];
	/* what the stacks are of; "": not known, or `several` recordings */
	char recorded[PT_FOLDNOTE_TEXT];
	bool several;
	char subtitle[PT_FOLDNOTE_TEXT];
};

/* Adds what the line (without newline) says. False: it is no such line. */
bool pt_foldnote_add(struct pt_foldnote *sum, const char *s, size_t len);
/* Adds stacks of this recording. */
void pt_foldnote_recorded(struct pt_foldnote *n, const char *text);
/* The lines of what is known, but for the subtitle. */
void pt_foldnote_lines(const struct pt_foldnote *n, struct pt_buf *b);
/* "29970 samples, 0 lost, 1.2 % of stacks truncated, 0.3 % of frames unresolved": for messages and
 * pictures. */
void pt_foldnote_text(const struct pt_foldnote *n, struct pt_buf *b);

#endif
