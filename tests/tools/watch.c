/* watch - a live source by hand: what came of each event, for tests.
 *
 *     watch [-a] [-C CPUS] [-p PID]... [-t TID]... [-G GROUP] -e EVENTS [-f FILTER] [-c PERIOD] [-F HZ] [-D MS] [-d MS] [-I MS] [-m PAGES] [-s] [-M] [-r] [-v] [-- COMMAND]
 *
 * -d: for so long; -s: leave ourselves out; -M: maps; -r: walk the rings only, as a recorder does; -v: each record.
 * Says "watching" on stderr once all is open. Lines "event NAME samples N lost N undelivered N", then "records comm N fork N exit N mmap N tick N child N late N". */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "event/ring.h"
#include "record/watch/live.h"

static struct pt_err e;

static void die(void)
{
	fprintf(stderr, "watch: %s\n", e.msg);
	exit(1);
}

struct seen {
	uint64_t comm, fork, exit, mmap, tick, child, lost, other;
	uint64_t unsorted;
};

static void see(struct seen *n, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM: n->comm++; break;
	case PERF_RECORD_FORK: n->fork++; break;
	case PERF_RECORD_EXIT: n->exit++; break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: n->mmap++; break;
	case PERF_RECORD_LOST: n->lost++; break;
	case PT_RECORD_TICK: n->tick++; break;
	case PT_RECORD_CHILD_EXIT: n->child++; break;
	default: n->other++;
	}
}

static void show(const struct pt_record *r)
{
	printf("%" PRIu64 ".%09" PRIu64 " cpu %u tid %u type %u %s", r->time_ns / 1000000000, r->time_ns % 1000000000, r->has & PERF_SAMPLE_CPU ? r->cpu : 0,
	       r->has & PERF_SAMPLE_TID ? r->tid : 0, r->type, r->event ? r->event->name : "-");
	if (r->type == PERF_RECORD_COMM)
		printf(" %u/%u %s", r->u.comm.pid, r->u.comm.tid, r->u.comm.comm);
	if (r->type == PERF_RECORD_FORK)
		printf(" %u/%u of %u/%u", r->u.task.pid, r->u.task.tid, r->u.task.ppid, r->u.task.ptid);
	if (r->type == PT_RECORD_TICK)
		printf(" tick %" PRIu64, r->u.tick.nr);
	printf("\n");
}

static int status_of(int status)
{
	return status == -1 ? 0 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int watch_source(struct pt_watch *w, bool verbose)
{
	struct seen n = { 0 };
	struct pt_source *s;
	const struct pt_record *r;
	const struct pt_tally *t;
	uint64_t last = 0;
	int rc, status;

	if (pt_source_open_live(&s, w, &e) < 0)
		die();
	fprintf(stderr, "watching\n");
	while ((rc = pt_source_next(s, &r, &e)) > 0) {
		if (r->has & PERF_SAMPLE_TIME) {
			n.unsorted += r->time_ns < last;
			last = PT_MAX(last, r->time_ns);
		}
		if (r->type != PERF_RECORD_SAMPLE)
			see(&n, r->type);
		if (verbose)
			show(r);
	}
	status = status_of(pt_session_status(pt_source_session(s)));
	if (rc < 0) {
		fprintf(stderr, "watch: %s\n", e.msg);
		if (!pt_session_not_run(pt_source_session(s)))
			status = 1;
	}
	t = pt_source_tally(s);
	for (size_t i = 0; i < pt_source_nr_events(s); i++) {
		const struct pt_event *ev = pt_source_event(s, i);
		struct pt_event_tally et = pt_source_event_tally(s, ev);

		printf("event %s samples %" PRIu64 " lost %" PRIu64 " undelivered %" PRIu64 "\n", ev->name, et.samples, et.lost, et.undelivered);
	}
	printf("records comm %" PRIu64 " fork %" PRIu64 " exit %" PRIu64 " mmap %" PRIu64 " tick %" PRIu64 " child %" PRIu64 " lost %" PRIu64 " late %" PRIu64
	       " unsorted %" PRIu64 "\n", n.comm, n.fork, n.exit, n.mmap, n.tick, n.child, n.lost, t->late, n.unsorted);
	pt_source_free(s);
	return status;
}

static void walk(struct pt_session *s, struct seen *n, uint64_t *samples)
{
	for (size_t i = 0; i < pt_session_nr_rings(s); i++) {
		struct pt_ring *r = pt_session_ring(s, i);
		uint64_t head = pt_ring_head(r);
		const uint8_t *p;

		while ((p = pt_ring_peek(r, head))) {
			const struct perf_event_header *h = (const struct perf_event_header *)p;

			if (h->type == PERF_RECORD_SAMPLE)
				++*samples;
			else
				see(n, h->type);
			pt_ring_skip(r, h->size);
		}
		pt_ring_release(r);
	}
}

static int watch_rings(struct pt_watch *w)
{
	struct pt_session *s;
	struct seen n = { 0 };
	uint64_t samples = 0, drains = 0;
	struct rusage ru;
	int bits, status;

	if (pt_session_open(&s, w, &e) < 0 || pt_session_start(s, &e) < 0)
		die();
	fprintf(stderr, "watching\n");
	do {
		bits = pt_session_wait(s, &e);
		if (bits < 0)
			die();
		walk(s, &n, &samples);
		drains++;
	} while (!(bits & PT_SESSION_OVER));
	pt_session_stop(s);
	walk(s, &n, &samples);
	for (size_t i = 0; i + 1 < pt_session_nr_events(s); i++) {
		struct pt_session_count c;

		if (pt_session_count(s, i, &c, &e) < 0)
			die();
		printf("event %s count %" PRIu64 " lost %" PRIu64 "\n", pt_session_event(s, i)->spec->name, c.count, c.lost);
	}
	getrusage(RUSAGE_SELF, &ru);
	printf("samples %" PRIu64 " drains %" PRIu64 " cpu %ld ms\n", samples, drains, (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000 +
	       (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000);
	status = status_of(pt_session_status(s));
	pt_session_free(s);
	return status;
}

static void add_int(int **list, size_t *nr, const char *text)
{
	*list = pt_realloc(*list, *nr + 1, sizeof(int));
	(*list)[(*nr)++] = atoi(text);
}

int main(int argc, char **argv)
{
	struct pt_watch w = { .clockid = CLOCK_MONOTONIC, .default_freq = 999 };
	bool rings = false, verbose = false;
	uint64_t delay_ns;
	int c, rc;

	w.switches_ns = &delay_ns;
	pt_event_list_init(&w.events);
	while ((c = getopt(argc, argv, "+aC:p:t:G:e:f:c:F:D:d:I:m:sMrvx")) != -1) {
		switch (c) {
		case 'a': w.all_cpus = true; break;
		case 'C': if (pt_num_list(optarg, 65535, &w.cpus, &w.nr_cpus, &e) < 0) die(); break;
		case 'p': add_int(&w.pids, &w.nr_pids, optarg); break;
		case 't': add_int(&w.tids, &w.nr_tids, optarg); break;
		case 'G': w.cgroup = optarg; break;
		case 'e': if (pt_event_list_add(&w.events, optarg, &e) < 0) die(); break;
		case 'f': if (pt_event_list_filter(&w.events, optarg, &e) < 0) die(); break;
		case 'c': w.period = strtoull(optarg, NULL, 10); break;
		case 'F': w.freq = strtoull(optarg, NULL, 10); break;
		case 'D': delay_ns = strtoull(optarg, NULL, 10) * 1000000; w.nr_switches = 1; break;
		case 'd': w.duration_ns = strtoull(optarg, NULL, 10) * 1000000; break;
		case 'I': w.interval_ns = strtoull(optarg, NULL, 10) * 1000000; break;
		case 'm': w.ring_pages = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 's': w.exclude_self = true; break;
		case 'M': w.want_maps = true; break;
		case 'r': rings = true; break;
		case 'v': verbose = true; break;
		case 'x': w.command_output = PT_COMMAND_TO_STDERR; break;
		default: return 2;
		}
	}
	if (optind < argc)
		w.command = argv + optind;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	rc = rings ? watch_rings(&w) : watch_source(&w, verbose);
	pt_event_list_deinit(&w.events);
	free(w.cpus);
	free(w.pids);
	free(w.tids);
	return rc;
}
