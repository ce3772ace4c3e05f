/* base/stage.c: pieces come in order and all of them, no more of them wait than fit, a worker that fails stops the one who puts, one thread is enough. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stage.h"
#include "test.h"

enum { PIECES = 2000, BYTES = 100, ROOM = 1000 };

struct numbered { struct pt_piece link; int nr; };
struct seen { int nr; bool in_order; atomic_long waiting, most; int fail_at; };

static void note_put(struct seen *s, long bytes)
{
	long now = atomic_fetch_add(&s->waiting, bytes) + bytes;

	if (now > atomic_load(&s->most))
		atomic_store(&s->most, now);
}

static int count(struct pt_stage *stage, void *ctx, struct pt_err *e)
{
	struct seen *s = ctx;
	struct pt_piece *p;
	int rc = 0;

	while ((p = pt_stage_take(stage))) {
		size_t bytes = p->bytes;

		s->in_order &= ((struct numbered *)p)->nr == s->nr++;
		if (s->nr == s->fail_at) {
			rc = pt_err_set(e, "no more than %d", s->nr);
			pt_stage_fail(stage);
		}
		free(p);
		atomic_fetch_sub(&s->waiting, (long)bytes);
		pt_stage_done(stage, bytes);
	}
	return rc;
}

static struct pt_stage *begin(struct seen *s)
{
	struct pt_stage *stage;

	if (!pt_stage_wanted())
		SKIP("one CPU");
	stage = pt_stage_new(count, s, ROOM);
	CHECK(stage);
	return stage;
}

static struct pt_piece *piece(int nr)
{
	struct numbered *n = pt_alloc(sizeof(*n));

	n->nr = nr;
	return &n->link;
}

TEST(all_in_order_and_bounded)
{
	struct seen s = { .in_order = true };
	struct pt_stage *stage = begin(&s);
	struct pt_err e = PT_ERR_INIT;
	int i;

	for (i = 0; i < PIECES; i++) {
		CHECK(pt_stage_put(stage, piece(i), BYTES));
		note_put(&s, BYTES);
	}
	CHECK_INT(pt_stage_end(stage, &e), 0);
	CHECK_INT(s.nr, PIECES);
	CHECK(s.in_order);
	CHECK(s.most <= ROOM);
}

TEST(a_large_piece_fits_alone)
{
	struct seen s = { .in_order = true };
	struct pt_stage *stage = begin(&s);
	int i;

	for (i = 0; i < 10; i++)
		CHECK(pt_stage_put(stage, piece(i), 5 * ROOM));
	CHECK_INT(pt_stage_end(stage, NULL), 0);
	CHECK_INT(s.nr, 10);
}

TEST(a_failure_stops_the_other_side)
{
	struct seen s = { .in_order = true, .fail_at = 50 };
	struct pt_stage *stage = begin(&s);
	struct pt_err e = PT_ERR_INIT;
	int i = 0;

	while (pt_stage_put(stage, piece(i++), BYTES))	/* without it there would be no end */
		;
	CHECK_INT(pt_stage_end(stage, &e), -1);
	CHECK_STR(e.msg, "no more than 50");
	CHECK_INT(s.nr, i);		/* those that came later were taken, and freed, all the same */
}

TEST(nothing_to_do)
{
	struct seen s = { .in_order = true };
	struct pt_stage *stage = begin(&s);

	CHECK_INT(pt_stage_end(stage, NULL), 0);
	CHECK_INT(s.nr, 0);
}

TEST(one_thread_when_asked_for)
{
	struct seen s = { .in_order = true };

	setenv("PT_THREADS", "1", 1);
	CHECK(!pt_stage_wanted());
	CHECK(!pt_stage_new(count, &s, ROOM));
	unsetenv("PT_THREADS");
}
