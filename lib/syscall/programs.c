#include "syscall/programs_priv.h"

#include "syscall/call.h"

enum {
	SIGNAL_GROUP_EXIT = 4,		/* in signal_struct.flags: linux/sched/signal.h */
	TS_COMPAT = 2,			/* in thread_info.status: arch/x86/include */
};

/* S_SLOT = the slot of the call whose number is in R2. */
static void find_slot(struct pt_asm *a, const struct pt_programs *p)
{
	int found = label(a), known = label(a);

	pt_asm_if_imm(a, BPF_JLT, R2, PT_CALLS, known);
	pt_asm_imm(a, R2, PT_CALL_OTHER);
	pt_asm_label(a, known);
	pt_asm_push(a, BPF_W, S_SLOT, R2);
	if (p->kernel.compat_status >= 0) {
		pt_asm_call(a, BPF_FUNC_get_current_task_btf);
		pt_asm_load(a, BPF_W, R1, R0, (size_t)p->kernel.compat_status);
		pt_asm_unless(a, R1, TS_COMPAT, found);
		pt_asm_pull(a, BPF_W, R2, S_SLOT);
		pt_asm_op_imm(a, BPF_ADD, R2, PT_CALLS);
		pt_asm_push(a, BPF_W, S_SLOT, R2);
	}
	pt_asm_label(a, found);
}

/* Copies the saved registers from struct pt_regs at R1; sums have no use for them. Arguments of
 * 32-bit programs go where those of others are. */
static void programs_copy_registers(struct pt_asm *a, const struct pt_programs *p)
{
	int wide = label(a);

	if (!p->o->lines)
		return;
	for (size_t i = 0; i < PT_CALL_REGS; i++) {
		pt_asm_load(a, BPF_DW, R2, R1, (size_t)p->regs.first + 8 * i);
		pt_asm_store(a, BPF_DW, TASK, CALL(regs) + 8 * i, R2);
	}
	if (p->kernel.compat_status < 0)
		return;
	pt_asm_pull(a, BPF_W, R2, S_SLOT);
	pt_asm_if_imm(a, BPF_JLT, R2, PT_CALLS, wide);
	for (int i = 0; i < PT_CALL_ARGS; i++) {
		pt_asm_load(a, BPF_W, R2, R1, p->regs.of_compat[i]);
		pt_asm_store(a, BPF_DW, TASK, CALL(regs) + (size_t)pt_call_arg_at(i), R2);
	}
	pt_asm_label(a, wide);
}

/* R0 = the state of the task S_TID (whose R0 this_task() gave), which is added if need be. */
static void find_task(struct pt_asm *a, const struct pt_programs *p)
{
	int full = label(a), found = label(a);

	if (!p->o->all) {
		look_up(a, p->maps.tasks, S_TID, OUT);
		return;
	}
	pt_programs_check_owner(a, p);
	pt_programs_find_or_add(a, p->maps.tasks, p->maps.blank, S_TID, full);
	pt_asm_goto(a, found);
	pt_asm_label(a, full);
	pt_programs_count(a, p, PT_STAT_NO_TASK);
	pt_asm_goto(a, OUT);
	pt_asm_label(a, found);
}

/* PLAN = the plan of the call in S_SLOT, if it is wanted. */
static void find_plan(struct pt_asm *a, const struct pt_programs *p)
{
	look_up(a, p->maps.plans, S_SLOT, OUT);
	pt_asm_load(a, BPF_B, R1, R0, offsetof(struct pt_plan, flags));
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, OUT);
	pt_asm_move(a, PLAN, R0);
}

/* The first argument of rt_sigreturn, which has none, is where the mask is (struct pt_regs: R1). */
static void find_signal_mask(struct pt_asm *a, const struct pt_programs *p)
{
	int other = label(a);

	load_plan(a, R2, flags);
	pt_asm_unless(a, R2, PT_PLAN_SIGRETURN, other);
	pt_asm_load(a, BPF_DW, R2, R1, (size_t)p->regs.stack_at);
	pt_asm_op_imm(a, BPF_ADD, R2, p->regs.mask_off);
	pt_asm_store(a, BPF_DW, TASK, CALL(regs) + (size_t)pt_call_arg_at(0), R2);
	pt_asm_label(a, other);
}

static void write_enter(struct pt_asm *a, const struct pt_programs *p)
{
	int awake = label(a);

	begin(a);
	argument(a, R2, 1);		/* the number; its exit is as that of a signal if < 0 */
	pt_asm_if_imm(a, BPF_JSLT, R2, 0, OUT);
	find_slot(a, p);
	find_plan(a, p);
	this_task(a);
	find_task(a, p);
	pt_asm_move(a, TASK, R0);
	load_task(a, R1, flags);
	pt_asm_move(a, R2, R1);
	pt_asm_unless(a, R2, PT_TASK_AWAITS_EXEC, awake);
	load_plan(a, R2, flags);
	pt_asm_unless(a, R2, PT_PLAN_EXEC, OUT);
	pt_asm_label(a, awake);
	pt_asm_op_imm(a, BPF_OR, R1, PT_TASK_IN_CALL);
	store_task(a, flags, R1);
	set_task(a, faulted, 0);
	set_task(a, off_ns, 0);
	pt_asm_pull(a, BPF_W, R2, S_SLOT);
	store_task(a, sample.call.nr, R2);
	argument(a, R1, 0);
	programs_copy_registers(a, p);
	if (p->o->lines && p->regs.mask_off >= 0)
		find_signal_mask(a, p);
	pt_asm_imm(a, LEN, 0);
	if (p->o->lines)
		pt_programs_fetch(a, p, false);
	store_task(a, len, LEN);
	/* The time last: reading is not the call's. */
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	store_task(a, sample.call.start_ns, R0);
	asm_end(a);
	if (p->o->lines)
		pt_programs_functions(a, p, false);
}

/* To OUT unless the result (CALL(ret), S_DURATION) is one that was asked for. */
static void choose_result(struct pt_asm *a, const struct pt_programs *p)
{
	int chosen = label(a);

	if (p->o->failed || p->o->succeeded || p->o->nr_errnos) {
		load_task(a, R1, sample.call.ret);
		for (size_t i = 0; i < p->o->nr_errnos; i++)
			pt_asm_if_imm(a, BPF_JEQ, R1, -p->o->errnos[i], chosen);
		if (p->o->nr_errnos)
			pt_asm_goto(a, OUT);
		/* errors are the last 4095 numbers */
		if (p->o->failed)
			pt_asm_if_imm(a, BPF_JLT, R1, -4095, OUT);
		if (p->o->succeeded)
			pt_asm_if_imm(a, BPF_JGE, R1, -4095, OUT);
		pt_asm_label(a, chosen);
	}
	if (p->o->longer_ns) {
		pull(a, R1, S_DURATION);
		pt_asm_imm64(a, R2, p->o->longer_ns);
		pt_asm_if(a, BPF_JLT, R1, R2, OUT);
	}
}

/* At the exit of a call that no entry was seen of: refused by seccomp, or begun before. */
static void take_exit_alone(struct pt_asm *a, const struct pt_programs *p)
{
	set_task(a, sample.call.flags, PT_CALL_NO_START);
	set_task(a, len, 0);
	set_task(a, faulted, 0);
	set_task(a, off_ns, 0);
	pt_asm_pull(a, BPF_W, R2, S_SLOT);
	store_task(a, sample.call.nr, R2);
	argument(a, R1, 0);
	programs_copy_registers(a, p);
	pull(a, R1, S_NOW);
	store_task(a, sample.call.start_ns, R1);
}

/* The task is no longer in a call. To OUT if nothing is to be shown of it. */
static void leave_call(struct pt_asm *a, const struct pt_programs *p)
{
	int begun = label(a), awake = label(a), done = label(a);

	load_task(a, R1, flags);
	pt_asm_move(a, R2, R1);
	pt_asm_op_imm(a, BPF_AND, R2, PT_TASK_NEWBORN | PT_TASK_IN_CALL);
	pt_asm_op_imm(a, BPF_AND, R1, ~(PT_TASK_IN_CALL | PT_TASK_NEWBORN));
	store_task(a, flags, R1);
	pt_asm_if_imm(a, BPF_JEQ, R2, PT_TASK_NEWBORN, OUT);
	pt_asm_unless(a, R1, PT_TASK_AWAITS_EXEC, awake);
	pt_asm_unless(a, R2, PT_TASK_IN_CALL, OUT);
	argument(a, R3, 1);
	pt_asm_if_imm(a, BPF_JNE, R3, 0, OUT);		/* exec failed: another try follows */
	set_task(a, flags, 0);
	pt_asm_goto(a, begun);
	pt_asm_label(a, awake);
	pt_asm_if_imm(a, BPF_JSET, R2, PT_TASK_IN_CALL, begun);
	take_exit_alone(a, p);
	pt_asm_goto(a, done);
	pt_asm_label(a, begun);
	set_task(a, sample.call.flags, 0);
	pt_asm_label(a, done);
}

/* A task that is being killed never sees the result. */
static void programs_choose_kind(struct pt_asm *a, const struct pt_programs *p)
{
	int lives = label(a);

	set_task(a, sample.call.kind, PT_CALL_DONE);
	pt_asm_call(a, BPF_FUNC_get_current_task_btf);
	pt_asm_load(a, BPF_DW, R1, R0, (size_t)p->kernel.signal);
	pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.signal_flags);
	pt_asm_unless(a, R1, SIGNAL_GROUP_EXIT, lives);
	set_task(a, sample.call.kind, PT_CALL_UNFINISHED);
	pt_asm_label(a, lives);
}

static void write_exit(struct pt_asm *a, const struct pt_programs *p)
{
	int from_signal = label(a);

	begin(a);
	argument(a, R1, 0);
	pt_asm_load(a, BPF_DW, R2, R1, (size_t)(p->regs.first + p->regs.nr_at));
	pt_asm_push(a, BPF_W, S_SLOT, R2);
	/* -1 after a return from a signal: the call is the one that began */
	pt_asm_if_imm(a, BPF_JSLT, R2, 0, from_signal);
	find_slot(a, p);
	find_plan(a, p);
	pt_asm_label(a, from_signal);
	this_task(a);
	look_up(a, p->maps.tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	pt_programs_end_now(a);
	leave_call(a, p);
	load_task(a, R1, sample.call.nr);
	pt_asm_push(a, BPF_W, S_SLOT, R1);
	find_plan(a, p);
	/* an exec that is not wanted was needed to begin */
	pt_asm_unless(a, R1, PT_PLAN_WANTED, OUT);
	argument(a, R1, 1);
	store_task(a, sample.call.ret, R1);
	pull(a, R1, S_NOW);
	load_task(a, R2, sample.call.start_ns);
	pt_asm_op(a, BPF_SUB, R1, R2);
	push(a, S_DURATION, R1);
	choose_result(a, p);
	if (p->o->sum)
		pt_programs_sum(a, p);
	if (p->o->lines) {
		load_len(a, PT_PIECES_BYTES, OUT);
		pt_programs_fetch(a, p, true);
		pt_programs_who(a);
		programs_choose_kind(a, p);
		pt_programs_send(a, p, AT(sample), PT_PIECES_BYTES, PT_STAT_CALLS);
	}
	asm_end(a);
	if (p->o->lines)
		pt_programs_functions(a, p, true);
}

/* Just before an exec that will succeed gives up the memory of the program that calls it. */
static void write_prepare_exec(struct pt_asm *a, const struct pt_programs *p)
{
	begin(a);
	this_task(a);
	look_up(a, p->maps.tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	load_task(a, R1, flags);
	pt_asm_unless(a, R1, PT_TASK_IN_CALL, OUT);
	load_task(a, R1, sample.call.nr);
	pt_asm_push(a, BPF_W, S_SLOT, R1);
	find_plan(a, p);
	set_task(a, faulted, 0);
	pt_asm_imm(a, LEN, 0);
	pt_programs_fetch(a, p, false);
	store_task(a, len, LEN);
	asm_end(a);
	pt_programs_functions(a, p, false);
}

enum { PREPARE_EXEC };			/* in pt_program_kinds */

/* Linux has the tracepoint since 6.10. */
static bool for_exec(const struct pt_programs *p)
{
	return p->o->lines && p->kernel.tracepoints[PREPARE_EXEC] >= 0;
}

static bool for_lines(const struct pt_programs *p)
{
	return p->o->lines && p->o->signals;
}

static bool for_sums(const struct pt_programs *p)
{
	return p->o->sum;
}

const struct pt_program_kind pt_program_kinds[PT_PROGRAM_KINDS] = {
	[PREPARE_EXEC] = { "sched_prepare_exec", write_prepare_exec, for_exec, false },
	{ "sched_process_fork", pt_programs_fork, NULL, false },
	{ "sched_process_exec", pt_programs_exec, NULL, false },
	{ "sched_process_exit", pt_programs_task_exit, NULL, false },
	{ "signal_deliver", pt_programs_signal_deliver, for_lines, true },
	{ "signal_generate", pt_programs_signal_generate, for_lines, true },
	{ "sched_switch", pt_programs_switch, for_sums, true },
	{ "sys_exit", write_exit, NULL, true },
	{ "sys_enter", write_enter, NULL, true },
};
