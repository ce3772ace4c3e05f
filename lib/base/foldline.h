/* foldline.h - the end of a folded line, `frame;frame;frame COUNT` or `... BEFORE AFTER`
 * (man/pt-formats.5, "Folded stacks").
 *
 *     // len: without newline; becomes the length of the stack alone
 *     switch (pt_foldline(line, &len, v)) {
 *     case 2: before = v[0]; after = v[1]; ... case 1: count = v[0]; ... case 0: empty or a note (#
 *             ...); case -1: no folded line
 *
 * Counts are decimal, may have a point, and are below 1e15, so that sums stay exact enough; a line
 * with a larger one is none. */
#ifndef PT_BASE_FOLDLINE_H
#define PT_BASE_FOLDLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

int pt_foldline(const char *s, size_t *len, double v[2]);
/* The frames of a stack, from *s to end: each call gives the next one, without its `;`, and its
 * length; NULL: no more. An empty stack has one empty frame. */
const char *pt_foldline_frame(const char **s, const char *end, size_t *len);
/* A stack from elsewhere with control characters: *b becomes the same with `?` in their place.
 * False: there are none, *b is as it was. */
bool pt_foldline_clean(struct pt_buf *b, const char *s, size_t len);
/* A frame's name from `from` on: what a line may not hold becomes `?`, and `;` becomes `:`. */
void pt_foldline_name(struct pt_buf *b, size_t from);
/* The mark at the end of a frame's name, NAME_[k]: k kernel, j JIT, i inlined, w waker; 0: none. */
char pt_foldline_mark(const char *s, size_t len);
enum { PT_FOLDLINE_MARK_LEN = 4 };
/* The length of the address at s[at], 0x and hexadecimal digits; 0: none. matmul_10x16 has none. */
size_t pt_foldline_address(const char *s, size_t len, size_t at);
/* A count as such lines have it: whole ones without a point. */
void pt_foldline_count(struct pt_buf *b, double v);

#endif
