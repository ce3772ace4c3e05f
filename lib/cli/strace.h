/* strace.h - options of strace that mean something else in pt, or nothing: what to write
 * instead. */
#ifndef PT_CLI_STRACE_H
#define PT_CLI_STRACE_H

#include "cli/opt.h"

/* A group without a struct; nothing of it is shown in --help. */
extern const struct pt_opt pt_opts_strace[];
/* What a letter of pt's that has another meaning in strace is for those who want the latter; NULL:
 * nothing. */
const char *pt_strace_hint(char letter);
/* Ends the process where an operand is the argument of strace's `-a 60` or `-S calls`, which have
 * none here. `all_cpus`, `sums`: -a, -S were given. */
void pt_strace_check(const struct pt_tool *tool, bool all_cpus, bool sums,
		     const struct pt_operands *operands);

#endif
