#include <signal.h>

#include "base/mem.h"
#include "syscall/call.h"
#include "syscall/programs_priv.h"

enum {
	SAMPLE_TYPE = 9,		/* PERF_RECORD_SAMPLE */
	IN_USER_MODE = 2,		/* PERF_RECORD_MISC_USER */
	TRACE_SIGNAL_IGNORED = 1,
	SIGNAL_GROUP_EXIT = 4,		/* in signal_struct.flags: linux/sched/signal.h */
};

/* R0 = the value of `key` (on the stack) in a map; to `none` if there is none. */
static void look_up(struct pt_asm *a, int map, int key, int none)
{
	pt_asm_map(a, R1, map);
	pt_asm_stack(a, R2, key);
	pt_asm_call(a, BPF_FUNC_map_lookup_elem);
	pt_asm_if_imm(a, BPF_JEQ, R0, 0, none);
}

/* Adds 1 to a row of `stats`. */
static void count(struct pt_asm *a, const struct pt_programs *p, struct labels *l,
		  enum pt_stat_row row)
{
	int none = label(l);

	pt_asm_push_imm(a, BPF_W, S_KEY, row);
	look_up(a, p->stats, S_KEY, none);
	pt_asm_load(a, BPF_DW, R1, R0, 0);
	pt_asm_op_imm(a, BPF_ADD, R1, 1);
	pt_asm_store(a, BPF_DW, R0, 0, R1);
	pt_asm_label(a, none);
}

/* S_TID = this thread; R0 = pid and tid as the helper gives them. */
static void this_task(struct pt_asm *a)
{
	pt_asm_call(a, BPF_FUNC_get_current_pid_tgid);
	pt_asm_push(a, BPF_W, S_TID, R0);
}

static void end(struct pt_asm *a)
{
	pt_asm_label(a, OUT);
	pt_asm_imm(a, R0, 0);
	pt_asm_exit(a);
}

/* Writes the sample at `state` + `at`, whose pieces are LEN bytes: completes its header, then sends
 * it to this CPU's ring. `state` is TASK. */
static void send(struct pt_asm *a, const struct pt_programs *p, struct labels *l, size_t at,
		 int max_pieces)
{
	const size_t call = offsetof(struct pt_call_sample, call);
	int lost = label(l), sent = label(l), quiet = label(l), done = label(l);

	count(a, p, l, PT_STAT_RECORDS);
	pt_asm_if_imm(a, BPF_JGT, LEN, max_pieces, done);
	pt_asm_call(a, BPF_FUNC_get_smp_processor_id);
	pt_asm_push(a, BPF_W, S_KEY, R0);
	if (p->perf_rings) {
		pt_asm_move(a, R1, CTX);
		pt_asm_map(a, R2, p->rings);
		pt_asm_imm64(a, R3, BPF_F_CURRENT_CPU);
		pt_asm_move(a, R4, TASK);
		pt_asm_op_imm(a, BPF_ADD, R4, (int)(at + call));
		pt_asm_move(a, R5, LEN);
		pt_asm_op_imm(a, BPF_ADD, R5, sizeof(struct pt_call_record));
		pt_asm_call(a, BPF_FUNC_perf_event_output);
		pt_asm_if_imm(a, BPF_JNE, R0, 0, lost);
		pt_asm_goto(a, sent);
	} else {
		pt_asm_store(a, BPF_W, TASK, at + offsetof(struct pt_call_sample, cpu), R0);
		pt_asm_store_imm(a, BPF_W, TASK, at + offsetof(struct pt_call_sample, type),
				 SAMPLE_TYPE);
		pt_asm_store_imm(a, BPF_H, TASK, at + offsetof(struct pt_call_sample, misc),
				 IN_USER_MODE);
		pt_asm_imm64(a, R1, p->sample_id);
		pt_asm_store(a, BPF_DW, TASK, at + offsetof(struct pt_call_sample, id), R1);
		pt_asm_move(a, R1, LEN);
		pt_asm_op_imm(a, BPF_ADD, R1, sizeof(struct pt_call_record));
		pt_asm_store(a, BPF_W, TASK, at + offsetof(struct pt_call_sample, raw_size), R1);
		pt_asm_op_imm(a, BPF_ADD, R1, (int)call);
		pt_asm_store(a, BPF_H, TASK, at + offsetof(struct pt_call_sample, size), R1);
		look_up(a, p->rings, S_KEY, lost);
		/* PLAN is no longer needed. */
		pt_asm_move(a, PLAN, R0);
		pt_asm_move(a, R1, PLAN);
		pt_asm_imm(a, R2, BPF_RB_PROD_POS);
		pt_asm_call(a, BPF_FUNC_ringbuf_query);
		pt_asm_op_imm(a, BPF_AND, R0, (int)p->wake_bytes - 1);
		pt_asm_op(a, BPF_ADD, R0, LEN);
		pt_asm_imm(a, R4, BPF_RB_NO_WAKEUP);
		pt_asm_if_imm(a, BPF_JLT, R0,
			      (int)(p->wake_bytes - sizeof(struct pt_call_sample) - 8), quiet);
		pt_asm_imm(a, R4, BPF_RB_FORCE_WAKEUP);
		pt_asm_label(a, quiet);
		pt_asm_move(a, R1, PLAN);
		pt_asm_move(a, R2, TASK);
		pt_asm_op_imm(a, BPF_ADD, R2, (int)at);
		pt_asm_move(a, R3, LEN);
		pt_asm_op_imm(a, BPF_ADD, R3, sizeof(struct pt_call_sample));
		pt_asm_call(a, BPF_FUNC_ringbuf_output);
		pt_asm_if_imm(a, BPF_JEQ, R0, 0, sent);
	}
	pt_asm_label(a, lost);
	count(a, p, l, PT_STAT_LOST);
	pt_asm_label(a, sent);
	pt_asm_label(a, done);
}

/* LEN = bytes of the pieces so far. */
static void load_len(struct pt_asm *a)
{
	pt_asm_load(a, BPF_W, LEN, TASK, AT(len));
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_BYTES, OUT);
}

/* To OUT if this task is another user's, or in another cgroup. */
static void check_owner(struct pt_asm *a, const struct pt_programs *p)
{
	if (p->of_user) {
		pt_asm_call(a, BPF_FUNC_get_current_uid_gid);
		pt_asm_op_imm(a, BPF_LSH, R0, 32);
		pt_asm_op_imm(a, BPF_RSH, R0, 32);
		pt_asm_imm64(a, R1, p->uid);
		pt_asm_if(a, BPF_JNE, R0, R1, OUT);
	}
	if (p->cgroup < 0)
		return;
	pt_asm_map(a, R1, p->cgroup);
	pt_asm_imm(a, R2, 0);
	pt_asm_call(a, BPF_FUNC_current_task_under_cgroup);
	pt_asm_if_imm(a, BPF_JNE, R0, 1, OUT);
}

/* R0 = the state of the task S_TID, which is added if need be. */
static void find_task(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	int known = label(l), full = label(l);

	if (!p->all) {
		look_up(a, p->tasks, S_TID, OUT);
		return;
	}
	pt_asm_map(a, R1, p->tasks);
	pt_asm_stack(a, R2, S_TID);
	pt_asm_call(a, BPF_FUNC_map_lookup_elem);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, known);
	pt_asm_push_imm(a, BPF_W, S_KEY, 0);
	look_up(a, p->blank, S_KEY, OUT);
	pt_asm_map(a, R1, p->tasks);
	pt_asm_stack(a, R2, S_TID);
	pt_asm_move(a, R3, R0);
	pt_asm_imm(a, R4, BPF_NOEXIST);
	pt_asm_call(a, BPF_FUNC_map_update_elem);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, full);
	look_up(a, p->tasks, S_TID, OUT);
	pt_asm_goto(a, known);
	pt_asm_label(a, full);
	count(a, p, l, PT_STAT_NO_TASK);
	pt_asm_goto(a, OUT);
	pt_asm_label(a, known);
}

/* Copies the saved registers from struct pt_regs at R1; sums have no use for them. */
static void copy_registers(struct pt_asm *a, const struct pt_programs *p)
{
	if (!p->lines)
		return;
	for (size_t i = 0; i < PT_CALL_REGS; i++) {
		pt_asm_load(a, BPF_DW, R2, R1, (size_t)p->regs.first + 8 * i);
		pt_asm_store(a, BPF_DW, TASK, CALL(regs) + 8 * i, R2);
	}
}

/* PLAN = the plan of the call in S_KEY, if it is wanted. */
static void find_plan(struct pt_asm *a, const struct pt_programs *p)
{
	look_up(a, p->plans, S_KEY, OUT);
	pt_asm_load(a, BPF_B, R1, R0, offsetof(struct pt_plan, flags));
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, OUT);
	pt_asm_move(a, PLAN, R0);
}

/* The first argument of rt_sigreturn, which has none, is where the mask is (struct pt_regs: R1). */
static void find_signal_mask(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	int other = label(l);

	pt_asm_load(a, BPF_B, R2, PLAN, offsetof(struct pt_plan, flags));
	pt_asm_op_imm(a, BPF_AND, R2, PT_PLAN_SIGRETURN);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, other);
	pt_asm_load(a, BPF_DW, R2, R1, (size_t)p->regs.stack_at);
	pt_asm_op_imm(a, BPF_ADD, R2, p->regs.mask_off);
	pt_asm_store(a, BPF_DW, TASK, CALL(regs) + (size_t)pt_call_arg_at(0), R2);
	pt_asm_label(a, other);
}

static void write_enter(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };
	int awake = label(&l);

	pt_asm_move(a, CTX, R1);
	pt_asm_load(a, BPF_DW, R2, CTX, 8);		/* the number */
	pt_asm_push(a, BPF_W, S_KEY, R2);
	find_plan(a, p);
	this_task(a);
	if (p->all) {
		pt_asm_op_imm(a, BPF_RSH, R0, 32);
		pt_asm_if_imm(a, BPF_JEQ, R0, (int)p->self, OUT);
		check_owner(a, p);
	}
	find_task(a, p, &l);
	pt_asm_move(a, TASK, R0);
	pt_asm_load(a, BPF_W, R1, TASK, AT(flags));
	pt_asm_move(a, R2, R1);
	pt_asm_op_imm(a, BPF_AND, R2, PT_TASK_AWAITS_EXEC);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, awake);
	pt_asm_load(a, BPF_B, R2, PLAN, offsetof(struct pt_plan, flags));
	pt_asm_op_imm(a, BPF_AND, R2, PT_PLAN_EXEC);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, OUT);
	pt_asm_label(a, awake);
	pt_asm_op_imm(a, BPF_OR, R1, PT_TASK_IN_CALL);
	pt_asm_store(a, BPF_W, TASK, AT(flags), R1);
	pt_asm_store_imm(a, BPF_W, TASK, AT(faulted), 0);
	pt_asm_store_imm(a, BPF_DW, TASK, AT(off_ns), 0);
	pt_asm_load(a, BPF_DW, R2, CTX, 8);
	pt_asm_store(a, BPF_H, TASK, CALL(nr), R2);
	pt_asm_load(a, BPF_DW, R1, CTX, 0);
	copy_registers(a, p);
	if (p->lines && p->regs.mask_off >= 0)
		find_signal_mask(a, p, &l);
	pt_asm_imm(a, LEN, 0);
	if (p->lines)
		pt_programs_fetch(a, p, &l, false);
	pt_asm_store(a, BPF_W, TASK, AT(len), LEN);
	/* The time last: reading is not the call's. */
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	pt_asm_store(a, BPF_DW, TASK, CALL(start_ns), R0);
	end(a);
	if (p->lines)
		pt_programs_functions(a, p, &l, false);
}

/* To OUT unless the result (R6 is free; CALL(ret), S_DURATION) is one that was asked for. */
static void choose_result(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	int chosen = label(l);

	if (p->failed || p->succeeded || p->nr_errnos) {
		pt_asm_load(a, BPF_DW, R1, TASK, CALL(ret));
		for (size_t i = 0; i < p->nr_errnos; i++)
			pt_asm_if_imm(a, BPF_JEQ, R1, -p->errnos[i], chosen);
		if (p->nr_errnos)
			pt_asm_goto(a, OUT);
		/* errors are the last 4095 numbers */
		if (p->failed)
			pt_asm_if_imm(a, BPF_JLT, R1, -4095, OUT);
		if (p->succeeded)
			pt_asm_if_imm(a, BPF_JGE, R1, -4095, OUT);
		pt_asm_label(a, chosen);
	}
	if (p->longer_ns) {
		pt_asm_pull(a, BPF_DW, R1, S_DURATION);
		pt_asm_imm64(a, R2, p->longer_ns);
		pt_asm_if(a, BPF_JLT, R1, R2, OUT);
	}
}

/* R2 = bucket of the duration R1: 8 parts a power of two. */
static void bucket(struct pt_asm *a, struct labels *l)
{
	int small = label(l), capped = label(l);

	pt_asm_move(a, R2, R1);
	pt_asm_if_imm(a, BPF_JLT, R1, 1 << PT_SUM_PARTS_LOG2, small);
	pt_asm_imm(a, R2, 0);
	pt_asm_move(a, R3, R1);
	for (int bits = 32; bits; bits /= 2) {
		int less = label(l);

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
	if (p->by == PT_SUM_CGROUP)
		pt_asm_call(a, BPF_FUNC_get_current_cgroup_id);
	else if (p->by == PT_SUM_THREAD)
		pt_asm_call(a, BPF_FUNC_get_current_pid_tgid);
	else
		pt_asm_imm(a, R0, 0);
	pt_asm_push(a, BPF_DW, S_SUM_KEY, R0);
	pt_asm_load(a, BPF_H, R1, TASK, CALL(nr));
	pt_asm_push(a, BPF_W, S_SUM_KEY - 8, R1);
	pt_asm_call(a, BPF_FUNC_get_smp_processor_id);
	pt_asm_push(a, BPF_W, S_SUM_KEY - 12, R0);
}

#define SUM(member) offsetof(struct pt_sum_value, member)

static void add_to(struct pt_asm *a, size_t at, int what)
{
	pt_asm_load(a, BPF_DW, R3, R0, at);
	pt_asm_op(a, BPF_ADD, R3, what);
	pt_asm_store(a, BPF_DW, R0, at, R3);
}

static void add_to_sum(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	int known = label(l), full = label(l), good = label(l), less = label(l), done = label(l);

	sum_key(a, p);
	pt_asm_map(a, R1, p->sums);
	pt_asm_stack(a, R2, S_SUM_KEY);
	pt_asm_call(a, BPF_FUNC_map_lookup_elem);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, known);
	pt_asm_push_imm(a, BPF_W, S_KEY, 0);
	look_up(a, p->blank_sum, S_KEY, done);
	pt_asm_map(a, R1, p->sums);
	pt_asm_stack(a, R2, S_SUM_KEY);
	pt_asm_move(a, R3, R0);
	pt_asm_imm(a, R4, BPF_NOEXIST);
	pt_asm_call(a, BPF_FUNC_map_update_elem);
	look_up(a, p->sums, S_SUM_KEY, full);
	pt_asm_label(a, known);
	pt_asm_imm(a, R2, 1);
	add_to(a, SUM(calls), R2);
	pt_asm_load(a, BPF_DW, R1, TASK, CALL(ret));
	pt_asm_if_imm(a, BPF_JLT, R1, -4095, good);
	add_to(a, SUM(errors), R2);
	pt_asm_label(a, good);
	pt_asm_pull(a, BPF_DW, R1, S_DURATION);
	add_to(a, SUM(total_ns), R1);
	pt_asm_load(a, BPF_DW, R2, TASK, AT(off_ns));
	add_to(a, SUM(off_ns), R2);
	pt_asm_load(a, BPF_DW, R3, R0, SUM(max_ns));
	pt_asm_if(a, BPF_JGE, R3, R1, less);
	pt_asm_store(a, BPF_DW, R0, SUM(max_ns), R1);
	pt_asm_label(a, less);
	bucket(a, l);
	pt_asm_op_imm(a, BPF_LSH, R2, 2);
	pt_asm_op(a, BPF_ADD, R0, R2);
	pt_asm_load(a, BPF_W, R1, R0, SUM(buckets));
	pt_asm_op_imm(a, BPF_ADD, R1, 1);
	pt_asm_store(a, BPF_W, R0, SUM(buckets), R1);
	pt_asm_goto(a, done);
	pt_asm_label(a, full);
	count(a, p, l, PT_STAT_NO_TASK);
	pt_asm_label(a, done);
}

/* Header members of a call's sample: the task's, the time. */
static void fill_sample(struct pt_asm *a)
{
	pt_asm_call(a, BPF_FUNC_get_current_pid_tgid);
	pt_asm_move(a, R1, R0);
	pt_asm_op_imm(a, BPF_RSH, R1, 32);
	pt_asm_store(a, BPF_W, TASK, AT(sample.pid), R1);
	pt_asm_store(a, BPF_W, TASK, AT(sample.tid), R0);
}

/* S_NOW and the end of the call = now. */
static void end_now(struct pt_asm *a)
{
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	pt_asm_push(a, BPF_DW, S_NOW, R0);
	pt_asm_store(a, BPF_DW, TASK, AT(sample.time_ns), R0);
	pt_asm_store(a, BPF_DW, TASK, CALL(end_ns), R0);
}

/* At the exit of a call that no entry was seen of: refused by seccomp, or begun before. */
static void take_exit_alone(struct pt_asm *a, const struct pt_programs *p)
{
	pt_asm_store_imm(a, BPF_B, TASK, CALL(flags), PT_CALL_NO_START);
	pt_asm_store_imm(a, BPF_W, TASK, AT(len), 0);
	pt_asm_store_imm(a, BPF_W, TASK, AT(faulted), 0);
	pt_asm_store_imm(a, BPF_DW, TASK, AT(off_ns), 0);
	pt_asm_load(a, BPF_DW, R1, CTX, 0);
	pt_asm_load(a, BPF_DW, R2, R1, (size_t)(p->regs.first + p->regs.nr_at));
	pt_asm_store(a, BPF_H, TASK, CALL(nr), R2);
	copy_registers(a, p);
	pt_asm_pull(a, BPF_DW, R1, S_NOW);
	pt_asm_store(a, BPF_DW, TASK, CALL(start_ns), R1);
}

/* The task's flags are in R1, and no longer say that it is in a call. To OUT if nothing is to be
 * shown of it. */
static void leave_call(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	int begun = label(l), awake = label(l), alone = label(l);

	pt_asm_load(a, BPF_W, R1, TASK, AT(flags));
	pt_asm_move(a, R2, R1);
	pt_asm_op_imm(a, BPF_AND, R2, PT_TASK_NEWBORN | PT_TASK_IN_CALL);
	pt_asm_op_imm(a, BPF_AND, R1, ~(PT_TASK_IN_CALL | PT_TASK_NEWBORN));
	pt_asm_store(a, BPF_W, TASK, AT(flags), R1);
	pt_asm_if_imm(a, BPF_JEQ, R2, PT_TASK_NEWBORN, OUT);
	pt_asm_op_imm(a, BPF_AND, R1, PT_TASK_AWAITS_EXEC);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, awake);
	pt_asm_op_imm(a, BPF_AND, R2, PT_TASK_IN_CALL);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, OUT);
	pt_asm_load(a, BPF_DW, R3, CTX, 8);
	pt_asm_if_imm(a, BPF_JNE, R3, 0, OUT);		/* exec failed: another try follows */
	pt_asm_store_imm(a, BPF_W, TASK, AT(flags), 0);
	pt_asm_goto(a, begun);
	pt_asm_label(a, awake);
	pt_asm_op_imm(a, BPF_AND, R2, PT_TASK_IN_CALL);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, alone);
	pt_asm_label(a, begun);
	pt_asm_store_imm(a, BPF_B, TASK, CALL(flags), 0);
	awake = label(l);
	pt_asm_goto(a, awake);
	pt_asm_label(a, alone);
	take_exit_alone(a, p);
	pt_asm_label(a, awake);
}

/* A task that is being killed never sees the result. */
static void choose_kind(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	int lives = label(l);

	pt_asm_store_imm(a, BPF_B, TASK, CALL(kind), PT_CALL_DONE);
	pt_asm_call(a, BPF_FUNC_get_current_task_btf);
	pt_asm_load(a, BPF_DW, R1, R0, (size_t)p->kernel.signal);
	pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.signal_flags);
	pt_asm_op_imm(a, BPF_AND, R1, SIGNAL_GROUP_EXIT);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, lives);
	pt_asm_store_imm(a, BPF_B, TASK, CALL(kind), PT_CALL_UNFINISHED);
	pt_asm_label(a, lives);
}

static void write_exit(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };
	int from_signal = label(&l);

	pt_asm_move(a, CTX, R1);
	pt_asm_load(a, BPF_DW, R1, CTX, 0);
	pt_asm_load(a, BPF_DW, R2, R1, (size_t)(p->regs.first + p->regs.nr_at));
	pt_asm_push(a, BPF_W, S_KEY, R2);
	/* -1 after a return from a signal: the call is the one that began */
	pt_asm_if_imm(a, BPF_JSLT, R2, 0, from_signal);
	find_plan(a, p);
	pt_asm_label(a, from_signal);
	this_task(a);
	look_up(a, p->tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	end_now(a);
	leave_call(a, p, &l);
	pt_asm_load(a, BPF_H, R1, TASK, CALL(nr));
	pt_asm_push(a, BPF_W, S_KEY, R1);
	find_plan(a, p);
	/* an exec that is not wanted was needed to begin */
	pt_asm_op_imm(a, BPF_AND, R1, PT_PLAN_WANTED);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, OUT);
	pt_asm_load(a, BPF_DW, R1, CTX, 8);
	pt_asm_store(a, BPF_DW, TASK, CALL(ret), R1);
	pt_asm_pull(a, BPF_DW, R1, S_NOW);
	pt_asm_load(a, BPF_DW, R2, TASK, CALL(start_ns));
	pt_asm_op(a, BPF_SUB, R1, R2);
	pt_asm_push(a, BPF_DW, S_DURATION, R1);
	choose_result(a, p, &l);
	if (p->sum)
		add_to_sum(a, p, &l);
	if (p->lines) {
		load_len(a);
		pt_programs_fetch(a, p, &l, true);
		fill_sample(a);
		choose_kind(a, p, &l);
		send(a, p, &l, AT(sample), PT_PIECES_BYTES);
	}
	end(a);
	if (p->lines)
		pt_programs_functions(a, p, &l, true);
}

/* A child is watched as its parent is. It runs only after this. */
static void write_fork(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };

	pt_asm_move(a, CTX, R1);
	this_task(a);
	if (p->all) {
		pt_asm_op_imm(a, BPF_RSH, R0, 32);
		pt_asm_if_imm(a, BPF_JEQ, R0, (int)p->self, OUT);
		check_owner(a, p);
	} else {
		look_up(a, p->tasks, S_TID, OUT);
		pt_asm_load(a, BPF_W, R1, R0, AT(flags));
		pt_asm_op_imm(a, BPF_AND, R1, PT_TASK_AWAITS_EXEC);
		pt_asm_if_imm(a, BPF_JNE, R1, 0, OUT);
	}
	pt_asm_load(a, BPF_DW, R1, CTX, 8);
	pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.pid);
	pt_asm_push(a, BPF_W, S_TID, R1);
	pt_asm_push_imm(a, BPF_W, S_KEY, 1);	/* the newborn one */
	look_up(a, p->blank, S_KEY, OUT);
	pt_asm_map(a, R1, p->tasks);
	pt_asm_stack(a, R2, S_TID);
	pt_asm_move(a, R3, R0);
	pt_asm_imm(a, R4, BPF_ANY);
	pt_asm_call(a, BPF_FUNC_map_update_elem);
	pt_asm_if_imm(a, BPF_JEQ, R0, 0, OUT);
	count(a, p, &l, PT_STAT_NO_TASK);
	end(a);
}

/* (task, old pid, bprm). A thread that execs goes on under the number of the first thread. */
static void write_exec(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };
	int same = label(&l), full = label(&l);

	pt_asm_move(a, CTX, R1);
	this_task(a);
	pt_asm_load(a, BPF_DW, R1, CTX, 8);
	pt_asm_push(a, BPF_W, S_KEY, R1);
	pt_asm_pull(a, BPF_W, R2, S_TID);
	pt_asm_pull(a, BPF_W, R1, S_KEY);
	pt_asm_if(a, BPF_JEQ, R1, R2, same);
	look_up(a, p->tasks, S_KEY, OUT);
	pt_asm_map(a, R1, p->tasks);
	pt_asm_stack(a, R2, S_TID);
	pt_asm_move(a, R3, R0);
	pt_asm_imm(a, R4, BPF_ANY);
	pt_asm_call(a, BPF_FUNC_map_update_elem);
	pt_asm_map(a, R1, p->tasks);
	pt_asm_stack(a, R2, S_KEY);
	pt_asm_call(a, BPF_FUNC_map_delete_elem);
	pt_asm_label(a, same);
	if (p->no_kernel_reads) {
		end(a);
		return;
	}
	look_up(a, p->tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	pt_asm_load(a, BPF_W, R1, TASK, AT(faulted));
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, OUT);
	load_len(a);
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, full);
	piece_bytes(a);
	pt_asm_imm(a, R2, PT_PIECE_MAX);
	pt_asm_load(a, BPF_DW, R3, CTX, 16);
	pt_asm_load(a, BPF_DW, R3, R3, (size_t)p->kernel.bprm_filename);
	pt_asm_call(a, BPF_FUNC_probe_read_kernel_str);
	pt_asm_if_imm(a, BPF_JSLE, R0, 0, full);
	pt_asm_imm(a, R2, PT_PIECE_EXEC_PATH);
	pt_asm_imm(a, R3, PT_PIECE_AGAIN);
	pt_asm_imm(a, R4, 0);
	close_piece(a);
	pt_asm_store(a, BPF_W, TASK, AT(len), LEN);
	pt_asm_store_imm(a, BPF_W, TASK, AT(faulted), 0);
	pt_asm_label(a, full);
	end(a);
}

/* (task): a call that does not return, then the exit. */
static void write_task_exit(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };
	int idle = label(&l), over = label(&l);

	pt_asm_move(a, CTX, R1);
	this_task(a);
	look_up(a, p->tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	pt_asm_load(a, BPF_W, R1, TASK, AT(flags));
	pt_asm_move(a, R2, R1);
	pt_asm_op_imm(a, BPF_AND, R2, PT_TASK_AWAITS_EXEC);
	pt_asm_if_imm(a, BPF_JNE, R2, 0, over);
	if (p->lines) {
		pt_asm_op_imm(a, BPF_AND, R1, PT_TASK_IN_CALL);
		pt_asm_push(a, BPF_DW, S_FLAGS, R1);
		fill_sample(a);
		end_now(a);
		pt_asm_pull(a, BPF_DW, R1, S_FLAGS);
		pt_asm_if_imm(a, BPF_JEQ, R1, 0, idle);
		load_len(a);
		pt_asm_store_imm(a, BPF_B, TASK, CALL(kind), PT_CALL_UNFINISHED);
		pt_asm_store_imm(a, BPF_B, TASK, CALL(flags), 0);
		if (!p->failed && !p->nr_errnos && !p->longer_ns)
			send(a, p, &l, AT(sample), PT_PIECES_BYTES);
		pt_asm_label(a, idle);
	}
	if (p->lines && p->exits) {
		pt_asm_store_imm(a, BPF_B, TASK, CALL(kind), PT_CALL_EXIT);
		pt_asm_load(a, BPF_DW, R1, CTX, 0);
		pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.exit_code);
		pt_asm_store(a, BPF_DW, TASK, CALL(ret), R1);
		pt_asm_imm(a, LEN, 0);
		send(a, p, &l, AT(sample), PT_PIECES_BYTES);
	}
	pt_asm_label(a, over);
	pt_asm_map(a, R1, p->tasks);
	pt_asm_stack(a, R2, S_TID);
	pt_asm_call(a, BPF_FUNC_map_delete_elem);
	end(a);
}

#define SIGNAL(member) offsetof(struct pt_signal_state, member)

/* A signal (R8: its number) of the task S_TID whose process is in S_N; the siginfo is at S_ADDRESS,
 * or is 0 (by kill without more), 1 (by the kernel). */
static void send_signal(struct pt_asm *a, const struct pt_programs *p, struct labels *l)
{
	pt_asm_imm64(a, R2, p->signals);
	pt_asm_move(a, R1, PLAN);
	pt_asm_op_imm(a, BPF_SUB, R1, 1);
	pt_asm_op_imm(a, BPF_AND, R1, 63);
	pt_asm_op(a, BPF_RSH, R2, R1);
	pt_asm_op_imm(a, BPF_AND, R2, 1);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, OUT);
	look_up(a, p->tasks, S_TID, OUT);
	pt_asm_load(a, BPF_W, R1, R0, AT(flags));
	pt_asm_op_imm(a, BPF_AND, R1, PT_TASK_AWAITS_EXEC);
	pt_asm_if_imm(a, BPF_JNE, R1, 0, OUT);
	pt_asm_push_imm(a, BPF_W, S_KEY, 0);
	look_up(a, p->scratch, S_KEY, OUT);
	pt_asm_move(a, TASK, R0);
	pt_asm_store(a, BPF_H, TASK, SIGNAL(sample.call.nr), PLAN);
	pt_asm_store_imm(a, BPF_B, TASK, SIGNAL(sample.call.kind), PT_CALL_SIGNAL);
	pt_asm_pull(a, BPF_W, R1, S_TID);
	pt_asm_store(a, BPF_W, TASK, SIGNAL(sample.tid), R1);
	pt_asm_pull(a, BPF_W, R1, S_N);
	pt_asm_store(a, BPF_W, TASK, SIGNAL(sample.pid), R1);
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	pt_asm_store(a, BPF_DW, TASK, SIGNAL(sample.time_ns), R0);
	pt_asm_store(a, BPF_DW, TASK, SIGNAL(sample.call.start_ns), R0);
	if (p->no_kernel_reads) {
		pt_asm_imm(a, R0, PT_SIGNAL_UNREAD);
	} else {
		pt_asm_move(a, R1, TASK);
		pt_asm_op_imm(a, BPF_ADD, R1, SIGNAL(info));
		pt_asm_imm(a, R2, 48);
		pt_asm_pull(a, BPF_DW, R3, S_ADDRESS);
		pt_asm_call(a, BPF_FUNC_probe_read_kernel);
	}
	pt_asm_store(a, BPF_DW, TASK, SIGNAL(sample.call.ret), R0);
	pt_asm_imm(a, LEN, 48);
	send(a, p, l, SIGNAL(sample), 48);
}

/* (signal, info, action) of this task. */
static void write_signal_deliver(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };

	pt_asm_move(a, CTX, R1);
	this_task(a);
	pt_asm_op_imm(a, BPF_RSH, R0, 32);
	pt_asm_push(a, BPF_W, S_N, R0);
	pt_asm_load(a, BPF_DW, R1, CTX, 8);
	pt_asm_push(a, BPF_DW, S_ADDRESS, R1);
	pt_asm_load(a, BPF_W, PLAN, CTX, 0);
	/* which the kernel delivers instead of what ends the process */
	pt_asm_if_imm(a, BPF_JEQ, PLAN, SIGKILL, OUT);
	send_signal(a, p, &l);
	end(a);
}

/* (signal, info, task, group, result): one that is ignored is never delivered. */
static void write_signal_generate(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };

	pt_asm_move(a, CTX, R1);
	pt_asm_load(a, BPF_W, R1, CTX, 32);
	pt_asm_if_imm(a, BPF_JNE, R1, TRACE_SIGNAL_IGNORED, OUT);
	pt_asm_load(a, BPF_DW, R1, CTX, 16);
	pt_asm_load(a, BPF_W, R2, R1, (size_t)p->kernel.pid);
	pt_asm_push(a, BPF_W, S_TID, R2);
	pt_asm_load(a, BPF_W, R2, R1, (size_t)p->kernel.tgid);
	pt_asm_push(a, BPF_W, S_N, R2);
	pt_asm_load(a, BPF_DW, R1, CTX, 8);
	pt_asm_push(a, BPF_DW, S_ADDRESS, R1);
	pt_asm_load(a, BPF_W, PLAN, CTX, 0);
	send_signal(a, p, &l);
	end(a);
}

/* (preempt, previous, next): time that a call is not on a CPU. */
static void write_switch(struct pt_asm *a, const struct pt_programs *p)
{
	struct labels l = { FIRST_FREE };
	int other = label(&l);

	pt_asm_move(a, CTX, R1);
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	pt_asm_push(a, BPF_DW, S_NOW, R0);
	pt_asm_load(a, BPF_DW, R1, CTX, 8);
	pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.pid);
	pt_asm_push(a, BPF_W, S_TID, R1);
	look_up(a, p->tasks, S_TID, other);
	pt_asm_pull(a, BPF_DW, R1, S_NOW);
	pt_asm_store(a, BPF_DW, R0, AT(off_since_ns), R1);
	pt_asm_label(a, other);
	pt_asm_load(a, BPF_DW, R1, CTX, 16);
	pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.pid);
	pt_asm_push(a, BPF_W, S_TID, R1);
	look_up(a, p->tasks, S_TID, OUT);
	pt_asm_load(a, BPF_DW, R2, R0, AT(off_since_ns));
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, OUT);
	pt_asm_pull(a, BPF_DW, R1, S_NOW);
	pt_asm_op(a, BPF_SUB, R1, R2);
	add_to(a, AT(off_ns), R1);
	end(a);
}

static bool for_lines(const struct pt_programs *p)
{
	return p->lines && p->signals;
}

static bool for_sums(const struct pt_programs *p)
{
	return p->sum;
}

const struct pt_program_kind pt_program_kinds[PT_PROGRAM_KINDS] = {
	{ "sched_process_fork", write_fork, NULL, false },
	{ "sched_process_exec", write_exec, NULL, false },
	{ "sched_process_exit", write_task_exit, NULL, false },
	{ "signal_deliver", write_signal_deliver, for_lines, true },
	{ "signal_generate", write_signal_generate, for_lines, true },
	{ "sched_switch", write_switch, for_sums, true },
	{ "sys_exit", write_exit, NULL, true },
	{ "sys_enter", write_enter, NULL, true },
};
