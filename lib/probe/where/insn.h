/* insn.h - instruction lengths. For x86-64 and i386 by prefixes, opcode map, ModRM and immediates
 * (Intel SDM volume 2, chapter 2 and appendix A; AMD's XOP: APM volume 6); for aarch64 four bytes.
 * Instructions that compilers never write (3DNow!, 16-bit code) are handled as far as they can be
 * told apart. */
#ifndef PT_PROBE_WHERE_INSN_H
#define PT_PROBE_WHERE_INSN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `p`, of which `len` can be read; 0: unknown instruction or machine
 * (EM_*). */
size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len);

#endif
