/* CPUs that come and go, by the list that session.c reads from the system: here it is made up, since few machines let their CPUs be taken away. */
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/watch/session_priv.h"

static struct pt_err e;
static struct pt_event_spec spec;
static int none;

static struct pt_session *opened(struct pt_watch *w)
{
	struct pt_session *s;

	memset(&spec, 0, sizeof(spec));
	spec.name = strdup("context-switches");
	spec.attr.type = PERF_TYPE_SOFTWARE;
	spec.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	w->events.specs = &spec;
	w->events.nr = 1;
	w->period = 1;
	w->clockid = CLOCK_MONOTONIC;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU");
	if (pt_session_open(&s, w, &e) < 0) {
		if (e.sys == EACCES || e.sys == EPERM)
			SKIP("%s", e.msg);
		FAIL("%s", e.msg);
	}
	if (pt_session_start(s, &e) < 0)
		FAIL("%s", e.msg);
	return s;
}

static uint64_t walk(struct pt_session *s, int cpu)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < pt_session_nr_rings(s); i++) {
		struct pt_ring *r = pt_session_ring(s, i);
		uint64_t head = pt_ring_head(r);
		const uint8_t *p;

		while ((p = pt_ring_peek(r, head))) {
			struct perf_event_header h;

			memcpy(&h, p, sizeof(h));
			samples += h.type == PERF_RECORD_SAMPLE && r->cpu == cpu;
			pt_ring_skip(r, h.size);
		}
		pt_ring_release(r);
	}
	return samples;
}

/* Makes tasks switch on that CPU. */
static void stir(int cpu)
{
	pid_t pid = fork();

	if (!pid) {
		cpu_set_t set;
		struct timespec nap = { .tv_nsec = 1000000 };

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		for (int i = 0; i < 20; i++)
			nanosleep(&nap, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void until_samples(struct pt_session *s, int cpu)
{
	uint64_t n = 0;

	for (int i = 0; i < 200 && !n; i++) {
		stir(cpu);
		n = walk(s, cpu);
	}
	CHECK(n > 0);
}

static void done(struct pt_session *s)
{
	pt_session_stop(s);
	pt_session_free(s);
	free(spec.name);
}

TEST(one_that_is_new_gets_rings_and_events)
{
	struct pt_watch w = { .all_cpus = true };
	struct pt_session *s = opened(&w);
	size_t rings = pt_session_nr_rings(s), ids = pt_session_event(s, 0)->nr_ids;
	int *cpus, first;
	size_t nr;

	CHECK_INT(session_read_online(&cpus, &nr, &e), 0);
	CHECK_INT(rings, 2 * nr);
	CHECK_INT(session_cpus_now(s, cpus, nr, &e), 0);
	CHECK_INT(pt_session_nr_rings(s), rings);
	/* The last one of the real ones is forgotten, as if it had not been there when the session was opened. */
	first = cpus[nr - 1];
	s->nr_cpus--;
	CHECK_INT(session_cpus_now(s, cpus, nr, &e), 0);
	CHECK_INT(pt_session_nr_rings(s), rings + 2);
	CHECK_INT(pt_session_event(s, 0)->nr_ids, ids + 1);
	CHECK_INT(pt_session_ring(s, rings)->cpu, first);
	CHECK(!pt_session_ring(s, rings)->side_band && pt_session_ring(s, rings + 1)->side_band);
	until_samples(s, first);
	free(cpus);
	/* The forgotten one's rings are nobody's now: given back for the end. */
	s->cpus = pt_realloc(s->cpus, s->nr_cpus + 1, sizeof(*s->cpus));
	s->cpus[s->nr_cpus++] = (struct session_cpu){ .cpu = first, .data = s->rings[rings / 2 - 1], .side = s->rings[rings - 1] };
	done(s);
}

TEST(one_that_goes_keeps_its_rings_and_comes_back)
{
	struct pt_watch w = { .all_cpus = true };
	struct pt_session *s = opened(&w);
	size_t rings = pt_session_nr_rings(s), ids = pt_session_event(s, 0)->nr_ids;
	int *cpus, last;
	size_t nr;

	CHECK_INT(session_read_online(&cpus, &nr, &e), 0);
	last = cpus[nr - 1];
	CHECK_INT(session_cpus_now(s, cpus, nr - 1, &e), 0);
	CHECK_INT(pt_session_nr_rings(s), rings);
	CHECK(!s->cpus[nr - 1].online);
	CHECK_INT(session_cpus_now(s, cpus, nr - 1, &e), 0);
	CHECK_INT(session_cpus_now(s, cpus, nr, &e), 0);
	CHECK(s->cpus[nr - 1].online);
	/* Its events went with it: it has new ones, in the same ring. */
	CHECK_INT(pt_session_nr_rings(s), rings);
	CHECK_INT(pt_session_event(s, 0)->nr_ids, ids + 1);
	until_samples(s, last);
	free(cpus);
	done(s);
}

TEST(a_task_s_events_wait_for_it)
{
	struct pt_watch w = { .pids = &none, .nr_pids = 1 };
	struct pt_session *s;
	size_t ids;
	int *cpus;
	size_t nr;

	none = getpid();
	s = opened(&w);
	ids = pt_session_event(s, 0)->nr_ids;
	CHECK_INT(session_read_online(&cpus, &nr, &e), 0);
	CHECK_INT(session_cpus_now(s, cpus, nr - 1, &e), 0);
	CHECK_INT(session_cpus_now(s, cpus, nr, &e), 0);
	CHECK_INT(pt_session_event(s, 0)->nr_ids, ids);
	free(cpus);
	done(s);
}

TEST(only_those_that_were_asked_for)
{
	int zero = 0, *cpus;
	struct pt_watch w = { .cpus = &zero, .nr_cpus = 1 };
	struct pt_session *s = opened(&w);
	size_t nr;

	/* Tasks may come to CPU 0 from any other: their names and mappings are followed everywhere. */
	CHECK_INT(session_read_online(&cpus, &nr, &e), 0);
	CHECK_INT(pt_session_nr_rings(s), 1 + nr);
	CHECK_INT(session_cpus_now(s, cpus, nr, &e), 0);
	CHECK_INT(pt_session_nr_rings(s), 1 + nr);
	CHECK(!pt_session_ring(s, 0)->side_band);
	CHECK_INT(pt_session_ring(s, 0)->cpu, 0);
	for (size_t i = 1; i <= nr; i++)
		CHECK(pt_session_ring(s, i)->side_band);
	CHECK_INT(pt_session_event(s, 0)->nr_ids, 1);
	CHECK_INT(pt_session_event(s, 1)->nr_ids, nr);
	free(cpus);
	done(s);
}
