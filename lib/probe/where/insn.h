/* insn.h - where instructions begin. Lengths only: of x86-64 and i386 by prefixes, opcode map,
 * ModRM and immediates (Intel SDM volume 2, chapter 2 and appendix A; AMD's XOP: APM volume 6), of
 * aarch64 four bytes. What no compiler writes (3DNow!, instructions of 16-bit code) is read as far
 * as it is told apart. */
#ifndef PT_PROBE_WHERE_INSN_H
#define PT_PROBE_WHERE_INSN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `p`, of which `len` may be read; 0: none that is known, of this
 * machine (EM_*) or at all. */
size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len);

#endif
