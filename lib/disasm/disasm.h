/* disasm.h - machine code as instructions, by objdump(1).
 *
 *     struct pt_insns in = { .nr = 0 };
 *     struct pt_disasm_code code = { "x86_64", p, n, .vaddr = 0x1130 };
 *     if (pt_disasm(&in, &code, &e) < 0) ...              // nothing here can read such code
 *     for (i = 0; i < in.nr; i++) in.v[i].vaddr, in.v[i].text
 *     pt_insns_deinit(&in);
 *
 * Only the bytes are given to objdump, not the program's file: it takes 7 ms a function. Its
 * text is the one that readers know; a library's spelling differs in every second instruction.
 * Bytes that are no instruction become one of kind PT_INSN_BAD, so that the addresses behind
 * them stay right. */
#ifndef PT_DISASM_DISASM_H
#define PT_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum pt_insn_kind {
	PT_INSN_OTHER,
	PT_INSN_JUMP,
	PT_INSN_CALL,
	PT_INSN_SYSCALL,
	PT_INSN_RETURN,
	PT_INSN_BAD,
};

struct pt_insn {
	uint64_t vaddr;
	uint32_t len_bytes;
	enum pt_insn_kind kind;
	bool has_target;		/* of a jump or call, or the place of data: in the text */
	uint64_t target;
	const char *text;		/* "mov    %rsp,%rbp", "jmp    1139" */
};

struct pt_insns {			/* zeros to begin with */
	struct pt_insn *v;
	size_t nr, cap;
	struct pt_arena text;
};

struct pt_disasm_code {
	const char *arch;		/* as uname -m */
	const uint8_t *bytes;
	size_t len_bytes;
	uint64_t vaddr;
	bool intel;			/* Intel's operands, of x86 */
};

int pt_disasm(struct pt_insns *in, const struct pt_disasm_code *code, struct pt_err *e);
void pt_insns_deinit(struct pt_insns *in);

#endif
