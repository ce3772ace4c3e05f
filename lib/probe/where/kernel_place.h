/* kernel_place.h - a place in a kernel's image or in a module's file, as the kernel is told it:
 * SYMBOL+OFFSET, which holds wherever this boot has put the code.
 *
 * A name that several functions have, which kernels refuse or take for another one, is avoided:
 * places in the kernel are told by their distance from _stext then, those in a module by the
 * distance from another function of the same section. Code that is gone when it is up (.init.text),
 * and code that kernels let nobody probe (entry code, NOKPROBE_SYMBOL) are refused here, as far as
 * the image tells. Source: kernel/kprobes.c (within_kprobe_blacklist),
 * include/asm-generic/vmlinux.lds.h; Documentation/trace/kprobetrace.rst. */
#ifndef PT_PROBE_WHERE_KERNEL_PLACE_H
#define PT_PROBE_WHERE_KERNEL_PLACE_H

#include "probe/tracefs/def.h"
#include "probe/where/place.h"

/* Sets symbol and off of a definition. -1: it cannot be probed or expressed; e says why. */
int pt_kernel_place(struct pt_target *t, const struct pt_place *p, struct pt_def *def,
		    struct pt_err *e);

#endif
