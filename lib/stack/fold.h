/* fold.h - counts equal stacks. Gives folded lines, `comm;outermost;...;innermost COUNT`, sorted as
 * sort(1) does in the C locale.
 *
 * Frames are pointers to interned strings that outlive the pt_fold: equal names are equal pointers.
 */
#ifndef PT_STACK_FOLD_H
#define PT_STACK_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pt_fold;
struct pt_fold *pt_fold_new(void);
void pt_fold_free(struct pt_fold *f);
/* frames: innermost first. */
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
size_t pt_fold_frames(const struct pt_fold *f);	/* of all of them */
/* Sorts; then each call gives one line. In names `;` becomes `:` and control characters `?`; what
 * becomes equal is one line.
 *     pt_fold_sort(f);
 *     for (i = 0; pt_fold_line(f, &i, &out); ) ...      // appends a line */
void pt_fold_sort(struct pt_fold *f);
bool pt_fold_line(const struct pt_fold *f, size_t *i, struct pt_buf *out);

#endif
