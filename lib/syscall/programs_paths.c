/* The paths of descriptors, as the kernel's own directory entries give them when the call happens:
 * from the entry of the file to the task's root, across mounts. Source of the walk: prepend_path()
 * in the kernel's fs/d_path.c. */
#include <errno.h>
#include <fcntl.h>

#include "syscall/programs_priv.h"

enum {
	P_FILE = S_PATHS + 8,		/* index into plan.files */
	P_I = S_PATHS + 16,		/* index of the name */
	P_FD = S_PATHS + 24,
	P_ITEM = S_PATHS + 32,
	P_FLAGS = S_PATHS + 40,
	P_TASK = S_PATHS + 48,		/* struct task_struct * */
	P_ROOT = S_PATHS + 64,		/* struct path: mount, then entry */
	P_AT = S_PATHS + 80,		/* the same, of what is walked */
	P_PARENT = S_PATHS + 88,
	P_WORD = S_PATHS + 96,
	P_FACTS = S_PATHS + 96 + sizeof(struct pt_piece_file),
};
enum { ENTRY = 8 };			/* of struct path, and of the name in struct qstr */
enum { NAMES_MAX = 32, NAME_BYTES = 256 };

/* Reads kernel memory at R3 to the stack; 0 if it cannot be read. */
static void read_word(struct pt_asm *a, int below, int bytes)
{
	pt_asm_stack(a, R1, below);
	pt_asm_imm(a, R2, bytes);
	pt_asm_call(a, BPF_FUNC_probe_read_kernel);
}

/* The member at `off` of what P_WORD points to, in its place. */
static void follow(struct pt_asm *a, int off)
{
	pt_asm_pull(a, BPF_DW, R3, P_WORD);
	pt_asm_op_imm(a, BPF_ADD, R3, off);
	read_word(a, P_WORD, 8);
}

static void follow_from(struct pt_asm *a, int pointer, int off)
{
	pt_asm_pull(a, BPF_DW, R3, pointer);
	pt_asm_op_imm(a, BPF_ADD, R3, off);
	read_word(a, P_WORD, 8);
}

/* A struct path in what P_WORD points to. */
static void read_path(struct pt_asm *a, int below, int off)
{
	pt_asm_pull(a, BPF_DW, R3, P_WORD);
	pt_asm_op_imm(a, BPF_ADD, R3, off);
	read_word(a, below, 16);
}

/* P_AT = where the descriptor P_FD is; to `none` if it is closed. */
static void find_file(struct pt_asm *a, const struct pt_programs *p, struct labels *l, int none)
{
	const struct pt_programs_kernel *k = &p->kernel;
	int open = label(l), found = label(l);

	pt_asm_pull(a, BPF_DW, R1, P_FD);
	pt_asm_if_imm(a, BPF_JNE, R1, AT_FDCWD, open);
	follow_from(a, P_TASK, k->fs);
	read_path(a, P_AT, k->pwd);
	pt_asm_goto(a, found);
	pt_asm_label(a, open);
	follow_from(a, P_TASK, k->files);
	follow(a, k->fdt);
	pt_asm_pull(a, BPF_DW, R3, P_WORD);
	pt_asm_op_imm(a, BPF_ADD, R3, k->max_fds);
	pt_asm_push_imm(a, BPF_DW, P_PARENT, 0);
	read_word(a, P_PARENT, 4);
	pt_asm_pull(a, BPF_DW, R1, P_FD);
	pt_asm_pull(a, BPF_DW, R2, P_PARENT);
	pt_asm_if(a, BPF_JGE, R1, R2, none);
	follow(a, k->fds);
	pt_asm_pull(a, BPF_DW, R1, P_FD);
	pt_asm_op_imm(a, BPF_LSH, R1, 3);
	pt_asm_pull(a, BPF_DW, R3, P_WORD);
	pt_asm_op(a, BPF_ADD, R3, R1);
	read_word(a, P_WORD, 8);
	pt_asm_pull(a, BPF_DW, R1, P_WORD);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, none);
	read_path(a, P_AT, k->path);
	pt_asm_label(a, found);
}

/* P_FD and P_ITEM of the descriptor at R1 in the plan, if it is due; else to `none`. */
static void find_descriptor(struct pt_asm *a, struct labels *l, bool exit, int none)
{
	int known = label(l), result = label(l);

	pt_asm_load(a, BPF_B, R4, R1, 0);
	pt_asm_load(a, BPF_B, R2, R1, offsetof(struct pt_file_fetch, at));
	pt_asm_op_imm(a, BPF_AND, R2, 0x78);
	pt_asm_move(a, R3, TASK);
	pt_asm_op(a, BPF_ADD, R3, R2);
	pt_asm_load(a, BPF_DW, R3, R3, CALL(regs));
	if (!exit) {
		pt_asm_if_imm(a, BPF_JNE, R4, PT_FILE_ARG, none);
		/* an int */
		pt_asm_op_imm(a, BPF_LSH, R3, 32);
		pt_asm_op_imm(a, BPF_ARSH, R3, 32);
		pt_asm_push(a, BPF_DW, P_FD, R3);
		return;
	}
	pt_asm_if_imm(a, BPF_JLE, R4, PT_FILE_ARG, none);
	pt_asm_load(a, BPF_DW, R2, TASK, CALL(ret));
	pt_asm_if_imm(a, BPF_JSLT, R2, 0, none);
	pt_asm_if_imm(a, BPF_JEQ, R4, PT_FILE_RESULT, result);
	pt_asm_op_imm(a, BPF_SUB, R4, PT_FILE_FIRST);
	pt_asm_op_imm(a, BPF_LSH, R4, 2);
	pt_asm_op(a, BPF_ADD, R3, R4);
	pt_asm_stack(a, R1, P_WORD);
	pt_asm_imm(a, R2, 4);
	pt_asm_call(a, BPF_FUNC_probe_read_user);
	pt_asm_pull(a, BPF_W, R2, P_WORD);
	pt_asm_goto(a, known);
	pt_asm_label(a, result);
	pt_asm_label(a, known);
	pt_asm_push(a, BPF_DW, P_FD, R2);
}

/* A word of the facts from kernel memory at `pointer` + off. */
static void fact(struct pt_asm *a, size_t at, int off, int bytes)
{
	pt_asm_pull(a, BPF_DW, R3, P_WORD);
	pt_asm_op_imm(a, BPF_ADD, R3, off);
	read_word(a, P_FACTS - (int)at, bytes);
}

#define FACT(member) offsetof(struct pt_piece_file, member)
/* The piece with what is known of the file but its names. */
static void put_facts(struct pt_asm *a, const struct pt_programs *p)
{
	const struct pt_programs_kernel *k = &p->kernel;

	pt_asm_pull(a, BPF_DW, R1, P_FD);
	pt_asm_push(a, BPF_DW, P_FACTS - (int)FACT(fd), R1);
	pt_asm_push_imm(a, BPF_DW, P_FACTS - (int)FACT(mode), 0);
	follow_from(a, P_AT - ENTRY, k->hash + 8);
	pt_asm_pull(a, BPF_DW, R1, P_WORD);
	pt_asm_push(a, BPF_DW, P_FACTS - (int)FACT(hashed), R1);
	follow_from(a, P_AT - ENTRY, k->inode);
	fact(a, FACT(ino), k->ino, 8);
	fact(a, FACT(mode), k->mode, 2);
	fact(a, FACT(dev), k->rdev, 4);
	follow(a, k->sb);
	fact(a, FACT(magic), k->magic, 8);
	piece_bytes(a);
	for (size_t at = 0; at < sizeof(struct pt_piece_file); at += 8) {
		pt_asm_pull(a, BPF_DW, R2, P_FACTS - (int)at);
		pt_asm_store(a, BPF_DW, R1, at, R2);
	}
	pt_asm_imm(a, R0, sizeof(struct pt_piece_file));
	pt_asm_pull(a, BPF_DW, R2, P_ITEM);
	pt_asm_imm(a, R3, 0);
	pt_asm_imm(a, R4, 0);
	close_piece(a);
	pt_asm_store(a, BPF_W, TASK, AT(len), LEN);
}

/* The piece with the name of the entry that P_AT is; P_FLAGS says whether it is a mount's root, and
 * P_PARENT is the entry above. To `stop` behind the root. */
static void put_name(struct pt_asm *a, const struct pt_programs *p, struct labels *l, int stop)
{
	const struct pt_programs_kernel *k = &p->kernel;
	int within = label(l), root = label(l), plain = label(l);

	pt_asm_pull(a, BPF_DW, R1, P_AT - ENTRY);
	pt_asm_pull(a, BPF_DW, R2, P_ROOT - ENTRY);
	pt_asm_if(a, BPF_JNE, R1, R2, within);
	pt_asm_pull(a, BPF_DW, R1, P_AT);
	pt_asm_pull(a, BPF_DW, R2, P_ROOT);
	pt_asm_if(a, BPF_JEQ, R1, R2, stop);
	pt_asm_label(a, within);
	follow_from(a, P_AT, k->mount_root);
	pt_asm_pull(a, BPF_DW, R3, P_AT - ENTRY);
	pt_asm_op_imm(a, BPF_ADD, R3, k->parent);
	read_word(a, P_PARENT, 8);
	pt_asm_imm(a, R4, 0);
	pt_asm_pull(a, BPF_DW, R1, P_AT - ENTRY);
	pt_asm_pull(a, BPF_DW, R2, P_PARENT);
	pt_asm_if(a, BPF_JEQ, R1, R2, root);
	pt_asm_pull(a, BPF_DW, R2, P_WORD);
	pt_asm_if(a, BPF_JNE, R1, R2, plain);
	pt_asm_label(a, root);
	pt_asm_imm(a, R4, PT_PIECE_ROOT);
	pt_asm_label(a, plain);
	pt_asm_push(a, BPF_DW, P_FLAGS, R4);
	follow_from(a, P_AT - ENTRY, k->name + ENTRY);
	piece_bytes(a);
	pt_asm_imm(a, R2, NAME_BYTES);
	pt_asm_pull(a, BPF_DW, R3, P_WORD);
	pt_asm_call(a, BPF_FUNC_probe_read_kernel_str);
	pt_asm_if_imm(a, BPF_JSLE, R0, 0, stop);
	pt_asm_pull(a, BPF_DW, R2, P_ITEM);
	pt_asm_pull(a, BPF_DW, R3, P_FLAGS);
	pt_asm_pull(a, BPF_DW, R4, P_I);
	close_piece(a);
	pt_asm_store(a, BPF_W, TASK, AT(len), LEN);
}

/* From the root of a mount to where it is mounted; to `stop` at the topmost. */
static void cross_mount(struct pt_asm *a, const struct pt_programs *p, int stop)
{
	const struct pt_programs_kernel *k = &p->kernel;

	follow_from(a, P_AT, k->mount_parent - k->mount);
	pt_asm_pull(a, BPF_DW, R3, P_AT);
	pt_asm_op_imm(a, BPF_ADD, R3, k->mount_point - k->mount);
	read_word(a, P_AT - ENTRY, 8);
	pt_asm_pull(a, BPF_DW, R1, P_AT);
	pt_asm_pull(a, BPF_DW, R2, P_WORD);
	pt_asm_op_imm(a, BPF_ADD, R2, k->mount);
	pt_asm_if(a, BPF_JEQ, R1, R2, stop);
	pt_asm_push(a, BPF_DW, P_AT, R2);
}

/* The loop reads LEN from memory each time, so that the verifier sees equal states. */
static void put_names(struct pt_asm *a, const struct pt_programs *p, struct labels *l, int stop)
{
	int loop = label(l), plain = label(l), next = label(l);

	pt_asm_push_imm(a, BPF_DW, P_I, 1);
	pt_asm_label(a, loop);
	pt_asm_load(a, BPF_W, LEN, TASK, AT(len));
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, stop);
	put_name(a, p, l, stop);
	pt_asm_pull(a, BPF_DW, R1, P_FLAGS);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, plain);
	cross_mount(a, p, stop);
	pt_asm_goto(a, next);
	pt_asm_label(a, plain);
	pt_asm_pull(a, BPF_DW, R1, P_PARENT);
	pt_asm_push(a, BPF_DW, P_AT - ENTRY, R1);
	pt_asm_label(a, next);
	pt_asm_pull(a, BPF_DW, R1, P_I);
	pt_asm_op_imm(a, BPF_ADD, R1, 1);
	pt_asm_push(a, BPF_DW, P_I, R1);
	pt_asm_if_imm(a, BPF_JLE, R1, NAMES_MAX, loop);
}

void pt_programs_paths(struct pt_asm *a, const struct pt_programs *p, struct labels *l, bool exit)
{
	int done = label(l);

	pt_asm_store(a, BPF_W, TASK, AT(len), LEN);
	pt_asm_call(a, BPF_FUNC_get_current_task);
	pt_asm_push(a, BPF_DW, P_TASK, R0);
	follow_from(a, P_TASK, p->kernel.fs);
	read_path(a, P_ROOT, p->kernel.root);
	for (size_t i = 0; i < PT_FILES; i++) {
		int next = label(l);

		pt_asm_load(a, BPF_W, LEN, TASK, AT(len));
		pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_START_MAX, done);
		pt_asm_move(a, R1, PLAN);
		pt_asm_op_imm(a, BPF_ADD, R1,
			      (int)(offsetof(struct pt_plan, files) +
				    i * sizeof(struct pt_file_fetch)));
		find_descriptor(a, l, exit, next);
		pt_asm_push_imm(a, BPF_DW, P_ITEM, PT_PIECE_FILE + (int)i + (exit ? PT_FILES : 0));
		find_file(a, p, l, next);
		put_facts(a, p);
		put_names(a, p, l, next);
		pt_asm_label(a, next);
	}
	pt_asm_label(a, done);
	pt_asm_load(a, BPF_W, LEN, TASK, AT(len));
	pt_asm_if_imm(a, BPF_JGT, LEN, PT_PIECES_BYTES, OUT);
}
