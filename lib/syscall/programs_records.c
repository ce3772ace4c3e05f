/* Rows of maps, and how a record gets into the ring of its CPU. */
#include "syscall/programs_priv.h"

enum {
	SAMPLE_TYPE = 9,		/* PERF_RECORD_SAMPLE */
	IN_USER_MODE = 2,		/* PERF_RECORD_MISC_USER */
};

void pt_programs_count(struct pt_asm *a, const struct pt_programs *p, enum pt_stat_row row)
{
	int none = label(a);

	pt_asm_push_imm(a, BPF_W, S_KEY, row);
	look_up(a, p->maps.stats, S_KEY, none);
	pt_asm_imm(a, R1, 1);
	add_to(a, 0, R1);
	pt_asm_label(a, none);
}

void pt_programs_find_or_add(struct pt_asm *a, int map, int blank, int key, int full)
{
	int known = label(a);

	call_of_map(a, BPF_FUNC_map_lookup_elem, map, key);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, known);
	pt_asm_push_imm(a, BPF_W, S_KEY, 0);
	look_up(a, blank, S_KEY, full);
	put_in_map(a, map, key, BPF_NOEXIST);
	look_up(a, map, key, full);
	pt_asm_label(a, known);
}

void pt_programs_who(struct pt_asm *a)
{
	pt_asm_call(a, BPF_FUNC_get_current_pid_tgid);
	pt_asm_move(a, R1, R0);
	pt_asm_op_imm(a, BPF_RSH, R1, 32);
	store_task(a, sample.pid, R1);
	store_task(a, sample.tid, R0);
}

void pt_programs_end_now(struct pt_asm *a)
{
	pt_asm_call(a, BPF_FUNC_ktime_get_ns);
	push(a, S_NOW, R0);
	store_task(a, sample.time_ns, R0);
	store_task(a, sample.call.end_ns, R0);
}

/* dst = TASK + at */
static void address_in_task(struct pt_asm *a, int dst, size_t at)
{
	pt_asm_move(a, dst, TASK);
	pt_asm_op_imm(a, BPF_ADD, dst, (int)at);
}

/* dst = LEN + bytes */
static void len_and(struct pt_asm *a, int dst, size_t bytes)
{
	pt_asm_move(a, dst, LEN);
	pt_asm_op_imm(a, BPF_ADD, dst, (int)bytes);
}

/* As the RAW of a sample of the session's event. */
static void send_by_perf(struct pt_asm *a, const struct pt_programs *p, size_t at)
{
	pt_asm_move(a, R1, CTX);
	pt_asm_map(a, R2, p->maps.rings);
	pt_asm_imm64(a, R3, BPF_F_CURRENT_CPU);
	address_in_task(a, R4, at + offsetof(struct pt_call_sample, call));
	len_and(a, R5, sizeof(struct pt_call_record));
	pt_asm_call(a, BPF_FUNC_perf_event_output);
}

#define HEADER(member) (at + offsetof(struct pt_call_sample, member))

/* As a whole sample; PLAN is lost. */
static void send_by_ring(struct pt_asm *a, const struct pt_programs *p, size_t at, int lost)
{
	int quiet = label(a);

	pt_asm_store(a, BPF_W, TASK, HEADER(cpu), R0);
	pt_asm_store_imm(a, BPF_W, TASK, HEADER(type), SAMPLE_TYPE);
	pt_asm_store_imm(a, BPF_H, TASK, HEADER(misc), IN_USER_MODE);
	pt_asm_imm64(a, R1, p->sample_id);
	pt_asm_store(a, BPF_DW, TASK, HEADER(id), R1);
	len_and(a, R1, sizeof(struct pt_call_record));
	pt_asm_store(a, BPF_W, TASK, HEADER(raw_size), R1);
	len_and(a, R1, sizeof(struct pt_call_sample));
	pt_asm_store(a, BPF_H, TASK, HEADER(size), R1);
	look_up(a, p->maps.rings, S_KEY, lost);
	pt_asm_move(a, PLAN, R0);
	pt_asm_move(a, R1, PLAN);
	pt_asm_imm(a, R2, BPF_RB_PROD_POS);
	pt_asm_call(a, BPF_FUNC_ringbuf_query);
	pt_asm_op_imm(a, BPF_AND, R0, (int)p->wake_bytes - 1);
	pt_asm_op(a, BPF_ADD, R0, LEN);
	pt_asm_imm(a, R4, BPF_RB_NO_WAKEUP);
	pt_asm_if_imm(a, BPF_JLT, R0, (int)(p->wake_bytes - sizeof(struct pt_call_sample) - 8),
		      quiet);
	pt_asm_imm(a, R4, BPF_RB_FORCE_WAKEUP);
	pt_asm_label(a, quiet);
	pt_asm_move(a, R1, PLAN);
	address_in_task(a, R2, at);
	len_and(a, R3, sizeof(struct pt_call_sample));
	pt_asm_call(a, BPF_FUNC_ringbuf_output);
}

void pt_programs_send(struct pt_asm *a, const struct pt_programs *p, size_t at, int max_pieces,
		      enum pt_stat_row row)
{
	int lost = label(a), done = label(a);

	pt_programs_count(a, p, row);
	pt_asm_if_imm(a, BPF_JGT, LEN, max_pieces, done);
	pt_asm_call(a, BPF_FUNC_get_smp_processor_id);
	pt_asm_push(a, BPF_W, S_KEY, R0);
	if (p->o->perf_rings)
		send_by_perf(a, p, at);
	else
		send_by_ring(a, p, at, lost);
	pt_asm_if_imm(a, BPF_JEQ, R0, 0, done);
	pt_asm_label(a, lost);
	pt_programs_count(a, p, row + 1);
	pt_asm_label(a, done);
}
