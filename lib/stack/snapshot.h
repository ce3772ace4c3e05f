/* snapshot.h - the stacks of a process's threads, now, as text in eu-stack's layout:
 *
 *     PID 4711 - process
 *     TID 4711:
 *     #0  0x00007f52c1a2b3c4 read - /usr/lib/libc.so.6
 *         [93ac61ec5a8eb1396f9fbd350e3169a558528a40]@0x7f52c1950000+0xdb3c4
 *         ../sysdeps/unix/sysv/linux/read.c:26
 *
 * Names of inlined frames are followed by " [inlined]". Threads are halted (task/halt.h) one at a
 * time while their stack is copied. If the copy is not enough, a thread is halted again and held
 * while it is unwound. Names are looked up while it runs. Names and paths are escaped. */
#ifndef PT_STACK_SNAPSHOT_H
#define PT_STACK_SNAPSHOT_H

#include "base/buf.h"
#include "stack/frames.h"

struct pt_snapshot_opts {
	bool modules, build_ids;
	/* Another unwinder, asked for the same registers and stack: where it says something else,
	 * that is printed as well. NULL: none. */
	const struct pt_unwind_by *second;
	/* Asked before each thread; true: this one and those after it are left out. NULL: none. */
	bool (*stop)(void *ctx);
	/* Asked while names are looked up: as in pt_frames_set_enough(). NULL: none. */
	bool (*enough)(void *ctx);
	void *ctx;			/* of stop and enough */
};

struct pt_snapshot;
struct pt_snapshot *pt_snapshot_new(const struct pt_frames_opts *f,
				    const struct pt_snapshot_opts *o);
void pt_snapshot_free(struct pt_snapshot *s);
/* Adds the stacks of a process; with tid not 0 of that thread only. `notes`: a line each of what a
 * reader should know (no newline in it). 0 good; 1 some threads could not be read, or were left out
 * (notes say why); -1 e, nothing could be, and nothing was added. */
int pt_snapshot_process(struct pt_snapshot *s, uint32_t pid, uint32_t tid, struct pt_buf *out,
			struct pt_buf *notes, struct pt_err *e);
/* With a second unwinder: how many stacks were compared, and how many were the same. */
void pt_snapshot_agreement(const struct pt_snapshot *s, uint64_t *stacks, uint64_t *same);

#endif
