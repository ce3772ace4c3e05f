/* second.h - another unwinder behind pt_unwind()'s interface: libunwind, on the same registers and
 * memory. For second opinions (pt-stack --once --second-opinion) and as an oracle of tests; slow,
 * since nothing is kept from stack to stack. It knows code by .eh_frame_hdr only. Optional at
 * build: libunwind-generic by pkg-config.
 *
 * Frames come as from pt_unwind(); result->end is COMPLETE or NO_RULE, `guessed` and `missing` say
 * nothing. */
#ifndef PT_UNWIND_SECOND_H
#define PT_UNWIND_SECOND_H

#include "unwind/unwind.h"

/* NULL: this build is without one. *name: "libunwind". */
size_t (*pt_second_unwinder(const char **name))(const struct pt_arch *a,
						const struct pt_unwind_ops *ops, void *ctx,
						const struct pt_regs *regs, struct pt_frame *frames,
						size_t max, struct pt_unwind_result *result);

#endif
