/* finish.c - the end of a tool: what was lost, and the exit status. */
#include "cli/input.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "record/live.h"

/* "1,234,567"; four of them live in one message. */
static const char *grouped(char text[4][32], int slot, uint64_t v)
{
	char plain[32], *out = text[slot];
	int n = snprintf(plain, sizeof(plain), "%" PRIu64, v), i;

	for (i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*out++ = ',';
		*out++ = plain[i];
	}
	*out = '\0';
	return text[slot];
}

static void say_lost(const struct pt_tool *tool, struct pt_source *s, bool live)
{
	const struct pt_tally *t = pt_source_tally(s);
	const char *cure = live ? "a larger -m helps" : "record with a larger -m";
	char n[4][32];
	size_t i;

	for (i = 0; i < pt_source_nr_events(s); i++) {
		const struct pt_event *ev = pt_source_event(s, i);
		struct pt_event_tally et = pt_source_event_tally(s, ev);

		if (et.lost && ev->side_band)
			pt_warn(tool, "%s records of tasks and mappings were lost (no room in the ring): names may be missing; %s", grouped(n, 0, et.lost), cure);
		else if (et.lost)
			pt_warn(tool, "%s of %s %s were lost (no room in the ring); %s", grouped(n, 0, et.lost),
				grouped(n, 1, et.samples + et.lost + et.undelivered), ev->name, cure);
		if (et.undelivered)
			pt_warn(tool, "the kernel counted %s %s and delivered %s: %s never came (a kernel that loses events of idle CPUs: "
				"keep them out of idle, see pt-doctor)", grouped(n, 0, et.samples + et.lost + et.undelivered), ev->name,
				grouped(n, 1, et.samples), grouped(n, 2, et.undelivered));
	}
	if (t->lost_unknown)
		pt_warn(tool, "%s records were lost, of which event is not known (no room in the ring); %s", grouped(n, 0, t->lost_unknown), cure);
}

static void say_odd(const struct pt_tool *tool, struct pt_source *s, const struct pt_out *out)
{
	const struct pt_tally *t = pt_source_tally(s);
	uint64_t dropped = t->dropped + (out ? pt_out_dropped(out) : 0);
	char n[4][32];

	if (t->throttled)
		pt_warn(tool, "the kernel paused sampling %s times, since it took too much time: a lower -F, or a larger -c", grouped(n, 0, t->throttled));
	if (t->late)
		pt_warn(tool, "%s records came out of order (they were taken where they were found)", grouped(n, 0, t->late));
	if (t->aux_bytes)
		pt_warn(tool, "%s bytes of hardware traces (AUX data, as of Intel PT) are not read here; perf script "
			"decodes them", grouped(n, 0, t->aux_bytes));
	if (t->no_event)
		pt_warn(tool, "%s samples are of events that the recording does not describe: left out", grouped(n, 0, t->no_event));
	if (t->unknown_records)
		pt_warn(tool, "%s records are of types that are not known here (the first: %u): left out", grouped(n, 0, t->unknown_records), t->unknown_type);
	if (dropped)
		pt_warn(tool, "%s pieces of output were dropped, since standard output was blocked: a faster reader, or a file", grouped(n, 0, dropped));
}

void pt_end_by_sigpipe(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	raise(SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + SIGPIPE);
}

/* Where SIGPIPE was ignored from the start, the reader's end is an error as any other. */
static bool quiet_pipe(const struct pt_err *e)
{
	struct sigaction sa;

	return e->sys == EPIPE && !sigaction(SIGPIPE, NULL, &sa) && sa.sa_handler != SIG_IGN;
}

/* From here on the user may end a tool that waits for its reader. */
static void let_interrupt(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int pt_exit_status(int status)
{
	if (status == -1)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int command_status(struct pt_source *s)
{
	struct pt_session *session = s ? pt_source_session(s) : NULL;
	int status = session ? pt_session_status(session) : -1;

	return pt_exit_status(status);
}

static bool not_run(struct pt_source *s)
{
	struct pt_session *session = s ? pt_source_session(s) : NULL;

	return session && pt_session_not_run(session);
}

int pt_finish(const struct pt_tool *tool, struct pt_source *s, struct pt_out *out, int rc, struct pt_err *e)
{
	struct pt_err close_error;
	bool reader_gone = rc < 0 && quiet_pipe(e);

	if (out)
		let_interrupt();
	if (s && !reader_gone) {
		say_lost(tool, s, pt_source_info(s)->live);
		say_odd(tool, s, out);
	}
	if (rc < 0 && !reader_gone)
		pt_warn(tool, "%s", e->msg);
	if (out && pt_out_close(out, &close_error) < 0) {
		reader_gone = reader_gone || quiet_pipe(&close_error);
		if (rc >= 0 && !reader_gone)
			pt_warn(tool, "%s", close_error.msg);
		rc = -1;
	}
	if (reader_gone) {
		pt_source_free(s);
		pt_end_by_sigpipe();
	}
	return rc < 0 && !not_run(s) ? 1 : command_status(s);
}
