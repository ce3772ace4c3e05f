/* programs_priv.h - what the files of programs.c share: registers, the stack, labels, idioms of
 * several instructions, and how pieces are put behind one another. */
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
	S_SLOT = 192,			/* of the call */
	S_PATHS = 200,			/* programs_paths.c has what is below */
};

#define AT(member) offsetof(struct pt_task_state, member)
#define CALL(member) AT(sample.call.member)
/* A fetch goes by its offset in the plan: FETCH(0), VECTOR, TALLY. */
#define FETCH(k) offsetof(struct pt_plan, fetch[k])
#define VECTOR offsetof(struct pt_plan, vector)
#define TALLY offsetof(struct pt_plan, tally)

/* The end of a program, and functions of its loops. */
enum { OUT = PT_ASM_LABELS, EACH_STRING, EACH_BUFFER, EACH_TALLIED };
static inline int label(struct pt_asm *a)
{
	return pt_asm_new_label(a);
}

static inline void begin(struct pt_asm *a)
{
	pt_asm_move(a, CTX, R1);
}

static inline void asm_end(struct pt_asm *a)
{
	pt_asm_label(a, OUT);
	pt_asm_imm(a, R0, 0);
	pt_asm_exit(a);
}

#define BYTES(type, member) sizeof(((type *)0)->member)
#define SIZE(type, member) \
	(BYTES(type, member) == 8 ? BPF_DW : BYTES(type, member) == 4 ? BPF_W \
	 : BYTES(type, member) == 2 ? BPF_H : BPF_B)

/* Members of the struct pt_task_state at TASK: dst = member; member = src; member = a number. */
#define TASK_SIZE(member) SIZE(struct pt_task_state, member)
#define load_task(a, dst, member) pt_asm_load(a, TASK_SIZE(member), dst, TASK, AT(member))
#define store_task(a, member, src) pt_asm_store(a, TASK_SIZE(member), TASK, AT(member), src)
#define set_task(a, member, value) pt_asm_store_imm(a, TASK_SIZE(member), TASK, AT(member), value)

/* dst = a member of the struct pt_plan at PLAN, or of a fetch in it. */
#define load_plan(a, dst, member) \
	pt_asm_load(a, SIZE(struct pt_plan, member), dst, PLAN, offsetof(struct pt_plan, member))
#define load_fetch(a, dst, fetch, member) \
	pt_asm_load(a, SIZE(struct pt_fetch, member), dst, PLAN, \
		    (fetch) + offsetof(struct pt_fetch, member))

/* 8 bytes of the stack. */
static inline void push(struct pt_asm *a, int below, int src)
{
	pt_asm_push(a, BPF_DW, below, src);
}

static inline void pull(struct pt_asm *a, int dst, int below)
{
	pt_asm_pull(a, BPF_DW, dst, below);
}

/* The i-th argument of the tracepoint. */
static inline void argument(struct pt_asm *a, int dst, size_t i)
{
	pt_asm_load(a, BPF_DW, dst, CTX, 8 * i);
}

/* Calls a helper whose first arguments are a map and a key on the stack. */
static inline void call_of_map(struct pt_asm *a, int helper, int map, int key)
{
	pt_asm_map(a, R1, map);
	pt_asm_stack(a, R2, key);
	pt_asm_call(a, helper);
}

/* R0 = the value of `key` in a map; to `none` if there is none. */
static inline void look_up(struct pt_asm *a, int map, int key, int none)
{
	call_of_map(a, BPF_FUNC_map_lookup_elem, map, key);
	pt_asm_if_imm(a, BPF_JEQ, R0, 0, none);
}

/* Puts the value at R0 into a map; R0 = 0 if there was room. */
static inline void put_in_map(struct pt_asm *a, int map, int key, int flags)
{
	pt_asm_move(a, R3, R0);
	pt_asm_imm(a, R4, flags);
	call_of_map(a, BPF_FUNC_map_update_elem, map, key);
}

/* *(R0 + at) += what; R3 is lost. */
static inline void add_to(struct pt_asm *a, size_t at, int what)
{
	pt_asm_load(a, BPF_DW, R3, R0, at);
	pt_asm_op(a, BPF_ADD, R3, what);
	pt_asm_store(a, BPF_DW, R0, at, R3);
}

/* S_TID = this thread; R0 = pid and tid as the helper gives them. */
static inline void this_task(struct pt_asm *a)
{
	pt_asm_call(a, BPF_FUNC_get_current_pid_tgid);
	pt_asm_push(a, BPF_W, S_TID, R0);
}

/* S_TID = the thread that the i-th argument of the tracepoint is; R1 is the task. */
static inline void task_of_argument(struct pt_asm *a, const struct pt_programs *p, size_t i)
{
	argument(a, R1, i);
	pt_asm_load(a, BPF_W, R2, R1, (size_t)p->kernel.pid);
	pt_asm_push(a, BPF_W, S_TID, R2);
}

/* Reads memory at R3 to the stack by a helper; R0 is not 0 if it cannot be read. */
static inline void read_to_stack(struct pt_asm *a, int helper, int below, int bytes)
{
	pt_asm_stack(a, R1, below);
	pt_asm_imm(a, R2, bytes);
	pt_asm_call(a, helper);
}

/* LEN = bytes of the pieces so far; to `more` if there are more than `max`. */
static inline void load_len(struct pt_asm *a, int max, int more)
{
	load_task(a, LEN, len);
	pt_asm_if_imm(a, BPF_JGT, LEN, max, more);
}

/* dst = the register of the call whose offset is in the plan at `at`. */
static inline void load_register(struct pt_asm *a, int dst, size_t at)
{
	pt_asm_load(a, BPF_B, R2, PLAN, at);
	pt_asm_op_imm(a, BPF_AND, R2, 0x78);
	pt_asm_move(a, dst, TASK);
	pt_asm_op(a, BPF_ADD, dst, R2);
	pt_asm_load(a, BPF_DW, dst, dst, CALL(regs));
}

/* The register that is a member of a fetch. */
#define load_fetch_register(a, dst, fetch, member) \
	load_register(a, dst, (fetch) + offsetof(struct pt_fetch, member))

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

/* The same for a piece that is no element of a list. */
static inline void close_single(struct pt_asm *a, int item, int flags)
{
	pt_asm_imm(a, R2, item);
	pt_asm_imm(a, R3, flags);
	pt_asm_imm(a, R4, 0);
	close_piece(a);
}

/* programs_records.c */
/* R0 = the value of `key` in a map, where the first one of `blank` is put if it is not there; to
 * `full` if there is no room. */
void pt_programs_find_or_add(struct pt_asm *a, int map, int blank, int key, int full);
/* Adds 1 to a row of `stats`. */
void pt_programs_count(struct pt_asm *a, const struct pt_programs *p, enum pt_stat_row row);
/* The process and the thread of the call's record; its end, and S_NOW: now. */
void pt_programs_who(struct pt_asm *a);
void pt_programs_end_now(struct pt_asm *a);
/* Writes the sample at TASK + `at`, whose pieces are LEN bytes: completes its header, then sends it
 * to this CPU's ring. It is counted in the row of `stats`, or the one behind if it is lost. */
void pt_programs_send(struct pt_asm *a, const struct pt_programs *p, size_t at, int max_pieces,
		      enum pt_stat_row row);

/* programs_sums.c; the first adds the call of S_DURATION to its row. */
void pt_programs_sum(struct pt_asm *a, const struct pt_programs *p);
void pt_programs_switch(struct pt_asm *a, const struct pt_programs *p);

/* programs_tasks.c */
/* To OUT if this task, of which R0 is what this_task() gave, is not to be watched. */
void pt_programs_check_owner(struct pt_asm *a, const struct pt_programs *p);
void pt_programs_fork(struct pt_asm *a, const struct pt_programs *p);
void pt_programs_exec(struct pt_asm *a, const struct pt_programs *p);
void pt_programs_task_exit(struct pt_asm *a, const struct pt_programs *p);

/* programs_signals.c */
void pt_programs_signal_deliver(struct pt_asm *a, const struct pt_programs *p);
void pt_programs_signal_generate(struct pt_asm *a, const struct pt_programs *p);

/* Everything that the plan says, at the call's entry or exit. LEN is loaded and stored. */
void pt_programs_fetch(struct pt_asm *a, const struct pt_programs *p, bool exit);
/* Behind the end of such a program: the functions of its loops. */
void pt_programs_functions(struct pt_asm *a, const struct pt_programs *p, bool exit);
/* The paths of the descriptors of the plan. LEN is loaded, and stored. */
void pt_programs_paths(struct pt_asm *a, const struct pt_programs *p, bool exit);

#endif
