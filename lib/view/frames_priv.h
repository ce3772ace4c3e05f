/* frames_priv.h - what frames.c is made of: symbols of the kernel and of JIT compilers. */
#ifndef PT_VIEW_FRAMES_PRIV_H
#define PT_VIEW_FRAMES_PRIV_H

#include "code/symtab.h"
#include "record/source.h"

/* Kernel symbols: --kallsyms, --vmlinux, else /proc/kallsyms when the recording was made by the kernel that runs now (build-id of its notes). */
struct pt_kernel;
struct pt_kernel *pt_kernel_new(const char *kallsyms, const char *vmlinux, bool live);
void pt_kernel_free(struct pt_kernel *k);
void pt_kernel_feed(struct pt_kernel *k, const struct pt_source *s, const struct pt_record *rec);	/* MMAP of the kernel, KSYMBOL */
/* NULL: not known. *module: "[kernel.kallsyms]", or the module's name in brackets. */
const char *pt_kernel_name(struct pt_kernel *k, uint64_t addr, const char **module, uint64_t *offset);
bool pt_kernel_is_other(const struct pt_kernel *k);	/* the recording is of another kernel */

/* Symbols that a JIT compiler writes to /tmp/perf-PID.map as it goes: read on as the file grows, later entries win. */
struct pt_jit;
struct pt_jit *pt_jit_new(uint32_t pid, bool live);
void pt_jit_free(struct pt_jit *j);
const struct pt_symbol *pt_jit_find(struct pt_jit *j, uint64_t addr, uint64_t generation);

#endif
