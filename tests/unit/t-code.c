/* unwind/code.c: the depth of the stack from x86-64 instructions. */
#include "test.h"

#include <elf.h>

#include "base/mem.h"
#include "elf/insn.h"
#include "unwind/code.h"

enum { RBX = 3, RBP = 6, R12 = 12, NONE = -1 };

static const struct row { const char *what, *code; size_t len, at; int depth; } rows[] = {
#define ROW(what, code, at, depth) { what, code, sizeof(code) - 1, at, depth }
	ROW("nothing yet", "\x53\xc3", 0, 0),
	ROW("push", "\x53\xc3", 1, 8),
	ROW("push of r12", "\x41\x54\xc3", 2, 8),
	ROW("the middle of an instruction", "\x53\x48\x83\xec\x10\xc3", 4, 8),
	ROW("sub of a byte", "\x48\x83\xec\x10\xc3", 4, 16),
	ROW("sub of four bytes", "\x48\x81\xec\0\x10\0\0\xc3", 7, 4096),
	ROW("add", "\x48\x83\xec\x10\x48\x83\xc4\x08\xc3", 8, 8),
	ROW("lea", "\x48\x8d\x64\x24\xf0\xc3", 5, 16),
	ROW("cmp", "\x48\x83\xfc\x10\xc3", 4, 0),
	ROW("pop", "\x53\x5b\xc3", 2, 0),
	ROW("push of a constant", "\x6a\x01\xc3", 2, 8),
	ROW("push from memory", "\xff\x70\x08\xc3", 3, 8),
	ROW("r12 is not rsp", "\x49\x89\xe4\x49\x83\xec\x10\xc3", 7, 0),
	ROW("a load through rsp", "\x48\x8b\x44\x24\x08\xc3", 5, 0),
	/* push; je 5; pop; ret; 5: */
	ROW("behind a return, by a jump", "\x53\x74\x02\x5b\xc3\x90", 5, 8),
	/* je 6; push; call */
	ROW("a jump there tells more than the call in front", "\x74\x06\x53\xe8\0\0\0\0\xc3", 8, 0),
	ROW("a jump of four bytes", "\x53\x0f\x84\x02\0\0\0\x5b\xc3\x90", 9, 8),
	ROW("behind a return, by nothing", "\x53\xc3\x90", 2, NONE),
	ROW("behind a jump", "\xeb\x01\x90\x90", 2, NONE),
	ROW("behind an indirect jump", "\xff\xe0\x90", 2, NONE),
	ROW("and", "\x48\x83\xe4\xf0\xc3", 4, NONE),
	ROW("sub of a register", "\x48\x29\xc4\xc3", 3, NONE),
	ROW("mov to rsp", "\x48\x89\xec\xc3", 3, NONE),
	ROW("load of rsp", "\x48\x8b\x63\x10\xc3", 4, NONE),
	ROW("lea of another register", "\x48\x8d\x65\xf0\xc3", 4, NONE),
	ROW("leave", "\xc9\xc3", 1, NONE),
	ROW("more pops than pushes", "\x5b\xc3", 1, NONE),
	ROW("too deep", "\x48\x81\xec\0\0\0\x40\xc3", 7, NONE),
	ROW("no instruction", "\x06\xc3", 1, NONE),
	ROW("an instruction that is cut", "\x53\x48\x83", 1, NONE),
#undef ROW
};

static bool has_lengths(void)
{
	return pt_insn_len(EM_X86_64, (const uint8_t *)"\xc3", 1);
}

TEST(depths)
{
	struct pt_code_frame f;

	if (!has_lengths())
		SKIP("without Zydis");
	for (const struct row *r = rows; r < rows + PT_NR(rows); r++) {
		bool is = pt_code_frame_at(pt_test_guarded(r->code, r->len), r->len, r->at, &f);

		if ((is ? (int)f.depth_bytes : NONE) != r->depth)
			FAIL("%s: %d", r->what, is ? (int)f.depth_bytes : NONE);
	}
}

TEST(saved_registers)
{
	/* push %r12; push %rbp; push %rbx; push %rbx; pop %rax; pop %rbx; ret */
	static const char code[] = "\x41\x54\x55\x53\x53\x58\x5b\xc3";
	struct pt_code_frame f;

	if (!has_lengths())
		SKIP("without Zydis");
	CHECK(pt_code_frame_at((const uint8_t *)code, sizeof(code) - 1, 5, &f));
	CHECK(f.depth_bytes == 32 && f.saved[R12] == 8 && f.saved[RBP] == 16 && f.saved[RBX] == 24);
	CHECK(pt_code_frame_at((const uint8_t *)code, sizeof(code) - 1, 7, &f));
	CHECK(f.depth_bytes == 16 && f.saved[R12] == 8 && f.saved[RBP] == 16 && !f.saved[RBX]);
}
