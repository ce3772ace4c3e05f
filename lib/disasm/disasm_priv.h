/* disasm_priv.h - what can read code: a file each. */
#ifndef PT_DISASM_DISASM_PRIV_H
#define PT_DISASM_DISASM_PRIV_H

#include "disasm/disasm.h"

/* `in` is empty before. False: pt was built without Zydis, or this is not x86 code. */
bool pt_disasm_zydis(struct pt_insns *in, const struct pt_disasm_code *code);
/* 1: done. 0: there is no objdump, or it cannot read this code. -1: e says what failed. */
int pt_disasm_objdump(struct pt_insns *in, const struct pt_disasm_code *code, struct pt_err *e);

struct pt_insn *pt_insns_add(struct pt_insns *in, uint64_t vaddr, uint32_t len_bytes,
			     const char *text, size_t len);

#endif
