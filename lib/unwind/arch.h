/* arch.h - one CPU for unwinding: which registers there are, how perf and DWARF number them, what a
 * call keeps, what a frame pointer's frame looks like.
 *
 * To add a CPU: a file arch_NAME.c with one struct pt_arch, a row in arch.c's table; the numbers
 * are in the CPU's psABI (DWARF) and in arch/CPU/include/uapi/asm/perf_regs.h of the kernel (perf).
 * Tests: tests/unit/t-unwind.c runs rows by hand for each. */
#ifndef PT_UNWIND_ARCH_H
#define PT_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"

struct pt_regs {
	uint64_t r[PT_CFI_REGS];	/* by DWARF number; the pc too */
	uint64_t valid;			/* bit n: r[n] is known */
	/* Memory that was copied with them, for the unwinder to look into by itself; NULL: it asks
	 * for all it reads. */
	const uint8_t *stack;
	uint64_t stack_addr, stack_len;
};

/* Where a signal handler returns to, known by its instructions: there the kernel has saved the
 * registers of what it interrupted. For trampolines without CFI: arm64's in the vdso, those of C
 * libraries that write none, and those of a vdso that is not at hand. */
struct pt_trampoline {
	uint8_t code[8], code_bytes;	/* at the handler's return address */
	/* it stands there: it is believed without its bytes, if what was saved makes sense */
	bool in_vdso;
	/* sp + at holds the address from which `regs` count, else they count from sp + at */
	bool pointer;
	uint16_t at;
	const int16_t *regs;		/* by DWARF number: offset of what was saved; -1: none */
	uint8_t nr_regs;
};

struct pt_arch {
	const char *name;		/* as uname -m */
	uint16_t machine;		/* EM_* */
	uint8_t word_bytes;
	uint8_t ip, sp, fp;		/* DWARF numbers */
	/* where a call leaves the return address; == ip: on the stack */
	uint8_t lr;
	const int8_t *perf_regs;	/* perf's number -> DWARF's, -1: not tracked */
	uint8_t nr_perf_regs;
	/* registers that a call keeps: carried on when a row says nothing of them */
	uint64_t kept;
	/* Of a return address, without a signature (arm64, which puts it above bit 47, or 51 where
	 * the kernel has addresses as wide: wide_mask). */
	uint64_t addr_mask, wide_mask;
	const struct pt_trampoline *trampolines;
	uint8_t nr_trampolines;
	/* The bytes in front of a return address (`len` of them, up to 8) end in a call. */
	bool (*after_call)(const uint8_t *end, size_t len);
};

/* NULL: a CPU that cannot be unwound here. */
const struct pt_arch *pt_arch_of_machine(uint16_t machine);
/* By a recording's architecture ("x86_64") and the registers' ABI (PERF_SAMPLE_REGS_ABI_32, _64) */
const struct pt_arch *pt_arch_of(const char *name, uint64_t abi);
/* Registers as perf records them: one value a bit of mask, from bit 0. */
void pt_arch_regs(const struct pt_arch *a, uint64_t mask, const uint64_t *values,
		  struct pt_regs *regs);

extern const struct pt_arch pt_arch_x86_64, pt_arch_i386, pt_arch_aarch64;

#endif
