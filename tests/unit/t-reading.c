/* Whole recordings, made by hand, through pt_source_next(). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "rec.h"
#include "test.h"

#define FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static const struct rec_event two[2] = {
	{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .sample_type = FIELDS,
		    .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV | PT_ATTR_EXCLUDE_GUEST },
	  .ids = { 10, 11 }, .nr_ids = 2 },
	{ .attr = { .type = PERF_TYPE_HARDWARE, .config = 0, .sample_type = FIELDS,
		    .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_EXCLUDE_GUEST | 2ull << PT_ATTR_PRECISE_IP_SHIFT },
	  .ids = { 20 }, .nr_ids = 1 },
};

static void put_sample(struct rec *r, uint64_t id, uint64_t time_ns, uint32_t tid)
{
	rec_begin(r, PERF_RECORD_SAMPLE, 2);
	rec_u64(r, id), rec_u32(r, 1), rec_u32(r, tid), rec_u64(r, time_ns);
	rec_end(r);
}

static void put_trailer(struct rec *r, uint64_t id, uint64_t time_ns)
{
	rec_u32(r, 1), rec_u32(r, 1), rec_u64(r, time_ns), rec_u64(r, id);
	rec_end(r);
}

static void put_comm(struct rec *r, uint64_t id, uint64_t time_ns, const char *name)
{
	rec_begin(r, PERF_RECORD_COMM, 0);
	rec_u32(r, 1), rec_u32(r, 1), rec_str(r, name);
	put_trailer(r, id, time_ns);
}

static void put_lost(struct rec *r, uint64_t id, uint64_t time_ns, uint64_t lost)
{
	rec_begin(r, PERF_RECORD_LOST, 0);
	rec_u64(r, id), rec_u64(r, lost);
	put_trailer(r, id, time_ns);
}

static void put_lost_samples(struct rec *r, uint64_t id, uint64_t time_ns, uint64_t lost, uint16_t misc)
{
	rec_begin(r, PERF_RECORD_LOST_SAMPLES, misc);
	rec_u64(r, lost);
	put_trailer(r, id, time_ns);
}

static void put_read(struct rec *r, uint64_t id, uint32_t tid, uint64_t value)
{
	rec_begin(r, PERF_RECORD_READ, 0);
	rec_u32(r, tid), rec_u32(r, tid), rec_u64(r, value);
	put_trailer(r, id, 0);
}

static const struct pt_record *next(struct pt_source *s)
{
	struct pt_err e = PT_ERR_INIT;
	const struct pt_record *rec;
	int rc = pt_source_next(s, &rec, &e);

	if (rc != 1)
		FAIL("next() gave %d: %s", rc, e.msg);
	return rec;
}

/* The tids of all samples, in their order: "3 1 2". */
static const char *tids(struct pt_source *s)
{
	static char text[4096];
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	size_t n = 0;
	int rc;

	text[0] = '\0';
	while ((rc = pt_source_next(s, &rec, &e)) > 0)
		if (rec->type == PERF_RECORD_SAMPLE && n < sizeof(text) - 16)
			n += (size_t)snprintf(text + n, 16, "%s%u", n ? " " : "", rec->tid);
	if (rc < 0)
		snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "", e.msg);
	return text;
}

static void check_two(struct pt_source *s, bool named_by_attr)
{
	const struct pt_record *rec;
	struct pt_err e;

	CHECK_INT(pt_source_nr_events(s), 2);
	if (named_by_attr) {
		CHECK_STR(pt_source_event(s, 0)->name, "page-faults:uH");
		CHECK_STR(pt_source_event(s, 1)->name, "cycles:ppH");
	}
	rec = next(s);
	CHECK_INT(rec->type, PERF_RECORD_COMM);
	CHECK_STR(rec->u.comm.comm, "first");
	CHECK_INT(rec->time_ns, 50);
	CHECK(rec->event == pt_source_event(s, 1));
	rec = next(s);
	CHECK_INT(rec->tid, 7);
	CHECK_INT(rec->time_ns, 100);
	CHECK_INT(rec->id, 11);
	CHECK(rec->event == pt_source_event(s, 0));
	rec = next(s);
	CHECK_INT(rec->tid, 8);
	CHECK_INT(rec->time_ns, 200);
	CHECK(rec->event == pt_source_event(s, 1));
	CHECK_INT(pt_source_next(s, &rec, &e), 0);
	CHECK_INT(pt_source_next(s, &rec, &e), 0);
	CHECK_INT(pt_source_tally(s)->samples, 2);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 1)).samples, 1);
	pt_source_free(s);
}

static void put_two(struct rec *d)
{
	put_comm(d, 20, 50, "first");
	put_sample(d, 11, 100, 7);
	put_sample(d, 20, 200, 8);
}

static void file_form(bool swap, uint32_t attr_bytes)
{
	struct rec_event ev[2] = { two[0], two[1] };
	struct rec d = REC(swap), f = REC(swap);
	struct pt_source *s;

	ev[0].attr_bytes = ev[1].attr_bytes = attr_bytes;
	put_two(&d);
	rec_file(&f, ev, 2, &d, NULL, 0);
	s = rec_open(&f);
	CHECK_INT(pt_source_info(s)->swap, swap);
	CHECK(!pt_source_info(s)->stream);
	CHECK_INT(pt_source_info(s)->data_len_bytes, d.b.len);
	check_two(s, true);
	rec_free(&d), rec_free(&f);
}

TEST(file) { file_form(false, 136); }
TEST(file_of_the_other_byte_order) { file_form(true, 136); }
TEST(first_attributes) { file_form(false, 64); file_form(true, 64); }
TEST(longer_attributes) { file_form(false, 160); file_form(true, 160); }

TEST(samples_of_a_muted_event_are_counted_alone)
{
	struct rec d = REC(false), f = REC(false);
	struct pt_source *s;

	put_two(&d);
	put_sample(&d, 10, 300, 9);
	put_sample(&d, 20, 400, 10);
	put_sample(&d, 11, 500, 11);
	rec_file(&f, two, 2, &d, NULL, 0);
	s = rec_open(&f);
	CHECK_INT(next(s)->type, PERF_RECORD_COMM);
	CHECK_INT(next(s)->tid, 7);
	pt_source_mute(s, pt_source_event(s, 0));
	CHECK_STR(tids(s), "8 10");
	CHECK_INT(pt_source_tally(s)->samples, 5);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 0)).samples, 3);
	pt_source_free(s);
	rec_free(&d), rec_free(&f);
}

static void stream_form(bool swap, uint32_t attr_bytes)
{
	struct rec_event ev[2] = { two[0], two[1] };
	struct rec f = REC(swap);
	struct pt_source *s;

	ev[0].attr_bytes = ev[1].attr_bytes = attr_bytes;
	rec_stream(&f, ev, 2);
	put_two(&f);
	s = rec_open(&f);
	next(s);	/* attributes come with the records */
	CHECK(pt_source_info(s)->stream);
	pt_source_free(s);
	rec_free(&f);
}

TEST(stream) { stream_form(false, 136); stream_form(true, 136); stream_form(false, 64); stream_form(false, 200); }

struct writer {
	int fd;
	const struct rec *f;
	size_t step;
};

static void *write_slowly(void *arg)
{
	struct writer *w = arg;
	size_t at;

	for (at = 0; at < w->f->b.len; at += w->step)
		if (write(w->fd, w->f->b.data + at, PT_MIN(w->step, w->f->b.len - at)) < 0)
			break;
	close(w->fd);
	return NULL;
}

static struct pt_source *open_pipe(const struct rec *f, size_t step, struct writer *w, pthread_t *t)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	int p[2];

	if (pipe(p) < 0)
		FAIL("no pipe");
	*w = (struct writer){ p[1], f, step };
	pthread_create(t, NULL, write_slowly, w);
	if (pt_source_open_fd(&s, p[0], "pipe", NULL, &e) < 0)
		FAIL("%s", e.msg);
	return s;
}

/* Tracing data and AUX data behind their records, in the midst of a stream that comes a byte at a time. */
static void put_trailing(struct rec *f)
{
	rec_begin(f, PT_RECORD_HEADER_TRACING_DATA, 0);
	rec_u32(f, 16), rec_end(f), rec_bytes(f, "no tracing data.", 16);
	rec_begin(f, PT_RECORD_AUXTRACE, 0);
	rec_u64(f, 400), rec_u64(f, 0), rec_u64(f, 0), rec_u32(f, 0), rec_u32(f, 0), rec_u32(f, 0), rec_u32(f, 0), rec_end(f);
	for (int i = 0; i < 400; i++)
		rec_u8(f, (uint8_t)i);
}

static void trailing_in_pieces(size_t step)
{
	struct rec f = REC(false);
	struct pt_source *s;
	struct writer w;
	pthread_t t;

	rec_stream(&f, two, 2);
	put_two(&f);
	put_trailing(&f);
	put_sample(&f, 10, 300, 9);
	rec_round(&f);
	put_sample(&f, 10, 400, 10);
	s = open_pipe(&f, step, &w, &t);
	CHECK_STR(tids(s), "7 8 9 10 pipe: tracing data does not start with its magic");
	CHECK_INT(pt_source_tally(s)->aux_bytes, 400);
	CHECK_INT(pt_source_nr_events(s), 2);
	pthread_join(t, NULL);
	pt_source_free(s);
	rec_free(&f);
}

TEST(byte_by_byte) { trailing_in_pieces(1); }

TEST(pieces_of_every_size)
{
	size_t step;

	for (step = 2; step < 1200; step++)
		trailing_in_pieces(step);
}

/* Larger than any block, in pieces that never end where a record does; every record once and in order. */
TEST(long_stream)
{
	struct rec f = REC(false);
	const struct pt_record *rec;
	uint64_t n = 0, i, j;
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	struct writer w;
	pthread_t t;
	int rc;

	rec_stream(&f, two, 2);
	for (i = 0; i < 300; i++) {
		for (j = 0; j < 100; j++)
			put_sample(&f, 10, 1000 + 200 * i + 2 * j, (uint32_t)(200 * i + 2 * j));
		for (j = 0; j < 100; j++)
			put_sample(&f, 20, 1001 + 200 * i + 2 * j, (uint32_t)(200 * i + 2 * j + 1));
		rec_round(&f);
	}
	s = open_pipe(&f, 4093, &w, &t);
	while ((rc = pt_source_next(s, &rec, &e)) > 0)
		CHECK_INT(rec->tid, n++);
	CHECK_INT(rc, 0);
	CHECK_INT(n, 60000);
	CHECK_INT(pt_source_tally(s)->late, 0);
	pthread_join(t, NULL);
	pt_source_free(s);
	rec_free(&f);
}

/* A live pipe shows what has come: with the second round mark what is older than the first one goes, while the writer waits. */
TEST(stream_does_not_wait)
{
	struct rec f = REC(false);
	struct pt_err e = PT_ERR_INIT;
	const struct pt_record *rec;
	struct pt_source *s;
	int p[2];

	rec_stream(&f, two, 2);
	put_sample(&f, 10, 100, 1);
	rec_round(&f);
	put_sample(&f, 10, 200, 2);
	rec_round(&f);
	CHECK_INT(pipe(p), 0);
	CHECK_INT(write(p[1], f.b.data, f.b.len), f.b.len);
	CHECK_INT(pt_source_open_fd(&s, p[0], "pipe", NULL, &e), 0);
	CHECK_INT(next(s)->tid, 1);
	close(p[1]);
	CHECK_INT(next(s)->tid, 2);
	CHECK_INT(pt_source_next(s, &rec, &e), 0);
	pt_source_free(s);
	rec_free(&f);
}

static struct pt_source *file_of(struct rec *d)
{
	struct rec f = REC(d->swap);
	struct pt_source *s;

	rec_file(&f, two, 2, d, NULL, 0);
	s = rec_open(&f);
	rec_free(&f);
	rec_free(d);
	return s;
}

/* Two rings written one behind the other: merged by time; equal times as they are stored. */
TEST(order_of_rings)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_sample(&d, 10, 100, 1), put_sample(&d, 10, 120, 3), put_sample(&d, 10, 190, 6);
	put_sample(&d, 20, 110, 2), put_sample(&d, 20, 120, 4), put_sample(&d, 20, 180, 5);
	rec_round(&d);
	put_sample(&d, 10, 300, 8);
	put_sample(&d, 20, 185, 7);	/* comes a round later, and is not late */
	rec_round(&d);
	s = file_of(&d);
	CHECK_STR(tids(s), "1 2 3 4 5 7 6 8");
	CHECK_INT(pt_source_tally(s)->late, 0);
	pt_source_free(s);
}

TEST(late_records)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_sample(&d, 10, 100, 1), rec_round(&d);
	put_sample(&d, 10, 200, 2), rec_round(&d);	/* now 1 goes */
	put_sample(&d, 10, 300, 3), rec_round(&d);	/* now 2 goes */
	put_sample(&d, 10, 150, 4), rec_round(&d);
	s = file_of(&d);
	CHECK_STR(tids(s), "1 2 4 3");
	CHECK_INT(pt_source_tally(s)->late, 1);
	pt_source_free(s);
}

/* What perf puts in without a time is not late. */
TEST(without_time_is_not_late)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_sample(&d, 10, 100, 1), put_sample(&d, 20, 50, 0), rec_round(&d), rec_round(&d);
	put_comm(&d, 10, 0, "x");
	s = file_of(&d);
	CHECK_STR(tids(s), "0 1");
	CHECK_INT(pt_source_tally(s)->late, 0);
	pt_source_free(s);
}

/* What was there before comes first, wherever it stands: a flight recorder writes it last. */
TEST(state_comes_first)
{
	const struct pt_record *rec;
	struct rec d = REC(false);
	struct pt_source *s;

	put_comm(&d, 10, 0, "begin"), put_sample(&d, 10, 100, 1), put_comm(&d, 10, 110, "amid"), put_sample(&d, 20, 90, 2);
	put_comm(&d, 10, 0, "end"), put_comm(&d, 20, 0, "last"), put_sample(&d, 10, 105, 3);
	s = file_of(&d);
	CHECK_STR(next(s)->u.comm.comm, "begin");
	CHECK_STR(next(s)->u.comm.comm, "end");
	rec = next(s);
	CHECK_STR(rec->u.comm.comm, "last");
	CHECK_INT(rec->time_ns, 0);
	CHECK_INT(next(s)->tid, 2);
	CHECK_INT(next(s)->tid, 1);
	CHECK_INT(next(s)->tid, 3);
	CHECK_STR(next(s)->u.comm.comm, "amid");
	CHECK_INT(pt_source_tally(s)->late, 0);
	pt_source_free(s);
}

/* perf record --tail-synthesize: the same where it stands many rounds behind. Without, nobody looks so far. */
TEST(state_comes_first_of_all_rounds)
{
	int tail;

	for (tail = 0; tail < 2; tail++) {
		struct rec d = REC(false), f = REC(false), words = REC(false);
		const struct rec_section cmdline = { .number = 11, .content = &words.b };
		struct pt_source *s;

		rec_u32(&words, 2), rec_section_str(&words, "perf"), rec_section_str(&words, tail ? "--tail-synthesize" : "--tai");
		put_sample(&d, 10, 100, 1), rec_round(&d), put_sample(&d, 10, 200, 2), rec_round(&d), put_sample(&d, 10, 300, 3), rec_round(&d);
		put_comm(&d, 10, 0, "last"), put_sample(&d, 10, 250, 4);
		rec_file(&f, two, 2, &d, &cmdline, 1);
		s = rec_open(&f);
		CHECK_INT(next(s)->type, tail ? PERF_RECORD_COMM : PERF_RECORD_SAMPLE);
		CHECK_STR(tids(s), tail ? "1 2 4 3" : "2 4 3");
		CHECK_INT(pt_source_tally(s)->late, 0);
		pt_source_free(s);
		rec_free(&words);
		rec_free(&f);
		rec_free(&d);
	}
}

/* Falling times and no round mark: a run a record. */
TEST(falling_times)
{
	struct rec d = REC(false);
	struct pt_source *s;
	const struct pt_record *rec;
	struct pt_err e;
	uint32_t i, n = 0;

	for (i = 0; i < 20000; i++)
		put_sample(&d, 10, 1000000 - i, 19999 - i);
	s = file_of(&d);
	while (pt_source_next(s, &rec, &e) > 0)
		CHECK_INT(rec->tid, n++);
	CHECK_INT(n, 20000);
	pt_source_free(s);
}

/* Version 1: the magic number is a text in either byte order. */
TEST(first_version)
{
	for (int swap = 0; swap < 2; swap++) {
		struct rec d = REC(swap), f = REC(swap);
		struct pt_source *s;

		put_sample(&d, 10, 100, 1), put_sample(&d, 20, 110, 2);
		rec_file(&f, two, 2, &d, NULL, 0);
		memcpy(f.b.data, "PERFFILE", 8);
		s = rec_open(&f);
		CHECK_STR(tids(s), "1 2");
		CHECK_INT(pt_source_nr_events(s), 2);
		pt_source_free(s);
		rec_free(&d), rec_free(&f);
	}
}

/* Without sample_id_all the others have no time: they stay behind the sample in front of them. */
TEST(without_sample_id_all)
{
	struct rec_event one = { .attr = { .type = 1, .config = 0, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME } };
	struct rec d = REC(false), f = REC(false);
	const struct pt_record *rec;
	struct pt_source *s;

	rec_begin(&d, PERF_RECORD_SAMPLE, 0), rec_u32(&d, 1), rec_u32(&d, 1), rec_u64(&d, 100), rec_end(&d);
	rec_begin(&d, PERF_RECORD_COMM, 0), rec_u32(&d, 5), rec_u32(&d, 6), rec_str(&d, "name"), rec_end(&d);
	rec_begin(&d, PERF_RECORD_SAMPLE, 0), rec_u32(&d, 1), rec_u32(&d, 3), rec_u64(&d, 300), rec_end(&d);
	rec_begin(&d, PERF_RECORD_SAMPLE, 0), rec_u32(&d, 1), rec_u32(&d, 2), rec_u64(&d, 200), rec_end(&d);
	rec_file(&f, &one, 1, &d, NULL, 0);
	s = rec_open(&f);
	rec = next(s);
	CHECK_INT(rec->tid, 1);
	CHECK(rec->event == pt_source_event(s, 0));
	rec = next(s);
	CHECK_STR(rec->u.comm.comm, "name");
	CHECK_INT(rec->has, 0);
	CHECK(!rec->event);
	CHECK_INT(next(s)->tid, 2);
	CHECK_INT(next(s)->tid, 3);
	pt_source_free(s);
	rec_free(&d), rec_free(&f);
}

/* Different fields, told apart by IDENTIFIER: time stands at different places. */
TEST(different_sample_types)
{
	struct rec_event ev[2] = { two[0], two[1] };
	struct rec d = REC(false), f = REC(false);
	struct pt_source *s;

	ev[1].attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_CPU;
	put_sample(&d, 10, 300, 3);
	rec_begin(&d, PERF_RECORD_SAMPLE, 0);
	rec_u64(&d, 20), rec_u64(&d, 0xabc), rec_u32(&d, 1), rec_u32(&d, 1), rec_u64(&d, 100), rec_u64(&d, 5);
	rec_end(&d);
	put_sample(&d, 10, 200, 2);
	rec_file(&f, ev, 2, &d, NULL, 0);
	s = rec_open(&f);
	CHECK_STR(tids(s), "1 2 3");
	pt_source_free(s);
	rec_free(&f);
	ev[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;	/* now nothing tells them apart */
	rec_file(&f, ev, 2, &d, NULL, 0);
	CHECK_INT(pt_source_open_fd(&s, rec_memfd(f.b.data, f.b.len), "made", NULL, NULL), -1);
	rec_free(&d), rec_free(&f);
}

TEST(unknown_records)
{
	struct rec_event clock = two[0];	/* page faults may have ids of other sessions */
	struct rec d = REC(false), f = REC(false);
	struct pt_source *s;

	clock.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	put_sample(&d, 10, 100, 1);
	rec_begin(&d, 50, 0), rec_u64(&d, 1), put_trailer(&d, 10, 150);
	rec_begin(&d, 90, 0), rec_u64(&d, 1), rec_end(&d);
	rec_begin(&d, PT_RECORD_CHILD_EXIT, 0), rec_u64s(&d, 3, (const uint64_t[]){ 1, 2, 3 }), rec_end(&d);
	rec_begin(&d, PT_RECORD_STAT_CONFIG, 0), rec_u64(&d, 0), rec_end(&d);
	rec_begin(&d, PT_RECORD_ID_INDEX, 0), rec_u64(&d, 0), rec_end(&d);
	put_sample(&d, 99, 180, 3);
	put_sample(&d, 10, 200, 2);
	rec_file(&f, &clock, 1, &d, NULL, 0);
	rec_free(&d);
	s = rec_open(&f);
	rec_free(&f);
	CHECK_STR(tids(s), "1 2");
	CHECK_INT(pt_source_tally(s)->unknown_records, 3);
	CHECK_INT(pt_source_tally(s)->no_event, 1);
	pt_source_free(s);
}

/* LOST tells of rings, LOST_SAMPLES at the end of events: the same losses. The kernel's own, with a time, are others. */
TEST(losses_count_once)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_lost(&d, 10, 100, 5), put_lost(&d, 11, 110, 6);
	put_lost_samples(&d, 20, 120, 3, 0);
	s = file_of(&d);
	CHECK_STR(tids(s), "");
	CHECK_INT(pt_source_tally(s)->lost, 14);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 0)).lost, 11);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 1)).lost, 3);
	pt_source_free(s);

	put_lost(&d, 10, 100, 5), put_lost(&d, 11, 110, 6), put_lost(&d, 12345, 115, 1);
	put_lost_samples(&d, 20, 120, 3, 0);
	put_lost_samples(&d, 20, 0, 8, 0), put_lost_samples(&d, 10, 0, 7, 0);
	put_lost_samples(&d, 10, 0, 100, PERF_RECORD_MISC_EXT_RESERVED);	/* dropped by a filter */
	s = file_of(&d);
	CHECK_STR(tids(s), "");
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 0)).lost, 7);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 1)).lost, 11);
	CHECK_INT(pt_source_tally(s)->lost, 18);
	CHECK_INT(pt_source_tally(s)->lost_unknown, 0);
	pt_source_free(s);
}

/* The final count of an event, from which undelivered samples show. READ records of tasks are no final counts. */
TEST(final_counts)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_sample(&d, 10, 100, 1), put_sample(&d, 10, 110, 2), put_sample(&d, 20, 120, 3);
	put_read(&d, 20, 77, 1000);
	put_lost_samples(&d, 10, 0, 3, 0);
	put_read(&d, 10, UINT32_MAX, 9);
	s = file_of(&d);
	CHECK_STR(tids(s), "1 2 3");
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 0)).undelivered, 4);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 1)).undelivered, 0);
	CHECK_INT(pt_source_tally(s)->undelivered, 4);
	pt_source_free(s);

	put_sample(&d, 10, 100, 1), put_sample(&d, 10, 110, 2);
	put_read(&d, 10, UINT32_MAX, 2);
	s = file_of(&d);
	CHECK_STR(tids(s), "1 2");
	CHECK_INT(pt_source_tally(s)->undelivered, 0);
	pt_source_free(s);
}

/* Sections of a file, all that pt_info tells. */
static void features(bool swap, bool words_of_32)
{
	struct rec b[16] = { 0 }, d = REC(swap), f = REC(swap);
	struct rec_section sec[16];
	const struct pt_info *info;
	struct pt_source *s;
	size_t n, i;

	for (i = 0; i < 16; i++)
		b[i].swap = swap;
	n = 0;
	sec[n].number = 2, rec_begin(&b[n], 67, 0x8000 | 2), rec_u32(&b[n], 0xffffffff), rec_bytes(&b[n], "abcdefghijklmnopqrst", 20);
	rec_u8(&b[n], 16), rec_u8(&b[n], 0), rec_u16(&b[n], 0), rec_str(&b[n], "/bin/x"), rec_end(&b[n]), n++;
	sec[n].number = 3, rec_section_str(&b[n++], "host");
	sec[n].number = 4, rec_section_str(&b[n++], "6.1.0");
	sec[n].number = 5, rec_section_str(&b[n++], "6.2");
	sec[n].number = 6, rec_section_str(&b[n++], "s390");
	sec[n].number = 7, rec_u32(&b[n], 8), rec_u32(&b[n++], 6);
	sec[n].number = 8, rec_section_str(&b[n++], "a CPU");
	sec[n].number = 10, rec_u64(&b[n++], 1000);
	sec[n].number = 11, rec_u32(&b[n], 2), rec_section_str(&b[n], "perf"), rec_section_str(&b[n++], "record");
	sec[n].number = 12, rec_u32(&b[n], 2), rec_u32(&b[n], 136);
	rec_attr(&b[n], &two[1].attr, 136), rec_u32(&b[n], 1), rec_section_str(&b[n], "second"), rec_u64(&b[n], 20);
	rec_attr(&b[n], &two[0].attr, 136), rec_u32(&b[n], 2), rec_section_str(&b[n], "one"), rec_u64(&b[n], 10), rec_u64(&b[n++], 11);
	sec[n].number = 13, rec_u32(&b[n++], 0);	/* not of interest */
	sec[n].number = 21, rec_u64(&b[n], 100), rec_u64(&b[n++], 200);
	sec[n].number = 29, rec_u32(&b[n], 1), rec_u32(&b[n], 1), rec_u64(&b[n], 1700000000), rec_u64(&b[n++], 55);
	for (i = 0; i < n; i++)
		sec[i].content = &b[i].b;
	put_two(&d);
	rec_begin(&d, PT_RECORD_TIME_CONV, 0), rec_u64s(&d, 3, (const uint64_t[]){ 31, 32, 33 }), rec_end(&d);
	rec_file(&f, two, 2, &d, sec, n);
	if (words_of_32)
		for (i = 0; i < 4; i++) {
			char *p = f.b.data + 72 + 8 * i, t[4];

			memcpy(t, p, 4), memcpy(p, p + 4, 4), memcpy(p + 4, t, 4);
		}
	s = rec_open(&f);
	info = pt_source_info(s);
	CHECK_STR(info->hostname, "host");
	CHECK_STR(info->os_release, "6.1.0");
	CHECK_STR(info->version, "6.2");
	CHECK_STR(info->arch, "s390");
	CHECK_STR(info->cpu_desc, "a CPU");
	CHECK(!info->cpu_id);
	CHECK_INT(info->long_bytes, 4);
	CHECK_INT(info->nr_cpus_avail, 8);
	CHECK_INT(info->nr_cpus_online, 6);
	CHECK_INT(info->total_mem_kb, 1000);
	CHECK_INT(info->nr_cmdline, 2);
	CHECK_STR(info->cmdline[1], "record");
	CHECK_INT(info->first_time_ns, 100);
	CHECK_INT(info->last_time_ns, 200);
	CHECK_INT(info->clockid, 1);
	CHECK(info->has_clock_data);
	CHECK_INT(info->wall_ns, 1700000000);
	CHECK_INT(info->clock_ns, 55);
	CHECK(info->features[0] & 1 << 13);
	CHECK_INT(pt_source_nr_build_ids(s), 1);
	CHECK_STR(pt_source_build_id(s, 0)->path, "/bin/x");
	CHECK_INT(pt_source_build_id(s, 0)->len, 16);
	CHECK_INT(pt_source_build_id(s, 0)->misc, 2);
	CHECK_INT(pt_source_build_id(s, 0)->pid, 0xffffffff);
	CHECK_MEM(pt_source_build_id(s, 0)->id, "abcdefghijklmnop", 16);
	CHECK_STR(pt_source_event(s, 0)->name, "one");
	CHECK_STR(pt_source_event(s, 1)->name, "second");
	CHECK_STR(tids(s), "7 8");
	CHECK(info->has_time_conv);
	CHECK_INT(info->time_mult, 32);
	pt_source_free(s);
	for (i = 0; i < n; i++)
		rec_free(&b[i]);
	rec_free(&d), rec_free(&f);
}

TEST(sections) { features(false, false); }
TEST(sections_of_the_other_byte_order) { features(true, false); }
TEST(sections_of_the_other_byte_order_and_32_bits) { features(true, true); }

/* The same in records of a stream; names by EVENT_UPDATE too. */
TEST(header_records)
{
	struct rec f = REC(false), b = REC(false);
	struct pt_source *s;

	rec_stream(&f, two, 2);
	rec_section_str(&b, "host");
	rec_begin(&f, PT_RECORD_HEADER_FEATURE, 0), rec_u64(&f, 3), rec_bytes(&f, b.b.data, b.b.len), rec_end(&f);
	rec_begin(&f, PT_RECORD_HEADER_FEATURE, 0), rec_u64(&f, 1000), rec_u64(&f, 0), rec_end(&f);
	rec_begin(&f, PT_RECORD_EVENT_UPDATE, 0), rec_u64(&f, 2), rec_u64(&f, 20), rec_str(&f, "renamed"), rec_end(&f);
	rec_begin(&f, PT_RECORD_EVENT_UPDATE, 0), rec_u64(&f, 0), rec_u64(&f, 10), rec_str(&f, "unit"), rec_end(&f);
	rec_begin(&f, PT_RECORD_HEADER_BUILD_ID, 1), rec_u32(&f, 5), rec_bytes(&f, "abcdefghijklmnopqrst\0\0\0", 24), rec_str(&f, "/x"), rec_end(&f);
	put_sample(&f, 20, 100, 1);
	s = rec_open(&f);
	CHECK_STR(tids(s), "1");
	CHECK_STR(pt_source_info(s)->hostname, "host");
	CHECK_STR(pt_source_event(s, 0)->name, "page-faults:uH");
	CHECK_STR(pt_source_event(s, 1)->name, "renamed");
	CHECK_INT(pt_source_build_id(s, 0)->len, 20);
	pt_source_free(s);
	rec_free(&f), rec_free(&b);
}

/* A section that cannot be read spoils only itself: all records come, then the error. */
TEST(damaged_section)
{
	struct rec d = REC(false), f = REC(false), a = REC(false), b = REC(false);
	struct rec_section sec[2] = { { 3, &a.b }, { 11, &b.b } };
	struct pt_source *s;

	rec_section_str(&a, "host");
	rec_u32(&b, 1000000);
	put_two(&d);
	rec_file(&f, two, 2, &d, sec, 2);
	s = rec_open(&f);
	CHECK_STR(pt_source_info(s)->hostname, "host");
	CHECK_STR(tids(s), "7 8 made: section 11 of the header is damaged");
	pt_source_free(s);
	rec_free(&a), rec_free(&b), rec_free(&d), rec_free(&f);
}

/* The recorder was killed: no size, no sections. A copy that ends between two records. All that is there is read, and then it is said. */
TEST(unfinished_header)
{
	static const uint64_t none, host[4] = { 1 << 3 };
	struct rec d = REC(false), f = REC(false), empty = REC(false);
	struct pt_source *s;
	size_t len;

	put_two(&d);
	rec_file(&f, two, 2, &d, NULL, 0);
	s = rec_open(&f);
	CHECK_STR(tids(s), "7 8");
	pt_source_free(s);
	len = f.b.len;
	f.b.len -= 32;
	s = rec_open(&f);
	CHECK_STR(tids(s), "7 made: the recording ends early: 80 of 112 bytes of its data are there, the rest was never written");
	CHECK_INT(pt_source_info(s)->data_len_bytes, 80);
	pt_source_free(s);
	f.b.len = len - d.b.len;
	s = rec_open(&f);
	CHECK_STR(tids(s), "made: the recording ends early: 0 of 112 bytes of its data are there, the rest was never written");
	pt_source_free(s);
	f.b.len = len;
	memcpy(f.b.data + 48, &none, 8);
	s = rec_open(&f);
	CHECK_STR(tids(s), "7 8 made: the recording ends early: its recorder was killed, or still records (112 bytes of data are there)");
	pt_source_free(s);
	rec_bytes(&f, f.b.data + f.b.len - d.b.len, 20);	/* the beginning of a record more */
	s = rec_open(&f);
	CHECK_STR(tids(s), "7 8 made: record at 0x220 (COMM): cut short (needs 48 bytes, 20 are there)");
	pt_source_free(s);
	rec_free(&f);
	rec_file(&f, two, 2, &empty, NULL, 0);		/* nothing was recorded */
	s = rec_open(&f);
	CHECK_STR(tids(s), "");
	pt_source_free(s);
	memcpy(f.b.data + 72, host, sizeof(host));	/* and it was meant to have sections */
	s = rec_open(&f);
	CHECK_STR(tids(s), "made: the recording ends early: its recorder was killed, or still records (0 bytes of data are there)");
	pt_source_free(s);
	rec_free(&d), rec_free(&f);
}

/* Cut at every byte: what is whole comes first, then an error, once; the error names the place. */
static void cut(struct rec *f, size_t data_at, size_t nr)
{
	struct pt_err e;
	struct pt_source *s;
	size_t len, n, before = 0;
	int rc;

	for (len = 0; len <= f->b.len; len++) {
		e = (struct pt_err)PT_ERR_INIT;
		rc = pt_source_open_fd(&s, rec_memfd(f->b.data, len), "cut", NULL, &e);
		if (rc < 0) {
			CHECK(len < data_at);
			CHECK_HAS(e.msg, "cut: ");
			continue;
		}
		rc = rec_drain(s, &n, &e);
		CHECK(n >= before && n <= nr);
		if (len == f->b.len)
			CHECK_INT(rc, 0);
		if (rc < 0)
			CHECK_HAS(e.msg, "cut: ");
		CHECK_INT(rec_drain(s, &before, &e), 0);
		CHECK_INT(before, 0);
		before = n;
		pt_source_free(s);
	}
	CHECK_INT(before, nr);
}

TEST(cut_at_every_byte)
{
	struct rec d = REC(false), f = REC(false), a = REC(false);
	struct rec_section sec[1] = { { 3, &a.b } };

	rec_section_str(&a, "host");
	put_two(&d), rec_round(&d), put_two(&d);
	rec_file(&f, two, 2, &d, sec, 1);
	cut(&f, 432, 6);
	rec_free(&f);
	rec_stream(&f, two, 2);
	rec_bytes(&f, d.b.data, d.b.len);
	cut(&f, 16, 6);
	rec_free(&a), rec_free(&d), rec_free(&f);
}

/* Streams behind each other: what is in the first one, then a word. */
TEST(joined_streams)
{
	struct rec f = REC(false);
	struct pt_source *s;
	const char *got;
	size_t len;
	char *copy;

	rec_stream(&f, two, 2);
	put_sample(&f, 10, 100, 1), put_sample(&f, 10, 200, 2);
	len = f.b.len;
	copy = memcpy(pt_alloc(len), f.b.data, len);
	pt_buf_add(&f.b, copy, len);
	s = rec_open(&f);
	got = tids(s);
	CHECK(!strncmp(got, "1 2 ", 4));
	CHECK(strstr(got, "another recording begins: each is read by itself"));
	pt_source_free(s);
	free(copy);
	rec_free(&f);
}

TEST(impossible_size)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_two(&d);
	rec_u64(&d, 9);
	put_two(&d);
	s = file_of(&d);
	CHECK_STR(tids(s), "7 8 made: record at 0x220 (SAMPLE): its size 0 is impossible");
	pt_source_free(s);
}

TEST(not_a_recording)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	char *path = pt_asprintf("%s/x", pt_test_dir());

	CHECK_INT(pt_source_open_fd(&s, rec_memfd("", 0), "x", NULL, &e), -1);
	CHECK_STR(e.msg, "x: empty");
	CHECK_INT(pt_source_open_fd(&s, rec_memfd("hello, this is text, not a recording", 36), "x", NULL, &e), -1);
	CHECK_HAS(e.msg, "x: not a recording");
	CHECK_INT(pt_source_open(&s, path, NULL, &e), -1);
	CHECK_INT(e.sys, ENOENT);
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(pt_source_open(&s, path, NULL, &e), -1);
	CHECK_HAS(e.msg, "a directory without a recording");
	free(path);
}

TEST(file_form_from_a_pipe)
{
	struct rec d = REC(false), f = REC(false);
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	int p[2];

	put_two(&d);
	rec_file(&f, two, 2, &d, NULL, 0);
	CHECK_INT(pipe(p), 0);
	CHECK_INT(write(p[1], f.b.data, f.b.len), f.b.len);
	close(p[1]);
	CHECK_INT(pt_source_open_fd(&s, p[0], "pipe", NULL, &e), -1);
	CHECK_HAS(e.msg, "cannot be read from a pipe");
	rec_free(&d), rec_free(&f);
}

/* Records of `d` into compressed ones of at most `piece` bytes of input each, as one zstd stream. */
static void put_compressed(struct rec *f, const struct rec *d, size_t piece, bool second)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	size_t at;

	ZSTD_initCStream(z, 1);
	for (at = 0; at < d->b.len; at += piece) {
		static char out[60000];
		ZSTD_inBuffer in = { d->b.data + at, PT_MIN(piece, d->b.len - at), 0 };
		ZSTD_outBuffer to = { out, sizeof(out), 0 };

		ZSTD_compressStream(z, &to, &in);
		ZSTD_flushStream(z, &to);
		rec_begin(f, second ? PT_RECORD_COMPRESSED2 : PT_RECORD_COMPRESSED, 0);
		if (second)
			rec_u64(f, to.pos);
		rec_bytes(f, out, to.pos);
		while (second && f->b.len % 8)
			rec_u8(f, 0);
		rec_end(f);
	}
	ZSTD_freeCStream(z);
}

static void compressed(size_t piece, bool second)
{
	struct rec d = REC(false), c = REC(false), f = REC(false);
	struct pt_source *s;
	uint32_t i;
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	int rc;

	for (i = 0; i < 5000; i++)
		put_sample(&d, 10, 100 + i, i);
	put_compressed(&c, &d, piece, second);
	rec_file(&f, two, 2, &c, NULL, 0);
	s = rec_open(&f);
	for (i = 0; (rc = pt_source_next(s, &rec, &e)) > 0; i++)
		CHECK_INT(rec->tid, i);
	if (rc < 0)
		FAIL("%s", e.msg);
	CHECK_INT(i, 5000);
	pt_source_free(s);
	rec_free(&d), rec_free(&c), rec_free(&f);
}

TEST(compressed_records) { compressed(24 * 100, false); }
TEST(compressed_records_span) { compressed(1001, false); compressed(7, true); compressed(50000, true); }

TEST(compressed_bomb)
{
	struct rec d = REC(false), c = REC(false), f = REC(false), b = REC(false);
	struct rec_section sec[1] = { { 27, &b.b } };
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	uint32_t i;
	size_t n;

	for (i = 0; i < 100000; i++)
		put_sample(&d, 10, 100, 1);
	put_compressed(&c, &d, d.b.len, false);
	rec_u32(&b, 1), rec_u32(&b, 1), rec_u32(&b, 1), rec_u32(&b, 5), rec_u32(&b, 4096);	/* no ring had more than 4096 bytes */
	rec_file(&f, two, 2, &c, sec, 1);
	s = rec_open(&f);
	CHECK_INT(rec_drain(s, &n, &e), -1);
	CHECK_HAS(e.msg, "expands to more than 4096 bytes");
	pt_source_free(s);
	rec_free(&d), rec_free(&c), rec_free(&f), rec_free(&b);
}

TEST(compressed_garbage)
{
	struct rec d = REC(false);
	struct pt_source *s;

	put_two(&d);
	rec_begin(&d, PT_RECORD_COMPRESSED, 0), rec_u64(&d, 0x1234567812345678), rec_end(&d);
	s = file_of(&d);
	CHECK_HAS(tids(s), "7 8 made: record at 0x220 (COMPRESSED): cannot decompress");
	pt_source_free(s);
}

static void write_file(const char *path, const struct pt_buf *b)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(b->data, 1, b->len, f) != b->len || fclose(f))
		FAIL("cannot write %s", path);
}

TEST(directory)
{
	struct rec d = REC(false), f = REC(false), one = REC(false), other = REC(false), ver = REC(false);
	struct rec_section sec[1] = { { 24, &ver.b } };
	char path[3][256];
	struct pt_source *s;
	struct pt_err e = PT_ERR_INIT;

	snprintf(path[0], 256, "%s/data", pt_test_dir());
	snprintf(path[1], 256, "%s/data.0", pt_test_dir());
	snprintf(path[2], 256, "%s/data.1", pt_test_dir());
	rec_u64(&ver, 1);
	put_comm(&d, 10, 10, "x");
	rec_file(&f, two, 2, &d, sec, 1);
	put_sample(&one, 10, 100, 1), put_sample(&one, 10, 300, 3), put_sample(&one, 10, 50, 0);
	put_sample(&other, 20, 200, 2), put_sample(&other, 20, 400, 4);
	write_file(path[0], &f.b), write_file(path[1], &one.b), write_file(path[2], &other.b);
	if (pt_source_open(&s, pt_test_dir(), NULL, &e) < 0)
		FAIL("%s", e.msg);
	CHECK_STR(tids(s), "0 1 2 3 4");
	pt_source_free(s);
	one.b.len -= 5;
	write_file(path[1], &one.b);
	CHECK_INT(pt_source_open(&s, pt_test_dir(), NULL, &e), 0);
	CHECK_HAS(tids(s), "1 2 3 4 ");
	pt_source_free(s);
	rec_free(&d), rec_free(&f), rec_free(&one), rec_free(&other), rec_free(&ver);
}

/* A file that becomes shorter while it is read: what is gone reads as zeros, which are never delivered. */
static void shrinks(bool rounds, size_t to)
{
	struct rec d = REC(false), f = REC(false);
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	uint32_t i;
	int fd, rc;

	for (i = 0; i < 50000; i++) {
		put_sample(&d, 10, 100 + i, i);
		if (rounds && i % 100 == 99)
			rec_round(&d);
	}
	rec_file(&f, two, 2, &d, NULL, 0);
	fd = rec_memfd(f.b.data, f.b.len);
	CHECK_INT(pt_source_open_fd(&s, fd, "made", NULL, &e), 0);
	for (i = 0; (rc = pt_source_next(s, &rec, &e)) > 0; i++) {
		CHECK_INT(rec->tid, i);
		if (i == 20000)
			CHECK_INT(ftruncate(fd, (off_t)to), 0);
	}
	CHECK_INT(rc, -1);
	CHECK_HAS(e.msg, "made: the file became shorter while it was read");
	CHECK(i > 20000 && i < 50000);
	CHECK_INT(pt_source_next(s, &rec, &e), 0);
	pt_source_free(s);
	rec_free(&d), rec_free(&f);
}

TEST(file_that_shrinks) { shrinks(false, 600000); shrinks(false, 614400); }
TEST(file_with_rounds_that_shrinks) { shrinks(true, 600000); shrinks(true, 614400); }
TEST(file_that_becomes_empty) { shrinks(true, 0); }
