/* Which tasks are watched: they are born, they exec, they end. */
#include "syscall/programs_priv.h"

void pt_programs_check_owner(struct pt_asm *a, const struct pt_programs *p)
{
	pt_asm_op_imm(a, BPF_RSH, R0, 32);
	pt_asm_if_imm(a, BPF_JEQ, R0, (int)p->self, OUT);
	if (p->o->of_user) {
		pt_asm_call(a, BPF_FUNC_get_current_uid_gid);
		pt_asm_op_imm(a, BPF_LSH, R0, 32);
		pt_asm_op_imm(a, BPF_RSH, R0, 32);
		pt_asm_imm64(a, R1, p->o->uid);
		pt_asm_if(a, BPF_JNE, R0, R1, OUT);
	}
	if (p->maps.cgroup < 0)
		return;
	pt_asm_map(a, R1, p->maps.cgroup);
	pt_asm_imm(a, R2, 0);
	pt_asm_call(a, BPF_FUNC_current_task_under_cgroup);
	pt_asm_if_imm(a, BPF_JNE, R0, 1, OUT);
}

/* A child is watched as its parent is. It runs only after this. */
void pt_programs_fork(struct pt_asm *a, const struct pt_programs *p)
{
	begin(a);
	this_task(a);
	if (p->o->all) {
		pt_programs_check_owner(a, p);
	} else {
		look_up(a, p->maps.tasks, S_TID, OUT);
		pt_asm_load(a, BPF_W, R1, R0, AT(flags));
		pt_asm_if_imm(a, BPF_JSET, R1, PT_TASK_AWAITS_EXEC, OUT);
	}
	task_of_argument(a, p, 1);
	pt_asm_push_imm(a, BPF_W, S_KEY, 1);	/* the newborn one */
	look_up(a, p->maps.blank, S_KEY, OUT);
	put_in_map(a, p->maps.tasks, S_TID, BPF_ANY);
	pt_asm_if_imm(a, BPF_JEQ, R0, 0, OUT);
	pt_programs_count(a, p, PT_STAT_NO_TASK);
	asm_end(a);
}

/* The path of the program, if its memory could not be read. */
static void add_exec_path(struct pt_asm *a, const struct pt_programs *p)
{
	look_up(a, p->maps.tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	load_task(a, R1, faulted);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, OUT);
	load_len(a, PT_PIECES_START_MAX, OUT);
	piece_bytes(a);
	pt_asm_imm(a, R2, PT_PIECE_MAX);
	argument(a, R3, 2);
	pt_asm_load(a, BPF_DW, R3, R3, (size_t)p->kernel.bprm_filename);
	pt_asm_call(a, BPF_FUNC_probe_read_kernel_str);
	pt_asm_if_imm(a, BPF_JSLE, R0, 0, OUT);
	close_single(a, PT_PIECE_EXEC_PATH, PT_PIECE_AGAIN);
	store_task(a, len, LEN);
	set_task(a, faulted, 0);
}

/* (task, old pid, bprm). A thread that execs goes on under the number of the first thread. */
void pt_programs_exec(struct pt_asm *a, const struct pt_programs *p)
{
	int same = label(a);

	begin(a);
	this_task(a);
	argument(a, R1, 1);
	pt_asm_push(a, BPF_W, S_KEY, R1);
	pt_asm_pull(a, BPF_W, R2, S_TID);
	pt_asm_pull(a, BPF_W, R1, S_KEY);
	pt_asm_if(a, BPF_JEQ, R1, R2, same);
	look_up(a, p->maps.tasks, S_KEY, OUT);
	put_in_map(a, p->maps.tasks, S_TID, BPF_ANY);
	call_of_map(a, BPF_FUNC_map_delete_elem, p->maps.tasks, S_KEY);
	pt_asm_label(a, same);
	if (!p->no_kernel_reads)
		add_exec_path(a, p);
	asm_end(a);
}

/* Writes the call that does not return; S_NOW and the end of the record are now. */
static void send_open_call(struct pt_asm *a, const struct pt_programs *p)
{
	int idle = label(a);

	pt_programs_who(a);
	pt_programs_end_now(a);
	load_task(a, R1, flags);
	pt_asm_unless(a, R1, PT_TASK_IN_CALL, idle);
	load_len(a, PT_PIECES_BYTES, OUT);
	set_task(a, sample.call.kind, PT_CALL_UNFINISHED);
	set_task(a, sample.call.flags, 0);
	if (!p->o->failed && !p->o->nr_errnos && !p->o->longer_ns)
		pt_programs_send(a, p, AT(sample), PT_PIECES_BYTES, PT_STAT_CALLS);
	pt_asm_label(a, idle);
}

/* (task): a call that does not return, then the exit. */
void pt_programs_task_exit(struct pt_asm *a, const struct pt_programs *p)
{
	int over = label(a);

	begin(a);
	this_task(a);
	look_up(a, p->maps.tasks, S_TID, OUT);
	pt_asm_move(a, TASK, R0);
	load_task(a, R1, flags);
	pt_asm_if_imm(a, BPF_JSET, R1, PT_TASK_AWAITS_EXEC, over);
	if (p->o->lines)
		send_open_call(a, p);
	if (p->o->lines && p->o->exits) {
		set_task(a, sample.call.kind, PT_CALL_EXIT);
		argument(a, R1, 0);
		pt_asm_load(a, BPF_W, R1, R1, (size_t)p->kernel.exit_code);
		store_task(a, sample.call.ret, R1);
		pt_asm_imm(a, LEN, 0);
		pt_programs_send(a, p, AT(sample), 0, PT_STAT_OTHERS);
	}
	pt_asm_label(a, over);
	call_of_map(a, BPF_FUNC_map_delete_elem, p->maps.tasks, S_TID);
	asm_end(a);
}
