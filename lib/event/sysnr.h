/* sysnr.h - the numbers of system calls and their names, by machine as uname -m says it: a
 * recording may be another's. Source: the kernel's asm/unistd_64.h (x86_64) and
 * asm-generic/unistd.h (aarch64, riscv64, loongarch64). */
#ifndef PT_EVENT_SYSNR_H
#define PT_EVENT_SYSNR_H

#include <stdint.h>

/* "read"; NULL: unknown machine or number. */
const char *pt_sysnr_name(const char *arch, int64_t nr);
/* The number of a name, or of a number as text; -1: none. */
int64_t pt_sysnr_find(const char *arch, const char *name);

#endif
