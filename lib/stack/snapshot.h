/* snapshot.h - the stacks of a process's threads, now, as text in eu-stack's layout:
 *
 *     PID 4711 - process
 *     TID 4711:
 *     #0  0x00007f52c1a2b3c4 read - /usr/lib/libc.so.6
 *         [93ac61ec5a8eb1396f9fbd350e3169a558528a40]@0x7f52c1950000+0xdb3c4
 *         ../sysdeps/unix/sysv/linux/read.c:26
 *
 * " [inlined]" follows names of inlined frames. Threads are halted (task/halt.h) one by one while
 * their stack is copied; if the copy is not enough, again while they are unwound. Names and paths
 * are escaped. */
#ifndef PT_STACK_SNAPSHOT_H
#define PT_STACK_SNAPSHOT_H

#include "base/buf.h"
#include "stack/frames.h"

struct pt_snapshot_opts {
	bool modules, build_ids;
	/* Also asked; its stack is printed where it differs. NULL: none. */
	const struct pt_unwind_by *second;
	/* Asked before each thread; true: the rest is left out. NULL: never. */
	bool (*stop)(void *ctx);
	/* As in pt_frames_set_enough(). */
	bool (*enough)(void *ctx);
	void *ctx;			/* of stop and enough */
};

struct pt_snapshot;
struct pt_snapshot *pt_snapshot_new(const struct pt_frames_opts *f,
				    const struct pt_snapshot_opts *o);
void pt_snapshot_free(struct pt_snapshot *s);
/* Adds the stacks of a process, or of one thread (tid not 0). `notes`: lines a reader should know.
 * 0 good; 1 some threads are missing (notes say why); -1 e, nothing was added. */
int pt_snapshot_process(struct pt_snapshot *s, uint32_t pid, uint32_t tid, struct pt_buf *out,
			struct pt_buf *notes, struct pt_err *e);
/* Stacks compared by the second unwinder, and those that were the same. */
void pt_snapshot_agreement(const struct pt_snapshot *s, uint64_t *stacks, uint64_t *same);

#endif
