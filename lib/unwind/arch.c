#include "unwind/arch.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"

static const struct pt_arch *const arches[] = { &pt_arch_x86_64, &pt_arch_i386, &pt_arch_aarch64 };

const struct pt_arch *pt_arch_of_machine(uint16_t machine)
{
	size_t i;

	for (i = 0; i < PT_NR(arches); i++)
		if (arches[i]->machine == machine)
			return arches[i];
	return NULL;
}

const struct pt_arch *pt_arch_of(const char *name, uint64_t abi)
{
	size_t i;

	if (abi == PERF_SAMPLE_REGS_ABI_32 &&
	    (!strcmp(name, "x86_64") || (name[0] == 'i' && !strcmp(name + 2, "86"))))
		return &pt_arch_i386;
	for (i = 0; i < PT_NR(arches); i++)
		if (!strcmp(arches[i]->name, name))
			return abi == PERF_SAMPLE_REGS_ABI_32 && arches[i]->word_bytes != 4
				       ? NULL
				       : arches[i];
	return NULL;
}

const struct pt_arch *pt_arch_here(void)
{
	struct utsname u;

	return uname(&u) < 0 ? NULL
			     : pt_arch_of(u.machine, sizeof(long) == 4 ? PERF_SAMPLE_REGS_ABI_32
								       : PERF_SAMPLE_REGS_ABI_64);
}

void pt_arch_regs(const struct pt_arch *a, uint64_t mask, const uint64_t *values,
		  struct pt_regs *regs)
{
	unsigned nr = 0;

	regs->valid = 0;
	regs->stack = NULL;
	regs->stack_len = 0;
	for (; mask; mask &= mask - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(mask);
		int8_t to = bit < a->nr_perf_regs ? a->perf_regs[bit] : -1;

		if (to >= 0) {
			regs->r[to] = a->word_bytes == 4 ? (uint32_t)values[nr] : values[nr];
			regs->valid |= 1ull << to;
		}
		nr++;
	}
}
