#include "stack/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

struct pt_stacks {
	struct pt_names *texts;
	struct pt_map index;		/* interned text -> place in sums + 1 */
	struct pt_stack_sum *sums;
	size_t nr, cap;
	double total[2];
	bool sorted;
};

struct pt_stacks *pt_stacks_new(void)
{
	struct pt_stacks *s = pt_alloc(sizeof(*s));

	s->texts = pt_names_new();
	return s;
}

void pt_stacks_free(struct pt_stacks *s)
{
	if (!s)
		return;
	pt_names_free(s->texts);
	pt_map_deinit(&s->index);
	free(s->sums);
	free(s);
}

static int stacks_compare(const void *a, const void *b)
{
	return strcmp(((const struct pt_stack_sum *)a)->text,
		      ((const struct pt_stack_sum *)b)->text);
}

void pt_stacks_add(struct pt_stacks *s, const char *text, size_t len, double v, int column)
{
	const char *name = pt_names_add(s->texts, text, len);
	uint64_t *slot;
	size_t i;

	if (s->sorted) {	/* places have changed */
		for (i = 0; i < s->nr; i++)
			*pt_map_put(&s->index, pt_word_of(s->sums[i].text)) = i + 1;
		s->sorted = false;
	}
	slot = pt_map_put(&s->index, pt_word_of(name));
	if (!*slot) {
		PT_GROW(s->sums, s->nr, s->cap);
		s->sums[s->nr++] = (struct pt_stack_sum){ .text = name };
		*slot = s->nr;
	}
	s->sums[*slot - 1].v[column] += v;
	s->total[column] += v;
}

const struct pt_stack_sum *pt_stacks_sorted(struct pt_stacks *s, size_t *nr)
{
	if (!s->sorted && s->nr)
		qsort(s->sums, s->nr, sizeof(*s->sums), stacks_compare);
	s->sorted = true;
	*nr = s->nr;
	return s->sums;
}

double pt_stacks_total(const struct pt_stacks *s, int column)
{
	return s->total[column];
}
