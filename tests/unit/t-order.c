/* The merge of runs, against a plain stable sort. */
#include <stdlib.h>

#include "base/mem.h"
#include "rec.h"
#include "record/read/order.h"
#include "test.h"

enum { NR_RUNS = 50, PER_RUN = 200 };

static uint64_t state;

static uint64_t roll(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

struct want {
	uint64_t time_ns, seq, nr;
};

static int by_time(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static struct pt_evtable *events(void)
{
	struct pt_attr a = { .type = 1, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	struct pt_evtable *t = pt_evtable_new();

	pt_evtable_add(t, &a, NULL, NULL, NULL);
	return t;
}

static void put(struct rec *r, uint64_t time_ns, uint64_t nr)
{
	rec_begin(r, PERF_RECORD_SAMPLE, 0), rec_u64(r, nr), rec_u64(r, time_ns), rec_end(r);
}

static void merge(int nr_runs, bool swap, uint64_t spread)
{
	struct pt_evtable *t = events();
	struct pt_order *o = pt_order_new(t, swap);
	struct want *want = pt_alloc_array(NR_RUNS * PER_RUN, sizeof(*want));
	struct pt_run runs[NR_RUNS] = { { 0 } };
	struct rec data[NR_RUNS];
	uint64_t n = 0, time_ns, off, got, until;
	const uint8_t *p;
	size_t total;
	int i, j;

	for (i = 0; i < nr_runs; i++) {
		data[i] = (struct rec)REC(swap);
		time_ns = 1 + roll(spread);
		for (j = 0; j < PER_RUN; j++, time_ns += roll(spread)) {
			put(&data[i], time_ns, n);
			want[n] = (struct want){ time_ns, (uint64_t)i, n };
			n++;
		}
	}
	for (i = nr_runs; i--;) {
		runs[i] = (struct pt_run){ .at = (uint8_t *)data[i].b.data, .end = (uint8_t *)data[i].b.data + data[i].b.len, .seq = (uint64_t)i };
		pt_order_add(o, &runs[i]);
	}
	total = n;
	qsort(want, total, sizeof(*want), by_time);
	for (n = 0, until = 0; n < total; until += spread) {	/* in bites, as they become due */
		while ((p = pt_order_next(o, until, &time_ns, &off))) {
			got = pt_load64(p + 8, swap);
			CHECK_INT(got, want[n].nr);
			CHECK_INT(time_ns, want[n].time_ns);
			CHECK_INT(off, want[n].nr % PER_RUN * 24);
			CHECK(time_ns <= until);
			n++;
		}
		CHECK(n == total || want[n].time_ns > until);
	}
	CHECK(!pt_order_next(o, UINT64_MAX, &time_ns, &off));
	CHECK(!pt_order_broken(o));
	for (i = 0; i < nr_runs; i++)
		rec_free(&data[i]);
	free(want);
	pt_order_free(o);
	pt_evtable_free(t);
}

TEST(one_run) { merge(1, false, 5); }
TEST(two_runs) { merge(2, false, 5); merge(2, true, 5); }
TEST(three_runs) { merge(3, false, 1000); }
TEST(many_runs) { merge(NR_RUNS, false, 3); merge(NR_RUNS, false, 100000); merge(NR_RUNS, true, 100); }

/* A ring that gets more whenever it is empty, and is added again when it had nothing for a while. */
struct ring {
	struct pt_run run;
	struct rec data[4];
	int next;
};

static bool more(struct pt_run *run)
{
	struct ring *r = (struct ring *)run;

	if (r->next == 4 || !r->data[r->next].b.len)
		return false;
	run->at = (uint8_t *)r->data[r->next].b.data;
	run->end = run->at + r->data[r->next].b.len;
	r->next++;
	return true;
}

TEST(rings_get_more)
{
	struct pt_evtable *t = events();
	struct pt_order *o = pt_order_new(t, false);
	struct ring a = { .run = { .seq = 1, .more = more } }, b = { .run = { .seq = 2, .more = more } };
	uint64_t n = 0, time_ns, off;

	put(&a.data[0], 10, 1), put(&a.data[0], 20, 3), put(&a.data[1], 30, 5), put(&a.data[3], 60, 8);
	put(&b.data[0], 15, 2), put(&b.data[1], 25, 4), put(&b.data[2], 40, 6), put(&b.data[3], 50, 7);
	pt_order_add(o, &a.run);
	pt_order_add(o, &b.run);
	while (pt_order_next(o, UINT64_MAX, &time_ns, &off))
		n++;
	CHECK_INT(n, 7);
	CHECK(!a.run.queued && !b.run.queued);
	a.next = 3;
	pt_order_add(o, &a.run);
	CHECK(a.run.queued);
	CHECK_INT(pt_load64(pt_order_next(o, 60, &time_ns, &off) + 8, false), 8);
	CHECK(!pt_order_next(o, 60, &time_ns, &off));
	for (int i = 0; i < 4; i++)
		rec_free(&a.data[i]), rec_free(&b.data[i]);
	pt_order_free(o);
	pt_evtable_free(t);
}

/* The memory of a mapped file was changed: the run is given up, and nothing is read beyond it. */
TEST(changed_behind_our_back)
{
	struct pt_evtable *t = events();
	struct pt_order *o = pt_order_new(t, false);
	struct rec d = REC(false);
	struct pt_run run = { .seq = 1 };
	uint64_t time_ns, off;
	uint8_t *p;

	put(&d, 10, 1), put(&d, 20, 2), put(&d, 30, 3);
	p = pt_test_guarded(d.b.data, d.b.len);
	run.at = p, run.end = p + d.b.len;
	pt_order_add(o, &run);
	CHECK(pt_order_next(o, UINT64_MAX, &time_ns, &off));
	memset(p + 24, 0, 48);
	CHECK(!pt_order_next(o, UINT64_MAX, &time_ns, &off));
	CHECK(pt_order_broken(o));
	rec_free(&d);
	pt_order_free(o);
	pt_evtable_free(t);
}
