/* Operands of SDT markers as assemblers write them. */
#include <elf.h>

#include "base/mem.h"
#include "probe/value/sdtarg.h"
#include "test.h"

static void check(uint16_t machine, const char *args, size_t i, const char *want)
{
	struct pt_sdt sdt = { .provider = "p", .name = "n", .args = args, .vaddr = 0x1000 };
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	const struct pt_section none = { .len_bytes = 0 };
	struct pt_object *o = pt_object_of_code("", 0, 0, machine, &none, "test");
	const char *type = NULL;
	int rc = pt_sdt_arg(o, &sdt, i, &b, &type, &e);

	pt_object_put(o);

	if (rc < 0) {
		if (*want != '!' || !strstr(e.msg, want + 1))
			FAIL("%s, %zu: '%s', not '%s'", args, i, e.msg, want);
		return;
	}
	if (type)
		pt_buf_printf(&b, ":%s", type);
	CHECK_STR(b.data, want);
	pt_buf_deinit(&b);
}

TEST(x86)
{
	static const char args[] = "-4@-20(%rbp) 8@%rdi -4@$3 1@%al 2@%r8w -8@(%rax) %rsi -4@$-7";

	CHECK_INT(pt_sdt_nr_args(args), 8);
	check(EM_X86_64, args, 0, "-20(%bp):s32");
	check(EM_X86_64, args, 1, "%di:u64");
	check(EM_X86_64, args, 2, "\\3:s32");
	check(EM_X86_64, args, 3, "%ax:u8");
	check(EM_X86_64, args, 4, "%r8:u16");
	check(EM_X86_64, args, 5, "+0(%ax):s64");
	check(EM_X86_64, args, 6, "%si");
	check(EM_X86_64, args, 7, "\\-7:s32");
	check(EM_X86_64, args, 8, "!no arg9, only 8");
	check(EM_X86_64, "8@8(%rax,%rbx,4)", 0, "!by two registers");
	check(EM_X86_64, "8f@%xmm0", 0, "!floating point");
	check(EM_X86_64, "8@%xmm0", 0, "!no register");
	check(EM_X86_64, "16@%rax", 0, "!of a size");
	check(EM_X86_64, "8@counter+4(%rip)", 0, "!address of its variable");
	check(EM_X86_64, "8@", 0, "!not understood");
	check(EM_X86_64, "8@(", 0, "!not understood");
	check(EM_X86_64, "@%rax", 0, "!not understood");
	check(EM_X86_64, "8@zz(%rax)", 0, "!not understood");
	check(EM_X86_64, "", 0, "!only 0");
}

TEST(arm64_and_s390)
{
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 0, "+12(%sp):s32");
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 1, "%x0:u64");
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 2, "%x1:u32");
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 3, "\\5:s32");
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 4, "-20(%x29):u64");
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 5, "+0(%x3):u64");
	check(EM_AARCH64, "-4@[sp, 12] 8@x0 4@w1 -4@5 8@[x29, -20] 8@[x3] 8@[x1, x2]", 6, "!by two registers");
	check(EM_S390, "8@168(%r15) 4@%r2", 0, "+168(%r15):u64");
	check(EM_S390, "8@168(%r15) 4@%r2", 1, "%r2:u32");
}
