/* arch.h - what sampling and unwinding must know of a CPU: its registers, their numbers in perf, in
 * DWARF and in ptrace, which of them are callee-saved, its signal trampolines.
 *
 * To add a CPU, add a file arch_NAME.c with one struct pt_arch and a row in arch.c's table. DWARF
 * numbers are in the CPU's psABI, perf's in the kernel's arch/CPU/include/uapi/asm/perf_regs.h.
 * tests/unit/t-unwind.c has hand-made rows for each CPU. */
#ifndef PT_UNWIND_ARCH_H
#define PT_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"

struct pt_regs {
	uint64_t r[PT_CFI_REGS];	/* by DWARF number, pc included */
	uint64_t valid;			/* bit n: r[n] is known */
	/* The stack bytes that were recorded with the registers. The unwinder reads them directly.
	 * NULL: it reads all memory through pt_unwind_ops. */
	const uint8_t *stack;
	uint64_t stack_addr, stack_len;
};

/* A signal trampoline: the code to which a signal handler returns, recognised by its instructions.
 * The kernel has saved the interrupted registers on the stack there. Used for trampolines without
 * CFI: arm64's vdso, some C libraries, and a vdso that was not recorded. */
struct pt_trampoline {
	uint8_t code[8], code_bytes;	/* at the handler's return address */
	/* in the vdso: accepted without its bytes if the saved registers are plausible */
	bool in_vdso;
	/* `regs` are relative to the address that is stored at sp + at, not to sp + at itself */
	bool pointer;
	uint16_t at;
	const int16_t *regs;		/* by DWARF number: offset of the saved value; -1: none */
	uint8_t nr_regs;
};

struct pt_arch {
	const char *name;		/* as uname -m */
	uint16_t machine;		/* EM_* */
	uint8_t word_bytes;
	uint8_t ip, sp, fp;		/* DWARF numbers */
	/* register in which a call leaves the return address; == ip: on the stack */
	uint8_t lr;
	const int8_t *perf_regs;	/* perf number -> DWARF number; -1: not tracked */
	uint8_t nr_perf_regs;
	uint64_t sample_regs;		/* attr.sample_regs_user: all that the kernel provides */
	/* The same for frame-pointer call chains, which miss the caller of a function without a
	 * frame if it is in a link register. 0: none is needed. */
	uint64_t chain_regs;
	/* of each register of sample_regs: which word it is in ptrace's NT_PRSTATUS */
	const int8_t *ptrace_regs;
	uint8_t nr_ptrace_words;	/* that NT_PRSTATUS has */
	/* callee-saved registers, a bit each: unchanged if a row has no rule for them */
	uint64_t kept;
	/* Masks that remove the pointer signature of a return address. arm64 signs above bit 47, or
	 * above bit 51 on kernels with 52-bit addresses (wide_mask). */
	uint64_t addr_mask, wide_mask;
	const struct pt_trampoline *trampolines;
	uint8_t nr_trampolines;
	/* The bytes in front of a return address (`len` of them, up to 8) end in a call. */
	bool (*after_call)(const uint8_t *end, size_t len);
};

/* NULL: unwinding does not support this CPU. */
const struct pt_arch *pt_arch_of_machine(uint16_t machine);
/* By a recording's architecture ("x86_64") and the registers' PERF_SAMPLE_REGS_ABI_*. */
const struct pt_arch *pt_arch_of(const char *name, uint64_t abi);
/* The CPU that this program runs on, and was built for; NULL: it is not supported. */
const struct pt_arch *pt_arch_here(void);
/* Converts registers from perf's form: one value for each bit of mask, from bit 0. */
void pt_arch_regs(const struct pt_arch *a, uint64_t mask, const uint64_t *values,
		  struct pt_regs *regs);

extern const struct pt_arch pt_arch_x86_64, pt_arch_i386, pt_arch_aarch64;

#endif
