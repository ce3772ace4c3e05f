/* unwind.h - from registers and stack bytes to the return addresses of a call stack. Pure: it reads
 * only through the caller's two functions.
 *
 *     static const struct pt_unwind_ops ops = { .find = ..., .read = ... };
 *     struct pt_unwinder *u = pt_unwinder_new();     // caches rows; one a thread
 *     n = pt_unwind(u, &pt_arch_x86_64, &ops, ctx, &regs, frames, PT_NR(frames), &end);
 *
 * Frames come innermost first, by CFI where an FDE covers the pc. Code without (JIT, trampolines,
 * hand-written assembly) is unwound by its frame pointer, with checks, and the stack marked as
 * guessed. Return addresses are looked up at pc - 1; the innermost frame, an interrupted frame, and
 * the trampoline to which a signal handler returns at pc itself. */
#ifndef PT_UNWIND_UNWIND_H
#define PT_UNWIND_UNWIND_H

#include "unwind/arch.h"
#include "elf/object.h"

struct pt_place {			/* the mapping at an address */
	struct pt_object *object;	/* NULL: no file, or an unreadable one */
	uint64_t bias;			/* addr - vaddr */
	bool exec;
	const void *user;		/* passed through for the caller */
	/* The answer is for [start, end) within one stack; start == end: for addr only. */
	uint64_t start, end;
};

struct pt_unwind_ops {
	/* False: none is known. */
	bool (*find)(void *ctx, uint64_t addr, struct pt_place *p);
	/* `len`: at most 8. False: unknown. */
	bool (*read)(void *ctx, uint64_t addr, void *to, size_t len);
};

struct pt_frame {
	uint64_t ip;			/* as on the stack */
	uint64_t pc;			/* to look up: ip, or ip - 1 */
	struct pt_object *object;	/* at pc; NULL: none. Not a reference */
	uint64_t vaddr;			/* of pc in the object */
	const void *user;		/* struct pt_place's */
};

enum pt_unwind_end {
	/* the outermost frame was reached: its return address is undefined or 0 */
	PT_UNWIND_COMPLETE,
	PT_UNWIND_DEPTH,		/* the array of frames is full */
	/* the next frame needs memory that was not recorded: the stack copy is too short */
	PT_UNWIND_STACK,
	/* the pc is not mapped, or a return address is not in code */
	PT_UNWIND_NO_CODE,
	PT_UNWIND_NO_RULE,		/* no CFI, and no plausible frame pointer */
	PT_UNWIND_LOOP,			/* the stack did not go up */
	PT_UNWIND_NR
};

struct pt_unwind_result {
	enum pt_unwind_end end;
	/* at least one frame was found without CFI */
	bool guessed;
	uint64_t missing;		/* STACK: the address that could not be read */
};

enum { PT_UNWIND_MAX_COPY = 65528 };	/* bytes, the kernel's limit */

/* True: the missing memory is farther from the copy's start than any copy reaches.
 * The stack goes on elsewhere, for example below a signal handler on its own stack. */
static inline bool pt_unwind_goes_elsewhere(const struct pt_unwind_result *r, uint64_t stack_addr)
{
	/* wraps when it is below */
	return r->end == PT_UNWIND_STACK && r->missing - stack_addr >= PT_UNWIND_MAX_COPY;
}

struct pt_unwinder;
struct pt_unwinder *pt_unwinder_new(void);
void pt_unwinder_free(struct pt_unwinder *u);
size_t pt_unwind(struct pt_unwinder *u, const struct pt_arch *a, const struct pt_unwind_ops *ops,
		 void *ctx, const struct pt_regs *regs, struct pt_frame *frames, size_t max,
		 struct pt_unwind_result *result);

/* For second opinions. */
struct pt_unwind_by {
	const char *name;
	size_t (*unwind)(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx,
			 const struct pt_regs *regs, struct pt_frame *frames, size_t max,
			 struct pt_unwind_result *result);
};

/* A DWARF expression (DWARF 5, section 2.5); `push`: cfa first. False: it cannot be computed. */
bool pt_expr_eval(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx,
		  const struct pt_regs *regs, struct pt_expr x, bool push, uint64_t cfa,
		  uint64_t *v);

#endif
