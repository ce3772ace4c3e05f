/* foldline.h - the end of a folded line, `frame;frame;frame COUNT` or `... BEFORE AFTER` (man/pt-formats.5, "Folded stacks").
 *
 *     switch (pt_foldline(line, &len, v)) {        // len: without newline; becomes the length of the stack alone
 *     case 2: before = v[0]; after = v[1]; ... case 1: count = v[0]; ... case 0: empty or a note (# ...); case -1: no folded line
 *
 * Counts are decimal, may have a point, and are below 1e15, so that sums stay exact enough; a line with a larger one is none. */
#ifndef PT_BASE_FOLDLINE_H
#define PT_BASE_FOLDLINE_H

#include <stddef.h>

#include "base/buf.h"

int pt_foldline(const char *s, size_t *len, double v[2]);
/* A count as such lines have it: whole ones without a point. */
void pt_foldline_count(struct pt_buf *b, double v);

#endif
