/* flags.h - names of flags and constants of system calls. The tables are made at build from the
 * headers of the system (flags.def names the constants). */
#ifndef PT_SYSCALL_FLAGS_H
#define PT_SYSCALL_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pt_flag { const char *name; uint64_t value; };
struct pt_flag_table;

/* A table of flags.def; NULL: there is none of that name. */
const struct pt_flag_table *pt_flags_table(const char *name);

/* Adds the name of a value; if it has none, the number and the kind of name it might have. */
void pt_flags_constant(struct pt_buf *b, const struct pt_flag_table *t, uint64_t value);
/* Adds the names of the bits with | in between, what has none as one number. 0 is "0". */
void pt_flags_bits(struct pt_buf *b, const struct pt_flag_table *t, uint64_t value);
/* NULL: it has no name. */
const char *pt_flags_name(const struct pt_flag_table *t, uint64_t value);

#endif
