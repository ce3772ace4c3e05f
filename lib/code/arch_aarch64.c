/* arm64. DWARF numbers: DWARF for the Arm 64-bit Architecture, section 4.1; the pc has none: the return address column x30 stands for it, we give it 32. */
#include <elf.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "code/arch.h"

/* BL imm26, BLR Xn, and BLRAA and the like. */
static bool after_call(const uint8_t *end, size_t len)
{
	uint32_t insn;

	if (len < 4)
		return false;
	insn = pt_load32(end - 4, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800;
}

/* perf: x0-x30 (x29 fp, x30 lr), sp, pc */
static const int8_t regs[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

const struct pt_arch pt_arch_aarch64 = {
	.name = "aarch64", .machine = EM_AARCH64, .word_bytes = 8, .ip = 32, .sp = 31, .fp = 29, .lr = 30,
	.perf_regs = regs, .nr_perf_regs = PT_NR(regs),
	.kept = 0x3ffull << 19 | 1ull << 29,	/* x19-x28, x29 */
	.addr_mask = (1ull << 48) - 1, .after_call = after_call,
};
