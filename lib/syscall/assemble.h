/* assemble.h - BPF programs as tables of instructions, made while the tool runs.
 *
 *     struct pt_asm a = { .nr = 0 };
 *     int out = pt_asm_new_label(&a);
 *     pt_asm_load(&a, BPF_DW, BPF_REG_1, BPF_REG_6, 8);
 *     pt_asm_if_imm(&a, BPF_JGT, BPF_REG_1, 511, out);
 *     pt_asm_label(&a, out);
 *     pt_asm_imm(&a, BPF_REG_0, 0);
 *     pt_asm_exit(&a);
 *     if (pt_asm_finish(&a, e) == 0) ... a.insns, a.nr
 *
 * Jumps name labels, which pt_asm_finish() turns into distances. A program that is too long or has
 * too many labels, or a label that nobody placed, is an error there. Source of the encoding:
 * linux/bpf.h, Documentation/bpf/standardization/instruction-set.rst. */
#ifndef PT_SYSCALL_ASSEMBLE_H
#define PT_SYSCALL_ASSEMBLE_H

#include <linux/bpf.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Labels from PT_ASM_LABELS on have a fixed meaning, which the user gives them. */
enum { PT_ASM_INSNS = 2048, PT_ASM_LABELS = 250, PT_ASM_FIXED = 4, PT_ASM_FUNCTIONS = 4 };

struct pt_asm {
	struct bpf_insn insns[PT_ASM_INSNS];
	size_t nr;
	bool full;
	int labels;			/* that were given out: from 0 */
	int frame;			/* register of the stack; 0: the frame pointer */
	uint32_t functions[PT_ASM_FUNCTIONS];	/* where they begin, behind the program */
	size_t nr_functions;
	uint16_t label_at[PT_ASM_LABELS + PT_ASM_FIXED];	/* plus 1; 0: not placed */
	uint8_t jumps_to[PT_ASM_INSNS];		/* label of the jump, plus 1; 0: no jump */
};

void pt_asm_move(struct pt_asm *a, int dst, int src);
void pt_asm_imm(struct pt_asm *a, int dst, int32_t value);
void pt_asm_imm64(struct pt_asm *a, int dst, uint64_t value);
/* BPF_ADD, BPF_AND, BPF_LSH ...; 64 bits */
void pt_asm_op(struct pt_asm *a, int op, int dst, int src);
void pt_asm_op_imm(struct pt_asm *a, int op, int dst, int32_t value);
/* size: BPF_B, BPF_H, BPF_W, BPF_DW */
void pt_asm_load(struct pt_asm *a, int size, int dst, int src, size_t off);
void pt_asm_store(struct pt_asm *a, int size, int dst, size_t off, int src);
void pt_asm_store_imm(struct pt_asm *a, int size, int dst, size_t off, int32_t value);
/* The stack: `below` is the distance from the frame pointer; in a function that of its caller. */
void pt_asm_push(struct pt_asm *a, int size, int below, int src);
void pt_asm_push_imm(struct pt_asm *a, int size, int below, int32_t value);
void pt_asm_pull(struct pt_asm *a, int size, int dst, int below);
void pt_asm_stack(struct pt_asm *a, int dst, int below);
void pt_asm_map(struct pt_asm *a, int dst, int map_fd);
void pt_asm_call(struct pt_asm *a, int helper);
void pt_asm_if(struct pt_asm *a, int op, int left, int right, int label);
void pt_asm_if_imm(struct pt_asm *a, int op, int left, int32_t right, int label);
void pt_asm_goto(struct pt_asm *a, int label);
/* Jumps unless one of the bits is set; `reg` is lost. (One bit that is set: BPF_JSET.) */
void pt_asm_unless(struct pt_asm *a, int reg, int32_t bits, int label);
int pt_asm_new_label(struct pt_asm *a);
void pt_asm_label(struct pt_asm *a, int label);
void pt_asm_exit(struct pt_asm *a);
/* Calls a function (a label) up to `times` times, until R0 is 1 (bpf_loop; Linux 5.17). */
void pt_asm_loop(struct pt_asm *a, int32_t times, int label);
/* Begins such a function: R1 is the number of its call, from 0. `frame` is a register that is kept
 * from then on. */
void pt_asm_function(struct pt_asm *a, int label, int frame);
int pt_asm_finish(struct pt_asm *a, struct pt_err *e);

#endif
