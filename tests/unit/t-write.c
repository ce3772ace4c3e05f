/* Writing recordings: what the reader finds in them, at every moment of their making. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/read/source.h"
#include "record/write/write.h"

static const uint64_t ids_a[] = { 11, 12 }, ids_b[] = { 21 };

static struct pt_write_event event(const char *name, const uint64_t *ids, size_t nr, unsigned leader)
{
	struct pt_write_event ev = { .name = name, .ids = ids, .nr_ids = nr, .leader = leader };

	ev.attr = (struct pt_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(ev.attr), .config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.flags = PT_ATTR_SAMPLE_ID_ALL,
	};
	return ev;
}

struct sample { struct perf_event_header h; uint64_t id, ip; uint32_t pid, tid; uint64_t time; };

static struct sample sample(uint64_t id, uint64_t time)
{
	return (struct sample){ .h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(struct sample), .misc = PERF_RECORD_MISC_USER }, .id = id, .ip = 0x1000 + time,
				.pid = 7, .tid = 8, .time = time };
}

static struct pt_write_event events[2];
static struct pt_sections sections;
static struct pt_err err;

static void must(int rc)
{
	if (rc < 0)
		FAIL("%s", err.msg);
}

static struct pt_writer *begin(const char *path, int level)
{
	struct pt_writer_opts o = { .level = level };
	struct pt_writer *w;

	memset(&sections, 0, sizeof(sections));
	events[0] = event("first", ids_a, 2, 0);
	events[1] = event("second:u", ids_b, 1, 1);
	pt_sections_machine(&sections, "test");
	pt_sections_cmdline(&sections, 2, (char *[]){ (char *)"a", (char *)"b c" });
	pt_sections_events(&sections, events, 2);
	must(pt_writer_open(&w, path, &o, &err));
	must(pt_writer_begin(w, events, 2, &sections, &err));
	return w;
}

/* Rounds of `n` samples of each event; time goes on. */
static void add_round(struct pt_writer *w, size_t n, uint64_t *time)
{
	struct sample *v = pt_alloc_array(2 * n, sizeof(*v));
	size_t i;

	for (i = 0; i < n; i++) {
		v[i] = sample(ids_a[i % 2], *time + 2 * i);
		v[n + i] = sample(ids_b[0], *time + 2 * i + 1);
	}
	*time += 2 * n;
	pt_writer_add(w, v, n * sizeof(*v));
	pt_writer_add(w, v + n, n * sizeof(*v));
	must(pt_writer_flush(w, PT_WRITE_ROUND, &err));
	free(v);
}

struct found { size_t samples[2], others; bool ordered; };

/* All must be readable, in order of time, of the right events. */
static struct found read_all(const char *path)
{
	struct found f = { .ordered = true };
	const struct pt_record *rec;
	struct pt_source *s;
	uint64_t last = 0;
	int rc;

	must(pt_source_open(&s, path, NULL, &err));
	while ((rc = pt_source_next(s, &rec, &err)) > 0) {
		if (rec->type != PERF_RECORD_SAMPLE) {
			f.others++;
			continue;
		}
		CHECK(rec->event);
		CHECK_STR(rec->event->name, rec->event->index ? "second:u" : "first");
		CHECK_INT(rec->tid, 8);
		f.samples[rec->event->index]++;
		f.ordered = f.ordered && rec->time_ns > last;
		last = rec->time_ns;
	}
	must(rc);
	CHECK_INT(pt_source_tally(s)->unknown_records, 0);
	CHECK_INT(pt_source_tally(s)->no_event, 0);
	CHECK_STR(pt_source_info(s)->version, "test");
	CHECK_INT(pt_source_info(s)->nr_cmdline, 2);
	CHECK_STR(pt_source_info(s)->cmdline[1], "b c");
	pt_source_free(s);
	return f;
}

static void check_file(const char *path, size_t n)
{
	struct found f = read_all(path);

	CHECK_INT(f.samples[0], n);
	CHECK_INT(f.samples[1], n);
	CHECK(f.ordered);
}

static char *in_dir(const char *name)
{
	return pt_asprintf("%s/%s", pt_test_dir(), name);
}

static void finish(struct pt_writer *w)
{
	pt_sections_sample_time(&sections, 1, 99);
	must(pt_writer_end(w, &sections, &err));
	pt_writer_free(w);
	pt_sections_deinit(&sections);
}

TEST(file)
{
	char *path = in_dir("f.data");
	struct pt_writer *w = begin(path, 0);
	struct pt_source *s;
	uint64_t time = 1;

	CHECK(!pt_writer_is_stream(w));
	add_round(w, 10, &time);
	add_round(w, 100, &time);
	finish(w);
	check_file(path, 110);
	must(pt_source_open(&s, path, NULL, &err));
	CHECK_INT(pt_source_info(s)->last_time_ns, 99);
	CHECK_INT(pt_source_info(s)->features[0] & 1, 0);
	pt_source_free(s);
	free(path);
}

static void copy(const char *from, const char *to, char header[104])
{
	char *cmd = pt_asprintf("cp %s %s", from, to);
	int fd;

	CHECK_INT(system(cmd), 0);
	free(cmd);
	if (!header)
		return;
	fd = open(to, O_WRONLY);
	CHECK_INT(pwrite(fd, header, 104, 0), 104);
	close(fd);
}

static void read_header(const char *path, char header[104])
{
	int fd = open(path, O_RDONLY);

	CHECK_INT(pread(fd, header, 104, 0), 104);
	close(fd);
}

/* Killed between two writes: the data of a round are there, the header still tells of the one before. */
TEST(readable_at_every_moment)
{
	char *path = in_dir("k.data"), *at = in_dir("at.data"), header[104];
	struct pt_writer *w = begin(path, 0);
	uint64_t time = 1;
	int i;

	check_file(path, 0);
	for (i = 0; i < 5; i++) {
		read_header(path, header);
		add_round(w, 10, &time);
		copy(path, at, NULL);
		check_file(at, 10 * (size_t)(i + 1));
		copy(path, at, header);
		check_file(at, 10 * (size_t)i);
	}
	read_header(path, header);
	finish(w);
	check_file(path, 50);
	copy(path, at, header);
	check_file(at, 50);
	free(path);
	free(at);
}

/* Nothing happens for a long time. */
TEST(idle)
{
	char *path = in_dir("e.data");
	struct pt_writer *w = begin(path, 0);
	uint64_t time = 1, size;
	int i;

	add_round(w, 3, &time);
	for (i = 0; i < 5; i++)
		must(pt_writer_flush(w, PT_WRITE_ROUND, &err));
	size = pt_writer_bytes(w);
	for (i = 0; i < 100; i++)
		must(pt_writer_flush(w, PT_WRITE_ROUND, &err));
	CHECK_INT(pt_writer_bytes(w), size);
	add_round(w, 3, &time);
	CHECK(pt_writer_bytes(w) > size);
	finish(w);
	check_file(path, 6);
	free(path);
}

TEST(compressed)
{
	char *path = in_dir("z.data");
	struct pt_writer *w = begin(path, 1);
	uint64_t time = 1;
	struct stat st;
	int i;

	for (i = 0; i < 3; i++)
		add_round(w, 1, &time);
	check_file(path, 3);
	add_round(w, 30000, &time);	/* more than one unit of input, more than one record */
	add_round(w, 5, &time);
	check_file(path, 30008);
	finish(w);
	check_file(path, 30008);
	CHECK_INT(stat(path, &st), 0);
	CHECK(st.st_size < 30000 * (long)sizeof(struct sample));
	free(path);
}

/* Incompressible data fill records to the brim. */
TEST(compressed_noise)
{
	char *path = in_dir("n.data");
	struct pt_writer *w = begin(path, 3);
	struct { struct sample s; uint8_t noise[4000]; } *v = pt_alloc_array(1000, sizeof(*v));
	struct found f;
	size_t i, k;
	uint32_t x = 1;

	for (i = 0; i < 1000; i++) {
		v[i].s = sample(21, i + 1);
		v[i].s.h.size = sizeof(v[i]);
		for (k = 0; k < sizeof(v[i].noise); k++)
			v[i].noise[k] = (uint8_t)((x = x * 1103515245 + 12345) >> 16);
	}
	pt_writer_add(w, v, 1000 * sizeof(*v));
	must(pt_writer_flush(w, PT_WRITE_ROUND, &err));
	finish(w);
	f = read_all(path);
	CHECK_INT(f.samples[1], 1000);
	CHECK(f.ordered);
	free(v);
	free(path);
}

TEST(more_ids)
{
	static const uint64_t many[] = { 11, 12, 77 };
	char *path = in_dir("i.data");
	struct pt_writer *w = begin(path, 0);
	struct sample s = sample(77, 1000);
	uint64_t time = 1;

	add_round(w, 3, &time);
	events[0].ids = many;
	events[0].nr_ids = 3;
	must(pt_writer_events(w, events, 2, &err));
	pt_writer_add(w, &s, sizeof(s));
	must(pt_writer_flush(w, PT_WRITE_ROUND, &err));
	finish(w);
	CHECK_INT(read_all(path).samples[0], 4);
	free(path);
}

/* More than a record can hold. */
TEST(very_many_ids)
{
	enum { NR = 20000 };
	char *path = in_dir("v.data");
	struct pt_writer *w = begin(path, 0);
	uint64_t *many = pt_alloc_array(NR, sizeof(*many)), i;
	struct sample s[2];

	for (i = 0; i < NR; i++)
		many[i] = 1000 + i;
	events[0].ids = many;
	events[0].nr_ids = NR;
	must(pt_writer_events(w, events, 2, &err));
	s[0] = sample(1000 + NR - 1, 5);
	s[1] = sample(21, 6);
	pt_writer_add(w, s, sizeof(s));
	must(pt_writer_flush(w, PT_WRITE_ROUND, &err));
	finish(w);
	CHECK_INT(read_all(path).samples[0], 1);
	CHECK_INT(read_all(path).samples[1], 1);
	free(many);
	free(path);
}

TEST(old_one_is_kept)
{
	char *path = in_dir("o.data"), *old = in_dir("o.data.old");
	uint64_t time = 1;
	struct pt_writer *w = begin(path, 0);

	add_round(w, 4, &time);
	finish(w);
	w = begin(path, 0);
	add_round(w, 5, &time);
	finish(w);
	check_file(path, 5);
	check_file(old, 4);
	free(path);
	free(old);
}

struct reader { int fd; size_t bytes; char *path; };

static void *reading(void *arg)
{
	struct reader *r = arg;
	int to = open(r->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char buf[65536];
	ssize_t n;

	while ((n = read(r->fd, buf, sizeof(buf))) > 0) {
		r->bytes += (size_t)n;
		if (write(to, buf, (size_t)n) != n)
			break;
	}
	close(to);
	return NULL;
}

/* A named pipe: what is no regular file gets a stream. The reader saves it, and it is read from there. */
static void through_pipe(int level, size_t n)
{
	char *path = in_dir("fifo"), *saved = in_dir("saved");
	struct reader r = { .path = saved };
	struct pt_writer *w;
	uint64_t time = 1;
	pthread_t thread;

	unlink(path);
	CHECK_INT(mkfifo(path, 0600), 0);
	r.fd = open(path, O_RDONLY | O_NONBLOCK);
	fcntl(r.fd, F_SETFL, 0);
	w = begin(path, level);
	CHECK(pt_writer_is_stream(w));
	CHECK_INT(pthread_create(&thread, NULL, reading, &r), 0);
	add_round(w, n, &time);
	add_round(w, 1, &time);
	finish(w);
	pthread_join(thread, NULL);
	close(r.fd);
	check_file(saved, n + 1);
	free(path);
	free(saved);
}

TEST(stream) { through_pipe(0, 10000); }
TEST(stream_compressed) { through_pipe(1, 10000); }

/* Nobody reads: what has no room in the queue is dropped, the caller is told and never waits. */
TEST(stalled_reader)
{
	char *path = in_dir("fifo");
	struct pt_writer_opts o = { .queue_bytes = 1 << 20 };
	struct sample *v = pt_alloc_array(10000, sizeof(*v));
	struct pt_writer *w;
	int fd, i, rc, dropped = 0;

	CHECK_INT(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	memset(&sections, 0, sizeof(sections));
	events[0] = event("first", ids_a, 2, 0);
	events[1] = event("second:u", ids_b, 1, 1);
	must(pt_writer_open(&w, path, &o, &err));
	must(pt_writer_begin(w, events, 2, &sections, &err));
	for (i = 0; i < 10000; i++)
		v[i] = sample(21, (uint64_t)i + 1);
	for (i = 0; i < 20; i++) {
		pt_writer_add(w, v, 10000 * sizeof(*v));
		rc = pt_writer_flush(w, PT_WRITE_ROUND, &err);
		must(rc);
		dropped += rc;
	}
	CHECK(dropped >= 17 && dropped < 20);
	pt_writer_free(w);
	close(fd);
	free(v);
	free(path);
}

TEST(reader_goes_away)
{
	char *path = in_dir("fifo");
	struct sample s = sample(21, 1);
	struct pt_writer *w;
	int fd, i, rc = 0;

	CHECK_INT(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	w = begin(path, 0);
	close(fd);
	for (i = 0; i < 10000 && rc >= 0; i++) {
		pt_writer_add(w, &s, sizeof(s));
		rc = pt_writer_flush(w, PT_WRITE_ROUND | PT_WRITE_MUST, &err);
		usleep(100);
	}
	CHECK_INT(rc, -1);
	CHECK_INT(err.sys, EPIPE);
	pt_writer_free(w);
	pt_sections_deinit(&sections);
	free(path);
}

TEST(full_device)
{
	struct pt_writer_opts o = { 0 };
	struct pt_writer *w;
	int rc;

	if (access("/dev/full", W_OK))
		SKIP("no /dev/full");
	memset(&sections, 0, sizeof(sections));
	events[0] = event("first", ids_a, 2, 0);
	must(pt_writer_open(&w, "/dev/full", &o, &err));
	rc = pt_writer_begin(w, events, 1, &sections, &err);
	if (rc == 0)
		rc = pt_writer_end(w, &sections, &err);
	CHECK_INT(rc, -1);
	CHECK_INT(err.sys, ENOSPC);
	pt_writer_free(w);
	pt_sections_deinit(&sections);
}
