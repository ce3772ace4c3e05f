/* arch.h - what sampling and unwinding must know of a CPU: its registers, their numbers in perf,
 * DWARF and ptrace, which are callee-saved, its signal trampolines.
 *
 * To add a CPU, add arch_NAME.c with one struct pt_arch, its declaration below and a row in arch.c.
 * DWARF numbers are in its psABI, perf's in the kernel's arch/CPU/include/uapi/asm/perf_regs.h.
 * tests/unit/t-unwind-cpus.c has hand-made stacks of each CPU. */
#ifndef PT_UNWIND_ARCH_H
#define PT_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"

struct pt_regs {
	uint64_t r[PT_CFI_REGS];	/* by DWARF number, pc included */
	uint64_t valid;			/* bit n: r[n] is known */
	/* The recorded stack bytes, read directly. NULL: pt_unwind_ops reads all memory. */
	const uint8_t *stack;
	uint64_t stack_addr, stack_len;
};

/* The code to which a signal handler returns, known by its instructions; the kernel has saved the
 * interrupted registers on the stack. For trampolines without CFI: arm64's vdso, some C libraries,
 * a vdso that was not recorded. */
struct pt_trampoline {
	uint8_t code[8], code_bytes;	/* at the handler's return address */
	/* accepted without its bytes if the saved registers are plausible */
	bool in_vdso;
	/* `regs` are relative to the address at sp + at, not to sp + at */
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
	/* Where fp points: this many words behind the caller's {fp, return address}. 0: at them. */
	uint8_t frame_record_words;
	const int8_t *perf_regs;	/* perf number -> DWARF number; -1: not tracked */
	uint8_t nr_perf_regs;
	uint64_t sample_regs;		/* attr.sample_regs_user: all that the kernel provides */
	/* The same for frame-pointer call chains, which miss the caller of a function without a
	 * frame if it is in a link register. 0: none. */
	uint64_t chain_regs;
	/* of each of sample_regs: its word in ptrace's NT_PRSTATUS */
	const int8_t *ptrace_regs;
	uint8_t nr_ptrace_words;	/* that NT_PRSTATUS has */
	/* callee-saved, a bit each: unchanged without a rule */
	uint64_t kept;
	/* Masks off a return address's pointer signature: arm64 signs above bit 47, or above bit 51
	 * on kernels with 52-bit addresses (wide_mask). */
	uint64_t addr_mask, wide_mask;
	const struct pt_trampoline *trampolines;
	uint8_t nr_trampolines;
	/* The `len` bytes (up to 8) in front of a return address end in a call. */
	bool (*after_call)(const uint8_t *end, size_t len);
};

/* NULL: unwinding does not support this CPU. */
const struct pt_arch *pt_arch_of_machine(uint16_t machine);
/* By a recording's architecture ("x86_64") and the registers' PERF_SAMPLE_REGS_ABI_*. */
const struct pt_arch *pt_arch_of(const char *name, uint64_t abi);
/* This program's; NULL: not supported. */
const struct pt_arch *pt_arch_here(void);
/* From perf's form: a value for each bit of mask, from bit 0. */
void pt_arch_regs(const struct pt_arch *a, uint64_t mask, const uint64_t *values,
		  struct pt_regs *regs);

extern const struct pt_arch pt_arch_x86_64, pt_arch_i386, pt_arch_aarch64;

#endif
