/* plans.h - what the programs in the kernel collect of each call: which calls are wanted, and which
 * of their arguments' memory is copied. */
#ifndef PT_SYSCALL_PLANS_H
#define PT_SYSCALL_PLANS_H

#include "syscall/call.h"
#include "syscall/filter.h"

/* `text_max`: bytes of each string; `paths`: of descriptors, too. */
void pt_plans_make(struct pt_plan plans[PT_CALL_SLOTS], struct pt_calls *calls,
		   const struct pt_call_filter *f, uint16_t text_max, bool paths);

#endif
