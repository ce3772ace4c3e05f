/* paths.h - the paths of descriptors, which the programs in the kernel read when a call happens
 * (programs_paths.c).
 *
 * A path is that of the descriptor's file at that time, from the root of its process. Text is
 * escaped as in C. */
#ifndef PT_SYSCALL_PATHS_H
#define PT_SYSCALL_PATHS_H

#include "base/buf.h"
#include "syscall/call.h"
#include "syscall/spec.h"

/* Asks for the paths of a call's descriptors, its arguments and its result. */
void pt_paths_plan(const struct pt_spec *s, struct pt_plan *plan);
/* Adds the path of a descriptor, an argument or the result, as strace -y has it: "</etc/passwd>",
 * "<socket:[4711]>"; nothing if it is not known. `devices`: as -yy, "</dev/null<char 1:3>>". */
void pt_paths_add(struct pt_buf *b, const struct pt_call *c, int fd, bool result, bool devices);
/* The call has the path as an argument, or a descriptor of it. */
bool pt_paths_has(const struct pt_call *c, const char *path);

#endif
