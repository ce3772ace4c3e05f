/* fuzz-cfi-expr: any bytes as a DWARF expression, on registers and memory made from its first ones, on each CPU. */
#include "replay.h"

#include "unwind/unwind.h"

static bool find(void *ctx, uint64_t addr, struct pt_place *p)
{
	(void)ctx, (void)addr, (void)p;
	return false;
}

static bool read_some(void *ctx, uint64_t addr, void *to, size_t len)
{
	if (addr % 7 == 3)
		return false;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)to)[i] = (uint8_t)(addr + i + *(const uint8_t *)ctx);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct pt_unwind_ops ops = { find, read_some };
	static const struct pt_arch *const arches[] = { &pt_arch_x86_64, &pt_arch_i386, &pt_arch_aarch64 };
	struct pt_regs regs = { .valid = 0 };
	uint64_t v = 0;
	size_t i;

	if (len < 2)
		return 0;
	for (i = 0; i < PT_CFI_REGS; i++)
		regs.r[i] = (uint64_t)data[0] * 0x0101010101010101u >> i;
	regs.valid = data[1] & 1 ? ~0ull : 0x5555;
	for (i = 0; i < 3; i++)
		if (pt_expr_eval(arches[i], &ops, (void *)data, &regs, (struct pt_expr){ data + 2, (uint32_t)(len - 2) }, data[1] & 2, 0x1000, &v) &&
		    arches[i]->word_bytes == 4 && v >> 32)
			__builtin_trap();
	return 0;
}
