/* Sessions on real events: software events everywhere, tracepoints where tracefs can be read. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "event/ring.h"
#include "record/watch/session.h"

static struct pt_err e;

static long tracepoint_id(const char *name)
{
	char path[256], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		SKIP("%s cannot be read", path);
	if (read(fd, text, sizeof(text) - 1) <= 0)
		SKIP("%s cannot be read", path);
	close(fd);
	return atol(text);
}

static void one_event(struct pt_watch *w, struct pt_event_spec *spec, const char *name, uint32_t type, uint64_t config)
{
	memset(w, 0, sizeof(*w));
	memset(spec, 0, sizeof(*spec));
	spec->name = (char *)(uintptr_t)name;
	spec->attr.type = type;
	spec->attr.config = config;
	w->events.specs = spec;
	w->events.nr = 1;
	w->clockid = CLOCK_MONOTONIC;
	w->default_freq = 999;		/* of a clock; a sample every 10 us keeps a CPU from all else */
}

/* An argv, good until the next call. */
static char **args(const char *first, ...)
{
	static char *argv[16];
	size_t n = 0;
	va_list ap;

	va_start(ap, first);
	for (const char *a = first; a && n < PT_NR(argv) - 1; a = va_arg(ap, const char *))
		argv[n++] = (char *)(uintptr_t)a;
	va_end(ap);
	argv[n] = NULL;
	return argv;
}

struct seen {
	uint64_t samples, comms, forks, exits, lost;
	bool over, child;
};

static void walk(struct pt_session *s, struct seen *seen)
{
	for (size_t i = 0; i < pt_session_nr_rings(s); i++) {
		struct pt_ring *r = pt_session_ring(s, i);
		uint64_t head = pt_ring_head(r);
		const uint8_t *p;

		while ((p = pt_ring_peek(r, head))) {
			struct perf_event_header h;

			memcpy(&h, p, sizeof(h));
			seen->samples += h.type == PERF_RECORD_SAMPLE;
			seen->comms += h.type == PERF_RECORD_COMM;
			seen->forks += h.type == PERF_RECORD_FORK;
			seen->exits += h.type == PERF_RECORD_EXIT;
			seen->lost += h.type == PERF_RECORD_LOST;
			CHECK(h.type != PERF_RECORD_SAMPLE || !r->side_band);
			pt_ring_skip(r, h.size);
		}
		CHECK(!r->broken);
		pt_ring_release(r);
	}
}

static void run_on(struct pt_session *s, struct seen *seen)
{
	int bits;

	memset(seen, 0, sizeof(*seen));
	do {
		bits = pt_session_wait(s, &e);
		if (bits < 0)
			FAIL("%s", e.msg);
		seen->child |= bits & PT_SESSION_CHILD;
		walk(s, seen);
	} while (!(bits & PT_SESSION_OVER));
	pt_session_stop(s);
	walk(s, seen);
}

static void run(struct pt_session *s, struct seen *seen)
{
	if (pt_session_start(s, &e) < 0)
		FAIL("%s", e.msg);
	run_on(s, seen);
}

static struct pt_session *opened(const struct pt_watch *w)
{
	struct pt_session *s;

	if (pt_session_open(&s, w, &e) < 0) {
		if (e.sys == EACCES || e.sys == EPERM)
			SKIP("%s", e.msg);
		FAIL("%s", e.msg);
	}
	return s;
}

TEST(each_write_of_a_command_is_there)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session_count c;
	struct pt_session *s;
	struct seen seen;

	one_event(&w, &spec, "syscalls:sys_enter_write", PERF_TYPE_TRACEPOINT, (uint64_t)tracepoint_id("syscalls/sys_enter_write"));
	w.command = args("dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=20000", "status=none", NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK_INT(pt_session_status(s), 0);
	CHECK(seen.child);
	CHECK_INT(pt_session_count(s, 0, &c, &e), 0);
	CHECK(c.exact);
	CHECK_INT(c.lost, 0);
	CHECK_INT(c.count, 20000);
	CHECK_INT(seen.samples, 20000);
	CHECK_INT(seen.lost, 0);
	CHECK(seen.comms >= 1);
	CHECK(seen.exits >= 1);
	CHECK_INT(pt_session_nr_events(s), 2);
	CHECK(!pt_session_event(s, 0)->side_band);
	CHECK(pt_session_event(s, 1)->side_band && !pt_session_event(s, 1)->spec);
	CHECK(pt_session_event(s, 0)->nr_ids >= 1);
	pt_session_free(s);
}

TEST(children_are_followed)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session_count c;
	struct pt_session *s;
	struct seen seen;

	one_event(&w, &spec, "syscalls:sys_enter_read", PERF_TYPE_TRACEPOINT, (uint64_t)tracepoint_id("syscalls/sys_enter_read"));
	w.command = args("sh", "-c", "for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=512 count=1000 status=none & done; wait", NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK_INT(pt_session_count(s, 0, &c, &e), 0);
	CHECK(seen.samples >= 3000);
	CHECK_INT(seen.samples, c.count);
	CHECK(seen.forks >= 3);
	pt_session_free(s);
}

TEST(command_that_is_not_there)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("pt-no-such-command", NULL);
	s = opened(&w);
	CHECK_INT(pt_session_start(s, &e), -1);
	CHECK_STR(e.msg, "pt-no-such-command: command not found");
	CHECK_INT(WEXITSTATUS(pt_session_status(s)), 127);
	pt_session_free(s);
	w.command = args("/", NULL);
	s = opened(&w);
	CHECK_INT(pt_session_start(s, &e), -1);
	CHECK_STR(e.msg, "/: Permission denied");
	CHECK_INT(WEXITSTATUS(pt_session_status(s)), 126);
	pt_session_free(s);
}

TEST(command_fails_and_dies)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	struct seen seen;

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("sh", "-c", "exit 3", NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK_INT(WEXITSTATUS(pt_session_status(s)), 3);
	pt_session_free(s);
	w.command = args("sh", "-c", "kill -9 $$", NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK(WIFSIGNALED(pt_session_status(s)) && WTERMSIG(pt_session_status(s)) == SIGKILL);
	pt_session_free(s);
}

TEST(duration_ends_the_command)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	struct seen seen;
	pid_t pid;

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("sleep", "1000", NULL);
	w.duration_ns = 50000000;
	s = opened(&w);
	pid = pt_session_command_pid(s);
	run(s, &seen);
	CHECK_INT(pt_session_status(s), 0);
	pt_session_free(s);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
}

/* A second signal does not wait for the command, that has not been ended by then: it did not end well. */
TEST(interrupted_twice)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	siginfo_t stopped;
	pid_t pid;
	int bits;

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("sleep", "1000", NULL);
	s = opened(&w);
	pid = pt_session_command_pid(s);
	if (pt_session_start(s, &e) < 0)
		FAIL("%s", e.msg);
	CHECK_INT(pt_session_status(s), -1);
	CHECK(!kill(pid, SIGSTOP) && !waitid(P_PID, (id_t)pid, &stopped, WSTOPPED | WNOWAIT));	/* so SIGTERM does not end it yet */
	raise(SIGTERM);
	do
		bits = pt_session_wait(s, &e);
	while (bits >= 0 && !pt_session_interrupted(s));
	raise(SIGTERM);
	while (bits >= 0 && !(bits & PT_SESSION_OVER))
		bits = pt_session_wait(s, &e);
	CHECK(bits >= 0);
	CHECK_INT(pt_session_status(s), SIGTERM);
	pt_session_free(s);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
}

TEST(free_ends_what_runs)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	pid_t pid;

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("sleep", "1000", NULL);
	s = opened(&w);			/* before its exec */
	pid = pt_session_command_pid(s);
	pt_session_free(s);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
	s = opened(&w);
	pid = pt_session_command_pid(s);
	if (pt_session_start(s, &e) < 0)
		FAIL("%s", e.msg);
	pt_session_free(s);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
}

TEST(grandchildren_do_not_hold_it)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	struct seen seen;
	char file[256], text[32] = "";
	char *script;
	int fd;

	snprintf(file, sizeof(file), "%s/pid", pt_test_dir());
	script = pt_asprintf("sleep 1000 & echo $! > %s", file);
	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("sh", "-c", script, NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK_INT(pt_session_status(s), 0);
	pt_session_free(s);
	free(script);
	fd = open(file, O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	CHECK_INT(kill(atoi(text), 0), 0);
	kill(atoi(text), SIGKILL);
}

TEST(machine_and_attached)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session_count c;
	struct pt_session *s;
	struct seen seen;
	int pid;
	int gate[2];

	/* All CPUs: the command's own switches must be among them. */
	one_event(&w, &spec, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	w.period = 1;
	w.all_cpus = true;
	w.command = args("true", NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK(seen.samples > 0);
	CHECK(seen.exits > 0);
	pt_session_free(s);

	/* A task that is there already, and goes. */
	CHECK_INT(pipe(gate), 0);
	pid = fork();
	if (!pid) {
		char b;

		close(gate[1]);
		if (read(gate[0], &b, 1) < 0)
			_exit(1);
		for (int i = 0; i < 1000; i++)
			getppid();
		_exit(0);
	}
	close(gate[0]);
	one_event(&w, &spec, "syscalls:sys_enter_getppid", PERF_TYPE_TRACEPOINT, (uint64_t)tracepoint_id("syscalls/sys_enter_getppid"));
	w.pids = &pid;
	w.nr_pids = 1;
	s = opened(&w);
	CHECK_INT(pt_session_start(s, &e), 0);
	close(gate[1]);
	run_on(s, &seen);
	CHECK_INT(pt_session_count(s, 0, &c, &e), 0);
	CHECK_INT(seen.samples, 1000);
	CHECK_INT(c.count, 1000);
	pt_session_free(s);
	waitpid(pid, NULL, 0);
}

/* What /proc tells of a command is there until the session ends: whose it is decides which files name its code. */
TEST(command_that_ended)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	struct seen seen;
	char value[64];
	pid_t pid;

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	w.command = args("sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; exit 3", NULL);
	s = opened(&w);
	CHECK_INT(pt_session_usage(s)->ru_utime.tv_usec, 0);
	run(s, &seen);
	CHECK_INT(WEXITSTATUS(pt_session_status(s)), 3);
	CHECK(pt_session_usage(s)->ru_utime.tv_usec > 0);
	pid = pt_session_command_pid(s);
	CHECK(pt_proc_status((uint32_t)pid, "Uid", value, sizeof(value)));
	CHECK_INT(atoi(value), (int)getuid());
	pt_session_free(s);
	CHECK(!pt_proc_status((uint32_t)pid, "Uid", value, sizeof(value)));

	w.command = args("sh", "-c", "kill -9 $$", NULL);
	s = opened(&w);
	run(s, &seen);
	CHECK_INT(WTERMSIG(pt_session_status(s)), SIGKILL);
	pt_session_free(s);
}

TEST(wrong_wishes)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	int none = 4194304;			/* above the largest pid */
	int cpu = 60000, some_there[] = { 0, 60000, 60001, 60003 };

	one_event(&w, &spec, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_HAS(e.msg, "nothing to watch");
	w.pids = &none;
	w.nr_pids = 1;
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_STR(e.msg, "-p 4194304: no such process");
	w.nr_pids = 0;
	w.cpus = &cpu;
	w.nr_cpus = 1;
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_STR(e.msg, "-C: CPU 60000 is not on line");
	w.cpus = some_there;
	w.nr_cpus = 4;
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_STR(e.msg, "-C: CPUs 60000-60001,60003 are not on line");
	w.nr_cpus = 0;
	w.all_cpus = true;
	w.freq = 1000000000;
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_HAS(e.msg, "sysctl kernel.perf_event_max_sample_rate");
	w.freq = 0;
	w.cgroup = "no/such/group";
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_HAS(e.msg, "control group no/such/group");
}

TEST(filters)
{
	struct pt_watch w;
	struct pt_event_spec spec;
	char filter[64];
	struct pt_tp_field fields[] = { { .name = "common_pid" }, { .name = "fd" }, { .name = "count" } };
	struct pt_tp tp = { .system = "syscalls", .name = "sys_enter_write", .fields = fields, .nr_fields = 3, .nr_common = 1 };
	struct pt_session *s;
	struct seen seen;

	one_event(&w, &spec, "syscalls:sys_enter_write", PERF_TYPE_TRACEPOINT, (uint64_t)tracepoint_id("syscalls/sys_enter_write"));
	spec.tp = &tp;
	w.command = args("dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=1000", "status=none", NULL);
	w.all_cpus = true;
	w.exclude_self = true;
	spec.filter = strcpy(filter, "nosuch == 3");
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_STR(e.msg, "syscalls:sys_enter_write: the kernel does not take the filter \"nosuch == 3\": the event has no field \"nosuch\"; it has fd count");
	spec.filter = strcpy(filter, "(fd == 3");
	CHECK_INT(pt_session_open(&s, &w, &e), -1);
	CHECK_STR(e.msg, "syscalls:sys_enter_write: the kernel does not take the filter \"(fd == 3\": a parenthesis has no end");
	spec.filter = strcpy(filter, "count == 512 && fd == 1");
	s = opened(&w);
	run(s, &seen);
	CHECK(seen.samples >= 1000);
	pt_session_free(s);
}

TEST(clocks)
{
	static const int clocks[] = { CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME, CLOCK_TAI };
	struct pt_watch w;
	struct pt_event_spec spec;
	struct pt_session *s;
	struct seen seen;

	for (size_t i = 0; i < PT_NR(clocks); i++) {
		one_event(&w, &spec, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
		w.clockid = clocks[i];
		w.command = args("true", NULL);
		s = opened(&w);
		CHECK_INT(pt_session_event(s, 0)->attr.clockid, clocks[i]);
		run(s, &seen);
		CHECK_INT(pt_session_status(s), 0);
		CHECK(seen.exits > 0);
		pt_session_free(s);
	}
}

/* Who wants it to end while it is being opened is heard. */
TEST(interrupted_while_opening)
{
	struct pt_event_spec spec;
	struct pt_session *s;
	struct pt_watch w;
	sigset_t set, was;

	one_event(&w, &spec, "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	w.counting = true;
	w.command = args("true", NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &was);
	raise(SIGTERM);
	CHECK(pt_session_open(&s, &w, &e) < 0);
	CHECK_STR(e.msg, "interrupted");
	sigprocmask(SIG_SETMASK, &was, NULL);
}
