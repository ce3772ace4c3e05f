/* unwind.h - from registers and stack bytes to the return addresses of a call stack. Pure: it reads
 * what the caller's two functions give, and knows neither processes nor recordings.
 *
 *     static const struct pt_unwind_ops ops = { .find = ..., .read = ... };
 *     struct pt_unwinder *u = pt_unwinder_new();                       // caches rows; one a thread
 *     n = pt_unwind(u, &pt_arch_x86_64, &ops, ctx, &regs, frames, PT_NR(frames), &end);
 *
 * Frames come innermost first. CFI leads wherever an FDE covers the pc; code without (JIT,
 * trampolines, hand-written assembly) is passed by its frame pointer, which is checked before it is
 * believed, and the stack is then marked as guessed. Return addresses are looked up at pc - 1, but
 * for the innermost frame, the one that a signal interrupted, and the trampoline to which a
 * signal's handler returns. */
#ifndef PT_UNWIND_UNWIND_H
#define PT_UNWIND_UNWIND_H

#include "unwind/arch.h"
#include "elf/object.h"

struct pt_place {			/* what lies at an address */
	struct pt_object *object;	/* NULL: no file, or one that cannot be read */
	uint64_t bias;			/* addr - vaddr */
	bool exec;
	const void *user;		/* the finder's own, handed through */
	/* the same holds at [start, end), as long as one stack is unwound; start == end: at addr
	 * alone */
	uint64_t start, end;
};

struct pt_unwind_ops {
	/* The mapping at addr; false: none that is known. */
	bool (*find)(void *ctx, uint64_t addr, struct pt_place *p);
	/* `len` bytes (at most 8) of the process's memory at addr; false: not known. */
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
	PT_UNWIND_DEPTH,		/* there was no room for more frames */
	/* the memory that the next frame needs was not recorded: the stack copy was too short */
	PT_UNWIND_STACK,
	/* a pc without mapping, or a return address that is no code */
	PT_UNWIND_NO_CODE,
	PT_UNWIND_NO_RULE,		/* no CFI there and no frame pointer to believe */
	PT_UNWIND_LOOP,			/* the stack did not go up */
	PT_UNWIND_NR
};

struct pt_unwind_result {
	enum pt_unwind_end end;
	/* a frame was found by frame pointer, where there was no CFI */
	bool guessed;
	uint64_t missing;		/* STACK: the address that could not be read */
};

/* The memory that is missing is so far from where the stack copy began that no copy reaches it (the
 * kernel's go up to 65528 bytes): the stack goes on elsewhere, as behind a signal's handler that
 * runs on a stack of its own. */
static inline bool pt_unwind_goes_elsewhere(const struct pt_unwind_result *r, uint64_t stack_addr)
{
	return r->end == PT_UNWIND_STACK && r->missing - stack_addr >= 65528;	/* also below it */
}

struct pt_unwinder;
struct pt_unwinder *pt_unwinder_new(void);
void pt_unwinder_free(struct pt_unwinder *u);
/* A pointer of the caller's beside the cached row of a frame that was just unwound: NULL in it
 * until set, and again when the row had to give way. Returns NULL when it did already. */
void **pt_unwinder_memo(struct pt_unwinder *u, const struct pt_object *o, uint64_t vaddr);
size_t pt_unwind(struct pt_unwinder *u, const struct pt_arch *a, const struct pt_unwind_ops *ops,
		 void *ctx, const struct pt_regs *regs, struct pt_frame *frames, size_t max,
		 struct pt_unwind_result *result);

/* A DWARF expression (section 2.5 of DWARF 5) on registers and memory; false when it cannot be
 * computed. `cfa` is pushed first when `push`. */
bool pt_expr_eval(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx,
		  const struct pt_regs *regs, struct pt_expr x, bool push, uint64_t cfa,
		  uint64_t *v);

#endif
