/* code.h - how deep the stack of an x86-64 function is at one of its instructions, read from the
 * instructions before it. For C functions without call frame information, which Go's linker drops.
 *
 * Follows pushes, pops and constants added to the stack pointer, along the code and over its
 * forward jumps. Says nothing where the stack pointer is set in another way, and of code that only
 * a backward or an indirect jump leads to. Needs the lengths of elf/insn.h. */
#ifndef PT_UNWIND_CODE_H
#define PT_UNWIND_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_CODE_REGS = 16 };

struct pt_code_frame {
	uint32_t depth_bytes;		/* from the stack pointer to the return address */
	/* By DWARF number: depth at which a callee-saved register was pushed; 0: it was not. */
	uint32_t saved[PT_CODE_REGS];
};

/* Of the instruction that holds the byte code[at]; `code` begins with the function. False: unknown.
 */
bool pt_code_frame_at(const uint8_t *code, size_t len_bytes, size_t at, struct pt_code_frame *f);

#endif
