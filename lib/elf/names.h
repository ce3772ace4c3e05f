/* names.h - C++ and Rust names as the source has them, by libiberty's callbacks (its other
 * functions exit() when memory is out). Parameters are left out as in perf:
 * "std::vector<int>::push_back".
 *
 * Untrusted: a hundred bytes can stand for gigabytes of text or years of work. Bounded are the
 * lengths of name and text (64 KB), and what makes the work grow exponentially. */
#ifndef PT_ELF_NAMES_H
#define PT_ELF_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends the demangled name. False, and nothing: it is not mangled, or past a bound. */
bool pt_demangle(const char *mangled, struct pt_buf *out);
/* The same with parameters of C++: "std::vector<int>::push_back(int const&)". */
bool pt_demangle_params(const char *mangled, struct pt_buf *out);

#endif
