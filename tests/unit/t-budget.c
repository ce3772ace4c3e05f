/* base/budget.c, and what is paid for from budgets: a perf-PID.map, split units that name one file. The larger cases: tests/live/hostile-files.sh. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "stack/jitcode.h"

enum { MB = 1 << 20 };

TEST(a_file_takes_what_its_real_bytes_allow)
{
	struct pt_budget b;
	struct stat holes = { .st_size = 1ll << 40, .st_blocks = 8 };
	char text[80];

	CHECK(pt_budget_real_bytes(&holes) < MB);
	pt_budget_of_file(&b, pt_budget_real_bytes(&holes));
	CHECK(pt_budget_take(&b, 64 * MB));
	CHECK_INT(pt_budget_hit(&b), PT_LIMIT_NONE);
	CHECK(!pt_budget_take(&b, 64 * MB));
	CHECK_INT(pt_budget_hit(&b), PT_LIMIT_MEMORY);
	CHECK(strstr(pt_budget_limit_text(&b, text), "64 of at most"));
	pt_budget_give(&b, 64 * MB);
	CHECK(pt_budget_take(&b, 64 * MB));
	pt_budget_of_file(&b, 8ull << 30);		/* a genuine one of several gigabytes */
	CHECK(pt_budget_take(&b, 64ull << 30));
}

/* Files of one owner: the same inode by many names makes it no richer, and there is always as much left for others. */
TEST(one_owner_cannot_spend_what_others_need)
{
	struct pt_budgets *all = pt_budgets_new(true);
	struct pt_budget file, other, ours;
	uint64_t taken = 0;
	unsigned i;

	for (i = 0; i < 1000; i++) {
		pt_budget_of_file(&file, 20 * MB);
		pt_budgets_join(all, &file, "", 60000, 0, 1, i);
		while (pt_budget_take(&file, MB))
			taken += MB;
	}
	CHECK_INT(taken / MB, 128);			/* half of what all others have */
	CHECK_INT(pt_budget_hit(&file), PT_LIMIT_MEMORY);
	pt_budget_of_file(&other, 20 * MB);
	pt_budgets_join(all, &other, "", 60001, 0, 1, 5000);
	CHECK(pt_budget_take(&other, 60 * MB));
	pt_budget_of_file(&other, 20 * MB);
	pt_budgets_join(all, &other, "", 0, 7, 1, 5001);	/* root of a container is not ours */
	CHECK(pt_budget_take(&other, 30 * MB));
	CHECK(!pt_budget_take(&other, 200 * MB));
	pt_budget_of_file(&ours, 20 * MB);
	pt_budgets_join(all, &ours, "", 0, 0, 1, 5002);
	CHECK(pt_budget_take(&ours, 128 * MB));
	pt_budgets_free(all);
}

TEST(further_names_of_a_file_do_not_count)
{
	struct pt_budgets *all = pt_budgets_new(false);
	struct pt_budget file;
	uint64_t taken = 0;
	unsigned i;

	for (i = 0; i < 1000; i++) {
		pt_budget_of_file(&file, MB);
		pt_budgets_join(all, &file, "", 60000, 0, 1, 7);
		while (pt_budget_take(&file, MB))
			taken += MB;
	}
	CHECK_INT(taken / MB, 64 + 24);
	pt_budgets_free(all);
}

/* Each line touches as many blocks of addresses as one may. */
TEST(perf_map_takes_no_more_than_its_budget)
{
	struct pt_jitcodes *c = pt_jitcodes_new();
	struct pt_buf text = PT_BUF_INIT;
	struct pt_budget b;
	uint64_t before;
	unsigned i;

	for (i = 0; i < 1000000; i++)
		pt_buf_printf(&text, "%llx %x a\n", 0x1000ull + (i << 12), 0x7000);
	pt_budget_of_file(&b, text.len);
	before = b.memory.left;
	pt_jitcodes_limit(c, &b);
	pt_jitcodes_read_map(c, text.data, text.len, true);
	CHECK_INT(pt_budget_hit(&b), PT_LIMIT_MEMORY);
	CHECK(pt_jitcodes_nr(c) > 50000);
	CHECK(pt_jitcodes_find(c, 0x1000, UINT64_MAX, NULL) != PT_JIT_NONE);	/* what came before the limit stays */
	pt_jitcodes_free(c);
	CHECK_INT(b.memory.left, before);
	pt_buf_deinit(&text);
}
