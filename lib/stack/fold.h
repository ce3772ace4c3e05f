/* fold.h - stacks counted: equal ones are one entry. Out come folded lines,
 * `comm;outermost;...;innermost COUNT`, sorted as sort(1) would in the C locale.
 *
 * Frames are pointers to interned strings: equal names must be equal pointers (pt_frames gives
 * such). They must live as long as the pt_fold. */
#ifndef PT_STACK_FOLD_H
#define PT_STACK_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pt_fold;
struct pt_fold *pt_fold_new(void);
void pt_fold_free(struct pt_fold *f);
/* Frames innermost first, as samples have them. */
void pt_fold_add(struct pt_fold *f, const char *comm, const char *const *frames, size_t nr,
		 uint64_t count);
/* Each entry: for (i = 0; pt_fold_each(f, &i, &entry); ) ... */
/* times: how often it was added */
struct pt_fold_entry {
	const char *comm;
	const char *const *frames;
	size_t nr;
	uint64_t count, times;
};
bool pt_fold_each(const struct pt_fold *f, size_t *i, struct pt_fold_entry *entry);
size_t pt_fold_nr(const struct pt_fold *f);	/* different stacks */
/* Each entry once, in the order they came; it is freed by the next call. For what is folded again
 * in another way: then it is not all there twice. */
bool pt_fold_take(struct pt_fold *f, struct pt_fold_entry *entry);
/* Lines, sorted; in names `;` becomes `:`, control characters `?`, so that a line is one stack, and
 * what that made equal is one line:
 *     // names are as lines have them from now on
 *     pt_fold_sort(f);
 *     // appends a line; with all of them in one buffer they may be many megabytes
 *     for (i = 0; pt_fold_line(f, &i, &out); ) ... */
void pt_fold_sort(struct pt_fold *f);
bool pt_fold_line(const struct pt_fold *f, size_t *i, struct pt_buf *out);

#endif
