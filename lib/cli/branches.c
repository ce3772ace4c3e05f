#include "cli/branches.h"

#include <linux/perf_event.h>
#include <stdbool.h>

#define WHERE (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)
#define DETAILS \
	(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_TYPE_SAVE)

const struct pt_word pt_branches_words[] = {
	PT_WORD("any", PERF_SAMPLE_BRANCH_ANY),
	PT_WORD("any_call", PERF_SAMPLE_BRANCH_ANY_CALL),
	PT_WORD("any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN),
	PT_WORD("ind_call", PERF_SAMPLE_BRANCH_IND_CALL),
	PT_WORD("ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP),
	PT_WORD("call", PERF_SAMPLE_BRANCH_CALL),
	PT_WORD("cond", PERF_SAMPLE_BRANCH_COND),
	PT_WORD("in_tx", PERF_SAMPLE_BRANCH_IN_TX),
	PT_WORD("abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX),
	PT_WORD("no_tx", PERF_SAMPLE_BRANCH_NO_TX),
	PT_WORD("u", PERF_SAMPLE_BRANCH_USER),
	PT_WORD("k", PERF_SAMPLE_BRANCH_KERNEL),
	PT_WORD("hv", PERF_SAMPLE_BRANCH_HV),
	PT_WORD("no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS),
	PT_WORD("no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES),
	PT_WORD("save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE),
	{ 0 }
};

uint64_t pt_branches_kinds(uint64_t bits)
{
	bool kind = bits & ~(uint64_t)(WHERE | DETAILS);

	return bits && !kind ? bits | PERF_SAMPLE_BRANCH_ANY : bits;
}
