/* kernel.h - functions of the kernel that runs, as places for kprobes: found in /proc/kallsyms,
 * checked against what may not be probed.
 *
 *     if (pt_kernel_funcs_find(&fs, "", "vfs_read", NULL, &e) < 0) ...
 *     for (i = 0; i < fs.nr; i++) pt_kernel_func_place(&fs, i, 0, &def, &e);
 *     pt_kernel_funcs_deinit(&fs);
 *
 * A place is given to the kernel as SYMBOL+OFFSET (in a module: MODULE:SYMBOL), which is valid
 * wherever the kernel was loaded. Newer kernels refuse a name that several functions share: such a
 * function is given by its distance from _stext, if addresses are not hidden (in a module: by its
 * distance from another function of the section).
 *
 * pt_kernel_place() is the same for a place in an image or in a module's file. Code that is gone
 * when the kernel is up (.init.text), and code that it lets nobody probe (entry code,
 * NOKPROBE_SYMBOL), is refused as far as the image tells. Source: kernel/trace/trace_kprobe.c,
 * kernel/kprobes.c (within_kprobe_blacklist), include/asm-generic/vmlinux.lds.h;
 * Documentation/trace/kprobes.rst for /sys/kernel/debug/kprobes/blacklist. */
#ifndef PT_PROBE_WHERE_KERNEL_H
#define PT_PROBE_WHERE_KERNEL_H

#include "probe/tracefs/def.h"
#include "probe/where/place.h"

struct pt_kernel_func {
	char *name, *module;		/* module NULL: the kernel itself */
	uint64_t addr;			/* 0: hidden */
	unsigned twins;			/* how many other functions have the same name */
};

struct pt_kernel_funcs {
	struct pt_kernel_func *v;
	size_t nr, cap;
	uint64_t stext;			/* 0: hidden */
	char *note;			/* to be shown to the user; NULL: none */
};

/* `root`: "", or for tests the folder that has proc and sys. `name`: exact, or a shell pattern.
 * `module` NULL: the kernel itself, else any module; "": only the kernel itself. -1: none; e names
 * similar ones. */
int pt_kernel_funcs_find(struct pt_kernel_funcs *fs, const char *root, const char *name,
			 const char *module, struct pt_err *e);
/* All functions whose names match (pattern NULL: all), by name, each once for a module. */
int pt_kernel_funcs_list(struct pt_kernel_funcs *fs, const char *pattern, const char *module,
			 struct pt_err *e);
void pt_kernel_funcs_deinit(struct pt_kernel_funcs *fs);

/* 0, or -1 if the kernel forbids to probe it (NOKPROBE_SYMBOL, entry code). A list that this user
 * cannot read forbids nothing. */
int pt_kernel_func_allowed(const char *root, const struct pt_kernel_func *f, struct pt_err *e);
/* Sets symbol and off of a kprobe. -1: it cannot be told apart from functions of the same name. */
int pt_kernel_func_place(const struct pt_kernel_funcs *fs, size_t i, uint64_t off,
			 struct pt_def *def, struct pt_err *e);
int pt_kernel_place(struct pt_target *t, const struct pt_place *p, struct pt_def *def,
		    struct pt_err *e);

#endif
