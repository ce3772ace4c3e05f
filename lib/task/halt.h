/* halt.h - the registers and the stack of a running thread, which is halted by ptrace while they
 * are copied.
 *
 *     if (pt_proc_list(pid, &tids, &nr, &e) < 0) ...
 *     for (i = 0; i < nr; i++) {
 *             rc = pt_halt_begin(&h, pid, tids[i], &e);       // 1 good, 0 it is gone, -1 e
 *             pt_halt_end(&h);
 *     }
 *     pt_halted_deinit(&h);
 *
 * If the copy is not enough (a signal handler on its own stack, more than 8 MB), the thread can be
 * held while it is unwound: pt_halt_read() reads its memory until pt_halt_end().
 *
 * Threads are halted one at a time. Signals that arrive meanwhile are delivered. If the tool ends,
 * the kernel releases the thread. A stopped thread stays stopped. The kernel restarts a blocking
 * system call, as after any debugger. Mapped files are never read, since their file system may
 * never answer. Registers are in perf's order, as in samples (unwind/arch.h). Source: ptrace(2),
 * arch/CPU/include/uapi/asm/ptrace.h. */
#ifndef PT_TASK_HALT_H
#define PT_TASK_HALT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_spaces;

struct pt_halted {
	uint64_t abi;
	uint64_t regs_mask, regs[64];	/* one value a bit of the mask, from regs[0] on */
	/* from the stack pointer to the end of its mapping, at most 8 MB; reused */
	uint8_t *stack;
	size_t stack_len, cap;
	/* the stack pointer is in a mapped file: nothing was copied */
	bool on_file;
	uint32_t pid, tid;		/* the thread that is held; tid 0: none */
	int sig;			/* to be delivered to it */
	struct pt_spaces *spaces;	/* where stacks end */
	uint64_t shared_device;		/* of memory that looks like a file; 0: not known yet */
};

/* -1: the thread cannot be read. e says why (gone, a zombie, a kernel thread, no permission) and
 * what would help. */
int pt_halt_check(uint32_t pid, struct pt_err *e);
int pt_halt_begin(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e);
bool pt_halt_read(void *halted, uint64_t addr, void *to, size_t len);
void pt_halt_end(struct pt_halted *h);
void pt_halted_deinit(struct pt_halted *h);
/* Halts a thread and lets it go at once, as pt_halt_begin() and pt_halt_end(), without a copy. */
int pt_halt_briefly(uint32_t tid, struct pt_err *e);

#endif
