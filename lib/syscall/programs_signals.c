/* Signals: those that are delivered, and those that are ignored. */
#include <signal.h>

#include "syscall/programs_priv.h"

enum { TRACE_SIGNAL_IGNORED = 1, INFO_BYTES = 48 };

#define SIGNAL(member) offsetof(struct pt_signal_state, member)

/* To OUT unless the signal in PLAN is wanted, and its thread, S_TID, watched. */
static void choose_signal(struct pt_asm *a, const struct pt_programs *p)
{
	pt_asm_imm64(a, R2, p->o->signals);
	pt_asm_move(a, R1, PLAN);
	pt_asm_op_imm(a, BPF_SUB, R1, 1);
	pt_asm_op_imm(a, BPF_AND, R1, 63);
	pt_asm_op(a, BPF_RSH, R2, R1);
	pt_asm_unless(a, R2, 1, OUT);
	look_up(a, p->maps.tasks, S_TID, OUT);
	pt_asm_load(a, BPF_W, R1, R0, AT(flags));
	pt_asm_if_imm(a, BPF_JSET, R1, PT_TASK_AWAITS_EXEC, OUT);
}

/* The signal and the siginfo are the first arguments of the tracepoint; the siginfo may be 0 (by
 * kill without more) or 1 (by the kernel). The process is in R2. */
static void send_signal(struct pt_asm *a, const struct pt_programs *p)
{
	pt_asm_push(a, BPF_W, S_N, R2);
	pt_asm_load(a, BPF_W, PLAN, CTX, 0);
	/* which the kernel delivers instead of what ends the process */
	pt_asm_if_imm(a, BPF_JEQ, PLAN, SIGKILL, OUT);
	choose_signal(a, p);
	pt_asm_push_imm(a, BPF_W, S_KEY, 0);
	look_up(a, p->maps.scratch, S_KEY, OUT);
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
		pt_asm_imm(a, R2, INFO_BYTES);
		argument(a, R3, 1);
		pt_asm_call(a, BPF_FUNC_probe_read_kernel);
	}
	pt_asm_store(a, BPF_DW, TASK, SIGNAL(sample.call.ret), R0);
	pt_asm_imm(a, LEN, INFO_BYTES);
	pt_programs_send(a, p, SIGNAL(sample), INFO_BYTES, PT_STAT_OTHERS);
}

/* (signal, info, action) of this task. */
void pt_programs_signal_deliver(struct pt_asm *a, const struct pt_programs *p)
{
	begin(a);
	this_task(a);
	pt_asm_move(a, R2, R0);
	pt_asm_op_imm(a, BPF_RSH, R2, 32);
	send_signal(a, p);
	asm_end(a);
}

/* (signal, info, task, group, result): one that is ignored is never delivered. */
void pt_programs_signal_generate(struct pt_asm *a, const struct pt_programs *p)
{
	begin(a);
	pt_asm_load(a, BPF_W, R1, CTX, 4 * 8);
	pt_asm_if_imm(a, BPF_JNE, R1, TRACE_SIGNAL_IGNORED, OUT);
	task_of_argument(a, p, 2);
	pt_asm_load(a, BPF_W, R2, R1, (size_t)p->kernel.tgid);
	send_signal(a, p);
	asm_end(a);
}
