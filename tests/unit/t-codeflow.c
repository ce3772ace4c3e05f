/* profile/codeflow.c: arrows of jumps, blocks, and loops by their weight. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "profile/codeflow.h"

/* Instructions of one byte from 0 on; jumps[i]: where i jumps to, -1: it does not. */
static struct pt_insns made(const int *jumps, size_t nr)
{
	struct pt_insns in = { .v = calloc(nr, sizeof(struct pt_insn)), .nr = nr };

	for (size_t i = 0; i < nr; i++)
		in.v[i] = (struct pt_insn){ .vaddr = i, .len_bytes = 1, .text = "", .kind = jumps[i] < 0 ? PT_INSN_OTHER : PT_INSN_JUMP,
					    .has_target = jumps[i] >= 0, .target = (uint64_t)jumps[i] };
	return in;
}

TEST(arrows)
{
	static const int jumps[] = { -1, 4, -1, 2, -1, 0, 6, 99 };
	struct pt_insns in = made(jumps, 8);
	struct pt_codeflow *f = pt_codeflow_new(&in);

	CHECK_STR(pt_codeflow_arrows(f, 0), ",--> ");
	CHECK_STR(pt_codeflow_arrows(f, 1), "|,-- ");
	CHECK_STR(pt_codeflow_arrows(f, 2), "||,> ");
	CHECK_STR(pt_codeflow_arrows(f, 3), "||'- ");
	CHECK_STR(pt_codeflow_arrows(f, 4), "|'-> ");
	CHECK_STR(pt_codeflow_arrows(f, 5), "'--- ");
	CHECK_STR(pt_codeflow_arrows(f, 6), "  ,> ");
	CHECK_STR(pt_codeflow_arrows(f, 7), "     ");	/* out of the function */
	pt_codeflow_free(f);
	pt_insns_deinit(&in);
}

TEST(more_jumps_than_room)
{
	int jumps[40];
	struct pt_insns in;
	struct pt_codeflow *f;

	for (int i = 0; i < 40; i++)
		jumps[i] = 39 - i;
	in = made(jumps, 40);
	f = pt_codeflow_new(&in);
	CHECK_STR(pt_codeflow_arrows(f, 0), "        ");
	CHECK_STR(pt_codeflow_arrows(f, 19), "||||,,> ");
	pt_codeflow_free(f);
	pt_insns_deinit(&in);
}

/* 0-6 is a loop with a loop 2-3 in it; 7 and 8 are in none. */
TEST(blocks)
{
	static const int jumps[] = { -1, -1, -1, 2, -1, -1, 0, -1, -1 };
	struct pt_insns in = made(jumps, 9);
	struct pt_codeflow *f = pt_codeflow_new(&in);
	struct pt_code_address at[] = { { .vaddr = 0, .weight = { 10, 1 } }, { .vaddr = 3, .weight = { 50, 5 } }, { .vaddr = 5, .weight = { 20, 2 } },
					{ .vaddr = 7, .weight = { 40, 4 } } };
	struct pt_code_function x = { .v = at, .nr = 4 };
	struct pt_code_block *v;
	size_t nr;

	v = pt_codeflow_blocks(f, &in, &x, &nr);
	CHECK_INT(nr, 4);
	CHECK_INT(v[0].start, 2);
	CHECK_INT(v[0].end, 4);
	CHECK_INT(v[0].weight.period, 50);
	CHECK(v[0].loops && v[0].loop == 2);
	CHECK_INT(v[1].start, 7);
	CHECK(!v[1].loops);
	CHECK_INT(v[2].start, 0);
	CHECK_INT(v[2].weight.period, 10);
	CHECK_INT(v[2].loop_weight.samples, 3);
	CHECK_INT(v[3].start, 4);
	CHECK_INT(v[3].end, 7);
	free(v);
	pt_codeflow_free(f);
	pt_insns_deinit(&in);
}
