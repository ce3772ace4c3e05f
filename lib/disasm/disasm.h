/* disasm.h - machine code as instructions.
 *
 *     struct pt_insns in = { .nr = 0 };
 *     struct pt_disasm_code code = { .arch = "x86_64", .bytes = p, .len_bytes = n, .vaddr = 0x1130 };
 *     if (pt_disasm(&in, &code, &e) < 0) ...              // nothing here can read such code
 *     for (i = 0; i < in.nr; i++) in.v[i].vaddr, in.v[i].text
 *     pt_insns_deinit(&in);
 *
 * Zydis reads x86 code where pt was built with it. What it does not know, and other CPUs' code, is
 * read by objdump(1), whose text Zydis's is like (AT&T operands, unless `intel`). Bytes that are no
 * instruction become one of kind PT_INSN_BAD, so that the addresses behind them stay right. */
#ifndef PT_DISASM_DISASM_H
#define PT_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum pt_insn_kind { PT_INSN_OTHER, PT_INSN_JUMP, PT_INSN_CALL, PT_INSN_RETURN, PT_INSN_BAD };

struct pt_insn {
	uint64_t vaddr;
	uint32_t len_bytes;
	enum pt_insn_kind kind;
	bool has_target;		/* jumps and calls whose target is in the instruction */
	uint64_t target;
	const char *text;		/* "mov    %rsp,%rbp" */
};

struct pt_insns {			/* zeros to begin with */
	struct pt_insn *v;
	size_t nr, cap;
	struct pt_arena text;
	const char *by;			/* who read them: "Zydis", "objdump" */
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
