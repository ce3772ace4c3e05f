/* names.h - C++ and Rust names as people write them: C++ by demangle.h where that knows the name, else through libiberty, in its callback form with a cap on length, since
 * the other one exits on trouble. Without parameters, as perf prints them: "std::vector<int>::push_back". */
#ifndef PT_CODE_NAMES_H
#define PT_CODE_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

/* Adds the demangled name; false (nothing added): it is no mangled name, or too long (64 KB) or deep a one. */
bool pt_demangle(const char *mangled, struct pt_buf *out);
/* The same with the parameters of C++: "std::vector<int>::push_back(int const&)". */
bool pt_demangle_params(const char *mangled, struct pt_buf *out);

#endif
