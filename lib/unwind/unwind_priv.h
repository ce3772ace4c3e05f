/* unwind_priv.h - shared by unwind.c (the walk, frames with CFI) and unwind_guess.c (the
 * others). */
#ifndef PT_UNWIND_UNWIND_PRIV_H
#define PT_UNWIND_UNWIND_PRIV_H

#include "unwind/unwind.h"

enum { WALK_PLACES = 4 };		/* mappings remembered during a walk */

struct walk {				/* of one stack, from the innermost frame */
	struct pt_unwinder *u;
	const struct pt_arch *a;
	const struct pt_unwind_ops *ops;
	void *ctx;
	struct pt_regs regs;
	const uint8_t *stack;		/* the recorded copy */
	uint64_t stack_addr, stack_len;
	/* used last: most frames are in the same mapping */
	struct pt_place places[WALK_PLACES];
	unsigned place;			/* index of the last hit */
	bool plain;			/* 64-bit CPU whose calls push the return address */
	struct pt_unwind_result *result;
	bool top_taken;			/* a leaf's return address was taken from the stack's top */
	bool pointer_first;		/* prefer the frame pointer to the stack's top */
};

/* unwind.c: a word of memory; false: unknown, and result->end and missing say so. */
bool pt_walk_word(struct walk *w, uint64_t addr, uint64_t *v);
bool pt_walk_is_code(struct walk *w, uint64_t addr);
/* A return address without its pointer signature. */
uint64_t pt_walk_plain_address(struct walk *w, uint64_t ra);

/* unwind_guess.c: goes one frame up, without CFI. `leaf_words`: how many words on top of the stack
 * may be a leaf's return address; 0: not a leaf. */
bool pt_walk_guess(struct walk *w, unsigned leaf_words, uint64_t *cfa);
/* At a signal trampoline: goes on with the interrupted registers. If its bytes are unknown (no
 * recorded vdso), the saved pc must be in code and the saved sp further up the stack. */
bool pt_walk_trampoline(struct walk *w, bool leaf, uint64_t *cfa);

#endif
