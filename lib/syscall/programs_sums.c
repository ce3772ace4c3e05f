/* Calls added up in the kernel, and the time that they are off the CPU. */
#include "syscall/programs_priv.h"

/* R2 = bucket of the duration R1: 8 parts a power of two. */
static void bucket(struct pt_asm *a)
{
	int small = label(a), capped = label(a);

	pt_asm_move(a, R2, R1);
	pt_asm_if_imm(a, BPF_JLT, R1, 1 << PT_SUM_PARTS_LOG2, small);
	pt_asm_imm(a, R2, 0);
	pt_asm_move(a, R3, R1);
	for (int bits = 32; bits; bits /= 2) {
		int less = label(a);

		pt_asm_move(a, R4, R3);
		pt_asm_op_imm(a, BPF_RSH, R4, bits);
		pt_asm_if_imm(a, BPF_JEQ, R4, 0, less);
		pt_asm_move(a, R3, R4);
		pt_asm_op_imm(a, BPF_ADD, R2, bits);
		pt_asm_label(a, less);
	}
	pt_asm_move(a, R4, R2);
	pt_asm_op_imm(a, BPF_SUB, R4, PT_SUM_PARTS_LOG2);
	pt_asm_op(a, BPF_RSH, R1, R4);
	pt_asm_op_imm(a, BPF_AND, R1, (1 << PT_SUM_PARTS_LOG2) - 1);
	pt_asm_op_imm(a, BPF_LSH, R2, PT_SUM_PARTS_LOG2);
	pt_asm_op(a, BPF_OR, R2, R1);
	pt_asm_label(a, small);
	pt_asm_if_imm(a, BPF_JLT, R2, PT_SUM_BUCKETS, capped);
	pt_asm_imm(a, R2, PT_SUM_BUCKETS - 1);
	pt_asm_label(a, capped);
}

static void sum_key(struct pt_asm *a, const struct pt_programs *p)
{
	if (p->o->by == PT_SUM_CGROUP)
		pt_asm_call(a, BPF_FUNC_get_current_cgroup_id);
	else if (p->o->by == PT_SUM_THREAD)
		pt_asm_call(a, BPF_FUNC_get_current_pid_tgid);
	else
		pt_asm_imm(a, R0, 0);
	push(a, S_SUM_KEY, R0);
	load_task(a, R1, sample.call.nr);
	pt_asm_push(a, BPF_W, S_SUM_KEY - (int)offsetof(struct pt_sum_key, slot), R1);
	pt_asm_call(a, BPF_FUNC_get_smp_processor_id);
	pt_asm_push(a, BPF_W, S_SUM_KEY - (int)offsetof(struct pt_sum_key, cpu), R0);
}

#define SUM(member) offsetof(struct pt_sum_value, member)

/* Adds the call to the row at R0. */
static void programs_sums_add_call(struct pt_asm *a)
{
	int good = label(a), timed = label(a), less = label(a), done = label(a);

	pt_asm_imm(a, R2, 1);
	add_to(a, SUM(calls), R2);
	load_task(a, R1, sample.call.ret);
	pt_asm_if_imm(a, BPF_JLT, R1, -4095, good);
	add_to(a, SUM(errors), R2);
	pt_asm_label(a, good);
	load_task(a, R1, sample.call.flags);
	pt_asm_unless(a, R1, PT_CALL_NO_START, timed);
	add_to(a, SUM(untimed), R2);
	pt_asm_goto(a, done);
	pt_asm_label(a, timed);
	pull(a, R1, S_DURATION);
	add_to(a, SUM(total_ns), R1);
	load_task(a, R2, off_ns);
	add_to(a, SUM(off_ns), R2);
	pt_asm_load(a, BPF_DW, R3, R0, SUM(max_ns));
	pt_asm_if(a, BPF_JGE, R3, R1, less);
	pt_asm_store(a, BPF_DW, R0, SUM(max_ns), R1);
	pt_asm_label(a, less);
	bucket(a);
	pt_asm_op_imm(a, BPF_LSH, R2, 2);
	pt_asm_op(a, BPF_ADD, R0, R2);
	pt_asm_load(a, BPF_W, R1, R0, SUM(buckets));
	pt_asm_op_imm(a, BPF_ADD, R1, 1);
	pt_asm_store(a, BPF_W, R0, SUM(buckets), R1);
	pt_asm_label(a, done);
}

void pt_programs_sum(struct pt_asm *a, const struct pt_programs *p)
{
	int full = label(a), done = label(a);

	sum_key(a, p);
	pt_programs_find_or_add(a, p->maps.sums, p->maps.blank_sum, S_SUM_KEY, full);
	programs_sums_add_call(a);
	pt_asm_goto(a, done);
	pt_asm_label(a, full);
	pt_programs_count(a, p, PT_STAT_NO_TASK);
	pt_asm_label(a, done);
}

void pt_programs_switch(struct pt_asm *a, const struct pt_programs *p)
{
	int other = label(a);

	begin(a);
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	push(a, S_NOW, R0);
	task_of_argument(a, p, 1);
	look_up(a, p->maps.tasks, S_TID, other);
	pull(a, R1, S_NOW);
	pt_asm_store(a, BPF_DW, R0, AT(off_since_ns), R1);
	pt_asm_label(a, other);
	task_of_argument(a, p, 2);
	look_up(a, p->maps.tasks, S_TID, OUT);
	pt_asm_load(a, BPF_DW, R2, R0, AT(off_since_ns));
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, OUT);
	pull(a, R1, S_NOW);
	pt_asm_op(a, BPF_SUB, R1, R2);
	add_to(a, AT(off_ns), R1);
	asm_end(a);
}
