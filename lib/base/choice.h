/* choice.h - decides which of several symbols at one address gives the name. The rule is the same
 * for functions and variables of programs (elf/symtab.c) and of the kernel
 * (base/ksyms.c).
 *
 * The better symbol has a size; is not weak; is global; is not an alias that the kernel marks by a
 * prefix (__ia32_sys_read enters __x64_sys_read from 32-bit programs, __pi_memcpy is the memcpy of
 * early start-up); has fewer leading underscores; has the longer name; comes first in alphabetical
 * order. The first difference in this list decides. Except for the aliases these are perf's rules.
 * Only the first 1,024 characters are compared, since a hostile file may have many long names that
 * share their bytes. */
#ifndef PT_BASE_CHOICE_H
#define PT_BASE_CHOICE_H

#include <stdbool.h>

struct pt_choice {
	const char *name;
	bool sized, weak, global;
};

/* True if a is the better name; false if both are equal. */
bool pt_choice_better(const struct pt_choice *a, const struct pt_choice *b);

#endif
