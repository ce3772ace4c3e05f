/* insn.h - lengths and kinds of instructions, of x86 by Zydis. Those of aarch64 have four bytes. */
#ifndef PT_ELF_INSN_H
#define PT_ELF_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `p`, of which `len` can be read; 0: unknown instruction or machine
 * (EM_*), or pt was built without Zydis. */
size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len);
/* A jump, call, return or system call; known of x86 alone. */
bool pt_insn_is_branch(uint16_t machine, const uint8_t *p, size_t len);

#endif
