/* Rings as runs: records that wrap, that an interrupt has swapped, that are our own, in rings of made-up content. */
#include "test.h"

#include "record/watch/live.c"

enum { RING_BYTES = 256 << 10, LEN = 8 + 6 * 8 };

struct made {
	struct perf_event_mmap_page page;
	uint8_t data[RING_BYTES];
	struct pt_ring ring;
	struct live l;
	struct live_ring r;
	struct pt_order *order;
	uint64_t head;
	uint32_t random;
};

static uint32_t dice(struct made *m)
{
	m->random = m->random * 1664525 + 1013904223;
	return m->random >> 8;
}

static struct made *make(void)
{
	struct made *m = pt_alloc(sizeof(*m));
	struct pt_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .config = PERF_COUNT_SW_CPU_CLOCK, .flags = PT_ATTR_SAMPLE_ID_ALL,
			     .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD };

	m->random = 1;
	m->l.events = pt_evtable_new();
	pt_evtable_add_id(m->l.events, pt_evtable_add(m->l.events, &a, "cpu-clock", NULL, NULL), 7);
	m->l.counts = pt_alloc_array(1, sizeof(*m->l.counts));
	m->l.self = 4711;
	m->l.pid_at = PT_HEADER_BYTES + 16;	/* behind the id and the address */
	m->ring = (struct pt_ring){ .page = &m->page, .data = m->data, .size_bytes = RING_BYTES };
	m->r.l = &m->l;
	m->r.ring = &m->ring;
	m->r.run.more = live_ring_more;
	m->order = pt_order_new(m->l.events, false);
	return m;
}

static void unmake(struct made *m)
{
	pt_order_free(m->order);
	pt_evtable_free(m->l.events);
	free(m->l.counts);
	free(m->ring.scratch);
	free(m->r.sorted);
	free(m);
}

static void put(struct made *m, const void *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		m->data[(m->head + i) % RING_BYTES] = ((const uint8_t *)p)[i];
	m->head += len;
}

/* `more` bytes behind the sample's fields. */
static void sample(struct made *m, uint64_t time_ns, uint32_t pid, uint32_t more)
{
	static const uint8_t rest[60000];
	struct { struct perf_event_header h; uint64_t id, ip; uint32_t pid, tid; uint64_t time_ns, cpu, period; } s = {
		.h = { .type = PERF_RECORD_SAMPLE, .size = (uint16_t)(LEN + more) }, .id = 7, .pid = pid, .tid = pid, .time_ns = time_ns };

	put(m, &s, sizeof(s));
	put(m, rest, more);
}

/* As fill() does it, and source.c behind it. */
static void drain(struct made *m, uint64_t until_ns, uint64_t *last_ns, uint64_t *n, uint64_t *late)
{
	const uint8_t *p;
	uint64_t time_ns, off;

	m->r.head = m->head;
	if (!m->r.run.queued && next_chunk(&m->r))
		pt_order_add(m->order, &m->r.run);
	while ((p = pt_order_next(m->order, until_ns, &time_ns, &off))) {
		CHECK_INT(pt_load64(p + 32, false), time_ns);
		*late += time_ns < *last_ns;
		*last_ns = PT_MAX(time_ns, *last_ns);
		++*n;
	}
}

TEST(all_of_it_in_order_and_given_back)
{
	struct made *m = make();
	uint64_t now = 1, last = 0, n = 0, late = 0, written = 0;

	for (int round = 0; round < 200; round++) {
		while (m->head - m->ring.released < RING_BYTES - 70000) {
			uint32_t d = dice(m) % 200;

			now += 10;
			if (d == 0) {			/* an interrupt, or two, between a record's time and its place */
				sample(m, now + 20, 1, 0);
				sample(m, now + 10, 1, 8 * (dice(m) % 50));
				sample(m, now, 1, 0);
				now += 20;
				written += 2;
			} else if (d == 1) {
				sample(m, now, 1, 8 * (dice(m) % 7000));
			} else {
				sample(m, now, 1, 8 * (dice(m) % 20));
			}
			written++;
		}
		drain(m, now - 500, &last, &n, &late);
		CHECK(n < written);
	}
	drain(m, UINT64_MAX, &last, &n, &late);
	CHECK_INT(n, written);
	CHECK_INT(late, 0);
	CHECK_INT(m->ring.released, m->head);
	CHECK_INT(m->page.data_tail, m->head);
	CHECK(!m->ring.broken);
	unmake(m);
}

TEST(the_tool_s_own_samples_are_left_out_and_counted)
{
	struct made *m = make();
	uint64_t last = 0, n = 0, late = 0, others = 0, own = 0;

	m->l.drop_self = true;
	for (uint64_t t = 1; t < 3000; t++) {
		bool mine = dice(m) % 3 == 0;

		sample(m, t, mine ? 4711 : 4712, 0);
		own += mine;
		others += !mine;
	}
	drain(m, UINT64_MAX, &last, &n, &late);
	CHECK_INT(n, others);
	CHECK_INT(m->l.counts[0].own, own);
	CHECK_INT(m->ring.released, m->head);
	unmake(m);
}

TEST(a_record_that_cannot_be_ends_it)
{
	struct made *m = make();
	uint64_t last = 0, n = 0, late = 0;
	struct perf_event_header bad = { .type = PERF_RECORD_SAMPLE, .size = 4 };

	sample(m, 1, 1, 0);
	put(m, &bad, sizeof(bad));
	sample(m, 2, 1, 0);
	drain(m, UINT64_MAX, &last, &n, &late);
	CHECK_INT(n, 1);
	CHECK(m->ring.broken);
	CHECK_INT(m->ring.released, m->head);
	sample(m, 3, 1, 0);
	drain(m, UINT64_MAX, &last, &n, &late);
	CHECK_INT(n, 2);
	unmake(m);
}
