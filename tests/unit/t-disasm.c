/* disasm/: instructions, their kinds and targets; bytes that are no code; other CPUs. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "base/mem.h"
#include "base/program.h"
#include "disasm/disasm.h"

static void read_code(struct pt_insns *in, const char *arch, const uint8_t *bytes, size_t len)
{
	struct pt_disasm_code c = { .arch = arch, .bytes = pt_test_guarded(bytes, len), .len_bytes = len, .vaddr = 0x1000 };
	struct pt_err e = PT_ERR_INIT;

	*in = (struct pt_insns){ .nr = 0 };
	if (pt_disasm(in, &c, &e) < 0)
		SKIP("%s", e.msg);
}

TEST(x86)
{
	/* push %rbp; mov %rsp,%rbp; je +4; call -9; mov 0x10(%rip),%eax; bnd jmp -0x16; ret */
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x74, 0x04, 0xe8, 0xf5, 0xff, 0xff, 0xff, 0x8b, 0x05, 0x10, 0, 0, 0,
					0xf2, 0xe9, 0xe9, 0xff, 0xff, 0xff, 0xc3 };
	struct pt_insns in;

	read_code(&in, "x86_64", code, sizeof(code));
	CHECK_INT(in.nr, 7);
	CHECK_INT(in.v[0].vaddr, 0x1000);
	CHECK_INT(in.v[1].vaddr, 0x1001);
	CHECK_INT(in.v[1].len_bytes, 3);
	CHECK_STR(in.v[0].text, "push   %rbp");
	CHECK_STR(in.v[1].text, "mov    %rsp,%rbp");
	CHECK(!in.v[1].has_target);
	CHECK_INT(in.v[2].kind, PT_INSN_JUMP);
	CHECK_STR(in.v[2].text, "je     100a");
	CHECK_INT(in.v[2].target, 0x100a);
	CHECK_INT(in.v[3].kind, PT_INSN_CALL);
	CHECK_INT(in.v[3].target, 0x1000);
	CHECK_INT(in.v[4].kind, PT_INSN_OTHER);
	CHECK_STR(in.v[4].text, "mov    0x10(%rip),%eax        # 1021");
	CHECK_INT(in.v[4].target, 0x1021);
	CHECK_INT(in.v[5].kind, PT_INSN_JUMP);
	CHECK_STR(in.v[5].text, "bnd jmp 1000");
	CHECK_INT(in.v[6].kind, PT_INSN_RETURN);
	CHECK_INT(in.v[6].vaddr + in.v[6].len_bytes, 0x1000 + sizeof(code));
	pt_insns_deinit(&in);
}

TEST(intel)
{
	static const uint8_t code[] = { 0x48, 0x89, 0xe5 };
	struct pt_disasm_code c = { .arch = "x86_64", .bytes = code, .len_bytes = 3, .intel = true };
	struct pt_insns in = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;

	if (pt_disasm(&in, &c, &e) < 0)
		SKIP("%s", e.msg);
	CHECK_STR(in.v[0].text, "mov    rbp,rsp");
	pt_insns_deinit(&in);
}

/* cbz x0, 8; bl 0; ret; b.ne 0x100c; blr x3; br x16; adrp x3, 0x2000; mov w1, #0xbb8 */
TEST(arm64)
{
	static const uint8_t code[] = { 0x40, 0, 0, 0xb4, 0xff, 0xff, 0xff, 0x97, 0xc0, 0x03, 0x5f, 0xd6,
					0x01, 0, 0, 0x54, 0x60, 0, 0x3f, 0xd6, 0, 0x02, 0x1f, 0xd6,
					0x03, 0, 0, 0xb0, 0x01, 0x77, 0x81, 0x52 };
	struct pt_insns in;

	read_code(&in, "aarch64", code, sizeof(code));
	CHECK_INT(in.nr, 8);
	CHECK_STR(in.v[0].text, "cbz x0, 1008");
	CHECK_INT(in.v[0].kind, PT_INSN_JUMP);
	CHECK_INT(in.v[0].target, 0x1008);
	CHECK_INT(in.v[1].kind, PT_INSN_CALL);
	CHECK_INT(in.v[1].target, 0x1000);
	CHECK_INT(in.v[2].kind, PT_INSN_RETURN);
	CHECK_STR(in.v[3].text, "b.ne 100c  // b.any");
	CHECK_INT(in.v[3].kind, PT_INSN_JUMP);
	CHECK_INT(in.v[3].target, 0x100c);
	CHECK_INT(in.v[4].kind, PT_INSN_CALL);
	CHECK_INT(in.v[5].kind, PT_INSN_JUMP);
	CHECK_STR(in.v[6].text, "adrp x3, 2000");
	CHECK_INT(in.v[6].target, 0x2000);
	CHECK(!in.v[7].has_target);
	pt_insns_deinit(&in);
}

/* brasl %r14,0x1000; jne 0x1004; brctg %r1,0x1004; clgijl %r1,8,0x1004; blr %r14; br %r1; br %r14; svc 1; no instruction */
TEST(s390x)
{
	static const uint8_t code[] = { 0xc0, 0xe5, 0, 0, 0, 0, 0xa7, 0x74, 0xff, 0xff, 0xa7, 0x17, 0xff, 0xfd,
					0xec, 0x14, 0xff, 0xfb, 0x08, 0x7d, 0x07, 0x4e, 0x07, 0xf1, 0x07, 0xfe,
					0x0a, 0x01, 0x00, 0x00 };
	static const enum pt_insn_kind kinds[] = { PT_INSN_CALL, PT_INSN_JUMP, PT_INSN_JUMP, PT_INSN_JUMP, PT_INSN_JUMP,
						   PT_INSN_JUMP, PT_INSN_RETURN, PT_INSN_SYSCALL, PT_INSN_BAD };
	struct pt_insns in;

	read_code(&in, "s390x", code, sizeof(code));
	CHECK_INT(in.nr, PT_NR(kinds));
	for (size_t i = 0; i < in.nr; i++)
		CHECK_INT(in.v[i].kind, kinds[i]);
	CHECK_STR(in.v[0].text, "brasl %r14,1000");
	CHECK_INT(in.v[0].target, 0x1000);
	for (size_t i = 1; i < 4; i++)
		CHECK_INT(in.v[i].target, 0x1004);
	CHECK(!in.v[5].has_target);
	pt_insns_deinit(&in);
}

/* A byte that begins no instruction, code that ends within one: what is behind stays in its place. */
TEST(no_code)
{
	static const uint8_t bad[] = { 0x90, 0x06, 0x90, 0xe8, 0x00 };
	struct pt_insns in;

	read_code(&in, "x86_64", bad, sizeof(bad));
	CHECK(in.nr >= 4);
	CHECK_INT(in.v[1].vaddr, 0x1001);
	CHECK_INT(in.v[1].kind, PT_INSN_BAD);
	CHECK_INT(in.v[2].vaddr, 0x1002);
	CHECK_STR(in.v[2].text, "nop");
	CHECK_INT(in.v[in.nr - 1].vaddr + in.v[in.nr - 1].len_bytes, 0x1005);
	pt_insns_deinit(&in);
}

/* objdump leaves them out unless told not to. */
TEST(zeros)
{
	static const uint8_t code[18] = { [0] = 0x90, [17] = 0x90 };
	struct pt_insns in;

	read_code(&in, "x86_64", code, sizeof(code));
	CHECK_INT(in.nr, 10);
	CHECK_INT(in.v[0].len_bytes, 1);
	CHECK_INT(in.v[9].vaddr, 0x1011);
	pt_insns_deinit(&in);
}

TEST(every_sequence_of_bytes)
{
	static uint8_t bytes[1 << 16];
	uint32_t seed = 7;
	uint64_t at = 0x1000;
	struct pt_insns in;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
	read_code(&in, "x86_64", bytes, sizeof(bytes));
	for (size_t i = 0; i < in.nr; i++) {
		CHECK_INT(in.v[i].vaddr, at);
		CHECK(in.v[i].len_bytes > 0);
		at += in.v[i].len_bytes;
	}
	CHECK_INT(at, 0x1000 + sizeof(bytes));
	pt_insns_deinit(&in);
}

TEST(refused)
{
	struct pt_disasm_code c = { .arch = "pdp11", .bytes = (const uint8_t *)"abcd", .len_bytes = 4 };
	struct pt_insns in = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_disasm(&in, &c, &e), -1);
	CHECK_STR(e.msg, "nothing here reads code of pdp11");
	c.arch = "s390x";
	setenv("PATH", "/nonexistent", 1);
	CHECK_INT(pt_disasm(&in, &c, &e), -1);
	CHECK_STR(e.msg, "there is no objdump, which reads code of s390x (package binutils, or binutils-s390x-linux-gnu)");
}
