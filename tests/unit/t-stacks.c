/* stack/stacks.c: counts of stacks by text, in two columns. */
#include <stdio.h>

#include "test.h"
#include "stack/stacks.h"

TEST(counted_and_sorted)
{
	struct pt_stacks *s = pt_stacks_new();
	const struct pt_stack_sum *v;
	size_t nr;

	v = pt_stacks_sorted(s, &nr);
	(void)v;
	CHECK_INT(nr, 0);
	pt_stacks_add(s, "b;xyz", 3, 2, 0);		/* only three bytes of it */
	pt_stacks_add(s, "a", 1, 1.5, 1);
	pt_stacks_add(s, "b;x", 3, 4, 0);
	pt_stacks_add(s, "b;x", 3, 8, 1);
	pt_stacks_add(s, "\xff", 1, 1, 0);
	v = pt_stacks_sorted(s, &nr);
	CHECK_INT(nr, 3);
	CHECK_STR(v[0].text, "a");
	CHECK(v[0].v[0] == 0 && v[0].v[1] == 1.5);
	CHECK_STR(v[1].text, "b;x");
	CHECK(v[1].v[0] == 6 && v[1].v[1] == 8);
	CHECK_STR(v[2].text, "\xff");
	CHECK(pt_stacks_total(s, 0) == 7 && pt_stacks_total(s, 1) == 9.5);
	pt_stacks_free(s);
}

/* Sorting moves entries: what comes later has to find them. */
TEST(added_after_sorting)
{
	struct pt_stacks *s = pt_stacks_new();
	const struct pt_stack_sum *v;
	char text[32];
	size_t nr, i;
	int round;

	for (round = 1; round <= 3; round++) {
		for (i = 0; i < 500; i++) {
			snprintf(text, sizeof(text), "f%03zu", (i * 37) % 500);
			pt_stacks_add(s, text, 4, 1, 0);
		}
		v = pt_stacks_sorted(s, &nr);
		CHECK_INT(nr, 500);
		for (i = 0; i < nr; i++) {
			snprintf(text, sizeof(text), "f%03zu", i);
			CHECK_STR(v[i].text, text);
			CHECK(v[i].v[0] == round);
		}
	}
	pt_stacks_free(s);
}
