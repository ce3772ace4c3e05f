/* sums.h - system calls added up by name: how many, errors, time; a table as strace -c prints it,
 * with percentiles. Times are wall time of the calls in nanoseconds. */
#ifndef PT_SYSCALL_SUMS_H
#define PT_SYSCALL_SUMS_H

#include "base/buf.h"
#include "base/err.h"
#include "syscall/call.h"
#include "syscall/collect.h"

struct pt_sums;
struct pt_sums *pt_sums_new(void);
void pt_sums_free(struct pt_sums *s);
void pt_sums_add(struct pt_sums *s, const struct pt_call *c);
/* What the kernel added up. */
int pt_sums_collect(struct pt_sums *s, struct pt_collect *c, struct pt_err *e);
/* The greatest total first. Names by `calls`. */
void pt_sums_table(struct pt_sums *s, struct pt_calls *calls, struct pt_buf *out);

#endif
