/* names.h - C++ and Rust names as the source has them, by libiberty. Uses its callback form: the
 * other one calls exit() when memory is out. Parameters are left out by default, as perf prints
 * names: "std::vector<int>::push_back".
 *
 * Untrusted: a name of a hundred bytes can stand for gigabytes of text or years of work. Bounded
 * are the length of the name and of the text (64 KB), and what makes libiberty's work grow
 * exponentially. */
#ifndef PT_ELF_NAMES_H
#define PT_ELF_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

/* Adds the demangled name. Returns false, and adds nothing, if the name is not mangled or past a
 * bound. */
bool pt_demangle(const char *mangled, struct pt_buf *out);
/* The same with the parameters of C++: "std::vector<int>::push_back(int const&)". */
bool pt_demangle_params(const char *mangled, struct pt_buf *out);

#endif
