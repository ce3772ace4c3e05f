/* stacknote.h - counts the flaws of the stacks that a tool prints, and reports them at the end on
 * standard error, with advice.
 *
 *     pt_stacknote_stack(&n, &how);                          // each sample
 *     // each named frame, in so many samples
 *     pt_stacknote_frame(&n, &frame, has_file, times);
 *     pt_stacknote_end(&n, source);                          // the source's losses
 *     pt_foldnote_lines(&n.note, &buf);                      // before the folded lines
 *     pt_stacknote_say(&n, tool, frames);
 *
 * Modules are compared by pointer: they are interned (stack/frames.h), and must live until
 * pt_stacknote_say(). */
#ifndef PT_CLI_STACKNOTE_H
#define PT_CLI_STACKNOTE_H

#include "base/foldnote.h"
#include "cli/opt.h"
#include "record/read/source.h"
#include "stack/frames.h"

struct pt_stacknote_module { const char *module; bool has_file; uint64_t count; };

struct pt_stacknote_list { struct pt_stacknote_module *v; size_t nr, cap, last; };

enum { PT_STACKNOTE_LANGUAGES = 2 };	/* for which pt_stacknote_say() advises an option */

struct pt_stacknote {			/* zeros to begin with */
	struct pt_foldnote note;
	/* the limits of mappings and of open files were met: the reason for most missing names */
	bool unmapped;
	bool refused, refused_kernel;
	bool java;			/* a Java virtual machine is among the programs */
	/* Stacks of note.truncated by the reason: the copy of the stack was too short; nothing was
	 * copied; the stack goes on elsewhere (struct pt_frames_how); the kernel's call chain was
	 * full, where a larger copy does not help, or helps; no unwind information; an address that
	 * is no code; longer than --max-stack. */
	uint64_t short_copy, no_copy, elsewhere, full_chain, full_for_copy, no_rule, no_code, deep;
	uint64_t stray;			/* see struct pt_frames_how */
	/* frames without a name, stacks that break off, by module */
	struct pt_stacknote_list unresolved, broken;
	/* frames of each language's interpreter, and those that have its functions' names */
	struct pt_stacknote_language { uint64_t runs, named; } languages[PT_STACKNOTE_LANGUAGES];
};

void pt_stacknote_deinit(struct pt_stacknote *n);
void pt_stacknote_stack(struct pt_stacknote *n, const struct pt_frames_how *how);
void pt_stacknote_frame(struct pt_stacknote *n, const struct pt_named_frame *x, bool has_file,
			uint64_t times);
/* Names the stack of a sample, and notes it and its frames. */
size_t pt_stacknote_frames(struct pt_stacknote *n, struct pt_frames *f, const struct pt_record *rec,
			   const struct pt_named_frame **frames);
void pt_stacknote_end(struct pt_stacknote *n, const struct pt_source *s);
/* Also reports what `frames` knows: files that could not be opened, JIT code, the kernel. */
void pt_stacknote_say(struct pt_stacknote *n, const struct pt_tool *tool,
		      const struct pt_frames *frames);

#endif
