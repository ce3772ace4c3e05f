/* arm64. DWARF numbers: DWARF for the Arm 64-bit Architecture, section 4.1; the pc has none: the
 * return address column x30 stands for it, we give it 32. Signal frames:
 * arch/arm64/include/uapi/asm/sigcontext.h of the kernel. */
#include <elf.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "unwind/arch.h"

/* BL imm26, BLR Xn, and BLRAA and the like. */
static bool arch_aarch64_after_call(const uint8_t *end, size_t len)
{
	uint32_t insn;

	if (len < 4)
		return false;
	insn = pt_load32(end - 4, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
}

/* perf: x0-x30 (x29 fp, x30 lr), sp, pc */
static const int8_t regs[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
			       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

/* struct rt_sigframe: siginfo (128 bytes), ucontext, whose struct sigcontext begins at 176: fault
 * address, x0-x30, sp, pc. The kernel's trampoline has no CFI; what it had made unwinders miss the
 * interrupted function, as frame pointers do. */
static const int16_t saved[] = {
	8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,  96,  104, 112, 120, 128, 136,
	144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256, 264,
};
static const struct pt_trampoline trampolines[] = {
	{ { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8, true, false, 128 + 176, saved, PT_NR(saved) },	/* mov x8, #139; svc #0 */
};

const struct pt_arch pt_arch_aarch64 = {
	.name = "aarch64",
	.machine = EM_AARCH64,
	.word_bytes = 8,
	.ip = 32,
	.sp = 31,
	.fp = 29,
	.lr = 30,
	.perf_regs = regs,
	.nr_perf_regs = PT_NR(regs),
	.sample_regs = (1ull << 33) - 1,
	.chain_regs = 1ull << 30,
	.ptrace_regs = regs,
	.nr_ptrace_words = 34,
	.kept = 0x3ffull << 19 | 1ull << 29, /* x19-x28, x29 */
	.addr_mask = (1ull << 48) - 1,
	.wide_mask = (1ull << 52) - 1,
	.after_call = arch_aarch64_after_call,
	.trampolines = trampolines,
	.nr_trampolines = PT_NR(trampolines),
};
