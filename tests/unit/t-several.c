/* Several recordings as one stream. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "rec.h"
#include "test.h"

#define FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define EVENT(config_, ...) \
	{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = (config_), .sample_type = FIELDS, .clockid = CLOCK_MONOTONIC, \
		    .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_USE_CLOCKID }, .ids = { __VA_ARGS__ }, .nr_ids = 1 }

static const struct rec_event faults = EVENT(PERF_COUNT_SW_PAGE_FAULTS, 10), faults_again = EVENT(PERF_COUNT_SW_PAGE_FAULTS, 11),
			      switches = EVENT(PERF_COUNT_SW_CONTEXT_SWITCHES, 20);

/* What the recording says of its machine. */
struct machine {
	const char *host, *release;
	uint64_t clock_s, wall_s;
	int clockid;			/* 0: CLOCK_MONOTONIC */
};
static const struct machine here = { "here", "6.1", 100, 1000100, 0 };

static void sample(struct rec *r, uint64_t id, uint64_t time_ns, uint32_t tid)
{
	rec_begin(r, PERF_RECORD_SAMPLE, 2);
	rec_u64(r, id), rec_u32(r, 1), rec_u32(r, tid), rec_u64(r, time_ns);
	rec_end(r);
}

static void comm(struct rec *r, uint64_t id, uint64_t time_ns, const char *name)
{
	rec_begin(r, PERF_RECORD_COMM, 0);
	rec_u32(r, 1), rec_u32(r, 1), rec_str(r, name);
	rec_u32(r, 1), rec_u32(r, 1), rec_u64(r, time_ns), rec_u64(r, id);
	rec_end(r);
}

static void lost(struct rec *r, uint64_t id, uint64_t time_ns, uint64_t nr)
{
	rec_begin(r, PERF_RECORD_LOST, 0);
	rec_u64(r, id), rec_u64(r, nr);
	rec_u32(r, 1), rec_u32(r, 1), rec_u64(r, time_ns), rec_u64(r, id);
	rec_end(r);
}

/* Writes DIR/name and returns its path, good for the next seven calls. `cut`: so many bytes are missing. */
static const char *file(const char *name, const struct machine *m, const struct rec_event *ev, struct rec *data, size_t cut)
{
	struct rec f = REC(false), host = REC(false), release = REC(false), clock = REC(false);
	const struct rec_section sec[] = { { 3, &host.b }, { 4, &release.b }, { 29, &clock.b } };
	static char paths[8][256];
	static unsigned nr;
	char *path = paths[nr++ % 8];
	int fd;

	snprintf(path, sizeof(paths[0]), "%s/%s", pt_test_dir(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	rec_section_str(&host, m->host), rec_section_str(&release, m->release);
	rec_u32(&clock, 1), rec_u32(&clock, m->clockid ? (uint32_t)m->clockid : CLOCK_MONOTONIC), rec_u64(&clock, m->wall_s * 1000000000), rec_u64(&clock, m->clock_s * 1000000000);
	rec_file(&f, ev, 1, data, sec, 3);
	CHECK_INT(write(fd, f.b.data, f.b.len - cut), f.b.len - cut);
	close(fd);
	rec_free(&f), rec_free(&host), rec_free(&release), rec_free(&clock), rec_free(data);
	return path;
}

static const char *samples(const char *name, const struct machine *m, const struct rec_event *ev, uint64_t from_ns, uint64_t to_ns)
{
	struct rec d = REC(false);

	comm(&d, ev->ids[0], 0, name);
	for (; from_ns <= to_ns; from_ns += 10)
		sample(&d, ev->ids[0], from_ns, (uint32_t)from_ns);
	return file(name, m, ev, &d, 0);
}

/* "a(1) 10 20 b(1) 30": names with the index of their event, samples by thread; then the error. */
static const char *all(struct pt_source *s)
{
	static char text[8192];
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	size_t n = 0;
	int rc;

	text[0] = '\0';
	while ((rc = pt_source_next(s, &rec, &e)) > 0)
		if (rec->type == PERF_RECORD_SAMPLE)
			n += (size_t)snprintf(text + n, 32, "%s%u", n ? " " : "", rec->tid);
		else if (rec->type == PERF_RECORD_COMM)
			n += (size_t)snprintf(text + n, 32, "%s%s(%u)", n ? " " : "", rec->u.comm.comm, rec->event->index);
	if (rc < 0)
		snprintf(text + n, 2048, "%s%s", n ? " " : "", e.msg);
	CHECK_INT(pt_source_next(s, &rec, &e), 0);
	return text;
}

static struct pt_source *opened(const char *const *paths, size_t nr)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;

	if (pt_source_open_several(&s, paths, nr, &e) < 0)
		FAIL("%s", e.msg);
	return s;
}

static const char *refused(const char *const *paths, size_t nr)
{
	static struct pt_err e;
	struct pt_source *s;

	CHECK_INT(pt_source_open_several(&s, paths, nr, &e), -1);
	return e.msg;
}

/* The order of times counts, not that of the operands; what existed before comes with its recording. */
TEST(one_after_the_other)
{
	const char *paths[] = { samples("b", &here, &faults_again, 50, 70), samples("a", &here, &faults, 10, 40) };
	struct pt_source *s = opened(paths, 2);

	CHECK_INT(pt_source_nr_events(s), 1);
	CHECK_INT(pt_source_event(s, 0)->nr_ids, 2);
	CHECK_STR(all(s), "a(0) 10 20 30 40 b(0) 50 60 70");
	CHECK_INT(pt_source_tally(s)->samples, 7);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 0)).samples, 7);
	CHECK_STR(pt_source_info(s)->hostname, "here");
	pt_source_free(s);
}

TEST(side_by_side)
{
	const char *paths[] = { samples("a", &here, &faults, 10, 40), samples("b", &here, &switches, 25, 55) };
	struct pt_source *s = opened(paths, 2);

	CHECK_INT(pt_source_nr_events(s), 2);
	CHECK_STR(pt_source_event(s, 1)->name, "context-switches:HG");
	CHECK_INT(pt_source_event(s, 1)->index, 1);
	CHECK_STR(all(s), "a(0) 10 20 b(1) 25 30 35 40 45 55");
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 1)).samples, 4);
	pt_source_free(s);
}

TEST(losses_add_up)
{
	struct rec x = REC(false), y = REC(false);
	const char *paths[2];
	struct pt_source *s;

	sample(&x, 10, 10, 10), lost(&x, 10, 11, 5);
	sample(&y, 11, 20, 20), lost(&y, 11, 21, 7);
	paths[0] = file("a", &here, &faults, &x, 0), paths[1] = file("b", &here, &faults_again, &y, 0);
	s = opened(paths, 2);
	CHECK_STR(all(s), "10 20");
	CHECK_INT(pt_source_tally(s)->lost, 12);
	CHECK_INT(pt_source_event_tally(s, pt_source_event(s, 0)).lost, 12);
	pt_source_free(s);
}

/* Many events in each recording: they are joined, and their figures added up, without a search for each one. */
TEST(many_events)
{
	enum { NR = 60000 };
	struct pt_err e = PT_ERR_INIT;
	const char *paths[2];
	struct pt_source *s;
	size_t nr;

	alarm(60);
	for (size_t k = 0; k < 2; k++) {
		struct rec_event *ev = calloc(NR, sizeof(*ev));
		struct rec f = REC(false), d = REC(false);
		char *path = pt_asprintf("%s/%zu", pt_test_dir(), k);
		FILE *to = fopen(path, "w");

		for (size_t i = 0; i < NR; i++) {
			ev[i] = (struct rec_event)EVENT(i, i + 1);
			ev[i].attr.type = PERF_TYPE_RAW;
		}
		for (uint64_t i = 1; i <= NR; i++)
			sample(&d, i, (uint64_t)k * NR + i, 1);
		rec_file(&f, ev, NR, &d, NULL, 0);
		fwrite(f.b.data, f.b.len, 1, to);
		fclose(to);
		rec_free(&f), rec_free(&d);
		free(ev);
		paths[k] = path;
	}
	s = opened(paths, 2);
	CHECK_INT(pt_source_nr_events(s), NR);
	CHECK_INT(rec_drain(s, &nr, &e), 0);
	for (size_t i = 0; i < NR; i++)
		CHECK_INT(pt_source_event_tally(s, pt_source_event(s, i)).samples, 2);
	pt_source_free(s);
	free((char *)(uintptr_t)paths[0]), free((char *)(uintptr_t)paths[1]);
}

static unsigned long resident_kb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long all, resident = 0;

	CHECK_INT(fscanf(f, "%lu %lu", &all, &resident), 2);
	fclose(f);
	return resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

/* A night of files takes little memory each. */
TEST(many_files)
{
	enum { NR = 300, KB_EACH = 128 };
	unsigned long before;
	struct pt_source *s;
	struct pt_err e = PT_ERR_INIT;
	char name[16];
	size_t nr;

	if (pt_test_sanitized())
		SKIP("memory is not as it is");
	for (uint64_t i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%03d", (int)i);
		samples(name, &here, &faults, 100 * i + 10, 100 * i + 50);
	}
	before = resident_kb();
	CHECK_INT(pt_source_open(&s, pt_test_dir(), NULL, &e), 0);
	CHECK_INT(rec_drain(s, &nr, &e), 0);
	CHECK_INT(nr, 6 * NR);
	CHECK(resident_kb() < before + NR * KB_EACH);
	pt_source_free(s);
}

/* One damaged among three: the others come out, and then what was wrong. */
TEST(damage)
{
	const char *paths[] = { samples("a", &here, &faults, 10, 20), NULL, samples("c", &here, &faults, 50, 60), NULL };
	struct rec d = REC(false);
	struct pt_source *s;
	char empty[256];

	snprintf(empty, sizeof(empty), "%s/empty", pt_test_dir());
	close(open(empty, O_WRONLY | O_CREAT, 0600));
	sample(&d, 10, 30, 30), sample(&d, 10, 40, 40);
	rec_u32(&d, PERF_RECORD_SAMPLE), rec_u32(&d, 2);	/* its size is 0 */
	paths[1] = file("b", &here, &faults, &d, 0);
	s = opened(paths, 3);
	CHECK_HAS(all(s), "a(0) 10 20 30 40 c(0) 50 60 ");
	pt_source_free(s);
	s = opened(paths, 3);
	CHECK_HAS(all(s), "/b: record at 0x");
	pt_source_free(s);
	sample(&d, 10, 30, 30);
	paths[1] = file("b", &here, &faults, &d, 300);		/* its header says that there is more */
	paths[3] = empty;
	s = opened(paths, 4);
	CHECK_HAS(all(s), "/b: attributes: they lie outside the file (and 1 more of the recordings could not be read as a whole)");
	pt_source_free(s);
	CHECK_HAS(refused(&paths[3], 1), "/empty: empty");
	paths[3] = "/nonexistent";		/* a mistake, which is said at once */
	CHECK_STR(refused(paths, 4), "/nonexistent: No such file or directory");
}

TEST(unrelated_clocks)
{
	const struct machine elsewhere = { "elsewhere", "6.1", 100, 1000100, 0 }, kernel = { "here", "6.2", 100, 1000100, 0 },
			     again = { "here", "6.1", 20, 1000200, 0 }, slept = { "here", "6.1", 200, 1009000, 0 }, fast = { "here", "6.1", 500, 1000200, 0 },
			     boottime = { "here", "6.1", 100, 1000100, CLOCK_BOOTTIME };
	const char *paths[] = { samples("a", &here, &faults, 10, 20), NULL };
	struct pt_source *s;

	paths[1] = samples("b", &elsewhere, &faults, 10, 20);
	CHECK_HAS(refused(paths, 2), "cannot be one stream: they are of different machines (here and elsewhere)");
	paths[1] = samples("b", &kernel, &faults, 10, 20);
	CHECK_HAS(refused(paths, 2), "different kernels (6.1 and 6.2)");
	paths[1] = samples("b", &again, &faults, 10, 20);
	CHECK_HAS(refused(paths, 2), "rebooted");
	paths[1] = samples("b", &fast, &faults, 10, 20);
	CHECK_HAS(refused(paths, 2), "rebooted");
	paths[1] = samples("b", &slept, &faults, 30, 30);
	s = opened(paths, 2);
	CHECK_STR(all(s), "a(0) 10 20 b(0) 30");
	pt_source_free(s);
	paths[1] = samples("b", &boottime, &faults, 10, 20);
	CHECK_HAS(refused(paths, 2), "different clocks (clock ids 1 and 7;");
}

TEST(twice)
{
	const char *a = samples("a", &here, &faults, 10, 20);
	char *link_path = pt_asprintf("%s/link", pt_test_dir());
	const char *paths[] = { a, link_path };

	CHECK_INT(symlink(a, link_path), 0);
	CHECK_HAS(refused(paths, 2), "/link: this recording is named twice");
	free(link_path);
}

/* All that begins as a recording does; a pipe in there is not waited for. */
TEST(folder)
{
	const char *dir = pt_test_dir();
	char *text = pt_asprintf("%s/README", dir), *fifo = pt_asprintf("%s/fifo", dir);
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	FILE *f = fopen(text, "w");

	fputs("recordings of the night\n", f);
	fclose(f);
	CHECK_INT(pt_source_open(&s, dir, NULL, &e), -1);
	CHECK_HAS(e.msg, "a directory without a recording");
	CHECK_INT(mkfifo(fifo, 0600), 0);
	samples("z", &here, &faults, 10, 20);
	samples("y", &here, &faults, 30, 40);
	CHECK_INT(pt_source_open(&s, dir, NULL, &e), 0);
	CHECK_STR(all(s), "z(0) 10 20 y(0) 30 40");
	pt_source_free(s);
	CHECK_HAS(refused((const char *const[]){ fifo, dir }, 2), "/fifo: a pipe: it is read alone");
	free(text), free(fifo);
}

TEST(stops)
{
	const char *paths[] = { samples("a", &here, &faults, 10, 40), samples("b", &here, &faults, 50, 70) };
	struct pt_source *s = opened(paths, 2);

	pt_source_stop(s);
	CHECK_STR(all(s), "the recordings: interrupted: what follows was not read");
	pt_source_free(s);
}
