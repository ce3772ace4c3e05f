/* Samples that wait for the user part of their call chains, by hand. */
#include <stdio.h>

#include "base/mem.h"
#include "rec.h"
#include "test.h"
#include "stack/defer.h"

#define FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define USER ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static const struct rec_event event = {
	.attr = { .type = PERF_TYPE_SOFTWARE, .sample_type = FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW, .flags = PT_ATTR_SAMPLE_ID_ALL }, .ids = { 7 }, .nr_ids = 1,
};

static void trailer(struct rec *r, uint32_t tid, uint64_t time_ns)
{
	rec_u32(r, 1), rec_u32(r, tid), rec_u64(r, time_ns), rec_u64(r, 7);
	rec_end(r);
}

/* cookie 0: with its user part. */
static void put_sample(struct rec *r, uint64_t time_ns, uint32_t tid, uint64_t cookie)
{
	const uint64_t chain[] = { KERNEL, time_ns, cookie ? PT_CONTEXT_USER_DEFERRED : USER, cookie ? cookie : 0x99 };

	rec_begin(r, PERF_RECORD_SAMPLE, 1);
	rec_u64(r, 7), rec_u32(r, 1), rec_u32(r, tid), rec_u64(r, time_ns), rec_u64(r, PT_NR(chain)), rec_u64s(r, PT_NR(chain), chain);
	rec_u32(r, 4), rec_bytes(r, "raw!", 4);
	rec_end(r);
}

static void put_chain(struct rec *r, uint64_t time_ns, uint32_t tid, uint64_t cookie)
{
	const uint64_t ips[] = { USER, cookie + 1, cookie + 2 };

	rec_begin(r, PT_RECORD_CALLCHAIN_DEFERRED, 2);
	rec_u64(r, cookie), rec_u64(r, PT_NR(ips)), rec_u64s(r, PT_NR(ips), ips);
	trailer(r, tid, time_ns);
}

static void put_task(struct rec *r, uint64_t time_ns, uint32_t tid, bool exec)
{
	rec_begin(r, exec ? PERF_RECORD_COMM : PERF_RECORD_EXIT, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	if (exec)
		rec_u32(r, 1), rec_u32(r, tid), rec_str(r, "new");
	else
		rec_u32(r, 1), rec_u32(r, 1), rec_u32(r, tid), rec_u32(r, tid), rec_u64(r, time_ns);
	trailer(r, tid, time_ns);
}

/* All that comes out: "10:U 11:K 12:x": samples by time, with user part or without, others. */
static const char *order(struct rec *data, bool swap)
{
	static char text[1 << 20];
	struct rec file = REC(swap);
	struct pt_err e = PT_ERR_INIT;
	struct pt_defer *d = NULL;
	const struct pt_record *rec;
	struct pt_source *s;
	size_t n = 0;
	int rc;

	rec_file(&file, &event, 1, data, NULL, 0);
	s = rec_open(&file);
	text[0] = '\0';
	while ((rc = pt_defer_next(&d, s, &rec, &e)) > 0 && n < sizeof(text) - 64) {
		const struct pt_sample *x = &rec->sample;
		bool sample = rec->type == PERF_RECORD_SAMPLE;

		n += (size_t)sprintf(text + n, "%s%d:", n ? " " : "", (int)rec->time_ns);
		if (!sample) {
			n += (size_t)sprintf(text + n, "x");
			continue;
		}
		CHECK(x->callchain[0] == KERNEL && x->callchain[1] == rec->time_ns);
		CHECK(x->raw_len == 4 && !memcmp(x->raw, "raw!", 4));
		if (x->nr_callchain == 2)
			n += (size_t)sprintf(text + n, "K");
		else if (x->nr_callchain == 5 && x->callchain[2] == USER && x->callchain[4] == x->callchain[3] + 1)
			n += (size_t)sprintf(text + n, "U%d", (int)x->callchain[3] - 1);
		else
			n += (size_t)sprintf(text + n, "now%d", (int)x->nr_callchain);
	}
	CHECK_INT(rc, 0);
	CHECK_INT(pt_defer_next(&d, s, &rec, &e), 0);
	pt_defer_free(d);
	pt_source_free(s);
	rec_free(&file);
	rec_free(data);
	return text;
}

TEST(user_parts_come_later)
{
	int swap;

	for (swap = 0; swap < 2; swap++) {
		struct rec r = REC(swap);

		put_sample(&r, 10, 1, 100);
		put_sample(&r, 11, 2, 100);	/* another thread, the same number */
		put_sample(&r, 12, 1, 100);
		put_sample(&r, 13, 1, 0);
		put_sample(&r, 14, 1, 200);
		put_chain(&r, 15, 1, 100);
		put_chain(&r, 16, 2, 100);
		put_sample(&r, 17, 2, 300);
		put_task(&r, 18, 2, false);
		put_chain(&r, 19, 2, 300);	/* nobody waits any more */
		put_sample(&r, 20, 3, 400);
		put_task(&r, 21, 3, true);
		put_sample(&r, 22, 3, 500);
		CHECK_STR(order(&r, swap), "13:now4 10:U100 12:U100 11:U100 17:K 18:x 20:K 21:x 14:K 22:K");
	}
}

TEST(not_too_many_wait)
{
	struct rec r = REC(false);
	const char *came;
	uint64_t i;

	for (i = 0; i < 40000; i++)
		put_sample(&r, 10 + i, 1, 100 + i);
	for (i = 0, came = order(&r, false); (came = strchr(came, 'K')); came++)
		i++;
	CHECK_INT(i, 40000);	/* without their user parts */
}
