/* control.h - commands to a running session from outside, as perf's --control has them: one per
 * line on a FIFO or a descriptor, the answers on another.
 *
 *     fifo:CTL[,ACK]   named pipes            fd:N[,M]   descriptors that the tool was started with
 *     enable   disable   enable EVENT   disable EVENT   ping   stop   rotate   snapshot
 *
 * The answer is "ack\n" and a NUL byte, as perf's. Who commands may go away and come back: both
 * ends of a pipe are kept open here, and an answer that nobody reads, or that finds no room, is
 * left out. The struct outlives the sessions that use it (watch.control). The descriptors of fd:
 * stay open. */
#ifndef PT_RECORD_CONTROL_H
#define PT_RECORD_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { PT_CONTROL_LINE = 256 };

enum pt_control_verb {
	PT_CONTROL_UNKNOWN,
	PT_CONTROL_ENABLE,
	PT_CONTROL_DISABLE,
	PT_CONTROL_PING,
	PT_CONTROL_STOP,
	PT_CONTROL_ROTATE,
	PT_CONTROL_SNAPSHOT
};

struct pt_control {
	int fd, ack_fd;			/* -1: none */
	bool gone;			/* no pipe, and the other end is closed for good */
	bool too_long;			/* the line so far had no room */
	bool ack_failed;
	size_t len;
	char text[PT_CONTROL_LINE];	/* read so far, and not used up */
	char line[PT_CONTROL_LINE];	/* the last command */
	/* Tells the user what is wrong with a command; the text lives during the call. */
	void (*say)(void *ctx, const char *text);
	void *ctx;
};

/* Checks the words; opens nothing. */
int pt_control_check(const char *how, struct pt_err *e);
/* Leaves say and ctx as they are. */
int pt_control_open(struct pt_control *c, const char *how, struct pt_err *e);
void pt_control_close(struct pt_control *c);
/* Takes the next command, once fd is readable. False: all that came is used up. `event`: after
 * enable and disable, NULL: none; it lives until the next call. */
bool pt_control_next(struct pt_control *c, enum pt_control_verb *verb, const char **event);
void pt_control_ack(struct pt_control *c);
/* Tells of the last command: "'enable foo': MESSAGE". */
void pt_control_refuse(struct pt_control *c, const char *message);

#endif
