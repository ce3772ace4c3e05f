/* progress.h - one line on the terminal about a session or a long read, drawn anew each second:
 *
 *     pt-record: 12 s, 34,567 samples, 12.3 MB, 0 lost; Ctrl-C ends
 *
 * It comes after one second, on standard error if that is a terminal, else never. Who writes to the
 * terminal calls pt_progress_clear() before, or pt_progress_end() if there is more to come. */
#ifndef PT_CLI_PROGRESS_H
#define PT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "record/format/info.h"

struct pt_progress {
	const struct pt_tool *tool;
	bool off;			/* there is no terminal, or others write there */
	bool shown;			/* it stands there now */
	uint64_t start_ns, next_ns;	/* CLOCK_MONOTONIC_COARSE; next_ns: when it is drawn */
};

struct pt_progress_facts {
	const struct pt_tally *tally;
	uint64_t len_bytes;		/* read or written so far; 0: not known */
	double percent;			/* of a recording; below 0: a live session */
};

/* `command`: one is run, which has the terminal for itself. */
void pt_progress_begin(struct pt_progress *p, const struct pt_tool *tool, bool command);
/* True if the line is to be drawn now. For each record: it costs a few nanoseconds. */
bool pt_progress_time(const struct pt_progress *p);
static inline bool pt_progress_due(const struct pt_progress *p)
{
	return !p->off && pt_progress_time(p);
}
void pt_progress_draw(struct pt_progress *p, const struct pt_progress_facts *facts);
void pt_progress_clear(struct pt_progress *p);
void pt_progress_end(struct pt_progress *p);

#endif
