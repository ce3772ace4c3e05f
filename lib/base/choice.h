/* choice.h - which of several symbols at one address names it: one rule for functions and variables
 * of programs (elf/symtab.c, elf/datasyms.c) and for the kernel's (base/ksyms.c).
 *
 * In this order: a symbol with a size; not weak; global; no alias that the kernel makes by a prefix
 * (__ia32_sys_read is the entry of 32-bit programs to __x64_sys_read, __pi_memcpy the copy of
 * memcpy for early start-up); fewer underscores in front; the longer name; the first one in
 * alphabetical order. But for the aliases these are perf's rules. Only the first 1,024 characters
 * are compared: a file may hold many long names that share their bytes. */
#ifndef PT_BASE_CHOICE_H
#define PT_BASE_CHOICE_H

#include <stdbool.h>

struct pt_choice {
	const char *name;
	bool sized, weak, global;
};

/* a is the better name. False for equal ones. */
bool pt_choice_better(const struct pt_choice *a, const struct pt_choice *b);

#endif
