/* programs_priv.h - what programs.c, programs_fetch.c and programs_paths.c share: registers, the
 * stack, labels, and how pieces are put behind one another. */
#ifndef PT_SYSCALL_PROGRAMS_PRIV_H
#define PT_SYSCALL_PROGRAMS_PRIV_H

#include "syscall/programs.h"

/* Registers, the same in all programs. R1 to R5 are lost in calls. */
enum { R0, R1, R2, R3, R4, R5, CTX, TASK, PLAN, LEN };

/* The stack, by distance from the frame pointer. */
enum {
	S_KEY = 8, S_TID = 16, S_NOW = 24, S_ADDRESS = 32, S_I = 40, S_N = 48, S_ELEMENT = 64,
	S_SUM_KEY = 80, S_DURATION = 88, S_FLAGS = 96, S_MESSAGE = 160,
	S_TASK = 168, S_PLAN = 176, S_LEN = 184,	/* kept for functions of loops */
	S_PATHS = 192,			/* programs_paths.c has what is below */
};

#define AT(member) offsetof(struct pt_task_state, member)
#define CALL(member) AT(sample.call.member)
#define FETCH(k, member) (offsetof(struct pt_plan, fetch[k]) + offsetof(struct pt_fetch, member))

/* Labels: each place that makes some takes them from one count. */
enum { OUT = 0, EACH_STRING, EACH_BUFFER, EACH_TALLIED, FIRST_FREE };
struct labels { int next; };
static inline int label(struct labels *l)
{
	return l->next++;
}

/* R1 = where the bytes of the next piece go. */
static inline void piece_bytes(struct pt_asm *a)
{
	pt_asm_move(a, R1, TASK);
	pt_asm_op(a, BPF_ADD, R1, LEN);
	pt_asm_op_imm(a, BPF_ADD, R1, (int)(AT(pieces) + sizeof(struct pt_piece)));
}

/* Completes the piece whose bytes are there: R0 is their number (not negative). The item is in R2,
 * the flags in R3, the index in R4. LEN moves on. */
static inline void close_piece(struct pt_asm *a)
{
	pt_asm_op_imm(a, BPF_AND, R0, 2047);
	pt_asm_move(a, R1, TASK);
	pt_asm_op(a, BPF_ADD, R1, LEN);
	pt_asm_store(a, BPF_H, R1, AT(pieces) + offsetof(struct pt_piece, len), R0);
	pt_asm_store(a, BPF_B, R1, AT(pieces) + offsetof(struct pt_piece, item), R2);
	pt_asm_store(a, BPF_B, R1, AT(pieces) + offsetof(struct pt_piece, flags), R3);
	pt_asm_store(a, BPF_W, R1, AT(pieces) + offsetof(struct pt_piece, index), R4);
	pt_asm_op_imm(a, BPF_ADD, R0, 15);
	pt_asm_op_imm(a, BPF_AND, R0, ~7);
	pt_asm_op(a, BPF_ADD, LEN, R0);
}

/* Everything that the plan says, at the call's entry or exit. LEN is loaded and stored. */
void pt_programs_fetch(struct pt_asm *a, const struct pt_programs *p, struct labels *l, bool exit);
/* Behind the end of such a program: the functions of its loops. */
void pt_programs_functions(struct pt_asm *a, const struct pt_programs *p, struct labels *l,
			   bool exit);
/* The paths of the descriptors of the plan. LEN is loaded, and stored. */
void pt_programs_paths(struct pt_asm *a, const struct pt_programs *p, struct labels *l, bool exit);

#endif
