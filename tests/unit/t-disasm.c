/* disasm/: x86 code by Zydis and by objdump alike; bytes that are no code; other CPUs. */
#include <stdlib.h>

#include "test.h"
#include "base/program.h"
#include "disasm/disasm_priv.h"

/* push %rbp; mov %rsp,%rbp; je +4; call -9; ret */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x74, 0x04, 0xe8, 0xf5, 0xff, 0xff, 0xff, 0xc3 };

static void check_code(const struct pt_insns *in)
{
	CHECK_INT(in->nr, 5);
	CHECK_INT(in->v[0].vaddr, 0x1000);
	CHECK_INT(in->v[1].vaddr, 0x1001);
	CHECK_INT(in->v[1].len_bytes, 3);
	CHECK_STR(in->v[0].text, "push   %rbp");
	CHECK_STR(in->v[1].text, "mov    %rsp,%rbp");
	CHECK_INT(in->v[2].kind, PT_INSN_JUMP);
	CHECK(in->v[2].has_target);
	CHECK_INT(in->v[2].target, 0x100a);
	CHECK_INT(in->v[3].kind, PT_INSN_CALL);
	CHECK(in->v[3].has_target);
	CHECK_INT(in->v[3].target, 0x1000);
	CHECK_INT(in->v[4].kind, PT_INSN_RETURN);
	CHECK_INT(in->v[4].vaddr + in->v[4].len_bytes, 0x1000 + sizeof(code));
}

static struct pt_disasm_code x86(const uint8_t *bytes, size_t len)
{
	return (struct pt_disasm_code){ .arch = "x86_64", .bytes = bytes, .len_bytes = len, .vaddr = 0x1000 };
}

TEST(x86_by_zydis)
{
	struct pt_disasm_code c = x86(pt_test_guarded(code, sizeof(code)), sizeof(code));
	struct pt_insns in = { .nr = 0 };

	if (!pt_disasm_zydis(&in, &c))
		SKIP("built without Zydis");
	check_code(&in);
	CHECK_STR(in.by, "Zydis");
	pt_insns_deinit(&in);
}

TEST(x86_by_objdump)
{
	struct pt_disasm_code c = x86(code, sizeof(code));
	struct pt_insns in = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;

	if (pt_program_find("objdump", NULL))
		SKIP("no objdump");
	CHECK_INT(pt_disasm_objdump(&in, &c, &e), 1);
	check_code(&in);
	CHECK_STR(in.by, "objdump");
	pt_insns_deinit(&in);
}

/* A byte that begins no instruction, code that ends within one: what is behind stays in its place. */
TEST(no_code)
{
	static const uint8_t bad[] = { 0x90, 0x06, 0x90, 0xe8, 0x00 };
	struct pt_disasm_code c = x86(pt_test_guarded(bad, sizeof(bad)), sizeof(bad));
	struct pt_insns in = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;

	if (pt_disasm(&in, &c, &e) < 0)
		SKIP("neither Zydis nor objdump");
	CHECK(in.nr >= 4);
	CHECK_INT(in.v[1].vaddr, 0x1001);
	CHECK_INT(in.v[1].kind, PT_INSN_BAD);
	CHECK_INT(in.v[2].vaddr, 0x1002);
	CHECK_STR(in.v[2].text, "nop");
	CHECK_INT(in.v[in.nr - 1].vaddr + in.v[in.nr - 1].len_bytes, 0x1005);
	pt_insns_deinit(&in);
}

TEST(every_sequence_of_bytes)
{
	struct pt_insns in = { .nr = 0 };
	uint8_t bytes[64];
	uint32_t seed = 7;

	for (int round = 0; round < 2000; round++) {
		struct pt_disasm_code c;
		uint64_t at = 0x1000;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		c = x86(bytes, sizeof(bytes));
		if (!pt_disasm_zydis(&in, &c))
			SKIP("built without Zydis");
		for (size_t i = 0; i < in.nr; i++) {
			CHECK_INT(in.v[i].vaddr, at);
			CHECK(in.v[i].len_bytes > 0);
			at += in.v[i].len_bytes;
		}
		CHECK_INT(at, 0x1000 + sizeof(bytes));
		pt_insns_deinit(&in);
	}
}

TEST(unknown_cpu)
{
	struct pt_disasm_code c = { .arch = "pdp11", .bytes = code, .len_bytes = 4 };
	struct pt_insns in = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_disasm(&in, &c, &e), -1);
	CHECK_STR(e.msg, "nothing here reads code of pdp11 (objdump does)");
}
