/* finish.c - the end of a tool: reports losses, gives the exit status */
#include "cli/input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/losses.h"
#include "record/watch/live.h"

static void say_lost(const struct pt_tool *tool, struct pt_source *s, bool live)
{
	size_t i;

	for (i = 0; i < pt_source_nr_events(s); i++) {
		const struct pt_event *ev = pt_source_event(s, i);
		struct pt_event_tally t = pt_source_event_tally(s, ev);

		pt_warn_event_losses(tool, ev->name, ev->side_band, &t, live);
	}
	pt_warn_unknown_losses(tool, pt_source_tally(s)->lost_unknown, live);
	pt_warn_throttled(tool, pt_source_tally(s)->throttled);
}

/* Recorders write the formats of tracepoints when they end. */
static uint64_t samples_without_format(struct pt_source *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < pt_source_nr_events(s); i++) {
		const struct pt_event *ev = pt_source_event(s, i);

		if (ev->attr.type == PERF_TYPE_TRACEPOINT && !ev->tp)
			n += pt_source_event_tally(s, ev).samples;
	}
	return n;
}

static void say_odd(const struct pt_tool *tool, struct pt_source *s, const struct pt_out *out)
{
	const struct pt_tally *t = pt_source_tally(s);
	char unknown[128];

	snprintf(unknown, sizeof(unknown),
		 "of types that are not known here (the first: %u): left out",
		 t->unknown_type);
	pt_warn_count(tool, t->late, "record", "records",
		      "came out of order (taken where found)");
	pt_warn_count(tool, t->aux_bytes, "byte", "bytes",
		      "of hardware traces (AUX data, as of Intel PT) cannot be read here; "
		      "perf script decodes them");
	pt_warn_count(tool, t->no_event, "sample is", "samples are",
		      "of events that the recording does not describe: left out");
	pt_warn_count(tool, t->unknown_records, "record is", "records are", unknown);
	pt_warn_count(tool, samples_without_format(s), "sample of a tracepoint has",
		      "samples of tracepoints have",
		      "neither names nor fields: the recording lacks formats, which are written "
		      "at its end");
	pt_warn_count(tool, t->dropped + (out ? pt_out_dropped(out) : 0), "piece of output was",
		      "pieces of output were",
		      "dropped, since standard output was blocked: a faster reader, or a file");
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

/* If SIGPIPE was ignored from the start, the reader's end is an error. */
static bool quiet_pipe(const struct pt_err *e)
{
	struct sigaction sa;

	return e->sys == EPIPE && !sigaction(SIGPIPE, NULL, &sa) && sa.sa_handler != SIG_IGN;
}

void pt_let_interrupt(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int pt_exit_status(int status)
{
	if (status == -1)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int pt_finish(const struct pt_tool *tool, struct pt_source *s, struct pt_out *out, int rc,
	      struct pt_err *e)
{
	struct pt_session *session = s ? pt_source_session(s) : NULL;
	bool not_run = session && pt_session_not_run(session);
	struct pt_err close_error;
	bool reader_gone = rc < 0 && quiet_pipe(e);

	if (out)
		pt_let_interrupt();
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
	return rc < 0 && !not_run ? 1 : pt_exit_status(session ? pt_session_status(session) : -1);
}

int pt_finish_text(const struct pt_tool *tool, const char *path, struct pt_buf *text, int rc,
		   struct pt_err *e)
{
	struct pt_out *out = NULL;

	if (rc == 0)
		rc = pt_out_open(&out, path, e);
	if (rc == 0)
		rc = pt_out_buf(out, text, e);
	pt_buf_deinit(text);
	return pt_finish(tool, NULL, out, rc, e);
}
