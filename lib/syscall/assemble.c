#include "syscall/assemble.h"

static void assemble_add(struct pt_asm *a, int code, int dst, int src, int off, int32_t imm)
{
	if (a->nr == PT_ASM_INSNS) {
		a->full = true;
		return;
	}
	a->insns[a->nr++] = (struct bpf_insn){ .code = (uint8_t)code,
					       .dst_reg = (uint8_t)(dst & 15),
					       .src_reg = (uint8_t)(src & 15),
					       .off = (int16_t)off,
					       .imm = imm };
}

void pt_asm_move(struct pt_asm *a, int dst, int src)
{
	assemble_add(a, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

void pt_asm_imm(struct pt_asm *a, int dst, int32_t value)
{
	assemble_add(a, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

void pt_asm_imm64(struct pt_asm *a, int dst, uint64_t value)
{
	assemble_add(a, BPF_LD | BPF_DW | BPF_IMM, dst, 0, 0, (int32_t)value);
	assemble_add(a, 0, 0, 0, 0, (int32_t)(value >> 32));
}

void pt_asm_op(struct pt_asm *a, int op, int dst, int src)
{
	assemble_add(a, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

void pt_asm_op_imm(struct pt_asm *a, int op, int dst, int32_t value)
{
	assemble_add(a, BPF_ALU64 | op | BPF_K, dst, 0, 0, value);
}

void pt_asm_load(struct pt_asm *a, int size, int dst, int src, size_t off)
{
	assemble_add(a, BPF_LDX | BPF_MEM | size, dst, src, (int)off, 0);
}

void pt_asm_store(struct pt_asm *a, int size, int dst, size_t off, int src)
{
	assemble_add(a, BPF_STX | BPF_MEM | size, dst, src, (int)off, 0);
}

void pt_asm_store_imm(struct pt_asm *a, int size, int dst, size_t off, int32_t value)
{
	assemble_add(a, BPF_ST | BPF_MEM | size, dst, 0, (int)off, value);
}

static int assemble_frame(const struct pt_asm *a)
{
	return a->frame ? a->frame : BPF_REG_10;
}

void pt_asm_push(struct pt_asm *a, int size, int below, int src)
{
	assemble_add(a, BPF_STX | BPF_MEM | size, assemble_frame(a), src, -below, 0);
}

void pt_asm_push_imm(struct pt_asm *a, int size, int below, int32_t value)
{
	assemble_add(a, BPF_ST | BPF_MEM | size, assemble_frame(a), 0, -below, value);
}

void pt_asm_pull(struct pt_asm *a, int size, int dst, int below)
{
	assemble_add(a, BPF_LDX | BPF_MEM | size, dst, assemble_frame(a), -below, 0);
}

void pt_asm_stack(struct pt_asm *a, int dst, int below)
{
	pt_asm_move(a, dst, assemble_frame(a));
	pt_asm_op_imm(a, BPF_ADD, dst, -below);
}

void pt_asm_map(struct pt_asm *a, int dst, int map_fd)
{
	assemble_add(a, BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, map_fd);
	assemble_add(a, 0, 0, 0, 0, 0);
}

void pt_asm_call(struct pt_asm *a, int helper)
{
	assemble_add(a, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void assemble_jump(struct pt_asm *a, int code, int left, int right, int32_t imm, int label)
{
	if (a->nr < PT_ASM_INSNS)
		a->jumps_to[a->nr] = (uint8_t)(label + 1);
	assemble_add(a, BPF_JMP | code, left, right, 0, imm);
}

void pt_asm_if(struct pt_asm *a, int op, int left, int right, int label)
{
	assemble_jump(a, op | BPF_X, left, right, 0, label);
}

void pt_asm_if_imm(struct pt_asm *a, int op, int left, int32_t right, int label)
{
	assemble_jump(a, op | BPF_K, left, 0, right, label);
}

void pt_asm_goto(struct pt_asm *a, int label)
{
	assemble_jump(a, BPF_JA, 0, 0, 0, label);
}

void pt_asm_unless(struct pt_asm *a, int reg, int32_t bits, int label)
{
	pt_asm_op_imm(a, BPF_AND, reg, bits);
	pt_asm_if_imm(a, BPF_JEQ, reg, 0, label);
}

int pt_asm_new_label(struct pt_asm *a)
{
	if (a->labels < PT_ASM_LABELS)
		return a->labels++;
	a->full = true;
	return 0;
}

void pt_asm_label(struct pt_asm *a, int label)
{
	a->label_at[label] = (uint16_t)(a->nr + 1);
}

void pt_asm_exit(struct pt_asm *a)
{
	assemble_add(a, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void pt_asm_loop(struct pt_asm *a, int32_t times, int label)
{
	pt_asm_imm(a, BPF_REG_1, times);
	if (a->nr < PT_ASM_INSNS)
		a->jumps_to[a->nr] = (uint8_t)(label + 1);
	assemble_add(a, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_2, BPF_PSEUDO_FUNC, 0, 0);
	assemble_add(a, 0, 0, 0, 0, 0);
	pt_asm_move(a, BPF_REG_3, BPF_REG_10);
	pt_asm_imm(a, BPF_REG_4, 0);
	pt_asm_call(a, BPF_FUNC_loop);
}

void pt_asm_function(struct pt_asm *a, int label, int frame)
{
	if (a->nr_functions == PT_ASM_FUNCTIONS) {
		a->full = true;
		return;
	}
	a->functions[a->nr_functions++] = (uint32_t)a->nr;
	a->frame = frame;
	pt_asm_label(a, label);
	pt_asm_move(a, frame, BPF_REG_2);
}

int pt_asm_finish(struct pt_asm *a, struct pt_err *e)
{
	if (a->full)
		return pt_err_set(e, "a BPF program has more than %d instructions or %d labels",
				  PT_ASM_INSNS, PT_ASM_LABELS);
	for (size_t i = 0; i < a->nr; i++) {
		int label = a->jumps_to[i] - 1;

		if (label < 0)
			continue;
		if (!a->label_at[label])
			return pt_err_set(e, "a BPF program jumps to label %d, which is nowhere",
					  label);
		if (a->insns[i].src_reg == BPF_PSEUDO_FUNC && !BPF_CLASS(a->insns[i].code))
			a->insns[i].imm = a->label_at[label] - 1 - (int)i - 1;
		else
			a->insns[i].off = (int16_t)(a->label_at[label] - 1 - (int)i - 1);
	}
	return 0;
}
