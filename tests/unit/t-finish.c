/* The end of a tool: what it says, and its exit status. The source is a stub here. */
#include "cli/input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/watch/live.h"
#include "test.h"

static const struct pt_tool tool = { .name = "pt-test", .purpose = "a test" };

static struct pt_info info;
static struct pt_tally tally;
static struct pt_event events[2] = { { .name = "block:block_rq_complete" }, { .name = "dummy", .side_band = true } };
static struct pt_event_tally tallies[2];
static int status_of_command;
static struct pt_source { int freed; } source;

const struct pt_info *pt_source_info(const struct pt_source *s) { (void)s; return &info; }
const struct pt_tally *pt_source_tally(const struct pt_source *s) { (void)s; return &tally; }
size_t pt_source_nr_events(const struct pt_source *s) { (void)s; return 2; }
const struct pt_event *pt_source_event(const struct pt_source *s, size_t i) { (void)s; return &events[i]; }
struct pt_event_tally pt_source_event_tally(const struct pt_source *s, const struct pt_event *ev) { (void)s; return tallies[ev - events]; }
struct pt_session *pt_source_session(struct pt_source *s) { return (struct pt_session *)s; }
int pt_session_status(const struct pt_session *s) { (void)s; return status_of_command; }
bool pt_session_not_run(const struct pt_session *s) { (void)s; return false; }
void pt_source_free(struct pt_source *s) { (void)s; (void)!write(2, "freed\n", 6); }

/* What pt_finish() says, with " (STATUS)" behind. */
static const char *ends(bool with_source, const char *path, const char *output, int rc, int sys)
{
	static char text[4096];
	size_t len = 0;
	ssize_t n;
	int fd[2], status;

	fflush(stdout);
	CHECK(!pipe(fd));
	if (!fork()) {
		struct pt_out *out = NULL;
		struct pt_err e = { .sys = sys, .msg = "it went wrong" };

		signal(SIGPIPE, SIG_DFL);
		dup2(fd[1], 2);
		if (path && pt_out_open(&out, path, &e) < 0)
			_exit(99);
		if (output)
			pt_out_write(out, output, strlen(output), &e);
		_exit(pt_finish(&tool, with_source ? &source : NULL, out, rc, &e));
	}
	close(fd[1]);
	while ((n = read(fd[0], text + len, sizeof(text) - 32 - len)) > 0)
		len += (size_t)n;
	close(fd[0]);
	wait(&status);
	sprintf(text + len, "(%d)", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	return text;
}

static void reset(void)
{
	info = (struct pt_info){ 0 };
	tally = (struct pt_tally){ 0 };
	memset(tallies, 0, sizeof(tallies));
	status_of_command = -1;
}

TEST(quiet_when_all_went_well)
{
	reset();
	CHECK_STR(ends(true, "/dev/null", "x", 0, 0), "(0)");
	CHECK_STR(ends(false, NULL, NULL, 0, 0), "(0)");
}

TEST(errors)
{
	reset();
	CHECK_STR(ends(true, "/dev/null", "x", -1, EIO), "pt-test: it went wrong\n(1)");
	CHECK_STR(ends(true, "/dev/full", "x", 0, 0), "pt-test: /dev/full: No space left on device\n(1)");
	CHECK_STR(ends(false, "/dev/full", "x", -1, 0), "pt-test: it went wrong\n(1)");	/* once */
}

TEST(status_of_the_command)
{
	reset();
	status_of_command = 3 << 8;
	CHECK_STR(ends(true, "/dev/null", NULL, 0, 0), "(3)");
	status_of_command = SIGSEGV;
	CHECK_STR(ends(true, "/dev/null", NULL, 0, 0), "(139)");
	status_of_command = 3 << 8;
	CHECK_STR(ends(true, "/dev/null", NULL, -1, 0), "pt-test: it went wrong\n(1)");	/* its own failure wins */
	status_of_command = 0;
	CHECK_STR(ends(true, "/dev/null", NULL, 0, 0), "(0)");
}

TEST(losses)
{
	reset();
	info.live = true;
	tallies[0] = (struct pt_event_tally){ .samples = 68766, .lost = 1234 };
	CHECK_STR(ends(true, NULL, NULL, 0, 0),
		  "pt-test: 1,234 of 70,000 block:block_rq_complete were lost (no room in the ring); a larger -m helps\n(0)");
	info.live = false;
	CHECK_HAS(ends(true, NULL, NULL, 0, 0), "; record with a larger -m\n(0)");
	tallies[0] = (struct pt_event_tally){ .samples = 324, .undelivered = 65676 };
	CHECK_STR(ends(true, NULL, NULL, 0, 0), "pt-test: the kernel counted 66,000 block:block_rq_complete and delivered 324: 65,676 never came "
		  "(a kernel that loses events of idle CPUs: keep them out of idle, see pt-doctor)\n(0)");
	tallies[0].shares_samples = true;
	CHECK_HAS(ends(true, NULL, NULL, 0, 0), "65,676 never came (a kernel that takes them for another event that samples the same, "
		  "here or in another session, or loses events of idle CPUs: ");
	tallies[0] = (struct pt_event_tally){ .samples = 5 };
	tallies[1] = (struct pt_event_tally){ .lost = 1000000 };
	CHECK_HAS(ends(true, NULL, NULL, 0, 0), "pt-test: 1,000,000 records of tasks and mappings were lost");
}

TEST(oddities)
{
	const char *text;

	reset();
	tally = (struct pt_tally){ .late = 2, .throttled = 3, .unknown_records = 4, .unknown_type = 99, .no_event = 5, .dropped = 6, .lost_unknown = 7, .aux_bytes = 8 };
	text = ends(true, NULL, NULL, 0, 0);
	CHECK_HAS(text, "pt-test: 2 records came out of order");
	CHECK_HAS(text, "pt-test: the kernel paused sampling 3 times");
	CHECK_HAS(text, "pt-test: 4 records are of types that are not known here (the first: 99)");
	CHECK_HAS(text, "pt-test: 5 samples are of events that the recording does not describe");
	CHECK_HAS(text, "pt-test: 6 pieces of output were dropped");
	CHECK_HAS(text, "pt-test: 7 records were lost, of which event is not known");
	CHECK_HAS(text, "pt-test: 8 bytes of hardware traces (AUX data, as of Intel PT) cannot be read here");
	CHECK_HAS(text, "(0)");
	tally = (struct pt_tally){ .late = 1, .throttled = 1, .unknown_records = 1, .unknown_type = 99, .no_event = 1, .dropped = 1, .lost_unknown = 1 };
	tallies[0].lost = tallies[1].lost = 1;
	text = ends(true, NULL, NULL, 0, 0);
	CHECK_HAS(text, "pt-test: 1 record came out of order");
	CHECK_HAS(text, "pt-test: the kernel paused sampling 1 time,");
	CHECK_HAS(text, "pt-test: 1 record is of types that are not known here (the first: 99)");
	CHECK_HAS(text, "pt-test: 1 sample is of events that the recording does not describe");
	CHECK_HAS(text, "pt-test: 1 piece of output was dropped");
	CHECK_HAS(text, "pt-test: 1 record was lost, of which event is not known");
	CHECK_HAS(text, "pt-test: 1 record of tasks and mappings was lost");
	CHECK_HAS(text, "block:block_rq_complete was lost");
}

TEST(reader_gone)
{
	reset();
	tallies[0].lost = 5;
	CHECK_STR(ends(true, "/dev/null", NULL, -1, EPIPE), "freed\n(-13)");
}
