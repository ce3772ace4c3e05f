/* codeflow.h - jumps within a function: arrows beside its instructions, basic blocks and loops.
 * A loop is what lies between a jump backwards and its target. */
#ifndef PT_PROFILE_CODEFLOW_H
#define PT_PROFILE_CODEFLOW_H

#include "disasm/disasm.h"
#include "profile/code.h"

struct pt_codeflow;
struct pt_codeflow *pt_codeflow_new(const struct pt_insns *in);
void pt_codeflow_free(struct pt_codeflow *f);
/* What stands between the address and the text of an instruction: "|,->". It has the same width for
 * all; the longest jumps are left out if they do not fit. */
const char *pt_codeflow_arrows(const struct pt_codeflow *f, size_t i);

struct pt_code_block {
	size_t start, end;		/* instructions, by number */
	struct pt_weight weight;
	bool loops;			/* it is in a loop, the innermost of which begins here: */
	size_t loop;
	struct pt_weight loop_weight;	/* without loops within the loop */
};

/* Blocks of the hottest loop first, those of a loop by address; the caller frees. */
struct pt_code_block *pt_codeflow_blocks(const struct pt_codeflow *f, const struct pt_insns *in,
					 const struct pt_code_function *x, size_t *nr);

#endif
