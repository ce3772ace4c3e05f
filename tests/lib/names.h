/* names.h - what the library for C++ and Rust names (libiberty) says of a name, beside what pt's own reader of C++ names says. */
#ifndef PT_TEST_NAMES_H
#define PT_TEST_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

/* Adds libiberty's answer, Rust first; false: none. */
bool names_library(const char *mangled, bool params, struct pt_buf *out);

enum names_answer { NAMES_LEFT, NAMES_SAME, NAMES_DIFFERENT };
/* Asks both. `ours` and `theirs` are cleared first; NAMES_LEFT: pt leaves the name to the library. */
enum names_answer names_compare(const char *mangled, bool params, struct pt_buf *ours, struct pt_buf *theirs);

#endif
