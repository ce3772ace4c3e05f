/* x86-64 and i386. DWARF numbers: System V ABI, AMD64 supplement, figure 3.36; i386 supplement,
 * table 2.14. Signal frames: arch/x86/include/asm/sigframe.h of the kernel. */
#include <elf.h>

#include "base/mem.h"
#include "unwind/arch.h"

#define BIT(n) (1ull << (n))

/* A call of 5 bytes (rel32), or one through a register or memory: FF /2 with its ModRM, SIB,
 * displacement; a prefix in front makes no difference. */
static bool arch_x86_after_call(const uint8_t *end, size_t len)
{
	size_t n;

	if (len >= 5 && end[-5] == 0xe8)
		return true;
	for (n = 2; n <= 7 && n <= len; n++) {
		uint8_t modrm, mod, rm;
		size_t want = 2;

		if (end[-(int)n] != 0xff)
			continue;
		modrm = end[-(int)n + 1];
		mod = modrm >> 6;
		rm = modrm & 7;
		if ((modrm >> 3 & 7) != 2)
			continue;
		if (mod != 3 && rm == 4) {
			if (n < 3)
				continue;
			want++;
			if (mod == 0 && (end[-(int)n + 2] & 7) == 5)
				want += 4;
		} else if (mod == 0 && rm == 5) {
			want += 4;
		}
		want += mod == 1 ? 1 : mod == 2 ? 4 : 0;
		if (want == n)
			return true;
	}
	return false;
}

/* perf: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8-r15 */
static const int8_t regs64[] = { 0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
				 -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15 };
static const int8_t regs32[] = { 0, 3, 1, 2, 6, 7, 5, 4, 8 };

/* struct rt_sigframe behind its return address: ucontext, whose registers (struct sigcontext_64:
 * r8-r15 di si bp bx dx ax cx sp ip) begin at 40. */
static const int16_t saved64[] = { 104, 96, 112, 88, 72, 64, 80, 120, 0,
				   8,   16, 24,  32, 40, 48, 56, 128 };
static const struct pt_trampoline trampolines64[] = {
	{ { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f }, 8, false, false, 40, saved64, PT_NR(saved64) },	/* mov $15, %rax; syscall */
};

/* struct sigcontext_32 (gs fs es ds di si bp sp bx dx cx ax trapno err ip): behind the signal's
 * number, or at 20 of the ucontext that the third argument points to. */
static const int16_t saved32[] = { 44, 40, 36, 32, 28, 24, 20, 16, 56 },
		     saved32_rt[] = { 64, 60, 56, 52, 48, 44, 40, 36, 76 };
static const struct pt_trampoline trampolines32[] = {
	{ { 0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80 }, 8, true, false, 4, saved32, PT_NR(saved32) },	/* pop %eax; mov $119, %eax; int $0x80 */
	{ { 0xb8, 173, 0, 0, 0, 0xcd, 0x80 }, 7, true, true, 8, saved32_rt, PT_NR(saved32_rt) },	/* mov $173, %eax; int $0x80 */
};

/* struct user_regs_struct, 64-bit: r15-r12 bp bx r11-r8 ax cx dx si di orig_ax ip cs flags sp ss;
 * 32-bit: bx cx dx si di bp ax ds es fs gs orig_ax ip cs flags sp ss */
static const int8_t ptrace64[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 18,
				   17, 20, 9, 8, 7, 6, 3, 2, 1, 0 };
static const int8_t ptrace32[] = { 6, 0, 1, 2, 3, 4, 5, 15, 12, 14, 13, 16 };

const struct pt_arch pt_arch_x86_64 = {
	.name = "x86_64",
	.machine = EM_X86_64,
	.word_bytes = 8,
	.ip = 16,
	.sp = 7,
	.fp = 6,
	.lr = 16,
	.perf_regs = regs64,
	.nr_perf_regs = PT_NR(regs64),
	.sample_regs = 0xff0fff,	/* the kernel does not provide ds, es, fs, gs */
	.ptrace_regs = ptrace64,
	.nr_ptrace_words = 27,
	.kept = BIT(3) | BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
	.addr_mask = ~0ull,
	.wide_mask = ~0ull,
	.after_call = arch_x86_after_call,
	.trampolines = trampolines64,
	.nr_trampolines = PT_NR(trampolines64),
};

const struct pt_arch pt_arch_i386 = {
	.name = "i686",
	.machine = EM_386,
	.word_bytes = 4,
	.ip = 8,
	.sp = 4,
	.fp = 5,
	.lr = 8,
	.perf_regs = regs32,
	.nr_perf_regs = PT_NR(regs32),
	.sample_regs = 0x0fff,		/* ax bx cx dx si di bp sp ip flags cs ss */
	.ptrace_regs = ptrace32,
	.nr_ptrace_words = 17,
	.kept = BIT(3) | BIT(5) | BIT(6) | BIT(7),
	.addr_mask = 0xffffffff,
	.wide_mask = 0xffffffff,
	.after_call = arch_x86_after_call,
	.trampolines = trampolines32,
	.nr_trampolines = PT_NR(trampolines32),
};
