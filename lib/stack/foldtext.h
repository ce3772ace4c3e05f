/* foldtext.h - stacks out of the text of other tools: perf script, eu-stack, gdb (`thread apply all
 * bt`), bpftrace, jstack, and folded lines.
 *
 *     struct pt_foldtext *t = pt_foldtext_new(&opts, got_stack, arg);
 *     pt_foldtext_feed(t, block, len) ...; pt_foldtext_end(t);
 *
 * Blocks may be cut anywhere. The first lines show which text it is, unless opts.from says so. A
 * stack is given as pieces, outermost first, valid during the callback, without `;` and control
 * characters.
 *
 * Names are tidied as FlameGraph's stackcollapse-perf.pl does: without offsets and what follows the
 * first parenthesis; frames without a name get their [module]; in `a->b` b is inlined into a. */
#ifndef PT_STACK_FOLDTEXT_H
#define PT_STACK_FOLDTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/foldnote.h"
#include "base/words.h"

enum pt_foldtext_kind {
	PT_FOLDTEXT_AUTO,
	PT_FOLDTEXT_PERF,
	PT_FOLDTEXT_DEBUGGER,
	PT_FOLDTEXT_BPFTRACE,
	PT_FOLDTEXT_JSTACK,
	PT_FOLDTEXT_FOLDED
};
extern const struct pt_word pt_foldtext_words[];

struct pt_foldtext_opts {
	enum pt_foldtext_kind from;
	/* of perf script: only this one; NULL: the first that comes; "*": all */
	const char *event;
	bool samples;			/* each sample counts 1, whatever its period */
	bool pid, tid;			/* COMM-PID, COMM-PID/TID as the first frame */
	bool kernel, jit, inlined;	/* mark frames _[k], _[j], _[i] */
	bool addrs;			/* addresses of what has no name */
	bool no_inline;			/* leave inlined frames out */
	bool context;			/* add source lines to names, where the text has them */
};

struct pt_piece { const char *s; size_t len; };

struct pt_foldtext;
struct pt_foldtext *pt_foldtext_new(const struct pt_foldtext_opts *o,
				    void (*got)(void *arg, const struct pt_piece *frames, size_t nr,
						double count),
				    void *arg);
void pt_foldtext_free(struct pt_foldtext *t);
void pt_foldtext_feed(struct pt_foldtext *t, const char *p, size_t len);
/* The text is complete; what is fed after that is a new one, of any kind. */
void pt_foldtext_end(struct pt_foldtext *t);

struct pt_foldtext_counts {
	enum pt_foldtext_kind kind;	/* of the last text */
	/* bad: lines that fit no form; first_bad: the number of the first of them */
	uint64_t lines, stacks, bad, first_bad;
	uint64_t left_out;		/* frames of stacks with more than 65,536 */
	uint64_t other_events;		/* samples left out for their event */
	const char *event;		/* the one that was taken; NULL: none has a name */
	struct pt_foldnote note;	/* sum of the `# samples ...` notes of folded lines */
};
struct pt_foldtext_counts pt_foldtext_counts(const struct pt_foldtext *t);

#endif
