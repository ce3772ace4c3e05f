/* stacks.h - counts of stacks by their text, `frame;frame;frame`, in one or two columns, for folded
 * lines from elsewhere: unlike in pt_fold counts may have decimals. */
#ifndef PT_STACK_STACKS_H
#define PT_STACK_STACKS_H

#include <stddef.h>

struct pt_stack_sum {
	const char *text;		/* the pt_stacks' */
	double v[2];
};

struct pt_stacks;
struct pt_stacks *pt_stacks_new(void);
void pt_stacks_free(struct pt_stacks *s);
/* Adds v to a column of the stack. The text is cut at a NUL. */
void pt_stacks_add(struct pt_stacks *s, const char *text, size_t len, double v, int column);
/* All, in the order of their bytes; good until the next add. */
const struct pt_stack_sum *pt_stacks_sorted(struct pt_stacks *s, size_t *nr);
double pt_stacks_total(const struct pt_stacks *s, int column);

#endif
