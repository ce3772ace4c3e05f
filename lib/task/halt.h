/* halt.h - the registers and the stack of a running thread, now: halted by ptrace for as long as
 * copying takes, then let go.
 *
 *     if (pt_halt_threads(pid, &tids, &nr, &e) < 0) ...
 *     for (i = 0; i < nr; i++)
 *             rc = pt_halt_copy(&h, pid, tids[i], &e);        // 1 good, 0 it is gone, -1 e
 *     pt_halted_deinit(&h);
 *
 * Where the copy does not do (a signal handler on a stack of its own, more than 8 MB), the thread
 * can be held while it is unwound:
 *
 *     // as pt_halt_copy(), but it stays halted
 *     rc = pt_halt_begin(&h, pid, tid, &e);
 *     ... pt_halt_read(&h, addr, to, len) ...
 *     pt_halt_end(&h);
 *
 * Threads are halted one at a time; a signal that comes meanwhile is delivered. Should the tool end
 * in between, the kernel lets go of the thread by itself. A thread that a signal has stopped stays
 * stopped. A system call that blocks is begun again by the kernel, as after any debugger. Only
 * memory is read, never a mapped file: its file system may never answer. Registers are in perf's
 * order, as samples have them (event/sampling.h): what unwinds samples unwinds these. Source:
 * ptrace(2), arch/CPU/include/uapi/asm/ptrace.h. */
#ifndef PT_TASK_HALT_H
#define PT_TASK_HALT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_spaces;

struct pt_halted {
	uint64_t abi;			/* PERF_SAMPLE_REGS_ABI_64, _32 */
	uint64_t regs_mask, regs[64];	/* one value a bit of the mask, from regs[0] on */
	/* from the stack pointer to the end of its mapping, at most 8 MB; kept from copy to copy */
	uint8_t *stack;
	size_t stack_len, cap;
	/* the stack pointer is in a mapped file: nothing was copied */
	bool on_file;
	uint32_t pid, tid;		/* the thread that is held; tid 0: none */
	int sig;			/* to be delivered to it */
	struct pt_spaces *spaces;	/* where stacks end */
	uint64_t shared_device;		/* of memory that looks like a file; 0: not known yet */
};

/* Ascending; free(*tids). */
int pt_halt_threads(uint32_t pid, uint32_t **tids, size_t *nr, struct pt_err *e);
/* The process of a thread; 0: there is no such thread. */
uint32_t pt_halt_process(uint32_t tid);
/* -1: there is nothing to be had, and why: it is gone, a zombie, a kernel thread, or may not be
 * read (with what would allow it). */
int pt_halt_check(uint32_t pid, struct pt_err *e);
int pt_halt_copy(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e);
int pt_halt_begin(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e);
bool pt_halt_read(void *halted, uint64_t addr, void *to, size_t len);
void pt_halt_end(struct pt_halted *h);
void pt_halted_deinit(struct pt_halted *h);

#endif
