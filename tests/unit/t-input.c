/* The rules of operands: what a command line makes a tool open. The source itself is a stub here. */
#include "cli/input.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/watch/live.h"
#include "test.h"

struct args {
	struct pt_watch_args watch;
	struct pt_input_args in;
	struct pt_choose choose;
};

static const struct pt_tool tool = {
	.name = "pt-test", .purpose = "a test",
	.forms = PT_LINES("[FILE | -]", "[-a | -p PID] [-- COMMAND]"),
	.groups = PT_GROUPS(PT_GROUP("Live", pt_opts_watch, watch, .yields = true), PT_GROUP("Reading", pt_opts_input, in),
			    PT_GROUP("Choosing", pt_opts_choose, choose)),
};

int pt_source_open(struct pt_source **s, const char *path, const struct pt_source_opts *o, struct pt_err *e)
{
	(void)s, (void)o, (void)e;
	printf("open %s\n", path);
	return 0;
}

int pt_source_open_several(struct pt_source **s, const char *const *paths, size_t nr, struct pt_err *e)
{
	size_t i;

	(void)s, (void)e;
	for (i = 0; i < nr; i++)
		printf("%s %s", i ? "" : "open all:", paths[i]);
	printf("\n");
	return 0;
}

int pt_source_open_live(struct pt_source **s, const struct pt_watch *w, struct pt_err *e)
{
	size_t i;

	(void)s, (void)e;
	printf("live%s%s%s%s", w->all_cpus ? " -a" : "", w->exclude_self ? "" : " with itself", w->command_output == PT_COMMAND_TO_STDERR ? "" : " stdout kept",
	       w->clockid == CLOCK_MONOTONIC ? "" : " another clock");
	for (i = 0; i < w->nr_cpus; i++)
		printf(" cpu%d", w->cpus[i]);
	for (i = 0; i < w->nr_pids; i++)
		printf(" pid%d", w->pids[i]);
	for (i = 0; i < w->nr_tids; i++)
		printf(" tid%d", w->tids[i]);
	for (i = 0; i < w->events.nr; i++)
		printf(" %s", w->events.specs[i].name);
	if (w->ring_pages)
		printf(" %u pages", w->ring_pages);
	for (i = 0; w->command && w->command[i]; i++)
		printf("%s %s", i ? "" : " run:", w->command[i]);
	printf("\n");
	return 0;
}

static struct pt_info info;

const struct pt_info *pt_source_info(const struct pt_source *s)
{
	(void)s;
	return &info;
}

enum on_stdin { NULL_DEVICE, PIPE, SOCKET, FILE_, CLOSED };

static void set_stdin(enum on_stdin what)
{
	int fd[2] = { -1, -1 };

	close(0);
	if (what == NULL_DEVICE)
		fd[0] = open("/dev/null", O_RDONLY);
	else if (what == PIPE)
		(void)!pipe(fd);
	else if (what == SOCKET)
		(void)!socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
	else if (what == FILE_)
		fd[0] = open("fio.data", O_RDONLY);
}

/* In a directory with fio.data, an executable script prog, and, if `stale`, perf.data: what comes of the line; " (2)" at the end is the status. */
static const char *comes(const char *line, enum on_stdin in, bool stale, const char *default_events)
{
	static char text[4096];
	size_t len = 0;
	ssize_t n;
	int out[2], status, fd;

	CHECK(!chdir(pt_test_dir()));
	fd = open("fio.data", O_WRONLY | O_CREAT, 0600);
	CHECK_INT(write(fd, "PERFILE2", 8), 8);
	close(fd);
	fd = open("prog", O_WRONLY | O_CREAT, 0700);
	CHECK_INT(write(fd, "#!/bin/sh\n", 10), 10);
	close(fd);
	unlink("perf.data");
	if (stale)
		CHECK(!link("fio.data", "perf.data"));
	fflush(stdout);
	CHECK(!pipe(out));
	if (!fork()) {
		char words[512], *argv[32], *p;
		struct args a = { 0 };
		struct pt_source *s;
		struct pt_err e;
		struct pt_operands operands;
		int argc = 0;

		dup2(out[1], 1);
		dup2(out[1], 2);
		set_stdin(in);
		snprintf(words, sizeof(words), "pt-test %s", line);
		for (p = strtok(words, " "); p; p = strtok(NULL, " "))
			argv[argc++] = p;
		argv[argc] = NULL;
		operands = pt_opt_parse(&tool, argc, argv, &a);
		if (pt_input_open(&tool, &s, &a.watch, &a.in, &operands, default_events, &e) < 0)
			pt_die(&tool, "%s", e.msg);
		fflush(stdout);
		_exit(0);
	}
	close(out[1]);
	while ((n = read(out[0], text + len, sizeof(text) - 32 - len)) > 0)
		len += (size_t)n;
	close(out[0]);
	wait(&status);
	sprintf(text + len, " (%d)", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return text;
}

#define OPENS(line, in, stale, want) CHECK_STR(comes(line, in, stale, "cpu-clock"), want)
#define REFUSES(line, in, stale, part, status)                  \
	do {                                                    \
		const char *t_ = comes(line, in, stale, NULL);  \
		CHECK_HAS(t_, part);                            \
		CHECK_HAS(t_, " (" #status ")");                \
	} while (0)

TEST(recordings)
{
	OPENS("fio.data", PIPE, true, "open fio.data\n (0)");
	OPENS("-i fio.data", PIPE, true, "open fio.data\n (0)");
	OPENS("--input=fio.data", NULL_DEVICE, false, "open fio.data\n (0)");
	OPENS("fio.data no-such-file", PIPE, true, "open all: fio.data no-such-file\n (0)");
	OPENS("-", PIPE, true, "open -\n (0)");
	OPENS("-i -", PIPE, true, "open -\n (0)");
	OPENS("no-such-file", PIPE, true, "open no-such-file\n (0)");	/* the source says that it is not there */
	OPENS("--block fio.data", PIPE, false, "open fio.data\n (0)");	/* a preset chooses among what was recorded */
	OPENS("-g -B -R fio.data", PIPE, false, "open fio.data\n (0)");
}

TEST(nothing_named)
{
	OPENS("", PIPE, true, "open -\n (0)");		/* a stale perf.data never wins over a pipe */
	OPENS("", SOCKET, true, "open -\n (0)");
	OPENS("", FILE_, true, "open -\n (0)");
	OPENS("--comm fio", PIPE, true, "open -\n (0)");
	OPENS("", NULL_DEVICE, true, "open perf.data\n (0)");
	OPENS("", CLOSED, true, "open perf.data\n (0)");
	REFUSES("", NULL_DEVICE, false, "there is no perf.data here\nUsage: pt-test [FILE | -]\n       pt-test [-a | -p PID] [-- COMMAND]\n", 2);
}

TEST(live)
{
	OPENS("-a", PIPE, true, "live -a cpu-clock\n (0)");
	OPENS("-e cs --for 1", PIPE, true, "live -a cs\n (0)");
	OPENS("-p 7,5 -p 9 -t 3", PIPE, true, "live pid5 pid7 pid9 tid3 cpu-clock\n (0)");
	OPENS("-C 0-1 -m 100", NULL_DEVICE, true, "live -a cpu0 cpu1 cpu-clock 128 pages\n (0)");
	OPENS("-a -m 1M", NULL_DEVICE, true, "live -a cpu-clock 256 pages\n (0)");
	OPENS("-k realtime -a", NULL_DEVICE, true, "live -a another clock cpu-clock\n (0)");
	OPENS("-- sh -c true", PIPE, true, "live cpu-clock run: sh -c true\n (0)");
	OPENS("-p 7 -e cs -- sh", PIPE, true, "live pid7 cs run: sh\n (0)");	/* as long as sh runs */
	OPENS("-a -- sh", PIPE, true, "live -a cpu-clock run: sh\n (0)");
	OPENS("-e cs,faults -- ./prog -a", PIPE, true, "live cs faults run: ./prog -a\n (0)");
}

TEST(wrong_together)
{
	REFUSES("-a fio.data", PIPE, true, "'fio.data' and -a: a recording or a live session, not both", 2);
	REFUSES("-C 1 fio.data", PIPE, true, "'fio.data' and -C: a recording or a live session, not both", 2);
	REFUSES("-i fio.data -t 7", PIPE, true, "'fio.data' and -t: a recording or a live session, not both", 2);
	REFUSES("-i fio.data --for 1", PIPE, true, "'fio.data' and --for: a recording or a live session", 2);
	REFUSES("-i fio.data -- sh", PIPE, true, "-i fio.data and a command ('sh')", 2);
	REFUSES("-i fio.data other", PIPE, true, "-i fio.data and 'other': several recordings go without -i", 2);
	REFUSES("fio.data prog", PIPE, true, "'fio.data' and 'prog': a recording or a command, not both", 2);
	REFUSES("fio.data -- sh", PIPE, true, "a recording or a command, not both (a command goes alone, after --)", 2);
	REFUSES("fio.data -", PIPE, true, "'fio.data' and '-': standard input is read alone", 2);
	REFUSES("fio.data other -a", PIPE, true, "'fio.data' and -a: a recording or a live session, not both", 2);
	REFUSES("-F 9 -c 9 -a -e cs", PIPE, true, "-F and -c", 2);
	REFUSES("-p 1 -a -e cs", PIPE, true, "-p and -a", 2);
	REFUSES("-t 1 -C 1 -e cs", PIPE, true, "-t and -C", 2);
	REFUSES("--", PIPE, true, "-- without a command", 2);
	REFUSES("-a", PIPE, true, "no event is given: -e EVENT", 2);
	REFUSES("--filter x -e cs -a", PIPE, true, "--filter is for the events before it", 2);
	REFUSES("-p 0", PIPE, true, "-p: 0 is too small", 2);
	REFUSES("-k moon -a", PIPE, true, "'moon' is no clock: monotonic", 2);
	REFUSES("-m 0 -a", PIPE, true, "-m: 0 is not between", 2);
	REFUSES("--for 0 -a", PIPE, true, "--for: 0 is too small", 2);
	REFUSES("-e no-such-event -a", PIPE, true, "no-such-event", 2);
}

TEST(did_you_mean)
{
	REFUSES("sh", PIPE, true, "'sh' is not a recording; did you mean -- sh?", 2);
	REFUSES("sh -x 2>&1", PIPE, true, "there is no option '-x'", 2);
	REFUSES("./prog", PIPE, true, "'./prog' is not a recording; did you mean -- ./prog?", 2);
	REFUSES("prog", PIPE, true, "did you mean -- prog?", 2);
	OPENS("--syscall read", PIPE, true, "open -\n (0)");
	OPENS("--syscall read fio.data", PIPE, true, "open fio.data\n (0)");
	REFUSES("--syscall sh", PIPE, true, "'sh' is not a recording; did you mean -- sh?", 2);	/* no system call */
	REFUSES("-e cs -- no-such-program-here", PIPE, true, "no-such-program-here: no such command", 127);
	REFUSES("-e cs -- ./fio.data", PIPE, true, "./fio.data: Permission denied", 126);
	REFUSES("-e cs -- ./nothing", PIPE, true, "./nothing: No such file", 127);
}

TEST(presets)
{
	const char *text = comes("--sched -- sh", PIPE, true, NULL);

	if (strstr(text, "tracefs"))
		SKIP("no tracefs");
	CHECK_HAS(text, "live -a sched:sched_switch");
	CHECK_HAS(text, "run: sh\n (0)");
	CHECK_HAS(comes("--sched", NULL_DEVICE, true, NULL), "live -a sched:sched_switch");	/* implies -a */
	CHECK_HAS(comes("--sched", PIPE, true, NULL), "open -\n (0)");
	CHECK_HAS(comes("--sched -p 1", PIPE, true, NULL), "live pid1 sched:");
	CHECK_HAS(comes("-a", PIPE, true, "sched"), "live -a sched:sched_switch");
	CHECK_HAS(comes("-- sh", PIPE, true, "sched"), "live -a sched:sched_switch");
	CHECK_HAS(comes("--syscall write sh -- x", PIPE, true, NULL), "(2)");
}

TEST(first_interrupt_is_held)
{
	int status;

	if (!fork()) {
		signal(SIGINT, SIG_DFL);
		pt_input_hold_interrupt();
		raise(SIGINT);
		raise(SIGINT);
		_exit(0);
	}
	wait(&status);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	if (!fork()) {
		signal(SIGINT, SIG_DFL);
		pt_input_hold_interrupt();
		raise(SIGINT);
		_exit(7);
	}
	wait(&status);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static struct pt_choose choose(const char *option, const char *value)
{
	char *argv[] = { (char *)"pt-test", (char *)option, (char *)value, NULL };
	struct args a = { 0 };

	pt_opt_parse(&tool, 3, argv, &a);
	return a.choose;
}

static bool at(const struct pt_choose *c, uint64_t time_ns)
{
	struct pt_record rec = { .has = PERF_SAMPLE_TIME, .time_ns = time_ns };

	return pt_choose_sample(c, &rec, NULL);
}

TEST(choose_time)
{
	struct pt_choose c = choose("--time", "1.5,2");
	struct pt_err e = PT_ERR_INIT;
	uint64_t s = 1000000000;

	info = (struct pt_info){ 0 };
	CHECK_INT(pt_choose_start(&c, NULL, s, &e), 0);
	CHECK(!at(&c, s) && at(&c, s * 3 / 2) && at(&c, 2 * s) && !at(&c, 2 * s + 1));
	pt_choose_deinit(&c);
	c = choose("--time", "+1,");
	CHECK_INT(pt_choose_start(&c, NULL, 10 * s, &e), 0);
	CHECK(!at(&c, 11 * s - 1) && at(&c, 11 * s) && at(&c, 99 * s));
	pt_choose_deinit(&c);
	c = choose("--time", ",+1");
	CHECK_INT(pt_choose_start(&c, NULL, 10 * s, &e), 0);
	CHECK(at(&c, 1) && at(&c, 11 * s) && !at(&c, 11 * s + 1));
	pt_choose_deinit(&c);
	c = choose("--time", "10%,20%");
	CHECK_INT(pt_choose_start(&c, NULL, 10 * s, &e), -1);
	CHECK_HAS(e.msg, "the recording does not say when it ended");
	info.first_time_ns = 100 * s, info.last_time_ns = 200 * s;
	CHECK_INT(pt_choose_start(&c, NULL, 105 * s, &e), 0);
	CHECK(!at(&c, 110 * s - 1) && at(&c, 110 * s) && at(&c, 120 * s) && !at(&c, 120 * s + 1));
	pt_choose_deinit(&c);
	c = choose("--time", "50%-100%");
	CHECK_INT(pt_choose_start(&c, NULL, 105 * s, &e), 0);
	CHECK(!at(&c, 149 * s) && at(&c, 150 * s) && at(&c, 200 * s));
	pt_choose_deinit(&c);
	c = choose("--time", "10%/2");
	CHECK_INT(pt_choose_start(&c, NULL, 105 * s, &e), 0);
	CHECK(!at(&c, 110 * s - 1) && at(&c, 110 * s) && at(&c, 120 * s) && !at(&c, 120 * s + 1));
	pt_choose_deinit(&c);
	c = choose("--time", "2,1");
	CHECK_INT(pt_choose_start(&c, NULL, s, &e), -1);
	CHECK_HAS(e.msg, "ends before it starts");
	pt_choose_deinit(&c);
	info = (struct pt_info){ 0 };
	REFUSES("--time 101%,", PIPE, true, "--time: 101% is not between 0% and 100%", 2);
	REFUSES("--time soon", PIPE, true, "--time: 'soon' is not a time", 2);
}

TEST(choose_who)
{
	struct pt_record rec = { .has = PERF_SAMPLE_TID | PERF_SAMPLE_CPU, .pid = 10, .tid = 11, .cpu = 2 }, bare = { 0 };
	struct pt_choose c = choose("--pid", "3,10");

	CHECK(c.given && pt_choose_sample(&c, &rec, NULL) && !pt_choose_sample(&c, &bare, NULL));
	pt_choose_deinit(&c);
	c = choose("--tid", "10");
	CHECK(!pt_choose_sample(&c, &rec, NULL));
	pt_choose_deinit(&c);
	c = choose("--tid", "0-11");
	CHECK(pt_choose_sample(&c, &rec, NULL));
	pt_choose_deinit(&c);
	c = choose("--cpu", "0-1,3");
	CHECK(!pt_choose_sample(&c, &rec, NULL));
	pt_choose_deinit(&c);
	c = choose("--cpu", "2");
	CHECK(pt_choose_sample(&c, &rec, NULL) && !pt_choose_sample(&c, &bare, NULL));
	pt_choose_deinit(&c);
	c = choose("--comm", "fio,dd");
	CHECK(pt_choose_sample(&c, &rec, "dd") && pt_choose_sample(&c, &rec, "fio") && !pt_choose_sample(&c, &rec, "fi") && !pt_choose_sample(&c, &rec, NULL));
	pt_choose_deinit(&c);
	CHECK(pt_choose_sample(&c, &bare, NULL));
}
