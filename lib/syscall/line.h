/* line.h - a call, a signal or an exit as a whole line: who and when in front, then strace's text
 * (text.h), how long it took, and the stack below it; or the same as a JSON line. */
#ifndef PT_SYSCALL_LINE_H
#define PT_SYSCALL_LINE_H

#include "stack/frames.h"
#include "syscall/text.h"

enum pt_line_stamp { PT_LINE_NO_STAMP, PT_LINE_CLOCK, PT_LINE_TIME_OF_DAY, PT_LINE_UNIX };

struct pt_line {
	struct pt_text text;
	enum pt_line_stamp stamp;
	int digits;			/* behind the point of the stamp */
	uint64_t wall_ns;		/* time since 1970 when the clock was 0 */
	bool relative;			/* the time since the line before */
	bool durations;
	bool numbers;			/* of calls */
	bool paths, devices;		/* of descriptors; of devices their numbers, too */
	bool pids;			/* on each line; else from the second task on */
	bool json;
	uint64_t column;		/* of the result */
	uint64_t last_ns;
	uint32_t only_tid;		/* the first task; 0: that of the first line */
};

/* The stack: `nr` frames, innermost first. */
void pt_line_add(struct pt_line *l, const struct pt_call *c, const struct pt_named_frame *frames,
		 size_t nr, struct pt_buf *out);

/* The argument of --absolute-timestamps, as strace has it. */
int pt_line_stamp(struct pt_line *l, const char *how, struct pt_err *e);

#endif
