/* sorttext.h - sorts many strings by their bytes, as strcmp() compares them: eight bytes at a time as one number, by sort16.h; only where those are equal the next eight.
 * Names of C++ begin alike for long, so that to compare them two by two takes three times as long. No order of strings makes it slow. */
#ifndef PT_BASE_SORTTEXT_H
#define PT_BASE_SORTTEXT_H

#include <stddef.h>
#include <stdint.h>

/* Puts the numbers of s[0] to s[nr - 1] into `order`, by their strings; equal ones keep theirs. */
void pt_sort_texts(const char *const *s, size_t nr, uint32_t *order);

#endif
