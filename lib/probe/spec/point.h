/* point.h - the text that names a place to probe, taken apart; what it means in a program is
 * place.h's.
 *
 *     [[GROUP:]NAME=] FUNC [@FILE] [+OFF | :LINE | ;PATTERN | %return]
 *     [[GROUP:]NAME=] FILE:LINE  |  FILE;PATTERN  |  0xADDRESS
 *
 * FUNC: as in the source, or mangled; of C++ and Rust with as much of the namespaces as is wanted,
 * with or without parameters ("ns::Class::method(int)"), a symbol with its version
 * ("memcpy@GLIBC_2.14", "@@" too), "NAME@plt"; a shell pattern stands for all that match. FILE: a
 * path or the end of one. LINE counts from the function's first line (0: where its name stands), or
 * is the file's. OFF and ADDRESS: decimal, or hexadecimal with 0x. PATTERN: a shell pattern, blanks
 * ignored, of a source line's text. Errors have two lines more: the text, and a caret below what is
 * wrong. */
#ifndef PT_PROBE_SPEC_POINT_H
#define PT_PROBE_SPEC_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_point {
	char *text;			/* all of it */
	char *group, *name;		/* NULL: not given */
	/* NULL: a place in a file, or an address. With a line or pattern it may also be a file:
	 * main.main:3 of Go, main.c:3 */
	char *func;
	/* of FUNC@FILE, or the text before :LINE if it has a slash; NULL: not given */
	char *file;
	/* all of FUNC@FILE, which may be a symbol with its version; NULL: without @ */
	char *versioned;
	char *pattern;
	uint64_t off, addr;
	uint32_t line;
	bool has_off, has_line, has_addr, ret;
	/* their places in the text, for carets */
	unsigned at_func, at_file, at_off, at_line, at_pattern;
};

int pt_point_parse(struct pt_point *p, const char *text, struct pt_err *e);
/* The length of the point in "POINT ARG ARG": up to the first blank that is not within the name, as
 * in "two<int, long>", "f(int, char) const", "operator new", "C::operator unsigned long". */
size_t pt_point_len(const char *text);
void pt_point_deinit(struct pt_point *p);
/* Sets the message of e with its two lines; -1. `at`: one of the at_... members. */
int pt_point_wrong(const struct pt_point *p, unsigned at, struct pt_err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds the two lines to the message of e; -1. */
int pt_point_caret(const struct pt_point *p, unsigned at, struct pt_err *e);
/* True if `func` is a shell pattern (names of C++ operators are not). */
bool pt_point_is_glob(const char *func);

#endif
