/* unwind/unwind.c on stacks made by hand, of each CPU: without CFI, as JIT code and trampolines have none. Signed return addresses, link registers, signal frames. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "unwind/regnames.h"
#include "unwind/unwind.h"
#include "test.h"

enum { CODE_BYTES = 512, STACK_BYTES = 8192, STACK = 0x7f000000 };

static struct world {
	uint64_t code_at;
	uint8_t code[CODE_BYTES], stack[STACK_BYTES];
	bool code_known;
} w;

static bool find(void *ctx, uint64_t addr, struct pt_place *p)
{
	(void)ctx;
	*p = (struct pt_place){ .exec = addr - w.code_at < CODE_BYTES };
	return p->exec || addr - STACK < STACK_BYTES;
}

static bool read_world(void *ctx, uint64_t addr, void *to, size_t len)
{
	(void)ctx;
	if (addr - STACK < STACK_BYTES && STACK_BYTES - (addr - STACK) >= len)
		memcpy(to, w.stack + (addr - STACK), len);
	else if (w.code_known && addr - w.code_at < CODE_BYTES && CODE_BYTES - (addr - w.code_at) >= len)
		memcpy(to, w.code + (addr - w.code_at), len);
	else
		return false;
	return true;
}

static void begin(uint64_t code_at, bool code_known)
{
	memset(&w, 0, sizeof(w));
	w.code_at = code_at;
	w.code_known = code_known;
}

static void put64(unsigned at, uint64_t v) { memcpy(w.stack + at, &v, 8); }
static void put32(unsigned at, uint32_t v) { memcpy(w.stack + at, &v, 4); }
static void code(unsigned at, const char *bytes, size_t len) { memcpy(w.code + at, bytes, len); }
#define CODE(at, s) code(at, s, sizeof(s) - 1)
#define BL(at) CODE(at, "\x00\x00\x00\x94")
#define CALL(at) CODE(at, "\xe8\x00\x00\x00\x00")

/* The pcs, innermost first, 1 at the end of the list. */
static void check(const struct pt_arch *a, struct pt_regs *r, enum pt_unwind_end end, const uint64_t *want)
{
	static const struct pt_unwind_ops ops = { find, read_world };
	struct pt_unwinder *u = pt_unwinder_new();
	struct pt_unwind_result how;
	struct pt_frame frames[32];
	size_t n = pt_unwind(u, a, &ops, NULL, r, frames, PT_NR(frames), &how), i;

	pt_unwinder_free(u);
	for (i = 0; i < n && want[i] != 1; i++)
		if (frames[i].ip != want[i])
			FAIL("frame %zu is %#llx, not %#llx", i, (unsigned long long)frames[i].ip, (unsigned long long)want[i]);
	if (i != n || want[i] != 1)
		FAIL("%zu frames, not these (end %d)", n, how.end);
	CHECK_INT(how.end, end);
}
#define PCS(...) (const uint64_t[]){ __VA_ARGS__, 1 }

static struct pt_regs arm64(uint64_t pc, uint64_t sp, uint64_t fp, uint64_t lr)
{
	struct pt_regs r = { .valid = (1ull << 33) - 1 };

	r.r[32] = pc;
	r.r[31] = sp;
	r.r[30] = lr;
	r.r[29] = fp;
	return r;
}

static const uint64_t PAC = 0x2aull << 48, C = 0xaaaa00000000;

/* A leaf that keeps its return address in x30, then two frames with frame pointers, all signed. */
static void signed_frames(uint64_t at, uint64_t pac)
{
	struct pt_regs r = arm64(at + 0x10, STACK, STACK + 0x40, (at + 0x24) | pac);

	begin(at, true);
	BL(0x20), BL(0x40), BL(0x60);
	put64(0x40, STACK + 0x80), put64(0x48, (at + 0x44) | pac);
	put64(0x80, 0), put64(0x88, (at + 0x64) | pac);
	check(&pt_arch_aarch64, &r, PT_UNWIND_NO_RULE, PCS(at + 0x10, at + 0x24, at + 0x44, at + 0x64));
}

TEST(arm64_signed_return_addresses) { signed_frames(C, PAC); }
TEST(arm64_addresses_of_52_bits) { signed_frames(C | 5ull << 48, 0x30ull << 48); }

/* What is in x30 where another register says that this is no return address must not be taken for one. */
TEST(arm64_link_register_that_is_none)
{
	struct pt_regs r = arm64(C + 0x10, STACK, STACK + 0x40, C + 0x30);

	begin(C, true);
	BL(0x40);
	put64(0x40, 0), put64(0x48, C + 0x44);
	check(&pt_arch_aarch64, &r, PT_UNWIND_NO_RULE, PCS(C + 0x10, C + 0x44));
}

/* A signal frame at 0x40 of the stack: interrupted at 0x18, a leaf with its return address in x30. Its trampoline is at 0x100. */
static void arm64_signal_frame(bool known)
{
	unsigned regs = 0x40 + 128 + 176 + 8;

	begin(C, known);
	CODE(0x100, "\x68\x11\x80\xd2\x01\x00\x00\xd4");
	BL(0x20), BL(0x60);
	put64(regs + 29 * 8, STACK + 0x800), put64(regs + 30 * 8, (C + 0x24) | PAC);
	put64(regs + 31 * 8, STACK + 0x700), put64(regs + 32 * 8, C + 0x18);
	put64(0x800, 0), put64(0x808, C + 0x64);
}

/* From a handler that has a frame pointer, with the bytes of the trampoline and without. */
static void arm64_handler(bool known)
{
	struct pt_regs r = arm64(C + 0x10, STACK, STACK + 0x30, 0);

	arm64_signal_frame(known);
	put64(0x30, STACK + 0x800), put64(0x38, C + 0x100);
	check(&pt_arch_aarch64, &r, PT_UNWIND_NO_RULE, PCS(C + 0x10, C + 0x100, C + 0x18, C + 0x24, C + 0x64));
}

TEST(arm64_signal_handler) { arm64_handler(true); }
TEST(arm64_signal_handler_without_vdso) { arm64_handler(false); }

/* Innermost in the trampoline, at its first instruction, its second, and in its system call. */
TEST(arm64_within_a_trampoline)
{
	unsigned amid;

	for (amid = 0; amid <= 8; amid += 4) {
		struct pt_regs r = arm64(C + 0x100 + amid, STACK + 0x40, 0, 0);

		arm64_signal_frame(true);
		check(&pt_arch_aarch64, &r, PT_UNWIND_NO_RULE, PCS(C + 0x100 + amid, C + 0x18, C + 0x24, C + 0x64));
	}
}

static struct pt_regs i386(uint64_t pc, uint64_t sp, uint64_t fp)
{
	struct pt_regs r = { .valid = (1 << 9) - 1 };

	r.r[8] = pc;
	r.r[4] = sp;
	r.r[5] = fp;
	return r;
}

/* Both kinds of trampoline, from their first instruction on, where a handler has just returned to; 0x20 is a call, behind which the interrupted one returns. */
TEST(i386_trampolines)
{
	static const uint64_t at = 0xf7000000;
	struct pt_regs r = { .valid = 0 };

	begin(at, true);
	CALL(0x20);
	CODE(0x100, "\x58\xb8\x77\x00\x00\x00\xcd\x80");
	put32(0x10 + 4 + 56, (uint32_t)at + 0x80), put32(0x10 + 4 + 28, STACK + 0x400), put32(0x400, (uint32_t)at + 0x25);
	r = i386(at + 0x100, STACK + 0x10, 0);
	check(&pt_arch_i386, &r, PT_UNWIND_NO_RULE, PCS(at + 0x100, at + 0x80, at + 0x25));

	begin(at, true);
	CALL(0x20);
	CODE(0x100, "\xb8\xad\x00\x00\x00\xcd\x80");
	put32(0x10 + 8, STACK + 0x100);	/* the third argument: ucontext */
	put32(0x100 + 20 + 56, (uint32_t)at + 0x80), put32(0x100 + 20 + 28, STACK + 0x400), put32(0x400, (uint32_t)at + 0x25);
	r = i386(at + 0x100, STACK + 0x10, 0);
	check(&pt_arch_i386, &r, PT_UNWIND_NO_RULE, PCS(at + 0x100, at + 0x80, at + 0x25));
	r = i386(at + 0x107, STACK + 0x10, 0);
	check(&pt_arch_i386, &r, PT_UNWIND_NO_RULE, PCS(at + 0x107, at + 0x80, at + 0x25));
}

/* Its own vdso is not at hand: ecx, edx, ebp lie above the return address. */
TEST(i386_system_call_in_an_unknown_vdso)
{
	static const uint64_t at = 0xf7000000;
	struct pt_regs r = i386(at + 0x10, STACK, STACK);

	begin(at, false);
	put32(0, STACK + 0x40), put32(4, 7), put32(8, 9), put32(12, (uint32_t)at + 0x25);
	put32(0x40, 0), put32(0x44, (uint32_t)at + 0x45);
	check(&pt_arch_i386, &r, PT_UNWIND_NO_RULE, PCS(at + 0x10, at + 0x25, at + 0x45));
}

/* A handler of SIGSEGV behind a call through null, with a C library whose trampoline has no CFI. */
TEST(x86_64_call_through_null_in_a_signal)
{
	static const uint64_t at = 0x400000;
	struct pt_regs r = { .valid = (1 << 17) - 1 };

	begin(at, true);
	CALL(0x20);
	CODE(0x100, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05");
	put64(0x10 + 40 + 128, 0), put64(0x10 + 40 + 120, STACK + 0x400);	/* rip, rsp */
	put64(0x400, at + 0x25);
	r.r[16] = at + 0x100;
	r.r[7] = STACK + 0x10;
	check(&pt_arch_x86_64, &r, PT_UNWIND_NO_RULE, PCS(at + 0x100, 0, at + 0x25));
}

/* A leaf of JIT code with a frame: on top of its stack is what a call before returned to. That leads nowhere, its frame pointer to the stack's begin. */
TEST(x86_64_stale_word_on_top)
{
	static const uint64_t at = 0x400000;
	struct pt_regs r = { .valid = (1 << 17) - 1 };

	begin(at, true);
	CALL(0x20), CALL(0x40);
	put64(0x10, 0x1234), put64(0x18, at + 0x25);	/* stale */
	put64(0x40, STACK + 0x80), put64(0x48, at + 0x45);
	r.r[16] = at + 0x100;
	r.r[7] = STACK + 0x10;
	r.r[6] = STACK + 0x40;
	check(&pt_arch_x86_64, &r, PT_UNWIND_COMPLETE, PCS(at + 0x100, at + 0x45));

	/* Where the frame pointer leads nowhere either, it stays as it was. */
	put64(0x88, 0x5678);
	check(&pt_arch_x86_64, &r, PT_UNWIND_NO_RULE, PCS(at + 0x100, at + 0x25));
}

static bool computes(const char *bytes, size_t len, uint64_t rip, uint64_t *v)
{
	static const struct pt_unwind_ops ops = { find, read_world };
	struct pt_regs r = { .valid = (1 << 17) - 1 };

	begin(0x400000, true);
	r.r[7] = STACK;
	r.r[16] = rip;
	return pt_expr_eval(&pt_arch_x86_64, &ops, NULL, &r, (struct pt_expr){ (const uint8_t *)bytes, (uint32_t)len }, false, 0, v);
}

/* Of the procedure linkage table: behind its push, at 11 of 16 bytes, the frame is a word larger. What a caller had in a register nobody knows. */
TEST(expressions_of_frames)
{
	static const char plt[] = "\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", entry_value[] = "\xa3\x01\x57", gnu_entry_value[] = "\xf3\x01\x57";
	uint64_t v;

	CHECK(computes(plt, sizeof(plt) - 1, 0x40100a, &v) && v == STACK + 8);
	CHECK(computes(plt, sizeof(plt) - 1, 0x40100b, &v) && v == STACK + 16);
	CHECK(!computes(entry_value, sizeof(entry_value) - 1, 0x401000, &v));
	CHECK(!computes(gnu_entry_value, sizeof(gnu_entry_value) - 1, 0x401000, &v));
}

TEST(which_cpu)
{
	CHECK(pt_arch_of("x86_64", PERF_SAMPLE_REGS_ABI_64) == &pt_arch_x86_64);
	CHECK(pt_arch_of("x86_64", PERF_SAMPLE_REGS_ABI_32) == &pt_arch_i386);
	CHECK(pt_arch_of("i686", PERF_SAMPLE_REGS_ABI_32) == &pt_arch_i386);
	CHECK(pt_arch_of("aarch64", PERF_SAMPLE_REGS_ABI_64) == &pt_arch_aarch64);
	CHECK(!pt_arch_of("aarch64", PERF_SAMPLE_REGS_ABI_32));	/* 32-bit arm */
	CHECK(!pt_arch_of("s390x", PERF_SAMPLE_REGS_ABI_64));
}

/* Names of registers, by perf's numbers, and what of them is asked for on this CPU. */
TEST(register_names)
{
	const struct pt_arch *here = pt_arch_here();
	struct pt_err e = PT_ERR_INIT;
	char pair[32];
	uint64_t mask = 0;
	unsigned first = 0;

	CHECK_STR(pt_reg_name("x86_64", 8), "IP");
	CHECK_STR(pt_reg_name("i686", 7), "SP");
	CHECK_STR(pt_reg_name("aarch64", 32), "pc");
	CHECK(!pt_reg_name("x86_64", 24) && !pt_reg_name("s390x", 0) && !pt_reg_name(NULL, 0));
	if (!here)
		return;
	CHECK_INT(pt_regs_parse(NULL, &mask, &e), 0);
	CHECK(mask == here->sample_regs);
	while (!(here->sample_regs >> first & 1))
		first++;
	snprintf(pair, sizeof(pair), "%s,%s", pt_reg_name(here->name, first),
		 pt_reg_name(here->name, first + 1));
	CHECK_INT(pt_regs_parse(pair, &mask, &e), 0);
	CHECK(mask == 3ull << first);
	CHECK(pt_regs_parse("?", &mask, &e) < 0);
	CHECK_HAS(e.msg, "the registers are");
	CHECK(pt_regs_parse("ax,", &mask, &e) < 0);
	CHECK(pt_regs_parse("nosuch", &mask, &e) < 0);
	CHECK_HAS(e.msg, "'nosuch' is no register; there are");
}
