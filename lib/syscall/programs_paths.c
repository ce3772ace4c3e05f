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

/* Reads to the stack what is at `off` of a pointer there to kernel memory; 0 if it cannot. */
static void read_from(struct pt_asm *a, int pointer, int off, int below, int bytes)
{
	pull(a, R3, pointer);
	pt_asm_op_imm(a, BPF_ADD, R3, off);
	read_to_stack(a, BPF_FUNC_probe_read_kernel, below, bytes);
}

/* P_WORD = the member at `off` of what a pointer on the stack points to. */
static void programs_paths_follow(struct pt_asm *a, int pointer, int off)
{
	read_from(a, pointer, off, P_WORD, 8);
}

/* A struct path in what P_WORD points to. */
static void read_path(struct pt_asm *a, int below, int off)
{
	read_from(a, P_WORD, off, below, 16);
}

/* P_AT = where the descriptor P_FD is; to `none` if it is closed. */
static void find_file(struct pt_asm *a, const struct pt_programs *p, int none)
{
	const struct pt_programs_kernel *k = &p->kernel;
	int open = label(a), found = label(a);

	pull(a, R1, P_FD);
	pt_asm_if_imm(a, BPF_JNE, R1, AT_FDCWD, open);
	programs_paths_follow(a, P_TASK, k->fs);
	read_path(a, P_AT, k->pwd);
	pt_asm_goto(a, found);
	pt_asm_label(a, open);
	programs_paths_follow(a, P_TASK, k->files);
	programs_paths_follow(a, P_WORD, k->fdt);
	pt_asm_push_imm(a, BPF_DW, P_PARENT, 0);
	read_from(a, P_WORD, k->max_fds, P_PARENT, 4);
	pull(a, R1, P_FD);
	pull(a, R2, P_PARENT);
	pt_asm_if(a, BPF_JGE, R1, R2, none);
	programs_paths_follow(a, P_WORD, k->fds);
	pull(a, R1, P_FD);
	pt_asm_op_imm(a, BPF_LSH, R1, 3);
	pull(a, R3, P_WORD);
	pt_asm_op(a, BPF_ADD, R3, R1);
	push(a, P_WORD, R3);
	programs_paths_follow(a, P_WORD, 0);
	pull(a, R1, P_WORD);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, none);
	read_path(a, P_AT, k->path);
	pt_asm_label(a, found);
}

/* P_FD = the descriptor that the plan has at `at`, if it is due; else to `none`. */
static void find_descriptor(struct pt_asm *a, size_t at, bool exit, int none)
{
	int known = label(a);

	load_register(a, R3, at + offsetof(struct pt_file_fetch, at));
	pt_asm_load(a, BPF_B, R4, PLAN, at + offsetof(struct pt_file_fetch, kind));
	if (!exit) {
		pt_asm_if_imm(a, BPF_JNE, R4, PT_FILE_ARG, none);
		/* an int */
		pt_asm_op_imm(a, BPF_LSH, R3, 32);
		pt_asm_op_imm(a, BPF_ARSH, R3, 32);
		push(a, P_FD, R3);
		return;
	}
	pt_asm_if_imm(a, BPF_JLE, R4, PT_FILE_ARG, none);
	load_task(a, R2, sample.call.ret);
	pt_asm_if_imm(a, BPF_JSLT, R2, 0, none);
	pt_asm_if_imm(a, BPF_JEQ, R4, PT_FILE_RESULT, known);
	pt_asm_op_imm(a, BPF_SUB, R4, PT_FILE_FIRST);
	pt_asm_op_imm(a, BPF_LSH, R4, 2);
	pt_asm_op(a, BPF_ADD, R3, R4);
	read_to_stack(a, BPF_FUNC_probe_read_user, P_WORD, 4);
	pt_asm_pull(a, BPF_W, R2, P_WORD);
	pt_asm_label(a, known);
	push(a, P_FD, R2);
}

static void fact(struct pt_asm *a, size_t at, int off, int bytes)
{
	read_from(a, P_WORD, off, P_FACTS - (int)at, bytes);
}

#define FACT(member) offsetof(struct pt_piece_file, member)
/* The piece with what is known of the file but its names. */
static void put_facts(struct pt_asm *a, const struct pt_programs *p, int item)
{
	const struct pt_programs_kernel *k = &p->kernel;

	pull(a, R1, P_FD);
	push(a, P_FACTS - (int)FACT(fd), R1);
	pt_asm_push_imm(a, BPF_DW, P_FACTS - (int)FACT(mode), 0);
	programs_paths_follow(a, P_AT - ENTRY, k->hash + 8);
	pull(a, R1, P_WORD);
	push(a, P_FACTS - (int)FACT(hashed), R1);
	programs_paths_follow(a, P_AT - ENTRY, k->inode);
	fact(a, FACT(ino), k->ino, 8);
	fact(a, FACT(mode), k->mode, 2);
	fact(a, FACT(dev), k->rdev, 4);
	programs_paths_follow(a, P_WORD, k->sb);
	fact(a, FACT(magic), k->magic, 8);
	piece_bytes(a);
	for (size_t at = 0; at < sizeof(struct pt_piece_file); at += 8) {
		pull(a, R2, P_FACTS - (int)at);
		pt_asm_store(a, BPF_DW, R1, at, R2);
	}
	pt_asm_imm(a, R0, sizeof(struct pt_piece_file));
	close_single(a, item, 0);
	store_task(a, len, LEN);
}

/* The piece with the name of the entry that P_AT is; P_FLAGS says whether it is a mount's root, and
 * P_PARENT is the entry above. To `stop` behind the root. */
static void programs_paths_put_name(struct pt_asm *a, const struct pt_programs *p, int item,
				    int stop)
{
	const struct pt_programs_kernel *k = &p->kernel;
	int within = label(a), root = label(a), plain = label(a);

	pull(a, R1, P_AT - ENTRY);
	pull(a, R2, P_ROOT - ENTRY);
	pt_asm_if(a, BPF_JNE, R1, R2, within);
	pull(a, R1, P_AT);
	pull(a, R2, P_ROOT);
	pt_asm_if(a, BPF_JEQ, R1, R2, stop);
	pt_asm_label(a, within);
	programs_paths_follow(a, P_AT, k->mount_root);
	read_from(a, P_AT - ENTRY, k->parent, P_PARENT, 8);
	pt_asm_imm(a, R4, 0);
	pull(a, R1, P_AT - ENTRY);
	pull(a, R2, P_PARENT);
	pt_asm_if(a, BPF_JEQ, R1, R2, root);
	pull(a, R2, P_WORD);
	pt_asm_if(a, BPF_JNE, R1, R2, plain);
	pt_asm_label(a, root);
	pt_asm_imm(a, R4, PT_PIECE_ROOT);
	pt_asm_label(a, plain);
	push(a, P_FLAGS, R4);
	programs_paths_follow(a, P_AT - ENTRY, k->name + ENTRY);
	piece_bytes(a);
	pt_asm_imm(a, R2, NAME_BYTES);
	pull(a, R3, P_WORD);
	pt_asm_call(a, BPF_FUNC_probe_read_kernel_str);
	pt_asm_if_imm(a, BPF_JSLE, R0, 0, stop);
	pt_asm_imm(a, R2, item);
	pull(a, R3, P_FLAGS);
	pull(a, R4, P_I);
	close_piece(a);
	store_task(a, len, LEN);
}

/* From the root of a mount to where it is mounted; to `stop` at the topmost. */
static void cross_mount(struct pt_asm *a, const struct pt_programs *p, int stop)
{
	const struct pt_programs_kernel *k = &p->kernel;

	programs_paths_follow(a, P_AT, k->mount_parent - k->mount);
	read_from(a, P_AT, k->mount_point - k->mount, P_AT - ENTRY, 8);
	pull(a, R1, P_AT);
	pull(a, R2, P_WORD);
	pt_asm_op_imm(a, BPF_ADD, R2, k->mount);
	pt_asm_if(a, BPF_JEQ, R1, R2, stop);
	push(a, P_AT, R2);
}

/* The loop reads LEN from memory each time, so that the verifier sees equal states. */
static void put_names(struct pt_asm *a, const struct pt_programs *p, int item, int stop)
{
	int loop = label(a), plain = label(a), next = label(a);

	pt_asm_push_imm(a, BPF_DW, P_I, 1);
	pt_asm_label(a, loop);
	load_len(a, PT_PIECES_START_MAX, stop);
	programs_paths_put_name(a, p, item, stop);
	pull(a, R1, P_FLAGS);
	pt_asm_if_imm(a, BPF_JEQ, R1, 0, plain);
	cross_mount(a, p, stop);
	pt_asm_goto(a, next);
	pt_asm_label(a, plain);
	pull(a, R1, P_PARENT);
	push(a, P_AT - ENTRY, R1);
	pt_asm_label(a, next);
	pull(a, R1, P_I);
	pt_asm_op_imm(a, BPF_ADD, R1, 1);
	push(a, P_I, R1);
	pt_asm_if_imm(a, BPF_JLE, R1, NAMES_MAX, loop);
}

void pt_programs_paths(struct pt_asm *a, const struct pt_programs *p, bool exit)
{
	int done = label(a);

	store_task(a, len, LEN);
	pt_asm_call(a, BPF_FUNC_get_current_task);
	push(a, P_TASK, R0);
	programs_paths_follow(a, P_TASK, p->kernel.fs);
	read_path(a, P_ROOT, p->kernel.root);
	for (int i = exit ? 0 : 1; i < PT_FILES; i++) {
		int next = label(a);

		load_len(a, PT_PIECES_START_MAX, done);
		find_descriptor(a, offsetof(struct pt_plan, files[i]), exit, next);
		find_file(a, p, next);
		put_facts(a, p, PT_PIECE_FILE + i + (exit ? PT_FILES : 0));
		put_names(a, p, PT_PIECE_FILE + i + (exit ? PT_FILES : 0), next);
		pt_asm_label(a, next);
	}
	pt_asm_label(a, done);
	load_len(a, PT_PIECES_BYTES, OUT);
}
