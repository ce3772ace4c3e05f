/* kerneltypes.h - where members of the running kernel's structures are, and the type ids of its
 * tracepoints, from its BTF.
 *
 *     struct pt_kerneltype wanted[] = {
 *         { "task_struct", "pid", &pid_off },		// the offset in bytes
 *         { "sys_enter", NULL, &id },			// the typedef btf_trace_sys_enter
 *     };
 *     if (pt_kerneltypes_find(wanted, 2, e) < 0) ...	// there is no BTF, or it is damaged
 *     if (pid_off < 0) ...				// this kernel has no such member
 *
 * One pass over the BTF finds all of them. libbpf would copy and index its 5 MB first, which takes
 * ten times as long. Source of the format: Documentation/bpf/btf.rst, linux/btf.h. */
#ifndef PT_SYSCALL_KERNELTYPES_H
#define PT_SYSCALL_KERNELTYPES_H

#include <stddef.h>

#include "base/err.h"

struct pt_kerneltype {
	const char *name;		/* of a structure, or of a tracepoint */
	const char *member;		/* NULL: a tracepoint */
	int *value;			/* is set to -1 if there is none */
};

int pt_kerneltypes_find(const struct pt_kerneltype *wanted, size_t nr, struct pt_err *e);
/* The same in raw BTF of this machine's byte order, aligned to 4 bytes. */
int pt_kerneltypes_find_in(const void *btf, size_t len, const struct pt_kerneltype *wanted,
			   size_t nr, struct pt_err *e);

#endif
