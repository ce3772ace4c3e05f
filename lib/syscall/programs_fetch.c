/* What the plan of a call says to read of the process: strings, structures, vectors. */
#include "syscall/programs_priv.h"

enum {
	TALLY_MAX = 65536,		/* entries of a directory, variables of an environment */
	IOVECS_MAX = 16,
	MSG_NAME_MAX = 128, MSG_CONTROL_MAX = 256,
};

static void read_user(struct pt_asm *a, int below, int bytes)
{
	read_to_stack(a, BPF_FUNC_probe_read_user, below, bytes);
}

/* Reads R5 bytes, at most R2, at the address in R3 as those of the next piece: R0 = their number,
 * which is at `kept` on the stack meanwhile. To `fault` if they cannot be read. */
static void read_bytes(struct pt_asm *a, int kept, int fault)
{
	int capped = label(a);

	pt_asm_if(a, BPF_JLE, R5, R2, capped);
	pt_asm_move(a, R5, R2);
	pt_asm_label(a, capped);
	pt_asm_op_imm(a, BPF_AND, R5, 2047);
	push(a, kept, R5);
	piece_bytes(a);
	pt_asm_move(a, R2, R5);
	pt_asm_call(a, BPF_FUNC_probe_read_user);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, fault);
	pull(a, R0, kept);
}

/* R5 = the number of elements of the fetch, at the call's entry or exit. To `none` if it cannot be
 * read. */
static void programs_fetch_element_count(struct pt_asm *a, size_t fetch, int none)
{
	int known = label(a), pointed = label(a), ret = label(a);

	load_fetch(a, R4, fetch, count);
	pt_asm_imm(a, R5, 1);
	pt_asm_if_imm(a, BPF_JEQ, R4, PT_COUNT_ONE, known);
	pt_asm_if_imm(a, BPF_JEQ, R4, PT_COUNT_RET, ret);
	load_fetch_register(a, R5, fetch, count_at);
	pt_asm_if_imm(a, BPF_JEQ, R4, PT_COUNT_POINTED, pointed);
	pt_asm_goto(a, known);
	pt_asm_label(a, pointed);
	pt_asm_move(a, R3, R5);
	read_user(a, S_ELEMENT, 4);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, none);
	pt_asm_pull(a, BPF_W, R5, S_ELEMENT);
	pt_asm_goto(a, known);
	pt_asm_label(a, ret);
	load_task(a, R5, sample.call.ret);
	pt_asm_label(a, known);
}

/* To `skip` unless the fetch is due now; at the exit of a call that failed, only what could
 * not be read before. `bit`: of task.faulted; -1: no second try. */
static void if_due(struct pt_asm *a, size_t fetch, bool exit, int bit, int skip)
{
	int due = label(a), retry = label(a);

	pt_asm_imm(a, R3, exit ? PT_PIECE_AT_EXIT : 0);
	pt_asm_push(a, BPF_W, S_FLAGS, R3);
	load_fetch(a, R2, fetch, when);
	if (!exit) {
		pt_asm_unless(a, R2, PT_AT_ENTRY, skip);
		return;
	}
	pt_asm_unless(a, R2, PT_AT_EXIT, retry);
	load_task(a, R2, sample.call.ret);
	pt_asm_if_imm(a, BPF_JSGE, R2, 0, due);
	pt_asm_label(a, retry);
	if (bit < 0) {
		pt_asm_goto(a, skip);
	} else {
		load_task(a, R2, faulted);
		pt_asm_unless(a, R2, 1 << bit, skip);
		pt_asm_imm(a, R3, PT_PIECE_AGAIN);
		pt_asm_push(a, BPF_W, S_FLAGS, R3);
	}
	pt_asm_label(a, due);
}

/* One fetch of the plan: a path, a string, or bytes. */
static void fetch_one(struct pt_asm *a, int k, bool exit, int done)
{
	int next = label(a), text = label(a), sized = label(a), words = label(a), got = label(a),
	    fault = label(a);

	load_fetch(a, R1, FETCH(k), kind);
	pt_asm_if_imm(a, BPF_JEQ, R1, PT_FETCH_NONE, done);
	if_due(a, FETCH(k), exit, k, next);
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, done);
	load_fetch_register(a, R3, FETCH(k), address_at);
	pt_asm_if_imm(a, BPF_JEQ, R3, 0, next);
	push(a, S_ADDRESS, R3);
	load_fetch(a, R1, FETCH(k), kind);
	pt_asm_if_imm(a, BPF_JEQ, R1, PT_FETCH_TEXT, text);

	programs_fetch_element_count(a, FETCH(k), next);
	pt_asm_if_imm(a, BPF_JSLE, R5, 0, next);
	load_fetch(a, R2, FETCH(k), unit);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, words);
	pt_asm_op(a, BPF_MUL, R5, R2);
	pt_asm_goto(a, sized);
	pt_asm_label(a, words);
	pt_asm_op_imm(a, BPF_ADD, R5, 63);
	pt_asm_op_imm(a, BPF_RSH, R5, 6);
	pt_asm_op_imm(a, BPF_LSH, R5, 3);
	pt_asm_label(a, sized);
	load_fetch(a, R2, FETCH(k), max);
	pull(a, R3, S_ADDRESS);
	read_bytes(a, S_N, fault);
	pt_asm_goto(a, got);

	pt_asm_label(a, text);
	piece_bytes(a);
	load_fetch(a, R2, FETCH(k), max);
	pt_asm_op_imm(a, BPF_AND, R2, 2047);
	pull(a, R3, S_ADDRESS);
	pt_asm_call(a, BPF_FUNC_probe_read_user_str);
	pt_asm_if_imm(a, BPF_JSLE, R0, 0, fault);

	pt_asm_label(a, got);
	load_fetch(a, R2, FETCH(k), item);
	pt_asm_pull(a, BPF_W, R3, S_FLAGS);
	pt_asm_imm(a, R4, 0);
	close_piece(a);
	pt_asm_goto(a, next);

	pt_asm_label(a, fault);
	if (!exit) {
		load_task(a, R1, faulted);
		pt_asm_op_imm(a, BPF_OR, R1, 1 << k);
		store_task(a, faulted, R1);
	}
	pt_asm_label(a, next);
}

/* A piece of at most `max` bytes at the address in R3 and of the length in R5. */
static void fetch_plain(struct pt_asm *a, int item, int max, bool exit)
{
	int next = label(a);

	pt_asm_if_imm(a, BPF_JEQ, R3, 0, next);
	pt_asm_if_imm(a, BPF_JEQ, R5, 0, next);
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, next);
	pt_asm_imm(a, R2, max);
	read_bytes(a, S_I, next);
	close_single(a, item, exit ? PT_PIECE_AT_EXIT : 0);
	pt_asm_label(a, next);
}

/* LEN = what loop() kept; to `wrong` if it cannot be. */
static void load_kept_len(struct pt_asm *a, int wrong)
{
	pull(a, LEN, S_LEN);
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_BYTES, wrong);
}

/* Reads `nr` words of 8 bytes at R3 to the stack. If R4 is `narrow_unit`, as for 32-bit programs,
 * they have 4 bytes and are widened. To `stop` if they cannot be read. */
static void read_words(struct pt_asm *a, int below, int nr, int narrow_unit, int stop)
{
	int narrow = label(a), done = label(a);

	pt_asm_if_imm(a, BPF_JEQ, R4, narrow_unit, narrow);
	read_user(a, below, 8 * nr);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, stop);
	pt_asm_goto(a, done);
	pt_asm_label(a, narrow);
	read_user(a, below, 4 * nr);
	pt_asm_if_imm(a, BPF_JNE, R0, 0, stop);
	for (int i = nr; i--; ) {
		pt_asm_pull(a, BPF_W, R1, below - 4 * i);
		push(a, below - 8 * i, R1);
	}
	pt_asm_label(a, done);
}

/* One element of a vector, whose address is S_ADDRESS + S_I * unit: a string, or what an iovec
 * points to. To `stop` at the end, also where the vector itself cannot be read. */
static void fetch_element(struct pt_asm *a, const struct pt_programs *p,
			  bool strings, int stop)
{
	int fault = label(a), good = label(a);

	load_fetch(a, R4, VECTOR, unit);
	pull(a, R3, S_I);
	pt_asm_op(a, BPF_MUL, R3, R4);
	pull(a, R1, S_ADDRESS);
	pt_asm_op(a, BPF_ADD, R3, R1);
	read_words(a, S_ELEMENT, strings ? 1 : 2, strings ? 4 : 8, stop);
	pull(a, R3, S_ELEMENT);
	pt_asm_imm(a, R2, p->o->text_max);
	if (strings) {
		pt_asm_if_imm(a, BPF_JEQ, R3, 0, stop);
		piece_bytes(a);
		pt_asm_call(a, BPF_FUNC_probe_read_user_str);
		pt_asm_if_imm(a, BPF_JSLE, R0, 0, fault);
	} else {
		pull(a, R5, S_ELEMENT - 8);
		read_bytes(a, S_FLAGS, fault);
	}
	pt_asm_imm(a, R3, 0);
	pt_asm_goto(a, good);
	pt_asm_label(a, fault);
	pt_asm_imm(a, R3, PT_PIECE_FAULT);
	pt_asm_imm(a, R0, 0);
	pt_asm_label(a, good);
}

/* Calls a function for S_I = 0, 1 ..., until it says that it was the last. */
static void loop(struct pt_asm *a, int times, int function)
{
	pt_asm_push_imm(a, BPF_DW, S_I, 0);
	push(a, S_TASK, TASK);
	push(a, S_PLAN, PLAN);
	push(a, S_LEN, LEN);
	pt_asm_loop(a, times, function);
	load_kept_len(a, OUT);
}

static void begin_function(struct pt_asm *a, int function, int stop)
{
	pt_asm_function(a, function, CTX);
	push(a, S_I, R1);
	pull(a, TASK, S_TASK);
	pull(a, PLAN, S_PLAN);
	load_kept_len(a, stop);
}

/* S_I is the number of those that were done. */
static void end_function(struct pt_asm *a, int stop)
{
	push(a, S_LEN, LEN);
	pull(a, R1, S_I);
	pt_asm_op_imm(a, BPF_ADD, R1, 1);
	push(a, S_I, R1);
	pt_asm_imm(a, R0, 0);
	pt_asm_exit(a);
	pt_asm_label(a, stop);
	pt_asm_imm(a, R0, 1);
	pt_asm_exit(a);
}

/* Function of loops: takes an element of the vector at S_ADDRESS, which has at most S_N. */
static void write_each_element(struct pt_asm *a, const struct pt_programs *p,
			       int function)
{
	bool strings = function == EACH_STRING;
	int stop = label(a);

	begin_function(a, function, stop);
	pull(a, R1, S_I);
	pull(a, R2, S_N);
	pt_asm_if(a, BPF_JGE, R1, R2, stop);
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, stop);
	fetch_element(a, p, strings, stop);
	load_fetch(a, R2, VECTOR, item);
	pull(a, R4, S_I);
	close_piece(a);
	end_function(a, stop);
}

/* The name and the control bytes of a msghdr, and its iovec as a vector. */
static void fetch_message(struct pt_asm *a, bool exit, int skip)
{
	enum { NAME = 0, NAME_LEN = 8, IOV = 16, IOV_LEN = 24, CONTROL = 32, CONTROL_LEN = 40 };

	load_fetch_register(a, R3, VECTOR, address_at);
	load_fetch(a, R4, VECTOR, unit);
	read_words(a, S_MESSAGE, 7, 8, skip);
	pull(a, R3, S_MESSAGE - NAME);
	pt_asm_pull(a, BPF_W, R5, S_MESSAGE - NAME_LEN);
	fetch_plain(a, PT_PIECE_NAME, MSG_NAME_MAX, exit);
	pull(a, R3, S_MESSAGE - CONTROL);
	pull(a, R5, S_MESSAGE - CONTROL_LEN);
	fetch_plain(a, PT_PIECE_CONTROL, MSG_CONTROL_MAX, exit);
	pull(a, R3, S_MESSAGE - IOV);
	push(a, S_ADDRESS, R3);
	pull(a, R5, S_MESSAGE - IOV_LEN);
	push(a, S_N, R5);
	/* the iovec itself, as a piece of the vector's argument */
	load_fetch(a, R4, VECTOR, unit);
	pt_asm_op(a, BPF_MUL, R5, R4);
	fetch_plain(a, PT_PIECE_IOVEC, IOVECS_MAX * 16, exit);
}

/* A piece after the others of a list: its end, and how many there were (S_I). */
static void close_list(struct pt_asm *a, size_t fetch, int full)
{
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, full);
	pt_asm_imm(a, R0, 0);
	load_fetch(a, R2, fetch, item);
	pt_asm_imm(a, R3, PT_PIECE_END);
	pull(a, R4, S_I);
	close_piece(a);
}

static void fetch_vector(struct pt_asm *a, bool exit)
{
	int done = label(a), message = label(a), iovecs = label(a);

	load_fetch(a, R1, VECTOR, kind);
	pt_asm_if_imm(a, BPF_JEQ, R1, PT_FETCH_NONE, done);
	if_due(a, VECTOR, exit, -1, done);
	load_fetch(a, R1, VECTOR, kind);
	pt_asm_if_imm(a, BPF_JEQ, R1, PT_FETCH_MESSAGE, message);
	load_fetch_register(a, R3, VECTOR, address_at);
	push(a, S_ADDRESS, R3);
	load_fetch_register(a, R3, VECTOR, count_at);
	push(a, S_N, R3);
	pt_asm_if_imm(a, BPF_JEQ, R1, PT_FETCH_IOVECS, iovecs);
	if (!exit) {			/* only exec has strings */
		pt_asm_imm(a, R1, PT_VECTOR_MAX);
		push(a, S_N, R1);
		loop(a, PT_VECTOR_MAX, EACH_STRING);
		close_list(a, VECTOR, done);
	}
	pt_asm_goto(a, done);
	pt_asm_label(a, message);
	fetch_message(a, exit, done);
	pt_asm_label(a, iovecs);
	loop(a, IOVECS_MAX, EACH_BUFFER);
	pt_asm_label(a, done);
}

/* How many pointers there are up to NULL (entry), or entries of a directory (exit). */
static void fetch_tally(struct pt_asm *a, bool exit)
{
	int done = label(a);

	load_fetch(a, R1, TALLY, kind);
	pt_asm_if_imm(a, BPF_JNE, R1, exit ? PT_FETCH_DIRENTS : PT_FETCH_POINTERS, done);
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, done);
	load_fetch_register(a, R3, TALLY, address_at);
	push(a, S_ADDRESS, R3);
	pt_asm_if_imm(a, BPF_JEQ, R3, 0, done);
	load_task(a, R1, sample.call.ret);
	pt_asm_op(a, BPF_ADD, R1, R3);
	push(a, S_N, R1);	/* the end of the entries */
	pt_asm_push_imm(a, BPF_DW, S_ELEMENT, 0);
	loop(a, TALLY_MAX, EACH_TALLIED);
	close_list(a, TALLY, done);
	pt_asm_label(a, done);
}

/* Function of loops: steps over a pointer or an entry at S_ADDRESS. */
static void write_each_tallied(struct pt_asm *a, bool exit)
{
	int stop = label(a);

	begin_function(a, EACH_TALLIED, stop);
	pull(a, R3, S_ADDRESS);
	if (exit) {
		pull(a, R2, S_N);
		pt_asm_if(a, BPF_JSGE, R3, R2, stop);
		load_fetch(a, R2, TALLY, unit);
		pt_asm_op(a, BPF_ADD, R3, R2);	/* d_reclen */
		read_user(a, S_ELEMENT, 2);
		pt_asm_if_imm(a, BPF_JNE, R0, 0, stop);
	} else {
		load_fetch(a, R4, TALLY, unit);
		read_words(a, S_ELEMENT, 1, 4, stop);
	}
	pull(a, R2, S_ELEMENT);
	pt_asm_if_imm(a, BPF_JEQ, R2, 0, stop);
	pull(a, R1, S_ADDRESS);
	if (!exit)
		load_fetch(a, R2, TALLY, unit);
	pt_asm_op(a, BPF_ADD, R1, R2);
	push(a, S_ADDRESS, R1);
	end_function(a, stop);
}

void pt_programs_fetch(struct pt_asm *a, const struct pt_programs *p, bool exit)
{
	int done = label(a), over = label(a);

	load_plan(a, R1, reads);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, over);		/* it reads nothing */
	for (int k = 0; k < PT_FETCHES; k++)
		fetch_one(a, k, exit, done);
	pt_asm_label(a, done);
	if (p->vectors)
		fetch_vector(a, exit);
	if (p->tallies)
		fetch_tally(a, exit);
	if (p->paths)
		pt_programs_paths(a, p, exit);
	pt_asm_label(a, over);
}

void pt_programs_functions(struct pt_asm *a, const struct pt_programs *p,
			   bool exit)
{
	if (p->vectors && !exit)
		write_each_element(a, p, EACH_STRING);
	if (p->vectors)
		write_each_element(a, p, EACH_BUFFER);
	if (p->tallies)
		write_each_tallied(a, exit);
}
