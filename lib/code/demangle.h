/* demangle.h - C++ names as people write them, fast: one pass over the mangled name that writes straight into the buffer, no heap, no tree. What it is not certain of
 * it leaves to the library (names.c asks that then), and what it answers is what libiberty answers, byte for byte, its oddities included.
 *
 * Own code where a packaged library exists: libiberty takes 0.2 to 2 us a name, half of the time that it takes to list the functions of a large C++ program,
 * and whoever uses it cannot be faster than that. Most names of real programs need a small part of the grammar.
 *
 * Format: the Itanium C++ ABI, chapter "External Names (a.k.a. Mangling)". Left to the library: expressions beyond the address of a function, decltype, conversion
 * operators whose type is a parameter, inherited constructors, pointers to functions that return such, modules, concepts, and whatever else is rare; also what is longer than 1,000 bytes.
 * Untrusted: bounded in depth, steps and length. */
#ifndef PT_CODE_DEMANGLE_H
#define PT_CODE_DEMANGLE_H

#include <stdbool.h>

#include "base/buf.h"

/* Adds what the mangled name [s, end) is, which begins with "_Z"; *end can be read and is NUL or @. `params`: with the return type and the parameters of the function.
 * False: nothing was added, the library knows better. */
bool pt_demangle_fast(const char *s, const char *end, bool params, struct pt_buf *out);

#endif
