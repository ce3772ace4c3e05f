/* insn.h - instruction lengths: of x86 by Zydis, of aarch64 always four bytes. */
#ifndef PT_PROBE_WHERE_INSN_H
#define PT_PROBE_WHERE_INSN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `p`, of which `len` can be read; 0: unknown instruction or machine
 * (EM_*), or pt was built without Zydis. */
size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len);

#endif
